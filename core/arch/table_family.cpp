#include "core/arch/table_family.h"

#include <nlohmann/json.hpp>

namespace attnscope {
namespace {

int size_of(ConfigReader& config, const ConfigField<int>& field, int most = 1 << 24) {
  return config.size(field.keys, field.fallback, most);
}

void read_table_positions(const FamilyTable& table, ConfigReader& config, BlockSpec& block,
                          ModelConfig& out) {
  AttentionPosition& own = block.attention.position;
  own.kind = table.attention;
  if (own.rotates()) own.rope = read_rope(config, block.attention.d_head, table.rotary_share);
  out.position.kind = table.table;
  if (table.positions.fallback == 0) return;
  const int known = size_of(config, table.positions);
  out.position.max_positions = own.rotates() ? longest(own.rope, known) : known;
}

BlockSpec read_table_block(const FamilyTable& table, ConfigReader& config, int heads, int d_model) {
  BlockSpec block;
  block.order =
      config.flag(table.parallel.keys, table.parallel.fallback) ? NormOrder::parallel : NormOrder::pre;
  block.norm = {NormSpec::Kind::layer, config.real(table.eps.keys, table.eps.fallback, kEpsilon), 0.f};
  block.mlp = {MlpSpec::Kind::plain, config.activation(table.activation.keys, table.activation.fallback),
               config.size(table.d_mlp.keys, table.d_mlp.fallback > 0 ? table.d_mlp.fallback : 4 * d_model)};
  set_equal_heads(block.attention, heads, d_model);
  return block;
}

Result<ModelConfig> read_table_config(const FamilyTable& table, const nlohmann::json& given,
                                      const TensorSource& source) {
  ConfigReader config(given, "config.json");
  ModelConfig out;
  out.d_model = out.d_in = size_of(config, table.d_model);
  out.vocab_size = size_of(config, table.vocab);
  out.bos = config.token({"bos_token_id"});
  out.eos = config.token({"eos_token_id"});
  if (table.has_pad) out.pad = config.token({"pad_token_id"});
  const int layers = size_of(config, table.layers, 4096), heads = size_of(config, table.heads);
  if (out.d_model % heads != 0) config.refuse(fail(Code::bad_shape, table.uneven_heads));
  for (const FamilyTable::Unsupported& one : table.unsupported)
    if (config.flag({one.flag}, false)) config.refuse(fail(Code::unsupported, one.error));
  BlockSpec block = read_table_block(table, config, heads, out.d_model);
  read_table_positions(table, config, block, out);
  out.final_norm = block.norm;
  if (table.embed_norm) out.embed_norm = block.norm;
  const bool own_head = source.find(std::string(table.head) + ".weight") != nullptr;
  out.head.tied = config.flag(table.tied.keys, table.tied.fallback) || (!table.headless && !own_head);
  out.head.present = out.head.tied || own_head;
  TRY_OK(config.status());
  out.blocks.assign(static_cast<std::size_t>(layers), block);
  if (table.finish) table.finish(config, out);
  TRY_OK(config.status());
  return out;
}

Result<Weights> read_table_weights(const FamilyTable& table, const ModelConfig& config,
                                   const TensorSource& source) {
  const WeightReader from(source, table.prefixes, table.anchor);
  Weights out;
  TRY_OK(read_named(out, config, from, table.tensors));
  if (config.head.present) TRY_OK(from.unembedding(out, config, table.head));
  return out;
}

}  // namespace

Family family_of_table(const FamilyTable& table) {
  return {table.name, table.model_types,
          [&table](const nlohmann::json& given, const TensorSource& source) {
            return read_table_config(table, given, source);
          },
          [&table](const ModelConfig& config, const TensorSource& source) {
            return read_table_weights(table, config, source);
          }};
}

}  // namespace attnscope
