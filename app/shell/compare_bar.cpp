#include "app/shell/compare_bar.h"

#include "app/look/item_map.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/answer_change.h"
#include "core/session/asked_measure.h"

namespace attnscope {
namespace {}  // namespace

std::string pinned_name(const RunResult& pinned, const RunResult* run, int sequence) {
  const Document& document = pinned.document;
  std::string text;
  if (!document.sequences.empty()) {
    const auto at = std::min(static_cast<std::size_t>(std::max(0, sequence)), document.sequences.size() - 1);
    text = document.sequences[at].text;
  }
  const std::string quoted = in_quotes(text), title = opened_title(*document.opened);
  const std::string step = std::to_string(document.opened->training_step);
  const bool trains = document.opened->training_step >= 0;
  const bool model = text.empty() || (run && run->opened_version != pinned.opened_version);
  const std::string who = !model ? std::string() : trains ? tr("compare.name.step", {title, step}) : title;
  const std::string name = text.empty() ? who
                           : model      ? tr("compare.name", {who, quoted})
                           : trains     ? tr("compare.name.of_step", {step, quoted})
                                        : quoted;
  return edits_for(document.edits, sequence).empty() ? name : tr("compare.name.edited", {name});
}

void CompareBar::take_answers(const RunResult& pinned, const RunResult& run, int sequence) {
  const std::uint64_t key = key_of({pinned.version, run.version, static_cast<std::uint64_t>(sequence),
                                    std::hash<std::string>{}(language())});
  if (key == key_) return;
  key_ = key;
  details_.clear();
  const Trace &a = pinned.trace(sequence), &b = run.trace(sequence);
  const AnswerRows rows{asked_row(*pinned.document.opened, a), asked_row(*run.document.opened, b)};
  const auto change = answer_change(a, b, 6, rows);
  if (!change) {
    answer_ = change.error().text();
    return;
  }
  const auto name = [&](const AnswerChange::Output& output) {  // by the run that has this output
    return in_quotes(output.id >= 0 ? output_name(*run.document.opened, output.id)
                                    : output_name(*pinned.document.opened, output.was_id));
  };
  const std::string kl = format("%.3g", change->kl);
  const auto& common = change->common;
  answer_ = common ? tr("compare.answer.common",
                        {name(change->was), percent_text(change->was.before), name(change->is),
                         percent_text(change->is.now), std::to_string(common->texts), kl})
            : change->was.id == change->is.id
                ? tr("compare.answer.same",
                     {name(change->is), percent_text(change->is.before), percent_text(change->is.now), kl})
                : tr("compare.answer", {name(change->was), percent_text(change->was.before), name(change->is),
                                        percent_text(change->is.now), kl});
  if (common)
    details_ = tr("compare.common", {percent_text(1 - common->before), percent_text(1 - common->now)});
  for (const AnswerChange::Output& output : change->moved)
    details_ += (details_.empty() ? "" : "\n") +
                tr("compare.moved", {name(output), percent_text(output.before), percent_text(output.now)});
}

float CompareBar::draw(FrameState& state, const RunResult* run, ImVec2 position, float width) {
  const auto pinned = state.session.pinned();
  if (!pinned) return 0;
  Workspace& workspace = state.workspace;
  const float height = px(40), middle = position.y + (height - ImGui::GetFrameHeight()) / 2;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end(position.x + width, position.y + height);
  list->AddRectFilled(position, end, mix(theme().ground, theme().accent, 0.07f));
  list->AddLine(ImVec2(position.x, end.y), end, theme().border);
  ImGui::SetCursorScreenPos(ImVec2(position.x + px(metric::kPadding), middle));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(10), px(7)));
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(to_vec4(theme().q), "%s", tr("compare.a"));
  ImGui::SameLine();
  const std::string name = pinned_name(*pinned, run, workspace.cursor.sequence);
  ImGui::TextUnformatted(shortened(name, width * 0.3f).c_str());
  compat::item_tooltip(name.c_str());
  note_text(name);
  ImGui::SameLine();
  if (ImGui::Button(Label(tr("compare.swap"), "###swap_runs").c_str())) perform(state, "compare.swap");
  note_item("swap_runs");
  compat::item_tooltip(tr("compare.swap.help"));
  ImGui::SameLine();
  const Action& both = *find_action("compare.both");
  const std::string why = why_not(both, state);
  {
    const DisabledScope idle(!why.empty());
    if (raised_button(Label(tr("compare.both"), "###both_runs"), is_checked(both, state)))
      perform(state, "compare.both");
  }
  compat::item_tooltip(why.empty() ? tr("compare.both.help") : why.c_str(), true);
  ImGui::SameLine();
  if (ImGui::Button(Label(tr("compare.unpin"), "###unpin_run").c_str())) perform(state, "compare.pin");
  note_item("unpin_run");
  compat::item_tooltip(tr("compare.unpin.help"));
  if (!run) return height;
  take_answers(*pinned, *run, workspace.cursor.sequence);
  ImGui::SameLine(0, px(24));
  const float room = end.x - px(metric::kPadding) - ImGui::GetCursorScreenPos().x;
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(to_vec4(theme().text_dim), "%s", shortened(answer_, room).c_str());
  compat::item_tooltip((details_.empty() ? answer_ : answer_ + "\n\n" + details_).c_str());
  note_text(answer_);
  return height;
}

}  // namespace attnscope
