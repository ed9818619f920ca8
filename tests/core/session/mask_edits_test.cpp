// Mask edits of a document against plain loops over Mask::allowed.
#include "core/session/mask_edits.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

Document gpt2(int tokens) {
  auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  EXPECT_TRUE(opened) << opened.error().text();
  Document document = new_document(std::make_shared<const OpenedModel>(*std::move(opened)));
  std::string text;
  for (int i = 0; i < tokens; ++i) text += std::to_string(i % 50) + " ";
  EXPECT_TRUE(set_text(document, 0, text));
  return document;
}

void expect_mask(const Document& document, std::int64_t tokens, bool (*wanted)(std::int64_t, std::int64_t)) {
  const Mask mask = mask_of(document, 0);
  for (std::int64_t query = 0; query < tokens; ++query)
    for (std::int64_t key = 0; key < tokens; ++key)
      EXPECT_EQ(mask.allowed(query, key), wanted(query, key)) << query << "," << key;
}

TEST(MaskEdits, ThereIsOneMaskHoweverItIsChosen) {
  Document document = gpt2(9);
  EXPECT_TRUE(is_chosen_mask(document, "model", AttentionKind::main));
  EXPECT_FALSE(is_chosen_mask(document, "causal", AttentionKind::main))
      << "the same numbers, but nobody asked for it";
  const std::vector<std::string> presets = mask_presets(document, AttentionKind::main, 0, 3);
  for (const std::string& preset : presets) {
    set_mask_cell(document, 4, 1, !mask_of(document, 0).allowed(4, 1));
    EXPECT_FALSE(is_chosen_mask(document, preset, AttentionKind::main)) << "a cell was switched by hand";
    ASSERT_TRUE(choose_mask(document, preset, AttentionKind::main)) << preset;
    EXPECT_EQ(asked_mask(document, AttentionKind::main).text(), preset);
    EXPECT_TRUE(switched_cells(document, AttentionKind::main).empty()) << preset;
    for (const std::string& other : presets)
      EXPECT_EQ(is_chosen_mask(document, other, AttentionKind::main), other == preset) << other;
  }
  ASSERT_TRUE(choose_mask(document, "full", AttentionKind::main));
  expect_mask(document, 9, [](std::int64_t, std::int64_t) { return true; });
  ASSERT_TRUE(choose_mask(document, presets[3], AttentionKind::main));
  expect_mask(document, 9, [](std::int64_t q, std::int64_t k) { return k <= q && k > q - 3; });
  ASSERT_TRUE(choose_mask(document, "causal | prefix(3)", AttentionKind::main));
  expect_mask(document, 9, [](std::int64_t q, std::int64_t k) { return k <= q || k < 3; });
  ASSERT_TRUE(choose_mask(document, "model", AttentionKind::main));
  expect_mask(document, 9, [](std::int64_t q, std::int64_t k) { return k <= q; });
  EXPECT_FALSE(choose_mask(document, "causal & window(0)", AttentionKind::main));
  EXPECT_TRUE(asked_mask(document, AttentionKind::main).is_model());
}

// The board, its counts and what the run holds, cell by cell, rows of padding too.
TEST(MaskEdits, RowsOfPaddingAreShownAndCountedAsTheRunHasThem) {
  for (const PadSide side : {PadSide::left, PadSide::right}) {
    Document document = gpt2(5);
    document.padding = {true, side, 8};
    const auto run = document.model->run(inputs_of(document).front());
    ASSERT_TRUE(run) << run.error().text();
    const Tensor plane = mask_plane(mask_of(document, 0), {0, 8}, {0, 8});
    const MaskSummary summary = mask_summary(mask_of(document, 0), 8, 8);
    std::int64_t masked = 0;
    std::vector<std::int64_t> blind;
    const std::int64_t first = side == PadSide::left ? 3 : 0;  // of the five tokens
    for (std::int64_t query = 0; query < 8; ++query) {
      std::int64_t seen = 0;
      for (std::int64_t key = 0; key < 8; ++key) {
        const bool allowed = key >= first && key < first + 5 && key <= query;
        EXPECT_EQ(plane.at(query, key) > 0, allowed) << query << "," << key;
        EXPECT_EQ((*run)->cell(site_of(Slot::mask, 0), {query, key}) != 0, allowed) << query << "," << key;
        EXPECT_EQ((*run)->cell(site_of(Slot::pattern, 0), {0, query, key}) > 0, allowed)
            << query << "," << key;
        seen += allowed;
      }
      masked += 8 - seen;
      if (seen == 0) blind.push_back(query);
    }
    EXPECT_EQ(summary.pairs, 64);
    for (std::int64_t row = 0; row < 8; ++row)  // what stands in a padded place is no word of the text
      EXPECT_EQ(row_label(*document.opened, **run, Stack::single, row) == "PAD",
                row < first || row >= first + 5);
    EXPECT_EQ(summary.masked, masked);
    EXPECT_EQ(summary.fully_masked, blind);
  }
}

TEST(MaskEdits, RowsAndColumnsGoOffAndComeBack) {
  Document document = gpt2(6);
  ASSERT_TRUE(toggle_mask_column(document, 2, 6));
  expect_mask(document, 6, [](std::int64_t q, std::int64_t k) { return k <= q && k != 2; });
  ASSERT_TRUE(toggle_mask_row(document, 4, 6));
  expect_mask(document, 6, [](std::int64_t q, std::int64_t k) { return k <= q && k != 2 && q != 4; });
  ASSERT_TRUE(
      toggle_mask_row(document, 4, 6));  // the row is the model's own again, also where a column was off
  expect_mask(document, 6, [](std::int64_t q, std::int64_t k) { return k <= q && (k != 2 || q == 4); });
  ASSERT_TRUE(toggle_mask_column(document, 2, 6));
  ASSERT_TRUE(toggle_mask_column(document, 2, 6));
  EXPECT_TRUE(document.edits.empty());
  EXPECT_FALSE(toggle_mask_row(document, 6, 6));
  EXPECT_FALSE(toggle_mask_column(document, 0, kMostMaskTokens + 1));
}

TEST(MaskEdits, SummaryCountsLikeAPlainLoop) {
  Document document = gpt2(12);
  for (std::int64_t key = 0; key < 12; ++key) set_mask_cell(document, 7, key, false);
  set_mask_cell(document, 1, 9, true);
  set_mask_cell(document, 5, 3, false);
  const Mask mask = mask_of(document, 0);
  std::int64_t masked = 0;
  for (std::int64_t i = 0; i < 144; ++i) masked += !mask.allowed(i / 12, i % 12);
  const MaskSummary summary = mask_summary(mask, 12, 12);
  EXPECT_EQ(summary.pairs, 144);
  EXPECT_EQ(summary.masked, masked);
  EXPECT_EQ(summary.switched, 8 + 1 + 1);
  EXPECT_EQ(summary.fully_masked, std::vector<std::int64_t>{7});
}

TEST(MaskEdits, RectangleIsTheMask) {
  Document document = gpt2(5);
  set_mask_cell(document, 3, 1, false);
  const Mask mask = mask_of(document, 2);
  const Tensor part = mask_plane(mask, {2, 5}, {1, 4});
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t col = 0; col < 3; ++col)
      EXPECT_EQ(part.at(row, col) > 0, mask.allowed(row + 2, col + 1));
}

}  // namespace
}  // namespace attnscope
