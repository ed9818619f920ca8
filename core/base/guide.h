// The handbook, assets/guide/<language>/*.md: a page for each view and what there is to look up. Its
// contents are what README.md there lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// A page as the contents name it.
struct GuidePage {
  std::string id;     ///< "mask": the file is mask.md
  std::string title;  ///< "Mask"
  std::string about;  ///< the rest of its line
};
struct GuideChapter {
  std::string title;
  std::vector<GuidePage> pages;
};

/// In the current language, else in English.
std::vector<GuideChapter> guide_contents();
/// The Markdown of a page in the current language, else in English; data() is null when there is none.
std::string_view guide_page(std::string_view id);

}  // namespace attnscope
