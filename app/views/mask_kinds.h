// Builds a mask from kinds: chips for causal, window, prefix and named spans, combined by "and"
// and "or", with sliders for window and prefix lengths. Edits the mask's text; core evaluates
// it.
#pragma once

#include "app/views/mask_board.h"
#include "app/widgets/twin.h"
#include "core/trace/mask_mix.h"

namespace attnscope {

/// The name of a span in a mask's text: quoted if needed.
std::string mask_part(const std::string& name);

class MaskKinds {
 public:
  /// Returns the height, pixels.
  float draw(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width);
  /// Sets the mask to this text.
  static void choose(const ViewContext& context, const AttentionScene& scene, const std::string& text,
                     const char* gesture = "");

 private:
  struct Kind {
    std::string part, label, help, id;
  };
  std::vector<Kind> kinds(const std::vector<Span>& parts, bool causal) const;
  const std::vector<Kind>& known_kinds(const Document& document, const AttentionScene& scene);
  void follow(const std::optional<MaskMix>& mix);
  float draw_counts(const ViewContext& context, const AttentionScene& scene, const MaskMix& mix, ImVec2 at,
                    float width);

  std::int64_t window_ = 4, prefix_ = 3;
  Kept<std::vector<Kind>> kinds_;
  Kept<std::optional<MaskMix>> mix_;  ///< parsed text of the mask
  Twin twin_;
};

}  // namespace attnscope
