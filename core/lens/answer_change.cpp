#include "core/lens/answer_change.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/keep_first.h"
#include "core/lens/alignment.h"
#include "core/model/measure.h"

namespace attnscope {
namespace {

using Output = AnswerChange::Output;

constexpr double kLeast = 1e-300;  // a probability whose logarithm is a number

Result<std::vector<double>> answer_change_answer_of(const Trace& trace, std::int64_t row) {
  LogitMeasure any;
  any.target = 0;
  any.row = row;
  if (const auto there = measured(any, trace); !there) return there.error();
  return log_probabilities(trace.logits_row(row_of(any, trace)));
}

Output best(const std::vector<Output>& outputs, double Output::*share) {
  return *std::max_element(outputs.begin(), outputs.end(),
                           [&](const Output& a, const Output& b) { return a.*share < b.*share; });
}

void take_moved(std::vector<Output> outputs, std::size_t most, AnswerChange& out) {
  const auto change = [](const Output& output) { return std::fabs(output.now - output.before); };
  keep_first(outputs, most, [&](const Output& a, const Output& b) { return change(a) > change(b); });
  for (const Output& output : outputs)
    if (change(output) > 0) out.moved.push_back(output);
}

// The outputs of both runs, those with the same text merged under the most probable of them.
std::vector<Output> answer_change_by_text(const Trace& before, const std::vector<double>& old,
                                          const Trace& now, const std::vector<double>& fresh) {
  struct Best {
    double before = -1, now = -1;
  };
  std::vector<Output> out;
  std::vector<Best> bests;
  std::unordered_map<std::string, std::size_t> places;
  const auto take = [&](const Trace& trace, const std::vector<double>& logs, int Output::*id,
                        double Output::*share, double Best::*best) {
    for (int i = 0; i < std::ssize(logs); ++i) {
      const std::string text(bare_text(trace.config().texts->text(i)));
      const auto at = text.empty() ? out.size() : places.try_emplace(text, out.size()).first->second;
      if (at == out.size()) out.emplace_back(), bests.emplace_back();
      const double chance = std::exp(logs[static_cast<std::size_t>(i)]);
      out[at].*share += chance;
      if (chance <= bests[at].*best) continue;
      bests[at].*best = chance;
      out[at].*id = i;
    }
  };
  take(before, old, &Output::was_id, &Output::before, &Best::before);
  take(now, fresh, &Output::id, &Output::now, &Best::now);
  return out;
}

Result<AnswerChange> of_two_vocabularies(std::vector<Output> outputs, std::size_t most) {
  AnswerChange out{best(outputs, &Output::before), best(outputs, &Output::now), {}, 0, {}};
  std::erase_if(outputs, [](const Output& output) { return output.id < 0 || output.was_id < 0; });
  if (outputs.empty()) return fail(Code::bad_shape, "compare.other_vocabulary");
  AnswerChange::Common common{std::ssize(outputs), 0, 0};
  for (const Output& output : outputs) common.before += output.before, common.now += output.now;
  for (const Output& output : outputs) {
    const double p = std::max(output.before, kLeast) / std::max(common.before, kLeast),
                 q = std::max(output.now, kLeast) / std::max(common.now, kLeast);
    out.kl += p * std::log(p / q);
  }
  out.common = common;
  take_moved(std::move(outputs), most, out);
  return out;
}

}  // namespace

Result<AnswerChange> answer_change(const Trace& before, const Trace& now, std::size_t most,
                                   const AnswerRows& rows) {
  TRY(const std::vector<double> old, answer_change_answer_of(before, rows.before));
  TRY(const std::vector<double> fresh, answer_change_answer_of(now, rows.now));
  const bool tokens = before.config().head.outputs == 0 && now.config().head.outputs == 0;
  if (tokens && !same_vocabulary(before, now))
    return of_two_vocabularies(answer_change_by_text(before, old, now, fresh), most);
  if (old.size() != fresh.size()) return fail(Code::bad_shape, "compare.other_vocabulary");
  std::vector<Output> outputs;
  double kl = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const int id = static_cast<int>(i);
    outputs.push_back({id, id, std::exp(old[i]), std::exp(fresh[i])});
    if (outputs[i].before > 0) kl += outputs[i].before * (old[i] - fresh[i]);
  }
  AnswerChange out{best(outputs, &Output::before), best(outputs, &Output::now), {}, kl, {}};
  take_moved(std::move(outputs), most, out);
  return out;
}

}  // namespace attnscope
