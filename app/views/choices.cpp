#include "app/views/choices.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/views/view.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/json_number.h"

namespace attnscope {

const nlohmann::json* Choices::find(const char* name) const {
  if (!from_ || !from_->is_object()) return nullptr;
  const auto found = from_->find(name);
  return found == from_->end() ? nullptr : &*found;
}

void Choices::offer(const char* name, double least, double most, bool whole) {
  if (offered_) offered_->push_back({name, {}, false, least, most, whole});
}

int Choices::row_of(const char* name, const std::vector<std::string_view>& names, int row,
                    std::int64_t first) {
  if (offered_) offered_->push_back({name, {names.begin(), names.end()}});
  if (to_) (*to_)[name] = row < 0 ? std::string_view() : names[static_cast<std::size_t>(row)];
  const auto* found = find(name);
  const auto read = found ? named_row(*found, names, first) : std::nullopt;
  return read ? static_cast<int>(*read) : row;
}

void Choices::flag(const char* name, bool& value, const std::string& off, const std::string& on) {
  if (offered_) offered_->push_back({name, {off, on}, true});
  if (to_) (*to_)[name] = value;
  if (const auto* found = find(name); found && found->is_boolean()) value = found->get<bool>();
}

void Choices::of(const char* name, bool& value) { flag(name, value, "false", "true"); }

void Choices::of(const char* name, std::string& value) {
  if (to_) (*to_)[name] = value;
  if (const auto* found = find(name); found && found->is_string()) value = found->get<std::string>();
}

void Choices::of(const char* name, std::string& value, const std::vector<std::string>& known) {
  if (offered_) offered_->push_back({name, known});
  of(name, value);
}

void Choices::of(const char* name, double& value, double least, double most) {
  offer(name, least, most, false);
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
  offer(name, static_cast<double>(least), static_cast<double>(most), true);
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

nlohmann::json chosen_in(View& view) {
  nlohmann::json out = nlohmann::json::object();
  Choices choices(out);
  view.keep(choices);
  return out;
}

void choose_in(View& view, const nlohmann::json& some) {
  nlohmann::json whole = chosen_in(view);
  whole.update(some);
  Choices choices(std::as_const(whole));
  view.keep(choices);
}

std::vector<Offered> offered_by(View& view) {
  std::vector<Offered> out;
  Choices choices(out);
  view.keep(choices);
  return out;
}

Result<nlohmann::json> Offered::read(const std::string& text) const {
  if (words.empty()) {
    const auto written = [&](double end) {
      return whole ? std::to_string(static_cast<std::int64_t>(end)) : short_number(end);
    };
    const double near = 1e-6;  // relative: ends are floats
    const auto number = parse_real(text, least - near * std::abs(least), most + near * std::abs(most));
    if (!number || (whole && *number != std::floor(*number)))
      return fail(Code::bad_format, "error.app.set.range",
                  {name, written(least), written(most), in_quotes(text)});
    return whole ? nlohmann::json(static_cast<std::int64_t>(*number))
                 : nlohmann::json(std::clamp(*number, least, most));
  }
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end())
    return fail(Code::not_found, "error.app.no_such",
                {Text::of("error.app.no_such.value"), in_quotes(text), join(words, ", ")});
  return flag ? nlohmann::json(found != words.begin()) : nlohmann::json(text);
}

Result<nlohmann::json> read_settings(const std::vector<std::string>& texts) {
  nlohmann::json out = nlohmann::json::object();
  const auto views = make_views();
  for (const std::string& text : texts) {
    const std::size_t dot = text.find('.'), equals = text.find('=');
    if (dot == std::string::npos || equals == std::string::npos || equals < dot)
      return fail(Code::bad_format, "error.app.set", {in_quotes(text)});
    const std::string id = text.substr(0, dot), name = text.substr(dot + 1, equals - dot - 1);
    std::vector<std::string> ids, names;
    for (const auto& view : views) {
      std::vector<Offered> offered = offered_by(*view);
      if (offered.empty()) continue;
      ids.emplace_back(view->id());
      if (id != view->id()) continue;
      for (const Offered& one : offered) {
        names.push_back(one.name);
        if (one.name != name) continue;
        TRY(out[id][name], one.read(text.substr(equals + 1)));
      }
    }
    if (names.empty())
      return fail(Code::not_found, "error.app.no_such",
                  {Text::of("error.app.no_such.controls"), in_quotes(id), join(ids, ", ")});
    if (!out.contains(id) || !out[id].contains(name))
      return fail(Code::not_found, "error.app.no_such",
                  {Text::of("error.app.no_such.control"), in_quotes(name), join(names, ", ")});
  }
  return out;
}

}  // namespace attnscope
