// Settings inside a view (page, colours, place) by name, for session files: a view lists them in one
// function, which both reads and writes. Invalid values are ignored and the current ones kept.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <type_traits>

#include "app/widgets/matrix_plot.h"

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
  /// An enum value from 0 to `last`.
  template <class Enum>
  requires std::is_enum_v<Enum>
  void of(const char* name, Enum& value, Enum last) {
    int number = static_cast<int>(value);
    of(name, number, 0, static_cast<int>(last));
    value = static_cast<Enum>(number);
  }

 private:
  const nlohmann::json* find(const char* name) const;

  const nlohmann::json* from_ = nullptr;
  nlohmann::json* to_ = nullptr;
};

}  // namespace attnscope
