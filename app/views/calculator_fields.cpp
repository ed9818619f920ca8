// The calculator's choices of a model and a format, and the sizes that are typed or dragged.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/views/calculator_view.h"
#include "app/widgets/number_field.h"
#include "app/widgets/pieces.h"
#include "core/arch/presets.h"
#include "core/base/words.h"
#include "core/system/named_files.h"

namespace attnscope {

namespace {

constexpr float kCalculatorField = 92.f, kNarrowField = 68.f;  // units
constexpr std::int64_t kMostLayers = 4096;

}  // namespace

void CalculatorView::draw_choices(const ViewContext& context, float width) {
  const FontScope face(fonts().body);
  const OpenedModel* opened = context.run.document.opened.get();
  const bool has_model = opened && opened->recorded.empty();
  const bool own = preset_.empty() && file_.empty();
  const std::string& shown = own && opened ? opened->title : !file_.empty() ? base_->title : preset_;
  const bool opens = !preset_.empty() && base_ && base_->runs;
  const Label open_it(tr("calculator.open"), "###calc_open"),
      open_file(tr("calculator.file"), "###calc_file");
  const float gap = scaled(kCalculatorGap), beside = std::min(width * 0.3f, scaled(170));
  const float others = scaled(kCalculatorField) + gap + (opens ? chip_width(open_it) + gap : 0) +
                       (context.workspace.presenting ? 0 : beside + gap) + chip_width(open_file) + gap;
  ImGui::SetNextItemWidth(  // what stands behind it keeps its room
      std::min({width * 0.42f, scaled(230), std::max(scaled(kCalculatorField), width - others)}));
  note_text(shown);
  if (ImGui::BeginCombo("###calc_model", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    if (has_model && ImGui::Selectable(opened->title.c_str(), own)) {
      preset_.clear();
      file_.clear();
      file_error_.reset();
      base_.reset();
      follow(context);
    }
    for (const std::string& name : preset_names())
      if (ImGui::Selectable((name + "###calc_preset_" + name).c_str(), preset_ == name)) choose_preset(name);
    ImGui::EndCombo();
  }
  note_item("calc_model");
  compat::item_tooltip(tr("calculator.model.help"));
  ImGui::SameLine(0, scaled(kCalculatorGap));
  ImGui::SetNextItemWidth(scaled(kCalculatorField));
  if (ImGui::BeginCombo("###calc_dtype", work_.dtype.name.c_str())) {
    for (const Format& one : formats())
      if (ImGui::Selectable(one.name.c_str(), one.name == work_.dtype.name)) {
        work_.dtype = work_.cache = one;
        recalculate();
      }
    ImGui::EndCombo();
  }
  note_item("calc_dtype");
  compat::item_tooltip(tr("calculator.dtype.help"));
  if (opens) {
    ImGui::SameLine(0, scaled(kCalculatorGap));
    if (chip(open_it, false, tr("calculator.open.help")))
      context.commands.act(
          [path = std::string(kRandomPrefix) + preset_](Session& session) { session.open(path); });
  }
  ImGui::SameLine(0, scaled(kCalculatorGap));
  if (!context.workspace.presenting) {  // which shows one model
    beside_.draw_choice(beside);
    ImGui::SameLine(0, scaled(kCalculatorGap));
  }
  if (chip(open_file, !file_.empty(), tr("calculator.file.help")))
    context.commands.ask_file(
        {false, "calculator.file.title", {}, [asked = asked_file_](Session&, const std::string& path) {
           know_file(path);
           *asked = path;
         }});
}

template <class T>
bool CalculatorView::drag_number(const Label& id, ImVec2 at, ImVec2 size, T& value, double speed, T least,
                                 T most) {
  ImGui::SetCursorScreenPos(at);
  hit_area(Label("###drag_", std::string_view(id).substr(3)).c_str(), size);
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) compat::item_tooltip(tr("calculator.sentence"));
  if (ImGui::IsItemActivated()) dragged_ = static_cast<double>(value);
  if (!ImGui::IsItemActive() || !ImGui::IsMouseDragging(0)) return false;
  dragged_ += static_cast<double>(ImGui::GetIO().MouseDelta.x) * speed;
  const double within = std::clamp(dragged_, static_cast<double>(least), static_cast<double>(most));
  const T was = std::exchange(
      value, std::is_integral_v<T> ? static_cast<T>(std::llround(within)) : static_cast<T>(within));
  return value != was;
}

// Number fields with their names above, which can be dragged.
void CalculatorView::draw_fields(float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float caption_height = text_size(fonts().small, "X").y + scaled(2),
              row = caption_height + ImGui::GetFrameHeight() + scaled(6);
  // In one row if narrow fields fit.
  const float fields =
      static_cast<float>(size_names().size() + 2 + (pane_ == CalculatorPane::training ? 2 : 0));
  const float least_width =
      scaled(pane_ == CalculatorPane::training ? kCalculatorField : kNarrowField);  // width of 1.234e+15
  const float each =
                  std::clamp(width / fields - scaled(kCalculatorGap), least_width, scaled(kCalculatorField)),
              pitch = each + scaled(kCalculatorGap);
  const int columns = std::max(1, static_cast<int>((width + scaled(kCalculatorGap)) / pitch));
  int count = 0;
  const auto field = [&](const char* id, const char* label, std::int64_t& value, std::int64_t most,
                         bool real = false, double* number = nullptr) {
    const ImVec2 p(at.x + static_cast<float>(count % columns) * pitch,
                   at.y + static_cast<float>(count / columns) * row);
    ++count;
    draw_text(Canvas(), fonts().small, p, theme().text_dim,
              middle_truncated(fonts().small, label, pitch - scaled(3)));
    const ImVec2 handle(text_size(fonts().small, label).x, caption_height);
    const bool changed =
        real ? drag_number(id, p, handle, *number, std::max(1e6, *number / 100), 0.0, kMostReal)
             : drag_number(id, p, handle, value, std::max(0.1, static_cast<double>(value) / 200),
                           std::int64_t{1}, most);
    ImGui::SetCursorScreenPos(ImVec2(p.x, p.y + caption_height));
    ImGui::SetNextItemWidth(each);
    const FontScope face(fonts().mono);
    const NumberLook look{nullptr, tr("calculator.sentence")};
    const SliderEvent typed = real ? number_field(id, *number, 0, kMostReal, look)
                                   : number_field(id, value, std::int64_t{1}, most, look);
    return changed || typed.changed;
  };
  bool changed = false;
  Sizes wanted = sizes_;
  for (const std::string& name : size_names()) {
    std::int64_t value = *size_named(wanted, name);
    if (value == 0) continue;  // no MLP, no vocabulary
    if (!field(Label("###calc_", name).c_str(), tr(Label("calculator.size.", name)), value,
               name == "layers" ? kMostLayers : kMostSize))
      continue;
    set_size(wanted, name, value);
    changed = true;
  }
  sizes_ = wanted;
  changed |= field("###calc_seq", tr("calculator.seq"), work_.seq, kCalculatorMostPositions);
  changed |= field("###calc_batch", tr("calculator.batch"), work_.batch, kCalculatorMostPositions);
  std::int64_t nothing = 1;
  if (pane_ == CalculatorPane::training) {
    double tokens = tokens_ > 0 || !calc_ ? tokens_ : kTokensPerParameter * calc_->parameters.active.real();
    if (field("###calc_tokens", tr("calculator.tokens"), nothing, 1, true, &tokens)) tokens_ = tokens;
    field("###calc_served", tr("calculator.served"), nothing, 1, true, &served_);
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(ImVec2(1, static_cast<float>((count + columns - 1) / columns) * row));
  if (changed) recalculate();
}

}  // namespace attnscope
