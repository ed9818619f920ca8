// The kinds a mask is put together of: chips that come and go, "and" and "or" between them, the length of a
// window and a prefix, and the named parts of the input. Refuses to know what they hide: it writes the mask's
// text.
#pragma once

#include "app/views/mask_board.h"
#include "core/trace/mask_mix.h"

namespace attnscope {

/// The name of a part as a mask writes it: in quotes where it is odd.
std::string mask_part(const std::string& name);

class MaskKinds {
 public:
  /// Returns the height.
  float draw(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width);
  /// Makes the mask what the text says.
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
  Kept<std::optional<MaskMix>> mix_;  ///< of the mask's text
};

}  // namespace attnscope
