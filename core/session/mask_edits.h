// The mask of a document as edited by hand: its cells, presets, whole rows and columns, and its
// statistics (how many pairs are masked, which queries are fully masked). A mask is a text with switched
// cells on top: presets set the text, rows and columns switch cells. Limit: cells can be switched
// in inputs of up to kMostMaskTokens tokens. Every mask of a model can be edited: the main stack's, and
// those of an encoder, a vision encoder and cross-attention.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/session/document.h"

namespace attnscope {

inline constexpr std::int64_t kMostMaskTokens = 512;  ///< cells are edited one by one up to here

/// The mask of one block for one sequence, padding and the document's mask text included, with the cells that
/// were switched by hand.
Mask mask_of(const Document& document, const MaskPlace& place);
/// The same without the switched cells.
Mask own_mask_of(const Document& document, const MaskPlace& place);
/// That of block `layer` of the main stack.
inline Mask mask_of(const Document& document, int layer, int sequence = 0) {
  return mask_of(document, MaskPlace{AttentionKind::main, layer, sequence});
}
/// The mask as it is drawn: 1 = allowed, -inf = masked -> [query, key]. Rows of padding are as the run
/// computes them.
Tensor mask_plane(const Mask& mask, Range rows, Range cols);

/// The texts of the mask presets, "model" first; `window`: size of the sliding window; uses the first
/// named part of the input, where it has one.
std::vector<std::string> mask_presets(const Document& document, AttentionKind of, std::size_t sequence,
                                      std::int64_t window);
/// Sets the mask's text and removes all its switched cells. Errors: as
/// set_mask_text.
Status choose_mask(Document& document, const std::string& text, AttentionKind of);
/// True where the mask has this text and no switched cell.
bool is_chosen_mask(const Document& document, const std::string& text, AttentionKind of);

/// Rows and columns of a mask; equal where queries and keys are the same tokens.
struct MaskSize {
  std::int64_t queries = 0, keys = 0;
  MaskSize(std::int64_t tokens) : queries(tokens), keys(tokens) {}
  MaskSize(std::int64_t rows, std::int64_t cols) : queries(rows), keys(cols) {}
  std::int64_t longer() const { return std::max(queries, keys); }
};

/// Masks all cells of one query (a row) or one key (a column); where they all are masked already, resets them
/// to the model's own mask. Errors: a position outside of `size`, more than kMostMaskTokens tokens.
Status toggle_mask_row(Document& document, std::int64_t query, MaskSize size, const MaskPlace& place = {});
Status toggle_mask_column(Document& document, std::int64_t key, MaskSize size, const MaskPlace& place = {});
/// Resets one cell to the mask's text.
void take_back_mask_cell(Document& document, AttentionKind of, std::int64_t query, std::int64_t key);
/// True where every mask is the model's own / makes it so.
bool all_own_masks(const Document& document);
Status take_back_masks(Document& document);
/// The run of one sequence of the document with the model's own masks. Errors: as Model::run.
Result<std::shared_ptr<const Trace>> run_with_own_masks(const Document& document, int sequence,
                                                        const std::atomic<bool>* cancel = nullptr);
/// Names the first tokens of a sequence image, those in the middle text and the last action, in equal parts:
/// for inputs that have no parts. Errors: fewer than three tokens.
Status name_three_parts(Document& document, std::size_t sequence);
/// Edits of numbers of steps.
std::size_t count_number_edits(const Document& document);
/// Cells that were switched by hand in all masks.
std::size_t count_switched_cells(const Document& document);

struct MaskSummary {
  std::int64_t pairs = 0, masked = 0;
  std::int64_t switched = 0;               ///< cells that differ from the model's own mask
  std::vector<std::int64_t> fully_masked;  ///< queries without a visible key
};
/// Counts over all pairs, those of padding too: in time O(queries + switched cells) for closed forms, else
/// pair by pair.
MaskSummary mask_summary(const Mask& mask, std::int64_t queries, std::int64_t keys);

}  // namespace attnscope
