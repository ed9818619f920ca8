// Markdown as the handbook writes it, read into blocks and spans.
#include "core/base/markdown.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

using Kind = MarkdownKind;
using Style = MarkdownStyle;

// "code:x|plain: y": each span with its style.
std::string spans(std::string_view text) {
  constexpr const char* kNames[] = {"plain", "code", "bold", "emphasis", "link"};
  std::string out;
  for (const MarkdownSpan& span : read_markdown_text(text))
    out += (out.empty() ? "" : "|") + std::string(kNames[static_cast<int>(span.style)]) + ":" + span.text +
           (span.target.empty() ? "" : "->" + span.target);
  return out;
}

TEST(Markdown, BlocksAreFound) {
  const auto blocks = read_markdown(
      "# Mask\n\nWho may\nlook.\n![x](y.png)\n- one\n  goes on\n- two\n\n<!-- no -->\n```\na  b\n\nc\n```\n| "
      "k | v |\n|---|---|\n| a | "
      "b |\n\nend");
  ASSERT_EQ(blocks.size(), 7u);
  EXPECT_EQ(blocks[0].kind, Kind::heading);
  EXPECT_EQ(blocks[0].level, 1);
  EXPECT_EQ(plain_text(blocks[1].text), "Who may look.");
  EXPECT_EQ(blocks[2].kind, Kind::item);
  EXPECT_EQ(plain_text(blocks[2].text), "one goes on");
  EXPECT_EQ(plain_text(blocks[3].text), "two");
  EXPECT_EQ(blocks[4].kind, Kind::code);
  EXPECT_EQ(blocks[4].code, "a  b\n\nc\n");
  ASSERT_EQ(blocks[5].rows.size(), 2u) << "without the rule";
  EXPECT_EQ(plain_text(blocks[5].rows[1][1]), "b");
  EXPECT_EQ(blocks[6].kind, Kind::paragraph);
}

TEST(Markdown, SpansAreFound) {
  EXPECT_EQ(spans("**F1** opens *it*, `a * b`"), "bold:F1|plain: opens |emphasis:it|plain:, |code:a * b");
  EXPECT_EQ(spans("see [Mask](mask.md)."), "plain:see |link:Mask->mask.md|plain:.");
  EXPECT_EQ(spans("2 * 3 * 4 and [pos=1]"), "plain:2 * 3 * 4 and [pos=1]");
  EXPECT_EQ(spans("\\*.mask, \\a"), "plain:*.mask, \\a");
  EXPECT_EQ(spans("`open"), "plain:`open");
}

TEST(Markdown, ACellReadsBackAsItWas) {
  for (const std::string text :
       {"a | b", "\"blocks.*.attn.*,!*.mask\"", "<bos> [pos=1] `z` \\ d_k", "plain"}) {
    const auto table = read_markdown("| " + markdown_cell(text) + " | next |\n");
    ASSERT_EQ(table.size(), 1u) << text;
    ASSERT_EQ(table[0].rows[0].size(), 2u) << text;
    EXPECT_EQ(plain_text(table[0].rows[0][0]), text);
  }
}

TEST(Markdown, AnyTextIsRead) {
  for (const char* text : {"", "|", "||", "```", "#", "[", "[](", "**", "- ", "\\", "|\\", "* a*"})
    (void)read_markdown(text);
}

}  // namespace
}  // namespace attnscope
