// What the model says at a row: its likeliest outputs, and what kind of thing they are.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/model/measure.h"
#include "core/session/training_arm.h"
#include "core/train/arm_text.h"
#include "core/train/pilot_path.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

// What an output is to people; also the end of the key of its texts.
enum class Says { word, sign, written, gap, choice, action };
const char* says_name(Says says) {
  switch (says) {
    case Says::sign: return "sign";
    case Says::written: return "written";
    case Says::gap: return "gap";
    case Says::choice: return "class";
    case Says::action: return "action";
    case Says::word: break;
  }
  return "word";
}

// Each token of the vocabulary that is no begin, end or placeholder is one letter or sign.
bool single_signs(const OpenedModel& opened, int vocabulary) {
  for (int id = 0; id < vocabulary; ++id) {
    const std::string name = token_label(opened, id);
    const bool special = name.size() > 2 && name.front() == '<' && name.back() == '>';
    if (!special && utf8_length(name) > 1) return false;
  }
  return opened.tokenizer != nullptr || !opened.words.empty();
}
Says says_of(const ViewState& state, std::int64_t row) {
  const OpenedModel& opened = *state.opened;
  const ModelConfig& config = state.run->config();
  if (!opened.output_names.empty() || config.head.first_row_only) return Says::choice;
  const Tensor logits = state.run->logits_row(row);
  if (!logits.empty() && action_bin(output_name(opened, next_tokens(logits, Sampling{}).front().id)))
    return Says::action;
  if (config.encoder()) return Says::written;
  if (!config.predicts_next()) return Says::gap;
  return single_signs(opened, config.vocab_size) ? Says::sign : Says::word;
}

// Which of the arm's movements an action at this row is: as many as were said before it.
std::optional<std::size_t> movement_at(const ViewState& state, std::int64_t row) {
  if (says_of(state, row) != Says::action) return std::nullopt;
  const std::size_t said = arm_actions_said(*state.opened, state.run->ids_of(state.run->config().stack), row);
  return said < kArmActionKeys.size() ? std::optional(said) : std::nullopt;
}

// The name of an output; in the easy level that of a movement with what its bin stands for.
Text said_name(const ViewState& state, const std::optional<std::size_t>& movement, int id) {
  const std::string name = output_name(*state.opened, id);
  const std::optional<int> bin = movement ? action_bin(name) : std::nullopt;
  if (!bin || state.level == Level::full) return name;
  return arm_text(*movement, *bin);
}

// The answers of the run compared with.
struct OldAnswers {
  int first = -1;  ///< its likeliest one; < 0: there is no such run
  std::map<int, double> shares;
};
OldAnswers old_answers(const ViewState& state, std::int64_t row, const Sampling& sampling) {
  OldAnswers out;
  const Tensor logits = state.before ? state.before->logits_row(row) : Tensor();
  if (logits.empty()) return out;
  for (const NextToken& token : next_tokens(logits, sampling)) {
    if (out.first < 0) out.first = token.id;
    out.shares[token.id] = static_cast<double>(token.prob);
  }
  return out;
}

// Of the outputs that a movement is among, words are none in the easy level.
bool offered(const ViewState& state, int id, bool movements) {
  return !movements || action_bin(output_name(*state.opened, id));
}

// Which of the outputs, the likeliest first, have a row: the first ones, what the answer was before it
// changed, and the right one; < 0: there is none.
std::vector<std::size_t> shown_answers(const ViewState& state, const std::vector<NextToken>& tokens, int old,
                                       int right, std::size_t most, bool movements) {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < tokens.size() && out.size() < most; ++at)
    if (at == 0 || offered(state, tokens[at].id, movements)) out.push_back(at);
  const auto place_of_id = [&](int id) {
    return static_cast<std::size_t>(
        std::find_if(tokens.begin(), tokens.end(), [&](const auto& one) { return one.id == id; }) -
        tokens.begin());
  };
  const std::size_t kept = place_of_id(right);
  std::size_t last = out.size();  // rows from here on are not to be given up
  for (const int id : {right, old}) {
    const std::size_t place = place_of_id(id);
    if (place == tokens.size() || std::find(out.begin(), out.end(), place) != out.end()) continue;
    while (last > 1 && out[last - 1] == kept) --last;
    if (last > 1) out[--last] = place;
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::int64_t answer_row(const ViewState& state) {
  if (state.place.stack == state.run->config().stack) return state.row;
  return std::max<std::int64_t>(0, prediction_row(*state.run));
}

std::int64_t first_row(const OpenedModel& opened, const Trace& run) {
  using Kind = CountedRows::Kind;
  if (opened.card && opened.card->counted) {
    const Kind kind = opened.card->counted->kind;
    const std::vector<bool> counted =
        opened.card->counted->of(run, kind == Kind::masked || kind == Kind::saying ? run.length : 0);
    const auto first = std::find(counted.begin(), counted.end(), true);
    if (first != counted.end()) return first - counted.begin();
  }
  return std::max<std::int64_t>(0, prediction_row(run));
}

Text answer_text(const ViewState& state, std::int64_t row, const std::string& key,
                 std::vector<Text> arguments) {
  return Text::of(key + says_name(says_of(state, row)), std::move(arguments));
}

Text answer_name(const ViewState& state, std::int64_t row, int id) {
  if (const std::string name = output_name(*state.opened, id); !action_bin(name)) return name;
  return said_name(state, movement_at(state, row), id);
}

std::vector<Text> answer_title(const ViewState& state, std::int64_t row) {
  if (const std::optional<std::size_t> movement = movement_at(state, row))
    return {Text::of("figure.answer.movement", {Text::of(kArmActionKeys[*movement])}),
            Text::of("figure.answer.short")};
  return {answer_text(state, row, "figure.answer."), Text::of("figure.answer.short")};
}

bool says_numbers(const ViewState& state, std::int64_t row) {
  return stats(state.run->logits_row(row)).nans == 0;
}

std::int64_t equally_likely(const Tensor& logits) {
  std::int64_t out = 0;
  float most = 0;
  for (std::int64_t id = 0; id < logits.count(); ++id) {
    const float logit = logits.at(id);
    if (out == 0 || logit > most) most = logit, out = 0;
    out += logit == most ? 1 : 0;
  }
  return out;
}

namespace {
constexpr std::size_t kShortSecond = 6;  // letters

// "239.4", "29,230": four figures; from a million on as a power of ten.
Text times_text(double times) {
  constexpr double kCounted = 1e3, kPower = 1e6;
  if (times < kCounted) return Text(format("%.4g", times));
  if (times >= kPower) return Text(with_power(times, 3));
  const double step = std::pow(10, std::floor(std::log10(times)) - 3);
  return Text(format_count(std::llround(std::round(times / step) * step)));
}
}  // namespace

Result<figure::TableMark> sureness_table(const ViewState& state, std::int64_t row) {
  const Tensor logits = state.run->logits_row(row);
  if (logits.empty()) return fail(Code::not_found, "error.view.no_logits");
  if (!says_numbers(state, row)) return answer_table(state, row, 1);
  const std::vector<NextToken> tokens = next_tokens(logits, Sampling{});
  double entropy = 0;
  for (const NextToken& one : tokens)
    if (const auto share = static_cast<double>(one.prob); share > 0) entropy -= share * std::log(share);
  const auto count = static_cast<double>(tokens.size());
  figure::TableMark out;
  out.card = figure::TableMark::Card::plain;
  const auto add = [&](const Text& name, Text value) {
    out.rows.push_back({{name, std::move(value)}, {}, {}, false});
  };
  const auto name = [&](std::size_t at) { return answer_name(state, row, tokens[at].id); };
  if (tokens.size() > 1) {
    const auto lead = static_cast<double>(tokens[0].logit) - static_cast<double>(tokens[1].logit);
    const Text second = name(1);  // a long one would be cut beside its number
    add(utf8_length(second.str()) > kShortSecond ? Text::of("figure.sure.lead.long")
                                                 : Text::of("figure.sure.lead", {second}),
        Text::of("figure.sure.logits", {figure::number_text(lead, 2)}));
    add(Text::of("figure.sure.times"), Text::of("figure.sure.factor", {times_text(std::exp(lead))}));
  }
  add(Text::of("figure.sure.entropy"), Text::of("figure.sure.nats", {format("%.2f", std::abs(entropy))}));
  add(Text::of("figure.sure.most"), Text::of("figure.sure.nats", {format("%.2f", std::log(count))}));
  add(Text::of("figure.sure.alike"), Text(format("%.3g", std::exp(entropy))));
  return out;
}

Text percent(double share) { return Text::of("number.percent", {format("%.1f", 100 * share)}); }

Result<figure::TableMark> answer_table(const ViewState& state, std::int64_t row, std::size_t most,
                                       double temperature, int right) {
  const Tensor logits = state.run->logits_row(row);
  if (logits.empty()) return fail(Code::not_found, "error.view.no_logits");
  if (!says_numbers(state, row)) {
    figure::TableMark none;
    none.rows.push_back({{Text::of("figure.answer.none"), Text("\u2013")}, 0, std::nullopt, true});
    return none;
  }
  Sampling sampling;
  sampling.temperature = static_cast<float>(temperature);
  const std::vector<NextToken> tokens = next_tokens(logits, sampling);
  const OldAnswers old = old_answers(state, row, sampling);
  const std::optional<std::size_t> movement = movement_at(state, row);
  const bool moves = movement && state.level == Level::easy;
  const std::vector<std::size_t> shown = shown_answers(state, tokens, old.first, right, most, moves);
  figure::TableMark out;
  out.shares = out.leads = true, out.card = figure::TableMark::Card::plain;
  for (const std::size_t at : shown) {
    const double share = static_cast<double>(tokens[at].prob);
    const auto was = old.shares.find(tokens[at].id);
    const bool fell =
        at >= most && was != old.shares.end();  // it was the answer, and is none of the likeliest
    out.rows.push_back(
        {{tokens[at].id == right ? Text::of("figure.answer.right", {said_name(state, movement, right)})
                                 : said_name(state, movement, tokens[at].id),
          fell ? Text::of("figure.answer.fell", {percent(was->second), percent(share)}) : percent(share)},
         share,
         was != old.shares.end() ? std::optional(was->second) : std::nullopt,
         at == 0});
  }
  double rest = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (std::find(shown.begin(), shown.end(), at) != shown.end() || !offered(state, tokens[at].id, moves))
      continue;
    ++out.others, rest += static_cast<double>(tokens[at].prob);
  }
  if (out.others > 0) out.rest = rest;
  return out;
}

}  // namespace attnscope
