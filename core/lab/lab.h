// A lab: a small experiment on real numbers. A few controls, a pure function from their values to a picture
// (curves, small matrices, bars, tables), the formula with the current numbers, and one sentence of
// what to notice. Window and command line draw every lab alike. Error: a value outside of a control's range.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/tensor.h"

namespace attnscope {

// ---- controls ------------------------------------------------------------------------------------

/// A number between two limits; `log`: the slider runs in powers (least > 0).
struct LabNumber {
  double least = 0, most = 1, initial = 0;
  bool whole = false, log = false;
  std::string pace =
      {};  ///< id of the control with its speed in steps of 1 per second, where it can run by itself
};
/// One of a few; each a key of the tables, whose last word is its id: "lab.sqrt.scaling.on".
struct LabChoice {
  std::vector<std::string> keys;
  int initial = 0;
};
struct LabSwitch {
  bool initial = false;
};
/// A text that one types; its number stays 0.
struct LabWords {
  std::string initial;
};
/// `key` is the key of its name, "lab.sqrt.d_k"; its last word is its id. The texts may have `key` + ".help".
struct LabControl {
  std::string key;
  std::variant<LabNumber, LabChoice, LabSwitch, LabWords> kind;
  std::string with = {};  ///< id of a control without whose choice `of` this one changes nothing; empty: none
  int of = 0;
  std::string id() const;
  /// Its default: the number, the index of the choice, 0 or 1; 0 for texts.
  double initial() const;
};

/// A value for every control of a lab, by id.
class LabValues {
 public:
  double number(const std::string& id) const;
  std::int64_t whole(const std::string& id) const;
  /// Index of the choice.
  int choice(const std::string& id) const { return static_cast<int>(whole(id)); }
  bool on(const std::string& id) const { return number(id) != 0; }
  void set(const std::string& id, double value) { values_[id] = value; }
  const std::map<std::string, double>& all() const { return values_; }
  /// What is typed; empty for other controls.
  const std::string& words(const std::string& id) const;
  void set_words(const std::string& id, std::string words) { words_[id] = std::move(words); }

 private:
  std::map<std::string, double> values_;
  std::map<std::string, std::string> words_;
};

// ---- the picture ---------------------------------------------------------------------------------

/// Colours by number, so that core needs no theme. `dim`: for comparison.
enum class LabInk : std::uint8_t { blue, red, green, amber, purple, dim };

struct LabSeries {
  Text name;
  std::vector<std::pair<double, double>> points;
  LabInk ink = LabInk::blue;
  bool dashed = false, dots = false;
  bool points_only = false;  ///< dots without a line
  double pixel = 0;          ///< points are squares this wide, in units of x; they need no name
};
struct LabPlot {
  Text title, x_title;
  std::vector<LabSeries> series;
  bool log_x = false, log_y = false;
  bool square = false;                         ///< one unit is as long on both axes
  std::vector<double> x_marks, y_marks;        ///< lines across the plot: the current value, a limit
  std::pair<double, double> x{0, 0}, y{0, 0};  ///< limits; equal: those of the points
};
struct LabMatrix {
  enum class Scale : std::uint8_t { signed_values, share };  ///< around 0, or from 0 to 1
  Text title, rows, cols;                                    ///< what rows and columns are
  Tensor values;                                             ///< [rows, cols]; -inf = masked
  std::vector<Text> row_labels, col_labels;
  Scale scale = Scale::signed_values;
  int digits = 2;
  double range = 0;  ///< where the colours end; 0: at the largest value
};
struct LabBars {
  struct Bar {
    Text name;
    double value = 0;
    Text shown;  ///< the value as text
    LabInk ink = LabInk::blue;
  };
  Text title;
  std::vector<Bar> bars;
  bool log = false;  ///< lengths by the logarithm, from the least value on
  double most = 0;   ///< the value of a full bar; 0: the largest
};
struct LabTable {
  Text title;
  std::vector<Text> header;  ///< empty: none
  std::vector<std::vector<Text>> rows;
  int lit = -1;  ///< a row that stands out
};
struct LabPiece {
  std::variant<LabPlot, LabMatrix, LabBars, LabTable> what;
  float share = 1;          ///< of the width of its row
  bool begins_row = false;  ///< stands below those before it
  float height = 1;         ///< of its row, where it begins one
  bool in_full = false;     ///< not in the easy window, which has room for one picture
  bool in_easy = false;     ///< in the easy window alone
};
struct LabPicture {
  std::vector<LabPiece> pieces;
  Text formula;  ///< with the numbers of this moment
  Text notice;   ///< true at this moment
};

// ---- labs ----------------------------------------------------------------------------------------

using LabWork = std::function<Result<LabPicture>(const LabValues& values, const std::atomic<bool>& cancel)>;
/// The number that the window moves once by itself, to show that it can be moved: from its initial value to
/// this one and back.
struct LabMove {
  std::string id;  ///< of the control
  double to = 0;
};
/// What there is to try in the easy window: this control is set to this value. `beside`: a second control
/// that stands beside it there; empty: none.
struct LabTry {
  std::string id;  ///< of the control
  double to = 0;
  std::string beside = {};
};
/// The tables hold `key` + ".title", `key` + ".sentence" and, of what there is to try, `key` + ".try".
struct Lab {
  std::string key;  ///< "lab.sqrt"
  int order = 0;    ///< in lists, smallest first
  std::vector<LabControl> controls;
  LabWork compute;
  LabMove moves = {};
  LabTry tries = {};
  std::string id() const;
};

/// All labs, from core/lab/lab_*.cpp (each has one `Lab lab_NAME()`), in the order of files.
const std::vector<Lab>& labs_by_file();
/// The same in their own order.
const std::vector<Lab>& labs();
/// Errors: an unknown name (lists those that are known).
Result<const Lab*> find_lab(std::string_view id);
/// Null: none of them is called so.
const LabControl* find_control(const std::vector<LabControl>& controls, std::string_view id);
inline const LabControl* find_control(const Lab& lab, std::string_view id) {
  return find_control(lab.controls, id);
}

LabValues initial_values(const Lab& lab);
/// The value of the control that the lab moves at `share` of the way there and back, 0 to 1; at both ends the
/// initial one. On logarithmic controls in equal factors. Nothing where the lab moves none.
std::optional<double> moved_value(const Lab& lab, double share);
/// A value as a person writes it: a number, the id or index of a choice, on, off; 0 for texts. Errors: no
/// such control, a value outside of its limits.
Result<double> parse_value(const LabControl& control, std::string_view text);
/// "d_k=64" of some controls. Errors as above, and a text without "=".
Status set_value(const std::vector<LabControl>& controls, LabValues& values, std::string_view assignment);
inline Status set_value(const Lab& lab, LabValues& values, std::string_view assignment) {
  return set_value(lab.controls, values, assignment);
}
/// A lab and values: "sqrt,d_k=64,scaling=on". Errors as above.
struct LabRequest {
  const Lab* lab = nullptr;
  LabValues values;
};
Result<LabRequest> parse_lab_request(std::string_view text);
/// The text from which set_value reads the same value.
std::string value_text(const LabControl& control, double value);
/// The value of a control among those of its lab, words too.
std::string value_text(const LabControl& control, const LabValues& values);
/// The picture at these values; missing ones have their defaults, numbers are clamped to their limits.
/// Errors: the lab's own; Code::cancelled.
Result<LabPicture> compute(const Lab& lab, const LabValues& values, const std::atomic<bool>& cancel);
Result<LabPicture> compute(const Lab& lab, const LabValues& values);

}  // namespace attnscope
