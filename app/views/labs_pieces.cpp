#include "app/views/labs_pieces.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/views/labs_curves.h"
#include "app/views/labs_table.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"

namespace attnscope {
namespace {

/// Height of a piece in pixels; `grows`: it can use more.
struct PieceHeight {
  float least = 0;
  bool grows = false;
};

constexpr float kAcross = 30.f;  // units between pieces of a row

/// Spacing in units; smaller when there is little room, so that all pieces are visible.
struct Spacing {
  float table_row, bar_row, plot, matrix, matrix_row, gap;
};
constexpr Spacing kSpacings[] = {
    {20, 17, 200, 150, 15, 18}, {14, 13, 160, 100, 13.5f, 9}, {12, 11.5f, 96, 60, 11, 6}};
constexpr float kLowestBar = 11.5f, kLowCells = 30.f;  // units

std::uint64_t drawn_serial = 0;  // serial of the picture being drawn

const std::string& said(const Text& text) { return lab_words(text, drawn_serial); }

float title_height(const Text& title) {
  return title.empty() ? 0 : text_size(fonts().body_bold, "X").y + scaled(7);
}

float labs_pieces_draw_title(const Text& title, ImVec2 at, float width) {
  return draw_lab_title(title, drawn_serial, at, width);
}

// ---- matrices --------------------------------------------------------------------------------------

MatrixAxis axis_of(const Text& title, const std::vector<Text>& labels) {
  MatrixAxis axis;
  axis.title = said(title);
  for (const Text& label : labels) axis.labels.push_back(said(label));
  return axis;
}

void draw_values(Painter& painter, const LabMatrix& from, const std::string& key, ImVec2 at, ImVec2 size) {
  const float top = labs_pieces_draw_title(from.title, at, size.x);
  MatrixPlot plot;
  plot.key = "lab_" + key;
  plot.values = from.values;
  plot.rows = axis_of(from.rows, from.row_labels);
  plot.cols = axis_of(from.cols, from.col_labels);
  plot.digits = from.digits;
  plot.max_cell = 104.f;
  if (from.scale == LabMatrix::Scale::share) {
    plot.style.map = Colormap::sequential;
    plot.aspect = 0.9f;
    plot.masked_numbers = false;
    plot.style.lo = 0, plot.style.hi = static_cast<float>(from.range > 0 ? from.range : 1);
  } else {
    plot.style.map = Colormap::diverging;
    set_range(plot.style, signed_range(from.values));
    if (from.range > 0) plot.style.hi = static_cast<float>(from.range);
  }
  const ImVec2 room(size.x, std::max(1.f, at.y + size.y - top));
  const auto rows = static_cast<float>(std::max<std::int64_t>(1, from.values.size(0)));
  const float most = scaled(plot.max_cell);
  if (room.y < rows * scaled(kLowCells)) fill_room(plot, room, ImVec2(most, most * plot.aspect));
  draw_matrix(painter, plot, ImVec2(at.x, top), room);
}

// ---- bars ------------------------------------------------------------------------------------------

double least_bar(const LabBars& bars) {
  double least = INFINITY;
  for (const LabBars::Bar& bar : bars.bars)
    if (bar.value > 0) least = std::min(least, bar.value);
  return std::isfinite(least) ? least / 2 : 1;
}

// Bar length by magnitude, 0..1 of the room.
float length_of(const LabBars& bars, double value, double most) {
  const double size = std::fabs(value);
  if (!(most > 0) || !(size > 0)) return 0;
  if (!std::isfinite(size)) return 1;
  const double least = least_bar(bars);
  const double share =
      bars.log && most > least ? std::log(size / least) / std::log(most / least) : size / most;
  return static_cast<float>(std::clamp(share, 0.0, 1.0));
}

Table labs_pieces_bars_of(const LabBars& bars) {
  double most = bars.most;
  for (const LabBars::Bar& bar : bars.bars)
    if (bars.most <= 0 && std::isfinite(bar.value)) most = std::max(most, std::fabs(bar.value));
  Table out;
  out.columns = {{}, bar_column({}, 1), number_column()};
  for (const LabBars::Bar& bar : bars.bars)
    out.rows.push_back({{},
                        {{said(bar.name)},
                         {.bar = static_cast<double>(length_of(bars, bar.value, most)),
                          .bar_ink = with_alpha(lab_ink(bar.ink), bar.value < 0 ? 0.5f : 1.f)},
                         {said(bar.shown)}}});
  return out;
}

void labs_pieces_draw_bars(const LabBars& bars, const std::string& key, ImVec2 at, ImVec2 size) {
  static std::unordered_map<std::string, Kept<Table>> kept;
  Table& table = kept[key].get({drawn_serial, reinterpret_cast<std::uintptr_t>(&bars)},
                               [&] { return labs_pieces_bars_of(bars); });
  const float y = labs_pieces_draw_title(bars.title, at, size.x);
  const auto count = static_cast<float>(std::max<std::size_t>(1, bars.bars.size()));
  table.row = std::clamp((at.y + size.y - y) / count, scaled(kLowestBar), scaled(44));
  (void)draw_table(table, ImVec2(at.x, y), size.x);
}

// Column names, slanted if wider than a cell; and the names of both axes.
float matrix_header(const LabMatrix& matrix, float width) {
  const float line = text_size(fonts().mono_small, "X").y;
  float widest = 0, rows = 0;
  for (const Text& label : matrix.col_labels)
    widest = std::max(widest, text_size(fonts().mono_small, said(label)).x);
  for (const Text& label : matrix.row_labels)
    rows = std::max(rows, text_size(fonts().mono_small, said(label)).x);
  const float cell = (width - rows) / static_cast<float>(std::max<std::int64_t>(1, matrix.values.size(1)));
  const bool axes = !matrix.rows.empty() || !matrix.cols.empty();
  const float names = widest + scaled(8) > cell ? widest * kSlantSine + line : line + scaled(4);
  return title_height(matrix.title) + names + (axes ? line + scaled(4) : 0);
}

struct HeightOf {
  const Spacing& spacing;
  float width = 0;
  PieceHeight operator()(const LabPlot&) const { return {scaled(spacing.plot), true}; }
  PieceHeight operator()(const LabMatrix& matrix) const {
    const auto rows = static_cast<float>(matrix.values.size(0));
    return {
        std::max(scaled(spacing.matrix), scaled(rows * spacing.matrix_row) + matrix_header(matrix, width)),
        true};
  }
  PieceHeight operator()(const LabBars& bars) const {
    return {title_height(bars.title) + scaled(spacing.bar_row) * static_cast<float>(bars.bars.size()), false};
  }
  PieceHeight operator()(const LabTable& table) const {
    const std::size_t rows = table.rows.size() + (table.header.empty() ? 0 : 1);
    return {title_height(table.title) + scaled(spacing.table_row) * static_cast<float>(rows), false};
  }
};

constexpr float kLooseBelow = 420;   // units
constexpr float kLeastKept = 0.55f;  // of a piece's own width, beside one whose texts need more
constexpr float kLegendMark = 34;    // units of a curve's mark and the space around its name
constexpr float kLeastBars = 60;     // units beside the names and numbers of bars
constexpr float kLeastPiece = 150;   // minimum average width of pieces side by side, units

struct PieceRow {
  std::vector<const LabPiece*> pieces;
  std::vector<float> widths;  // pixels
  float height = 0, share = 0, weight = 1;
  bool grows = false;
};

// Number of pieces in the row that starts at `at`.
std::size_t row_length(const std::vector<LabPiece>& pieces, std::size_t at) {
  std::size_t length = 1;
  for (std::size_t i = at + 1; i < pieces.size() && !pieces[i].begins_row; ++i)
    length += pieces[i].in_easy ? 0 : 1;
  return length;
}

// The names of its curves, beside each other.
float legend_width(const LabPlot& plot) {
  float out = 0;
  for (const LabSeries& one : plot.series)
    if (!one.name.empty()) out += text_size(fonts().small, said(one.name)).x + scaled(kLegendMark);
  return out;
}

// Of its texts: the title, the cells of a table, the names and numbers of bars, of curves.
float needed_width(const LabPiece& piece) {
  const Text& title = std::visit([](const auto& what) -> const Text& { return what.title; }, piece.what);
  const float own = title.empty() ? 0 : text_size(fonts().small, said(title)).x;
  const auto* table = std::get_if<LabTable>(&piece.what);
  if (table) return std::max(own, lab_table_width(*table, drawn_serial));
  if (const auto* plot = std::get_if<LabPlot>(&piece.what)) return std::max(own, legend_width(*plot));
  const auto* bars = std::get_if<LabBars>(&piece.what);
  return bars ? std::max(own, table_width(labs_pieces_bars_of(*bars)) + scaled(kLeastBars)) : own;
}

// By their shares; what has no room for its texts takes some from those beside it.
void share_width(PieceRow& row, float width) {
  const float gaps = scaled(kAcross) * static_cast<float>(row.pieces.size() - 1);
  std::vector<float> needs;
  for (const LabPiece* piece : row.pieces) {
    row.widths.push_back((width - gaps) * piece->share / row.share);
    needs.push_back(needed_width(*piece));
  }
  widen_by_need(row.widths, needs, kLeastKept);
}

// If the room is too narrow for pieces side by side, they are stacked.
std::vector<PieceRow> labs_pieces_rows_of(const LabPicture& picture, const Spacing& spacing, float width) {
  std::vector<PieceRow> rows;
  bool narrow = false;
  for (std::size_t at = 0; at < picture.pieces.size(); ++at) {
    const LabPiece& piece = picture.pieces[at];
    if (piece.in_easy) continue;
    const bool begins = rows.empty() || piece.begins_row;
    if (begins) narrow = width < scaled(kLeastPiece) * static_cast<float>(row_length(picture.pieces, at));
    if (begins || narrow) {
      const float weight = begins ? piece.height : rows.back().weight;
      rows.emplace_back();
      rows.back().weight = weight;
    }
    rows.back().pieces.push_back(&piece);
    rows.back().share += piece.share;
  }
  for (PieceRow& row : rows) {
    share_width(row, width);
    for (std::size_t i = 0; i < row.pieces.size(); ++i) {
      Spacing own = spacing;
      own.plot *= std::min(1.f, row.weight);
      const PieceHeight height = std::visit(HeightOf{own, row.widths[i]}, row.pieces[i]->what);
      row.height = std::max(row.height, height.least);
      row.grows |= height.grows;
    }
  }
  return rows;
}

float height_of(const std::vector<PieceRow>& rows, const Spacing& spacing) {
  float used = scaled(spacing.gap) * static_cast<float>(rows.size() - 1);
  for (const PieceRow& row : rows) used += row.height;
  return used;
}

// Distributes spare height to rows that can grow, by weight; if there are none, to all.
void fill_height(std::vector<PieceRow>& rows, float spare) {
  float weights = 0;
  const bool any = std::any_of(rows.begin(), rows.end(), [](const PieceRow& row) { return row.grows; });
  for (const PieceRow& row : rows)
    if (row.grows || !any) weights += row.weight;
  for (PieceRow& row : rows)
    if (row.grows || !any) row.height += spare * row.weight / weights;
}

struct PieceRows {
  std::vector<PieceRow> rows;
  float gap = 0;
};

// Preferred heights if there is room, else interpolates between two spacings; and the gap between rows. If
// even the tighter one does not fit, it scrolls: beside the scrollbar, and in a narrow half not as tight.
PieceRows share_height(const LabPicture& picture, ImVec2 room) {
  std::vector<PieceRow> rows;
  float wider = 0;
  std::vector<PieceRow> before;
  for (const Spacing& spacing : kSpacings) {
    before = std::exchange(rows, labs_pieces_rows_of(picture, spacing, room.x));
    const float used = height_of(rows, spacing), gap = scaled(spacing.gap);
    if (used <= room.y && before.empty()) fill_height(rows, room.y - used);
    if (used <= room.y && !before.empty()) {
      const float share = (room.y - used) / std::max(wider - used, 1.f);
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].height += (before[i].height - rows[i].height) * share;
      return {std::move(rows), gap + (scaled((&spacing)[-1].gap) - gap) * share};
    }
    if (used <= room.y) return {std::move(rows), gap};
    wider = used;
  }
  const Spacing& scrolled = kSpacings[room.x < scaled(kLooseBelow) ? 1 : std::size(kSpacings) - 1];
  const float width = room.x - ImGui::GetStyle().ScrollbarSize;
  return {labs_pieces_rows_of(picture, scrolled, width), scaled(scrolled.gap)};
}

}  // namespace

float draw_lab_title(const Text& title, std::uint64_t serial, ImVec2 at, float width) {
  if (title.empty()) return at.y;
  const std::string& words = lab_words(title, serial);
  ImFont* const face = text_size(fonts().body_bold, words).x <= width ? fonts().body_bold : fonts().small;
  const FittedText shown = fitted_text(face, words, width);
  Canvas().text(face, at, theme().text, shown.text, shown.size);
  return at.y + title_height(title);
}

void draw_lab_piece(Painter& painter, const LabPiece& piece, const std::string& key, ImVec2 at, ImVec2 size) {
  if (const auto* plot = std::get_if<LabPlot>(&piece.what))
    return draw_lab_curves(*plot, drawn_serial, key, at, size);
  if (const auto* matrix = std::get_if<LabMatrix>(&piece.what))
    return draw_values(painter, *matrix, key, at, size);
  if (const auto* bars = std::get_if<LabBars>(&piece.what))
    return labs_pieces_draw_bars(*bars, key, at, size);
  draw_lab_table(std::get<LabTable>(piece.what), drawn_serial, key, at, size);
}

const std::string& lab_words(const Text& text, std::uint64_t serial) {
  static KeptTexts kept;
  return kept.get(text_key({serial, reinterpret_cast<std::uintptr_t>(&text)}), [&] {
    std::string words = text.str();
    note_text(words);
    return words;
  });
}

float draw_lab_picture(Painter& painter, const LabPicture& picture, std::uint64_t serial,
                       const std::string& key, ImVec2 at, ImVec2 size) {
  drawn_serial = serial;
  if (picture.pieces.empty()) return 0;
  static Kept<PieceRows> kept;
  const auto& [rows, gap] =
      kept.get({serial, std::bit_cast<std::uint32_t>(size.x), std::bit_cast<std::uint32_t>(size.y)},
               [&] { return share_height(picture, size); });
  float y = at.y;
  int index = 0;
  for (const PieceRow& row : rows) {
    float x = at.x;
    for (std::size_t i = 0; i < row.pieces.size(); ++i) {
      const float width = row.widths[i];
      const std::string number = std::to_string(index++);
      draw_lab_piece(painter, *row.pieces[i], key + "_" + number, ImVec2(x, y), ImVec2(width, row.height));
      note_item(Label("lab_piece_", number), ItemRect{ImVec2(x, y), ImVec2(x + width, y + row.height)});
      x += width + scaled(kAcross);
    }
    y += row.height + gap;
  }
  return y - gap - at.y;
}

}  // namespace attnscope
