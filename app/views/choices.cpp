#include "app/views/choices.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/io/json_number.h"

namespace attnscope {

const nlohmann::json* Choices::find(const char* name) const {
  if (!from_ || !from_->is_object()) return nullptr;
  const auto found = from_->find(name);
  return found == from_->end() ? nullptr : &*found;
}

void Choices::put(const char* name, std::string_view text) { (*to_)[name] = text; }

void Choices::of(const char* name, bool& value) {
  if (to_) (*to_)[name] = value;
  if (const auto* found = find(name); found && found->is_boolean()) value = found->get<bool>();
}

void Choices::of(const char* name, std::string& value) {
  if (to_) (*to_)[name] = value;
  if (const auto* found = find(name); found && found->is_string()) value = found->get<std::string>();
}

void Choices::of(const char* name, double& value, double least, double most) {
  if (to_) (*to_)[name] = value;
  if (const auto* found = find(name); found && found->is_number())
    if (const auto read = found->get<double>(); read >= least && read <= most) value = read;
}

void Choices::of(const char* name, float& value, float least, float most) {
  auto number = static_cast<double>(value);
  of(name, number, static_cast<double>(least), static_cast<double>(most));
  value = static_cast<float>(number);
}

void Choices::of(const char* name, std::int64_t& value, std::int64_t least, std::int64_t most) {
  if (to_) (*to_)[name] = value;
  if (const auto* found = find(name)) value = whole_in(*found, least, most).value_or(value);
}

void Choices::of(const char* name, int& value, int least, int most) {
  std::int64_t number = value;
  of(name, number, least, most);
  value = static_cast<int>(number);
}

void Choices::of(const char* name, MatrixWindow& window) {
  double* const numbers[] = {&window.row0, &window.col0, &window.row1, &window.col1};
  if (to_ && !window.all())
    for (const double* number : numbers) (*to_)[name].push_back(*number);
  constexpr double kMost = 1e9;  // larger indices are not exact
  const auto* found = find(name);
  if (!found || !found->is_array() || found->size() != 4) return;
  MatrixWindow read;
  double* const into[] = {&read.row0, &read.col0, &read.row1, &read.col1};
  for (std::size_t i = 0; i < 4; ++i) {
    if (!(*found)[i].is_number()) return;
    *into[i] = std::clamp((*found)[i].get<double>(), 0.0, kMost);
  }
  if (!read.all()) window = read;
}

}  // namespace attnscope
