#include "core/lesson/check_parts.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/number.h"
#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

constexpr std::int64_t kCheckPartsMostCells = 1 << 16;
constexpr std::size_t kMostTyped = 400;  // bytes of an answer

// The signs that people and this program write for minus and for times.
std::string plain_signs(std::string text) {
  const std::pair<const char*, const char*> signs[] = {{"\u2212", "-"}, {"\u00d7", "x"}, {"\u221a", "sqrt"}};
  for (const auto& [from, to] : signs)
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, std::string_view(from).size(), to);
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t.");
  return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

bool same_attention(const Site& a, const Site& b) {
  return a.stack == b.stack && a.layer == b.layer && a.part == b.part;
}

bool next_index(std::vector<std::int64_t>& index, const CellChoice& choice) {
  for (std::size_t axis = index.size(); axis-- > 0;) {
    if (choice.fixed[axis] >= 0) continue;
    if (++index[axis] < choice.sizes[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

// "ln 0.5", "sqrt16": a function with a number behind it and no brackets, as they are said.
std::string with_brackets(std::string text) {
  for (const std::string_view name : {"ln", "log", "exp", "sqrt"})
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      if (at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1])) != 0) continue;
      const std::size_t begin = text.find_first_not_of(' ', at + name.size());
      if (begin == std::string::npos ||
          (std::isdigit(static_cast<unsigned char>(text[begin])) == 0 && text[begin] != '.'))
        continue;
      const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
      text =
          text.substr(0, at + name.size()) + "(" + text.substr(begin, end - begin) + ")" + text.substr(end);
    }
  return text;
}

bool is_ascii_digit(char sign) { return std::isdigit(static_cast<unsigned char>(sign)) != 0; }

// 1,234,567 or 2*(16,640+33,088): commas between a digit and groups of three digits are those of a number,
// and fall away; others stay.
std::string without_thousands(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t group = at + 1;
    while (group < text.size() && is_ascii_digit(text[group])) ++group;
    const std::size_t front = out.find_last_not_of("0123456789");
    const bool fraction = front != std::string::npos && out[front] == '.';
    const bool between = text[at] == ',' && !out.empty() && is_ascii_digit(out.back()) && group == at + 4;
    if (!between || fraction) out += text[at];
  }
  return out;
}

}  // namespace

// The run is not asked: what is typed is a number, or a sum of numbers.
Result<double> typed_number(const std::string& typed, const ExpressionScope& scope) {
  if (typed.size() > kMostTyped)
    return fail(Code::bad_format, "error.lesson.answer.number", {in_quotes(typed)});
  std::string text = plain_signs(typed);
  text = without_thousands(text);
  double unit = 1;
  if (ends_with(text, "%")) unit = 0.01, text.pop_back();
  const auto parsed = Expression::parse(with_brackets(text));
  const auto number = parsed && parsed->is_sum() ? parsed->number(scope) : Result<double>(Error{});
  if (!number || !std::isfinite(*number))
    return fail(Code::bad_format, "error.lesson.answer.number", {in_quotes(typed)});
  return *number * unit;
}

double typed_rounding(const std::string& typed) {
  const std::string text = plain_signs(typed);
  const std::size_t point = text.find('.');
  if (point == std::string::npos || text.find_first_not_of("-0123456789.") != std::string::npos) return 0;
  const auto behind = static_cast<int>(text.size() - point - 1);
  const std::size_t first = text.find_first_of("123456789");
  const auto digits = std::count_if(text.begin() + static_cast<std::ptrdiff_t>(std::min(first, text.size())),
                                    text.end(), is_ascii_digit);
  return behind >= 2 && digits >= 2 ? 0.5 * std::pow(10.0, -behind) : 0;
}

std::string typed_words(const std::string& typed, double value) {
  const std::string text = plain_signs(typed);
  const bool number =
      text.find_first_not_of("0123456789., %", starts_with(text, "-") ? 1 : 0) == std::string::npos;
  if (!number) return lesson_number(value);
  return starts_with(text, "-") ? "\u2212" + text.substr(1) : text;
}

Result<std::vector<std::int64_t>> typed_shape(const std::string& typed) {
  if (typed.size() > kMostTyped)
    return fail(Code::bad_format, "error.lesson.answer.shape", {in_quotes(typed)});
  std::vector<std::int64_t> out;
  std::string number;
  const auto take = [&] {
    if (!number.empty()) out.push_back(std::stoll(number));
    number.clear();
  };
  for (const char sign : plain_signs(typed)) {
    if (std::isdigit(static_cast<unsigned char>(sign)) != 0 && number.size() < 12) {
      number += sign;
    } else if (std::string_view("()[], x*").find(sign) != std::string_view::npos) {
      take();
    } else {
      return fail(Code::bad_format, "error.lesson.answer.shape", {in_quotes(typed)});
    }
  }
  take();
  if (out.empty()) return fail(Code::bad_format, "error.lesson.answer.shape", {in_quotes(typed)});
  return out;
}

Result<std::vector<std::int64_t>> shape_with_batch(const Site& site, const ExpressionScope& scope) {
  const Record* record = scope.run.trace(scope.sequence).find(site);
  if (!record) return fail(Code::not_found, "error.lesson.no_step", {in_quotes(to_text(site))});
  const auto same = [&](const auto& trace) {
    const Record* other = trace->find(site);
    return other && other->shape == record->shape;
  };
  const bool all = std::all_of(scope.run.traces.begin(), scope.run.traces.end(), same);
  std::vector<std::int64_t> out{all ? static_cast<std::int64_t>(scope.run.traces.size()) : 1};
  out.insert(out.end(), record->shape.begin(), record->shape.end());
  return out;
}

Result<Target> lesson_place(const std::string& text, const ExpressionScope& scope) {
  TRY(const std::string filled, filled_in(text, scope));
  TRY(PlaceText place, parse_place(filled));
  std::erase_if(place.at, [](const AxisRange& range) { return range.axis == "seq"; });
  TRY(const std::vector<Target> targets, targets_of(scope.run.trace(scope.sequence), place));
  return targets.front();
}

Result<CellChoice> cells_to_choose(const CellAsk& ask, const ExpressionScope& scope) {
  TRY(const Target target, lesson_place(ask.in, scope));
  const Record* record =
      target.kind == Target::Kind::step ? scope.run.trace(scope.sequence).find(target.site) : nullptr;
  if (!record) return fail(Code::not_found, "error.lesson.no_step", {in_quotes(ask.in)});
  CellChoice out;
  out.site = target.site;
  out.sizes = record->shape;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < record->axes.size(); ++i) {
    out.axes.emplace_back(axis_name(record->axes[i]));
    const auto given = std::find_if(target.at.begin(), target.at.end(),
                                    [&](const AxisRange& range) { return range.axis == out.axes.back(); });
    out.fixed.push_back(given == target.at.end() ? -1 : given->begin);
    if (out.fixed.back() >= out.sizes[i])
      return fail(Code::out_of_range, "error.lesson.place.range",
                  {in_quotes(ask.in), out.axes.back(), out.sizes[i]});
    count *= out.fixed.back() < 0 ? out.sizes[i] : 1;
  }
  if (count > kCheckPartsMostCells) return fail(Code::out_of_range, "error.lesson.many_cells", {count});
  return out;
}

std::optional<std::vector<std::int64_t>> CellChoice::index_of(const Cell& given) const {
  if (!(given.site == site) && !same_attention(given.site, site)) return {};
  std::vector<std::int64_t> index;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto found = std::find_if(given.at.begin(), given.at.end(),
                                    [&](const AxisRange& at) { return at.axis == axes[i]; });
    if (found == given.at.end() || found->begin >= sizes[i]) return {};
    if (fixed[i] >= 0 && found->begin != fixed[i]) return {};
    index.push_back(found->begin);
  }
  return index;
}

double CellChoice::value(const std::vector<std::int64_t>& index, const ExpressionScope& scope) const {
  return static_cast<double>(scope.run.trace(scope.sequence).cell(site, index));
}

Result<double> CellChoice::score(const Expression& pick, const std::vector<std::int64_t>& index,
                                 const ExpressionScope& scope) const {
  ExpressionScope inner = scope;
  for (std::size_t i = 0; i < axes.size(); ++i) inner.variables[axes[i]] = static_cast<double>(index[i]);
  inner.variables["value"] = value(index, scope);
  return pick.number(inner);
}

Result<CellChoice::Best> CellChoice::best(const Expression& pick, const ExpressionScope& scope) const {
  std::vector<std::int64_t> index;
  for (const std::int64_t at : fixed) index.push_back(std::max<std::int64_t>(0, at));
  Best out{index, -1e300};
  do {
    TRY(const double mine, score(pick, index, scope));
    if (mine > out.score) out = {index, mine};
  } while (next_index(index, *this));
  return out;
}

Cell CellChoice::cell(const std::vector<std::int64_t>& index, const ExpressionScope&) const {
  Cell out{site, {}};
  for (std::size_t i = 0; i < axes.size(); ++i) out.at.push_back({axes[i], index[i]});
  return out;
}

Text CellChoice::name(const std::vector<std::int64_t>& index, const ExpressionScope& scope) const {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool row = axes[i] == "query" || axes[i] == "key" || axes[i] == "pos";
    if (fixed[i] >= 0 && axes[i] != "query") continue;
    words.push_back(row ? scope.run.label(scope.sequence,
                                          rows_stack(site, axes[i] == "key" ? Axis::key : Axis::query),
                                          index[i])
                        : axes[i] + " " + std::to_string(index[i]));
  }
  return words.empty() ? Text(to_text(cell(index, scope))) : Text(join(words, " \u2192 "));
}

Text cell_words(const Cell& cell, const ExpressionScope& scope) {
  std::vector<std::string> words;
  for (const AxisRange& at : cell.at)
    if (at.axis == "query" || at.axis == "key" || at.axis == "pos")
      words.push_back(scope.run.label(
          scope.sequence, rows_stack(cell.site, at.axis == "key" ? Axis::key : Axis::query), at.begin));
  return words.empty() ? Text(to_text(cell)) : Text(join(words, " \u2192 "));
}

Result<CheckedHead> head_score(const HeadAsk& ask, const HeadPlace& place, const ExpressionScope& scope) {
  ExpressionScope inner = scope;
  inner.variables["layer"] = place.layer;
  inner.variables["head"] = place.head;
  TRY(const double score, ask.pick.number(inner));
  return CheckedHead{place, score};
}

Result<CheckedHead> best_head(const HeadAsk& ask, const ExpressionScope& scope) {
  const ModelConfig& config = scope.run.trace(scope.sequence).config();
  CheckedHead best{{}, -1e300};
  for (int layer = 0; layer < config.n_layers(); ++layer)
    for (int head = 0; head < config.blocks[static_cast<std::size_t>(layer)].attention.n_heads; ++head) {
      TRY(const CheckedHead mine, head_score(ask, {layer, head}, scope));
      if (mine.score > best.score) best = mine;
    }
  return best;
}

Text head_text(const HeadPlace& place) {
  return std::to_string(place.layer) + "." + std::to_string(place.head);
}

std::string lesson_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "\u2212\u221e" : "\u221e";
  if (std::fabs(value) < 1e15 && value == std::round(value)) {
    const std::string text = format_count(static_cast<std::int64_t>(value));
    return value < 0 && text.front() == '-' ? "\u2212" + text.substr(1) : text;
  }
  const bool written_out = std::fabs(value) >= 1e-3 && std::fabs(value) < 1e6;
  std::string text = written_out ? format("%.4f", value) : with_power(value, 3);
  if (text.front() == '-') text = "\u2212" + text.substr(1);
  return text;
}

}  // namespace attnscope
