// attnscope-cli info: the config and weights of a model.
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::cli {
namespace {

constexpr const char* kNorms[] = {"none", "LayerNorm", "RMSNorm"};
constexpr const char* kMlps[] = {"none", "plain", "gated"};
constexpr const char* kPositions[] = {"none", "learned", "sinusoidal", "rope", "alibi", "buckets"};
constexpr const char* kRopes[] = {"default", "linear", "llama3", "dynamic", "yarn"};

// 1e-05 instead of 9.99999974e-06
double short_number(float value) { return std::stod(format("%.7g", static_cast<double>(value))); }

nlohmann::json attention_json(const AttentionSpec& a) {
  nlohmann::json out{{"heads", a.n_heads}, {"kv_heads", a.n_kv_heads},
                     {"d_head", a.d_head}, {"scale", short_number(a.scale)},
                     {"causal", a.causal}, {"mask_before_scale", a.mask_before_scale}};
  if (a.window > 0) out["window"] = a.window;
  return out;
}

nlohmann::json position_json(const PositionSpec& p) {
  nlohmann::json out{{"kind", kPositions[static_cast<int>(p.kind)]}};
  if (p.kind != PositionSpec::Kind::rope) return out;
  out["theta"] = p.rope.theta;
  out["scaling"] = kRopes[static_cast<int>(p.rope.kind)];
  if (p.rope.kind != RopeSpec::Kind::standard) out["factor"] = p.rope.factor;
  return out;
}

nlohmann::json formats_json(const OpenedModel& opened) {
  nlohmann::json out = nlohmann::json::object();
  for (const StoredFormat& format : opened.formats)
    out[format.name] = {{"tensors", format.tensors}, {"bytes", format.bytes}};
  return out;
}

nlohmann::json to_json(const OpenedModel& opened) {
  const ModelConfig& config = opened.model->config();
  const BlockSpec& block = config.blocks.front();
  nlohmann::json parts = nlohmann::json::object();
  std::int64_t total = 0;
  for (const auto& [part, count] : parameters_by_part(config, opened.model->weights())) {
    parts[part] = count;
    total += count;
  }
  nlohmann::json out{
      {"title", opened.title},
      {"path", opened.path},
      {"architecture", opened.family},
      {"layers", config.n_layers()},
      {"d_model", config.d_model},
      {"d_in", config.d_in},
      {"vocab_size", config.vocab_size},
      {"context_length", config.position.max_positions},
      {"attention", attention_json(block.attention)},
      {"mlp", {{"kind", kMlps[static_cast<int>(block.mlp.kind)]}, {"d_mlp", block.mlp.d_mlp}}},
      {"norm", {{"kind", kNorms[static_cast<int>(block.norm.kind)]}, {"eps", short_number(block.norm.eps)}}},
      {"positions", position_json(config.position)},
      {"head", {{"present", config.head.present}, {"tied", config.head.tied}}},
      {"bos", config.bos},
      {"eos", config.eos},
      {"parameters", {{"total", total}, {"by_part", parts}}},
      {"dtype", opened.dtype},
      {"bytes", opened.file_bytes},
      {"formats", formats_json(opened)},
      {"stays_in_file", opened.stays_in_file},
      {"tokenizer",
       opened.tokenizer ? nlohmann::json(opened.tokenizer->vocab_size()) : nlohmann::json(nullptr)},
      {"warnings", in_words(opened.warnings)},
      {"unused", opened.unused},
      {"notes", in_words(opened.notes)}};
  if (block.mlp.kind != MlpSpec::Kind::none) out["mlp"]["activation"] = activation_name(block.mlp.activation);
  const WeightHealth health = weight_health(opened.model->weights());
  out["weight_health"] = {{"nan", health.nans}, {"inf", health.infs}, {"first", health.first}};
  return out;
}

// Names and notes come from files: control characters are escaped before they are printed.
std::string plain(const nlohmann::json& value) {
  return value.is_string() ? printable(value.get<std::string>(), kMostOfSentence) : value.dump();
}

void print_info(const nlohmann::json& info) {
  for (const char* key :
       {"title", "path", "architecture", "layers", "d_model", "vocab_size", "context_length", "dtype"})
    std::printf("%-16s %s\n", key, plain(info[key]).c_str());
  std::printf("%-16s %s\n", "bytes", format_bytes(info["bytes"].get<std::uint64_t>()).c_str());
  for (const auto& [name, format] : info["formats"].items())
    std::printf("  %-14s %s tensors, %s\n", name.c_str(), plain(format["tensors"]).c_str(),
                format_bytes(format["bytes"].get<std::uint64_t>()).c_str());
  for (const char* key : {"attention", "mlp", "norm", "positions", "head"}) {
    std::vector<std::string> fields;
    for (const auto& [name, value] : info[key].items()) fields.push_back(name + " " + plain(value));
    std::printf("%-16s %s\n", key, join(fields, ", ").c_str());
  }
  std::printf("%-16s %s\n", "parameters",
              format_count(info["parameters"]["total"].get<std::int64_t>()).c_str());
  for (const auto& [part, count] : info["parameters"]["by_part"].items())
    std::printf("  %-14s %s\n", part.c_str(), format_count(count.get<std::int64_t>()).c_str());
  const nlohmann::json& health = info["weight_health"];
  if (health["nan"] != 0 || health["inf"] != 0) {
    std::printf("%-16s %s NaN, %s infinite; first NaN: %s\n", "broken weights", plain(health["nan"]).c_str(),
                plain(health["inf"]).c_str(), plain(health["first"]).c_str());
  }
  for (const nlohmann::json& warning : info["warnings"])
    std::printf("%-16s %s\n", tr("cli.info.warning"), plain(warning).c_str());
  for (const nlohmann::json& note : info["notes"])
    std::printf("%-16s %s\n", tr("cli.info.note"), plain(note).c_str());
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("info", tr("cli.info"));
  const auto model = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  command->add_option("MODEL", *model, tr(kModelHelp))->required();
  command->add_flag("--json", *as_json, tr("cli.json"));
  const auto run = [model, as_json]() -> Status {
    TRY(const OpenedModel opened, open_named(*model));
    const nlohmann::json info = to_json(opened);
    TRY_OK(opened.model->weights().intact());
    if (*as_json)
      print_json(info);
    else
      print_info(info);
    return Done{};
  };
  command->callback([run, &action] { action = run; });
}

}  // namespace attnscope::cli
