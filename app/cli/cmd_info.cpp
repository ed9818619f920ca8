// attnscope-cli info: the config and weights of a model.
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/fingerprint.h"
#include "core/trace/common.h"

namespace attnscope::cli {
namespace {

constexpr const char* kNorms[] = {"none", "LayerNorm", "RMSNorm"};
constexpr const char* kMlps[] = {"none", "plain", "gated"};
constexpr const char* kPositions[] = {"none", "learned", "sinusoidal"};
constexpr const char* kAttentionPositions[] = {"none", "rope", "alibi", "buckets"};
constexpr const char* kRopes[] = {"default", "linear", "llama3", "dynamic", "yarn"};

// 1e-05 instead of 9.99999974e-06
double short_number(float value) { return std::stod(format("%.7g", static_cast<double>(value))); }

nlohmann::json shown(float value) { return short_number(value); }
template <class T>
nlohmann::json shown(const T& value) {
  return value;
}

// What all blocks say; a list where they differ, one value a block. `of` reads a block.
template <class Of>
nlohmann::json said(const ModelConfig& config, Of of) {
  nlohmann::json all = nlohmann::json::array();
  for (const BlockSpec& block : config.blocks) all.push_back(shown(of(block)));
  return common(config, of) ? all[0] : all;
}

nlohmann::json attention_json(const ModelConfig& config) {
  nlohmann::json out{
      {"heads", said(config, [](const BlockSpec& b) { return b.attention.n_heads; })},
      {"kv_heads", said(config, [](const BlockSpec& b) { return b.attention.n_kv_heads; })},
      {"d_head", said(config, [](const BlockSpec& b) { return b.attention.d_head; })},
      {"scale", said(config, [](const BlockSpec& b) { return b.attention.scale; })},
      {"causal", said(config, [](const BlockSpec& b) { return b.attention.causal; })},
      {"mask_before_scale", said(config, [](const BlockSpec& b) { return b.attention.mask_before_scale; })}};
  if (extent(config, &BlockSpec::attention, &AttentionSpec::window).second > 0)
    out["window"] = said(config, [](const BlockSpec& b) { return b.attention.window; });
  return out;
}

nlohmann::json mlp_json(const ModelConfig& config) {
  nlohmann::json out{
      {"kind", said(config, [](const BlockSpec& b) { return kMlps[static_cast<int>(b.mlp.kind)]; })},
      {"d_mlp", said(config, [](const BlockSpec& b) { return b.mlp.d_mlp; })}};
  if (extent(config, &BlockSpec::mlp, &MlpSpec::kind).second != MlpSpec::Kind::none)
    out["activation"] = said(config, [](const BlockSpec& b) { return activation_name(b.mlp.activation); });
  return out;
}

nlohmann::json norm_json(const ModelConfig& config) {
  return {{"kind", said(config, [](const BlockSpec& b) { return kNorms[static_cast<int>(b.norm.kind)]; })},
          {"eps", said(config, [](const BlockSpec& b) { return b.norm.eps; })}};
}

nlohmann::json attention_position_json(const AttentionPosition& p) {
  nlohmann::json out{{"kind", kAttentionPositions[static_cast<int>(p.kind)]}};
  if (!p.rotates()) return out;
  out["theta"] = p.rope.theta;
  out["scaling"] = kRopes[static_cast<int>(p.rope.kind)];
  if (p.rope.kind != RopeSpec::Kind::standard) out["factor"] = p.rope.factor;
  return out;
}

// The table, or what attention does; "blocks" lists what each does where they differ, or where there are
// both.
nlohmann::json position_json(const ModelConfig& config) {
  const auto shared = common(config, &BlockSpec::attention, &AttentionSpec::position);
  const bool table = config.position.kind != PositionSpec::Kind::none;
  if (shared && !table) return attention_position_json(*shared);
  nlohmann::json out{{"kind", kPositions[static_cast<int>(config.position.kind)]}};
  if (shared && shared->kind == AttentionPosition::Kind::none) return out;
  for (const BlockSpec& block : config.blocks)
    out["blocks"].push_back(attention_position_json(block.attention.position));
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
  nlohmann::json parts = nlohmann::json::object(), rows = nlohmann::json::array();
  std::int64_t total = 0;
  for (const auto& [part, count] : parameters_by_part(config, opened.model->weights())) {
    parts[part] = count;
    rows.push_back({{"part", part}, {"parameters", count}});
    total += count;
  }
  nlohmann::json out{{"title", opened.title},
                     {"path", opened.path},
                     {"architecture", opened.family},
                     {"layers", config.n_layers()},
                     {"d_model", config.d_model},
                     {"d_in", config.d_in},
                     {"vocab_size", config.vocab_size},
                     {"context_length", config.position.max_positions},
                     {"attention", attention_json(config)},
                     {"mlp", mlp_json(config)},
                     {"norm", norm_json(config)},
                     {"positions", position_json(config)},
                     {"head", {{"present", config.head.present}, {"tied", config.head.tied}}},
                     {"bos", config.bos},
                     {"eos", config.eos},
                     {"parameters", {{"total", total}, {"by_part", parts}}},
                     {"rows", std::move(rows)},
                     {"dtype", opened.dtype},
                     {"bytes", opened.file_bytes},
                     {"formats", formats_json(opened)},
                     {"stays_in_file", opened.stays_in_file},
                     {"tokenizer", opened.tokenizer ? nlohmann::json(opened.tokenizer->vocab_size())
                                                    : nlohmann::json(nullptr)},
                     {"fingerprint", model_fingerprint(opened)},
                     {"warnings", in_words(opened.warnings)},
                     {"unused", opened.unused},
                     {"notes", in_words(opened.notes)}};
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
    TRY(const RunModel opened, open_to_run(*model));
    nlohmann::json info = to_json(opened);
    info["run"] = run_json(opened, *model);
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
