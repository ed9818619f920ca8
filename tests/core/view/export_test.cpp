// Every view of every shipped model as SVG, PDF, PNG and CSV: the numbers are those of the run, sizes are
// right, and SVG and PNG are the same picture.
#include "core/export/export.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/data.h"
#include "core/io/image.h"
#include "core/view/step_figure.h"
#include "core/view/view.h"
#include "tests/core/view/opened.h"
#include "tests/results.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

constexpr std::size_t kMostPdf = 300 * 1024;
constexpr float kPrintedPage = 22 / 2.54f * 72;  // points of the text of a page
constexpr double kMostAway = 0.03;  // mean difference of a colour: letters are set a little differently

bool installed(const char* program) {
  return std::system((std::string("command -v ") + program + " > /dev/null").c_str()) == 0;
}

// Cells of matrices that name their place are those of the run, masked ones too.
int expect_cells_of_run(const figure::Figure& figure, const Trace& run, const std::string& what) {
  int seen = 0;
  for (const FigureData& data : data_of(figure)) {
    if (data.kind != FigureData::Kind::matrix) continue;
    const auto* matrix = std::get_if<figure::MatrixMark>(&find_part(figure, data.id)->mark);
    for (std::int64_t row = 0; row < matrix->values.size(0); ++row)
      for (std::int64_t col = 0; col < matrix->values.size(1); col += 3) {
        const auto cell = cell_of(run, *matrix, row, col);
        if (!cell) continue;
        std::vector<std::int64_t> index;
        for (const AxisRange& at : cell->at) index.push_back(at.begin);
        const float value = run.cell(cell->site, index), shown = data.values.at(row, col);
        if (std::isinf(value)) {
          EXPECT_EQ(shown, value) << what << " " << to_text(*cell);
          continue;
        }
        EXPECT_NEAR(shown, value, 1e-5f + std::abs(value) * 1e-4f) << what << " " << to_text(*cell);
        ++seen;
      }
  }
  return seen;
}

// What the CSV says of a matrix reads back as its floats.
void expect_csv(const figure::Figure& figure, const std::string& csv, const std::string& what) {
  for (const FigureData& part : data_of(figure)) {
    if (part.kind != FigureData::Kind::matrix) continue;
    std::istringstream lines(csv);
    std::string line;
    std::vector<float> read;
    while (std::getline(lines, line))
      if (line.starts_with(part.id + ",")) read.push_back(std::strtof(&line[line.rfind(',') + 1], nullptr));
    const std::vector<float> values = part.values.values();
    ASSERT_EQ(read.size(), values.size()) << what << " " << part.id;
    for (std::size_t i = 0; i < read.size(); ++i)
      if (!std::isnan(values[i])) {
        ASSERT_EQ(read[i], values[i]) << what << " " << part.id << " " << i;
      }
  }
}

double difference(const Picture& a, const Picture& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb->size(); ++i)
    sum += std::abs(static_cast<double>((*a.rgb)[i]) - static_cast<double>((*b.rgb)[i]));
  return sum / 255 / static_cast<double>(a.rgb->size());
}

void expect_files(const figure::Figure& figure, const Trace& run, bool paper, const std::string& what) {
  const TempFolder folder;
  const std::string size = paper ? "8.5cm" : "1280x720";
  const figure::Figure shown = paper ? for_print(figure) : figure;
  const auto page = page_of(shown, *parse_page_size(size), size,
                            {paper ? &kPaperLetters : &figure::kWindowLetters,
                             paper ? &figure::paper_palette() : &figure::palette(false)});
  ASSERT_TRUE(page) << what << page.error().sentence();
  const figure::Measure measure;
  for (const figure::DrawingFault& fault : faults_of(page->drawing, measure))
    ADD_FAILURE() << what << " " << fault.part << " " << fault.what << " " << fault.text;
  const FigureToExport to{&shown, &*page, figure.title.str(), "caption", "{}", 1, false};
  for (const char* id : {"svg", "pdf", "png", "csv"})
    ASSERT_TRUE(export_figure(**find_exporter(id), to, folder / (std::string("a.") + id))) << what << id;
  expect_csv(shown, test::read_text(folder / "a.csv"), what);
  (void)run;
  const std::string pdf = test::read_text(folder / "a.pdf");
  EXPECT_LE(pdf.size(), kMostPdf) << what;
  EXPECT_EQ(pdf.find("/CreationDate"), std::string::npos);
  const auto png = open_picture(folder / "a.png");
  ASSERT_TRUE(png) << what << png.error().sentence();
  EXPECT_EQ(png->width, static_cast<int>(std::ceil(page->drawing.width)));
  EXPECT_EQ(png->height, static_cast<int>(std::ceil(page->drawing.height)));
  if (paper) {
    EXPECT_LE(page->drawing.height, kPrintedPage) << what << "taller than a page";
    for (const figure::DrawnShape& shape : page->drawing.shapes) {
      if (shape.kind != figure::DrawnShape::Kind::text) continue;
      EXPECT_GE(shape.em, shape.digit ? kPaperLetters.digit : kPaperLetters.small) << what << shape.text;
    }
  }
  if (paper || !installed("rsvg-convert")) return;
  ASSERT_EQ(std::system(("rsvg-convert " + (folder / "a.svg") + " -o " + (folder / "b.png")).c_str()), 0);
  const auto svg = open_picture(folder / "b.png");
  ASSERT_TRUE(svg);
  ASSERT_EQ(svg->width, png->width);
  ASSERT_EQ(svg->height, png->height);
  EXPECT_LT(difference(*svg, *png), kMostAway) << what;
}

void export_all(const std::string& model, bool quick) {
  const Opened of = opened(model);
  int cells = 0, views = 0;
  for (const ViewSpec* view : view_specs()) {
    if (!view->model) continue;
    ViewState state = first_state(*of.model, of.run);
    for (const Level level : {Level::easy, Level::full}) {
      state.level = level;
      const auto figure = draw_view(*view, state);
      if (!figure) continue;  // nothing to show for this model
      const std::string what = model + " " + view->id + " ";
      cells += expect_cells_of_run(*figure, *of.run, what);
      ++views;
      if (quick && level == Level::full) continue;
      for (const char* language : {"en", "ko"}) {
        ASSERT_TRUE(set_language(language));
        expect_files(*figure, *of.run, std::string_view(language) == "ko", what + language);
      }
      ASSERT_TRUE(set_language("en"));
    }
  }
  EXPECT_GT(views, 4) << model;
  EXPECT_GT(cells, 20) << model;
}

FigurePage printed_page(const figure::Figure& figure, const char* size) {
  auto page = page_of(figure, *parse_page_size(size), size, {&kPaperLetters, &figure::paper_palette()});
  EXPECT_TRUE(page) << page.error().sentence();
  return page ? *std::move(page) : FigurePage();
}
int texts_in(const FigurePage& page, const std::string& part, const std::string& text) {
  return static_cast<int>(
      std::count_if(page.drawing.shapes.begin(), page.drawing.shapes.end(), [&](const auto& shape) {
        return shape.kind == figure::DrawnShape::Kind::text && shape.part == part && shape.text == text;
      }));
}

// In print no sentence says what a map shows: it has a bar of its colours, the names of its axes, and the
// names of the row that is looked at and of its strongest key, however small it is.
TEST(ViewExport, MapsInPrintSayTheirScaleAndTheirAxes) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3, state.row = 13, state.level = Level::full;
  const figure::Figure figure = *draw_view(**find_view("attention"), state, false);
  for (const char* size : {"8.5cm", "6cm", "17.5cm"}) {
    const FigurePage page = printed_page(for_print(figure), size);
    for (const std::string part : {"scores", "pattern"}) {
      for (const char* text : {"query ↓", "key →", "cat", "the"})
        EXPECT_GE(texts_in(page, part, text), 1) << size << part << text;
    }
    EXPECT_EQ(texts_in(page, "pattern", "1"), 1) << "0 to 1";
    EXPECT_EQ(texts_in(page, "pattern", "0"), 1);
    EXPECT_GE(texts_in(page, "scores", "29.7"), 1) << "its own colours";
    EXPECT_GE(texts_in(page, "scores", "−29.7"), 1);
    EXPECT_EQ(texts_in(page, "row", "query ↓"), 0);
  }
  // At a column's width every row has its name.
  const FigurePage column = printed_page(for_print(figure), "8.5cm");
  for (const char* text : {"<bos>", "sat", "because", "tired", "So"})
    EXPECT_GE(texts_in(column, "pattern", text), 1) << text;
  // Where the room is too small for all others, these two stay.
  const FigurePage small = printed_page(for_print(figure), "8.5cmx10cm");
  for (const char* text : {"the", "cat"}) EXPECT_EQ(texts_in(small, "pattern", text), 1) << text;
  EXPECT_EQ(texts_in(small, "pattern", "mat"), 0);
  for (const figure::DrawingFault& fault : faults_of(small.drawing, figure::Measure()))
    ADD_FAILURE() << fault.part << " " << fault.what << " " << fault.text;
  ASSERT_TRUE(set_language("ko"));
  EXPECT_EQ(texts_in(printed_page(for_print(figure), "8.5cm"), "pattern", "Query ↓"), 1);
  ASSERT_TRUE(set_language("en"));
  const FigurePage window = *page_of(figure, *parse_page_size("1280x720"), "1280x720", {});
  EXPECT_EQ(texts_in(window, "pattern", "query ↓"), 0) << "there a sentence stands above";
}

// What the mask hides is no weight of 0.
TEST(ViewExport, MaskedCellsOfAStepAreHatched) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 0, state.head = 3, state.row = 13;
  const auto figure = step_figure(state, "blocks.1.attn.pattern", false);
  ASSERT_TRUE(figure);
  const FigurePage page = printed_page(for_print(*figure), "8.5cm");
  const auto hatched =
      std::count_if(page.drawing.shapes.begin(), page.drawing.shapes.end(),
                    [](const auto& shape) { return shape.kind == figure::DrawnShape::Kind::hatch; });
  EXPECT_EQ(hatched, 14 * 13 / 2);
  for (const char* text : {"query ↓", "key →", "1", "0", "cat"})
    EXPECT_GE(texts_in(page, "step", text), 1) << text;
  expect_cells_of_run(*figure, *of.run, "pattern");
  const auto stream = step_figure(state, "blocks.1.resid_post", false);
  ASSERT_TRUE(stream);
  const FigurePage lines = printed_page(for_print(*stream), "8.5cm");
  EXPECT_EQ(texts_in(lines, "step", "token ↓"), 1);
  EXPECT_EQ(texts_in(lines, "step", "dimension →"), 1);
}

TEST(ViewExport, EveryViewOfTheStoryteller) { export_all("model:storyteller", true); }

TEST(LongViewExport, EveryViewOfEveryShippedModel) {
  for (const std::string& model : shipped_models()) export_all(model, false);
}

}  // namespace
}  // namespace attnscope
