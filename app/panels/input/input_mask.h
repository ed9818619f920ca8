// The attention mask as text: presets, a text field with its error, the named spans that it can refer to, and
// a preview of the mask. Models with an encoder or a vision tower have several masks: chips choose one.
// Single cells are edited in the Mask view.
#pragma once

#include <optional>
#include <string>

#include "app/look/kept_text.h"
#include "app/state/panel.h"

namespace attnscope {

class MaskBox {
 public:
  /// Width of draw() in pixels.
  float width(const PanelContext& context) const;
  /// The button and its popup, on the current line.
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

  AttentionKind of_ = AttentionKind::main;  ///< the mask being edited
  std::string text_, spans_;                ///< contents of the fields
  bool all_ = false;                        ///< the spans are edited for every sequence
  bool typing_text_ = false, typing_spans_ = false;
  std::optional<Error> text_error_, spans_error_;
  std::uint64_t point_ = 0;  ///< history point at which the errors occurred
  std::uint64_t preview_key_ = 0;
  Tensor preview_;  ///< [query, key], for `preview_key_`
  mutable KeptText label_;
  mutable std::uint64_t own_key_ = 0;  ///< cache key of `own_`
  mutable bool own_ = false;           ///< all masks are the model's own
};

}  // namespace attnscope
