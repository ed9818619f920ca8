// attnscope-cli checkpoints: the same question asked of every checkpoint of a training, one opened at a time:
// measures, the roles of the heads, linear probes, as rows by step.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "app/cli/curve_figure.h"
#include "app/cli/probe_options.h"
#include "app/cli/prompt_runs.h"
#include "app/cli/rows_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/writers.h"
#include "core/session/checkpoint_curves.h"
#include "core/session/fingerprint.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {
namespace {

struct SeriesOptions {
  std::string folder, probe, out, figure;
  std::vector<std::string> measures;
  std::int64_t at = -1, first = 0, last = std::numeric_limits<std::int64_t>::max();
  std::uint64_t every = 1;
  bool heads = false, json = false;
  SequenceOptions text;
  DataOptions data;
};

struct SeriesRow {
  std::int64_t step = 0;
  std::string name;
  CurveValue value;
  double error = std::numeric_limits<double>::quiet_NaN();  // of the mean over prompts
  std::int64_t n = 1;
};

// All that was asked, and what of it was read.
struct SeriesAnswer {
  std::vector<SeriesRow> rows;
  std::vector<std::pair<std::string, std::string>> passed_over;  // name, sentence
  nlohmann::json run, members = nlohmann::json::array();
  std::shared_ptr<const OpenedModel> first;
  std::string first_name;
};

Result<std::vector<CurveValue>> values_of(const SeriesOptions& options, const OpenedModel& opened,
                                          const std::vector<std::string>& measures, const Trace& run) {
  std::vector<CurveValue> out;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    TRY(CurveValue value, curve_value(opened, measures[i], options.at, run));
    value.measure = options.measures[i];
    out.push_back(std::move(value));
  }
  if (!options.heads) return out;
  const std::vector<CurveValue> heads = head_curve_values(run);
  out.insert(out.end(), heads.begin(), heads.end());
  return out;
}

void add_means(const CurveMeans& means, const CheckpointMember& member, bool data, SeriesAnswer& answer) {
  for (const CurveMeans::Mean& mean : means.means()) {
    SeriesRow row{member.step, member.name, mean.value};
    if (data && mean.spread.n() > 1) row.error = mean.spread.standard_error();
    row.n = mean.spread.n();
    answer.rows.push_back(std::move(row));
  }
}

// The clean prompts of a data set, each with its own answers.
Status ask_data(const SeriesOptions& options, const RunModel& opened, const CheckpointMember& member,
                SeriesAnswer& answer) {
  PromptRuns data(options.data.choice(), opened, options.text, options.text);
  TRY_OK(data.prepare());
  for (const std::string& measure : options.measures)
    if (measure != kLossMeasure) TRY_OK(check_data_measure(measure));
  using Values = std::pair<std::vector<CurveValue>, PromptRun>;
  const auto work = [&](const DataLine& line) -> Result<Values> {
    Values out;
    TRY(out.second, data.run(line, DataSide::clean));
    std::vector<std::string> measures;
    for (const std::string& measure : options.measures) {
      if (measure == kLossMeasure)
        measures.push_back(measure);
      else {
        TRY(measures.emplace_back(), data.measure_text(line, measure));
      }
    }
    auto values = values_of(options, opened, measures, *out.second.trace);
    if (!values) return within(line.place(data.path()), values.error());
    out.first = *std::move(values);
    return out;
  };
  CurveMeans means;
  TRY_OK(data.through<Values>(work, [&](const DataLine&, const Values& values) {
    data.tell(values.second);
    means.add(values.first);
    return Status(Done{});
  }));
  add_means(means, member, true, answer);
  answer.run["data"] = data.json();
  return Done{};
}

Status ask_text(const SeriesOptions& options, const RunModel& opened, const CheckpointMember& member,
                SeriesAnswer& answer) {
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const std::vector<CurveValue> values, values_of(options, opened, options.measures, *run));
  CurveMeans means;
  means.add(values);
  add_means(means, member, false, answer);
  answer.run["inputs"]["text"] = input_json(opened, *run);
  if (!run->edits.empty()) answer.run["edits"] = texts_of(run->edits);
  return Done{};
}

Status ask_probe(const SeriesOptions& options, const RunModel& opened, const CheckpointMember& member,
                 SeriesAnswer& answer) {
  nlohmann::json data;
  TRY(const ProbeAnswer found, probe_data(options.data, options.probe, options.at, opened, data));
  for (const ProbeDepth& depth : found.depths) {
    SeriesRow row{member.step, member.name, {}};
    row.value.measure = "probe:" + options.probe;
    row.value.at = to_text(depth.site);
    row.value.layer = depth.site.layer;
    row.value.value = depth.held_out, row.value.chance = found.guessing;
    row.n = found.held_out_rows;
    answer.rows.push_back(std::move(row));
  }
  return Done{};
}

// What a checkpoint is asked. Errors: the question does not fit it.
Status ask(const SeriesOptions& options, const RunModel& opened, const CheckpointMember& member,
           SeriesAnswer& answer) {
  TRY_OK(options.data.given() ? ask_data(options, opened, member, answer)
                              : ask_text(options, opened, member, answer));
  return options.probe.empty() ? Status(Done{}) : ask_probe(options, opened, member, answer);
}

void pass_over(SeriesAnswer& answer, const CheckpointMember& member, const Error& why) {
  answer.passed_over.emplace_back(member.name, why.text());
  std::fprintf(stderr, "attnscope-cli: %s\n",
               tr("note.series.passed_over", {in_quotes(member.name), why.text()}).c_str());
}

// One checkpoint is opened at a time.
Result<SeriesAnswer> asked(const SeriesOptions& options, const std::vector<CheckpointMember>& members) {
  SeriesAnswer answer;
  for (const CheckpointMember& member : members) {
    auto opened = open_named(member.path);
    if (!opened) {
      pass_over(answer, member, about(member.path, opened.error()));
      continue;
    }
    if (!opened->recorded.empty()) {
      pass_over(answer, member, fail(Code::unsupported, "error.trace.recording"));
      continue;
    }
    if (answer.first)
      if (const Status same = same_training(*answer.first, answer.first_name, *opened); !same) {
        pass_over(answer, member, same.error());
        continue;
      }
    const RunModel model(*std::move(opened));
    if (!answer.first) {
      // Its shapes alone are kept.
      OpenedModel shapes;
      shapes.family = model.family;
      shapes.model = std::make_shared<const Model>(std::make_shared<const ModelConfig>(model.model->config()),
                                                   std::make_shared<const Weights>());
      answer.first = std::make_shared<const OpenedModel>(std::move(shapes));
      answer.first_name = member.name;
      answer.run = run_json(model, options.folder);
    }
    if (const Status done = ask(options, model, member, answer); !done)
      return within(Text(in_quotes(member.name)), done.error());
    answer.members.push_back(
        {{"step", member.step}, {"name", member.name}, {"fingerprint", model_fingerprint(model)}});
  }
  if (!answer.first)
    return fail(Code::not_found, "error.cli.series_none",
                {quoted_path(options.folder), answer.passed_over.front().second});
  return answer;
}

nlohmann::json row_json(const SeriesRow& row) {
  nlohmann::json out = {{"step", row.step},
                        {"name", row.name},
                        {"measure", row.value.measure},
                        {"value", json_number(row.value.value)},
                        {"n", row.n}};
  if (!row.value.at.empty()) out["at"] = row.value.at;
  if (row.value.layer >= 0) out["block"] = row.value.layer;
  if (row.value.head >= 0) out["head"] = row.value.head;
  if (!std::isnan(row.value.chance)) out["chance"] = row.value.chance;
  if (!std::isnan(row.error)) out["stderr"] = row.error;
  return out;
}

std::string series_csv(const SeriesAnswer& answer) {
  const auto known = [](double value) { return std::isnan(value) ? std::string(",") : csv_number(value); };
  const auto index = [](int value) { return value < 0 ? std::string(",") : "," + std::to_string(value); };
  std::string out = "step,name,measure,at,block,head,value,stderr,chance,n\n";
  for (const SeriesRow& row : answer.rows)
    out += std::to_string(row.step) + "," + csv_field(row.name) + "," + csv_field(row.value.measure) + "," +
           csv_field(row.value.at) + index(row.value.layer) + index(row.value.head) +
           csv_number(row.value.value) + known(row.error) + known(row.value.chance) + "," +
           std::to_string(row.n) + "\n";
  return out;
}

nlohmann::json series_json(const SeriesOptions& options, SeriesAnswer& answer) {
  nlohmann::json rows = nlohmann::json::array(), passed = nlohmann::json::array();
  for (const SeriesRow& row : answer.rows) rows.push_back(row_json(row));
  for (const auto& [name, why] : answer.passed_over) passed.push_back({{"name", name}, {"sentence", why}});
  answer.run["checkpoints"] = answer.members;
  answer.run["measures"] = options.measures;
  nlohmann::json out = {{"rows", std::move(rows)}, {"passed_over", std::move(passed)}};
  put_unknown(out, options.text.unknown());
  out["run"] = answer.run;
  return out;
}

void print_rows(const SeriesAnswer& answer) {
  for (const SeriesRow& row : answer.rows) {
    std::string line = format("%10lld  %-24s %-34s %12.6f", static_cast<long long>(row.step),
                              row.value.measure.c_str(), row.value.at.c_str(), unsigned_nan(row.value.value));
    if (!std::isnan(row.error)) line += format("  ± %.6f (%lld)", row.error, static_cast<long long>(row.n));
    say(line + "\n");
  }
}

// A plot for each measure, role and probe; a curve for each head or depth.
Status draw_series(const SeriesOptions& options, const SeriesAnswer& answer) {
  if (options.figure.empty()) return Done{};
  std::vector<CurvePlot> plots;
  std::vector<std::string> names;
  for (const SeriesRow& row : answer.rows) {
    const auto known = std::find(names.begin(), names.end(), row.value.measure);
    const auto index = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) {
      names.push_back(row.value.measure);
      CurvePlot& plot = plots.emplace_back();
      plot.title = row.value.measure;
      plot.plot.x_title = Text::of("cli.checkpoints.axis");
    }
    const Text name = row.value.head >= 0    ? format("%d.%d", row.value.layer, row.value.head)
                      : row.value.at.empty() ? row.value.measure
                                             : row.value.at;
    auto& series = plots[index].plot.series;
    auto curve = std::find_if(series.begin(), series.end(),
                              [&](const auto& one) { return one.name.str() == name.str(); });
    if (curve == series.end())
      curve = series.insert(series.end(), {name, {}, curve_ink(series.size()), false});
    curve->points.emplace_back(static_cast<double>(row.step), row.value.value);
  }
  return write_curves(options.figure, Text::of("cli.checkpoints.title", {quoted_path(options.folder)}),
                      plots);
}

std::vector<CheckpointMember> chosen(const CheckpointSeries& series, const SeriesOptions& options) {
  std::vector<CheckpointMember> inside, out;
  for (const CheckpointMember& member : series.members)
    if (member.step >= options.first && member.step <= options.last) inside.push_back(member);
  // Every n-th, and the last one.
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (i % options.every == 0 || i + 1 == inside.size()) out.push_back(inside[i]);
  return out;
}

Status run_checkpoints(SeriesOptions options) {
  TRY_OK(check_rows_path(options.out));
  if (!options.probe.empty() && !options.data.given())
    return fail(Code::out_of_range, "error.cli.series_probe");
  if (options.measures.empty() && !options.heads && options.probe.empty())
    options.measures.emplace_back(kLossMeasure);
  const auto reads_no_row = [](const std::string& measure) { return measure == kLossMeasure; };
  if (options.at >= 0 && options.probe.empty() &&
      std::all_of(options.measures.begin(), options.measures.end(), reads_no_row))
    return fail(Code::out_of_range, "error.cli.series_at");
  TRY_OK(check_curve_path(options.figure));
  TRY(const CheckpointSeries series, checkpoint_series(options.folder));
  const std::vector<CheckpointMember> members = chosen(series, options);
  if (members.empty())
    return fail(Code::not_found, "error.cli.series_range",
                {series.members.front().step, series.members.back().step});
  TRY(SeriesAnswer answer, asked(options, members));
  const nlohmann::json out = series_json(options, answer);
  if (options.json) print_json(out);
  TRY_OK(draw_series(options, answer));
  if (!options.json && options.out.empty()) print_rows(answer);
  TRY_OK(write_rows(options.out, out, series_csv(answer)));
  if (answer.passed_over.empty()) return Done{};
  return fail(Code::bad_format, "error.cli.series_passed", {answer.passed_over.size(), members.size()});
}

}  // namespace

void add_checkpoints(CLI::App& app, Action& action) {
  const auto [command, options] =
      new_command(app, action, "checkpoints", tr("cli.checkpoints"), run_checkpoints);
  command->add_option("FOLDER", options->folder, tr("cli.checkpoints.folder"))->required();
  options->text.add_to(*command, false);
  options->data.add_to(*command);
  command->add_option("--measure", options->measures, tr("cli.checkpoints.measure"))
      ->allow_extra_args(false)
      ->type_name("M");
  command->add_option("--at", options->at, tr("cli.ask.at"))->transform(whole(0, 1 << 30));
  command->add_flag("--heads", options->heads, tr("cli.checkpoints.heads"));
  command->add_option("--probe", options->probe, tr("cli.checkpoints.probe"))->type_name("WHAT");
  command->add_option("--from", options->first, tr("cli.checkpoints.from"))
      ->transform(whole(0, std::uint64_t{1} << 53));
  command->add_option("--to", options->last, tr("cli.checkpoints.to"))
      ->transform(whole(0, std::uint64_t{1} << 53));
  command->add_option("--every", options->every, tr("cli.checkpoints.every"))->transform(whole(1, 1 << 30));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->add_option("--out", options->out, tr("cli.path.out"));
  command->add_option("--figure", options->figure, tr("cli.curves.figure"))->type_name("FILE");
}

}  // namespace attnscope::cli
