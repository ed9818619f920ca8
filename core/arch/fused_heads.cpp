#include "core/arch/fused_heads.h"

namespace attnscope {
namespace {

// Rows of one of the three, out of [head, 3, d_head]: a copy, where the weights are in memory.
Tensor part_of(const Tensor& fused, int part, std::int64_t heads, std::int64_t d_head) {
  std::vector<std::int64_t> rows;
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t i = 0; i < d_head; ++i) rows.push_back((head * 3 + part) * d_head + i);
  const Tensor taken = fused.take_rows(rows);
  if (taken.rank() == 1) return taken.rename({Axis::out});
  return taken.rename({Axis::out, Axis::in}).transpose();  // [in, out]
}

}  // namespace

Status read_fused_heads(Weights& out, const WeightReader& from, const std::string& base,
                        const std::string& name, const AttentionSpec& spec, std::int64_t d) {
  TRY(const Tensor weight, from.load(name + ".weight", {3 * d, d}));
  Tensor bias;
  if (from.has(name + ".bias")) {
    TRY(bias, from.load(name + ".bias", {3 * d}));
  }
  int part = 0;
  for (const char* which : {"q", "k", "v"}) {
    out.set(base + which + ".weight", part_of(weight, part, spec.n_heads, spec.d_head));
    if (!bias.empty()) out.set(base + which + ".bias", part_of(bias, part, spec.n_heads, spec.d_head));
    ++part;
  }
  return Done{};
}

}  // namespace attnscope
