#include "core/session/mask_edits.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/model/masks.h"
#include "core/ops/mask.h"

namespace attnscope {
namespace {

Status check_length(std::int64_t tokens, std::int64_t most) {
  if (tokens <= most) return Done{};
  return fail(Code::out_of_range,
              format("The input has %lld tokens; masks are edited for up to %lld.",
                     static_cast<long long>(tokens), static_cast<long long>(most)),
              "Use a shorter input.");
}

Mask mask_for(MaskPreset preset, std::int64_t window, const Mask& own) {
  Mask mask;
  switch (preset) {
    case MaskPreset::own: return own;
    case MaskPreset::causal: mask.causal = true; break;
    case MaskPreset::full: mask.causal = false; break;
    case MaskPreset::window:
      mask.causal = true;
      mask.window = window;
      break;
  }
  return mask;
}

// All switches that turn `own` into `wanted` on the first `tokens` positions, in order.
std::vector<Mask::Cell> cells_between(const Mask& own, const Mask& wanted, std::int64_t tokens) {
  std::vector<Mask::Cell> cells;
  for (std::int64_t query = 0; query < tokens; ++query) {
    for (std::int64_t key = 0; key < tokens; ++key) {
      const bool allowed = wanted.allowed(query, key);
      if (own.allowed(query, key) != allowed) cells.push_back({query, key, allowed});
    }
  }
  return cells;
}

// Rows or columns share everything but the order of the two positions.
Status toggle_line(Document& document, std::int64_t at, std::int64_t tokens, bool row) {
  TRY_OK(check_length(tokens, kMostMaskTokens));
  if (at < 0 || at >= tokens)
    return fail(Code::out_of_range, "There is no token at this position.", "Choose a token.");
  const Mask now = mask_of(document, 0), own = own_mask_of(document, 0);
  bool any = false;
  for (std::int64_t i = 0; i < tokens && !any; ++i) any = row ? now.allowed(at, i) : now.allowed(i, at);
  for (std::int64_t i = 0; i < tokens; ++i) {
    const std::int64_t query = row ? at : i, key = row ? i : at;
    set_mask_cell(document, query, key, !any && own.allowed(query, key));
  }
  return Done{};
}

}  // namespace

Mask own_mask_of(const Document& document, int layer, int sequence) {
  Mask mask;
  const auto& blocks = document.model->config().blocks;
  if (blocks.empty() || document.sequences.empty()) return mask;
  const int last = static_cast<int>(blocks.size()) - 1;
  const AttentionSpec& spec = blocks[static_cast<std::size_t>(std::clamp(layer, 0, last))].attention;
  const std::vector<Input> inputs = inputs_of(document);
  const Input& input =
      inputs[static_cast<std::size_t>(std::clamp(sequence, 0, static_cast<int>(inputs.size()) - 1))];
  const PatchSpec& patch = document.model->config().patch;
  const std::int64_t keys = patch.size > 0 ? patch.count() : input.length();
  if (auto whole = self_mask(spec, document.mask, input.spans, input.real, keys)) return *std::move(whole);
  mask.causal = spec.causal;
  mask.window = spec.window;
  return mask;
}

Mask mask_of(const Document& document, int layer, int sequence) {
  Mask mask = own_mask_of(document, layer, sequence);
  mask.cells = document.mask_cells;
  return mask;
}

Tensor mask_rectangle(const Mask& mask, Range rows, Range cols) {
  Buffer out({{Axis::query, rows.size()}, {Axis::key, cols.size()}});
  float* at = out.data();
  for (std::int64_t query = rows.begin; query < rows.end; ++query)
    for (std::int64_t key = cols.begin; key < cols.end; ++key) *at++ = mask.allowed(query, key) ? 1.f : 0.f;
  return std::move(out).freeze();
}

Status set_mask_preset(Document& document, MaskPreset preset, std::int64_t tokens, std::int64_t window) {
  if (preset == MaskPreset::own) {
    document.mask_cells.clear();
    return Done{};
  }
  TRY_OK(check_length(tokens, kMostPresetTokens));
  if (preset == MaskPreset::window && window < 1)
    return fail(Code::out_of_range, "A window holds at least one token.", "Type 1 or more.");
  const Mask own = own_mask_of(document, 0);
  document.mask_cells = cells_between(own, mask_for(preset, window, own), tokens);
  return Done{};
}

bool is_mask_preset(const Document& document, MaskPreset preset, std::int64_t tokens, std::int64_t window) {
  if (preset == MaskPreset::own) return document.mask_cells.empty();
  if (tokens > kMostPresetTokens) return false;
  const Mask now = mask_of(document, 0), wanted = mask_for(preset, window, own_mask_of(document, 0));
  for (std::int64_t query = 0; query < tokens; ++query)
    for (std::int64_t key = 0; key < tokens; ++key)
      if (now.allowed(query, key) != wanted.allowed(query, key)) return false;
  return true;
}

Status toggle_mask_row(Document& document, std::int64_t query, std::int64_t tokens) {
  return toggle_line(document, query, tokens, true);
}

Status toggle_mask_column(Document& document, std::int64_t key, std::int64_t tokens) {
  return toggle_line(document, key, tokens, false);
}

MaskSummary mask_summary(const Mask& mask, std::int64_t queries, std::int64_t keys) {
  MaskSummary out;
  out.pairs = queries * keys;
  Mask own = mask;
  own.cells.clear();
  const bool closed = !mask.rule && !mask.real;
  std::vector<std::int64_t> seen(static_cast<std::size_t>(queries));
  for (std::int64_t query = 0; query < queries; ++query) {
    const KeySpan span = closed_form_span(own, query, keys);
    std::int64_t& count = seen[static_cast<std::size_t>(query)];
    if (closed) count = std::max<std::int64_t>(0, span.end - span.begin);
    for (std::int64_t key = 0; key < keys && !closed; ++key) count += own.allowed(query, key) ? 1 : 0;
  }
  for (const Mask::Cell& cell : mask.cells) {
    if (cell.query < 0 || cell.query >= queries || cell.key < 0 || cell.key >= keys) continue;
    if (own.allowed(cell.query, cell.key) == cell.allowed) continue;
    ++out.switched;
    seen[static_cast<std::size_t>(cell.query)] += cell.allowed ? 1 : -1;
  }
  for (std::int64_t query = 0; query < queries; ++query) {
    out.masked += keys - seen[static_cast<std::size_t>(query)];
    if (seen[static_cast<std::size_t>(query)] == 0) out.blind.push_back(query);
  }
  return out;
}

}  // namespace attnscope
