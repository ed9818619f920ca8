// The attention mask as an editable matrix: a click switches a cell, a drag paints, a click on a label masks
// a whole query or key; cells edited by hand have an outline. Shows the current document, even before it has
// run. Edits every mask of a model: of the main stack, an encoder, a vision tower and of cross-attention.
// Read-only for inputs longer than 512 tokens and for recordings.
#pragma once

#include <algorithm>

#include "app/look/kept_text.h"
#include "app/views/attention_common.h"
#include "core/session/mask_edits.h"
#include "core/trace/mask_notation.h"

namespace attnscope {

class MaskBoard {
 public:
  /// The current document, or that of the run if they do not match (another model is being
  /// opened).
  static const Document& shown_document(const ViewContext& context, const AttentionScene& scene);

  /// Which mask of the document this is.
  static MaskPlace mask_place(const AttentionScene& scene);
  /// String key of why the mask is read-only; null if it can be edited.
  static const char* why_fixed(const ViewContext& context, const AttentionScene& scene);
  static bool editable(const ViewContext& context, const AttentionScene& scene) {
    return why_fixed(context, scene) == nullptr;
  }
  /// The rule of the mask as text: "causal & window(4)".
  static std::string_view rule_text(const ViewContext& context, const AttentionScene& scene);

  /// Draws the matrix; `window` is shared with the planes beside it. Row and column of the event are tokens.
  /// `cell`: pixels of a cell between other matrices of the same rows, without their names, and without those
  /// of its columns where `columns` is false; 0: what fits.
  MatrixEvent draw(const ViewContext& context, const AttentionScene& scene, MatrixWindow& window,
                   std::int64_t lit_query, std::int64_t lit_key, ImVec2 position, ImVec2 size,
                   ImVec2 cell = {0, 0}, bool columns = true);
  const MaskSummary& summary() const { return summary_; }
  const Mask& mask() const { return mask_; }
  /// Notation of the cells.
  MaskNotation notation = MaskNotation::ones;

 private:
  void take_mask(const ViewContext& context, const AttentionScene& scene, Range rows, Range cols);
  void draw_signs(const MatrixPlot& plot, ImVec2 position, ImVec2 size) const;
  void draw_spans(const AttentionScene& scene, const MatrixPlot& plot, ImVec2 position, ImVec2 size) const;
  void add_marks(MatrixPlot& plot, const MatrixWindow& seen) const;
  void paint(const ViewContext& context, const AttentionScene& scene, const MatrixEvent& event);
  void draw_labels(const ViewContext& context, const AttentionScene& scene, const MatrixPlot& plot,
                   ImVec2 position, ImVec2 size);

  std::uint64_t key_ = 0;
  Mask mask_, own_;
  Kept<MatrixPlot> plot_;  ///< cached, with row and column names
  Tensor plane_;           ///< 1 = allowed, -inf = masked
  Range rows_, cols_;
  MaskSummary summary_;
  bool painting_ = false, paint_allows_ = false;
  std::int64_t last_query_ = 0, last_key_ = 0, painted_ = 0;
  int strokes_ = 0;
};

/// Visible ranges of a window of at most kMostMaskTokens per side; shrinks the window if it is larger.
void limit_window(MatrixWindow& window, std::int64_t rows, std::int64_t cols, Range& seen_rows,
                  Range& seen_cols);

}  // namespace attnscope
