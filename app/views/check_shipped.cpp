#include "app/views/check_shipped.h"

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/pieces.h"
#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kLamp = 9.f, kLampGap = 5.f, kModelGap = 14.f, kModelHigh = 22.f;  // units

// "model:storyteller" -> "Storyteller"
std::string shipped_title(const std::string& name) {
  const std::string key = "shipped." + name;
  return has_string(key) ? tr(key) : name;
}

std::string told_of(const ModelCheck& check) {
  if (check.error) return tr("check.shipped.model.lacks", {check.error->text()});
  const TorchVerdict verdict = check.verdict();
  const StepDifference* worst = verdict.worst;
  return tr("check.shipped.model", {std::to_string(verdict.equal), std::to_string(verdict.steps),
                                    worst ? significant(worst->error(), 2) : "", worst ? worst->name() : "",
                                    worst ? worst->place() : ""});
}

// What is said of the models, in words; made once for the checks and the language.
struct ShownModel {
  std::string name, model, title, count, told, id;
  bool good = false;
};
struct ShownChecks {
  decltype(Workspace::shipped_check.newest()) of;  // held, so that its address stays its own
  bool good = false;
  std::string verdict, details;
  std::vector<ShownModel> models;
};
ShownModel shown_model(const ModelCheck& check) {
  const std::string name = check.model.substr(check.model.find(':') + 1);
  return {name,
          check.model,
          shipped_title(name),
          check.error ? "–" : std::to_string(check.verdict().steps),
          told_of(check),
          "###check_model_" + name,
          check.good()};
}
const ShownChecks& shown_checks(const decltype(ShownChecks::of)& checks) {
  static Kept<ShownChecks> kept;
  return kept.get({reinterpret_cast<std::uintptr_t>(checks.get())}, [&] {
    ShownChecks out{checks, !checks->first_wrong(), checks->verdict().str(), checks->details().str(), {}};
    for (const ModelCheck& one : checks->models) out.models.push_back(shown_model(one));
    return out;
  });
}

// A mark, the model's name and the number of its steps; a click opens it.
void draw_model(const ViewContext& context, const ShownModel& shown, float width, float& x, float left) {
  const auto& [name, model, title, count, told, id, good] = shown;
  const float lamp = scaled(kLamp), gap = scaled(kLampGap), high = scaled(kModelHigh);
  const bool open = context.run.document.opened && context.run.document.opened->path == model;
  ImFont* const font = open ? fonts().body_bold : fonts().body;
  const ImVec2 words = text_size(font, title), digits = text_size(fonts().mono_small, count);
  const float wide = lamp + 2 * gap + words.x + digits.x;
  if (x > left && x + wide > left + width)
    x = left;
  else if (x > left)
    ImGui::SameLine();
  const ImVec2 at(x, ImGui::GetCursorScreenPos().y);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = hit_area(id.c_str(), ImVec2(wide, high));
  note_item(id);
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  compat::item_tooltip(told.c_str());
  const Canvas canvas;
  const float middle = at.y + high / 2;
  canvas.fill_rect(ImVec2(at.x, middle - lamp / 2), ImVec2(at.x + lamp, middle + lamp / 2),
                   good ? theme().ok : theme().error, scaled(2));
  const ImU32 ink = lit || open ? theme().text : theme().text_dim;
  const float text = at.x + lamp + gap;
  canvas.text(font, ImVec2(text, middle - words.y / 2), ink, title);
  canvas.text(fonts().mono_small, ImVec2(text + words.x + gap, middle - digits.y / 2), theme().text_dim,
              count);
  x += wide + scaled(kModelGap);
  if (!clicked || open) return;
  context.commands.act(
      [name = shown.name](Session& session) { session.open_files(shipped_files(name), "model:" + name); });
}

}  // namespace

void draw_shipped_check(const ViewContext& context, float width) {
  const auto checks = context.workspace.shipped_check.newest();
  if (!checks) return caption(tr("check.shipped.waits"), width);
  if (checks->models.empty()) return;
  const ShownChecks& shown = shown_checks(checks);
  text_line(fonts().body_bold, shown.good ? theme().ok : theme().error, shown.verdict, width);
  note_item("check.shipped");
  compat::item_tooltip(tr("check.shipped.help"));
  caption(shown.details, width);
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const float left = ImGui::GetCursorScreenPos().x;
  float x = left;
  for (const ShownModel& one : shown.models) draw_model(context, one, width, x, left);
}

}  // namespace attnscope
