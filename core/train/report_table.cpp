#include "core/train/report_table.h"

#include <bit>
#include <limits>
#include <set>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::size_t kStepNumbers = 8, kHeldOutNumbers = 4;

// The numbers of a report in the order of the columns, for writing and reading alike.
void each_number(auto& report, const std::vector<std::string>& layers, auto&& visit) {
  visit(report.step);
  visit(report.loss);
  visit(report.plain_loss);
  visit(report.accuracy);
  visit(report.learning_rate);
  visit(report.gradient_norm);
  visit(report.tokens);
  visit(report.seconds);
  for (const std::string& layer : layers) {
    visit(report.layer_gradients[layer]);
    visit(report.layer_updates[layer]);
  }
}

void each_number(auto& held_out, auto&& visit) {
  visit(held_out.step);
  visit(held_out.loss);
  visit(held_out.plain_loss);
  visit(held_out.accuracy);
}

// Writes one row after the other.
struct ReportRows {
  std::vector<std::int64_t> values;
  void operator()(int number) { values.push_back(number); }
  void operator()(std::int64_t number) { values.push_back(number); }
  void operator()(double number) { values.push_back(std::bit_cast<std::int64_t>(number)); }
};

// Reads them in the same order; counts are 0 or more.
struct ReportReader {
  const std::int64_t* from;
  bool good = true;
  void operator()(double& to) { to = std::bit_cast<double>(*from++); }
  void operator()(std::int64_t& to) { to = counted(std::numeric_limits<std::int64_t>::max()); }
  void operator()(int& to) { to = static_cast<int>(counted(std::numeric_limits<int>::max())); }
  std::int64_t counted(std::int64_t most) {
    const std::int64_t number = *from++;
    good &= number >= 0 && number <= most;
    return good ? number : 0;
  }
};

NamedInts table_of(std::string name, std::vector<std::int64_t> values, std::size_t width) {
  const auto rows = static_cast<std::int64_t>(values.size() / width);
  return {std::move(name), std::move(values), {rows, static_cast<std::int64_t>(width)}};
}

// One `Value` per row, read by read(value, reader).
template <class Value, class Read>
Result<std::vector<Value>> values_of(const NamedInts& table, std::size_t width, const std::string& what,
                                     Read read) {
  const auto bad = [&](const Text& why) {
    return fail(Code::bad_format, "error.train.table", {what, table.name, why});
  };
  if (table.shape.size() != 2 || table.shape[1] != static_cast<std::int64_t>(width) ||
      table.values.size() != static_cast<std::size_t>(table.shape[0]) * width)
    return bad(Text::of("error.train.table.columns"));
  std::vector<Value> out(static_cast<std::size_t>(table.shape[0]));
  ReportReader reader{table.values.data()};
  for (Value& value : out) read(value, reader);
  if (!reader.good) return bad(Text::of("error.train.table.counts"));
  return out;
}

}  // namespace

std::vector<std::string> reported_layers(const std::vector<StepReport>& reports) {
  std::set<std::string> layers;
  for (const StepReport& report : reports)
    for (const auto* norms : {&report.layer_gradients, &report.layer_updates})
      for (const auto& [layer, norm] : *norms) layers.insert(layer);
  return {layers.begin(), layers.end()};
}

NamedInts reports_to_table(std::string name, const std::vector<StepReport>& reports,
                           const std::vector<std::string>& layers) {
  ReportRows rows;
  for (StepReport report : reports) each_number(report, layers, rows);
  return table_of(std::move(name), std::move(rows.values), kStepNumbers + 2 * layers.size());
}

NamedInts held_out_to_table(std::string name, const std::vector<HeldOut>& held_out) {
  ReportRows rows;
  for (const HeldOut& each : held_out) each_number(each, rows);
  return table_of(std::move(name), std::move(rows.values), kHeldOutNumbers);
}

Result<std::vector<StepReport>> reports_from_table(const NamedInts& table,
                                                   const std::vector<std::string>& layers,
                                                   const std::string& what) {
  return values_of<StepReport>(
      table, kStepNumbers + 2 * layers.size(), what,
      [&](StepReport& report, ReportReader& reader) { each_number(report, layers, reader); });
}

Result<std::vector<HeldOut>> held_out_from_table(const NamedInts& table, const std::string& what) {
  return values_of<HeldOut>(table, kHeldOutNumbers, what,
                            [](HeldOut& each, ReportReader& reader) { each_number(each, reader); });
}

}  // namespace attnscope
