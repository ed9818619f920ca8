// Settings inside a view (page, colours, place) by name, for session files: a view lists them in one
// function, which both reads and writes. Invalid values are ignored and the current ones kept.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/widgets/matrix_plot.h"
#include "core/io/named.h"

namespace attnscope {

class Choices {
 public:
  /// Reads from an object (must outlive this), or writes into one.
  explicit Choices(const nlohmann::json& from) : from_(&from) {}
  explicit Choices(nlohmann::json& to) : to_(&to) {}
  bool reads() const { return from_ != nullptr; }

  void of(const char* name, bool& value);
  void of(const char* name, std::string& value);
  void of(const char* name, float& value, float least, float most);
  void of(const char* name, double& value, double least, double most);
  void of(const char* name, std::int64_t& value, std::int64_t least, std::int64_t most);
  void of(const char* name, int& value, int least, int most);
  /// The visible part of a matrix.
  void of(const char* name, MatrixWindow& window);
  /// One of a table, written by its name. `first`: what files of before wrote for the table's first row.
  template <class Value, std::size_t N>
  void of(const char* name, Value& value, const Named<Value> (&table)[N], std::int64_t first = 0) {
    if (to_) put(name, name_of_value(value, table));
    if (const auto* found = find(name)) value = named_value(*found, table, first).value_or(value);
  }

 private:
  void put(const char* name, std::string_view text);
  const nlohmann::json* find(const char* name) const;

  const nlohmann::json* from_ = nullptr;
  nlohmann::json* to_ = nullptr;
};

}  // namespace attnscope
