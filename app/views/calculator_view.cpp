// The calculator: parameters, KV cache, FLOPs and memory of the open model or a preset, beside those of
// another preset; every size of the first can be typed or dragged. Benchmarks and counted runs start only by
// a click.
#include "app/views/calculator_view.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/arch/presets.h"
#include "core/base/words.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostCounted = 1024;
constexpr float kTwoModels = 760.f;  // units: narrower, the first stands alone

}  // namespace

CalcChosen CalculatorView::chosen() const {
  if (!base_) return restored_.value_or(CalcChosen{});  // not drawn since it was restored
  CalcChosen out;
  out.preset = preset_, out.file = file_;
  out.batch = work_.batch, out.tokens = tokens_, out.served = served_;
  if (work_.dtype.name != Workload{}.dtype.name) out.dtype = work_.dtype.name;
  if (work_.seq != first_positions(*base_)) out.seq = work_.seq;
  Sizes own = sizes_of(*base_), now = sizes_;
  for (const std::string& name : size_names())
    if (*size_named(now, name) != *size_named(own, name))
      *size_named(out.sizes, name) = *size_named(now, name);
  return out;
}

void CalculatorView::keep(Choices& choices) {
  choices.of(pane_);
  choices.of("machine", machine_);
  beside_.keep(choices);
  CalcChosen it = choices.reads() ? CalcChosen{} : chosen();
  choices.of("preset", it.preset, preset_names());
  choices.of("file", it.file);
  choices.of("dtype", it.dtype);
  for (const std::string& name : size_names())
    choices.of(("size_" + name).c_str(), *size_named(it.sizes, name), 0, kMostSize);
  choices.of("seq", it.seq, 0, kCalculatorMostPositions);
  choices.of("batch", it.batch, 1, kCalculatorMostPositions);
  choices.of("tokens", it.tokens, 0, kMostReal);
  choices.of("served", it.served, 0, kMostReal);
  if (!choices.reads()) return;
  if (machine_ == kThisMachine)
    measured_ = std::max<std::uint64_t>(1, measured_);
  else if (!machine_named(machine_))
    machine_ = kFirstMachine;
  preset_ = is_preset(it.preset) ? it.preset : std::string();
  const auto named = it.file.empty() ? Result<std::string>(it.file) : named_file(it.file);
  file_error_ = named ? std::nullopt : std::optional(named.error());
  it.file = named ? *named : std::string();
  file_ = it.file;
  base_.reset();  // and with it earlier choices
  restored_ = std::move(it);
}

void CalculatorView::take_chosen() {
  if (!restored_) return;
  CalcChosen it = *std::exchange(restored_, {});
  for (const std::string& name : size_names())
    if (const std::int64_t size = *size_named(it.sizes, name); size > 0) *size_named(sizes_, name) = size;
  work_.dtype = work_.cache = Workload{}.dtype;
  for (const Format& one : formats())
    if (one.name == it.dtype) work_.dtype = work_.cache = one;
  if (it.seq > 0) work_.seq = it.seq;
  work_.batch = it.batch;
  tokens_ = it.tokens;
  served_ = it.served;
  recalculate();
}

// Sets the model to calculate with.
void CalculatorView::take(Described model) {
  sizes_ = sizes_of(model);
  model_ = model;
  base_ = std::move(model);
  work_.seq = first_positions(*base_);
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
  file_.clear();
  file_error_.reset();
  take(*std::move(described));
}

void CalculatorView::recalculate() {
  error_.reset();
  auto model = resized(*base_, sizes_);
  older_ = !model;  // one drags past sizes that do not divide: the last ones that did stay, and it is said
  if (!model) {
    error_ = model.error();
    return;
  }
  auto calc = calculate(*model, work_);
  if (!calc) {
    error_ = calc.error();
    calc_.reset();  // its numbers were for other sizes
    return;
  }
  model_ = *std::move(model);
  calc_ = *std::move(calc);
}

void CalculatorView::choose_file(const std::string& path) {
  auto described = describe_config_file(path);
  file_error_ = described ? std::nullopt : std::optional(described.error());
  if (!described) return;
  preset_.clear();
  file_ = path;
  described->title = std::filesystem::path(path).filename().string();
  take(*std::move(described));
}

// Takes the open model; a recording has no sizes.
void CalculatorView::take_open(const std::shared_ptr<const OpenedModel>& opened) {
  followed_ = opened;
  counts_ = false;
  if (!opened || !opened->recorded.empty()) return choose_preset(kFirstPreset);
  take(describe_model(opened->title, opened->family, opened->model->config(), opened->model->weights()));
}

// Uses the open model unless a preset or a file was chosen.
void CalculatorView::follow(const ViewContext& context) {
  if (const auto path = std::exchange(*asked_file_, {}); !path.empty()) choose_file(path);
  const std::shared_ptr<const OpenedModel>& opened = context.run.document.opened;
  if (base_ && (!preset_.empty() || !file_.empty() || opened == followed_.lock())) return;
  base_.reset();
  if (const std::string kept = std::exchange(file_, {}); !kept.empty())
    choose_file(kept);
  else if (!preset_.empty())
    choose_preset(preset_);
  if (file_error_) restored_.reset();  // the saved sizes belonged to that file
  if (!base_) take_open(opened);
  take_chosen();
}

// The machine of the roofline; the own machine is measured on request.
void CalculatorView::draw_machine(const ViewContext& context, float width) {
  ChipRow row(width, 6);
  if (row(Label(tr("calculator.machine.this"), "###calc_this"), machine_ == kThisMachine,
          tr("calculator.machine.this.help"))) {
    if (machine_ == kThisMachine || measured_ == 0) ++measured_;
    machine_ = kThisMachine;
  }
  for (const Machine& machine : machines()) {
    const std::string label = machine.name + "###calc_machine_" + machine.name;
    const std::string help =
        tr("calculator.machine.help", {with_prefix(machine.flops_per_s), with_prefix(machine.bytes_per_s)});
    if (row(label, machine_ == machine.name, help.c_str())) machine_ = machine.name;
  }
  const OpenedModel* opened = context.run.document.opened.get();
  if (!preset_.empty() || !file_.empty() || !opened || !base_ || !(sizes_ == sizes_of(*base_))) return;
  if (row(Label(tr("calculator.count"), "###calc_count"), counts_, tr("calculator.count.help"))) {
    ++counted_;
    counts_ = true;
  }
}

std::optional<Machine> CalculatorView::machine_shown(const ViewContext& context) {
  std::shared_ptr<const std::optional<Machine>> measured;
  if (measured_ > 0)
    measured = measuring_.get(measured_, context.workers(),
                              [](const std::atomic<bool>& cancel) { return measure_machine(&cancel); });
  if (machine_ != kThisMachine) return *machine_named(machine_);
  return measured ? *measured : std::nullopt;
}

// The choice of the machine and what it can do: of both models, above their numbers.
void CalculatorView::draw_machine_lines(const ViewContext& context, float width) {
  draw_machine(context, width);
  const std::optional<Machine> machine = machine_shown(context);
  if (machine_ == kThisMachine && !machine) caption(tr("calculator.measuring"));
  if (machine)
    caption(
        tr("calculator.machine.what", {with_prefix(machine->flops_per_s), with_prefix(machine->bytes_per_s),
                                       significant(machine->ridge(), 3)}));
}

void CalculatorView::draw_pane(const ViewContext& context, float width) {
  CalculatorScene scene{*model_, work_, *calc_};
  scene.tokens = tokens_;
  scene.served = served_;
  scene.height = ImGui::GetContentRegionAvail().y;
  if (!context.workspace.presenting)
    scene.first = &first_;  // presented, nothing is chosen and nothing scrolls
  const std::optional<Machine> machine = machine_shown(context);
  if (machine) scene.machine = &*machine;
  std::shared_ptr<const Result<Counted>> counted;
  if (counts_ && preset_.empty() && file_.empty())
    counted =
        counting_.get(counted_, context.workers(),
                      [model = context.run.document.opened->model, seq = std::min(work_.seq, kMostCounted)](
                          const std::atomic<bool>& cancel) { return count_run(*model, seq, &cancel); });
  if (counted && *counted && sizes_ == sizes_of(*base_)) scene.counted = &**counted;
  if (pane_ == CalculatorPane::flops && counted && !*counted) caption(counted->error().sentence());
  draw_calculator_pane(pane_, scene, width);
}

void CalculatorView::draw(const ViewContext& context) {
  follow(context);
  const float width = ImGui::GetContentRegionAvail().x - scaled(16);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  text_line(fonts().title, theme().text, tr("calculator.title"));
  const float title = text_size(fonts().title, tr("calculator.title")).x + scaled(20);
  const bool beside = width - title > scaled(330);  // choices on the title's line
  if (beside) ImGui::SetCursorScreenPos(ImVec2(top.x + title, top.y));
  draw_choices(context, beside ? width - title : width);
  ChipRow row(width, 6);
  choose(row, pane_);
  if (base_ && !(sizes_ == sizes_of(*base_))) {
    ImGui::SameLine(0, scaled(kCalculatorGap));
    if (chip(Label(tr("calculator.reset"), "###calc_reset"), false, tr("calculator.reset.help"))) {
      sizes_ = sizes_of(*base_);
      recalculate();
    }
  }
  draw_fields(width);  // below the panes: training has more fields, and chips should not move under the mouse
  for (const auto* error : {&error_, &file_error_}) {
    if (!*error) continue;
    const ColourScope ink(ImGuiCol_Text, theme().error);
    ImGui::TextWrapped("%s", (*error)->text().c_str());
    note_item("calc_error");
  }
  if (!calc_ || !model_) return;
  if (older_) {
    caption(tr("calculator.last"), width);
    note_item("calc_last");
  }
  ImGui::Dummy(ImVec2(1, scaled(2)));
  if (pane_ == CalculatorPane::flops) draw_machine_lines(context, width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = ImGui::GetContentRegionAvail().y, gap = scaled(28);
  if (context.workspace.presenting) return draw_pane(context, width);  // which lists what fits
  const bool two = beside_.shows() && width > scaled(kTwoModels);
  const float each = two ? (width - gap) / 2 : width;
  {
    const ChildScope child("calculator_pane", ImVec2(each + scaled(16), high));
    if (two) text_line(fonts().reading_bold, theme().text, model_->title);
    draw_pane(context, each - scaled(8));
  }
  if (!two) return;
  ImGui::SetCursorScreenPos(ImVec2(at.x + each + gap, at.y));
  const ChildScope child("calculator_beside", ImVec2(each + scaled(16), high));
  beside_.draw(pane_, work_, {tokens_, served_, machine_, &first_}, each - scaled(8));
}

std::unique_ptr<View> make_calculator_view();
std::unique_ptr<View> make_calculator_view() { return std::make_unique<CalculatorView>(); }

}  // namespace attnscope
