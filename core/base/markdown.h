// Markdown as the handbook writes it: headings, paragraphs, lists, tables, code between fences, and in a text
// `code`, **bold**, *emphasis* and [links](page.md); a backslash keeps a sign as it is. Comments and pictures
// are left out; all else is text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

enum class MarkdownStyle : std::uint8_t { plain, code, bold, emphasis, link };
struct MarkdownSpan {
  MarkdownStyle style = MarkdownStyle::plain;
  std::string text;
  std::string target = {};  ///< of a link
};
using MarkdownText = std::vector<MarkdownSpan>;

enum class MarkdownKind : std::uint8_t { heading, paragraph, item, code, table };
struct MarkdownBlock {
  MarkdownKind kind = MarkdownKind::paragraph;
  int level = 0;                                     ///< of a heading, from 1
  MarkdownText text = {};                            ///< of a heading, a paragraph, an item of a list
  std::string code = {};                             ///< lines without the fences
  std::vector<std::vector<MarkdownText>> rows = {};  ///< of a table; the first has its titles
};

std::vector<MarkdownBlock> read_markdown(std::string_view text);
/// One line of text in its spans.
MarkdownText read_markdown_text(std::string_view text);
/// The spans without their styles.
std::string plain_text(const MarkdownText& text);
/// A text as it stands, to be a cell of a table: signs of Markdown get a backslash.
std::string markdown_cell(std::string_view text);

}  // namespace attnscope
