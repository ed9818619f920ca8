// The calculator without a screen: it opens with any model, follows presets and sizes, and is drawn in both
// languages.
#include <imgui_internal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/figure/canvas.h"
#include "app/views/calculator_panes.h"
#include "app/views/choices.h"
#include "core/arch/presets.h"
#include "core/system/atomic_file.h"
#include "tests/app/views/lens_fixture.h"
#include "tests/temp_folder.h"

namespace attnscope {
std::unique_ptr<View> make_calculator_view();
namespace {

constexpr const char* kPaneItems[] = {"calc_parameters", "calc_cache", "calc_flops", "calc_training",
                                      "calc_slips"};

class CalculatorViewTest : public testing::LensViewFixture {
 protected:
  void walk_panes(View& view) {
    for (const char* pane : kPaneItems) {
      click_item(view, pane);
      settle(view);
      EXPECT_FALSE(noted_items().contains("calc_error")) << pane;
    }
  }
};

// Both beside each other, each with its own numbers for the same tokens.
TEST_F(CalculatorViewTest, AnotherModelStandsBesideIt) {
  open("llama");
  const auto view = make_calculator_view();
  choose_in(*view, nlohmann::json{{"preset", "gpt2"}, {"beside", "llama-2-7b"}});
  settle(*view, ImVec2(1240, 600));
  const auto both = texts(*view, ImVec2(1240, 600));
  ASSERT_TRUE(both.contains("124,439,808"));
  ASSERT_TRUE(both.contains("6,738,415,616"));
  EXPECT_GT(both.at("6,738,415,616"), both.at("124,439,808") + 400);
  settle(*view, ImVec2(600, 600));
  EXPECT_FALSE(texts(*view, ImVec2(600, 600)).contains("6,738,415,616")) << "no room for two";
}

TEST_F(CalculatorViewTest, EveryPaneIsDrawnForEveryKindOfModelInBothLanguages) {
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (const char* model : {"gpt2", "t5", "vit", "mistral", "paligemma_prefix", "scene"}) {
      open(model);
      const auto view = make_calculator_view();
      walk_panes(*view);
      EXPECT_TRUE(noted_items().contains("calc_d_model")) << model;
    }
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
  ASSERT_TRUE(set_language("en"));
}

TEST_F(CalculatorViewTest, TheRunIsCountedWhenItIsAsked) {
  open("gpt2");
  const auto view = make_calculator_view();
  click_item(*view, "calc_flops");
  settle(*view);
  ASSERT_TRUE(noted_items().contains("calc_count"));
  EXPECT_FALSE(noted_items().contains("calc_counted"));
  click_item(*view, "calc_count");
  settle(*view);
  EXPECT_TRUE(noted_items().contains("calc_counted"));
}

TEST_F(CalculatorViewTest, ANumberThatIsDraggedChangesTheModel) {
  open("gpt2");
  const auto view = make_calculator_view();
  settle(*view);
  EXPECT_FALSE(noted_items().contains("calc_reset"));
  const ItemRect field = noted_items().at("calc_layers");
  const float x = field.p0.x + 4, y = field.p0.y - 8;  // its name
  point_at(x, y);
  show(*view);
  show(*view);
  press(true);
  for (int step = 0; step < 8; ++step) {
    show(*view);
    point_at(x + 12.f * static_cast<float>(step), y);
  }
  press(false);
  settle(*view);
  EXPECT_TRUE(noted_items().contains("calc_reset"));
  click_item(*view, "calc_reset");
  settle(*view);
  EXPECT_FALSE(noted_items().contains("calc_reset"));
}

// The machine is one for both models: their numbers begin at one height, and neither pane scrolls.
TEST_F(CalculatorViewTest, BothModelsStandBelowTheMachine) {
  open("gpt2");
  const auto view = make_calculator_view();
  const ImVec2 stage(1240, 610);  // of a window of 1280 x 720
  choose_in(*view, nlohmann::json{{"preset", "gpt2"}, {"beside", "llama-2-7b"}, {"pane", "flops"}});
  settle(*view, stage);
  std::vector<float> tops;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const std::string name = window->Name;
    if (!window->WasActive || name.find("calculator_") == std::string::npos) continue;
    tops.push_back(window->Pos.y);
    EXPECT_EQ(window->ScrollMax.y, 0) << name;
  }
  ASSERT_EQ(tops.size(), 2u);
  EXPECT_EQ(tops[0], tops[1]);
  EXPECT_LT(noted_items().at("calc_machine_a100").p1.y, tops[0]);
}

nlohmann::json kept_by(View& view) {
  nlohmann::json out = nlohmann::json::object();
  Choices choices(out);
  view.keep(choices);
  return out;
}

// What has no room is a click away: beside each other both models list the same parts, and nothing scrolls.
TEST_F(CalculatorViewTest, AClickOnAPartListsItsWeights) {
  open("gpt2");
  const auto view = make_calculator_view();
  choose_in(*view, nlohmann::json{{"preset", "gpt2"}, {"beside", "llama-2-7b"}});
  const ImVec2 room(1240, 500);
  const auto items = [&](const char* weight) {
    DisplayList list;
    settle(*view, room);
    {
      const DrawRecording recording(&list);
      show(*view, room);
    }
    for (const DrawItem& item : list.items()) EXPECT_FALSE(list.clip(item).scrolls_y) << weight;
    return std::count_if(list.items().begin(), list.items().end(), [&](const DrawItem& item) {
      return item.kind == DrawItem::Kind::text && list.text(item) == weight;
    });
  };
  EXPECT_EQ(items("blocks.*.mlp.out.weight"), 2);
  ASSERT_EQ(items("blocks.*.ln1.weight"), 0);
  const ItemRect norms = noted_items().at("calc_part_norms");
  click(*view, ImVec2(norms.p0.x + 40, (norms.p0.y + norms.p1.y) / 2), room);
  EXPECT_EQ(items("blocks.*.ln1.weight"), 2);
}

TEST_F(CalculatorViewTest, WhatWasChosenIsKept) {
  open("gpt2");
  const auto view = make_calculator_view();
  const nlohmann::json fresh = kept_by(*view);
  settle(*view);
  EXPECT_EQ(kept_by(*view), fresh) << "nothing was chosen";
  const nlohmann::json chosen = {
      {"preset", "llama-2-7b"}, {"size_kv_heads", 8}, {"seq", 4096},      {"batch", 2},
      {"dtype", "f16"},         {"tokens", 2e12},     {"machine", "h100"}};
  Choices choices(chosen);
  view->keep(choices);
  const nlohmann::json before = kept_by(*view);
  settle(*view);
  const nlohmann::json after = kept_by(*view);
  EXPECT_EQ(after, before) << "drawn or not";
  for (const auto& [name, value] : chosen.items()) EXPECT_EQ(after[name], value) << name;
  EXPECT_EQ(after["size_layers"], 0) << "the preset's own";
  Choices nothing(fresh);
  view->keep(nothing);
  settle(*view);
  EXPECT_EQ(kept_by(*view), fresh);
}

TEST_F(CalculatorViewTest, NumbersOfOtherSizesDoNotStandBesideAnOverflow) {
  open("gpt2");
  const auto view = make_calculator_view();
  const auto texts = [&] {
    settle(*view);
    DisplayList list;
    std::string out;
    {
      const DrawRecording recording(&list);
      show(*view);
    }
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text) out += std::string(list.text(item)) + "\n";
    return out;
  };
  const nlohmann::json gpt2 = {{"preset", "gpt2"}};
  Choices fits(gpt2);
  view->keep(fits);
  EXPECT_NE(texts().find("124,439,808"), std::string::npos);
  const nlohmann::json between = {{"preset", "gpt2"}, {"size_kv_heads", 5}};  // on the way from 12 to 4
  Choices divides(between);
  view->keep(divides);
  EXPECT_NE(texts().find("124,439,808"), std::string::npos) << "the last that fit";
  EXPECT_TRUE(noted_items().contains("calc_error"));
  EXPECT_TRUE(noted_items().contains("calc_last"));
  const nlohmann::json huge = {{"preset", "gpt2"}, {"seq", 16777216}, {"batch", 16777216}};
  Choices overflows(huge);
  view->keep(overflows);
  EXPECT_EQ(texts().find("124,439,808"), std::string::npos);
  EXPECT_TRUE(noted_items().contains("calc_error"));
}

TEST_F(CalculatorViewTest, ATypedNumberOutOfRangeIsSaidAndNotTaken) {
  open("gpt2");
  const auto view = make_calculator_view();
  settle(*view);
  const ItemRect field = noted_items().at("calc_layers");
  const ImVec2 at((field.p0.x + field.p1.x) / 2, (field.p0.y + field.p1.y) / 2);
  click(*view, at);
  point_at(at.x, at.y);
  for (const bool down : {true, false}) {
    press(down);
    show(*view);
  }
  ImGui::GetIO().AddInputCharactersUTF8("99999");
  settle(*view);
  click(*view, ImVec2(at.x, at.y + 300));  // done with the field
  settle(*view);
  EXPECT_TRUE(noted_items().contains("number_refused"));
  EXPECT_EQ(kept_by(*view)["size_layers"], 0) << "not 4096 in silence";
}

TEST_F(CalculatorViewTest, AConfigAloneIsCalculatedAndAMissingOneSaid) {
  const testing::TempFolder folder;
  const std::string path = folder / "config.json";
  ASSERT_TRUE(write_file(path, preset_config("llama-2-7b")->dump()));
  EXPECT_TRUE(lonely_config(path));
  EXPECT_TRUE(is_config_file(path));
  open("gpt2");
  const auto view = make_calculator_view();
  const nlohmann::json chosen = {{"file", path}, {"size_kv_heads", 8}};
  Choices choices(chosen);
  view->keep(choices);
  settle(*view);
  EXPECT_FALSE(noted_items().contains("calc_error"));
  EXPECT_EQ(kept_by(*view)["size_kv_heads"], 8);
  std::filesystem::remove(path);
  const auto later = make_calculator_view();
  Choices again(chosen);
  later->keep(again);
  settle(*later);
  EXPECT_TRUE(noted_items().contains("calc_error"));
  EXPECT_EQ(kept_by(*later)["size_kv_heads"], 0) << "the open model has its own sizes";
}

TEST(CalculatorNumbers, HaveALetterForTheirThousands) {
  EXPECT_EQ(with_prefix(20), "20");
  EXPECT_EQ(with_prefix(1.4e11), "140 G");
  EXPECT_EQ(with_prefix(2.04e12), "2.04 T");
}

}  // namespace
}  // namespace attnscope
