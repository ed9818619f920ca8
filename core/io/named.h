// Choices in files, each by its name: a table of names and values, which does not change when an enum's order
// does. Files written before there were names hold numbers: the row of the table, counted from `first`. So a
// new choice goes to the end of its table.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace attnscope {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

/// The row of the table that `written` means, by name or by number; nothing where it means none.
std::optional<std::size_t> named_row(const nlohmann::json& written, std::span<const std::string_view> names,
                                     std::int64_t first);

/// The value that a file means; nothing where it means none of the table.
template <class Value, std::size_t N>
std::optional<Value> named_value(const nlohmann::json& written, const Named<Value> (&table)[N],
                                 std::int64_t first = 0) {
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) names[i] = table[i].name;
  const auto row = named_row(written, names, first);
  return row ? std::optional<Value>(table[*row].value) : std::nullopt;
}

/// The value of that name; nothing where the table does not have it.
template <class Value, std::size_t N>
std::optional<Value> value_of_name(std::string_view name, const Named<Value> (&table)[N]) {
  for (const Named<Value>& row : table)
    if (row.name == name) return row.value;
  return std::nullopt;
}

/// What a file says for the value; "" where the table does not have it.
template <class Value, std::size_t N>
std::string_view name_of_value(const Value& value, const Named<Value> (&table)[N]) {
  for (const Named<Value>& row : table)
    if (row.value == value) return row.name;
  return {};
}

}  // namespace attnscope
