// Who sees whom, as a text: presets, the text itself with what is wrong in it, the named parts it may speak
// of, and a picture of the mask that follows. A model with an encoder or a vision tower has several masks:
// chips choose which is written. Refuses to draw cells that can be switched: the Mask view does.
#pragma once

#include <optional>
#include <string>

#include "app/look/kept_text.h"
#include "app/state/panel.h"

namespace attnscope {

class MaskBox {
 public:
  /// Room that draw() takes on a line.
  float width(const PanelContext& context) const;
  /// The button and its window, on the current line.
  void draw(const PanelContext& context);

 private:
  void follow(const PanelContext& context);
  void draw_choice(const PanelContext& context);
  void draw_popup(const PanelContext& context);
  void draw_presets(const PanelContext& context);
  void draw_text(const PanelContext& context);
  void draw_spans(const PanelContext& context);
  void draw_preview(const PanelContext& context);
  void try_mask(Session& session, const std::string& text);
  void try_spans(const PanelContext& context, const std::string& text);

  const std::string& label(const PanelContext& context) const;
  bool own_masks(const PanelContext& context) const;

  AttentionKind of_ = AttentionKind::main;  ///< the mask that is written
  std::string text_, spans_;                ///< in the fields
  bool all_ = false;                        ///< the parts are those of every sequence
  bool typing_text_ = false, typing_spans_ = false;
  std::optional<Error> text_error_, spans_error_;
  std::uint64_t point_ = 0;  ///< of the history when the errors were made
  std::uint64_t preview_key_ = 0;
  Tensor preview_;  ///< [query, key], for `preview_key_`
  mutable KeptText label_;
  mutable std::uint64_t own_key_ = 0;  ///< what `own_` was found for
  mutable bool own_ = false;           ///< every mask is the model's
};

}  // namespace attnscope
