#include "core/calc/sizes.h"

#include <algorithm>

#include "core/base/number.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostModelSize = 1 << 24, kMostModelLayers = 4096;

void resize_attention(AttentionSpec& a, const Sizes& sizes, const Sizes& before) {
  if (sizes.heads != before.heads) a.n_heads = static_cast<int>(sizes.heads);
  if (sizes.kv_heads != before.kv_heads) a.n_kv_heads = static_cast<int>(sizes.kv_heads);
  if (sizes.d_head != before.d_head) a.d_head = static_cast<int>(sizes.d_head);
}

void resize_stack(ModelConfig& stack, const Sizes& sizes, const Sizes& before) {
  if (stack.d_in == stack.d_model) stack.d_in = static_cast<int>(sizes.d_model);
  stack.d_model = static_cast<int>(sizes.d_model);
  if (stack.vocab_size > 0) stack.vocab_size = static_cast<int>(sizes.vocab);
  const auto layers = static_cast<std::size_t>(sizes.layers);
  if (sizes.layers != before.layers && !stack.blocks.empty()) {
    const BlockSpec last = stack.blocks.back();
    stack.blocks.resize(layers, last);
  }
  for (BlockSpec& block : stack.blocks) {
    resize_attention(block.attention, sizes, before);
    if (block.cross) resize_attention(*block.cross, sizes, before);
    if (block.mlp.kind != MlpSpec::Kind::none && sizes.d_ff != before.d_ff)
      block.mlp.d_mlp = static_cast<int>(sizes.d_ff);
  }
}

// What stands beside the stacks and is as wide as they are.
void resize_beside(Described& it, const Sizes& before) {
  const std::int64_t d = it.config.d_model;
  std::vector<WeightShape> kept;
  for (WeightShape& weight : it.beside) {
    if (weight.name == "pooler.weight" || weight.name == "pooler.bias")
      std::fill(weight.shape.begin(), weight.shape.end(), d);
    if (starts_with(weight.name, "projected"))
      for (std::int64_t& size : weight.shape)
        if (size == before.d_model) size = d;
    kept.push_back(std::move(weight));
  }
  it.beside = std::move(kept);
}

Status sizes_check(const char* name, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return Done{};
  return fail(Code::out_of_range, "error.calc.size", {name, value, most});
}

}  // namespace

Sizes sizes_of(const Described& it) {
  const BlockSpec& last = it.config.blocks.back();
  const AttentionSpec& a = last.attention;
  return {it.config.d_model,
          it.config.n_layers(),
          a.n_heads,
          a.n_kv_heads,
          a.d_head,
          last.mlp.kind == MlpSpec::Kind::none ? 0 : last.mlp.d_mlp,
          it.config.vocab_size};
}

const std::vector<std::string>& size_names() {
  static const std::vector<std::string> names{"d_model", "layers", "heads", "kv_heads",
                                              "d_head",  "d_ff",   "vocab"};
  return names;
}

std::int64_t* size_named(Sizes& sizes, const std::string& name) {
  std::int64_t* const fields[] = {&sizes.d_model, &sizes.layers, &sizes.heads, &sizes.kv_heads,
                                  &sizes.d_head,  &sizes.d_ff,   &sizes.vocab};
  for (std::size_t i = 0; i < size_names().size(); ++i)
    if (size_names()[i] == name) return fields[i];
  return nullptr;
}

void set_size(Sizes& sizes, const std::string& name, std::int64_t value) {
  std::int64_t* const field = size_named(sizes, name);
  if (!field) return;
  // Rounded down: widths on the way, dragged past or half typed, need not divide.
  const auto share = [&] {
    return std::max<std::int64_t>(1, sizes.d_model / std::max<std::int64_t>(1, sizes.heads));
  };
  const bool shared = sizes.d_head == share(), grouped = sizes.kv_heads != sizes.heads;
  *field = value;
  if (name == "heads" && !grouped) sizes.kv_heads = value;
  if (shared && (name == "heads" || name == "d_model")) sizes.d_head = share();
}

Status set_size(Sizes& sizes, const std::string& assignment) {
  const std::size_t at = assignment.find('=');
  const std::string name = assignment.substr(0, at);
  if (at == std::string::npos || !size_named(sizes, name))
    return fail(Code::bad_format, "error.calc.no_size", {in_quotes(assignment), join(size_names(), ", ")});
  TRY(const std::uint64_t value, parse_whole(assignment.substr(at + 1), 1, kMostModelSize));
  set_size(sizes, name, static_cast<std::int64_t>(value));
  return Done{};
}

Result<Described> resized(const Described& described, const Sizes& sizes) {
  const Sizes before = sizes_of(described);
  if (sizes == before) return described;
  TRY_OK(sizes_check("d_model", sizes.d_model, kMostModelSize));
  TRY_OK(sizes_check("layers", sizes.layers, kMostModelLayers));
  TRY_OK(sizes_check("heads", sizes.heads, kMostModelSize));
  TRY_OK(sizes_check("kv_heads", sizes.kv_heads, kMostModelSize));
  TRY_OK(sizes_check("d_head", sizes.d_head, kMostModelSize));
  if (before.d_ff > 0) TRY_OK(sizes_check("d_ff", sizes.d_ff, kMostModelSize));
  if (before.vocab > 0) TRY_OK(sizes_check("vocab", sizes.vocab, kMostModelSize));
  Described out = described;
  resize_stack(out.config, sizes, before);
  for (const BlockSpec& block : out.config.blocks)
    if (const AttentionSpec& a = block.attention; a.n_heads % a.n_kv_heads != 0)
      return fail(Code::bad_shape, "error.calc.kv_heads", {a.n_heads, a.n_kv_heads});
  for (ModelConfig& tower : out.config.encoders)
    if (tower.stack == Stack::vision) {
      if (tower.projected > 0) tower.projected = out.config.d_model;
    } else {
      resize_stack(tower, sizes, before);
    }
  resize_beside(out, before);
  return out;
}

}  // namespace attnscope
