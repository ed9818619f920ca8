// Settings inside a view (page, colours, place) by name, for session files and --set: a view lists them in
// one function, which reads, writes and offers them. Invalid values are ignored and the current ones kept.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/widgets/controls.h"
#include "app/widgets/matrix_plot.h"
#include "core/base/result.h"
#include "core/io/named.h"

namespace attnscope {

class View;

/// What can be chosen for one setting: one of `words`, or a number.
struct Offered {
  std::string name;
  std::vector<std::string> words;
  bool flag = false;  ///< files have false and true for the two words
  double least = 0, most = 0;
  bool whole = false;

  /// Its value in files. Errors: there is no such word; outside of the range.
  Result<nlohmann::json> read(const std::string& text) const;
};

class Choices {
 public:
  /// Reads from an object (must outlive this), or writes into one, or only says what can be chosen.
  explicit Choices(const nlohmann::json& from) : from_(&from) {}
  explicit Choices(nlohmann::json& to) : to_(&to) {}
  explicit Choices(std::vector<Offered>& offered) : offered_(&offered) {}
  bool reads() const { return from_ != nullptr; }

  void of(const char* name, bool& value);
  void of(const char* name, std::string& value);
  /// The same, one of these, or empty.
  void of(const char* name, std::string& value, const std::vector<std::string>& known);
  void of(const char* name, float& value, float least, float most);
  void of(const char* name, double& value, double least, double most);
  void of(const char* name, std::int64_t& value, std::int64_t least, std::int64_t most);
  void of(const char* name, int& value, int least, int most);
  /// The visible part of a matrix.
  void of(const char* name, MatrixWindow& window);
  /// One of a table, written by its name. `first`: what files of before wrote for the table's first row.
  template <class Value, std::size_t N>
  void of(const char* name, Value& value, const Named<Value> (&table)[N], std::int64_t first = 0) {
    row(name, std::span<const Named<Value>>(table), value, first);
  }

  template <class Value>
  void of(OneOf<Value>& control) {
    row(control.name, control.options, control.value, control.first);
  }
  void of(Switch& control) { of(control.name, control.on); }
  template <class Number>
  void of(Ranged<Number>& control) {
    of(control.name, control.value, control.least, control.most);
  }
  template <class... Controls>
  void all(Controls&... controls) {
    (of(controls), ...);
  }

 private:
  const nlohmann::json* find(const char* name) const;
  void offer(const char* name, double least, double most, bool whole);
  void flag(const char* name, bool& value, const std::string& off, const std::string& on);
  /// The row that was read, else `row`; -1: none.
  int row_of(const char* name, const std::vector<std::string_view>& names, int row, std::int64_t first);
  template <class Row, class Value>
  void row(const char* name, std::span<const Row> rows, Value& value, std::int64_t first) {
    std::vector<std::string_view> names;
    int at = -1;
    for (const Row& one : rows) {
      if (one.value == value) at = static_cast<int>(names.size());
      names.push_back(one.name);
    }
    if constexpr (std::is_same_v<Value, bool>) {
      const bool swapped = rows[0].value;
      flag(name, value, std::string(names[swapped ? 1 : 0]), std::string(names[swapped ? 0 : 1]));
    } else if (at = row_of(name, names, at, first); at >= 0) {
      value = rows[static_cast<std::size_t>(at)].value;
    }
  }

  const nlohmann::json* from_ = nullptr;
  nlohmann::json* to_ = nullptr;
  std::vector<Offered>* offered_ = nullptr;
};

/// What the view has chosen, as an object of names.
nlohmann::json chosen_in(View& view);
/// Takes what the object has; the rest stays.
void choose_in(View& view, const nlohmann::json& some);
std::vector<Offered> offered_by(View& view);
/// Reads "view.control=value": {view: {control: value}}. Errors: form; unknown view, control or value.
Result<nlohmann::json> read_settings(const std::vector<std::string>& texts);

}  // namespace attnscope
