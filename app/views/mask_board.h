// The mask as a matrix to edit: a click switches a cell, a drag paints, a click on a label masks a whole
// query or key; cells that were switched by hand wear an outline. Shows the document as it stands, also
// before it has run. Every mask of a model is edited here: the main stack's, an encoder's, a vision tower's
// and that of cross-attention. Refuses to edit inputs longer than 512 tokens and recordings.
#pragma once

#include <algorithm>

#include "app/look/kept_text.h"
#include "app/views/attention_common.h"
#include "core/session/mask_edits.h"
#include "core/trace/mask_notation.h"

namespace attnscope {

class MaskBoard {
 public:
  /// The document that is edited, or that of the run where the two do not fit together (another model is
  /// being opened).
  static const Document& shown_document(const ViewContext& context, const AttentionScene& scene);

  /// Which mask of the document that is.
  static MaskPlace mask_place(const AttentionScene& scene);
  /// Why the mask cannot be edited: the key of a sentence; null where it can.
  static const char* why_fixed(const ViewContext& context, const AttentionScene& scene);
  static bool editable(const ViewContext& context, const AttentionScene& scene) {
    return why_fixed(context, scene) == nullptr;
  }
  /// The rule that decides who may look at whom, as a mask is written: "causal & window(4)".
  static std::string_view rule_text(const ViewContext& context, const AttentionScene& scene);

  /// Draws the matrix; `window` is shared with the planes beside it. The event's row and column are tokens.
  MatrixEvent draw(const ViewContext& context, const AttentionScene& scene, MatrixWindow& window,
                   std::int64_t lit_query, std::int64_t lit_key, ImVec2 position, ImVec2 size);
  const MaskSummary& summary() const { return summary_; }
  const Mask& mask() const { return mask_; }
  /// How the cells are written.
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
  Kept<MatrixPlot> plot_;  ///< with the names of its rows and columns
  Tensor plane_;           ///< 1 = allowed, -inf = masked
  Range rows_, cols_;
  MaskSummary summary_;
  bool painting_ = false, paint_allows_ = false;
  std::int64_t last_query_ = 0, last_key_ = 0, painted_ = 0;
  int strokes_ = 0;
};

/// The tokens of a window of at most kMostMaskTokens a side; the window is moved where it sees more.
void limit_window(MatrixWindow& window, std::int64_t rows, std::int64_t cols, Range& seen_rows,
                  Range& seen_cols);

}  // namespace attnscope
