// The chips above a figure of the backward pass: the loss, which gradient, from which later step, and the
// chips of the forward pass.
#include <limits>

#include "app/look/imgui_compat.h"
#include "app/look/item_map.h"
#include "app/look/theme.h"
#include "app/views/steps_back.h"
#include "app/views/steps_back_words.h"
#include "app/views/steps_header.h"
#include "app/widgets/navigation.h"
#include "app/widgets/number_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// By LossRows.
constexpr const char* kRowsNames[] = {"steps.back.loss.trained", "steps.back.loss.all",
                                      "steps.back.loss.last"};
constexpr const char* kRowsItems[] = {"loss_rows_trained", "loss_rows_all", "loss_rows_last"};

// Name of a step inside its block, such as "attn.q".
std::string inside(const std::string& name) {
  const std::size_t at = name.find("blocks.");
  return at == std::string::npos ? name : name.substr(name.find('.', at + 7) + 1);
}

// "from “:” on": the rows that the training loss counted.
std::string rows_text(const OpenedModel& opened, const CountedRows& rows) {
  const auto token = [&](int id) { return output_name(opened, id); };
  switch (rows.kind) {
    case CountedRows::Kind::all: return tr("steps.back.rows.every");
    case CountedRows::Kind::from: return tr("steps.back.rows.from", {token(rows.first)});
    case CountedRows::Kind::saying:
      return tr("steps.back.rows.saying", {token(rows.first), token(rows.last)});
    case CountedRows::Kind::repeated: return tr("steps.back.rows.repeated");
    case CountedRows::Kind::masked: return tr("steps.back.rows.masked", {token(rows.first)});
  }
  return {};
}

float step_chip_width(const std::string& label) { return ImGui::CalcTextSize(label.c_str()).x + scaled(26); }

// A caption before chips of `width` pixels in all; on a new line if they do not fit.
void caption_of(const char* key, float width, bool& first) {
  if (!first) {
    ImGui::SameLine(0, scaled(22));
    if (ImGui::GetCursorPosX() + step_chip_width(tr(key)) + width > ImGui::GetContentRegionMax().x)
      ImGui::NewLine();
  }
  first = false;
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(to_vec4(theme().text_dim), "%s", tr(key));
}

}  // namespace

void StepsBackward::draw_chips(const ViewContext& context, const BackwardResult& grads, int step) {
  const Site site = context.workspace.cursor.step;
  bool whole = whole_vocabulary_, first = true;
  draw_loss(context, grads, first);
  const auto weights = weights_of_step(*grads.gradients, site);
  if (!weights.empty()) {
    float width = step_chip_width(inside(to_text(site)) + ".grad");
    for (const std::string& name : weights) width += step_chip_width(inside(name) + ".grad");
    caption_of("steps.back.choose", width, first);
    ImGui::SameLine(0, scaled(8));
    if (step_chip(inside(to_text(site)) + ".grad###gradient_of_step", weight_.empty())) weight_.clear();
    note_item("gradient_of_step");
    for (const std::string& name : weights) {
      const std::string part = name.ends_with(".bias") ? "bias" : "weight";
      ImGui::SameLine(0, scaled(4));
      if (step_chip(inside(name) + ".grad###gradient_of_" + part, weight_ == name)) weight_ = name;
      note_item("gradient_of_" + part);
    }
  }
  draw_from(context, grads, first);
  if (site.is(StepRole::logits)) draw_target(context, grads, first);
  Figure plain;  // chips of the forward figure: parts, sequence, block, head; vocabulary if it is an axis
  plain.site = site;
  const auto& readers = grads.readers_of(site);
  const bool words = site.is(StepRole::logits) || (!readers.empty() && readers.front().is(StepRole::logits));
  if (words && grads.gradients->trace().config().outputs() > kSmallVocabulary)
    plain.site = grads.gradients->trace().main(StepRole::logits);
  else
    plain.site = plain.site.near(StepRole::embedding);
  draw_step_chips(context, plain, step, whole, first);
  whole_vocabulary_ = whole;
}

// The total gradient, or the contribution of one later step.
void StepsBackward::draw_from(const ViewContext& context, const BackwardResult& grads, bool& first) {
  const Site& site = context.workspace.cursor.step;
  const int last = last_choice(grads, site);
  if (last < 0) return;
  const std::vector<Site> from = weight_.empty() ? grads.readers_of(site) : std::vector<Site>{site};
  const float room = ImGui::GetContentRegionMax().x;
  caption_of("steps.back.choose_from", step_chip_width(tr("steps.back.all")), first);
  ImGui::SameLine(0, scaled(8));
  if (step_chip(tr("steps.back.all") + std::string("###gradient_from_all"), from_ < 0, 0,
                tr("steps.back.all.help")))
    from_ = -1;
  note_item("gradient_from_all");
  for (int i = 0; i <= last; ++i) {
    const std::string name = reader_name(from, from[static_cast<std::size_t>(i)]);
    ImGui::SameLine(0, scaled(4));
    if (ImGui::GetCursorPosX() + step_chip_width(name) > room) ImGui::NewLine();
    const std::string id = "gradient_from_" + std::to_string(i);
    const ImU32 colour = hue_colour(step_of(from[static_cast<std::size_t>(i)].slot).hue);
    if (step_chip(name + "###" + id, from_ == i, from_ == i ? colour : 0,
                  tr("steps.back.from.help", {name}).c_str()))
      from_ = i;
    note_item(id);
  }
}

void StepsBackward::draw_target(const ViewContext& context, const BackwardResult& grads, bool& first) {
  int& wanted = context.workspace.backward_target;
  const OpenedModel& opened = *grads.run->document.opened;
  const std::string none = tr(grads.hidden ? "steps.back.likely_target" : "steps.back.no_target");
  const std::string shown = wanted < 0 ? none : output_name(opened, wanted);
  caption_of(grads.hidden ? "steps.back.choose_hidden" : "steps.back.choose_target",
             step_chip_width(shown + " ▾"), first);
  ImGui::SameLine(0, scaled(8));
  if (step_chip(shown + " ▾###gradient_target", wanted >= 0, 0, tr("steps.back.target.help")))
    ImGui::OpenPopup("###gradient_targets");
  note_item("gradient_target");
  if (!ImGui::BeginPopup("###gradient_targets")) return;
  if (ImGui::Selectable((none + "###target_none").c_str(), wanted < 0)) wanted = -1;
  for (const int id : grads.likely) {
    const std::string name = output_name(opened, id);
    note_text(name);
    if (ImGui::Selectable((name + "###target_" + std::to_string(id)).c_str(), wanted == id)) wanted = id;
    note_item("target_" + std::to_string(id));
  }
  ImGui::SetNextItemWidth(scaled(110));
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t typed = wanted < 0 ? kNone : static_cast<std::uint64_t>(wanted);
  const auto last = static_cast<std::uint64_t>(grads.run->trace(0).config().outputs() - 1);
  if (number_field("###target_id", typed, 0, last, {"", nullptr, false, wanted < 0}).changed)
    wanted = typed == kNone ? -1 : static_cast<int>(typed);
  ImGui::SameLine();
  ImGui::TextUnformatted(tr("steps.back.target_id"));
  ImGui::EndPopup();
}

// The loss, and a choice of the rows that it averages.
void StepsBackward::draw_loss(const ViewContext& context, const BackwardResult& grads, bool& first) {
  const OpenedModel& opened = *grads.run->document.opened;
  const auto trained = trained_rows(opened);
  LossRows& wanted = context.workspace.backward_rows;
  const LossRows shown = wanted == LossRows::as_trained && !trained ? LossRows::all : wanted;
  const auto name = [&](LossRows rows) -> std::string {
    if (rows == LossRows::as_trained) return tr("steps.back.rows.trained", {rows_text(opened, *trained)});
    return tr(rows == LossRows::all ? "steps.back.rows.all" : "steps.back.rows.last");
  };
  std::string label = name(shown);
  if (grads.gradients)
    label = tr("steps.back.loss",
               {context.workspace.hides_loss ? std::string("?") : precise(grads.loss),
                std::to_string(grads.gradients->loss().counted),
                std::to_string(grads.gradients->predictions()), tr(kRowsNames[static_cast<int>(shown)])});
  note_text(label);
  first = false;
  if (step_chip(label + " ▾###loss_rows", false, 0, tr("steps.back.loss.help", {name(shown)}).c_str()))
    ImGui::OpenPopup("###loss_rows_menu");
  note_item("loss_rows");
  if (!ImGui::BeginPopup("###loss_rows_menu")) return;
  for (const LossRows rows : {LossRows::as_trained, LossRows::all, LossRows::last}) {
    if (rows == LossRows::as_trained && !trained) continue;
    const std::string item = kRowsItems[static_cast<int>(rows)];
    if (ImGui::Selectable((name(rows) + "###" + item).c_str(), rows == shown)) wanted = rows;
    note_item(item);
  }
  ImGui::EndPopup();
}

}  // namespace attnscope
