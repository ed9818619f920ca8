#include "core/base/guide.h"

#include "core/base/assets.h"
#include "core/base/markdown.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::string_view kPageEnding = ".md";

std::string_view guide_file(std::string_view name) {
  for (const std::string& folder : {language(), std::string("en")})
    if (const std::string_view text = asset("assets/guide/" + folder + "/" + std::string(name)); text.data())
      return text;
  return {};
}

// "[Mask](mask.md): who may look at whom".
GuidePage page_of(const MarkdownText& item) {
  GuidePage page;
  for (const MarkdownSpan& span : item) {
    if (page.id.empty() && ends_with(span.target, kPageEnding)) {
      page.id = span.target.substr(0, span.target.size() - kPageEnding.size());
      page.title = span.text;
    } else {
      page.about += span.text;
    }
  }
  if (starts_with(page.about, ": ")) page.about.erase(0, 2);
  return page;
}

}  // namespace

std::vector<GuideChapter> guide_contents() {
  std::vector<GuideChapter> out;
  for (const MarkdownBlock& block : read_markdown(guide_file("README.md"))) {
    if (block.kind == MarkdownKind::heading && block.level == 2) out.push_back({plain_text(block.text), {}});
    if (block.kind != MarkdownKind::item || out.empty()) continue;
    if (GuidePage page = page_of(block.text); !page.id.empty()) out.back().pages.push_back(std::move(page));
  }
  return out;
}

std::string_view guide_page(std::string_view id) {
  return guide_file(std::string(id) + std::string(kPageEnding));
}

}  // namespace attnscope
