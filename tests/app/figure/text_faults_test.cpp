// Faults of texts that were put into a list by hand.
#include "app/figure/text_faults.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

class TextFaults : public ::testing::Test {
 protected:
  void put(float x, float y, const char* text, float clip = 200, float height = 14) {
    DrawItem item;
    item.kind = DrawItem::Kind::text;
    item.p0 = ImVec2(x, y), item.p1 = ImVec2(x + 40, y + height);
    list_.add_text(item, text, ImVec2(0, 0), ImVec2(clip, 100));
  }
  std::vector<std::string> found() const {
    std::vector<std::string> out;
    for (const TextFault& fault : text_faults(list_))
      out.push_back(std::string(to_text(fault.kind)) + " " + fault.text + " " + fault.other);
    return out;
  }
  DisplayList list_;
};

using Lines = std::vector<std::string>;

TEST_F(TextFaults, NeighboursAreNone) {
  put(0, 0, "one"), put(41, 0, "beside"), put(0, 13, "below"), put(0, 40, "Saved runs…"), put(60, 40, "…"),
      put(0, 60, "0.3 + … (12 in all)");
  EXPECT_EQ(found(), Lines{});
}

TEST_F(TextFaults, CutTextsAndTextsOverOthersAreFound) {
  put(0, 0, "one"), put(20, 3, "over"), put(180, 50, "cut");
  EXPECT_EQ(found(), (Lines{"overlap one over", "cut cut "}));
}

TEST_F(TextFaults, ATextWithItsMiddleLeftOutIsFound) {
  put(0, 0, "mask…ores");
  EXPECT_EQ(found(), (Lines{"shortened mask…ores "}));
}

TEST_F(TextFaults, WhatAnOpaqueRectangleCoversOrTheClipLeavesOutIsNotLookedAt) {
  put(0, 0, "one"), put(20, 3, "over"), put(300, 0, "away");
  DrawItem cover;
  cover.kind = DrawItem::Kind::rect;
  cover.fill = IM_COL32(0, 0, 0, 255);
  cover.p0 = ImVec2(0, 0), cover.p1 = ImVec2(100, 30);
  list_.add(cover, ImVec2(0, 0), ImVec2(200, 100));
  EXPECT_EQ(found(), Lines{});
}

TEST_F(TextFaults, AreNoneInATextThatCanBeScrolledTo) {
  list_.set_scrolls(true, false);
  put(180, 50, "right of the window");
  EXPECT_EQ(found(), Lines{});
}

TEST_F(TextFaults, WhatIsScrolledUnderANeighbourDoesNotLieOverIt) {
  put(0, 0, "words");
  DrawItem item;
  item.kind = DrawItem::Kind::text;
  item.p0 = ImVec2(20, 0), item.p1 = ImVec2(70, 14);
  list_.set_scrolls(true, false);
  list_.add_text(item, "scrolled", ImVec2(41, 0), ImVec2(200, 100));
  EXPECT_EQ(found(), Lines{});
}

TEST_F(TextFaults, DigitsAreCountedByTheMatrixTheyLieIn) {
  DrawItem cells;
  cells.kind = DrawItem::Kind::cells;
  cells.p0 = ImVec2(0, 0), cells.p1 = ImVec2(100, 40);
  list_.begin_group("matrix", "blocks.0.attn.pattern");
  list_.add_cells(cells,
                  {Tensor::filled({{Axis::query, 2}, {Axis::key, 2}}, 0.25f), {}, ImVec2(0, 0), ImVec2(1, 1)},
                  ImVec2(0, 0), ImVec2(200, 100));
  put(0, 0, "0.25"), put(50, 0, "−1.5e−7", 200, 11), put(0, 20, "cat"), put(110, 0, "3");
  list_.end_group();
  const std::vector<CellDigits> all = cell_digits(list_);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].site, "blocks.0.attn.pattern");
  EXPECT_EQ(all[0].cells, 4);
  EXPECT_EQ(all[0].with_digits, 2) << "a word and a number beside it are none";
  EXPECT_EQ(smallest_digit(list_), 11);
}

TEST_F(TextFaults, DigitsOfTheRowAreThoseInItsCells) {
  EXPECT_EQ(digits_of_row(list_, "logits"), 0);
  const auto number = [&](float x, float y, const char* text, float em) {
    DrawItem item;
    item.kind = DrawItem::Kind::text;
    item.p0 = ImVec2(x, y), item.p1 = ImVec2(x + 20, y + em);
    item.face.em = em;
    list_.add_text(item, text, ImVec2(0, 0), ImVec2(200, 100));
  };
  list_.begin_group("row", "logits[head=1]");
  DrawItem cell;
  cell.kind = DrawItem::Kind::rect;
  cell.p0 = ImVec2(0, 30), cell.p1 = ImVec2(60, 60);
  list_.add(cell, ImVec2(0, 0), ImVec2(200, 100));
  number(10, 10, "7", 9), number(10, 36, "0.42", 18), number(10, 36, "cat", 5);
  list_.end_group();
  EXPECT_EQ(digits_of_row(list_, "logits"), 18) << "the name of the column is no digit of the row";
  EXPECT_EQ(digits_of_row(list_, "probs"), 0);
}

}  // namespace
}  // namespace attnscope
