// The calculator: parameters, KV cache, FLOPs and memory of the open model or a preset, beside those of
// another preset; every size of the first can be typed or dragged. Benchmarks and counted runs start only by
// a click.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/views/calculator_beside.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/number_field.h"
#include "app/widgets/pieces.h"
#include "core/arch/presets.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/system/named_files.h"
#include "core/view/calculator.h"

namespace attnscope {
namespace {

constexpr std::int64_t kCalculatorMostPositions = std::int64_t{1} << 24, kMostCounted = 1024;
constexpr float kCalculatorField = 92.f, kNarrowField = 68.f, kCalculatorGap = 8.f;  // units
constexpr float kTwoModels = 760.f;  // units: narrower, the first stands alone
constexpr std::int64_t kMostSize = 1 << 24, kMostLayers = 4096;
constexpr double kMostReal = 1e30;

class CalculatorView : public View {
 public:
  CalculatorView() : View({"calculator", ViewGroup::learn, 2, {.runs = false, .all = true}}) {}
  void keep(Choices& choices) override;
  void draw(const ViewContext& context) override;

 private:
  CalcChosen chosen() const;
  void take_chosen();
  void take_open(const std::shared_ptr<const OpenedModel>& opened);
  void choose_file(const std::string& path);
  void follow(const ViewContext& context);
  void take(Described model);
  void choose_preset(const std::string& name);
  void recalculate();
  void draw_choices(const ViewContext& context, float width);
  void draw_fields(float width);
  /// A label at `at`: dragging it horizontally changes the value by `speed` per pixel.
  template <class T>
  bool drag_number(const Label& id, ImVec2 at, ImVec2 size, T& value, double speed, T least, T most);
  void draw_machine(const ViewContext& context, float width);
  void draw_machine_lines(const ViewContext& context, float width);
  /// Null: this one, which is being measured.
  std::optional<Machine> machine_shown(const ViewContext& context);
  void draw_pane(const ViewContext& context, float width);

  std::weak_ptr<const OpenedModel> followed_;
  CalculatorBeside beside_;
  std::optional<ParameterPart> first_;  ///< CalculatorScene::first
  std::string preset_, file_;           ///< path of a config.json; both empty: the open model
  std::shared_ptr<std::string> asked_file_ = std::make_shared<std::string>();  ///< path from the file browser
  std::optional<CalcChosen> restored_;                                         ///< from a session
  std::optional<Described> base_, model_;
  Sizes sizes_;
  Workload work_;
  std::optional<Calculation> calc_;
  bool older_ = false;  ///< it is of sizes before those that are typed
  std::optional<Error> error_, file_error_;
  double tokens_ = 0, served_ = 0;
  double dragged_ = 0;  ///< exact value of the number being dragged
  std::string machine_ = kFirstMachine;
  std::uint64_t measured_ = 0, counted_ = 0;  ///< number of requests; 0: never
  bool counts_ = false;                       ///< the newest count is of the open model
  Computed<std::optional<Machine>> measuring_;
  Computed<Result<Counted>> counting_;
  OneOf<CalculatorPane> pane_{"pane", kCalculatorPanes, CalculatorPane::parameters, "calculator.pane.",
                              "###calc_"};
};

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

}  // namespace

std::unique_ptr<View> make_calculator_view();
std::unique_ptr<View> make_calculator_view() { return std::make_unique<CalculatorView>(); }

}  // namespace attnscope
