#include "core/lens/torch_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/file_formats.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/json_number.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kAllOf = 16, kAtEnds = 4, kBetweenValues = 8;
constexpr std::int64_t kMostAxes = 3;
constexpr std::size_t kMostNameBytes = 200;  // of texts that are shown

Error broken_reference(const std::string& file, const std::string& field) {
  return fail(Code::bad_format, "error.lens.reference.field", {file, in_quotes(field)});
}

// A number, or "-inf" for what a mask hides.
std::optional<double> reference_number(const Json& value) {
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

// Of one step; an Error names the step and the field.
class StepReader {
 public:
  StepReader(const Json& from, const std::string& file, std::string name)
      : from_(from), file_(file), name_(std::move(name)) {}

  Result<TorchStep> read() const {
    TorchStep out;
    const Result<Site> site = parse_site(name_);
    if (!site) return fail(Code::bad_format, "error.lens.reference.step", {file_, in_quotes(name_)});
    out.site = *site;
    TRY(out.shape, shape());
    std::int64_t count = 1;
    for (const std::int64_t size : out.shape) {
      if (count > kMostValues / size) return broken("shape");
      count *= size;
    }
    TRY(out.cells, cells(reference_places(count).size()));
    TRY(out.norm, number("norm"));
    TRY(out.least, number("least"));
    TRY(out.greatest, number("greatest"));
    const auto hidden = whole_at(from_, "hidden", 0, count);
    if (!hidden) return broken("hidden");
    out.hidden = *hidden;
    return out;
  }

 private:
  Error broken(const char* field) const { return broken_reference(file_, name_ + ": " + field); }

  Result<std::vector<std::int64_t>> shape() const {
    std::vector<std::int64_t> out;
    const auto list = from_.find("shape");
    if (list == from_.end() || !list->is_array() || list->empty() || std::ssize(*list) > kMostAxes)
      return broken("shape");
    for (const Json& size : *list) {
      const auto whole = whole_in(size, 1, kMostValues);
      if (!whole) return broken("shape");
      out.push_back(*whole);
    }
    return out;
  }

  Result<std::vector<double>> cells(std::size_t count) const {
    std::vector<double> out;
    const auto list = from_.find("cells");
    if (list == from_.end() || !list->is_array() || list->size() != count) return broken("cells");
    for (const Json& value : *list) {
      const auto one = reference_number(value);
      if (!one) return broken("cells");
      out.push_back(*one);
    }
    return out;
  }

  Result<double> number(const char* field) const {
    const auto value = from_.find(field);
    const auto one = value == from_.end() ? std::nullopt : reference_number(*value);
    if (!one) return broken(field);
    return *one;
  }

  const Json& from_;
  const std::string& file_;
  const std::string name_;
};

Result<std::vector<int>> read_tokens(const Json& input, const char* side, const std::string& file) {
  std::vector<int> out;
  const auto list = input.find(side);
  if (list == input.end()) return out;
  if (!list->is_array()) return broken_reference(file, "input");
  for (const Json& id : *list) {
    const auto whole = whole_in(id, 0, std::numeric_limits<int>::max());
    if (!whole) return broken_reference(file, "input");
    out.push_back(static_cast<int>(*whole));
  }
  return out;
}

// The place of a cell by its number, the last axis running first.
std::vector<AxisRange> place_of(const Record& record, std::int64_t cell) {
  std::vector<AxisRange> out;
  for (std::size_t d = record.shape.size(); d-- > 0; cell /= record.shape[d])
    out.insert(out.begin(), {std::string(axis_name(record.axes[d])), cell % record.shape[d]});
  return out;
}

// Takes over the difference of two numbers where its error is the largest.
void take(StepDifference& out, double first, double second, double size, const char* what,
          const Record* record = nullptr, std::int64_t cell = 0) {
  const double d = number_difference(first, second), of = std::max(1.0, size);
  if (d / of <= out.error()) return;
  out.max_abs = d, out.size = of, out.first = first, out.second = second;
  out.what = *what ? Text::of(what) : Text();
  out.at = record ? place_of(*record, cell) : std::vector<AxisRange>();
}

void compare_step(const Record& record, const Trace& run, const TorchStep& theirs, StepDifference& out) {
  if (record.shape != theirs.shape) {
    out.why = Text::of("compare.shapes", {shape_text(record.shape), shape_text(theirs.shape)});
    return;
  }
  const Result<Tensor> tensor = run.tensor(record.site);
  if (!tensor) {
    out.why = tensor.error().what();
    return;
  }
  const std::vector<float> mine = tensor->values();
  std::int64_t hidden = 0, least = -1, greatest = -1;
  double squares = 0;
  for (std::int64_t i = 0; i < std::ssize(mine); ++i) {
    const float value = mine[static_cast<std::size_t>(i)];
    if (value == -std::numeric_limits<float>::infinity()) {
      ++hidden;
      continue;
    }
    squares += static_cast<double>(value) * static_cast<double>(value);
    if (least < 0 || value < mine[static_cast<std::size_t>(least)]) least = i;
    if (greatest < 0 || value > mine[static_cast<std::size_t>(greatest)]) greatest = i;
  }
  const auto number = [&](std::int64_t i) { return static_cast<double>(mine[static_cast<std::size_t>(i)]); };
  const double largest = std::max(std::fabs(theirs.least), std::fabs(theirs.greatest));
  std::size_t next = 0;
  for (const std::int64_t i : reference_places(std::ssize(mine)))
    take(out, number(i), theirs.cells[next++], largest, "", &record, i);
  if (least >= 0) {
    take(out, number(least), theirs.least, largest, "compare.what.least", &record, least);
    take(out, number(greatest), theirs.greatest, largest, "compare.what.greatest", &record, greatest);
  }
  take(out, std::sqrt(squares), theirs.norm, theirs.norm, "compare.what.norm");
  if (hidden != theirs.hidden) {
    out.first = static_cast<double>(hidden), out.second = static_cast<double>(theirs.hidden);
    out.max_abs = std::numeric_limits<double>::infinity();
    out.what = Text::of("compare.what.hidden");
    out.at.clear();
  }
}

}  // namespace

std::vector<std::int64_t> reference_places(std::int64_t count) {
  std::set<std::int64_t> out;
  for (std::int64_t i = 0; i < std::min(count, kAllOf); ++i) {
    if (count <= kAllOf)
      out.insert(i);
    else if (i < kAtEnds)
      out.insert(i);
    else if (i < kAtEnds + kBetweenValues)
      out.insert((i - kAtEnds + 1) * count / (kBetweenValues + 1));
    else
      out.insert(count - kAllOf + i);
  }
  return {out.begin(), out.end()};
}

Result<TorchReference> read_torch_reference(std::string_view text, const std::string& file) {
  const Result<Json> parsed = parse_json(text, file, TwiceKeys::refuse);
  if (!parsed) return fail(Code::bad_format, "error.lens.reference.json", {parsed.error().what()});
  const Json& all = *parsed;
  if (!all.is_object() || all.value("format", Json()) != kReferenceFormat.name)
    return broken_reference(file, "format");
  const auto version = whole_at(all, "version", 1, std::numeric_limits<std::int32_t>::max());
  if (!version) return broken_reference(file, "version");
  if (*version > kReferenceFormat.version)
    return fail(Code::unsupported, "error.lens.reference.newer", {file, kReferenceFormat.version});
  TorchReference out;
  out.file = file;
  for (const auto& [field, into] : {std::pair{"model", &out.model}, std::pair{"made_by", &out.made_by}}) {
    const auto value = all.find(field);
    if (value == all.end() || !value->is_string()) return broken_reference(file, field);
    *into = printable(value->get<std::string>(), kMostNameBytes);
  }
  const auto input = all.find("input"), steps = all.find("steps");
  if (input == all.end() || !input->is_object()) return broken_reference(file, "input");
  TRY(out.ids, read_tokens(*input, "ids", file));
  TRY(out.source, read_tokens(*input, "source", file));
  if (steps == all.end() || !steps->is_array() || steps->empty()) return broken_reference(file, "steps");
  for (const Json& step : *steps) {
    const auto name = step.is_object() ? step.find("step") : step.end();
    if (name == step.end() || !name->is_string()) return broken_reference(file, "step");
    TRY(out.steps.emplace_back(), StepReader(step, file, name->get<std::string>()).read());
  }
  return out;
}

std::vector<StepDifference> torch_differences(const Trace& run, const TorchReference& reference,
                                              const std::atomic<bool>* cancel) {
  std::map<Site, const TorchStep*> left;
  for (const TorchStep& step : reference.steps) left[step.site] = &step;
  std::vector<StepDifference> out;
  for (const Record& record : run.records()) {
    if (cancel && *cancel) return out;
    out.emplace_back().site = record.site;
    const auto theirs = left.find(record.site);
    if (theirs == left.end()) {
      out.back().why = Text::of("compare.lacks");
      continue;
    }
    compare_step(record, run, *theirs->second, out.back());
    left.erase(theirs);
  }
  for (const auto& [site, step] : left) {
    out.emplace_back().site = site;
    out.back().why = Text::of("compare.lacks_here");
  }
  return out;
}

TorchVerdict torch_verdict(const std::vector<StepDifference>& all, double tolerance) {
  TorchVerdict out;
  out.steps = std::ssize(all);
  for (const StepDifference& one : all) {
    if (one.compared() && (!out.worst || one.error() > out.worst->error())) out.worst = &one;
    if (one.compared() && one.error() <= tolerance)
      ++out.equal;
    else if (!out.first_wrong)
      out.first_wrong = &one;
  }
  return out;
}

}  // namespace attnscope
