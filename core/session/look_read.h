// Fields of what a session keeps of a window: of another kind, or not there, the value stays as it is.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "core/io/named.h"

namespace attnscope {

template <class Value>
void session_look_read(const nlohmann::json& look, const char* key, Value& value) {
  const auto found = look.find(key);
  if (found == look.end()) return;
  if constexpr (std::is_same_v<Value, bool>) {
    if (found->is_boolean()) value = found->template get<bool>();
  } else if constexpr (std::is_same_v<Value, std::string>) {
    if (found->is_string()) value = found->template get<std::string>();
  } else if constexpr (std::is_floating_point_v<Value>) {
    if (found->is_number() && std::abs(found->template get<double>()) < 1e9)
      value = found->template get<Value>();
  } else {
    if (found->is_number_integer() && std::abs(found->template get<double>()) < 1e9)
      value = found->template get<Value>();
  }
}

template <class Value, std::size_t N>
void session_look_read(const nlohmann::json& look, const char* key, Value& value,
                       const Named<Value> (&table)[N]) {
  if (const auto found = look.find(key); found != look.end())
    value = named_value(*found, table).value_or(value);
}

}  // namespace attnscope
