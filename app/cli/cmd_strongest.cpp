// attnscope-cli strongest: the texts of a data set in which a head or a neuron is strongest.
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "app/cli/prompt_runs.h"
#include "app/cli/rows_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/document.h"
#include "core/session/prompt_list.h"
#include "core/session/strongest_texts.h"

namespace attnscope::cli {
namespace {

struct StrongestOptions {
  std::string model, by, out, table = "texts";
  std::vector<std::string> of;
  std::size_t most = 10;
  bool json = false;
  SequenceOptions text;
  DataOptions data;
};

std::string token_at(const OpenedModel& opened, const StrongText& text, std::int64_t row) {
  const auto at = static_cast<std::size_t>(row);
  return row >= 0 && at < text.ids.size() ? token_label(opened, text.ids[at]) : std::string();
}

double strength_at(const StrongText& text, std::size_t row) {
  return text.at.there[row] ? static_cast<double>(text.at.values[row])
                            : std::numeric_limits<double>::quiet_NaN();
}

struct StrongRow {
  const StrengthPlace* place;
  const char* kind;
  std::size_t rank;
  const StrongText* text;
};

std::vector<StrongRow> strong_rows(const std::vector<StrengthPlace>& places,
                                   const std::vector<Strongest>& found,
                                   std::vector<std::vector<StrongTextPtr>>& spreads) {
  std::vector<StrongRow> out;
  for (std::size_t i = 0; i < places.size(); ++i) {
    spreads.push_back(found[i].spread());
    const auto add = [&](const char* kind, const std::vector<StrongTextPtr>& texts) {
      for (std::size_t rank = 0; rank < texts.size(); ++rank)
        out.push_back({&places[i], kind, rank + 1, texts[rank].get()});
    };
    add("top", found[i].top());
    add("spread", spreads.back());
  }
  return out;
}

nlohmann::json row_json(const OpenedModel& opened, const StrongRow& row) {
  const StrongText& text = *row.text;
  nlohmann::json tokens = nlohmann::json::array();
  for (std::size_t i = 0; i < text.at.values.size(); ++i) {
    const double value = strength_at(text, i);
    tokens.push_back({{"token", token_at(opened, text, static_cast<std::int64_t>(i))},
                      {"value", text.at.there[i] ? json_number(value) : nlohmann::json()}});
  }
  nlohmann::json out = {{"of", to_text(row.place->cell)},
                        {"kind", row.kind},
                        {"rank", row.rank},
                        {"prompt", text.prompt + 1},
                        {"line", text.line},
                        {"pos", text.pos},
                        {"token", token_at(opened, text, text.pos)},
                        {"value", json_number(text.value)},
                        {"tokens", std::move(tokens)}};
  if (text.at.keys.empty()) return out;
  const std::int64_t key = text.at.keys[static_cast<std::size_t>(text.pos)];
  out["looks_at"] = {{"pos", key}, {"token", token_at(opened, text, key)}};
  return out;
}

nlohmann::json place_json(const StrengthPlace& place, const Strongest& found) {
  nlohmann::json bars = nlohmann::json::array();
  for (const HistogramBar& bar : histogram_bars(found.positions()))
    bars.push_back({{"from", bar.from}, {"to", bar.to}, {"n", bar.n}});
  return {{"of", to_text(place.cell)},
          {"by", name_of_value(place.by, kStrengthBys)},
          {"texts", found.texts()},
          {"positions", found.counted()},
          {"not_numbers", found.not_numbers()},
          {"texts_without", found.without()},
          {"tied", found.tied()},
          {"histogram", std::move(bars)}};
}

// One line: the number, the line of the file, and its tokens, the strongest one in brackets.
void print_row(const OpenedModel& opened, const StrongRow& row) {
  std::string line =
      format("%-7s %10.4f %7lld", row.kind, row.text->value, static_cast<long long>(row.text->line));
  for (std::size_t i = 0; i < row.text->at.values.size(); ++i) {
    const std::string token = token_at(opened, *row.text, static_cast<std::int64_t>(i));
    line += static_cast<std::int64_t>(i) == row.text->pos ? " [" + token + "]" : " " + token;
  }
  say(line + "\n");
}

void print_strongest(const OpenedModel& opened, const std::vector<StrengthPlace>& places,
                     const std::vector<Strongest>& found, const std::vector<StrongRow>& rows) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Strongest& one = found[i];
    say(tr("cli.strongest.head",
           {to_text(places[i].cell),
            tr("cli.strongest.by." + std::string(name_of_value(places[i].by, kStrengthBys))),
            std::to_string(one.texts()), std::to_string(one.counted())}) +
        "\n");
    say(headings({{"kind", -7}, {"value", 10}, {"line", 7}, {"text", -1}}));
    for (const StrongRow& row : rows)
      if (row.place == &places[i]) print_row(opened, row);
    say(headings({{"from", 14}, {"to", 14}, {"positions", 10}}));
    for (const HistogramBar& bar : histogram_bars(one.positions()))
      say(format("%14.6g %14.6g %10lld\n", bar.from, bar.to, static_cast<long long>(bar.n)));
    for (const auto& [key, count] : {std::pair("cli.strongest.tied", one.tied()),
                                     std::pair("cli.strongest.not_numbers", one.not_numbers()),
                                     std::pair("cli.strongest.without", one.without())})
      if (count > 0) say(tr(key, {std::to_string(count)}) + "\n");
  }
}

std::string texts_csv(const OpenedModel& opened, const std::vector<StrongRow>& rows) {
  std::string out = "of,by,kind,rank,prompt,line,pos,token,value,key,key_token,tokens,values\n";
  for (const StrongRow& row : rows) {
    const StrongText& text = *row.text;
    nlohmann::json tokens = nlohmann::json::array(), values = nlohmann::json::array();
    for (std::size_t i = 0; i < text.at.values.size(); ++i) {
      tokens.push_back(token_at(opened, text, static_cast<std::int64_t>(i)));
      values.push_back(text.at.there[i] ? json_number(strength_at(text, i)) : nlohmann::json());
    }
    out += csv_field(to_text(row.place->cell)) + "," +
           std::string(name_of_value(row.place->by, kStrengthBys)) + "," + row.kind + "," +
           std::to_string(row.rank) + "," + std::to_string(text.prompt + 1) + "," +
           std::to_string(text.line) + "," + std::to_string(text.pos) + "," +
           csv_field(token_at(opened, text, text.pos)) + csv_number(text.value);
    const std::int64_t key = text.at.keys.empty() ? -1 : text.at.keys[static_cast<std::size_t>(text.pos)];
    out += key < 0 ? ",," : "," + std::to_string(key) + "," + csv_field(token_at(opened, text, key));
    const auto list = [](const nlohmann::json& all) {
      return csv_quoted(all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    };
    out += "," + list(tokens) + "," + list(values) + "\n";
  }
  return out;
}

std::string histograms_csv(const std::vector<StrengthPlace>& places, const std::vector<Strongest>& found) {
  std::string out = "of,by,from,to,n\n";
  for (std::size_t i = 0; i < places.size(); ++i)
    for (const HistogramBar& bar : histogram_bars(found[i].positions()))
      out += csv_field(to_text(places[i].cell)) + "," +
             std::string(name_of_value(places[i].by, kStrengthBys)) + csv_number(bar.from) +
             csv_number(bar.to) + "," + std::to_string(bar.n) + "\n";
  return out;
}

Result<std::vector<StrengthPlace>> places_asked(const StrongestOptions& options) {
  std::vector<StrengthPlace> out;
  std::optional<StrengthBy> by;
  if (!options.by.empty()) by = value_of_name(options.by, kStrengthBys);
  for (const std::string& text : options.of) {
    TRY(Cell cell, parse_cell(text));
    TRY(out.emplace_back(), strength_place(std::move(cell), by));
  }
  return out;
}

Status run_strongest(const StrongestOptions& options) {
  TRY_OK(check_rows_path(options.out));
  TRY(const std::vector<StrengthPlace> places, places_asked(options));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY(const DataChoice choice, data_or_own(options.data, opened));
  PromptRuns data(choice, opened, options.text, options.text);
  TRY_OK(data.prepare());
  TRY(const std::vector<Strongest> found, strongest_texts(data, places, options.most));
  std::vector<std::vector<StrongTextPtr>> spreads;
  const std::vector<StrongRow> rows = strong_rows(places, found, spreads);
  nlohmann::json out = {{"rows", nlohmann::json::array()}, {"places", nlohmann::json::array()}};
  for (const StrongRow& row : rows) out["rows"].push_back(row_json(opened, row));
  for (std::size_t i = 0; i < places.size(); ++i) out["places"].push_back(place_json(places[i], found[i]));
  nlohmann::json& run = out["run"] = run_json(opened, options.model);
  run["data"] = data.json();
  run["method"] = {{"of", options.of}, {"top", options.most}};
  if (options.json) print_json(out);
  if (!options.json && options.out.empty()) print_strongest(opened, places, found, rows);
  return write_rows(options.out, out,
                    options.table == "texts" ? texts_csv(opened, rows) : histograms_csv(places, found));
}

}  // namespace

void add_strongest(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "strongest", tr("cli.strongest"), run_strongest);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  command->add_option("--of", options->of, tr("cli.strongest.of"))->required()->allow_extra_args(false);
  command->add_option("--by", options->by, tr("cli.strongest.by"))
      ->check(word_of({"value", "write", "weight"}));
  command->add_option("--top", options->most, tr("cli.strongest.top"))->transform(whole(1, 1000));
  options->data.add_to(*command, true);
  options->text.add_to(*command, false);
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  CLI::Option* const file = command->add_option("--out", options->out, tr("cli.path.out"));
  command->add_option("--table", options->table, tr("cli.strongest.table"))
      ->check(word_of({"texts", "histogram"}))
      ->needs(file);
}

}  // namespace attnscope::cli
