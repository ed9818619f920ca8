// attnscope-cli attribute --linear --directions: the strongest directions of one token's matrix in the linear
// twin.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/ask_options.h"
#include "app/cli/csv_text.h"
#include "app/cli/rows_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/twin_directions.h"

namespace attnscope::cli {
namespace {

constexpr std::size_t kDirectionTokens = 5;

nlohmann::json tokens_json(const OpenedModel& opened, const std::vector<NeuronToken>& tokens) {
  nlohmann::json out = nlohmann::json::array();
  for (const NeuronToken& one : tokens)
    out.push_back({{"id", one.token}, {"token", token_label(opened, one.token)}, {"value", one.value}});
  return out;
}

std::string tokens_text(const nlohmann::json& tokens) {
  std::vector<std::string> words;
  for (const nlohmann::json& token : tokens) words.push_back(token["token"].get<std::string>());
  return join(words, " ");
}

}  // namespace

Status attribute_directions(const AskOptions& options, const OpenedModel& opened, const Trace& run,
                            const LogitMeasure& measure, nlohmann::json made) {
  TRY_OK(check_rows_path(options.out));
  const std::int64_t rows_read = run.rows(run.config().stack),
                     pos = *options.directions < 0 ? rows_read + *options.directions : *options.directions;
  TRY(const TwinDirections found, twin_directions(run, measure, pos));
  made["method"] = {{"by", "token"}, {"linear", true}, {"directions", pos}};
  nlohmann::json rows = nlohmann::json::array();
  std::string csv = "direction,singular,input,measure,value,likelier,less_likely\n";
  const bool print = !options.json && options.out.empty();
  if (print)
    std::printf("%s %12.6f\n%s", heading({"total", -10}).c_str(), found.total,
                headings({{"direction", -10}, {"singular", 12}, {"value", 12}}).c_str());
  for (std::size_t i = 0; i < found.directions.size(); ++i) {
    const TwinDirection& one = found.directions[i];
    const nlohmann::json more = tokens_json(opened, twin_tokens(run, one, kDirectionTokens, 1)),
                         less = tokens_json(opened, twin_tokens(run, one, kDirectionTokens, -1));
    rows.push_back({{"direction", i},
                    {"singular", one.singular},
                    {"input", one.input},
                    {"measure", one.measure},
                    {"value", one.value},
                    {"likelier", more},
                    {"less_likely", less}});
    csv += std::to_string(i) + csv_number(one.singular) + csv_number(one.input) + csv_number(one.measure) +
           csv_number(one.value) + "," + csv_field(tokens_text(more)) + "," + csv_field(tokens_text(less)) +
           "\n";
    if (print)
      std::printf("%-10zu %12.6f %12.6f   %s\n", i, one.singular, one.value, tokens_text(more).c_str());
  }
  nlohmann::json out = {{"measure", options.measures.front()},
                        {"at", {{"pos", pos}}},
                        {"total", found.total},
                        {"rest", found.rest},
                        {"rows", std::move(rows)},
                        {"run", made}};
  put_edits(out, run.edits);
  put_unknown(out, options.text.unknown());
  if (options.json) print_json(out);
  return write_rows(options.out, out, csv);
}

}  // namespace attnscope::cli
