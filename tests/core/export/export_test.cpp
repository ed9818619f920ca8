// Exporters: a made-up figure in every form, read back; the same figure gives the same file.
#include "core/export/export.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/no_copy.h"
#include "core/export/carried.h"
#include "core/export/data.h"
#include "core/io/image.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "tests/results.h"
#include "tests/xml.h"

namespace attnscope {
namespace {

using namespace attnscope::test;
using figure::MatrixMark;
using figure::WordsMark;

constexpr float kMaskedCell = -std::numeric_limits<float>::infinity();

MatrixMark matrix_of(std::int64_t rows, std::int64_t cols, std::vector<float> values) {
  MatrixMark out;
  out.values = Tensor::from(std::move(values), {{Axis::query, rows}, {Axis::key, cols}});
  for (std::int64_t row = 0; row < rows; ++row) out.rows.labels.emplace_back("row " + std::to_string(row));
  for (std::int64_t col = 0; col < cols; ++col)
    out.cols.labels.emplace_back("a,\"b\" & " + std::to_string(col));
  out.of = "blocks.0.attn.pattern[head=3]";
  return out;
}

figure::Figure small_figure() {
  figure::TableMark table;
  table.header = {Text("word"), Text("share")};
  table.rows = {{{Text("고양이"), Text("98.4 %")}, 0.984375, {}}, {{Text("a|b_c"), Text("1.0 %")}, 0.01, {}}};
  figure::PlotMark plot;
  plot.x_title = "x";
  plot.series = {{Text("curve"), {{0.1, 1.0 / 3}, {0.2, 2.0 / 3}}}};
  return {
      Text("What <is> it?"),
      figure::column({figure::words("sentence", WordsMark::As::sentence, {Text("다람쥐 says “1 < 2 & 3”.")}),
                      figure::leaf({"pattern", matrix_of(2, 2, {1, kMaskedCell, 0.1f, 0.9f}), 2, {}, ""}),
                      figure::leaf({"answer", table, 2, {Text("Answer")}, ""}),
                      figure::leaf({"curves", plot, 1, {}, ""})})};
}

struct Made : NoCopy {
  figure::Figure figure = small_figure();
  FigurePage page;
  std::vector<FilmFrame> film;
  FigureToExport what;
  explicit Made(const std::string& size = "600x500") : Made(small_figure(), size) {}
  Made(figure::Figure of, const std::string& size) : figure(std::move(of)) {
    auto made = page_of(figure, *parse_page_size(size), size, {});
    EXPECT_TRUE(made) << made.error().sentence();
    if (made) page = *std::move(made);
    what = {&figure, &page, "What <is> it?", "다람쥐", R"({"format":"attnscope-session"})", 1, false};
    film = {{page.drawing, 50}, {page.drawing, 50}};
    what.film = &film;
  }
  std::string as(const std::string& id) const {
    const TempFolder folder;
    const std::string path = folder / ("a." + id);
    const Status written = export_figure(**find_exporter(id), what, path);
    EXPECT_TRUE(written) << id << ": " << (written ? "" : written.error().sentence());
    return read_text(path);
  }
};

TEST(Exporters, EveryFormIsWrittenAndTheSameTwice) {
  const Made made;
  ASSERT_EQ(exporters().size(), 14u);
  for (const Exporter* one : exporters()) {
    const std::string first = made.as(one->id);
    EXPECT_GT(first.size(), 40u) << one->id;
    EXPECT_EQ(first, made.as(one->id)) << one->id;
    ASSERT_TRUE(exporter_of_path("/x/A." + one->id));
    EXPECT_EQ((*exporter_of_path("/x/A." + one->id))->id, one->id);
  }
  EXPECT_FALSE(exporter_of_path("/x/a.docx"));
  EXPECT_FALSE(exporter_of_path("/x/svg"));
}

TEST(Exporters, CsvHasEveryNumberWithAllItsDigits) {
  const std::string csv = Made().as("csv");
  EXPECT_NE(csv.find("pattern,blocks.0.attn.pattern[head=3],0,1,row 0,\"a,\"\"b\"\" & 1\",-inf\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",0.1\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("answer,,0,2,고양이,number,0.984375\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",0.3333333333333333\n"), std::string::npos) << csv;
}

TEST(Exporters, JsonHoldsThePartsAndNullWhereACellIsMasked) {
  const auto json = nlohmann::json::parse(Made().as("json"));
  ASSERT_EQ(json["parts"].size(), 3u);
  const auto& pattern = json["parts"][0];
  EXPECT_EQ(pattern["place"], "blocks.0.attn.pattern[head=3]");
  EXPECT_TRUE(pattern["values"][0][1].is_null());
  EXPECT_EQ(pattern["values"][1][1].get<float>(), 0.9f);
  EXPECT_EQ(json["parts"][1]["numbers"][0], 0.984375);
  EXPECT_EQ(json["parts"][2]["curves"][0]["points"][1][1], 2.0 / 3);
}

TEST(Exporters, ArraysAreReadBackByOurReaders) {
  const TempFolder folder;
  const Made made;
  for (const char* id : {"npz", "safetensors", "npy"})
    ASSERT_TRUE(export_figure(**find_exporter(id), made.what, folder / (std::string("a.") + id)));
  const auto npz = read_npz(folder / "a.npz");
  ASSERT_TRUE(npz) << npz.error().sentence();
  const auto npy = read_npy(folder / "a.npy");
  ASSERT_TRUE(npy) << npy.error().sentence();
  for (const auto& pattern : {(*npz)->load("pattern"), (*npy)->load("array")}) {
    ASSERT_TRUE(pattern) << pattern.error().sentence();
    EXPECT_EQ(pattern->at(1, 1), 0.9f);
    EXPECT_TRUE(std::isinf(pattern->at(0, 1)));
  }
  EXPECT_TRUE((*npz)->load("answer.numbers"));
  EXPECT_TRUE((*npz)->load("curves.0"));
  const std::string raw = read_text(folder / "a.safetensors");
  EXPECT_NE(raw.find("다람쥐"), std::string::npos);
  EXPECT_NE(raw.find("\"pattern\""), std::string::npos);
}

TEST(Exporters, ANpyOfAFigureWithoutAMatrixIsRefused) {
  const Made made({Text("t"), figure::words("sentence", WordsMark::As::sentence, {Text("s")})}, "600x500");
  const TempFolder folder;
  const Status written = export_figure(**find_exporter("npy"), made.what, folder / "a.npy");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().sentence().find("matrix"), std::string::npos);
  EXPECT_EQ(folder.files(), 0u) << "no half-written file";
}

TEST(Exporters, TablesEscapeWhatTheirLanguageReads) {
  const std::string tex = Made().as("tex"), md = Made().as("md"), tsv = Made().as("tsv");
  EXPECT_NE(tex.find("98.4 \\%"), std::string::npos) << tex;
  EXPECT_NE(tex.find("a\\textbar{}b\\_c"), std::string::npos) << tex;
  EXPECT_NE(tex.find("\\& 1"), std::string::npos) << tex;
  EXPECT_NE(md.find("a\\|b\\_c"), std::string::npos) << md;
  EXPECT_NE(md.find("| row 0 | 1.00 |  |"), std::string::npos) << md;
  EXPECT_NE(tsv.find("row 1\t0.1\t0.9\n"), std::string::npos) << tsv;
}

// In LaTeX's own font encoding "<" prints an inverted "!", and a row that begins with "[" is read as the
// argument of the line end before it.
TEST(Exporters, ALatexTablePrintsTheTokensOfAModelAsTheyAre) {
  figure::MatrixMark matrix;
  const std::vector<std::string> tokens{"[CLS]", "<bos>", "*", "a--b", "\"`|"};
  for (const std::string& token : tokens) matrix.rows.labels.emplace_back(token);
  matrix.values = Tensor::from({0, 1, 2, 3, 4}, {{Axis::query, 5}, {Axis::key, 1}});
  const std::string tex = Made({Text("t"), figure::leaf({"m", matrix, 3, {}, ""})}, "600x500").as("tex");
  EXPECT_NE(tex.find("\n{}[CLS] & "), std::string::npos) << tex;
  EXPECT_NE(tex.find("\n\\textless{}bos\\textgreater{} & "), std::string::npos) << tex;
  EXPECT_NE(tex.find("\n{}* & "), std::string::npos) << tex;
  EXPECT_NE(tex.find("\na-{}-b & "), std::string::npos) << tex;
  EXPECT_NE(tex.find("\n{\\ttfamily\\char34}\\textasciigrave{}\\textbar{} & "), std::string::npos) << tex;
}

TEST(Exporters, SvgIsXmlWithTextAndTheSiteOfEachGroup) {
  const std::string svg = Made("8.5cm").as("svg");
  testing::XmlReader reader(svg);
  EXPECT_TRUE(reader.read()) << reader.error();
  EXPECT_NE(svg.find("width=\"8.5cm\""), std::string::npos) << svg.substr(0, 400);
  EXPECT_NE(svg.find("data-site=\"blocks.0.attn.pattern[head=3]\""), std::string::npos);
  EXPECT_NE(svg.find("고양이</text>"), std::string::npos);
  EXPECT_NE(svg.find("<desc>다람쥐</desc>"), std::string::npos);
}

TEST(Exporters, PngHasItsSizeAndMayBeTransparent) {
  const TempFolder folder;
  Made made;
  for (const int scale : {1, 3, kMostExportScale}) {
    made.what.scale = scale;
    const std::string path = folder / ("a" + std::to_string(scale) + ".png");
    ASSERT_TRUE(export_figure(**find_exporter("png"), made.what, path));
    const auto picture = open_picture(path);
    ASSERT_TRUE(picture) << picture.error().sentence();
    EXPECT_EQ(picture->width, 600 * scale);
    EXPECT_EQ(picture->height, 500 * scale);
    EXPECT_NE((*picture->rgb)[0], 255);
  }
  made.what.scale = 1, made.what.transparent = true;
  ASSERT_TRUE(export_figure(**find_exporter("png"), made.what, folder / "t.png"));
  const auto picture = open_picture(folder / "t.png");
  ASSERT_TRUE(picture);
  EXPECT_EQ((*picture->rgb)[0], 255) << "readers blend with white";
}

TEST(Exporters, APictureTooLargeIsRefused) {
  Made made("16384x16384");
  made.what.scale = 8;
  const TempFolder folder;
  const Status written = export_figure(**find_exporter("png"), made.what, folder / "a.png");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), Code::out_of_range);
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Exporters, MoreThan4096CellsAreOnePixelEach) {
  std::vector<float> values(100 * 50);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) / 7;
  const Made made({Text("t"), figure::leaf({"large", matrix_of(100, 50, values), 2, {}, ""})}, "600x500");
  const auto& shapes = made.page.drawing.shapes;
  const auto picture = std::find_if(shapes.begin(), shapes.end(), [](const auto& shape) {
    return shape.kind == figure::DrawnShape::Kind::picture;
  });
  ASSERT_NE(picture, shapes.end());
  EXPECT_EQ(picture->columns, 50);
  ASSERT_EQ(picture->pixels.size(), values.size());
  const figure::Palette& colours = made.page.drawing.colours();
  for (const std::size_t at : {0u, 1u, 4999u})
    EXPECT_EQ(picture->pixels[at], colours.heat(figure::Scale::share, static_cast<double>(values[at])));
  EXPECT_NE(made.as("svg").find("data:image/png;base64,"), std::string::npos);
  EXPECT_NE(made.as("pdf").find("/Image"), std::string::npos);
}

TEST(Exporters, NeighboursOfOneColourAreMergedAndNoSeamIsLeft) {
  std::vector<float> values(60 * 60, 0.5f);
  values[60 * 30 + 30] = 1;
  const Made made({Text("t"), figure::leaf({"flat", matrix_of(60, 60, values), 2, {}, ""})}, "260x240");
  std::size_t cells = 0;
  float right = 0;
  for (const auto& shape : made.page.drawing.shapes) {
    if (shape.kind != figure::DrawnShape::Kind::rect || !shape.touches) continue;
    ++cells;
    right = std::max(right, shape.rect.right());
  }
  EXPECT_EQ(cells, 62u) << "60 rows, and a cell with what is right of it";
  EXPECT_LE(right, 260);
}

TEST(PageSizes, PixelsAndCentimetresAreRead) {
  EXPECT_EQ(parse_page_size("1280x720")->height, 720);
  const auto paper = parse_page_size("8.5cmx6cm");
  ASSERT_TRUE(paper);
  EXPECT_TRUE(paper->printed);
  EXPECT_NEAR(paper->width, 240.94, 0.01);
  EXPECT_NEAR(paper->height, 170.08, 0.01);
  EXPECT_EQ(parse_page_size("17cm")->height, 0);
  for (const char* wrong : {"", "x", "12", "12x12", "800", "8.5cmx720", "1280x720x3", "1e9x720", "nanx720",
                            "-5cm", "1280.5x720", "1cm", "20000x720"})
    EXPECT_FALSE(parse_page_size(wrong)) << wrong;
}

TEST(PageSizes, AWidthAloneIsAsTallAsTheFigure) {
  const Made made("8.5cm");
  EXPECT_NEAR(made.page.drawing.width, 240.94, 0.01);
  EXPECT_GT(made.page.drawing.height, 100);
  EXPECT_LT(made.page.drawing.height, 900);
  EXPECT_TRUE(made.page.printed);
}

using Rgb3 = std::array<double, 3>;
Rgb3 linear_of(figure::Rgb colour) {
  Rgb3 out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = static_cast<double>(colour >> (16 - 8 * i) & 0xffu) / 255;
    out[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return out;
}
double luminance_of(const Rgb3& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }

// Machado, Oliveira, Fernandes 2009: what is seen without red or without green receptors.
using Seen = std::array<Rgb3, 3>;
constexpr Seen kAll{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Seen kNoRed{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Seen kNoGreen{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
// CIE 1976 L*a*b*.
Rgb3 lab_of(const Rgb3& colour, const Seen& by) {
  Rgb3 c{};
  for (std::size_t i = 0; i < 3; ++i)
    c[i] = std::clamp(by[i][0] * colour[0] + by[i][1] * colour[1] + by[i][2] * colour[2], 0.0, 1.0);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505), y = f(luminance_of(c)),
               z = f((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}
double apart(figure::Rgb a, figure::Rgb b, const Seen& by) {
  const Rgb3 p = lab_of(linear_of(a), by), q = lab_of(linear_of(b), by);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

TEST(PaperPalette, InksAreDarkEnoughForSmallLettersAndApartForEverybody) {
  const figure::Palette& paper = figure::paper_palette();
  for (const figure::Rgb ink : paper.inks)
    EXPECT_GE(1.05 / (luminance_of(linear_of(ink)) + 0.05), 4.5) << std::hex << ink;  // WCAG 2.1
  const auto of = [&](figure::Ink ink) { return paper.ink(ink); };
  using figure::Ink;
  const std::vector<Ink> curves{Ink::accent, Ink::query, Ink::key, Ink::value, Ink::warning, Ink::mlp};
  for (const Seen& by : {kAll, kNoRed, kNoGreen}) {
    for (std::size_t i = 0; i < curves.size(); ++i)
      for (std::size_t j = i + 1; j < curves.size(); ++j)
        EXPECT_GT(apart(of(curves[i]), of(curves[j]), by), 18) << i << " " << j;
    EXPECT_GT(apart(paper.positive, paper.negative, by), 40);
  }
}

}  // namespace
}  // namespace attnscope
