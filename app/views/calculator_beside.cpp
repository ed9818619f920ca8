#include "app/views/calculator_beside.h"

#include "app/look/item_map.h"
#include "app/widgets/pieces.h"
#include "core/arch/presets.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

bool same_work(const Workload& a, const Workload& b) {
  return a.seq == b.seq && a.batch == b.batch && a.dtype.name == b.dtype.name;
}

}  // namespace

void CalculatorBeside::keep(Choices& choices) { choices.of("beside", preset_, preset_names()); }

void CalculatorBeside::draw_choice(float width) {
  const char* none = tr("calculator.beside.none");
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo("###calc_beside", shows() ? preset_.c_str() : none, ImGuiComboFlags_HeightLarge)) {
    if (ImGui::Selectable(Label(none, "###calc_beside_none").c_str(), !shows())) preset_.clear();
    for (const std::string& name : preset_names())
      if (ImGui::Selectable((name + "###calc_beside_" + name).c_str(), preset_ == name)) preset_ = name;
    ImGui::EndCombo();
  }
  note_item("calc_beside");
  compat::item_tooltip(tr("calculator.beside.help"));
}

void CalculatorBeside::follow(const Workload& work) {
  if (described_ != preset_) {
    described_ = preset_;
    auto described = describe_preset(preset_);
    model_ = described ? std::optional(*std::move(described)) : std::nullopt;
    calc_.reset(), error_.reset();
  }
  if (!model_ || ((calc_ || error_) && same_work(work_, work))) return;
  work_ = work;
  auto calc = calculate(*model_, work_);
  error_ = calc ? std::nullopt : std::optional(calc.error());
  calc_ = calc ? std::optional(*std::move(calc)) : std::nullopt;
}

void CalculatorBeside::draw(CalculatorPane pane, const Workload& work, const Told& told, float width) {
  follow(work);
  if (!model_) return;
  text_line(fonts().reading_bold, theme().text, model_->title);
  if (error_) return caption(error_->text());
  CalculatorScene scene{*model_, work_, *calc_};
  scene.tokens = told.tokens, scene.served = told.served, scene.first = told.first;
  scene.height = ImGui::GetContentRegionAvail().y;
  const auto machine = told.machine == kThisMachine ? Result<Machine>(Error{}) : machine_named(told.machine);
  if (machine) scene.machine = &*machine;
  draw_calculator_pane(pane, scene, width);
}

}  // namespace attnscope
