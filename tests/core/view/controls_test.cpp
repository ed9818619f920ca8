// What can be chosen of a view: each control that is listed moves its picture, no other one does.
#include "core/view/controls.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/text.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using attnscope::testing::opened, attnscope::testing::Opened;

// Row 2 holds another word than the last: circuits are of a word, wherever it stands.
constexpr const char* kEveryControl[] = {"layer=0",         "head=1",        "row=2",
                                         "temperature=0.5", "words=cat,mat", "distance=2"};

// All pages of a view as text, none of which is cut in it.
std::string all_pages(const ViewSpec& view, ViewState state) {
  std::string out;
  std::vector<std::string> pages = pages_of(view, state);
  if (pages.empty()) pages.emplace_back();
  for (const std::string& page : pages) {
    state.page = page;
    const auto figure = draw_view(view, state);
    out += figure ? as_text(*figure, 1000) : figure.error().text();
  }
  return out;
}

std::string id_in(std::string_view assignment) {
  return std::string(assignment.substr(0, assignment.find('=')));
}

TEST(ViewControls, EachChangesThePictureAndWhatIsNotListedIsNone) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1;
  for (const ViewSpec* view : view_specs()) {
    if (!view->model) continue;
    const std::string before = all_pages(*view, state);
    std::set<std::string> ids;
    for (const ViewControl& one : view_controls(*view, state)) ids.insert(one.control.id());
    for (const std::string_view assignment : kEveryControl) {
      ViewState moved = state;
      const Status status = set_control(*view, moved, assignment);
      EXPECT_EQ(static_cast<bool>(status), ids.contains(id_in(assignment))) << view->id << " " << assignment;
      if (status) {
        EXPECT_NE(all_pages(*view, moved), before) << view->id << " " << assignment;
      }
    }
  }
}

// A view that would change with something that it does not list lists too little.
TEST(ViewControls, NothingElseChangesAPicture) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  for (const ViewSpec* view : view_specs()) {
    if (!view->model) continue;
    const std::string before = all_pages(*view, state);
    ViewState moved = state;
    std::set<std::string> ids;
    for (const ViewControl& one : view_controls(*view, state)) ids.insert(one.control.id());
    if (!ids.contains("layer")) moved.layer = 1;
    if (!ids.contains("head")) moved.head = 2;
    if (!ids.contains("temperature")) moved.temperature = 0.3;
    if (!ids.contains("words")) moved.words = "cat,mat";
    if (!ids.contains("distance")) moved.distance = 3;
    EXPECT_EQ(all_pages(*view, moved), before) << view->id;
  }
}

TEST(ViewControls, BothEndsAreDrawnAndNothingBeyondThem) {
  for (const char* name : {"model:storyteller", "model:translator", "model:pilot"}) {
    const Opened of = opened(name);
    for (const ViewSpec* view : view_specs()) {
      const ViewState state = first_state(*of.model, of.run);
      if (!view->model || !draw_view(*view, state)) continue;  // this model has nothing to show there
      for (const ViewControl& one : view_controls(*view, state)) {
        const auto* number = std::get_if<LabNumber>(&one.control.kind);
        if (!number) continue;
        EXPECT_LE(number->least, number->initial);
        EXPECT_LE(number->initial, number->most);
        for (const double end : {number->least, number->most}) {
          ViewState moved = state;
          ASSERT_TRUE(set_control(*view, moved, one.control.id() + "=" + value_text(one.control, end)));
          EXPECT_TRUE(check_state(moved)) << name << " " << view->id << " " << one.control.id();
          (void)draw_view(*view, moved);
        }
        ViewState moved = state;
        EXPECT_FALSE(set_control(*view, moved, one.control.id() + "=" + format("%.0f", number->most + 1)));
        EXPECT_FALSE(set_control(*view, moved, one.control.id() + "=-1"));
      }
    }
  }
}

}  // namespace
}  // namespace attnscope
