// Calculator and Check as figures: every number is that of core/calc and of the comparison, with all its
// digits.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/words.h"
#include "core/calc/calc_tables.h"
#include "core/export/data.h"
#include "core/session/document.h"
#include "core/view/calculator.h"
#include "core/view/checked_rows.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using nlohmann::json;
using namespace attnscope::testing;

std::vector<FigureData> drawn(const char* id, ViewState state, const json& look) {
  const ViewSpec& view = **find_view(id);
  take_choices(view, look, state);
  const auto figure = draw_view(view, state);
  EXPECT_TRUE(figure) << figure.error().sentence();
  return figure ? data_of(*figure) : std::vector<FigureData>();
}

const std::vector<std::string>& row_named(const FigureData& data, const std::string& name) {
  static const std::vector<std::string> none;
  const auto found = std::find(data.rows.begin(), data.rows.end(), name);
  EXPECT_NE(found, data.rows.end()) << name;
  return found == data.rows.end() ? none : data.cells[static_cast<std::size_t>(found - data.rows.begin())];
}

TEST(CalculatorFigure, EveryPageHasItsNumbersExactly) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto shown = calc_shown({}, *of.model);
  ASSERT_TRUE(shown);
  const auto parameters = drawn("calculator", state, {});
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[1].id, "parameters_beside") << "as in a window that was just opened";
  EXPECT_EQ(parameters[0].id, "parameters");
  std::int64_t sum = 0;
  for (const auto& cells : parameters[0].cells) sum += std::stoll(cells.back());
  EXPECT_EQ(sum, shown->calc.parameters.total.value());
  const auto flops =
      drawn("calculator", state, {{"views", {{"calculator", {{"pane", "flops"}, {"machine", "h100"}}}}}});
  ASSERT_EQ(flops[0].id, "flops");
  EXPECT_EQ(row_named(flops[0], tr("calculator.flops.matrices"))[1],
            std::to_string(shown->calc.forward.prefill.matrices.value()));
  EXPECT_EQ(row_named(flops[0], tr("calculator.flops.per_token"))[2],
            std::to_string(shown->calc.forward.decode_per_token().value()));
  const auto arrays = arrays_of(flops);
  const auto cells = std::find_if(arrays.begin(), arrays.end(),
                                  [](const NamedTensor& one) { return one.name == "flops.cells"; });
  ASSERT_NE(cells, arrays.end());
  EXPECT_EQ(cells->value.size(1), 2);
  EXPECT_EQ(cells->value.at(0, 1), static_cast<float>(shown->calc.forward.decode_per_token().value()));
  for (const char* pane : {"cache", "training", "slips"})
    EXPECT_EQ(drawn("calculator", state, {{"views", {{"calculator", {{"pane", pane}}}}}})[0].id, pane);
}

// What was chosen in the window holds, and a second model stands beside it.
TEST(CalculatorFigure, TheChoicesOfASessionHold) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const json look = {{"views",
                      {{"calculator",
                        {{"pane", "cache"},
                         {"preset", "gpt2"},
                         {"size_layers", 3},
                         {"seq", 100},
                         {"batch", 2},
                         {"dtype", "f32"},
                         {"beside", "gpt2-xl"}}}}}};
  const auto data = drawn("calculator", state, look);
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data[0].cells[0][1], std::to_string(2 * 3 * 768 * 100 * 2 * 4));
  EXPECT_EQ(data[1].id, "cache_beside");
  EXPECT_EQ(data[1].cells[0][1], std::to_string(std::int64_t{2} * 48 * 1600 * 100 * 2 * 4));
  EXPECT_EQ(row_named(data[2], tr("calculator.batch"))[1], "2");
  ViewState easy = state;
  easy.level = Level::easy;
  EXPECT_FALSE(draw_view(**find_view("calculator"), easy));
}

TEST(CheckFigure, EveryStepHasItsErrorAgainstPyTorch) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto data = drawn("check", state, {});
  ASSERT_EQ(data.size(), 1u);
  const RunCheck check = check_run(*of.model, *of.run);
  ASSERT_EQ(data[0].cells.size(), check.check.steps.size());
  for (std::size_t row = 0; row < check.check.steps.size(); ++row) {
    EXPECT_EQ(data[0].rows[row], check.check.steps[row].name());
    ASSERT_TRUE(data[0].numbers[row]);
    EXPECT_EQ(*data[0].numbers[row], check.check.steps[row].error());
  }
}

// Against the run that is compared with, where nothing else was chosen; and the steps that an edit reaches.
TEST(CheckFigure, ARunIsComparedWithTheOneBeforeIt) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.before = of.run;
  state.run = edited(of, "blocks.1.attn.z[head=3]=0");
  const auto data = drawn("check", state, {});
  ASSERT_EQ(data.size(), 1u);
  const auto error = [&](const char* step) { return std::stod(row_named(data[0], step)[1]); };
  EXPECT_EQ(error("blocks.0.mlp.out"), 0);
  EXPECT_GT(error("blocks.1.attn.z"), 0.01);
  EXPECT_EQ(drawn("check", state, {{"views", {{"check", {{"against_torch", true}}}}}})[0].title,
            tr("figure.check.page.torch"));
  const Opened scene = opened("scene:nine_steps");
  EXPECT_EQ(draw_view(**find_view("check"), first_state(*scene.model, scene.run)).error().what().key(),
            "error.view.check_nothing");
}

}  // namespace
}  // namespace attnscope
