#include "core/calc/parameters.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace attnscope {
namespace {

struct TensorLetters {
  const char *end, *in, *out;  // of the name; the rows and columns of the matrix
};
// The first whose end the name has; vectors take the last letter.
constexpr TensorLetters kTensorLetters[] = {{"tok_embed", "V", "d"},        {"pos_embed", "n", "d"},
                                            {"type_embed", "2", "d"},       {"class_embed", "1", "d"},
                                            {"register_embed", "r", "d"},   {"patch_embed", "c·p²", "d"},
                                            {"rel_bias", "b", "h"},         {"attn.q", "d", "h·d_k"},
                                            {"cross.q", "d", "h·d_k"},      {".k", "d", "g·d_k"},
                                            {".v", "d", "g·d_k"},           {"q_norm", "", "d_k"},
                                            {"k_norm", "", "d_k"},          {"attn.out", "h·d_k", "d"},
                                            {"cross.out", "h·d_k", "d"},    {"attn.sinks", "", "h"},
                                            {"q_down", "d", "r_q"},         {"q_down_norm", "", "r_q"},
                                            {"q_up", "r_q", "h·(d_n+d_r)"}, {"kv_down", "d", "r+d_r"},
                                            {"kv_down_norm", "", "r"},      {"kv_up", "r", "h·(d_n+d_v)"},
                                            {"mlp.router", "d", "E"},       {"mlp.shared.out", "f", "d"},
                                            {"mlp.shared.gate", "d", "f"},  {"mlp.shared.up", "d", "f"},
                                            {"mlp.out", "f", "d"},          {"mlp.gate", "d", "f"},
                                            {"mlp.up", "d", "f"},           {"mlp.pre", "d", "f"},
                                            {"layer_scale", "", "d"},       {"logits", "d", "V"},
                                            {"head.pre", "d", "d"},         {"vision.projected", "d_v", "d"},
                                            {"projected", "", ""}};

// "enc.blocks.*.attn.q.weight" -> its row; null for names without letters.
const TensorLetters* symbol_of(std::string name) {
  for (const char* end : {".weight", ".bias"})
    if (ends_with(name, end)) name.resize(name.size() - std::string_view(end).size());
  const TensorLetters* best = nullptr;
  for (const TensorLetters& row : kTensorLetters)
    if (ends_with(name, row.end) &&
        (!best || std::string_view(row.end).size() > std::string_view(best->end).size()))
      best = &row;
  return best;
}

std::string symbols_of(const ParameterRow& row, const std::vector<std::int64_t>& shape, bool per_block) {
  std::vector<std::string> out;
  if (per_block) out.emplace_back("L");
  const TensorLetters* letters = symbol_of(row.name);
  const bool vector = shape.size() == 1;
  const bool expert_bias = shape.size() == 2 && ends_with(row.name, ".bias");
  if (shape.size() == 3 || expert_bias) out.emplace_back("E");
  if (!letters || (*letters->out == 0)) {
    if (row.name.find("ln") != std::string::npos) return join({out.empty() ? "d" : "L · d"}, "");
    for (const std::int64_t size : shape) out.push_back(std::to_string(size));
  } else {
    if (!vector && !expert_bias) out.emplace_back(letters->in);
    out.emplace_back(letters->out);
  }
  return join(out, " · ");
}

std::string numbers_of(std::int64_t times, const std::vector<std::int64_t>& shape, bool per_block) {
  std::vector<std::string> out;
  if (per_block) out.push_back(std::to_string(times));
  for (const std::int64_t size : shape) out.push_back(std::to_string(size));
  return join(out, " · ");
}

Count values_of(const std::vector<std::int64_t>& shape) {
  Count out = 1;
  for (const std::int64_t size : shape) out = out * Count(size);
  return out;
}

// Of one expert's weight: what a token passes.
Count active_of(const ExpertSpec& experts, const WeightShape& weight) {
  const Count all = values_of(weight.shape);
  const bool one_of_many = experts.count > 0 && weight.shape.size() > 1 &&
                           weight.shape.front() == experts.count &&
                           (weight.shape.size() == 3 || ends_with(weight.name, ".bias"));
  return one_of_many ? all / experts.count * Count(experts.active) : all;
}

struct Group {
  ParameterRow row;
  std::vector<std::int64_t> shape;
  std::int64_t times = 0;
};

// The same weight of all blocks, and blocks of other sizes apart.
std::vector<Group> parameters_groups_of(const Described& described) {
  std::vector<Group> out;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::size_t> at;
  for (const WeightShape& weight : weights_of(described)) {
    const auto part = part_of_weight(described.config, weight.name);
    if (!part) continue;
    const auto [slot, fresh] = at.try_emplace({any_block(weight.name), weight.shape}, out.size());
    if (fresh) {
      out.emplace_back();
      out.back().shape = weight.shape;
      out.back().row.name = slot->first.first;
      out.back().row.part = *part;
    }
    Group& group = out[slot->second];
    ++group.times;
    group.row.count += values_of(weight.shape);
    group.row.active += active_of(described.experts, weight);
  }
  return out;
}

}  // namespace

Parameters parameters(const Described& described) {
  Parameters out;
  for (Group& group : parameters_groups_of(described)) {
    ParameterRow& row = group.row;
    const bool per_block = row.name.find("blocks.*") != std::string::npos;
    row.symbols = symbols_of(row, group.shape, per_block);
    row.numbers = numbers_of(group.times, group.shape, per_block);
    out.by_part[static_cast<std::size_t>(row.part)] += row.count;
    out.total += row.count;
    out.active += row.active;
    out.rows.push_back(std::move(row));
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const ParameterRow& a, const ParameterRow& b) { return a.part < b.part; });
  return out;
}

Count rule_of_thumb(const ModelConfig& config) {
  const Count square = Count(config.d_model) * Count(config.d_model);
  Count out = config.encoder() ? rule_of_thumb(*config.encoder()) : Count(0);
  for (const BlockSpec& block : config.blocks) out += Count(block.cross ? 16 : 12) * square;
  return out;
}

}  // namespace attnscope
