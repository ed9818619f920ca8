// Validation of the parts of a sweep before joining: every row has an index and a valid place, and no place
// occurs twice.
#include <algorithm>
#include <map>
#include <set>

#include "app/cli/answer_table.h"
#include "core/base/text.h"
#include "core/step/catalog.h"
#include "core/trace/editable.h"

namespace attnscope::cli {
namespace {

// "blocks.0.attn.z[head=1,pos=3]"; axes in alphabetical order, with one name for rows.
std::string place_key(const AnswerRow& row) {
  std::vector<AxisRange> at = row.at;
  for (AxisRange& range : at)
    if (is_row_axis(range.axis)) range.axis = "pos";
  std::sort(at.begin(), at.end(), [](const AxisRange& a, const AxisRange& b) { return a.axis < b.axis; });
  return row.step + to_text(at);
}

std::string axes_key(const AnswerRow& row) {
  std::vector<std::string> axes;
  for (const AxisRange& range : row.at) axes.push_back(range.axis);
  std::sort(axes.begin(), axes.end());
  return join(axes, ",");
}

// The step is in the catalog and has these axes, each at most once.
Status check_place(const AnswerRow& row) {
  TRY(const Site site, parse_site(row.step));
  const std::vector<std::string> axes = split(step_of(site.slot).axes, ' ');
  const auto has = [&](const std::string& word) {
    return std::any_of(axes.begin(), axes.end(), [&](const std::string& axis) {
      return axis == word || (is_row_axis(axis) && is_row_axis(word));
    });
  };
  std::set<std::string> seen;
  for (const AxisRange& range : row.at) {
    if (!has(range.axis))
      return fail(Code::bad_format, "error.cli.answer_axis",
                  {in_quotes(row.step), in_quotes(range.axis), join(axes, ", ")});
    if (!seen.insert(is_row_axis(range.axis) ? "pos" : range.axis).second)
      return fail(Code::bad_format, "error.cli.answer_axis_twice",
                  {in_quotes(row.step), in_quotes(range.axis)});
  }
  return Done{};
}

}  // namespace

Status check_part(const AnswerTable& part) {
  if (part.whole <= 0) return fail(Code::bad_format, "error.cli.answer_no_part");
  for (const auto& [name, value] : part.totals)
    if (name != "clean" && name != "corrupt")
      return fail(Code::bad_format, "error.cli.answer_no_index", {in_quotes(name)});
  for (const AnswerRow& row : part.rows) {
    if (row.index < 0 || row.index >= part.whole)
      return fail(Code::out_of_range, "error.cli.answer_index",
                  {in_quotes(row.step + to_text(row.at)), row.index, part.whole - 1});
    TRY_OK(check_place(row));
  }
  return Done{};
}

Status check_places(const std::vector<AnswerTable>& parts) {
  std::set<std::string> places;
  std::map<std::string, std::vector<std::set<std::string>>> axes;  // of each step, by part
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (const AnswerRow& row : parts[part].rows) {
      if (!places.insert(place_key(row)).second)
        return fail(Code::bad_format, "error.cli.answer_place_twice",
                    {in_quotes(row.step + to_text(row.at))});
      auto& own = axes[row.step];
      own.resize(parts.size());
      own[part].insert(axes_key(row));
    }
  for (const auto& [step, by_part] : axes) {
    std::set<std::string> all;
    bool one_each = true;
    for (const std::set<std::string>& own : by_part) {
      all.insert(own.begin(), own.end());
      one_each = one_each && own.size() <= 1;
    }
    if (one_each && all.size() > 1)
      return fail(Code::bad_format, "error.cli.answer_axes_differ",
                  {in_quotes(step), join({all.begin(), all.end()}, " | ")});
  }
  return Done{};
}

}  // namespace attnscope::cli
