#include "core/lens/patches.h"

#include "core/lens/head_stats.h"

namespace attnscope {

PatchRows patch_rows(const Trace& trace, Stack stack) {
  PatchRows out;
  const ModelConfig& config = trace.config();
  const PatchSpec& own = config.of(stack).patch;
  const bool words = own.size == 0 && stack == config.stack && config.vision() != nullptr;
  const PatchSpec& patch = words ? config.vision()->patch : own;
  if (patch.size == 0) return out;
  out.rows = patch.rows, out.cols = patch.cols;
  const std::int64_t rows = trace.rows(stack), most = std::int64_t{patch.rows} * patch.cols;
  for (std::int64_t row = 0; row < rows; ++row) {
    const bool seen = words ? trace.ids[static_cast<std::size_t>(row)] == config.image_token
                            : row >= (patch.class_token ? 1 : 0);
    const auto next = static_cast<std::int64_t>(out.row_of.size());
    const bool patch_here = seen && next < most;
    out.patch_of.push_back(patch_here ? next : -1);
    if (patch_here) out.row_of.push_back(row);
  }
  return out;
}

Tensor weights_on_patches(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query,
                          const PatchRows& keys) {
  if (keys.empty() || !check_pattern_row(trace, pattern, head, query)) return {};
  const std::int64_t count = trace.find(pattern)->shape[2];
  const Tensor row = trace.slice(pattern, head, {query, query + 1}, {0, count});  // [1, key]
  Buffer out({{Axis::none, keys.rows}, {Axis::none, keys.cols}});
  for (std::int64_t patch = 0; patch < std::int64_t{keys.rows} * keys.cols; ++patch) {
    const bool there = patch < static_cast<std::int64_t>(keys.row_of.size());
    const std::int64_t key = there ? keys.row_of[static_cast<std::size_t>(patch)] : count;
    out.data()[patch] = key < count ? row.at(0, key) : 0.f;
  }
  return std::move(out).freeze();
}

float weight_on_image(const Tensor& weights) {
  float sum = 0;
  if (!weights.empty())
    for (const float weight : weights.values()) sum += weight;
  return sum;
}

}  // namespace attnscope
