// attnscope-cli compare: two runs of one input step by step, the first step that differs named. Two models,
// two forms of one, or a model and what was recorded of it. Steps that cannot be compared are named too.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::cli {
namespace {

constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 22;

struct CompareOptions {
  std::string first, second;
  SequenceOptions sequences;
  double tolerance = 1e-4;
  bool json = false;
};

struct Difference {
  std::string step;
  double max_abs = 0;  // infinite where one of the two is no number
  std::vector<Coordinate> at;
  std::string why;  // not compared
};

using Runs = std::vector<std::shared_ptr<const Trace>>;

// The runs of one side; a recording is what it is.
Result<Runs> runs_of(const OpenedModel& opened, const SequenceOptions& sequences) {
  if (!opened.recorded.empty()) return opened.recorded;
  TRY(const std::vector<Input> inputs, sequences.read_or_own(opened));
  TRY(const Edits edits, sequences.read_edits(opened));
  Runs out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TRY(out.emplace_back(), run_under(opened, edits, inputs[i], i));
  }
  return out;
}

// Equal infinities and two NaN are no difference.
double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::fabs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

// The axis of heads, of which Trace::slice takes one; past the end where a step has none.
std::size_t axis_of_heads(const Record& record) {
  return static_cast<std::size_t>(std::find(record.axes.begin(), record.axes.end(), Axis::head) -
                                  record.axes.begin());
}

// The largest difference of one plane of a step.
void take_plane(const Record& record, std::int64_t head, const Trace& a, const Trace& b, Difference& out) {
  std::vector<std::size_t> plane;  // its two axes
  const std::size_t heads = axis_of_heads(record);
  for (std::size_t d = 0; d < record.axes.size(); ++d)
    if (d != heads) plane.push_back(d);
  const std::int64_t rows = record.shape[plane[0]], cols = record.shape[plane[1]];
  const std::int64_t chunk = std::max<std::int64_t>(1, kMostAtOnce / std::max<std::int64_t>(1, cols));
  for (std::int64_t begin = 0; begin < rows; begin += chunk) {
    const Range some{begin, std::min(rows, begin + chunk)}, all{0, cols};
    const Tensor x = a.slice(record.site, head, some, all), y = b.slice(record.site, head, some, all);
    for (std::int64_t row = 0; row < some.size(); ++row)
      for (std::int64_t col = 0; col < cols; ++col) {
        const double d = difference(static_cast<double>(x.at(row, col)), static_cast<double>(y.at(row, col)));
        if (d <= out.max_abs) continue;
        out.max_abs = d;
        out.at.clear();
        for (std::size_t axis = 0; axis < record.axes.size(); ++axis)
          out.at.push_back({std::string(axis_name(record.axes[axis])), axis == heads      ? head
                                                                       : axis == plane[0] ? begin + row
                                                                                          : col});
      }
  }
}

std::string shape_of(const Record& record) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : record.shape) sizes.push_back(std::to_string(size));
  return "(" + join(sizes, ", ") + ")";
}

Difference compared(const Record& record, const Trace& a, const Trace& b) {
  Difference out;
  const Record* other = b.find(record.site);
  if (!other) {
    out.why = tr("cli.compare.lacks");
  } else if (other->shape != record.shape || other->axes != record.axes) {
    out.why = tr("cli.compare.shapes", {shape_of(record), shape_of(*other)});
  } else {
    const std::size_t axis = axis_of_heads(record);
    const std::int64_t heads = axis < record.shape.size() ? record.shape[axis] : 1;
    for (std::int64_t head = 0; head < heads; ++head) take_plane(record, head, a, b, out);
  }
  return out;
}

std::vector<Difference> differences(const Runs& a, const Runs& b) {
  std::vector<Difference> out;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    for (const Record& record : a[i]->records()) {
      out.push_back(compared(record, *a[i], *b[i]));
      out.back().step = prefix_of(i) + to_text(record.site);
    }
  return out;
}

void print_as_json(const std::vector<Difference>& all, const Difference* first) {
  nlohmann::json steps = nlohmann::json::array(), left_out = nlohmann::json::array();
  for (const Difference& one : all) {
    if (!one.why.empty()) {
      left_out.push_back({{"step", one.step}, {"why", one.why}});
      continue;
    }
    nlohmann::json at = nlohmann::json::object();
    for (const Coordinate& c : one.at) at[c.axis] = c.index;
    steps.push_back({{"step", one.step}, {"max_abs", json_number(one.max_abs)}, {"at", std::move(at)}});
  }
  nlohmann::json out = {
      {"steps", std::move(steps)}, {"first", nullptr}, {"not_compared", std::move(left_out)}};
  if (first) out["first"] = first->step;
  std::printf("%s\n", out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void print_as_lines(const std::vector<Difference>& all, double tolerance) {
  for (const Difference& one : all)
    if (!one.why.empty())
      std::printf("%-32s %s\n", one.step.c_str(), tr("cli.compare.not_compared", {one.why}).c_str());
    else
      std::printf("%-32s %12.4g  %s%s\n", one.step.c_str(), one.max_abs, to_text(one.at).c_str(),
                  one.max_abs > tolerance ? "  <" : "");
}

Status run_compare(const CompareOptions& options) {
  TRY(const OpenedModel a, open_to_run(options.first));
  TRY(const OpenedModel b, open_to_run(options.second));
  TRY(const Runs left, runs_of(a, options.sequences));
  TRY(const Runs right, runs_of(b, options.sequences));
  const std::vector<Difference> all = differences(left, right);
  const Difference* first = nullptr;
  bool any = false;
  for (const Difference& one : all) {
    any = any || one.why.empty();
    if (!first && one.why.empty() && one.max_abs > options.tolerance) first = &one;
  }
  if (!any) return fail(Code::not_found, "error.cli.nothing_to_compare");
  if (options.json)
    print_as_json(all, first);
  else
    print_as_lines(all, options.tolerance);
  if (!first) return Done{};
  return fail(
      Code::out_of_range, "error.cli.differs",
      {first->step, format("%g", options.tolerance), format("%g", first->max_abs), to_text(first->at)});
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("compare", tr("cli.compare"));
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("MODEL_A", options->first, tr(kModelHelp))->required();
  command->add_option("MODEL_B", options->second, tr("cli.compare.other"))->required();
  options->sequences.add_to(*command, true);
  command->add_option("--tolerance", options->tolerance, tr("cli.compare.tolerance"))
      ->transform(real(0, 1e30));
  command->add_flag("--json", options->json, tr("cli.json"));
  command->callback([options, &action] { action = [options] { return run_compare(*options); }; });
}

}  // namespace attnscope::cli
