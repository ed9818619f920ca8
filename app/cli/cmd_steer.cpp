// attnscope-cli steer: what a steering vector does to a measure, strength by strength and block by block,
// each block's vector alone and all of them together.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "app/cli/curve_figure.h"
#include "app/cli/prompt_runs.h"
#include "app/cli/rows_file.h"
#include "core/base/number.h"
#include "core/base/spread.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/asked_measure.h"
#include "core/session/measure_text.h"
#include "core/session/steer_sweep.h"

namespace attnscope::cli {
namespace {

constexpr double kMostStrength = 1e6;
constexpr std::size_t kMostStrengths = 1000;

struct SteerOptions {
  std::string model, vector, strengths = "-2,-1,-0.5,0,0.5,1,2", out, figure;
  std::vector<std::string> measures;
  std::int64_t at = -1;
  bool json = false;
  SequenceOptions text;
  DataOptions data;
};

Result<std::vector<double>> strengths_of(const std::string& text) {
  std::vector<double> out;
  for (const std::string& part : split(text, ',')) {
    TRY(out.emplace_back(), parse_real(part, -kMostStrength, kMostStrength));
  }
  if (out.size() > kMostStrengths)
    return fail(Code::out_of_range, "error.cli.steer_many", {out.size(), kMostStrengths});
  return out;
}

struct SteerAnswer {
  std::vector<std::vector<Spread>> spreads;  // as SteerValues
  nlohmann::json run = nlohmann::json::object();
};

Result<std::vector<LogitMeasure>> measures_for(const SteerOptions& options, const OpenedModel& opened,
                                               const std::vector<std::string>& texts, const Trace& run) {
  std::vector<LogitMeasure> out;
  for (const std::string& text : texts) {
    TRY(out.emplace_back(), measure_of(opened, text, options.at, run));
  }
  return out;
}

void add(SteerAnswer& answer, const SteerValues& values) {
  if (answer.spreads.empty())
    answer.spreads.assign(values.size(), std::vector<Spread>(values.empty() ? 0 : values.front().size()));
  for (std::size_t m = 0; m < values.size(); ++m)
    for (std::size_t i = 0; i < values[m].size(); ++i) answer.spreads[m][i].add(values[m][i]);
}

Result<SteerAnswer> asked_text(const SteerOptions& options, const RunModel& opened,
                               const std::vector<SteerCell>& cells) {
  SteerAnswer out;
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const std::vector<LogitMeasure> measures, measures_for(options, opened, options.measures, *run));
  TRY(const SteerValues values, steer_values(*opened.model, measures, run, cells));
  add(out, values);
  out.run = run_json(opened, options.model);
  out.run["inputs"]["text"] = input_json(opened, *run);
  for (const LogitMeasure& one : measures) out.run["measures"].push_back(measure_json(opened, one, *run));
  if (!run->edits.empty()) out.run["edits"] = texts_of(run->edits);
  return out;
}

Result<SteerAnswer> asked_data(const SteerOptions& options, const RunModel& opened,
                               const std::vector<SteerCell>& cells) {
  SteerAnswer out;
  PromptRuns data(options.data.choice(), opened, options.text, options.text);
  TRY_OK(data.prepare());
  for (const std::string& measure : options.measures) TRY_OK(check_data_measure(measure));
  using One = std::pair<SteerValues, PromptRun>;
  const auto work = [&](const DataLine& line) -> Result<One> {
    One one;
    TRY(one.second, data.run(line, DataSide::clean));
    std::vector<std::string> texts;
    for (const std::string& measure : options.measures) {
      TRY(texts.emplace_back(), data.measure_text(line, measure));
    }
    const auto measures = measures_for(options, opened, texts, *one.second.trace);
    if (!measures) return within(line.place(data.path()), measures.error());
    auto values = steer_values(*opened.model, *measures, one.second.trace, cells);
    if (!values) return within(line.place(data.path()), values.error());
    one.first = *std::move(values);
    return one;
  };
  TRY_OK(data.through<One>(work, [&](const DataLine&, const One& one) {
    data.tell(one.second);
    add(out, one.first);
    return Status(Done{});
  }));
  if (out.spreads.empty())
    return fail(Code::not_found, "error.session.data.empty", {quoted_path(options.data.choice().path)});
  out.run = run_json(opened, options.model);
  out.run["data"] = data.json();
  return out;
}

nlohmann::json steer_json(const SteerOptions& options, const SteerAnswer& answer,
                          const std::vector<SteerCell>& cells) {
  nlohmann::json rows = nlohmann::json::array(), base = nlohmann::json::object();
  for (std::size_t m = 0; m < options.measures.size(); ++m) {
    base[options.measures[m]] = json_number(answer.spreads[m][0].mean());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Spread& spread = answer.spreads[m][i + 1];
      nlohmann::json row = {{"step", cells[i].step},
                            {"strength", cells[i].strength},
                            {"measure", options.measures[m]},
                            {"value", json_number(spread.mean())},
                            {"n", spread.n()}};
      if (cells[i].block >= 0) row["block"] = cells[i].block;
      if (spread.n() > 1) row["stderr"] = json_number(spread.standard_error());
      rows.push_back(std::move(row));
    }
  }
  nlohmann::json out = {{"vector", options.vector}, {"base", std::move(base)}, {"rows", std::move(rows)}};
  put_unknown(out, options.text.unknown());
  out["run"] = answer.run;
  return out;
}

std::string steer_csv(const SteerOptions& options, const SteerAnswer& answer,
                      const std::vector<SteerCell>& cells) {
  std::string out = "step,block,strength,measure,clean,value,stderr,n\n";
  for (std::size_t m = 0; m < options.measures.size(); ++m)
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Spread& spread = answer.spreads[m][i + 1];
      out += cells[i].step + "," + (cells[i].block < 0 ? "" : std::to_string(cells[i].block)) +
             csv_number(cells[i].strength) + "," + csv_field(options.measures[m]) +
             csv_number(answer.spreads[m][0].mean()) + csv_number(spread.mean()) +
             (spread.n() > 1 ? csv_number(spread.standard_error()) : std::string(",")) + "," +
             std::to_string(spread.n()) + "\n";
    }
  return out;
}

// A line for each block, a column for each strength.
void print_table(const SteerOptions& options, const SteerAnswer& answer, const std::vector<SteerCell>& cells,
                 const std::vector<double>& strengths) {
  for (std::size_t m = 0; m < options.measures.size(); ++m) {
    say(format("%s   %s %.6f\n", options.measures[m].c_str(), "clean",
               unsigned_nan(answer.spreads[m][0].mean())));
    std::string line = format("%-24s", "");
    for (const double strength : strengths) line += format(" %11.4g", strength);
    say(line + "\n");
    for (std::size_t i = 0; i < cells.size(); i += strengths.size()) {
      line = format("%-24s", cells[i].step.c_str());
      for (std::size_t s = 0; s < strengths.size(); ++s)
        line += format(" %11.6f", unsigned_nan(answer.spreads[m][i + s + 1].mean()));
      say(line + "\n");
    }
  }
}

// A plot for each measure, a curve for each block.
Status draw_steer(const SteerOptions& options, const SteerAnswer& answer, const std::vector<SteerCell>& cells,
                  std::size_t strengths) {
  if (options.figure.empty()) return Done{};
  std::vector<CurvePlot> plots;
  for (std::size_t m = 0; m < options.measures.size(); ++m) {
    CurvePlot& plot = plots.emplace_back();
    plot.title = options.measures[m];
    plot.plot.x_title = Text::of("cli.steer.axis");
    for (std::size_t i = 0; i < cells.size(); i += strengths) {
      figure::PlotMark::Series curve{cells[i].step, {}, curve_ink(i / strengths), cells[i].block < 0};
      for (std::size_t s = 0; s < strengths; ++s)
        curve.points.emplace_back(cells[i + s].strength, answer.spreads[m][i + s + 1].mean());
      std::sort(curve.points.begin(), curve.points.end());
      plot.plot.series.push_back(std::move(curve));
    }
  }
  return write_curves(options.figure, Text::of("cli.steer.title", {quoted_path(options.vector)}), plots);
}

Status run_steer(const SteerOptions& options) {
  TRY_OK(check_rows_path(options.out));
  TRY_OK(check_curve_path(options.figure));
  TRY(const std::vector<double> strengths, strengths_of(options.strengths));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  TRY(const std::vector<SteerVector> vectors, read_steering(options.vector, opened.model->config()));
  for (const Text& note : other_models({options.vector}, opened))
    std::fprintf(stderr, "attnscope-cli: %s\n", note.str().c_str());
  const std::vector<SteerCell> cells = steer_cells(vectors, strengths);
  TRY(const SteerAnswer answer,
      options.data.given() ? asked_data(options, opened, cells) : asked_text(options, opened, cells));
  const nlohmann::json out = steer_json(options, answer, cells);
  if (options.json) print_json(out);
  TRY_OK(draw_steer(options, answer, cells, strengths.size()));
  if (!options.json && options.out.empty()) print_table(options, answer, cells, strengths);
  return write_rows(options.out, out, steer_csv(options, answer, cells));
}

}  // namespace

void add_steer(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "steer", tr("cli.steer.command"), run_steer);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  command->add_option("VECTOR", options->vector, tr("cli.steer.vector"))->required();
  options->text.add_to(*command, false);
  options->data.add_to(*command);
  command->add_option("--strengths", options->strengths, tr("cli.steer.strengths"))->capture_default_str();
  add_measures(*command, options->measures);
  command->add_option("--at", options->at, tr("cli.ask.at"))->transform(whole(0, 1 << 30));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->add_option("--out", options->out, tr("cli.path.out"));
  command->add_option("--figure", options->figure, tr("cli.curves.figure"))->type_name("FILE");
}

}  // namespace attnscope::cli
