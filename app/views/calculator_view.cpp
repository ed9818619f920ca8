// The calculator: what a model of these sizes needs, from the open model or a preset, with every size to type
// or drag. Refuses to run anything unasked: a machine is measured and a run is counted when a button says so.
#include <algorithm>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/views/calculator_panes.h"
#include "app/views/view.h"
#include "app/widgets/deferred.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/arch/presets.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 24, kMostCounted = 1024, kFirstPositions = 2048;
constexpr float kField = 92.f, kNarrowField = 68.f, kGap = 8.f;  // units
constexpr const char* kFirstPreset = "gpt2";

enum class Pane : std::uint8_t { parameters, cache, flops, training, slips };
struct PaneRow {
  Pane pane;
  const char *key, *id;
};
constexpr PaneRow kPanes[] = {{Pane::parameters, "calculator.pane.parameters", "###calc_parameters"},
                              {Pane::cache, "calculator.pane.cache", "###calc_cache"},
                              {Pane::flops, "calculator.pane.flops", "###calc_flops"},
                              {Pane::training, "calculator.pane.training", "###calc_training"},
                              {Pane::slips, "calculator.pane.slips", "###calc_slips"}};

class CalculatorView : public View {
 public:
  const char* id() const override { return "calculator"; }
  ViewGroup group() const override { return ViewGroup::learn; }
  int order() const override { return 2; }
  bool shows_runs() const override { return false; }
  void keep(Choices& choices) override {
    choices.of("pane", pane_, Pane::slips);
    choices.of("machine", machine_);
  }
  void draw(const ViewContext& context) override;

 private:
  void follow(const ViewContext& context);
  void take(Described model);
  void choose_preset(const std::string& name);
  void recalculate();
  void draw_choices(const ViewContext& context, float width);
  void draw_fields(float width);
  void draw_machine(const ViewContext& context, float width);
  void draw_pane(const ViewContext& context, float width);

  std::weak_ptr<const OpenedModel> followed_;
  std::string preset_;  ///< empty: the open model
  std::optional<Described> base_, model_;
  Sizes sizes_;
  Workload work_;
  std::optional<Calculation> calc_;
  std::optional<Error> error_;
  double tokens_ = 0, served_ = 0;
  std::string machine_ = "a100";
  std::uint64_t measured_ = 0, counted_ = 0;  ///< how often it was asked; 0: never
  bool counts_ = false;                       ///< the newest count is of the open model
  Deferred<std::optional<Machine>> measuring_;
  Deferred<Result<Counted>> counting_;
  Pane pane_ = Pane::parameters;
};

// `model` becomes what is calculated, over as many positions as it has.
void CalculatorView::take(Described model) {
  const std::int64_t most = model.config.position.max_positions;
  work_.seq = most > 0 ? std::min(most, kFirstPositions) : kFirstPositions;
  sizes_ = sizes_of(model);
  model_ = model;
  base_ = std::move(model);
  tokens_ = served_ = 0;
  recalculate();
}

void CalculatorView::choose_preset(const std::string& name) {
  auto described = describe_preset(name);
  if (!described) {
    error_ = described.error();
    return;
  }
  preset_ = name;
  take(*std::move(described));
}

void CalculatorView::recalculate() {
  error_.reset();
  auto model = resized(*base_, sizes_);
  auto calc = model ? calculate(*model, work_) : Result<Calculation>(model.error());
  if (!calc) {
    error_ = calc.error();
    return;
  }
  model_ = *std::move(model);
  calc_ = *std::move(calc);
}

// The open model, unless a preset was chosen; a recording has no sizes of its own.
void CalculatorView::follow(const ViewContext& context) {
  const std::shared_ptr<const OpenedModel>& opened = context.run.document.opened;
  if (base_ && (!preset_.empty() || opened == followed_.lock())) return;
  followed_ = opened;
  if (!opened || !opened->recorded.empty()) return choose_preset(kFirstPreset);
  preset_.clear();
  counts_ = false;
  Described model =
      describe_model(opened->title, opened->family, opened->model->config(), opened->model->weights());
  take(std::move(model));
}

void CalculatorView::draw_choices(const ViewContext& context, float width) {
  const FontScope face(fonts().body);
  const OpenedModel* opened = context.run.document.opened.get();
  const bool has_model = opened && opened->recorded.empty();
  const std::string shown = preset_.empty() && opened ? opened->title : preset_;
  ImGui::SetNextItemWidth(std::min(width * 0.42f, scaled(230)));
  note_text(shown);
  if (ImGui::BeginCombo("###calc_model", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    if (has_model && ImGui::Selectable(opened->title.c_str(), preset_.empty())) {
      preset_.clear();
      base_.reset();
      follow(context);
    }
    for (const std::string& name : preset_names())
      if (ImGui::Selectable((name + "###calc_preset_" + name).c_str(), preset_ == name)) choose_preset(name);
    ImGui::EndCombo();
  }
  note_item("calc_model");
  compat::item_tooltip(tr("calculator.model.help"));
  ImGui::SameLine(0, scaled(kGap));
  ImGui::SetNextItemWidth(scaled(kField));
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
  if (!preset_.empty() && base_ && base_->runs) {
    ImGui::SameLine(0, scaled(kGap));
    if (chip(Label(tr("calculator.open"), "###calc_open"), false, tr("calculator.open.help")))
      context.commands.act(
          [path = std::string(kRandomPrefix) + preset_](Session& session) { session.open(path); });
  }
}

// Numbers to drag or to type, with their names above.
void CalculatorView::draw_fields(float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float caption_height = text_size(fonts().small, "X").y + scaled(2),
              row = caption_height + ImGui::GetFrameHeight() + scaled(6);
  // One row where narrow fields give one.
  const float fields = static_cast<float>(size_names().size() + 2 + (pane_ == Pane::training ? 2 : 0));
  const float each = std::clamp(width / fields - scaled(kGap), scaled(kNarrowField), scaled(kField)),
              pitch = each + scaled(kGap);
  const int columns = std::max(1, static_cast<int>((width + scaled(kGap)) / pitch));
  int count = 0;
  const auto field = [&](const char* id, const char* label, std::int64_t& value, std::int64_t most,
                         bool real = false, double* number = nullptr) {
    const ImVec2 p(at.x + static_cast<float>(count % columns) * pitch,
                   at.y + static_cast<float>(count / columns) * row);
    ++count;
    draw_text(Canvas(), fonts().small, p, theme().text_dim,
              middle_truncated(fonts().small, label, pitch - scaled(3)));
    ImGui::SetCursorScreenPos(ImVec2(p.x, p.y + caption_height));
    ImGui::SetNextItemWidth(each);
    const FontScope face(fonts().mono);
    const std::int64_t least = 1;
    bool changed = false;
    if (real) {
      const double low = 0, high = 1e30;
      changed = ImGui::DragScalar(id, ImGuiDataType_Double, number,
                                  static_cast<float>(std::max(1e6, *number / 100)), &low, &high, "%.4g",
                                  ImGuiSliderFlags_AlwaysClamp);
    } else {
      const float speed = static_cast<float>(std::max(0.1, static_cast<double>(value) / 200));
      changed = ImGui::DragScalar(id, ImGuiDataType_S64, &value, speed, &least, &most, nullptr,
                                  ImGuiSliderFlags_AlwaysClamp);
    }
    note_item(id);
    const FontScope help(fonts().body);
    compat::item_tooltip(tr("calculator.sentence"));
    return changed;
  };
  bool changed = false;
  Sizes wanted = sizes_;
  for (const std::string& name : size_names()) {
    std::int64_t value = *size_named(wanted, name);
    if (value == 0) continue;  // no MLP, no vocabulary
    if (!field(("###calc_" + name).c_str(), tr(Label("calculator.size.", name)), value,
               name == "layers" ? 4096 : 1 << 24))
      continue;
    set_size(wanted, name, value);
    changed = true;
  }
  sizes_ = wanted;
  changed |= field("###calc_seq", tr("calculator.seq"), work_.seq, kMostPositions);
  changed |= field("###calc_batch", tr("calculator.batch"), work_.batch, kMostPositions);
  std::int64_t nothing = 1;
  if (pane_ == Pane::training) {
    double tokens = tokens_ > 0 || !calc_ ? tokens_ : kTokensPerParameter * calc_->parameters.active.real();
    if (field("###calc_tokens", tr("calculator.tokens"), nothing, 1, true, &tokens)) tokens_ = tokens;
    field("###calc_served", tr("calculator.served"), nothing, 1, true, &served_);
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(ImVec2(1, static_cast<float>((count + columns - 1) / columns) * row));
  if (changed) recalculate();
}

// Which machine the roofline is of; this one is measured when it is asked for.
void CalculatorView::draw_machine(const ViewContext& context, float width) {
  float used = 0;
  const auto place = [&](const Label& label) {
    const float wide = chip_width(label);
    if (used > 0 && used + wide <= width) ImGui::SameLine(0, scaled(6));
    if (used + wide > width) used = 0;
    used += wide + scaled(6);
  };
  const Label own(tr("calculator.machine.this"), "###calc_this");
  place(own);
  if (chip(own, machine_ == kThisMachine, tr("calculator.machine.this.help"))) {
    if (machine_ == kThisMachine || measured_ == 0) ++measured_;
    machine_ = kThisMachine;
  }
  for (const Machine& machine : machines()) {
    const std::string label = machine.name + "###calc_machine_" + machine.name;
    place(label);
    const std::string help =
        tr("calculator.machine.help", {with_prefix(machine.flops_per_s), with_prefix(machine.bytes_per_s)});
    if (chip(label, machine_ == machine.name, help.c_str())) machine_ = machine.name;
  }
  const OpenedModel* opened = context.run.document.opened.get();
  if (!preset_.empty() || !opened || !base_ || !(sizes_ == sizes_of(*base_))) return;
  const Label count(tr("calculator.count"), "###calc_count");
  place(count);
  if (chip(count, counts_, tr("calculator.count.help"))) {
    ++counted_;
    counts_ = true;
  }
}

void CalculatorView::draw_pane(const ViewContext& context, float width) {
  CalculatorScene scene{*model_, work_, *calc_};
  scene.tokens = tokens_;
  scene.served = served_;
  std::optional<Machine> machine;
  std::shared_ptr<const std::optional<Machine>> measured;
  if (measured_ > 0)
    measured = measuring_.get(measured_, "calculator_machine", context.commands,
                              [](const std::atomic<bool>& cancel) { return measure_machine(&cancel); });
  if (machine_ != kThisMachine)
    machine = *machine_named(machine_);
  else if (measured && *measured)
    machine = **measured;
  if (machine) scene.machine = &*machine;
  std::shared_ptr<const Result<Counted>> counted;
  if (counts_ && preset_.empty())
    counted =
        counting_.get(counted_, "calculator_count", context.commands,
                      [model = context.run.document.opened->model, seq = std::min(work_.seq, kMostCounted)](
                          const std::atomic<bool>& cancel) { return count_run(*model, seq, &cancel); });
  if (counted && *counted && sizes_ == sizes_of(*base_)) scene.counted = &**counted;
  if (pane_ == Pane::flops) {
    draw_machine(context, width);
    if (machine_ == kThisMachine && !machine) caption(tr("calculator.measuring"));
    if (machine)
      caption(
          tr("calculator.machine.what", {with_prefix(machine->flops_per_s), with_prefix(machine->bytes_per_s),
                                         significant(machine->ridge(), 3)}));
    if (counted && !*counted) caption(counted->error().sentence());
  }
  switch (pane_) {
    case Pane::parameters: return draw_calculator_parameters(scene, width);
    case Pane::cache: return draw_calculator_cache(scene, width);
    case Pane::flops: return draw_calculator_flops(scene, width);
    case Pane::training: return draw_calculator_training(scene, width);
    case Pane::slips: return draw_calculator_slips(scene, width);
  }
}

void CalculatorView::draw(const ViewContext& context) {
  follow(context);
  const float width = ImGui::GetContentRegionAvail().x - scaled(16);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  text_line(fonts().title, theme().text, tr("calculator.title"));
  const float title = text_size(fonts().title, tr("calculator.title")).x + scaled(20);
  const bool beside = width - title > scaled(330);  // the choices stand in the line of the title
  if (beside) ImGui::SetCursorScreenPos(ImVec2(top.x + title, top.y));
  draw_choices(context, beside ? width - title : width);
  draw_fields(width);
  float used = 0;
  for (const PaneRow& row : kPanes) {
    const Label label(tr(row.key), row.id);
    if (used > 0 && used + chip_width(label) <= width)
      ImGui::SameLine(0, scaled(6));
    else
      used = 0;
    used += chip_width(label) + scaled(6);
    if (chip(label, pane_ == row.pane, tr(Label(row.key, ".help")))) pane_ = row.pane;
  }
  if (base_ && !(sizes_ == sizes_of(*base_))) {
    ImGui::SameLine(0, scaled(kGap));
    if (chip(Label(tr("calculator.reset"), "###calc_reset"), false, tr("calculator.reset.help"))) {
      sizes_ = sizes_of(*base_);
      recalculate();
    }
  }
  if (error_) {
    const ColourScope ink(ImGuiCol_Text, theme().error);
    ImGui::TextWrapped("%s", error_->text().c_str());
    note_item("calc_error");
  }
  if (!calc_ || !model_) return;
  ImGui::Dummy(ImVec2(1, scaled(2)));
  const ChildScope child("calculator_pane", ImVec2(width + scaled(16), ImGui::GetContentRegionAvail().y));
  draw_pane(context, width - scaled(8));
}

}  // namespace

std::unique_ptr<View> make_calculator_view();
std::unique_ptr<View> make_calculator_view() { return std::make_unique<CalculatorView>(); }

}  // namespace attnscope
