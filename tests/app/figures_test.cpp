// The figures of the stage as lists: no text lies over another one or is cut, cells are those of the Trace,
// and the SVG file says the same.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "app/figure/figure_text.h"
#include "app/figure/svg.h"
#include "app/figure/text_faults.h"
#include "app/look/fonts.h"
#include "app/shell/picture.h"
#include "app/shell/startup.h"
#include "app/state/actions.h"
#include "app/state/presenter.h"
#include "app/views/steps_words.h"
#include "core/base/text.h"
#include "tests/app/ui_driver.h"
#include "tests/xml.h"

namespace attnscope::testing {
namespace {

class Figures : public FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's renderer has
    ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
    workspace().animate = false;
  }
  void TearDown() override {
    (void)set_language("en");
    FrameTest::TearDown();
  }
  /// What the stage draws in one more frame.
  const DisplayList& figure() {
    if (fonts_pending()) rebuild_fonts(), frames(2);  // a glyph that is not there yet has another's width
    list_.clear();
    state().recording = &list_;
    frames(1);
    state().recording = nullptr;
    return list_;
  }
  void show(const std::string& view) {
    workspace().view = view;
    settle();
  }
  void expect_clean_views(std::size_t step);
  DisplayList list_;
};

// ---- texts ----------------------------------------------------------------------------------------

// What is wrong with the texts of a figure, one line each; shortened ones are allowed here.
std::set<std::string> faults_of(const DisplayList& list) {
  std::set<std::string> out;
  for (const TextFault& fault : text_faults(list)) {
    if (fault.kind == TextFault::Kind::shortened) continue;
    out.insert(std::string(to_text(fault.kind)) + ": " + fault.text + " | " + fault.other +
               format(" at %.0f,%.0f", static_cast<double>(fault.at.x), static_cast<double>(fault.at.y)));
  }
  return out;
}

// All texts in their order, those of a paragraph's lines joined by a blank.
std::string texts_of(const DisplayList& list) {
  std::string out;
  for (const DrawItem& item : list.items())
    if (item.kind == DrawItem::Kind::text) out += (out.empty() ? "" : " ") + std::string(list.text(item));
  return out;
}

bool scrolls(const DisplayList& list) {
  return std::any_of(list.items().begin(), list.items().end(), [&](const DrawItem& item) {
    return list.clip(item).scrolls_x || list.clip(item).scrolls_y;
  });
}

std::string lines(const std::set<std::string>& all) {
  std::string out;
  for (const std::string& one : all) out += "  " + one + "\n";
  return out;
}

TEST_F(Figures, OfStepsHaveNoTextOverAnotherOne) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  for (const ShippedModel& model : std::vector<ShippedModel>(state().models())) {
    ASSERT_TRUE(open_shipped_or_skip(model.name));
    show("steps");
    std::set<std::pair<Stack, std::pair<Part, Slot>>> seen;
    for (const TimelineStep& step : run().steps)
      for (const Site& site : step.sites) {
        if (!seen.insert({site.stack, {site.part, site.slot}}).second) continue;
        for (const char* language : {"en", "ko"}) {
          ASSERT_TRUE(set_language(language));
          go_to_site(workspace(), run(), site);
          settle();
          const std::set<std::string> faults = faults_of(figure());
          EXPECT_TRUE(faults.empty()) << model.name << " " << to_text(site) << " " << language << "\n"
                                      << lines(faults);
        }
      }
  }
}

TEST_F(Figures, OfAttentionHaveNoTextOverAnotherOne) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  for (const ShippedModel& model : std::vector<ShippedModel>(state().models())) {
    ASSERT_TRUE(open_shipped_or_skip(model.name));
    for (const Slot stage : {Slot::scores, Slot::scaled, Slot::masked, Slot::pattern})
      for (const char* language : {"en", "ko"}) {
        ASSERT_TRUE(set_language(language));
        show("attention");
        Site site = workspace().cursor.step;
        const auto main = std::find_if(run().steps.begin(), run().steps.end(), [](const TimelineStep& step) {
          return std::any_of(step.sites.begin(), step.sites.end(),
                             [](const Site& one) { return one.slot == Slot::pattern; });
        });
        if (main == run().steps.end()) continue;
        site = main->main;
        site.part = main->sites.front().part, site.slot = stage;
        if (!run().trace(0).find(site)) continue;
        go_to_site(workspace(), run(), site);
        settle();
        const std::set<std::string> faults = faults_of(figure());
        EXPECT_TRUE(faults.empty()) << model.name << " " << to_text(site) << " " << language << "\n"
                                    << lines(faults);
      }
  }
}

// Every view of every model; where `step` > 1, of each model another part of the views.
void Figures::expect_clean_views(std::size_t step) {
  const std::vector<ShippedModel> models = state().models();
  for (std::size_t m = 0; m < models.size(); ++m) {
    state().open(kModelPrefix + models[m].name);
    settle();
    ASSERT_TRUE(session_->result()) << models[m].name;
    for (std::size_t i = m % step; i < state().views.size(); i += step) {
      const std::string id = state().views[i]->id();
      for (const char* language : {"en", "ko"}) {
        if (step > 1 && (i + m) % 2 == (language[0] == 'e')) continue;
        ASSERT_TRUE(set_language(language));
        for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(1920, 1080)}) {
          if (step > 1 && (i + m / 2) % 2 == (size.x > 1500)) continue;
          ImGui::GetIO().DisplaySize = size;
          show(id);
          const std::set<std::string> faults = faults_of(figure());
          EXPECT_TRUE(faults.empty())
              << models[m].name << " " << id << " " << language << " " << static_cast<int>(size.x) << "\n"
              << lines(faults);
        }
      }
    }
  }
}

TEST_F(Figures, OfEveryViewHaveNoTextOverAnotherOne) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  expect_clean_views(5);
}

using LongFigures = Figures;
TEST_F(LongFigures, OfEveryViewOfEveryModelHaveNoTextOverAnotherOne) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  expect_clean_views(1);
}

TEST_F(Figures, OfThePagesOfOutputHaveNoTextOverAnotherOne) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  for (const char* model : {"storyteller", "translator"}) {
    state().open(std::string(kModelPrefix) + model);
    settle();
    session_->pin();
    for (const auto& [page, value] : kOutputPages)
      for (const char* language : {"en", "ko"}) {
        ASSERT_TRUE(set_language(language));
        workspace().output_page = value;
        show("output");
        const std::set<std::string> faults = faults_of(figure());
        EXPECT_TRUE(faults.empty()) << model << " page " << page << " " << language << "\n" << lines(faults);
      }
  }
}

TEST_F(Figures, OfTheBlindRowIsWhole) {
  open_default();
  show("mask");
  click("mask_page_menu");
  click("mask_page_blind");
  for (const char* language : {"en", "ko"})
    for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(1920, 1080)}) {
      ASSERT_TRUE(set_language(language));
      ImGui::GetIO().DisplaySize = size;
      settle();
      const std::set<std::string> faults = faults_of(figure());
      EXPECT_TRUE(faults.empty()) << language << " " << static_cast<int>(size.x) << "\n" << lines(faults);
    }
}

TEST_F(Figures, OfTheTokenizerNameWhatIsSideBySide) {
  if (!open_shipped_or_skip("gap-filler")) return;
  show("tokenizer");
  EXPECT_EQ(texts_of(figure()).find("WordPiece"), std::string::npos) << "it looks whole words up";
  state().open(std::string(kModelPrefix) + "translator");
  settle();
  EXPECT_NE(texts_of(figure()).find("WordPiece"), std::string::npos) << "its own";
  click("tokenizer.shelf.beside");
  settle();
  EXPECT_EQ(texts_of(figure()).find("WordPiece"), std::string::npos) << "one of three is not the title";
  EXPECT_NE(texts_of(list_).find(tr("tokenizer.title.beside")), std::string::npos);
}

TEST_F(Figures, OfOneTokenDoNotScroll) {
  if (!open_shipped_or_skip("storyteller")) return;
  ASSERT_TRUE(session_->edit(Text("one token"), {}, [](Document& document) {
    return set_spelled(document, 0, sequence_from_ids(*document.opened, {0}, Stack::single), Stack::single);
  }));
  settle();
  show("steps");
  for (const TimelineStep& step : run().steps) {
    go_to_site(workspace(), run(), step.main);
    settle();
    EXPECT_FALSE(scrolls(figure())) << to_text(step.main);
  }
}

// What is subtracted is said beside the title: a line of its own would push the figure out of its room.
TEST_F(Figures, OfPresentedDifferencesDoNotScroll) {
  if (!open_shipped_or_skip("pilot")) return;
  ASSERT_TRUE(perform(state(), "compare.twin"));
  settle();
  ASSERT_TRUE(session_->pinned());
  key(compat::Key::f5);
  show("steps");
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (const char* site :
         {"vision.blocks.0.ln1.out", "blocks.0.ln1.out", "blocks.0.ln2.out", "ln_final.out"}) {
      go_to_site(workspace(), run(), *parse_site(site));
      settle();
      EXPECT_FALSE(scrolls(figure())) << site << " " << language;
      EXPECT_TRUE(faults_of(list_).empty()) << site << " " << language << lines(faults_of(list_));
      EXPECT_NE(texts_of(list_).find(tr("difference.pinned")), std::string::npos) << site;
    }
  }
}

// Patches of an image are pictures above their columns; the words beside them may be longer than those are
// high.
TEST_F(Figures, OfAPresentedImageHaveRoomForTheWordsBesideIt) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  ImGui::GetIO().DisplaySize = ImVec2(1920, 1080);
  ASSERT_TRUE(set_language("ko"));
  state().open(std::string(kModelPrefix) + "pilot");
  settle();
  key(compat::Key::f5);
  show("steps");
  go_to_site(workspace(), run(), *parse_site("blocks.0.attn.pattern"));
  settle();
  const std::set<std::string> faults = faults_of(figure());
  EXPECT_TRUE(faults.empty()) << lines(faults);
  EXPECT_FALSE(scrolls(figure()));
}

TEST_F(Figures, OfTheStartAreWhole) {
  for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(1920, 1080)})
    for (const char* language : {"en", "ko"}) {
      ImGui::GetIO().DisplaySize = size;
      state().set_language(language);
      settle();
      const std::set<std::string> faults = faults_of(figure());
      EXPECT_TRUE(faults.empty()) << language << "\n" << lines(faults);
      const std::string all = texts_of(list_);
      for (const ShippedModel& model : state().models())
        EXPECT_NE(all.find(model.sentence), std::string::npos) << model.sentence << " in\n" << all;
      for (const auto& [name, item] : noted_items()) {
        const bool whole = item.p1.y == item.seen1.y;
        EXPECT_TRUE(whole || !name.starts_with("empty_")) << name << " is cut";
      }
      EXPECT_TRUE(shows("empty_" + state().scenes().back().name)) << "without scrolling";
    }
}

TEST_F(Figures, OfTheLogitsGradientHaveNoTextOverAnotherOne) {
  if (!open_shipped_or_skip("pilot")) return;
  show("steps");
  workspace().backward = true;
  go_to_site(workspace(), run(), run().steps[run().steps.size() - 2].main);
  settle();
  ASSERT_EQ(workspace().cursor.step.slot, Slot::logits);
  const std::set<std::string> faults = faults_of(figure());
  EXPECT_NE(texts_of(list_).find("logits.grad"), std::string::npos);
  EXPECT_TRUE(faults.empty()) << lines(faults);
}

TEST_F(Figures, OfTheRotationIsWholeBesideALesson) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    ASSERT_TRUE(state().lessons.start(state(), "rope_alibi", 1));
    settle();
    ASSERT_EQ(workspace().cursor.step.slot, Slot::rot_k);
    const std::set<std::string> faults = faults_of(figure());
    EXPECT_TRUE(faults.empty()) << lines(faults);
    EXPECT_FALSE(scrolls(list_)) << language;
  }
}

TEST_F(Figures, OfPresentedLabsShareTheRoom) {
  open_default();
  key(compat::Key::f5);
  for (const Lab& lab : labs())
    for (const char* language : {"en", "ko"}) {
      ASSERT_TRUE(set_language(language));
      LabValues& values = workspace().lab_values[lab.id()] = initial_values(lab);
      for (const LabControl& control : lab.controls)  // short trainings
        if (control.id() == "steps") values.set("steps", 20);
      workspace().lab = lab.id();
      show("labs");
      EXPECT_FALSE(scrolls(figure())) << lab.id() << " " << language;
    }
}

// ---- numbers --------------------------------------------------------------------------------------

std::string fill_of(ImU32 colour) {
  return format("#%02x%02x%02x", (colour >> IM_COL32_R_SHIFT) & 255u, (colour >> IM_COL32_G_SHIFT) & 255u,
                (colour >> IM_COL32_B_SHIFT) & 255u);
}

// Random cells of the matrix that a figure shows of `site`: the colour at their place is that of the Trace.
// What the mask forbids is hatched where `hatches_masked`.
void expect_cells_of(const RunResult& run, const DisplayList& list, const Site& site, int head,
                     bool hatches_masked) {
  const std::string name = to_text(Cell{site, {{"head", head}}});
  SvgPage page;
  page.language = "en", page.p1 = ImVec2(1280, 720);
  const auto text = to_svg(list, page);
  ASSERT_TRUE(text.ok());
  XmlReader reader(*text);
  const auto elements = reader.read();
  ASSERT_TRUE(elements) << reader.error();
  const DrawItem* cells = nullptr;
  for (const DrawItem& item : list.items())
    if (item.kind == DrawItem::Kind::cells && item.group >= 0) {
      for (std::int32_t at = item.group; at >= 0; at = list.groups()[static_cast<std::size_t>(at)].parent)
        if (list.groups()[static_cast<std::size_t>(at)].site == name) cells = &item;
      if (cells == &item && item.p1.x - item.p0.x > 100) break;
    }
  ASSERT_TRUE(cells) << name;
  const Record& record = *run.trace(0).find(site);
  const std::int64_t rows = record.shape[1], cols = record.shape[2];
  const Tensor plane = run.trace(0).slice(site, head, {0, rows}, {0, cols});
  const Site masked{site.stack, site.layer, site.part, Slot::masked};
  const Tensor allowed = run.trace(0).slice(masked, head, {0, rows}, {0, cols});
  std::mt19937 random(7);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    const std::int64_t row = static_cast<std::int64_t>(random() % static_cast<unsigned>(rows)),
                       col = static_cast<std::int64_t>(random() % static_cast<unsigned>(cols));
    const auto middle = [](float from, float to, std::int64_t at, std::int64_t count) {
      return from + (to - from) * (static_cast<float>(at) + 0.5f) / static_cast<float>(count);
    };
    const ImVec2 point(middle(cells->p0.x, cells->p1.x, col, cols),
                       middle(cells->p0.y, cells->p1.y, row, rows));
    const float value = plane.at(row, col);
    const std::string expected = is_masked(value) || (hatches_masked && is_masked(allowed.at(row, col)))
                                     ? "url(#masked)"
                                     : fill_of(heat_colour(value, list.cells(*cells).style));
    for (const XmlElement& e : *elements) {
      if (e.name != "rect" || e.site != name || point.x < e.number("x") || point.y < e.number("y") ||
          point.x >= e.number("x") + e.number("width") || point.y >= e.number("y") + e.number("height"))
        continue;
      const auto fill = e.attributes.find("fill");
      if (fill == e.attributes.end() || fill->second == "none") continue;
      EXPECT_EQ(fill->second, expected) << name << " [" << row << ", " << col << "] = " << value;
      ++compared;
    }
  }
  EXPECT_GE(compared, 60) << "every cell has a rectangle";
}

TEST_F(Figures, HaveTheCellsOfTheTrace) {
  open_default();
  for (const char* view : {"steps", "attention"})
    for (const Slot slot : {Slot::scores, Slot::masked, Slot::pattern}) {
      const Site site{Stack::single, 0, Part::attn, slot};
      show(view);
      go_to_site(workspace(), run(), site);
      settle();
      const bool hatches = slot == Slot::pattern && std::string(view) == "attention";
      expect_cells_of(run(), figure(), site, workspace().cursor.head, hatches);
    }
}

TEST_F(Figures, SayTheirTokensAndNumbers) {
  open_default();
  show("steps");
  const Site site{Stack::single, 0, Part::attn, Slot::scores};
  go_to_site(workspace(), run(), site);
  settle();
  std::set<std::string> texts;
  for (const DrawItem& item : figure().items())
    if (item.kind == DrawItem::Kind::text) texts.insert(std::string(list_.text(item)));
  const Tensor scores = run().trace(0).slice(site, workspace().cursor.head, {0, 1}, {0, 1});
  EXPECT_EQ(texts.count(number_text(scores.at(0, 0), 4)), 1u);
  EXPECT_EQ(texts.count("token 1"), 1u);
}

TEST_F(Figures, CopyAsTablesWithTheNamesOfTheirRows) {
  open_default();
  show("steps");
  const Site site{Stack::single, 0, Part::attn, Slot::scores};
  go_to_site(workspace(), run(), site);
  settle();
  const std::string text = figure_as_text(figure());
  const std::size_t table = text.find(to_text(site));
  ASSERT_NE(table, std::string::npos) << text;
  const Tensor scores = run().trace(0).slice(site, workspace().cursor.head, {0, 4}, {0, 4});
  for (std::int64_t row = 0; row < 2; ++row)
    for (std::int64_t col = 0; col < 2; ++col)
      EXPECT_NE(text.find(format("\t%.6g", static_cast<double>(scores.at(row, col))), table),
                std::string::npos);
  EXPECT_NE(text.find("\ntoken 1\t"), std::string::npos) << text;
}

TEST_F(Figures, WhyBeginsWithTheStrongestKey) {
  state().open_shipped("tiny_llama");
  settle();
  workspace().cursor.key = 0;
  show("attention");
  const Cursor& cursor = workspace().cursor;
  const Trace& trace = run().trace(0);
  const Tensor row = trace.slice(trace.main(Slot::pattern, cursor.layer), cursor.head,
                                 {cursor.query, cursor.query + 1}, {0, trace.length});
  const auto weights = row.values();
  const auto strongest = std::max_element(weights.begin(), weights.end()) - weights.begin();
  ASSERT_NE(strongest, 0);
  const std::string name = token_label(*document().opened, trace.ids[static_cast<std::size_t>(strongest)]);
  bool seen = false;
  for (const DrawItem& item : figure().items())
    seen = seen || (item.kind == DrawItem::Kind::text && list_.text(item) == name &&
                    item.p0.x < state().stage_min.x + 60 && item.p1.y <= list_.clip(item).p1.y &&
                    item.p0.y >= list_.clip(item).p0.y);
  EXPECT_TRUE(seen) << name;
}

class ShippedFigures : public Figures {
 protected:
  void open(const std::string& name) {
    if (!open_shipped_or_skip(name)) return;
  }
};

TEST_F(ShippedFigures, SoftmaxOfElevenToThirteenTokensShowsItsNumbersWithoutScrolling) {
  for (const char* model : {"storyteller", "sorter", "translator"}) {
    open(model);
    if (HasFatalFailure() || IsSkipped()) return;
    const Stack stack = run().trace(0).config().stack;
    const Site site = stack == Stack::dec ? cross_site(Slot::pattern, 1, stack) : site_of(Slot::pattern, 1);
    for (const char* language : {"en", "ko"}) {
      (void)set_language(language);
      show("steps");
      go_to_site(workspace(), run(), site);
      settle();
      int cells = 0;
      for (const DrawItem& item : figure().items()) {
        if (item.kind != DrawItem::Kind::cells) continue;
        ++cells;
        EXPECT_FALSE(list_.clip(item).scrolls_x || list_.clip(item).scrolls_y) << model << " " << language;
        EXPECT_LE(item.p1.y, list_.clip(item).p1.y) << model << " " << language;
      }
      EXPECT_GE(cells, 3) << model << " " << language;
    }
  }
}

// Every step of a block beside itself: matrices have cells that can be seen, and no text lies over another.
TEST_F(ShippedFigures, OfAAndBSideBySideHaveCellsThatCanBeSeen) {
  open("storyteller");
  if (HasFatalFailure() || IsSkipped()) return;
  const std::string half = "The cat sat on the mat because it was tired. So the";
  for (const std::string& text : {half, half + " cat sat on the mat because it was soft. So the"}) {
    ASSERT_TRUE(session_->edit("text", {}, [&](Document& d) { return set_text(d, 0, text); }));
    settle();
    if (!session_->pinned()) perform(state(), "compare.pin");
    show("steps");
    workspace().second_view = "steps";
    workspace().shows_pinned = {true, false};
    std::set<std::pair<Part, Slot>> seen;
    for (const TimelineStep& step : run().steps)
      for (const Site& site : step.sites) {
        if (!seen.insert({site.part, site.slot}).second) continue;
        (void)set_language(seen.size() % 2 ? "en" : "ko");
        go_to_site(workspace(), run(), site);
        settle();
        const std::set<std::string> faults = faults_of(figure());
        EXPECT_TRUE(faults.empty()) << to_text(site) << "\n" << lines(faults);
        for (const DrawItem& item : list_.items()) {
          if (item.kind != DrawItem::Kind::cells) continue;
          const DrawCells& cells = list_.cells(item);
          const auto across = static_cast<float>(cells.cols()) * (cells.uv1.x - cells.uv0.x);
          const float wide = (item.p1.x - item.p0.x) / std::max(across, 1.f);
          const float least = site.slot == Slot::pattern ? 3.f : site.slot >= Slot::mlp_pre ? 0.5f : 1.f;
          EXPECT_GE(wide, least) << to_text(site) << " " << text;
        }
      }
  }
}

// Nothing of a presented figure is cut, and the row that is looked at has digits for the last row of the
// hall.
TEST_F(ShippedFigures, ThatArePresentedAreWhole) {
  open("storyteller");
  if (HasFatalFailure() || IsSkipped()) return;
  for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(1920, 1080)}) {
    ImGui::GetIO().DisplaySize = size;
    show("steps");
    key(compat::Key::f5);
    rescale(presenter_scale(state(), size.x, size.y));
    for (const Slot slot : {Slot::view_q, Slot::split_q, Slot::scores, Slot::scaled, Slot::masked,
                            Slot::pattern, Slot::z, Slot::ln1_out}) {
      const Site site = site_of(slot, 0);
      if (!run().trace(0).find(site)) continue;
      (void)set_language(size.x > 1500 ? "ko" : "en");
      workspace().cursor.head = 3;
      go_to_site(workspace(), run(), site);
      settle();
      (void)figure();
      EXPECT_FALSE(scrolls(list_)) << to_text(site);
      std::size_t matrices = 0;
      for (const DrawItem& item : list_.items()) {
        if (item.kind != DrawItem::Kind::cells) continue;
        ++matrices;
        EXPECT_LE(item.p1.y, list_.clip(item).p1.y + 1) << to_text(site);
        EXPECT_LE(item.p1.x, list_.clip(item).p1.x + 1) << to_text(site);
      }
      EXPECT_TRUE(slot != Slot::split_q || matrices == 8) << matrices << " of four heads before and after";
      EXPECT_GE(digits_of_row(list_, to_text(site)), 20) << to_text(site) << " " << size.x;
    }
    key(compat::Key::escape);
    rescale(1);
  }
}

// Formula and sentence stay, nothing scrolls, and the row that is looked at can be read: in the window, and
// in the presenter at the sizes of projectors.
TEST_F(ShippedFigures, TheRowThatIsLookedAtCanBeRead) {
  open("storyteller");
  if (HasFatalFailure() || IsSkipped()) return;
  const std::string text = "The cat sat on the mat because it was tired. So the";
  ASSERT_TRUE(session_->edit("text", {}, [&](Document& d) { return set_text(d, 0, text); }));
  settle();
  show("steps");
  struct Room {
    ImVec2 size;
    bool presented;
    float least;
  };
  for (const Room& room : {Room{{1280, 720}, false, 14}, Room{{1280, 720}, true, 20},
                           Room{{1920, 1080}, true, 20}, Room{{1024, 768}, true, 20}}) {
    ImGui::GetIO().DisplaySize = room.size;
    if (room.presented) {
      key(compat::Key::f5);
      rescale(presenter_scale(state(), room.size.x, room.size.y));
    }
    for (const Site& site :
         {site_of(Slot::pattern, 1), site_of(Slot::q, 1), site_of(Slot::scores, 1), site_of(Slot::z, 1),
          site_of(Slot::mlp_out, 1), run().trace(0).main(StepRole::logits)}) {
      (void)set_language(room.size.x > 1500 ? "ko" : "en");
      workspace().cursor.head = 3, workspace().cursor.query = 13;
      go_to_site(workspace(), run(), site);
      settle();
      const std::string all = texts_of(figure()),
                        at = to_text(site) + format(" at %.0f", static_cast<double>(room.size.x));
      EXPECT_FALSE(scrolls(list_)) << at;
      EXPECT_GE(digits_of_row(list_, to_text(site)), room.least - 0.05f) << at;
      if (!room.presented) {  // there ImGui's own text
        EXPECT_NE(all.find(sentence_text(run().trace(0), site)), std::string::npos) << at << all;
      }
      EXPECT_NE(all.find(formula_pieces(run().trace(0), site).front().text), std::string::npos) << at;
    }
    if (!room.presented) continue;
    key(compat::Key::escape);
    rescale(1);
  }
}

// With a model beside it the difference is one row more: its digits are as large.
TEST_F(ShippedFigures, PresentedDifferencesCanBeRead) {
  open("pilot");
  if (HasFatalFailure() || IsSkipped()) return;
  keep_beside(state(), std::string(kModelPrefix) + "pilot/causal");
  settle();
  ASSERT_TRUE(session_->pinned());
  show("steps");
  key(compat::Key::f5);
  rescale(presenter_scale(state(), 1280, 720));
  workspace().show_difference = true;
  for (const char* name : {"vision.blocks.0.attn.masked", "vision.blocks.0.attn.pattern",
                           "blocks.0.attn.masked", "blocks.0.attn.pattern"}) {
    go_to_site(workspace(), run(), *parse_site(name));
    settle();
    (void)figure();
    EXPECT_GE(digits_of_row(list_, name), 20 - 0.05f) << name;
    EXPECT_FALSE(scrolls(list_)) << name;
  }
}

// The answer stands beside every view of the full level.
TEST_F(ShippedFigures, TheAnswerStandsBesideEveryView) {
  open("storyteller");
  if (HasFatalFailure() || IsSkipped()) return;
  for (const char* view : {"steps", "attention", "mask", "position", "embedding", "mlp", "kv", "residual"}) {
    show(view);
    ASSERT_TRUE(shows("figure.answer")) << view;
    EXPECT_GT(noted_items().at("figure.answer").p0.x, state().stage_max.x - 1) << "in the inspector";
  }
}

TEST_F(ShippedFigures, TheFormulaIsNotCalledAsTheModelsPositions) {
  open("storyteller-llama");
  show("position");
  EXPECT_NE(texts_of(figure()).find(tr("position.title.rope")), std::string::npos);
  click("position_of_formula");
  settle();
  EXPECT_EQ(texts_of(figure()).find(tr("position.title.rope")), std::string::npos);
  EXPECT_NE(texts_of(list_).find(tr("position.title.sinusoidal")), std::string::npos);
}

TEST_F(ShippedFigures, TheNoteOfANarrowPlaneIsWhole) {
  open("storyteller");
  show("attention");
  workspace().second_view = "steps";
  settle();
  click("without_first");
  settle();
  (void)figure();
  EXPECT_NE(texts_of(list_).find(tr("attention.note.without_first")), std::string::npos) << texts_of(list_);
}

// The word below the sums of the rows keeps clear of the legend, how wide the cells may be.
TEST_F(ShippedFigures, TheSumsOfARowAreNamedBesideTheLegend) {
  open("translator");
  if (HasFatalFailure() || IsSkipped()) return;
  show("attention");
  workspace().level = Level::full;
  const auto change = [](Document& d) -> Status {
    put_edit(d, *parse_edit("dec.blocks.1.cross.z[head=1]=0"));
    return Done{};
  };
  ASSERT_TRUE(session_->edit("edit", {}, change));  // its note takes a line
  go_to_site(workspace(), run(), {Stack::dec, 1, Part::cross, Slot::pattern});
  for (float width = 1180; width <= 1480; width += 20) {
    ImGui::GetIO().DisplaySize = ImVec2(width, 720);
    settle();
    (void)figure();
    std::vector<DrawItem> words;
    for (const DrawItem& item : list_.items())
      if (item.kind == DrawItem::Kind::text)
        if (list_.text(item) == tr("attention.sums") || list_.text(item) == tr("attention.masked"))
          words.push_back(item);
    ASSERT_FALSE(words.empty()) << width;
    if (words.size() < 2) continue;
    const DrawItem &one = words[0], &other = words[1];
    const bool apart =
        one.p1.x <= other.p0.x || other.p1.x <= one.p0.x || one.p1.y <= other.p0.y || other.p1.y <= one.p0.y;
    EXPECT_TRUE(apart) << width;
  }
}

TEST_F(ShippedFigures, TextsOfBothStacksAreWhole) {
  open("translator");
  frames(4);
  for (const char* item : {"source_text", "input_text"}) {
    ASSERT_TRUE(shows(item)) << item;
    const ItemRect& field = noted_items().at(item);
    const Sequence& typed = document().sequences[0];
    const std::string& text = item == std::string("source_text") ? typed.source_text : typed.text;
    EXPECT_GE(field.p1.x - field.p0.x, ImGui::CalcTextSize(text.c_str()).x) << text;
  }
}

TEST_F(ShippedFigures, TheMaskKeepsRowsThatHoldASign) {
  open("translator");
  show("mask");
  click("mask_page_menu");
  click("mask_page_pattern");
  settle();
  ASSERT_TRUE(shows("matrix.mask.board"));
  const ItemRect board = noted_items().at("matrix.mask.board");
  EXPECT_GE((board.p1.y - board.p0.y) / static_cast<float>(board.rows), 14.f);
}

TEST_F(ShippedFigures, TheHeadThatIsLookedAtIsInSight) {
  open("storyteller-deep");
  show("attention");
  const Cursor& cursor = workspace().cursor;
  ASSERT_EQ(cursor.layer, 3);
  int found = 0;
  for (const DrawItem& item : figure().items()) {
    if (item.kind != DrawItem::Kind::cells || list_.cells(item).together == 0 || item.group < 0) continue;
    if (list_.groups()[static_cast<std::size_t>(item.group)].site != "blocks.3.attn.pattern[head=0]")
      continue;
    ++found;
    EXPECT_LE(item.p1.y, list_.clip(item).p1.y);
    EXPECT_GE(item.p0.y, list_.clip(item).p0.y);
  }
  EXPECT_GE(found, 1);
}

TEST_F(ShippedFigures, TheTokenThatIsLookedAtStandsBesideGenerate) {
  open("translator");
  frames(4);
  const std::string last = "chip" + std::to_string(workspace().cursor.query);
  ASSERT_TRUE(shows(last) && shows("generate"));
  EXPECT_LE(noted_items().at(last).p1.x, noted_items().at("generate").p0.x);
}

TEST_F(Figures, HaveRoomInALowWindow) {
  ImGui::GetIO().DisplaySize = ImVec2(640, 360);  // 1280 x 720 at twice the size
  open_default();
  show("mask");
  ASSERT_TRUE(shows("matrix.mask.board"));
  const ItemRect board = noted_items().at("matrix.mask.board");
  EXPECT_GE((board.p1.y - board.p0.y) / static_cast<float>(board.rows), 12.f) << "it scrolls instead";
}

}  // namespace
}  // namespace attnscope::testing
