// Fields for numbers: what is typed after one click, what counts of it, and what is refused.
#include "app/widgets/number_field.h"

#include <gtest/gtest.h>

#include "app/look/item_map.h"
#include "core/base/number.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope {
namespace {

using compat::Key;

class NumberFieldTest : public testing::ImguiFixture {
 protected:
  void SetUp() override {
    ImguiFixture::SetUp();
    ImGui::GetIO().ConfigInputTextCursorBlink = false;
    note_items(true);
  }
  void TearDown() override {
    note_items(false);
    ImguiFixture::TearDown();
  }
  void show(int count = 2) {
    for (int i = 0; i < count; ++i) {
      begin_items();
      frame([&] {
        ImGui::SetNextItemWidth(200);
        rate_event_ = number_field("###rate", rate_, 0, 1);
        ImGui::SetNextItemWidth(200);
        number_field("###tokens", tokens_, std::int64_t{1}, std::int64_t{1} << 50);
        (void)slider_int("###slider", "heads", heads_, 1, 5000, 200);
        ImGui::Button("other");
        note_item("other");
      });
    }
  }
  void click(const std::string& item, bool ctrl = false) {
    show();
    const ItemRect rect = noted_items().at(item);
    point_at((rect.p0.x + rect.p1.x) / 2, (rect.p0.y + rect.p1.y) / 2);
    compat::feed_modifiers(ImGui::GetIO(), ctrl, false, false);
    show();
    press(true);
    show();
    press(false);
    show();
    compat::feed_modifiers(ImGui::GetIO(), false, false, false);
    show();
  }
  void type(const char* text) {
    for (; *text; ++text) {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(*text));
      show(1);
    }
    show();
  }
  void key(Key which) {
    compat::feed_key(ImGui::GetIO(), which, true);
    show();
    compat::feed_key(ImGui::GetIO(), which, false);
    show();
  }

  double rate_ = 0.1;
  std::int64_t tokens_ = 7, heads_ = 2;
  SliderEvent rate_event_;
};

TEST(TypedNumber, IsWhatOneWouldType) {
  EXPECT_EQ(typed_number(2337280), "2337280");
  EXPECT_EQ(typed_number(0), "0");
  EXPECT_EQ(typed_number(0.6), "0.6");
  EXPECT_EQ(typed_number(7e9), "7e9");
  EXPECT_EQ(typed_number(1.4e11), "1.4e11");
  EXPECT_EQ(typed_number(1.5e-7), "1.5e-07");
  for (const double value : {2337280.0, 7e9, 1.4e11, 0.25}) {
    const Result<double> read = parse_real(typed_number(value), 0, 1e30);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, value);
  }
}

TEST_F(NumberFieldTest, AClickIsEnoughAndExponentsLettersAndPowersAreTaken) {
  click("rate");
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "digits go there";
  type("3e-4");
  EXPECT_DOUBLE_EQ(rate_, 3e-4);
  click("tokens");
  type("1e12");
  EXPECT_EQ(tokens_, 1000000000000);
  key(Key::enter);
  click("tokens");
  type("2^20");
  EXPECT_EQ(tokens_, 1 << 20);
  click("other");
  click("tokens");
  type("1.5k");
  EXPECT_EQ(tokens_, 1500);
}

TEST_F(NumberFieldTest, WhatIsNoNumberOrOutOfRangeIsRefusedInWords) {
  click("rate");
  type("3x4");
  EXPECT_EQ(rate_, 0.1) << "not the 3 of it";
  EXPECT_FALSE(noted_items().contains("number_refused")) << "somebody is still typing";
  key(Key::enter);
  EXPECT_TRUE(noted_items().contains("number_refused"));
  EXPECT_EQ(rate_, 0.1);
  click("other");
  EXPECT_FALSE(noted_items().contains("number_refused"));
  click("rate");
  type("2");
  click("other");
  EXPECT_TRUE(noted_items().contains("number_refused")) << "out of range";
  EXPECT_EQ(rate_, 0.1) << "and not clamped";
  click("tokens");
  EXPECT_FALSE(noted_items().contains("number_refused"));
  type("0.5");
  key(Key::enter);
  EXPECT_EQ(tokens_, 7);
}

TEST_F(NumberFieldTest, EscapeGivesTheNumberBackWithAllItsDigits) {
  rate_ = 0.123456789;
  click("rate");
  type("0.5");
  EXPECT_EQ(rate_, 0.5);
  key(Key::escape);
  EXPECT_EQ(rate_, 0.123456789);
  click("rate");
  click("other");
  EXPECT_EQ(rate_, 0.123456789) << "looked at, not changed";
}

TEST_F(NumberFieldTest, CtrlMakesASliderAField) {
  click("slider", true);
  type("4.5k");
  EXPECT_EQ(heads_, 4500);
  key(Key::enter);
  EXPECT_EQ(heads_, 4500);
  click("slider");
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  EXPECT_NE(heads_, 4500) << "a slider again";
}

TEST(NumberFieldWords, BeginWithACapital) {
  const std::string why = parse_whole("six", 1, 5).error().text();
  ASSERT_EQ(why[0], 'i') << "behind the name of an option";
  EXPECT_EQ(with_capital(why), "I" + why.substr(1));
  EXPECT_EQ(with_capital(""), "");
}

}  // namespace
}  // namespace attnscope
