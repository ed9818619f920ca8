// attnscope-cli weights: norm, spread, quantiles, histogram and singular values of every weight and of the
// circuits of every head.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "app/cli/rows_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/weight_facts.h"

namespace attnscope::cli {
namespace {

constexpr double kMostUnaskedSpectra = 2e12;  // multiply-adds: more need --yes
constexpr int kMostBins = 100'000;

struct WeightOptions {
  std::string model, out;
  std::vector<std::string> of;
  std::int64_t top = 8;
  int bins = 0;  // 0: not given
  bool json = false, all = false, yes = false;
  bool spectra() const { return all || top > 0; }
};

std::string quantile_key(double q) { return format("q%02d", static_cast<int>(q * 100 + 0.5)); }

std::vector<double> shown_values(const WeightFacts& facts, const WeightOptions& options) {
  const auto count = std::min(facts.singular.size(), static_cast<std::size_t>(options.top));
  return options.all ? facts.singular
                     : std::vector<double>(facts.singular.begin(),
                                           facts.singular.begin() + static_cast<std::ptrdiff_t>(count));
}

nlohmann::json facts_json(const WeightFacts& facts, const WeightOptions& options) {
  nlohmann::json out = {
      {"name", facts.name},
      {"shape", facts.shape},
      {"count", facts.count},
      {"norm", json_number(facts.norm)},
      {"mean", json_number(facts.mean)},
      {"std", json_number(facts.deviation)},
      {"least", json_number(facts.least)},
      {"largest", json_number(facts.largest)},
      {"histogram",
       {{"from", facts.histogram.from}, {"to", facts.histogram.to}, {"counts", facts.histogram.counts}}}};
  for (std::size_t i = 0; i < kWeightQuantiles.size(); ++i)
    out["quantiles"][quantile_key(kWeightQuantiles[i])] = json_number(facts.quantiles[i]);
  if (facts.broken > 0) out["broken"] = facts.broken;
  if (facts.singular.empty()) return out;
  out["singular"] = nlohmann::json::array();
  for (const double value : shown_values(facts, options)) out["singular"].push_back(json_number(value));
  out["stable_rank"] = json_number(facts.stable_rank());
  return out;
}

std::string facts_csv(const std::vector<WeightFacts>& all, const WeightOptions& options) {
  std::size_t most = 0;
  for (const WeightFacts& facts : all) most = std::max(most, shown_values(facts, options).size());
  std::string out = "name,shape,count,broken,norm,mean,std,least,largest";
  for (const double q : kWeightQuantiles) out += "," + quantile_key(q);
  out += ",stable_rank";
  for (std::size_t i = 0; i < most; ++i) out += ",s" + std::to_string(i + 1);
  out += "\n";
  for (const WeightFacts& facts : all) {
    std::vector<std::string> sizes;
    for (const std::int64_t size : facts.shape) sizes.push_back(std::to_string(size));
    out += csv_field(facts.name) + "," + join(sizes, "x") + "," + std::to_string(facts.count) + "," +
           std::to_string(facts.broken) + csv_number(facts.norm) + csv_number(facts.mean) +
           csv_number(facts.deviation) + csv_number(facts.least) + csv_number(facts.largest);
    for (const double value : facts.quantiles) out += csv_number(value);
    out += facts.singular.empty() ? std::string(",") : csv_number(facts.stable_rank());
    const std::vector<double> values = shown_values(facts, options);
    for (std::size_t i = 0; i < most; ++i)
      out += i < values.size() ? csv_number(values[i]) : std::string(",");
    out += "\n";
  }
  return out;
}

void print_facts(const WeightFacts& facts, const WeightOptions& options) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : facts.shape) sizes.push_back(std::to_string(size));
  std::string line = format("%-34s %-14s %s %10.4f  %s %9.5f ± %-9.5f [%.4f, %.4f]", facts.name.c_str(),
                            join(sizes, " x ").c_str(), "norm", facts.norm, "mean", facts.mean,
                            facts.deviation, facts.least, facts.largest);
  for (const double value : shown_values(facts, options)) line += format(" %.4f", value);
  say(line + "\n");
}

Result<std::vector<std::string>> chosen_names(const Model& model, const WeightOptions& options) {
  const std::vector<std::string> all = weight_names(model);
  if (options.of.empty()) return all;
  std::vector<std::string> out;
  for (const std::string& pattern : options.of) {
    const std::size_t before = out.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(out), [&](const std::string& name) {
      return (name == pattern || glob_match(pattern, name)) &&
             std::find(out.begin(), out.end(), name) == out.end();
    });
    const bool known = model.weights().find(pattern) != nullptr;
    if (out.size() == before && known) out.push_back(pattern);  // a tied one, by its own name
    if (out.size() == before)
      return fail(Code::not_found, "error.cli.weights_none", {in_quotes(pattern), all.front(), all.back()});
  }
  return out;
}

Status run_weights(const WeightOptions& options) {
  TRY_OK(check_rows_path(options.out));
  if (options.bins > 0 && !options.json && !options.out.ends_with(".json"))
    return fail(Code::unsupported, "error.cli.weights_bins");
  const int bins = options.bins > 0 ? options.bins : kWeightBins;
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  TRY(const EditedModel edited, edited_model(opened));
  const Model& model = *edited.model;
  TRY(const std::vector<std::string> names, chosen_names(model, options));
  double cost = 0;
  for (const std::string& name : names) cost += options.spectra() ? spectrum_cost(model, name) : 0;
  if (cost > kMostUnaskedSpectra && !options.yes)
    return fail(Code::out_of_range, "error.cli.weights_long", {format("%.0e", cost)});
  std::vector<WeightFacts> all;
  for (const std::string& name : names) {
    TRY(all.emplace_back(), weight_facts(model, name, options.spectra(), bins));
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const WeightFacts& facts : all) rows.push_back(facts_json(facts, options));
  nlohmann::json out = {{"rows", std::move(rows)}, {"run", run_json(opened, options.model)}};
  put_edits(out, edited.edits);
  if (options.json) print_json(out);
  if (!options.json && options.out.empty())
    for (const WeightFacts& facts : all) print_facts(facts, options);
  return write_rows(options.out, out, facts_csv(all, options));
}

}  // namespace

void add_weights(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "weights", tr("cli.weights"), run_weights);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  command->add_option("--of", options->of, tr("cli.weights.of"))->allow_extra_args(false)->type_name("NAME");
  command->add_option("--top", options->top, tr("cli.weights.top"))->transform(whole(0, 1 << 20));
  command->add_flag("--all", options->all, tr("cli.weights.all"));
  command->add_option("--bins", options->bins, tr("cli.weights.bins"))->transform(whole(1, kMostBins));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->add_option("--out", options->out, tr("cli.path.out"));
  command->add_flag("--yes", options->yes, tr("cli.weights.yes"));
}

}  // namespace attnscope::cli
