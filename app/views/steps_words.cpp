// The catalog's texts are templates; what a model's config says differently (RMSNorm, gated MLP) is mended
// here.
#include "app/views/steps_words.h"

#include <algorithm>
#include <map>

#include "app/look/strings.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

const BlockSpec& block_of(const Trace& trace, const Site& site) {
  const auto last = static_cast<int>(trace.config().blocks.size()) - 1;
  return trace.config().blocks[static_cast<std::size_t>(std::clamp(site.layer, 0, std::max(last, 0)))];
}

const NormSpec& norm_of(const Trace& trace, const Site& site) {
  return step_of(site.slot).part == Part::model ? trace.config().final_norm : block_of(trace, site).norm;
}

bool gated_product(const Trace& trace, const Site& site) {
  return site.slot == Slot::mlp_post && block_of(trace, site).mlp.kind == MlpSpec::Kind::gated;
}

std::string number(double value) { return format("%.6g", value); }

std::string formula_text(const Trace& trace, const Site& site) {
  std::string text(step_of(site.slot).formula);
  const Rule rule = step_of(site.slot).rule;
  const bool rms =
      (rule == Rule::norm || rule == Rule::norm_scale) && norm_of(trace, site).kind == NormSpec::Kind::rms;
  if (rms) text = rule == Rule::norm ? "y = x / σ · γ" : "σ = √(mean(x²) + ε)";
  if (gated_product(trace, site)) text = "h = a ⊙ u";
  if (site.slot == Slot::embed && !trace.find(site_of(Slot::pos_embed)))
    text = trace.ids.empty() ? "x" : "x = E";
  const BlockSpec& block = block_of(trace, site);
  const bool biased = trace.weights().find(to_text(site) + ".bias") != nullptr;
  if (rule == Rule::dot && !biased && text.find(" + b") != std::string::npos) text.erase(text.find(" + b"));
  if (rule == Rule::dot && biased && text.find(" + b") == std::string::npos) text += " + b";
  replace_all(text, "{act}", activation_name(block.mlp.activation));
  return text;
}

ImU32 role_colour(const std::string& word) {
  for (const auto& [letter, colour] : {std::pair{'Q', theme().q}, {'K', theme().k}, {'V', theme().v}}) {
    const bool base = word[0] == letter && (word.size() == 1 || static_cast<unsigned char>(word[1]) >= 0x80);
    const bool subscript = word.size() == 3 && word[1] == '_' && word[2] == letter;
    if (base || subscript) return colour;
  }
  return 0;
}

bool word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || byte >= 0x80;
}

}  // namespace

std::string text_of(const std::vector<Piece>& pieces) {
  std::string out;
  for (const Piece& piece : pieces) out += piece.text;
  return out;
}

std::string precise(double value) {
  const double size = std::abs(value);
  const int digits = size == 0 || size >= 0.01 ? 4 : size >= 0.0001 ? 6 : 8;
  return number_text(static_cast<float>(value), digits);
}

std::vector<Piece> formula_pieces(const Trace& trace, const Site& site) {
  const std::string text = formula_text(trace, site);
  std::vector<Piece> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && word_byte(text[end])) ++end;
    if (end == at) {
      while (end < text.size() && !word_byte(text[end])) ++end;
      out.push_back({text.substr(at, end - at)});
    } else {
      const std::string word = text.substr(at, end - at);
      const std::size_t under = word.find('_');
      const ImU32 colour = role_colour(word);
      out.push_back({word.substr(0, under), colour});
      if (under != std::string::npos) out.push_back({word.substr(under + 1), colour, true});
    }
    at = end;
  }
  return out;
}

namespace {

std::int64_t batch_of(const RunResult& run) {
  for (const auto& trace : run.traces)
    if (trace->length != run.traces.front()->length) return 1;
  return static_cast<std::int64_t>(run.traces.size());
}

std::string operand_shape(const RunResult& run, const Operand& operand) {
  const Trace& trace = run.trace(0);
  if (operand.is_weight()) return shape_text(trace.weights().get(operand.weight));
  const Record* record = trace.find(operand.site);
  if (!record) return {};
  std::vector<std::int64_t> sizes = record->shape;
  if (operand.transposed) std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return shape_text(sizes, operand.site.slot == Slot::mask ? 0 : batch_of(run));
}

}  // namespace

std::string step_shape(const RunResult& run, const Site& site) {
  const Record* record = run.trace(0).find(site);
  return record ? shape_text(record->shape, site.slot == Slot::mask ? 0 : batch_of(run)) : std::string();
}

std::string shapes_line(const RunResult& run, const Figure& figure) {
  std::vector<std::string> seen, inputs;
  for (const Operand& operand : figure.operands) {
    if (operand.part || (!operand.is_weight() && operand.site == figure.site)) continue;
    const std::string name = operand.is_weight() ? operand.weight : to_text(operand.site);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    inputs.push_back(operand_shape(run, operand));
  }
  const std::string result = step_shape(run, figure.site);
  if (inputs.empty()) return result;
  if (figure.rule == Rule::lookup) {
    const auto length = std::to_string(run.trace(0).length);
    return inputs[0] + "[(" + std::to_string(batch_of(run)) + ", " + length + ")] → " + result;
  }
  std::string out = inputs[0];
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const bool product = figure.layout == Figure::Layout::product;
    out += (product && i == 1                     ? " @ "
            : product || figure.rule == Rule::sum ? " + "
            : figure.rule == Rule::product        ? " * "
                                                  : ", ") +
           inputs[i];
  }
  return out + " → " + result;
}

std::string torch_line(const RunResult& run, const Site& site) {
  const Trace& trace = run.trace(0);
  const BlockSpec& block = block_of(trace, site);
  const NormSpec& norm = norm_of(trace, site);
  const Activation act = block.mlp.activation;
  std::string text(step_of(site.slot).torch);
  const bool rms = norm.kind == NormSpec::Kind::rms;
  if (step_of(site.slot).rule == Rule::norm_scale && rms)
    text = "scale = (x.pow(2).mean(-1, keepdim=True) + {eps}).sqrt()";
  if (gated_product(trace, site)) text = "h = a * u";
  if (site.slot == Slot::embed && !trace.find(site_of(Slot::pos_embed)))
    text = trace.ids.empty() ? "x = inputs" : "x = tok";
  static const std::map<Activation, std::pair<std::string_view, std::string_view>> kCalls{
      {Activation::gelu_tanh, {"F.gelu(", ", approximate=\"tanh\")"}},
      {Activation::gelu_exact, {"F.gelu(", ")"}},
      {Activation::silu, {"F.silu(", ")"}},
      {Activation::relu, {"F.relu(", ")"}},
      {Activation::quick_gelu, {"quick_gelu(", ")"}}};
  if (const std::size_t at = text.find("F.{act_torch}("); at != std::string::npos) {
    const auto& [open, close] = kCalls.at(act);
    text.replace(text.rfind(')'), 1, close);
    text.replace(at, std::string_view("F.{act_torch}(").size(), open);
  }
  const std::string width = std::to_string(trace.config().d_model);
  const std::string call =
      rms ? "nn.RMSNorm(" + width + ", eps=" + number(static_cast<double>(norm.eps)) + ")"
          : "nn.LayerNorm(" + width + ", eps=" + number(static_cast<double>(norm.eps)) + ")";
  const std::pair<const char*, std::string> values[] = {
      {"{n_heads}", std::to_string(block.attention.n_heads)},
      {"{n_kv_heads}", std::to_string(block.attention.n_kv_heads)},
      {"{d_head}", std::to_string(block.attention.d_head)},
      {"{scale}", number(static_cast<double>(block.attention.scale))},
      {"{eps}", number(static_cast<double>(norm.eps))},
      {"{norm}", call},
      {"{act}", std::string(activation_name(act))}};
  for (const auto& [what, with] : values) replace_all(text, what, with);
  return text + "  # " + step_shape(run, site);
}

}  // namespace attnscope
