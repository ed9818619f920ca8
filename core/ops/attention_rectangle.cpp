// Any rectangle of the scores or the pattern of one head, computed anew from q, k, the mask and each row's
// log-sum-exp. Every cell is a chain of its own (kernels.h), so that every rectangle shows the same bits.
#include <algorithm>

#include "core/ops/bias.h"
#include "core/ops/heads.h"
#include "core/ops/kernels.h"
#include "core/ops/mask.h"
#include "core/ops/ops.h"
#include "core/ops/product.h"
#include "core/ops/tiles.h"

namespace attnscope {
namespace {

// One row of a rectangle at `stage`; `row` holds its raw scores.
void bring_to_stage(const AttentionInputs& in, const BiasLine& bias, ScoreStage stage, std::int64_t query_pos,
                    float lse, std::int64_t key_begin, std::int64_t key_end, float* row) {
  const Kernels& kernel = kernels();
  const std::int64_t count = key_end - key_begin;
  const bool mask_first = in.mask_before_scale && !(in.cap > 0) && bias.empty();
  const auto mask = [&](float value) { fill_masked(in.mask, query_pos, key_begin, key_end, value, row); };
  if (stage == ScoreStage::scores) return;
  if (stage == ScoreStage::masked && mask_first) return mask(kNobody);
  kernel.scale_row(row, in.scale, count);
  if (stage >= ScoreStage::capped && in.cap > 0) kernel.cap_row(row, in.cap, count);
  if (stage >= ScoreStage::biased && !bias.empty())
    kernel.add_row(row, bias.row(query_pos, key_begin), count);
  if (stage != ScoreStage::pattern) {
    if (stage == ScoreStage::masked || mask_first) mask(kNobody);
    return;
  }
  if (lse == kNobody) return std::fill(row, row + count, 0.f);
  kernel.exp_row(row, lse, count);
  mask(0.f);
}

}  // namespace

Tensor attention_rectangle(const AttentionInputs& in, const Tensor& lse, ScoreStage stage, std::int64_t head,
                           std::int64_t row_begin, std::int64_t row_end, std::int64_t key_begin,
                           std::int64_t key_end) {
  check_attention(in);
  CHECK(head >= 0 && head < in.q.size(0));
  CHECK(row_begin >= 0 && row_begin <= row_end && row_end <= in.q.size(1));
  CHECK(key_begin >= 0 && key_begin <= key_end && key_end <= in.k.size(1));
  const Tensor all_q = with_whole_head_rows(in.q), all_k = with_whole_head_rows(in.k);
  const Rows q = rows_of(all_q, head), k = rows_of(all_k, kv_head(in, head));
  const std::int64_t d_head = in.q.size(2), keys = key_end - key_begin, queries = row_end - row_begin;
  const BiasLine bias(in.bias, head, in.first_query + row_begin, in.first_query + row_end, key_end);
  Buffer out({{Axis::query, queries}, {Axis::key, keys}});  // [query, key]
  const Cut rows(queries, 64, 8), cols(keys, 384, 48);
  const auto one = [&](std::int64_t tile) {
    const std::int64_t row = rows.begin(tile % rows.count), end = rows.end(tile % rows.count);
    const std::int64_t col = cols.begin(tile / rows.count), key = key_begin + col;
    const std::int64_t count = cols.end(tile / rows.count) - col;
    float* const to = out.data() + row * keys + col;
    multiply_alone({q.row(row_begin + row), q.ld, 1, nullptr, to, keys, end - row, count, d_head},
                   Right(k.row(key), k.ld, true));
    for (std::int64_t i = row; i < end; ++i) {
      const std::int64_t query = row_begin + i;
      const float row_lse = stage == ScoreStage::pattern ? lse.at(head, query) : 0.f;
      bring_to_stage(in, bias, stage, in.first_query + query, row_lse, key, key + count,
                     to + (i - row) * keys);
    }
  };
  if (queries * keys * (d_head + 16) >= kWorthThreads)
    for_each_tile(rows.count * cols.count, one);
  else
    for (std::int64_t tile = 0; tile < rows.count * cols.count; ++tile) one(tile);
  return std::move(out).freeze();
}

}  // namespace attnscope
