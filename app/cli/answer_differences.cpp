#include "app/cli/answer_differences.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/read_all.h"
#include "core/session/told_run.h"

namespace attnscope::cli {
namespace {

// A member that older answers lack, or have under another name alone.
bool is_later(const nlohmann::json& before, const std::string& name) {
  const auto has = [&](const char* one) { return before.contains(one); };
  return name == "estimate_r" ||
         (name == "rows" && (has("heads") || has("blocks") || has("depths") || has("steps") || has("ids")));
}

bool same_kind(const nlohmann::json& a, const nlohmann::json& b) {
  return a.type() == b.type() || (a.is_number() && b.is_number());
}

// A number that a table has as text.
std::optional<double> text_number(const nlohmann::json& cell) {
  if (!cell.is_string()) return std::nullopt;
  double out = 0;
  return read_all(cell.get_ref<const std::string&>(), out) ? std::optional(out) : std::nullopt;
}

void compare(const nlohmann::json& a, const nlohmann::json& b, const std::string& path, double tolerance,
             AnswerDifferences& out) {
  if (!out.other.empty()) return;
  const bool members = a.is_object() && b.is_object();
  if (!same_kind(a, b) || (!members && a.size() != b.size())) {
    out.other = path.empty() ? "/" : path;
  } else if (a.is_number()) {
    const double before = a.get<double>(), now = b.get<double>(), off = std::fabs(before - now);
    ++out.numbers;
    const bool above = off > tolerance * std::max(1.0, std::fabs(before));
    if (out.at.empty() || off > (above ? out.beyond : out.beyond > 0 ? off : out.largest)) out.at = path;
    if (above) out.beyond = std::max(out.beyond, off);
    out.largest = std::max(off, out.largest);
  } else if (a.is_array()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      compare(a[i], b[i], path + "/" + std::to_string(i), tolerance, out);
  } else if (a.is_object()) {
    for (const auto& [name, value] : a.items()) {
      if (path.empty() && name == "run") continue;
      if (!b.contains(name)) out.other = path + "/" + name;
      if (out.other.empty()) compare(value, b[name], path + "/" + name, tolerance, out);
    }
    for (const auto& [name, value] : b.items())
      if (out.other.empty() && !a.contains(name) && (!path.empty() || !is_later(a, name)))
        out.other = path + "/" + name;
  } else if (const auto number = text_number(a), other = text_number(b); number && other && a != b) {
    compare(*number, *other, path, tolerance, out);
  } else if (number && other) {
    ++out.numbers;
  } else if (a != b) {
    out.other = path;
  }
}

}  // namespace

void compare_answers(const nlohmann::json& before, const nlohmann::json& now, double tolerance,
                     AnswerDifferences& out) {
  compare(before, now, "", tolerance, out);
}

void compare_runs(const nlohmann::json& before, const nlohmann::json& now, AnswerDifferences& out) {
  if (!before.is_object() || !now.is_object()) return;
  for (const auto& [name, value] : before.items()) {
    if (name == "command" || name == "version" || name == "model" || name == "data" || name == kRunSession ||
        !out.other.empty())
      continue;
    AnswerDifferences of;
    if (now.contains(name))
      compare(value, now[name], "/run/" + name, 0, of);
    else
      of.other = "/run/" + name;
    if (!of.other.empty() || of.beyond > 0) out.other = of.other.empty() ? of.at : of.other;
  }
}

}  // namespace attnscope::cli
