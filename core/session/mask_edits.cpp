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
  return fail(Code::out_of_range, "error.session.mask_size", {tokens, most});
}

// The own masks of all blocks that use this mask, each kind once.
std::vector<Mask> own_masks(const Document& document, MaskPlace place) {
  std::vector<Mask> masks;
  std::vector<const AttentionSpec*> kinds;
  const ModelConfig& config = document.model->config();
  const ModelConfig* stack = place.of == AttentionKind::encoder  ? config.encoder()
                             : place.of == AttentionKind::vision ? config.vision()
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

// Rows or columns share everything but the order of the two positions.
Status toggle_line(Document& document, std::int64_t at, MaskSize size, const MaskPlace& place, bool row) {
  TRY_OK(check_length(size.longer(), kMostMaskTokens));
  if (at < 0 || at >= (row ? size.queries : size.keys))
    return fail(Code::out_of_range, "error.session.no_token");
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
  if (place.of != AttentionKind::main) {
    const MaskSpec asked = asked_mask(document, place.of);
    if (auto whole = other_mask(config, place.of, place.layer, asked, input, input.length()))
      return *std::move(whole);
    mask.causal = false;
    return mask;
  }
  const int last = config.n_layers() - 1;
  const AttentionSpec& spec =
      config.blocks[static_cast<std::size_t>(std::clamp(place.layer, 0, last))].attention;
  const std::int64_t keys = config.patch.size > 0 ? config.patch.count() : input.length();
  if (auto whole = self_mask(spec, asked_mask(document, place.of), input.spans, input.attention_mask, keys))
    return *std::move(whole);
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

std::vector<std::string> mask_presets(const Document& document, AttentionKind of, std::size_t sequence,
                                      std::int64_t window) {
  std::vector<std::string> presets{"model", "causal", "full",
                                   format("causal & window(%lld)", static_cast<long long>(window)),
                                   "causal | prefix(3)"};
  const bool named = of == AttentionKind::main && sequence < document.sequences.size() &&
                     !document.sequences[sequence].input.spans.empty();
  if (named) presets.push_back("causal | *>" + document.sequences[sequence].input.spans.front().name);
  return presets;
}

Status choose_mask(Document& document, const std::string& text, AttentionKind of) {
  TRY_OK(set_mask_text(document, text, of));
  set_switched_cells(document, of, {});
  return Done{};
}

bool is_chosen_mask(const Document& document, const std::string& text, AttentionKind of) {
  return asked_mask(document, of).text() == text && switched_cells(document, of).empty();
}

Status toggle_mask_row(Document& document, std::int64_t query, MaskSize size, const MaskPlace& place) {
  return toggle_line(document, query, size, place, true);
}

Status toggle_mask_column(Document& document, std::int64_t key, MaskSize size, const MaskPlace& place) {
  return toggle_line(document, key, size, place, false);
}

void take_back_mask_cell(Document& document, AttentionKind of, std::int64_t query, std::int64_t key) {
  std::vector<Mask::Cell> cells = switched_cells(document, of);
  std::erase_if(cells, [&](const Mask::Cell& cell) { return cell.query == query && cell.key == key; });
  set_switched_cells(document, of, std::move(cells));
}

bool all_own_masks(const Document& document) {
  return std::all_of(kAttentionKinds.begin(), kAttentionKinds.end(),
                     [&](AttentionKind of) { return is_chosen_mask(document, "model", of); });
}

Status take_back_masks(Document& document) {
  for (const AttentionKind of : kAttentionKinds)
    if (!is_chosen_mask(document, "model", of)) TRY_OK(choose_mask(document, "model", of));
  return Done{};
}

Result<std::shared_ptr<const Trace>> run_with_own_masks(const Document& document, int sequence,
                                                        const std::atomic<bool>* cancel) {
  Document own = document;
  TRY_OK(take_back_masks(own));
  const std::vector<Input> inputs = inputs_of(own);
  if (sequence < 0 || sequence >= static_cast<int>(inputs.size()))
    return fail(Code::out_of_range, "error.session.no_token");
  RunOptions options;
  options.edits = edits_for(own.edits, sequence);
  options.cancel = cancel;
  return own.model->run(inputs[static_cast<std::size_t>(sequence)], options);
}

Status name_three_parts(Document& document, std::size_t sequence) {
  const std::int64_t length =
      sequence < document.sequences.size() ? document.sequences[sequence].input.length() : 0;
  if (length < 3) return fail(Code::out_of_range, "error.session.no_token");
  const std::int64_t third = length / 3;
  return set_spans(document, sequence,
                   format("image=%lld,text=%lld,action=%lld", static_cast<long long>(third),
                          static_cast<long long>(third), static_cast<long long>(length - 2 * third)));
}

std::size_t count_switched_cells(const Document& document) {
  std::size_t count = 0;
  for (const AttentionKind of : kAttentionKinds) count += switched_cells(document, of).size();
  return count;
}

std::size_t count_number_edits(const Document& document) {
  return static_cast<std::size_t>(std::count_if(
      document.edits.begin(), document.edits.end(),
      [](const auto& edit) { return edit->number() && edit->number()->where.kind == Target::Kind::step; }));
}

MaskSummary mask_summary(const Mask& mask, std::int64_t queries, std::int64_t keys) {
  MaskSummary out;
  Mask own = mask;
  own.cells.clear();
  const bool closed = !mask.rule && !mask.attention_mask;
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
    out.pairs += keys;
    out.masked += keys - seen[static_cast<std::size_t>(query)];
    if (seen[static_cast<std::size_t>(query)] == 0) out.fully_masked.push_back(query);
  }
  return out;
}

}  // namespace attnscope
