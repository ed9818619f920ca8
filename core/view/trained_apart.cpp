#include "core/view/trained_apart.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/model/measure.h"
#include "core/sample/sampler.h"
#include "core/trace/mask_mix.h"
#include "core/train/pilot_path.h"

namespace attnscope {
namespace {

// The masks of the blocks, each once.
std::string trained_masks(const OpenedModel& opened) {
  std::vector<std::string> out;
  for (const BlockSpec& block : opened.model->config().blocks)
    if (std::string text = mask_text(block.attention); std::find(out.begin(), out.end(), text) == out.end())
      out.push_back(std::move(text));
  return join(out, ", ");
}

// Two digits: of what was measured on a thousand examples, "100.0 %" would hide the last mistakes.
Text measured_share(double share) { return Text::of("number.percent", {format("%.2f", 100 * share)}); }

// Patches see each other, those behind them too, before the masks that are compared come into it.
bool tower_sees_all(const OpenedModel& opened) {
  const ModelConfig* tower = opened.model->config().vision();
  return tower && std::all_of(tower->blocks.begin(), tower->blocks.end(), [](const BlockSpec& block) {
           return !block.attention.causal && block.attention.mask.empty();
         });
}

// The likeliest output of each row that an action follows; empty where one of the seven is no action.
std::vector<Text> said_actions(const ViewState& state) {
  std::vector<Text> out;
  const std::int64_t first = first_row(*state.opened, *state.run);
  for (std::int64_t row = first; row < first + kArmActions && row < state.run->length; ++row) {
    const Tensor logits = state.run->logits_row(row);
    if (logits.empty()) return {};
    const int id = next_tokens(logits, Sampling{}).front().id;
    if (!action_bin(output_name(*state.opened, id))) return {};
    out.push_back(answer_name(state, row, id));
  }
  return std::ssize(out) == kArmActions ? out : std::vector<Text>();
}

}  // namespace

bool trained_apart(const OpenedModel& a, const OpenedModel& b) {
  const bool cards = a.card && b.card && !a.card->task.empty() && a.card->task == b.card->task &&
                     a.card->accuracy && b.card->accuracy;
  return cards && a.model && b.model && trained_masks(a) != trained_masks(b);
}

std::vector<Text> trained_apart_sentence(const OpenedModel& a, std::int64_t open_a, const OpenedModel& b,
                                         std::int64_t open_b) {
  const std::vector<Text> with{trained_masks(a),
                               trained_masks(b),
                               std::min(a.card->measured, b.card->measured),
                               measured_share(*a.card->accuracy),
                               measured_share(*b.card->accuracy),
                               open_a,
                               open_b};
  const bool tower = tower_sees_all(a) && tower_sees_all(b);
  return {Text::of(tower ? "figure.compare.trained.tower" : "figure.compare.trained", with),
          Text::of("figure.compare.trained.short", with)};
}

std::optional<figure::Part> both_movements(const ViewState& a, const ViewState& b) {
  const std::vector<Text> then = said_actions(a), now = said_actions(b);
  if (then.empty() || now.empty()) return std::nullopt;
  figure::TableMark out;
  out.header.emplace_back();
  for (const char* key : kArmActionKeys) out.header.push_back(Text::of(key));
  std::int64_t alike = 0;
  for (std::size_t at = 0; at < now.size(); ++at) alike += then[at].str() == now[at].str() ? 1 : 0;
  const auto add = [&](const char* key, const std::vector<Text>& said) {
    std::vector<Text> cells{Text::of(key)};
    cells.insert(cells.end(), said.begin(), said.end());
    out.rows.push_back({std::move(cells), {}, {}, false});
  };
  add("figure.compare.a", then), add("figure.compare.b", now);
  return figure::Part{"movements",
                      std::move(out),
                      2,
                      {Text::of("figure.compare.movements", {alike, kArmActions}),
                       Text::of("figure.compare.movements.short", {alike, kArmActions})},
                      ""};
}

}  // namespace attnscope
