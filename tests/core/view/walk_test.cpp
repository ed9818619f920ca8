// Walks: which a view has, what they show, and the film that they make.
#include "core/view/walk.h"

#include <gtest/gtest.h>

#include "core/view/figure_file.h"
#include "tests/core/view/opened.h"
#include "tests/results.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

ViewState easy_state(const Opened& of) {
  ViewState out = first_state(*of.model, of.run);
  out.level = Level::easy;
  return out;
}

TEST(Walk, AViewHasThoseOfMoreThanOnePicture) {
  const Opened of = opened("model:storyteller");
  const ViewState state = easy_state(of);
  EXPECT_EQ(walks_of(**find_view("steps"), state).front(), Walk::pages);
  EXPECT_EQ(walks_of(**find_view("attention"), state),
            (std::vector<Walk>{Walk::layers, Walk::heads, Walk::rows}));
  EXPECT_EQ(walks_of(**find_view("output"), state), (std::vector<Walk>{Walk::rows}));
  const auto none = walked(**find_view("output"), state, Walk::heads);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence().find("rows"), std::string::npos);
}

TEST(Walk, GoesThroughEachPlaceOnce) {
  const Opened of = opened("model:storyteller");
  const ViewState state = easy_state(of);
  const auto heads = *walked(**find_view("attention"), state, Walk::heads);
  ASSERT_EQ(heads.size(), 4u);
  for (std::size_t i = 0; i < heads.size(); ++i) EXPECT_EQ(heads[i].head, static_cast<std::int64_t>(i));
  const auto rows = *walked(**find_view("attention"), state, Walk::rows);
  EXPECT_EQ(std::ssize(rows), of.run->rows(state.place.stack));
  const auto pages = *walked(**find_view("steps"), state, Walk::pages);
  EXPECT_EQ(pages.size(), 8u);
}

std::vector<FilmFigure> figures_of(const std::string& view, const std::vector<ViewState>& states) {
  std::vector<FilmFigure> out;
  for (const ViewState& state : states) out.push_back({*draw_view(**find_view(view), state), state.run});
  return out;
}

TEST(Walk, TheFilmEndsEachMotionWhereTheFigureStands) {
  const Opened of = opened("model:storyteller");
  const auto figures = figures_of("steps", *walked(**find_view("steps"), easy_state(of), Walk::pages));
  const std::string size = "1280x720";
  const auto film = *film_of(figures, *parse_page_size(size), size, {}, 1.5);
  std::vector<std::size_t> stills;
  for (std::size_t i = 0; i < film.size(); ++i)
    if (film[i].hundredths == 150) stills.push_back(i);
  ASSERT_EQ(stills.size(), figures.size());
  EXPECT_GT(film.size(), 3 * stills.size()) << "in between something moves";
  for (std::size_t i = 0; i < stills.size(); ++i) {
    const auto page = *page_of(figures[i].figure, *parse_page_size(size), size, {});
    ASSERT_EQ(film[stills[i]].drawing.shapes.size(), page.drawing.shapes.size());
    for (std::size_t at = 0; at < page.drawing.shapes.size(); ++at) {
      EXPECT_EQ(film[stills[i]].drawing.shapes[at].rect.x, page.drawing.shapes[at].rect.x);
      EXPECT_EQ(film[stills[i]].drawing.shapes[at].alpha, 1.f);
    }
  }
}

TEST(Walk, FiguresOfTheirOwnHeightMakeAFilmOfOne) {
  const Opened of = opened("model:storyteller");
  const auto figures = figures_of("steps", *walked(**find_view("steps"), easy_state(of), Walk::pages));
  const auto film =
      film_of(figures, *parse_page_size("16cm"), "16cm", {&kPaperLetters, &figure::paper_palette()}, 1);
  ASSERT_TRUE(film) << film.error().sentence();
  for (const FilmFrame& frame : *film) EXPECT_EQ(frame.drawing.height, film->front().drawing.height);
}

TEST(Walk, AFormThatStandsStillIsNumberedFiles) {
  const test::TempFolder folder;
  const Opened of = opened("model:storyteller");
  std::vector<FigureForFile> figures;
  const auto heads = *walked(**find_view("attention"), easy_state(of), Walk::heads);
  for (const ViewState& state : heads)
    figures.push_back({*draw_view(**find_view("attention"), state), {}, state.run});
  ASSERT_TRUE(write_figures(**find_exporter("svg"), figures, {}, {}, folder / "a.svg"));
  for (const char* name : {"a-001.svg", "a-002.svg", "a-003.svg", "a-004.svg"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  EXPECT_FALSE(std::filesystem::exists(folder / "a.svg"));
  const auto alone = write_figures(**find_exporter("gif"), {figures.front()}, {}, {}, folder / "a.gif");
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().sentence().find("gif"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
