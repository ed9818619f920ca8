// A figure as data: what is shown, in which order of importance, and whose numbers it is. It has no pixels
// and no colours: place() (core/figure/place.h) gives every part its place in a room, draw() its rectangles
// and texts. Whose ideas: Vega (marks as records), GTK (three sizes per box), SwiftUI (variants by priority).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/keyed_text.h"
#include "core/tensor/tensor.h"

namespace attnscope::figure {

/// Colours by meaning; the palette of a theme has one for each.
enum class Ink : std::uint8_t { text, dim, accent, query, key, value, warning, mlp };

/// Lines of text. `forms`: the full text first, then shorter ones.
struct WordsMark {
  enum class As : std::uint8_t { title, sentence, formula, note } as = As::sentence;
  std::vector<Text> forms;
  Ink ink = Ink::text;
  bool fills = false;  ///< takes the width that is left, so that what stands beside it stands at the edge
  bool large = false;  ///< a line to be read from afar
};

struct Names {
  std::vector<Text> labels;  ///< one each, or none
  int looked = -1;           ///< the row or column that is looked at; its name stands out
  Ink ink = Ink::dim;
  bool shown = true;             ///< false: beside another matrix with the same names, which shows them
  std::vector<int> struck = {};  ///< struck through: words that the model does not read as they are written
  int kept = -1;                 ///< named before others where names lack room
  Text axis = {};                ///< what the labels are, for print: "query"; empty: not said
};

/// allowed, open: 1 where it is so; open with its digits.
enum class Scale : std::uint8_t { share, diverging, open };

/// Values as cells with colours and, where there is room, digits. -inf is masked: hatched, without a digit.
struct MatrixMark {
  Tensor values;  ///< [rows, cols]
  Names rows, cols;
  Scale scale = Scale::share;
  double most = 1;  ///< value of the strongest colour
  int digits = 2;
  std::string of = {};  ///< whose numbers it shows, as a place: "blocks.0.attn.pattern[head=3]"
  /// One row drawn large, whose digits always stay: columns by importance, strongest first. Where they do not
  /// all fit, the last ones are added up in one cell "other n".
  std::vector<int> order;
  bool by_order = false;         ///< columns stand as in `order`, not as in `values`
  std::size_t most_columns = 0;  ///< of a row drawn large: at most so many beside "other n"; 0: all that fit
  /// What "other n" shows: what they add up to; each as a thin bar; nothing.
  enum class Others : std::uint8_t { sum, bars, none } others = Others::sum;
  /// Rows of several kinds of numbers, each with its own place and colours; empty: all as above.
  struct Row {
    std::string of;
    Scale scale = Scale::share;
    double most = 1;
    int digits = 2;
  };
  std::vector<Row> own_rows = {};
  bool masked_is_zero = false;  ///< a masked cell is 0 in the run, as a weight is; else -inf, as a score is
  bool heads = false;           ///< a number for each head, a row per block: a click looks at that head
  /// What the last row is made of, column by column: the rows above multiplied or added up, or softmax of the
  /// one above.
  enum class Made : std::uint8_t { none, product, sum, softmax } made = Made::none;
  bool tall = false;  ///< its rows drawn large are as high as the room allows
  bool bars = false;  ///< below rows drawn large: the last one once more, as bars from 0 up to its most
  struct Block {
    std::int64_t row = 0, col = 0, rows = 1, cols = 1;
  };
  std::vector<Block> edited = {};  ///< cells that an edit of the run touched: outlined
  bool printed = false;        ///< with a bar of its colours and the names of its axes: no sentence says them
  std::int64_t first_row = 0;  ///< of a piece of its step: where it begins
  std::vector<std::int64_t> picked_cols =
      {};  ///< its columns, ascending; a line stands where some are left out
  std::int64_t step_col(std::int64_t col) const {  ///< which column of the step it is
    const auto at = static_cast<std::size_t>(col);
    return at < picked_cols.size() ? picked_cols[at] : col;
  }
  bool signs = false;  ///< of a plane: a hidden cell has its sign, "−∞" or "0"
  Row row(std::int64_t at) const {
    const auto index = static_cast<std::size_t>(at < 0 ? 0 : at);
    return index < own_rows.size() ? own_rows[index] : Row{of, scale, most, digits};
  }
};

/// Rows of a name, a bar and numbers; the most important first.
struct TableMark {
  struct Row {
    std::vector<Text> cells;       ///< one per column; the first is the name
    std::optional<double> bar;     ///< 0 .. most
    std::optional<double> before;  ///< the same in the run compared with: a dashed outline
    bool lit = false;
    std::optional<double> from = {};   ///< a step of a waterfall: the bar goes from here to here + bar
    std::string of = {};               ///< what it is about, as a place of the run; empty: none
    bool edited = false;               ///< an edit of the run touched it: outlined
    std::optional<double> share = {};  ///< of 1: a second bar, behind the column TableMark::said
  };
  std::vector<Text> header;  ///< empty: none
  std::vector<Row> rows;
  double most = 1;
  double least = 0;            ///< of a waterfall, which may go below 0
  std::optional<double> rest;  ///< what the rows not in the table add up to, where they are numbers that add
  std::int64_t others = 0;     ///< how many those are
  bool shares = false;         ///< the bars are shares of 1: what is added up is written in percent
  bool leads = false;          ///< the first row is the answer: larger, bold, its bar in the ink of answers
  enum class Card : std::uint8_t { none, plain, chosen } card = Card::none;  ///< it stands on a panel
  bool tall = false;                                                         ///< its rows take a free height
  bool wide = false;                                                         ///< and its bars a free width
  int said = -1;  ///< the column of a word that Row::share is the share of; -1: none
};

/// Curves over one x axis.
struct PlotMark {
  struct Series {
    Text name;
    std::vector<std::pair<double, double>> points;
    Ink ink = Ink::accent;
    bool dashed = false;
    bool dots = false, line = true;  ///< a dot at each point; a line from one to the next
    double pixel = 0;                ///< dots are squares this wide, in units of x; 0: small and round
  };
  std::vector<Series> series;
  Text x_title;
  bool log_x = false, log_y = false;
  bool square = false;                                   ///< one unit is as long on both axes
  std::vector<double> x_marks = {}, y_marks = {};        ///< lines across: the current value, a limit
  std::pair<double, double> x_range = {}, y_range = {};  ///< of the axes; equal: those of the points
};

/// A thin line of places that are passed one after the other.
struct TrackMark {
  std::vector<Text> stops;
  int here = -1;  ///< the one that is looked at; -1: none
};

/// Shares of three things, which sum to 1, as a point between three corners.
struct TriangleMark {
  std::array<Text, 3> corners;
  std::array<double, 3> shares{};
  std::vector<std::array<double, 3>> way = {};  ///< other shares of the same three, as a dashed line
};

/// A word that is joined step by step from its letters: a row for each step, every piece as wide as its
/// letters, so that it stands below the pieces that it was made of.
struct StairsMark {
  struct Piece {
    Text text;
    int letters = 1;   ///< its width
    bool lit = false;  ///< made in this step
  };
  struct Row {
    Text name;  ///< what the step does
    std::vector<Piece> pieces;
  };
  std::vector<Row> rows;
};

using Mark = std::variant<WordsMark, MatrixMark, TableMark, PlotMark, TrackMark, TriangleMark, StairsMark>;

/// What a part can give up where room lacks. Each has a price (place.cpp); times the part's priority.
enum class Give : std::uint8_t {
  shorter_words,
  short_numbers,  ///< one digit less, no leading zero
  short_names,
  digits,  ///< colours alone
  fewer_rows,
  shortest_words,
  fewest_rows,
  names,
  left_out
};
/// "digits", "short_names", ...
std::string_view to_text(Give give);

struct Part {
  std::string id;  ///< stable: "pattern"
  Mark mark;
  int priority = 1;         ///< 3: the result, which gives way after all else
  std::vector<Text> title;  ///< full first, then shorter; none: no title
  std::string group;        ///< parts of a group give way together; empty: alone
};

/// A tree of boxes with parts as leaves. `either`: the row where it gives up less, else the column.
struct PartBox {
  enum class Way : std::uint8_t { leaf, row, column, either } way = Way::leaf;
  std::vector<PartBox> inside;
  std::optional<Part> part;
};
PartBox leaf(Part part);
PartBox row(std::vector<PartBox> inside);
PartBox column(std::vector<PartBox> inside);
PartBox either(std::vector<PartBox> inside);
PartBox words(std::string id, WordsMark::As as, std::vector<Text> forms, int priority = 1);

struct Figure {
  Text title;
  PartBox body;
};

/// Parts in order of reading.
std::vector<const Part*> parts_of(const Figure& figure);
const Part* find_part(const Figure& figure, std::string_view id);
/// The same figure with B - A in every matrix that both have (by id and shape): a cell masked in both stays
/// masked, a weight that was or is masked counts as 0. Words and tables are those of `b`.
Figure minus(const Figure& b, const Figure& a);
/// "0.42", "−1.30"; `shorter`: one digit less and ".4"; "∞", "NaN". U+2212 as minus sign; never "−0.00".
std::string number_text(double value, int digits, bool shorter = false);
/// For a terminal and a screen reader: titles, sentences, tables; of a matrix all rows, or the looked-at row
/// where it has more than `most_rows`.
std::string as_text(const Figure& figure, std::int64_t most_rows = 32);

}  // namespace attnscope::figure
