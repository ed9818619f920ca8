#include "core/session/training_arm.h"

#include <algorithm>

namespace attnscope {
namespace {

ArmWay way_of(const Tokenizer& tokenizer, const std::vector<int>& tokens) {
  ArmWay out;
  for (const int token : tokens) out.bins.push_back(action_bin(tokenizer.token_text(token)).value_or(-1));
  if (const auto move = arm_move(out.bins)) {
    out.move = *move;
    out.path = arm_path(out.move);
  }
  return out;
}

int most_likely(const Trace& trace, std::int64_t row) {
  const std::vector<float> logits = trace.logits_row(row).values();  // [vocab]
  return static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace

std::vector<PathPoint> arm_way_said(const Tokenizer& tokenizer, const std::vector<int>& ids) {
  if (ids.size() < static_cast<std::size_t>(kArmActions)) return {};
  return way_of(tokenizer, {ids.end() - kArmActions, ids.end()}).path;
}

std::optional<int> arm_actions_left(const Tokenizer& tokenizer, const std::vector<int>& ids) {
  if (!tokenizer.find(action_spelling(0))) return {};
  int left = kArmActions;
  for (auto id = ids.rbegin(); id != ids.rend() && left > 0; ++id, --left)
    if (!action_bin(tokenizer.token_text(*id))) break;
  return left;
}

std::size_t arm_actions_said(const OpenedModel& opened, const std::vector<int>& ids, std::int64_t row) {
  const auto end = ids.begin() + std::min<std::int64_t>(row + 1, std::ssize(ids));
  const auto is_action = [&](int id) { return action_bin(token_label(opened, id)).has_value(); };
  return static_cast<std::size_t>(std::count_if(ids.begin(), end, is_action));
}

std::optional<ArmWays> arm_ways(const TrainingSnapshot& snapshot, const Trace& trace) {
  const auto& tokenizer = snapshot.opened->tokenizer;
  if (!tokenizer || trace.input.pixels.empty()) return {};
  ArmWays out;
  out.rows = counted_rows(snapshot.example);
  if (out.rows.size() != kArmActions) return {};
  std::vector<int> wanted, said;
  for (const std::int64_t row : out.rows) {
    wanted.push_back(snapshot.example.targets[static_cast<std::size_t>(row)]);
    said.push_back(most_likely(trace, row));
  }
  out.wanted = way_of(*tokenizer, wanted);
  if (out.wanted.path.empty()) return {};
  out.said = way_of(*tokenizer, said);
  return out;
}

}  // namespace attnscope
