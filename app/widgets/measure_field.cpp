// Texts are in assets/strings/*/ask_view.json.
#include "app/widgets/measure_field.h"

#include <utility>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/look/text_lines.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"
#include "core/session/data_prompt.h"
#include "core/session/measure_text.h"
#include "core/view/measure_name.h"

namespace attnscope {
namespace {

using MeasureKind = LogitMeasure::Kind;
constexpr const char* kMenu = "###measure_menu";

// The same measure as another kind; a logit difference takes a likely token as its second output.
void change_kind(Workspace& workspace, const RunResult& run, const LogitMeasure& now, MeasureKind kind) {
  LogitMeasure wanted = now;
  wanted.kind = kind;
  const Trace& trace = run.trace(workspace.cursor.sequence);
  if (kind != MeasureKind::kl &&
      (wanted.target < 0 || (kind == MeasureKind::logit_diff && wanted.distractor < 0))) {
    const auto likely = most_likely_measure(trace, now.row);
    if (!likely) return;
    const int second = likely->target == wanted.target ? likely->distractor : likely->target;
    if (wanted.target < 0) wanted = *likely, wanted.kind = kind;
    if (wanted.distractor < 0) wanted.distractor = second;
  }
  workspace.asking.measure.text = to_text(*run.document.opened, wanted);
}

bool small_chip(const char* key, bool on) {
  return chip(Label(tr(key), "###", key), on, tr(Label(key, ".help")));
}

}  // namespace

std::string measure_words(const OpenedModel& opened, const LogitMeasure& measure) {
  return measure_name(opened, measure);
}

std::string measure_question(const OpenedModel& opened, const LogitMeasure& measure) {
  const auto name = [&](int id) { return output_name(opened, id); };
  switch (measure.kind) {
    case MeasureKind::logit_diff:
      return tr("ask.title.diff", {name(measure.target), name(measure.distractor)});
    case MeasureKind::logit:
    case MeasureKind::prob: return tr("ask.title.one", {name(measure.target)});
    case MeasureKind::kl: break;
  }
  return tr("ask.title.kl");
}

std::string signed_number(double value, int digits) {
  const std::string text = number_text(static_cast<float>(value), digits);
  return value >= 0 ? "+" + text : text;
}

void offer_measure(Workspace& workspace, int output) {
  if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) workspace.measure_at = output;
}

void MeasureField::draw_field(const char* id, Workspace& workspace, const RunResult& run, float width,
                              std::string_view of_prompts) {
  const auto answer = workspace.asking.measure.newest();
  const auto& asked = workspace.asking.request();
  const bool data = asked && asked->data;  // of every prompt, each with its own tokens
  prompts_ = !of_prompts.empty() || workspace.asking.over_data();
  const std::string_view now = !of_prompts.empty()         ? of_prompts
                               : data                      ? std::string_view(asked->data->question.measure)
                               : answer && answer->measure ? std::string_view(answer->text)
                                                           : "";
  if (!typing_ && shown_ != now) typed_ = shown_ = now;
  if (std::exchange(opened_, run.opened_version) != run.opened_version) error_.reset();
  const float room = width - 2 * ImGui::GetStyle().FramePadding.x;
  ImFont* face = text_size(fonts().mono, typed_).x > room ? fonts().mono_small : fonts().mono;
  const bool cut = text_size(face, typed_).x > room, ends = cut && !typing_;
  bool entered = false;
  {
    const FontScope mono(face);
    const ColourScope ink(ImGuiCol_Text, ends ? 0 : ImGui::GetColorU32(ImGuiCol_Text));
    const StyleScope tall(ImGuiStyleVar_FramePadding,  // as tall as with the larger letters
                          ImVec2(ImGui::GetStyle().FramePadding.x,
                                 ImGui::GetStyle().FramePadding.y +
                                     (text_size(fonts().mono, "X").y - text_size(face, "X").y) / 2));
    ImGui::SetNextItemWidth(width);
    note_text(typed_);
    entered = ImGui::InputTextWithHint(id, "logit_diff:A,B", &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
  }
  note_item(id);
  typing_ = ImGui::IsItemActive();
  if (ends && !typing_) {  // both ends of a text that is too long
    const ImVec2 p0 = ImGui::GetItemRectMin(), p1 = ImGui::GetItemRectMax();
    const std::string text(middle_truncated(face, typed_, room));
    draw_text(Canvas(), face,
              ImVec2(p0.x + ImGui::GetStyle().FramePadding.x, (p0.y + p1.y - text_size(face, text).y) / 2),
              theme().text, text);
  }
  if (ImGui::IsItemEdited()) error_.reset();
  if (!typing_ && !error_) {
    compat::item_tooltip(cut ? kept_tr("ask.field.help.cut", {typed_}).c_str() : tr("ask.field.help"));
  }
  if (!entered) return;
  error_.reset();
  shown_.clear();
  if (typed_.empty()) {
    workspace.asking.measure.text.clear();
    return;
  }
  if ((workspace.asking.over_data() || !of_prompts.empty()) && takes_own_answers(typed_)) {
    workspace.asking.measure.text = typed_;
    return;
  }
  const auto read = parse_measure(*run.document.opened, typed_, -1, &run.trace(workspace.cursor.sequence));
  if (!read) {
    error_ = read.error();
    shown_ = now;
    return;
  }
  workspace.asking.measure.text = to_text(*run.document.opened, *read).append(measure_position(typed_));
}

bool MeasureField::draw_error(const Workspace& workspace, const RunResult& run) const {
  const auto answer = workspace.asking.measure.of(run);
  std::string text = error_ ? error_->text() : std::string();
  if (text.empty() && answer && answer->error && answer->measure && !prompts_)
    text = tr("ask.other_measure", {answer->error->text()});
  if (text.empty()) return false;
  const ColourScope ink(ImGuiCol_Text, error_ ? theme().error : theme().warning);
  const FontScope face(fonts().small);
  note_text(text);
  text_in_lines(text);
  note_item("measure_error");
  return true;
}

void MeasureField::draw_kinds(Workspace& workspace, const RunResult& run) {
  const auto answer = workspace.asking.measure.newest();
  if (!answer || !answer->measure) return;
  const LogitMeasure& now = *answer->measure;
  AskedMeasure& asked = workspace.asking.measure;
  const struct {
    MeasureKind kind;
    const char* key;
  } kinds[] = {{MeasureKind::logit_diff, "ask.kind.diff"},
               {MeasureKind::logit, "ask.kind.logit"},
               {MeasureKind::prob, "ask.kind.prob"},
               {MeasureKind::kl, "ask.kind.kl"}};
  for (const auto& [kind, key] : kinds) {
    if (small_chip(key, now.kind == kind)) change_kind(workspace, run, now, kind);
    ImGui::SameLine();
  }
  if (small_chip("ask.kind.likely", asked.text.empty())) asked.text.clear();
  const Trace& trace = run.trace(workspace.cursor.sequence);
  const auto place = [&](std::int64_t row) {
    return row_name(run, workspace.cursor.sequence, trace.config().stack, row);
  };
  if (trace.config().head.first_row_only) return;
  const std::int64_t own = asked_row(*run.document.opened, trace), here = main_row(workspace.cursor, trace);
  if (chip(tr("ask.row.own", {std::to_string(own), place(own)}) + "###ask.row.own", asked.row < 0))
    asked.row = -1;
  ImGui::SameLine();
  const std::int64_t shown = asked.row >= 0 ? asked.row : here;
  if (chip(tr("ask.row.cursor", {std::to_string(shown), place(shown)}) + "###ask.row.cursor", asked.row >= 0))
    asked.row = here;
}

void measure_items(Workspace& workspace, const RunResult& run, int output) {
  const auto answer = workspace.asking.measure.newest();
  const OpenedModel& opened = *run.document.opened;
  const LogitMeasure now = answer && answer->measure ? *answer->measure : LogitMeasure{};
  const std::string name = output_name(opened, output);
  note_text(name);
  if (ImGui::MenuItem((tr("ask.menu.target", {name}) + "###measure_target").c_str()))
    workspace.asking.measure.text = with_target(opened, now, output);
  note_item("measure_target");
  const bool against = now.target >= 0 && now.target != output;
  if (against && ImGui::MenuItem((tr("ask.menu.distractor", {output_name(opened, now.target), name}) +
                                  "###measure_distractor")
                                     .c_str()))
    workspace.asking.measure.text = with_distractor(opened, now, output);
  if (against) note_item("measure_distractor");
}

void MeasureMenu::draw(const RunResult* run, Workspace& workspace) {
  const auto asked = std::exchange(workspace.measure_at, std::nullopt);
  if (!run || run->traces.empty() || !run->document.opened) return;
  if (asked) {
    output_ = *asked;
    ImGui::OpenPopup(kMenu);
  }
  const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2(scaled(12), scaled(10)));
  if (output_ < 0 || !ImGui::BeginPopup(kMenu)) return;
  measure_items(workspace, *run, output_);
  const Trace& trace = run->trace(workspace.cursor.sequence);
  const Site logits = trace.main(StepRole::logits);
  const std::int64_t row = trace.config().head.first_row_only ? 0 : main_row(workspace.cursor, trace);
  const std::string name = output_name(*run->document.opened, output_);
  if (trace.find(logits) && ImGui::MenuItem((tr("ask.menu.edit", {name}) + "###measure_edit").c_str()))
    workspace.edit_at = Place{Cell{logits, {{"pos", row}, {"vocab", output_}}}, {}, {}};
  note_item("measure_edit");
  ImGui::EndPopup();
}

}  // namespace attnscope
