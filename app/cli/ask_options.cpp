#include "app/cli/ask_options.h"

#include <cmath>

#include "app/cli/answer_forms.h"
#include "app/cli/answer_run.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/asked_measure.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {

std::vector<std::string> AskOptions::over_axes() const {
  return over.empty() ? std::vector<std::string>() : split(over, ',');
}

Result<DataKnockout> how_asked(const std::string& how, bool data, std::uint64_t seed) {
  using From = DataKnockout::From;
  if (how == "zero") return DataKnockout{};
  if (how == "mean" && !data) return DataKnockout{{EditOp::set, MeanOver{}}, From::itself, seed};
  if (how == "mean") return DataKnockout{{}, From::mean, seed};
  if (how == "mean:pos" || how == "resample") {
    if (!data) return fail(Code::out_of_range, "error.cli.how_needs_data", {in_quotes(how)});
    return DataKnockout{{}, how == "resample" ? From::resample : From::mean_by_pos, seed};
  }
  constexpr std::string_view kScale = "scale:";
  char* end = nullptr;
  const double factor = how.starts_with(kScale) ? std::strtod(how.c_str() + kScale.size(), &end) : 0;
  if (!end || *end != '\0' || how.size() == kScale.size() || !std::isfinite(factor))
    return fail(Code::bad_format, "error.cli.how", {in_quotes(how)});
  return DataKnockout{{EditOp::scale, static_cast<float>(factor)}, From::itself, seed};
}

AttributeBy attribute_by(const std::string& word) {
  const std::map<std::string, AttributeBy> by{{"part", AttributeBy::part},
                                              {"head", AttributeBy::head},
                                              {"token", AttributeBy::token},
                                              {"neuron", AttributeBy::neuron}};
  return by.at(word);
}

Status check_measures(const AskOptions& options) {
  const std::string& out = options.out;
  const bool csv = !out.empty() && !out.ends_with(".json") && !out.ends_with(".npz");
  if (options.each && !options.shard.empty() && csv) return fail(Code::unsupported, "error.cli.each_shard");
  const bool of_prompts = options.each || options.quantiles;
  if (of_prompts && !options.json && (out.empty() || (out.ends_with(".npz") && options.shard.empty())))
    return fail(Code::unsupported, "error.cli.each_form");
  if (options.measures.size() < 2) return Done{};
  if (!options.shard.empty()) return fail(Code::out_of_range, "error.cli.measures_shard");
  if (!options.graph.empty()) return fail(Code::out_of_range, "error.cli.measures_graph");
  if (options.directions) return fail(Code::out_of_range, "error.cli.measures_directions");
  if (options.out.ends_with(".npz")) return fail(Code::unsupported, "error.cli.measures_npz");
  return Done{};
}

Result<PatchAsked> patch_asked(const OpenedModel& opened, const AskOptions& options,
                               const std::vector<std::string>& texts,
                               const std::shared_ptr<const Trace>& clean,
                               const std::shared_ptr<const Trace>& corrupt) {
  TRY(const Selector steps, Selector::parse(options.steps));
  const bool noise = options.noise();
  PatchAsked out;
  for (const std::string& text : texts) {
    TRY(const PatchMeasures both, patch_measures(opened, text, options.at, *clean, *corrupt));
    TRY(out.clean.emplace_back(), measured(both.clean, *clean));
    TRY(out.corrupt.emplace_back(), measured(both.corrupt, *corrupt));
    out.measures.push_back(noise ? both.clean : both.corrupt);
  }
  TRY(Sweep sweep, Sweep::patching(opened.model, noise ? clean : corrupt, noise ? corrupt : clean,
                                   out.measures.front(), steps, options.over_axes()));
  for (std::size_t i = 1; i < out.measures.size(); ++i) TRY_OK(sweep.add_measure(out.measures[i]));
  out.sweep.emplace(std::move(sweep));
  return out;
}

Status normalise(const AskOptions& options, AnswerTable& table) {
  if (!options.normalise) return Done{};
  std::optional<double> clean, corrupt;
  for (const auto& [name, value] : table.totals) {
    if (name == "clean") clean = value;
    if (name == "corrupt") corrupt = value;
  }
  if (!clean || !corrupt) return fail(Code::out_of_range, "error.cli.normalise");
  if (*clean == *corrupt) return fail(Code::out_of_range, "error.cli.normalise_same");
  for (AnswerRow& row : table.rows) row.normalised = (row.value - *corrupt) / (*clean - *corrupt);
  return Done{};
}

namespace {

// One line per row, when there is no output file.
void print_rows(const AnswerTable& table) {
  for (const auto& [name, value] : table.totals)
    std::printf("%-40s %12.6f\n", name.c_str(), unsigned_nan(value));
  for (const AnswerRow& row : table.rows) {
    const std::string place = row.step + to_text(row.at);
    const std::string estimate =
        row.estimate ? tr("cli.ask.row_estimate", {format("%12.6f", unsigned_nan(*row.estimate))}) : "";
    std::printf("%-40s", place.c_str());
    if (table.estimates_alone)
      std::printf(" %s", estimate.c_str());
    else
      std::printf(" %12.6f", unsigned_nan(row.value));
    if (row.error) std::printf("   ± %-10.6f", *row.error);
    if (row.n > 0) std::printf("   n %lld", static_cast<long long>(row.n));
    if (row.normalised) std::printf("   %9.4f", unsigned_nan(*row.normalised));
    if (row.estimate && !table.estimates_alone) std::printf("   %s", estimate.c_str());
    std::printf("\n");
  }
  if (any_row(table, [](const AnswerRow& row) { return row.estimate.has_value(); }))
    std::printf("%s", agreement_line(table).c_str());
}

}  // namespace

Status give_answer(const AskOptions& options, const std::vector<AnswerTable>& tables) {
  if (options.json) say(answer_text(tables));
  if (!options.json && options.out.empty())
    for (const AnswerTable& table : tables) {
      if (tables.size() > 1) std::printf("%s\n", printable(table.measure, kMostOfSentence).c_str());
      print_rows(table);
    }
  return options.out.empty() ? Status(Done{}) : write_answer(options.out, tables);
}

}  // namespace attnscope::cli
