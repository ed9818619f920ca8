#include "core/session/mask_edits.h"

#include <algorithm>
#include <limits>

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
  mask.real = own.real;
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

// The own masks of all blocks that read this mask, each kind once.
std::vector<Mask> own_masks(const Document& document, MaskPlace place) {
  std::vector<Mask> masks;
  std::vector<const AttentionSpec*> kinds;
  const ModelConfig& config = document.model->config();
  const ModelConfig* stack = place.of == MaskOf::encoder  ? config.encoder()
                             : place.of == MaskOf::vision ? config.vision()
                                                          : &config;
  for (int layer = 0; stack && layer < stack->n_layers(); ++layer) {
    const AttentionSpec& spec = stack->blocks[static_cast<std::size_t>(layer)].attention;
    const bool known = std::any_of(kinds.begin(), kinds.end(), [&](const AttentionSpec* other) {
      return other->causal == spec.causal && other->window == spec.window && other->mask == spec.mask;
    });
    if (known) continue;
    kinds.push_back(&spec);
    place.layer = layer;
    masks.push_back(own_mask_of(document, place));
  }
  return masks;
}

// All switches that turn every one of `own` into `wanted`, in order.
std::vector<Mask::Cell> cells_between(const std::vector<Mask>& own, const Mask& wanted, MaskSize size) {
  std::vector<Mask::Cell> cells;
  for (std::int64_t query = 0; query < size.queries; ++query) {
    for (std::int64_t key = 0; key < size.keys; ++key) {
      const bool allowed = wanted.allowed(query, key);
      const bool other = std::any_of(own.begin(), own.end(),
                                     [&](const Mask& mask) { return mask.allowed(query, key) != allowed; });
      if (other) cells.push_back({query, key, allowed});
    }
  }
  return cells;
}

// Rows or columns share everything but the order of the two positions.
Status toggle_line(Document& document, std::int64_t at, MaskSize size, const MaskPlace& place, bool row) {
  TRY_OK(check_length(size.longer(), kMostMaskTokens));
  if (at < 0 || at >= (row ? size.queries : size.keys))
    return fail(Code::out_of_range, "There is no token at this position.", "Choose a token.");
  const Mask now = mask_of(document, place);
  const std::vector<Mask> own = own_masks(document, place);
  const std::int64_t across = row ? size.keys : size.queries;
  bool any = false;
  for (std::int64_t i = 0; i < across && !any; ++i) any = row ? now.allowed(at, i) : now.allowed(i, at);
  std::vector<Mask::Cell> cells = switched_cells(document, place.of);
  std::erase_if(cells, [&](const Mask::Cell& cell) {
    return (row ? cell.query : cell.key) == at && (row ? cell.key : cell.query) < across;
  });
  for (std::int64_t i = 0; i < across && any; ++i) {
    const std::int64_t query = row ? at : i, key = row ? i : at;
    const bool seen =
        std::any_of(own.begin(), own.end(), [&](const Mask& mask) { return mask.allowed(query, key); });
    if (seen) cells.push_back({query, key, false});
  }
  set_switched_cells(document, place.of, std::move(cells));
  return Done{};
}

}  // namespace

Mask own_mask_of(const Document& document, const MaskPlace& place) {
  Mask mask;
  const ModelConfig& config = document.model->config();
  if (config.blocks.empty() || document.sequences.empty()) return mask;
  const std::vector<Input> inputs = inputs_of(document);
  const Input& input =
      inputs[static_cast<std::size_t>(std::clamp(place.sequence, 0, static_cast<int>(inputs.size()) - 1))];
  if (place.of != MaskOf::main) {
    const MaskSpec& asked = asked_mask(document.side_masks, place.of);
    if (auto whole = side_mask(config, place.of, place.layer, asked, input, input.length()))
      return *std::move(whole);
    mask.causal = false;
    return mask;
  }
  const int last = config.n_layers() - 1;
  const AttentionSpec& spec =
      config.blocks[static_cast<std::size_t>(std::clamp(place.layer, 0, last))].attention;
  const std::int64_t keys = config.patch.size > 0 ? config.patch.count() : input.length();
  if (auto whole = self_mask(spec, document.mask, input.spans, input.real, keys)) return *std::move(whole);
  mask.causal = spec.causal;
  mask.window = spec.window;
  return mask;
}

Mask mask_of(const Document& document, const MaskPlace& place) {
  Mask mask = own_mask_of(document, place);
  mask.cells = switched_cells(document, place.of);
  return mask;
}

Tensor mask_plane(const Mask& mask, Range rows, Range cols) {
  Buffer out({{Axis::query, rows.size()}, {Axis::key, cols.size()}});
  float* at = out.data();
  for (std::int64_t query = rows.begin; query < rows.end; ++query)
    for (std::int64_t key = cols.begin; key < cols.end; ++key)
      *at++ = mask.allowed(query, key) ? 1.f : -std::numeric_limits<float>::infinity();
  return std::move(out).freeze();
}

Status set_mask_preset(Document& document, MaskPreset preset, MaskSize size, std::int64_t window,
                       const MaskPlace& place) {
  if (preset == MaskPreset::own) {
    set_switched_cells(document, place.of, {});
    return Done{};
  }
  TRY_OK(check_length(size.longer(), kMostPresetTokens));
  if (preset == MaskPreset::window && window < 1)
    return fail(Code::out_of_range, "A window holds at least one token.", "Type 1 or more.");
  const Mask wanted = mask_for(preset, window, own_mask_of(document, place));
  set_switched_cells(document, place.of, cells_between(own_masks(document, place), wanted, size));
  return Done{};
}

bool is_mask_preset(const Document& document, MaskPreset preset, MaskSize size, std::int64_t window,
                    const MaskPlace& place) {
  if (preset == MaskPreset::own) return switched_cells(document, place.of).empty();
  if (size.longer() > kMostPresetTokens) return false;
  const Mask now = mask_of(document, place), wanted = mask_for(preset, window, own_mask_of(document, place));
  for (std::int64_t query = 0; query < size.queries; ++query)
    for (std::int64_t key = 0; key < size.keys; ++key)
      if (now.allowed(query, key) != wanted.allowed(query, key)) return false;
  return true;
}

Status toggle_mask_row(Document& document, std::int64_t query, MaskSize size, const MaskPlace& place) {
  return toggle_line(document, query, size, place, true);
}

Status toggle_mask_column(Document& document, std::int64_t key, MaskSize size, const MaskPlace& place) {
  return toggle_line(document, key, size, place, false);
}

void take_back_mask_cell(Document& document, MaskOf of, std::int64_t query, std::int64_t key) {
  std::vector<Mask::Cell> cells = switched_cells(document, of);
  std::erase_if(cells, [&](const Mask::Cell& cell) { return cell.query == query && cell.key == key; });
  set_switched_cells(document, of, std::move(cells));
}

void take_back_mask_cells(Document& document) {
  for (const MaskOf of : kAllMasks) set_switched_cells(document, of, {});
}

std::size_t count_switched_cells(const Document& document) {
  std::size_t count = 0;
  for (const MaskOf of : kAllMasks) count += switched_cells(document, of).size();
  return count;
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
