// The mask of a document as a person edits it: what it is now, presets, whole rows and columns, and what it
// comes to (how many pairs are masked, which tokens see nothing). Edits change the document's switched cells
// only; the model's own closed form stays. Refuses presets for inputs longer than kMostMaskTokens: they would
// switch every cell by hand. Every mask of a model can be edited: the main stack's, and those of an encoder,
// a vision tower and cross-attention.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/session/document.h"

namespace attnscope {

inline constexpr std::int64_t kMostMaskTokens = 512;    ///< cells are edited one by one up to here
inline constexpr std::int64_t kMostPresetTokens = 256;  ///< whole presets up to here

/// The mask of one block for one sequence, padding and the document's mask text included, with the cells that
/// were switched by hand.
Mask mask_of(const Document& document, const MaskPlace& place);
/// The same without the switched cells.
Mask own_mask_of(const Document& document, const MaskPlace& place);
/// That of block `layer` of the main stack.
inline Mask mask_of(const Document& document, int layer, int sequence = 0) {
  return mask_of(document, MaskPlace{MaskOf::main, layer, sequence});
}
/// The mask as it is drawn: 1 = allowed, -inf = hidden -> [query, key].
Tensor mask_plane(const Mask& mask, Range rows, Range cols);

/// Rows and columns of a mask; one number where queries and keys are the same tokens.
struct MaskSize {
  std::int64_t queries = 0, keys = 0;
  MaskSize(std::int64_t tokens) : queries(tokens), keys(tokens) {}
  MaskSize(std::int64_t rows, std::int64_t cols) : queries(rows), keys(cols) {}
  std::int64_t longer() const { return std::max(queries, keys); }
};

enum class MaskPreset : std::uint8_t { own, causal, full, window };
/// Sets every cell of the first positions; padding stays hidden. `window`: keys seen by each query, itself
/// included. Errors: more than kMostPresetTokens tokens (but for `own`), a window smaller than 1.
Status set_mask_preset(Document& document, MaskPreset preset, MaskSize size, std::int64_t window = 0,
                       const MaskPlace& place = {});
/// True where the mask of that block among the first positions is what the preset would make of it.
bool is_mask_preset(const Document& document, MaskPreset preset, MaskSize size, std::int64_t window = 0,
                    const MaskPlace& place = {});
/// Masks all cells of one query (a row) or one key (a column); where they all are masked already, gives them
/// back to the model's own mask. Errors: a position outside of `size`, more than kMostMaskTokens tokens.
Status toggle_mask_row(Document& document, std::int64_t query, MaskSize size, const MaskPlace& place = {});
Status toggle_mask_column(Document& document, std::int64_t key, MaskSize size, const MaskPlace& place = {});
/// Gives one cell, or all that were switched in any mask, back to the model.
void take_back_mask_cell(Document& document, MaskOf of, std::int64_t query, std::int64_t key);
void take_back_mask_cells(Document& document);
/// Cells that were switched by hand in all masks.
std::size_t count_switched_cells(const Document& document);

struct MaskSummary {
  std::int64_t pairs = 0, masked = 0;
  std::int64_t switched = 0;        ///< cells that differ from the model's own mask
  std::vector<std::int64_t> blind;  ///< queries that see nothing
};
/// Counts over all pairs: in time O(queries + switched cells) for closed forms, else pair by pair.
MaskSummary mask_summary(const Mask& mask, std::int64_t queries, std::int64_t keys);

}  // namespace attnscope
