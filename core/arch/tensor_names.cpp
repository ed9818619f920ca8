#include "core/arch/tensor_names.h"

#include <algorithm>

#include "core/arch/described.h"
#include "core/arch/fused_heads.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::string_view kDotWeight = ".weight";

// "layers.*.mlp" and "blocks.3.mlp.out" -> "layers.3.mlp".
std::string numbered(std::string file, const std::string& ours) {
  const std::size_t star = file.find('*');
  if (star == std::string::npos) return file;
  const std::size_t begin = ours.find("blocks.") + 7;
  return file.replace(star, 1, ours.substr(begin, ours.find('.', begin) - begin));
}

bool is_rows(const std::string& ours) { return ends_with(ours, "_embed") && !ends_with(ours, "patch_embed"); }

// [in, 3 d] or [3 d, in] with all queries, then keys, then values: three column slices of one matrix, no
// copy.
Status read_sides(Weights& out, const WeightReader& from, const std::string& base, const std::string& name,
                  std::int64_t d, WeightReader::Layout stored) {
  TRY(const Tensor weight, from.matrix(name, d, 3 * d, stored));
  TRY(const Tensor bias, from.load(name + ".bias", {3 * d}));
  int part = 0;
  for (const char* which : {"q", "k", "v"}) {
    const std::int64_t begin = part++ * d;
    out.set(base + which + ".weight", weight.slice(1, begin, begin + d).rename({Axis::in, Axis::out}));
    out.set(base + which + ".bias", bias.slice(0, begin, begin + d).rename({Axis::out}));
  }
  return Done{};
}

// `ours`: "enc.blocks.3.attn.q".
Status read_fused(Weights& out, const ModelConfig& stack, const WeightReader& from, const TensorNames& names,
                  const std::string& ours, const std::string& file) {
  const std::string base = ours.substr(0, ours.size() - 1);
  if (names.fused == TensorNames::Fused::sides)
    return read_sides(out, from, base, file, stack.d_model, names.stored);
  return read_fused_heads(out, from, base, file, stack.block_of(ours)->attention, stack.d_model);
}

Status read_one(Weights& out, const WeightReader& from, const TensorNames& names, const std::string& ours,
                const std::string& file, const std::vector<std::int64_t>& shape) {
  if (shape.size() == 1) return from.norm(out, ours, file, shape[0]);
  if (is_rows(ours)) return from.table(out, ours + ".weight", file + ".weight", shape[0], shape[1]);
  return from.linear(out, ours, file, shape[0], shape[1], names.stored);
}

Status read_vector(Weights& out, const WeightReader& from, const std::string& ours, const std::string& file,
                   const std::vector<std::int64_t>& shape) {
  TRY(const Tensor values, from.load(file, shape));
  out.set(ours + ".weight", values.rename({Axis::head}));
  return Done{};
}

}  // namespace

const TensorRow* TensorNames::find(const std::string& ours) const {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const TensorRow& row) { return row.ours == ours; });
  return at != rows.end() ? &*at : nullptr;
}

TensorNames TensorNames::with(const std::vector<TensorRow>& exceptions) const {
  TensorNames out = *this;
  out.rows.insert(out.rows.begin(), exceptions.begin(), exceptions.end());  // the first one that fits
  return out;
}

Status read_named(Weights& out, const ModelConfig& stack, const WeightReader& from, const TensorNames& names,
                  const std::string& folder) {
  const std::string prefix(stack_prefix(stack.stack));
  for (const WeightShape& weight : expected_weights(stack)) {
    if (!starts_with(weight.name, prefix) || !ends_with(weight.name, kDotWeight)) continue;
    const std::string ours = weight.name.substr(0, weight.name.size() - kDotWeight.size());
    const std::string part = any_block(ours.substr(prefix.size()));
    if (const TensorRow* row = names.find(part)) {
      const std::string file = folder + numbered(row->file, ours);
      TRY_OK(row->bare ? read_vector(out, from, ours, file, weight.shape)
                       : read_one(out, from, names, ours, file, weight.shape));
    } else if (const TensorRow* fused =
                   part == "blocks.*.attn.q" ? names.find("blocks.*.attn.qkv") : nullptr) {
      TRY_OK(read_fused(out, stack, from, names, ours, folder + numbered(fused->file, ours)));
    }
  }
  return Done{};
}

}  // namespace attnscope
