// attnscope-cli circuits: what the weights say of each head, and of each head with each later one.
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "app/cli/rows_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/circuits.h"
#include "core/session/document.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {
namespace {

constexpr double kMostUnasked = 1e13;  // multiply-adds: more need --yes
constexpr std::size_t kTopWords = 10;

struct CircuitOptions {
  std::string model, out, table = "heads", head;
  std::vector<std::string> words;
  std::int64_t distance = -1;
  bool json = false, spectra = false, yes = false;
};

std::string head_name(int block, int head) { return std::to_string(block) + "." + std::to_string(head); }

nlohmann::json numbers_json(const std::vector<double>& values) {
  nlohmann::json out = nlohmann::json::array();
  for (const double value : values) out.push_back(json_number(value));
  return out;
}

nlohmann::json head_json(const HeadCircuit& head, bool spectra) {
  nlohmann::json out = {{"block", head.block},
                        {"head", head.head},
                        {"kv_head", head.kv_head},
                        {"ov_norm", json_number(head.ov_norm)},
                        {"qk_norm", json_number(head.qk_norm)}};
  if (head.copying) out["copying"] = json_number(*head.copying);
  if (!spectra) return out;
  out["ov_singular"] = numbers_json(head.ov_values);
  out["qk_singular"] = numbers_json(head.qk_values);
  nlohmann::json values = nlohmann::json::array();
  for (const auto& value : head.eigenvalues)
    values.push_back({json_number(value.real()), json_number(value.imag())});
  out["eigenvalues"] = std::move(values);
  return out;
}

nlohmann::json composition_json(const Composition& one) {
  return {{"kind", reads_name(one.side)},
          {"from", head_name(one.from_block, one.from_head)},
          {"to", head_name(one.to_block, one.to_head)},
          {"score", json_number(one.score)}};
}

std::string circuits_csv(const Circuits& found, const std::string& table) {
  std::string out;
  if (table == "heads") {
    out = "block,head,kv_head,ov_norm,qk_norm,copying\n";
    for (const HeadCircuit& head : found.heads)
      out += format("%d,%d,%d", head.block, head.head, head.kv_head) + csv_number(head.ov_norm) +
             csv_number(head.qk_norm) + (head.copying ? csv_number(*head.copying) : ",") + "\n";
    return out;
  }
  out = "kind,from_block,from_head,to_block,to_head,score\n";
  for (const Composition& one : found.composition)
    out += format("%s,%d,%d,%d,%d", reads_name(one.side), one.from_block, one.from_head, one.to_block,
                  one.to_head) +
           csv_number(one.score) + "\n";
  return out;
}

// "1.3" as block and head.
Result<std::pair<int, int>> head_of_text(const std::string& text) {
  constexpr std::uint64_t kMost = 1 << 20;
  const std::size_t dot = std::min(text.find('.'), text.size());
  const auto block = parse_whole(std::string_view(text).substr(0, dot), 0, kMost);
  const auto head = parse_whole(std::string_view(text).substr(std::min(dot + 1, text.size())), 0, kMost);
  if (!block || !head) return fail(Code::bad_format, "error.cli.circuit_head", {in_quotes(text)});
  return std::pair(static_cast<int>(*block), static_cast<int>(*head));
}

// The circuits of one head over the words that were named, and what each makes likelier.
Result<nlohmann::json> words_json(const OpenedModel& opened, const Model& model,
                                  const CircuitOptions& options) {
  TRY(const auto head, head_of_text(options.head));
  const std::optional<std::int64_t> distance =
      options.distance < 0 ? std::nullopt : std::optional(options.distance);
  std::vector<int> ids;
  nlohmann::json tokens = nlohmann::json::array(), top = nlohmann::json::array();
  for (const std::string& word : options.words) {
    TRY(ids.emplace_back(), parse_output(opened, word));
    tokens.push_back(token_label(opened, ids.back()));
  }
  nlohmann::json out = {{"head", options.head}, {"ids", ids}, {"tokens", std::move(tokens)}};
  if (distance) out["distance"] = *distance;
  for (const bool ov : {true, false}) {
    TRY(const std::vector<double> map, circuit_map(model, head.first, head.second, ov, ids, ids, distance));
    nlohmann::json rows = nlohmann::json::array();
    for (std::size_t i = 0; i < ids.size(); ++i)
      rows.push_back(numbers_json({map.begin() + static_cast<std::ptrdiff_t>(i * ids.size()),
                                   map.begin() + static_cast<std::ptrdiff_t>((i + 1) * ids.size())}));
    out[ov ? "ov" : "qk"] = std::move(rows);
  }
  for (const int id : ids) {
    TRY(const auto found, ov_words(model, head.first, head.second, id, kTopWords));
    nlohmann::json row = nlohmann::json::array();
    for (const CircuitWord& word : found)
      row.push_back({{"id", word.id}, {"token", token_label(opened, word.id)}, {"value", word.value}});
    top.push_back(std::move(row));
  }
  out["top"] = std::move(top);
  return out;
}

void print_circuits(const Circuits& found) {
  for (const HeadCircuit& head : found.heads)
    std::printf("%-8s %s %10.4f   %s %10.4f   %s %s\n", head_name(head.block, head.head).c_str(), "ov",
                head.ov_norm, "qk", head.qk_norm, "copying",
                head.copying ? format("%8.4f", *head.copying).c_str() : "-");
  for (const Composition& one : found.composition)
    std::printf("%s   %-8s -> %-8s %8.4f\n", reads_name(one.side),
                head_name(one.from_block, one.from_head).c_str(),
                head_name(one.to_block, one.to_head).c_str(), one.score);
}

void print_words(const nlohmann::json& words) {
  for (std::size_t i = 0; i < words["tokens"].size(); ++i) {
    std::printf("%-16s", words["tokens"][i].get<std::string>().c_str());
    for (const auto& word : words["top"][i])
      std::printf("  %s %.3f", word["token"].get<std::string>().c_str(), word["value"].get<double>());
    std::printf("\n");
  }
}

Status run_circuits(const CircuitOptions& options) {
  TRY_OK(check_rows_path(options.out));
  if (options.words.empty() != options.head.empty() || (options.distance >= 0 && options.head.empty()))
    return fail(Code::bad_format, "error.cli.circuit_words");
  if (options.spectra && !options.json && !options.out.ends_with(".json"))
    return fail(Code::unsupported, "error.cli.spectra_form");
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  TRY(const EditedModel edited, edited_model(opened));
  const double cost = circuits_cost(edited.model->config());
  if (cost > kMostUnasked && !options.yes)
    return fail(Code::out_of_range, "error.cli.circuits_long", {format("%.0e", cost)});
  TRY(const Circuits found, circuits_of(*edited.model));
  nlohmann::json out = {{"heads", nlohmann::json::array()}, {"composition", nlohmann::json::array()}};
  for (const HeadCircuit& head : found.heads) out["heads"].push_back(head_json(head, options.spectra));
  for (const Composition& one : found.composition) out["composition"].push_back(composition_json(one));
  std::vector<std::string> left_out;
  for (const std::string& key : found.left_out) left_out.emplace_back(tr(key));
  if (!left_out.empty()) out["left_out"] = left_out;
  put_edits(out, edited.edits);
  out["run"] = run_json(opened, options.model);
  if (!options.head.empty()) {
    TRY(out["words"], words_json(opened, *edited.model, options));
  }
  for (const std::string& sentence : left_out)
    if (!options.json) std::fprintf(stderr, "attnscope-cli: %s\n", sentence.c_str());
  if (options.json) print_json(out);
  if (!options.json && options.out.empty()) {
    print_circuits(found);
    if (out.contains("words")) print_words(out["words"]);
  }
  return write_rows(options.out, out, circuits_csv(found, options.table));
}

}  // namespace

void add_circuits(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "circuits", tr("cli.circuits"), run_circuits);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  CLI::Option* const file = command->add_option("--out", options->out, tr("cli.circuits.out"));
  command->add_option("--table", options->table, tr("cli.circuits.table"))
      ->check(word_of({"heads", "composition"}))
      ->needs(file);
  command->add_flag("--spectra", options->spectra, tr("cli.circuits.spectra"));
  command->add_option("--head", options->head, tr("cli.circuits.head"));
  command->add_option("--word", options->words, tr("cli.circuits.word"))->allow_extra_args(false);
  command->add_option("--distance", options->distance, tr("cli.circuits.distance"))
      ->transform(whole(0, 1 << 30));
  command->add_flag("--yes", options->yes, tr("cli.circuits.yes"));
}

}  // namespace attnscope::cli
