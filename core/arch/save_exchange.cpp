#include "core/arch/save_exchange.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/arch/scene_config.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

struct ConfigWord {
  const char* key;
  Json value;
};

// What families call the parts that can be exchanged.
std::vector<ConfigWord> words_for(const ModelConfig& now) {
  std::vector<ConfigWord> out;
  if (const auto kind = common(now, &BlockSpec::mlp, &MlpSpec::activation)) {
    const std::string name = activation_key(*kind);
    for (const char* key : {"activation_function", "hidden_act", "hidden_activation", "dense_act_fn"})
      out.push_back({key, name});
  }
  if (common(now, &BlockSpec::attention, &AttentionSpec::scale) == 1.f) {
    out.push_back({"scale_attn_weights", false});
    out.push_back({"scale_attn_by_inverse_layer_idx", false});
    out.push_back({"query_pre_attn_scalar", 1});
  }
  if (const auto order = common(now, &BlockSpec::order)) {
    out.push_back({"use_parallel_residual", *order == NormOrder::parallel});
    out.push_back({"normalize_before", *order == NormOrder::pre});
  }
  return out;
}

// How many fields of the config are read otherwise; nothing where it cannot be read.
std::optional<std::size_t> off_by(const Json& said, const Family& family, const TensorSource& tensors,
                                  const Json& wanted) {
  const auto read = family.read_config(said, tensors);
  if (!read) return std::nullopt;
  return Json::diff(config_to_json(*read), wanted).size();
}

// A few tokens of every stack.
Input probe_of(const ModelConfig& config) {
  Input out;
  const auto some = [](int vocabulary) {
    std::vector<int> ids;
    for (int i = 0; i < 5; ++i) ids.push_back((7 * i + 1) % std::max(1, vocabulary));
    return ids;
  };
  out.ids = some(config.vocab_size);
  if (config.encoder()) out.source = some(config.encoder()->vocab_size);
  return out;
}

}  // namespace

std::optional<Json> config_saying(const Json& source, const Family& family, const TensorSource& tensors,
                                  const ModelConfig& now) {
  const Json wanted = config_to_json(now);
  Json out = source;
  auto off = off_by(out, family, tensors, wanted);
  for (const ConfigWord& word : words_for(now)) {
    if (!off || *off == 0) break;
    Json with = out;
    with[word.key] = word.value;
    const auto less = off_by(with, family, tensors, wanted);
    if (less && *less < *off) out = std::move(with), off = less;
  }
  if (!off || *off != 0) return std::nullopt;
  return std::make_optional<Json>(std::move(out));
}

Result<bool> is_saved(const std::string& folder, const OpenedModel& opened, const Edits& edits,
                      const ModelConfig& now) {
  TRY(const OpenedModel saved, open_model(folder));
  if (config_to_json(saved.model->config()) != config_to_json(now)) return false;
  if (now.sees() || now.vocab_size == 0) return false;
  RunOptions options;
  options.edits = edits;
  const Input probe = probe_of(now);
  TRY(const auto asked, opened.model->run(probe, options));
  TRY(const auto read, saved.model->run(probe));
  const Site logits = asked->main(StepRole::logits);
  if (!asked->find(logits) || !read->find(logits)) return false;
  TRY(const Tensor a, asked->tensor(logits));
  TRY(const Tensor b, read->tensor(logits));
  return a.values() == b.values();
}

}  // namespace attnscope
