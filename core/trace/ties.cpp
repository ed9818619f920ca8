#include "core/trace/ties.h"

#include <algorithm>

namespace attnscope {
namespace {

constexpr const char* kEncoderTable = "enc.tok_embed.weight";

std::string table_of(const ModelConfig& config) {
  return std::string(stack_prefix(config.stack)) + "tok_embed.weight";
}
std::string head_of(const ModelConfig& config) {
  return std::string(stack_prefix(config.stack)) + "logits.weight";
}
bool ties_head(const ModelConfig& config) { return config.head.present && config.head.tied; }
bool shares_table(const ModelConfig& config) { return config.of(Stack::enc).shares_embedding; }

}  // namespace

WeightCell kept_weight(const ModelConfig& config, const std::string& name, std::vector<std::int64_t> index) {
  if (!is_tied(config, name)) return {name, std::move(index)};
  if (name != kEncoderTable) std::reverse(index.begin(), index.end());
  return {table_of(config), std::move(index)};
}

bool is_tied(const ModelConfig& config, const std::string& name) {
  if (name == kEncoderTable) return shares_table(config);
  return ties_head(config) && name == head_of(config);
}

std::vector<WeightCell> same_weights(const ModelConfig& config, const std::string& name,
                                     std::vector<std::int64_t> index) {
  std::vector<WeightCell> out{kept_weight(config, name, std::move(index))};
  if (out.front().name != table_of(config)) return out;
  const std::vector<std::int64_t> kept = out.front().index;
  if (shares_table(config)) out.push_back({kEncoderTable, kept});
  if (ties_head(config)) out.push_back({head_of(config), {kept.rbegin(), kept.rend()}});
  return out;
}

void tie_tables(const ModelConfig& config, Weights& weights) {
  const Tensor table = weights.get(table_of(config));  // [vocab, d_model]
  if (table.empty()) return;
  if (shares_table(config)) weights.set(kEncoderTable, table);
  if (ties_head(config)) weights.set(head_of(config), table.transpose().rename({Axis::in, Axis::vocab}));
}

}  // namespace attnscope
