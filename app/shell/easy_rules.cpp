#include "app/shell/easy_rules.h"

#include <algorithm>
#include <array>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/lens/attention_places.h"
#include "core/session/mask_edits.h"
#include "core/trace/mask_mix.h"

namespace attnscope {
namespace {

constexpr float kRuleRow = 40.f;  // units
constexpr std::array<std::pair<const char*, const char*>, 3> kRules{
    {{"full", "all"}, {"causal", "past"}, {"causal & window(4)", "last"}}};

AttentionKind kind_shown(const ViewState& view) {
  return attention_kind(view.place.stack, view.place.part, view.run->config().stack);
}

}  // namespace

float EasyRules::height(const FrameState& state, const ViewState& view) const {
  const bool chooses = state.easy_spec && state.easy_spec->rules && !view.compare && !state.lessons.open() &&
                       looks_at_itself(view.place) && view.opened->model &&
                       view.run->attention(view.place.pattern(view.layer));
  return chooses ? px(kRuleRow) : 0.f;
}

std::vector<EasyRules::Rule> EasyRules::rules_of(const ViewState& view, const RunResult& run) {
  const AttentionKind kind = kind_shown(view);
  const std::string own = mask_text(view.run->config().attention_at(view.place.pattern(view.layer)));
  const auto chosen = [&](const std::string& text) { return is_chosen_mask(run.document, text, kind); };
  std::vector<Rule> out;
  const auto add = [&](const char* text, const std::string& name, bool on) {
    const std::string id = "rule_" + name;
    out.push_back({text, id, tr("easy.rule." + name) + ("###" + id), on});
  };
  if (std::none_of(kRules.begin(), kRules.end(), [&](const auto& rule) { return own == rule.first; }))
    add("model", "own", chosen("model"));
  for (const auto& [text, name] : kRules) {
    const bool is_own = own == text;
    add(is_own ? "model" : text, name, chosen(text) || (is_own && chosen("model")));
  }
  return out;
}

void EasyRules::draw(FrameState& state, const ViewState& view, const RunResult& run, ImVec2 at, float width) {
  const AttentionKind kind = kind_shown(view);
  const std::vector<Rule>& rules =
      rules_.get({run.version, key_of(language()), static_cast<std::uint64_t>(kind),
                  static_cast<std::uint64_t>(view.layer)},
                 [&] { return rules_of(view, run); });
  const WithFont face(fonts().reading);
  float x = at.x;
  const float y = at.y + px(4);
  const auto words = [&](const char* text) {
    ImGui::SetCursorScreenPos(ImVec2(x, y + ImGui::GetStyle().FramePadding.y));
    dim_text(text);
    x = ImGui::GetItemRectMax().x + px(12);
  };
  words(tr("easy.rule"));
  for (const Rule& rule : rules) {
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    if (raised_button(rule.label, rule.on) && !rule.on)
      state.commands.edit(
          Text::of("input.edit.mask", {std::string(mask_prefix(kind)) + rule.text}), {},
          [text = rule.text, kind](Document& document) { return choose_mask(document, text, kind); });
    note_item(rule.id);
    x = ImGui::GetItemRectMax().x + px(8);
  }
  if (kind == AttentionKind::main && twin_.exists(state.session)) {
    ImGui::SetCursorScreenPos(ImVec2(x + px(8), y));
    const Label beside(tr("easy.rule.twin"), "###rule_twin");
    if (raised_button(beside, twin_.is_a(state.session)))
      twin_.toggle(state.session, state.workspace, state.commands);
    note_item("rule_twin");
    compat::item_tooltip(tr("mask.twin.help"));
    return;
  }
  x += px(8);
  if (const char* paint = tr("easy.rule.paint"); x + ImGui::CalcTextSize(paint).x <= at.x + width)
    words(paint);
}

}  // namespace attnscope
