#include "core/session/circuit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/file_formats.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"
#include "core/session/document.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;
using CircuitKind = CircuitNode::Kind;

constexpr std::size_t kMostEntries = 2'000'000, kMostLabel = 120;
constexpr const char* kOwn = "attnscope";

// The encoder's layers come before those of the main stack.
int first_layer(const ModelConfig& config, Stack stack) {
  return stack == config.stack && config.encoder() ? config.encoder()->n_layers() : 0;
}

std::string label_of(const GraphNode& node, const std::string& token, const std::string& measure) {
  const std::string layer = std::to_string(node.site.layer);
  const bool encoder = node.site.stack == Stack::enc;
  switch (node.kind) {
    case GraphNode::Kind::embed: return tr("circuit.embed", {token});
    case GraphNode::Kind::output: return measure;
    case GraphNode::Kind::mlp: return tr(encoder ? "circuit.mlp.enc" : "circuit.mlp", {layer});
    case GraphNode::Kind::head: break;
  }
  const char* key = node.site.part == Part::cross ? "circuit.cross"
                    : encoder                     ? "circuit.head.enc"
                                                  : "circuit.head";
  return tr(key, {layer, std::to_string(node.head)});
}

CircuitKind circuit_kind_of(GraphNode::Kind kind) {
  switch (kind) {
    case GraphNode::Kind::embed: return CircuitKind::embed;
    case GraphNode::Kind::head: return CircuitKind::head;
    case GraphNode::Kind::mlp: return CircuitKind::mlp;
    case GraphNode::Kind::output: return CircuitKind::output;
  }
  return CircuitKind::other;
}

std::string type_name(CircuitKind kind) {
  switch (kind) {
    case CircuitKind::embed: return "embedding";
    case CircuitKind::head: return "attention head";
    case CircuitKind::mlp: return "mlp";
    case CircuitKind::output: return "logit";
    case CircuitKind::other: break;
  }
  return "cross layer transcoder";
}
CircuitKind kind_named(const std::string& type) {
  for (const CircuitKind kind :
       {CircuitKind::embed, CircuitKind::head, CircuitKind::mlp, CircuitKind::output})
    if (type_name(kind) == type) return kind;
  return CircuitKind::other;
}

// Two numbers as one (Cantor): how viewers number a feature over all layers.
std::int64_t paired(std::int64_t a, std::int64_t b) { return (a + b) * (a + b + 1) / 2 + b; }

std::string layer_name(const CircuitNode& node) {
  return node.kind == CircuitKind::embed ? "E" : std::to_string(node.layer);
}

Error wrong(const char* key, std::size_t entry) {
  return fail(Code::bad_format, key, {static_cast<std::int64_t>(entry)});
}

std::string circuit_text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? found->dump() : std::string();
}
std::optional<double> circuit_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// "E", "3", 3, "-1".
std::optional<int> layer_at(const Json& json) {
  const std::string text = circuit_text_at(json, "layer");
  if (text == "E" || text == "-1") return -1;
  const auto value = parse_whole(text, 0, 99'999);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

Result<CircuitNode> node_from(const Json& json, std::size_t entry) {
  if (!json.is_object()) return wrong("error.circuit.node", entry);
  CircuitNode out;
  out.id = circuit_text_at(json, "node_id");
  const auto layer = layer_at(json);
  const auto row = circuit_number(json, "ctx_idx");
  if (out.id.empty() || !layer || !row || *row < 0 || *row > 1e9) return wrong("error.circuit.node", entry);
  out.layer = *layer;
  out.row = static_cast<std::int64_t>(*row);
  out.kind = kind_named(circuit_text_at(json, "feature_type"));
  out.label = printable(circuit_text_at(json, "clerp"), kMostLabel);
  if (const auto feature = circuit_number(json, "feature"); feature && std::fabs(*feature) < 9e15)
    out.number = static_cast<std::int64_t>(*feature);
  const auto own = json.find(kOwn);
  if (own == json.end() || !own->is_object()) return out;
  out.value = circuit_number(*own, "value"), out.bias = circuit_number(*own, "bias"),
  out.rest = circuit_number(*own, "rest");
  out.step = circuit_text_at(*own, "step");
  const auto index = [&](const char* key) {
    const auto value = circuit_number(*own, key);
    return value && *value >= -1 && *value < 1e9 ? static_cast<std::int64_t>(*value) : std::int64_t{-1};
  };
  out.step_head = index("head"), out.step_row = index("pos"), out.number = index("number");
  if (!parse_site(out.step)) out.step.clear();
  return out;
}

// What a link of our own files says beside its weight.
void take_own(const Json& json, CircuitLink& link) {
  const auto own = json.find(kOwn);
  if (own == json.end() || !own->is_object()) return;
  const std::string side = circuit_text_at(*own, "side");
  for (const GraphSide one : {GraphSide::query, GraphSide::key, GraphSide::value})
    if (graph_side_name(one) == side) link.side = one;
  link.alone = circuit_number(*own, "alone");
}

void sort_links(Circuit& circuit) {
  std::stable_sort(circuit.links.begin(), circuit.links.end(),
                   [](const CircuitLink& a, const CircuitLink& b) {
                     return a.to != b.to ? a.to < b.to : std::fabs(a.weight) > std::fabs(b.weight);
                   });
}

// Magnitudes of all that runs into the outputs; of all links where there is none.
double scale_of(const Circuit& circuit) {
  double outputs = 0, all = 0;
  for (const CircuitLink& link : circuit.links) {
    all = std::max(all, std::fabs(link.weight));
    if (circuit.nodes[static_cast<std::size_t>(link.to)].kind == CircuitKind::output)
      outputs += std::fabs(link.weight);
  }
  return outputs > 0 ? outputs : all;
}

}  // namespace

bool has_side(const CircuitLink& link) { return link.side != GraphSide::any; }

Circuit circuit_of(const OpenedModel& opened, const Trace& trace, const AttributionGraph& graph,
                   const std::string& measure) {
  const ModelConfig& config = trace.config();
  Circuit out;
  out.model = config.family;
  out.measure = measure;
  for (const auto& edit : trace.edits) out.edits += (out.edits.empty() ? "" : "; ") + to_text(*edit);
  out.scale = graph.scale;
  const std::int64_t first_row = config.encoder() ? trace.rows(Stack::enc) : 0;
  for (std::int64_t row = 0; row < first_row; ++row)
    out.tokens.push_back(row_label(opened, trace, Stack::enc, row));
  for (std::int64_t row = 0; row < trace.rows(config.stack); ++row)
    out.tokens.push_back(row_label(opened, trace, config.stack, row));
  out.prompt = join(out.tokens, " ");
  out.layers = first_layer(config, config.stack) + config.n_layers();
  for (const GraphNode& node : graph.nodes) {
    CircuitNode one;
    one.kind = circuit_kind_of(node.kind);
    one.row = node.row + (node.site.stack == config.stack ? first_row : 0);
    one.layer = one.kind == CircuitKind::embed    ? -1
                : one.kind == CircuitKind::output ? out.layers
                                                  : node.site.layer + first_layer(config, node.site.stack);
    const std::string token =
        one.row < std::ssize(out.tokens) ? out.tokens[static_cast<std::size_t>(one.row)] : "";
    one.label = label_of(node, token, measure);
    const int heads =
        one.layer >= 0 && one.kind != CircuitKind::output ? config.block_at(node.site).attention.n_heads : 0;
    const bool cross = node.site.part == Part::cross;
    one.number = one.kind == CircuitKind::head  ? node.head + (cross ? heads + 1 : 0)
                 : one.kind == CircuitKind::mlp ? heads
                                                : 0;
    if (one.kind == CircuitKind::embed && node.row < std::ssize(trace.ids_of(node.site.stack)))
      one.number = trace.ids_of(node.site.stack)[static_cast<std::size_t>(node.row)];
    one.id = layer_name(one) + "_" + std::to_string(one.number) + "_" + std::to_string(one.row);
    one.value = node.value, one.bias = node.bias, one.rest = node.rest;
    one.step = to_text(node.site);
    one.step_head = node.head, one.step_row = node.row;
    out.nodes.push_back(std::move(one));
  }
  for (const GraphEdge& edge : graph.edges) {
    CircuitLink& link = out.links.emplace_back(CircuitLink{edge.from, edge.to, edge.value, edge.side, {}});
    if (has_side(link)) link.alone = edge.alone, out.followed = true;
  }
  out.off = graph.off;
  return out;
}

Json to_json(const Circuit& circuit) {
  Json nodes = Json::array(), links = Json::array();
  for (const CircuitNode& node : circuit.nodes) {
    const bool output = node.kind == CircuitKind::output;
    Json one = {
        {"node_id", node.id},
        {"feature",
         node.kind == CircuitKind::embed ? node.row : paired(std::max(0, node.layer), node.number)},
        {"layer", layer_name(node)},
        {"ctx_idx", node.row},
        {"feature_type", type_name(node.kind)},
        {"token_prob", 0},
        {"is_target_logit", output},
        {"run_idx", 0},
        {"reverse_ctx_idx", 0},
        {"jsNodeId", layer_name(node) + "_" + std::to_string(node.number) + "-" + std::to_string(node.row)},
        {"clerp", node.label}};
    if (node.value && circuit.scale > 0) one["influence"] = std::fabs(*node.value) / circuit.scale;
    if (node.value) one["activation"] = *node.value;
    if (!node.step.empty()) {
      Json own = {{"step", node.step}, {"pos", node.step_row}, {"number", node.number}};
      if (node.step_head >= 0) own["head"] = node.step_head;
      if (node.value) own["value"] = *node.value;
      if (node.bias) own["bias"] = *node.bias;
      if (node.rest) own["rest"] = *node.rest;
      one[kOwn] = std::move(own);
    }
    nodes.push_back(std::move(one));
  }
  for (const CircuitLink& link : circuit.links) {
    links.push_back({{"source", circuit.nodes[static_cast<std::size_t>(link.from)].id},
                     {"target", circuit.nodes[static_cast<std::size_t>(link.to)].id},
                     {"weight", link.weight}});
    if (has_side(link)) links.back()[kOwn]["side"] = graph_side_name(link.side);
    if (link.alone) links.back()[kOwn]["alone"] = *link.alone;
  }
  Json told{{"measure", circuit.measure}, {"layers", circuit.layers}};
  if (!circuit.edits.empty()) told["edits"] = circuit.edits;
  if (circuit.followed) told["off"] = circuit.off;
  if (!circuit.run.empty()) told["run"] = Json::parse(circuit.run, nullptr, false);
  return {{"metadata",
           {{"slug", kGraphFormat.name},
            {"scan", circuit.model},
            {"transcoder_list", Json::array()},
            {"prompt_tokens", circuit.tokens},
            {"prompt", circuit.prompt},
            {"schema_version", kGraphFormat.version},
            {"info", {{"generator", {{"name", "attnscope"}}}}},
            {kOwn, std::move(told)}}},
          {"qParams",
           {{"linkType", "both"},
            {"pinnedIds", Json::array()},
            {"clickedId", ""},
            {"supernodes", Json::array()},
            {"sg_pos", ""}}},
          {"nodes", std::move(nodes)},
          {"links", std::move(links)}};
}

Result<Circuit> circuit_from_json(const Json& json) {
  if (!json.is_object() || !json.contains("nodes") || !json["nodes"].is_array() || !json.contains("links") ||
      !json["links"].is_array())
    return fail(Code::bad_format, "error.circuit.kind");
  if (json["nodes"].size() + json["links"].size() > kMostEntries)
    return fail(Code::no_memory, "error.circuit.large", {static_cast<std::int64_t>(kMostEntries)});
  Circuit out;
  if (const auto metadata = json.find("metadata"); metadata != json.end() && metadata->is_object()) {
    out.model = circuit_text_at(*metadata, "scan");
    out.prompt = circuit_text_at(*metadata, "prompt");
    if (const auto tokens = metadata->find("prompt_tokens"); tokens != metadata->end() && tokens->is_array())
      for (const Json& token : *tokens)
        out.tokens.push_back(token.is_string() ? printable(token.get<std::string>(), kMostLabel)
                                               : std::string());
    if (const auto own = metadata->find(kOwn); own != metadata->end() && own->is_object()) {
      out.measure = circuit_text_at(*own, "measure"), out.edits = circuit_text_at(*own, "edits");
      out.off = circuit_number(*own, "off").value_or(0);
      if (const auto run = own->find("run"); run != own->end() && run->is_object())
        out.run = run->dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }
  std::map<std::string, int> places;
  std::int64_t rows = 0;
  for (const Json& entry : json["nodes"]) {
    TRY(CircuitNode node, node_from(entry, out.nodes.size()));
    if (!places.emplace(node.id, static_cast<int>(out.nodes.size())).second)
      return wrong("error.circuit.twice", out.nodes.size());
    if (node.kind != CircuitKind::output) out.layers = std::max(out.layers, node.layer + 1);
    rows = std::max(rows, node.row + 1);
    out.nodes.push_back(std::move(node));
  }
  if (rows > static_cast<std::int64_t>(kMostEntries)) return fail(Code::bad_format, "error.circuit.kind");
  while (std::ssize(out.tokens) < rows) out.tokens.push_back(std::to_string(out.tokens.size()));
  for (CircuitNode& node : out.nodes)
    if (node.kind == CircuitKind::output) node.layer = out.layers;
  for (const Json& entry : json["links"]) {
    const std::size_t at = out.links.size();
    if (!entry.is_object()) return wrong("error.circuit.link", at);
    const auto from = places.find(circuit_text_at(entry, "source")),
               to = places.find(circuit_text_at(entry, "target"));
    const auto weight = circuit_number(entry, "weight");
    if (from == places.end() || to == places.end() || !weight) return wrong("error.circuit.link", at);
    out.links.push_back({from->second, to->second, *weight, GraphSide::any, {}});
    take_own(entry, out.links.back());
    out.followed = out.followed || has_side(out.links.back());
  }
  sort_links(out);
  out.scale = scale_of(out);
  return out;
}

Status write_circuit(const std::string& path, const Circuit& circuit) {
  return write_file(path, to_json(circuit).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<Circuit> read_circuit(const std::string& path) {
  TRY(const Json json, read_json_file(path, std::uint64_t{256} << 20));
  auto read = circuit_from_json(json);
  if (!read) return about(path, read.error());
  return read;
}

Circuit pruned(const Circuit& circuit, double share) {
  Circuit out = circuit;
  out.nodes.clear(), out.links.clear();
  const double least = share * circuit.scale;
  std::vector<std::vector<int>> into(circuit.nodes.size());
  std::vector<bool> kept(circuit.nodes.size(), false);
  std::vector<int> open;
  for (std::size_t i = 0; i < circuit.nodes.size(); ++i)
    if (circuit.nodes[i].kind == CircuitKind::output) kept[i] = true, open.push_back(static_cast<int>(i));
  const bool outputs = !open.empty();
  for (const CircuitLink& link : circuit.links) {
    if (std::fabs(link.weight) < least) continue;
    into[static_cast<std::size_t>(link.to)].push_back(link.from);
    if (!outputs) kept[static_cast<std::size_t>(link.to)] = kept[static_cast<std::size_t>(link.from)] = true;
  }
  while (!open.empty()) {
    const int reader = open.back();
    open.pop_back();
    for (const int from : into[static_cast<std::size_t>(reader)])
      if (!kept[static_cast<std::size_t>(from)])
        kept[static_cast<std::size_t>(from)] = true, open.push_back(from);
  }
  std::vector<int> place(circuit.nodes.size(), -1);
  for (std::size_t i = 0; i < circuit.nodes.size(); ++i)
    if (kept[i]) {
      place[i] = static_cast<int>(out.nodes.size());
      out.nodes.push_back(circuit.nodes[i]);
    }
  for (const CircuitLink& link : circuit.links) {
    const int from = place[static_cast<std::size_t>(link.from)],
              to = place[static_cast<std::size_t>(link.to)];
    if (to < 0) continue;
    if (std::fabs(link.weight) >= least && from >= 0)
      out.links.push_back({from, to, link.weight, link.side, link.alone});
    else if (auto& rest = out.nodes[static_cast<std::size_t>(to)].rest)
      *rest += link.weight;
  }
  return out;
}

}  // namespace attnscope
