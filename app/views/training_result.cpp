#include "app/views/training_result.h"

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/views/training_words.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {

bool draw_training_result(const ViewContext& context, const TrainingScene& scene, TrainingHeads& heads,
                          ImVec2 at, ImVec2 size) {
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("###train_result", size);
  bool chosen = false;
  const float width = size.x - scaled(14), number = text_size(fonts().mono, "0.0000").x + scaled(12);
  const std::string measured = format_count(scene.snapshot->now.step);
  caption(tr("training.result.on", {std::to_string(scene.snapshot->measured_on), measured}));
  if (!scene.newest) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    text_line(fonts().small, theme().warning,
              tr("training.result.other", {format_count(scene.shown.step), measured}));
    ImGui::PopTextWrapPos();
    note_item("train_result_other");
  }
  for (const Measure& measure : scene.snapshot->measures) {
    ImGui::Dummy(ImVec2(1, scaled(2)));
    const bool asked = measure.wanted > 0, good = measure.value >= measure.wanted;
    const ImVec2 row = ImGui::GetCursorScreenPos();
    draw_text(Canvas(), fonts().mono, row,
              !asked ? theme().text
              : good ? theme().ok
                     : theme().warning,
              number_text(static_cast<float>(measure.value), 4));
    ImGui::SetCursorScreenPos(ImVec2(row.x + number, row.y));
    ImGui::BeginGroup();
    text_in_lines(measure_sentence(*scene.snapshot->task, measure), width - number);
    if (asked)
      text_line(fonts().small, theme().text_dim,
                tr("training.result.wanted", {number_text(static_cast<float>(measure.wanted), 3)}));
    if (measure.layer >= 0 && measure.head >= 0) {
      const FontScope face(fonts().small);
      const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(2)));
      const std::string label = tr("training.pane.head", {format("%d.%d", measure.layer, measure.head)}) +
                                "###found_" + measure.name;
      if (chip(label, false, tr("training.result.head.help"))) {
        heads.choose(context, scene, measure.layer, measure.head);
        chosen = true;
      }
    }
    ImGui::EndGroup();
  }
  return chosen;
}

void draw_training_messages(const ViewContext& context, const TrainingScene& scene, bool form, float width) {
  const float cross = chip_width("\u00d7");
  const auto line = [&](ImU32 colour, const std::string& text, const std::string& hint) {
    note_text(text);
    note_text(hint);
    const ColourScope ink(ImGuiCol_Text, colour);
    text_in_lines(hint.empty() ? text : text + " " + hint, width - cross - scaled(10));
  };
  if (scene.snapshot && scene.snapshot->error && !form) {
    line(theme().error, scene.snapshot->error->sentence(), scene.snapshot->error->hint());
    note_item("train_failed");
  }
  const auto outcome = context.session.training().outcome();
  if (!outcome) return;
  const bool failed = outcome->kind == TrainingOutcome::Kind::failed;
  const char* key = outcome->kind == TrainingOutcome::Kind::saved      ? "training.saved"
                    : outcome->kind == TrainingOutcome::Kind::exported ? "training.exported"
                                                                       : "training.resumed";
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (failed)
    line(theme().error, outcome->error.sentence(), outcome->error.hint());
  else
    line(theme().ok, tr(key, {outcome->path}), {});
  const float end = ImGui::GetCursorScreenPos().y;
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - cross, at.y));
  const bool dismissed = ImGui::SmallButton("\u00d7###train_dismiss");
  note_item("train_dismiss");
  if (dismissed) context.commands.act([](Session& session) { session.training().dismiss_outcome(); });
  end_at(ImVec2(at.x, end));
}

}  // namespace attnscope
