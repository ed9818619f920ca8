// Tables: widths by content and room, rows as items, what is clicked.
#include "app/widgets/table.h"

#include <algorithm>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope {
namespace {

class TableTest : public testing::ImguiFixture {
 protected:
  void SetUp() override {
    testing::ImguiFixture::SetUp();
    note_items(true);
  }
  void TearDown() override {
    note_items(false);
    testing::ImguiFixture::TearDown();
  }
  static Table tokens() {
    Table out;
    out.columns = {{.title = "token"}, bar_column("share", 1), number_column("p")};
    for (const double share : {0.5, 0.25})
      out.rows.push_back({"###row_" + std::to_string(out.rows.size()),
                          {{share > 0.3 ? "cat" : "dog"}, {.bar = share}, {std::to_string(share)}}});
    return out;
  }
  /// What one frame draws into a table `width` pixels wide.
  DisplayList drawn(const Table& table, float width) {
    DisplayList out;
    frame([&] {
      begin_items();
      const DrawRecording recording(&out);
      event_ = draw_table(table, ImVec2(20, 20), width);
    });
    return out;
  }
  static const DrawItem* text(const DisplayList& list, std::string_view words) {
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text && list.text(item) == words) return &item;
    return nullptr;
  }
  static std::vector<float> bars(const DisplayList& list) {
    std::vector<float> out;
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::rect) out.push_back(item.p1.x - item.p0.x);
    return out;
  }
  TableEvent event_;
};

TEST_F(TableTest, BarsAreAsLongAsTheirValuesAndNumbersEndTogether) {
  const DisplayList list = drawn(tokens(), 400);
  const std::vector<float> lengths = bars(list);
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_NEAR(lengths[0], 2 * lengths[1], 0.01f);
  const DrawItem *first = text(list, "0.500000"), *second = text(list, "0.250000"), *title = text(list, "p");
  ASSERT_TRUE(first && second && title);
  EXPECT_NEAR(first->p1.x, second->p1.x, 1);
  EXPECT_NEAR(first->p1.x, title->p1.x, 1.5f);
  EXPECT_LE(first->p1.x, 420);
}

// Words may lie over the empty cells behind them; a number stands under its own title.
TEST_F(TableTest, ANumberStaysUnderItsTitleBesideEmptyCells) {
  Table table = tokens();
  table.columns.push_back(number_column("q"));
  table.rows[0].cells.push_back({""});
  table.rows[1].cells.push_back({"7.5"});
  const DisplayList list = drawn(table, 400);
  const DrawItem *first = text(list, "0.500000"), *title = text(list, "p"), *second = text(list, "0.250000");
  ASSERT_TRUE(first && second && title);
  EXPECT_NEAR(first->p1.x, title->p1.x, 1.5f);
  EXPECT_NEAR(first->p1.x, second->p1.x, 1);
}

TEST_F(TableTest, RowsAreNamedItemsAndAClickGivesTheirIndex) {
  const Table table = tokens();
  for (int i = 0; i < 3; ++i) (void)drawn(table, 400);
  ASSERT_TRUE(noted_items().contains("row_1"));
  const ItemRect row = noted_items().at("row_1");
  point_at((row.p0.x + row.p1.x) / 2, (row.p0.y + row.p1.y) / 2);
  (void)drawn(table, 400);
  int clicked = -1;
  for (const bool down : {true, false}) {
    press(down);
    (void)drawn(table, 400);
    clicked = std::max(clicked, event_.clicked);
  }
  EXPECT_EQ(event_.hovered, 1);
  EXPECT_EQ(clicked, 1);
}

TEST_F(TableTest, WordsGiveWayBeforeNumbers) {
  Table table;
  table.columns = {{}, number_column()};
  table.rows = {{{}, {{"a name that is much too long for the room that it has here"}, {"1234.5678"}}}};
  const DisplayList wide = drawn(table, 800), narrow = drawn(table, 200);
  EXPECT_TRUE(text(wide, table.rows[0].cells[0].text)) << "no ellipsis where there is room";
  EXPECT_FALSE(text(narrow, table.rows[0].cells[0].text));
  EXPECT_TRUE(text(narrow, "1234.5678"));
}

TEST_F(TableTest, ATextTakesTheRoomOfEmptyCellsBehindIt) {
  Table table;
  table.columns = {{.width = 40}, number_column({}, 200), bar_column()};
  table.rows = {{{}, {{"all the other tokens"}, {}, {.bar = 1}}}};
  EXPECT_TRUE(text(drawn(table, 400), "all the other tokens"));
  table.rows[0].cells[1].text = "1";
  EXPECT_FALSE(text(drawn(table, 400), "all the other tokens"));
}

TEST_F(TableTest, NegativeBarsGoLeftOfOneZero) {
  Table table;
  table.columns = {{}, {.kind = TableColumn::Kind::bar_number, .share = 1}};
  for (const double value : {2.0, -1.0})
    table.rows.push_back({{}, {{"part"}, {.text = std::to_string(value), .bar = value}}});
  const DisplayList list = drawn(table, 400);
  const std::vector<float> lengths = bars(list);
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_NEAR(lengths[0], 2 * lengths[1], 0.01f);
  const DrawItem *more = text(list, "2.000000"), *less = text(list, "-1.000000");
  ASSERT_TRUE(more && less);
  EXPECT_LT(less->p1.x, more->p0.x);
}

}  // namespace
}  // namespace attnscope
