#include "app/views/training_setup.h"

#include <algorithm>
#include <limits>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/number_field.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

constexpr const char* kFirstTask = "sorter";
constexpr std::string_view kShippedPath = "model:";                    // of a model that ships
constexpr float kTrainingSetupField = 74.f, kTrainingSetupGap = 10.f;  // units
constexpr int kPlanPoints = 300;
constexpr double kMostRate = 1e6;

/// Number fields with captions above, in rows.
class Fields : Scope {
 public:
  explicit Fields(float width)
      : at_(ImGui::GetCursorScreenPos()),
        columns_(std::max(1, static_cast<int>((width + scaled(kTrainingSetupGap)) /
                                              scaled(kTrainingSetupField + kTrainingSetupGap)))) {}
  ~Fields() {
    if (!calm()) return;
    ImGui::SetCursorScreenPos(at_);
    ImGui::Dummy(ImVec2(1, static_cast<float>((count_ + columns_ - 1) / columns_) * row_height()));
  }

  bool whole(const char* id, const char* key, int& value) {
    return field(key, [&](const NumberLook& look) {
      return number_field(id, value, 0, std::numeric_limits<int>::max(), look);
    });
  }
  bool real(const char* id, const char* key, double& value) {
    return field(key, [&](const NumberLook& look) { return number_field(id, value, 0, kMostRate, look); });
  }
  bool natural(const char* id, const char* key, std::uint64_t& value) {
    return field(key, [&](const NumberLook& look) {
      return number_field(id, value, 0, std::numeric_limits<std::uint64_t>::max(), look);
    });
  }

 private:
  static float caption_height() { return text_size(fonts().small, "X").y + scaled(4); }
  static float row_height() { return caption_height() + ImGui::GetFrameHeight() + scaled(8); }

  template <class Draw>
  bool field(const char* key, const Draw& draw) {
    const ImVec2 at(
        at_.x + static_cast<float>(count_ % columns_) * scaled(kTrainingSetupField + kTrainingSetupGap),
        at_.y + static_cast<float>(count_ / columns_) * row_height());
    ++count_;
    draw_text(Canvas(), fonts().small, at, theme().text_dim,
              middle_truncated(fonts().small, tr(key), scaled(kTrainingSetupField + kTrainingSetupGap - 2)));
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + caption_height()));
    ImGui::SetNextItemWidth(scaled(kTrainingSetupField));
    const FontScope face(fonts().mono);
    const Label help(key, ".help");
    return draw(NumberLook{"%g", tr(help)}).changed;
  }
  ImVec2 at_;
  int columns_, count_ = 0;
};

struct SetupChoice {
  const char *value, *key, *id;
};

/// A row of chips for text values; true when another one was chosen.
bool choose_word(const char* key, std::initializer_list<SetupChoice> choices, std::string& value,
                 float width) {
  text_line(fonts().small, theme().text_dim, tr(key));
  bool changed = false;
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(5), scaled(5)));
  ChipRow row(width);
  for (const SetupChoice& choice : choices) {
    const Label label(tr(choice.key), choice.id);
    if (row(label, value == choice.value, tr(Label(choice.key, ".help"))) && value != choice.value) {
      value = choice.value;
      changed = true;
    }
  }
  return changed;
}

// The sizes in a config that the user can choose.
TaskSizes sizes_of(const ModelConfig& config, const TaskSizes& chosen) {
  TaskSizes out = chosen;
  out.layers = config.n_layers();
  out.heads = common(config, &BlockSpec::attention, &AttentionSpec::n_heads).value_or(chosen.heads);
  out.kv_heads = common(config, &BlockSpec::attention, &AttentionSpec::n_kv_heads).value_or(chosen.kv_heads);
  out.d_model = config.d_model;
  out.d_mlp = common(config, &BlockSpec::mlp, &MlpSpec::d_mlp).value_or(chosen.d_mlp);
  out.order = common(config, &BlockSpec::order) == NormOrder::post ? "post" : "pre";
  out.mask =
      common(config, &BlockSpec::attention, &AttentionSpec::mask).value_or("").empty() ? "causal" : "prefix";
  return out;
}

// The fixed example as text.
std::string words_of(const Task& task) {
  const ExampleWords words = example_words(task);
  if (words.source.empty()) return words.answer;
  return tr("training.setup.pair", {words.source, words.answer});
}

}  // namespace

std::string task_of_opened(const OpenedModel* opened) {
  if (opened && starts_with(opened->path, kShippedPath))
    if (const std::string own = opened->path.substr(kShippedPath.size()); find_task(own)) return own;
  return find_task(kFirstTask) || tasks().empty() ? kFirstTask : std::string(tasks().front()->name());
}

void TrainingSetup::choose(const std::string& task_name) {
  Result<TrainingSettings> settings = training_settings(task_name);
  if (!settings) {
    error_ = settings.error();
    return;
  }
  source_.leave();
  begin_with(*std::move(settings));
  example_ = words_of(**task_of(settings_));
  note_text(example_);
}

// A task with its default sizes.
void TrainingSetup::begin_with(TrainingSettings settings) {
  settings_ = std::move(settings);
  const auto task = *task_of(settings_);
  sentence_ = "task." + std::string(task->name()) + ".sentence";  // string key
  sizes_ = {};
  if (const auto config = task->config({})) {
    sizes_ = sizes_of(*config, {});
    grouped_ = sizes_.kv_heads != sizes_.heads;
    masks_ = config->sees();
  }
  check();
}

void TrainingSetup::check() {
  ++edits_;
  error_.reset();
  if (Status good = check_settings(settings_); !good) error_ = good.error();
  const auto task = task_of(settings_);
  if (!task) return;
  if (const auto config = (*task)->config(settings_.sizes)) sizes_ = sizes_of(*config, settings_.sizes);
}

void TrainingSetup::draw_tasks(const ViewContext& context, float width) {
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(6), scaled(6)));
  ChipRow row(width);
  for (const auto& task : tasks()) {
    const std::string_view name = task->name();
    const Label key("task.", name), label(tr(Label(key, ".title")), "###task_", name);
    const bool on = !source_.on() && settings_.task == name;
    if (row(label, on, tr(Label(key, ".sentence")))) choose(std::string(name));
  }
  const Label file(tr("training.data"), "###task_file");
  if (row(file, source_.on(), tr("training.data.help"))) source_.ask(context);
}

// Description of the task; for a text file, what was found in it.
void TrainingSetup::draw_chosen(const ViewContext& context, float width) {
  if (source_.on()) return source_.draw(context, width);
  text_in_lines(tr(sentence_), width);
  if (!example_.empty()) caption(kept_tr("training.setup.example", {example_}));
}

void TrainingSetup::draw_sizes(const ViewContext& context, float width) {
  section_heading(tr("training.setup.model"));
  TaskSizes& chosen = settings_.sizes;
  bool changed = false;
  std::optional<Fields> fields(std::in_place, width);
  const auto size = [&](const char* id, const char* key, int& own, int& choice) {
    if (!fields->whole(id, key, own)) return;
    choice = own == 0 ? -1 : own;  // 0 means the task's own
    changed = true;
  };
  size("###train_layers", "training.layers", sizes_.layers, chosen.layers);
  size("###train_heads", "training.heads", sizes_.heads, chosen.heads);
  if (grouped_) size("###train_kv_heads", "training.kv_heads", sizes_.kv_heads, chosen.kv_heads);
  size("###train_width", "training.width", sizes_.d_model, chosen.d_model);
  if (sizes_.d_mlp > 0) size("###train_mlp", "training.mlp", sizes_.d_mlp, chosen.d_mlp);
  fields.reset();
  if (choose_word(
          "training.order",
          {{"pre", "training.order.pre", "###train_pre"}, {"post", "training.order.post", "###train_post"}},
          sizes_.order, width)) {
    chosen.order = sizes_.order;
    changed = true;
  }
  if (masks_ && choose_word("training.mask",
                            {{"prefix", "training.mask.prefix", "###train_prefix"},
                             {"causal", "training.mask.causal", "###train_causal"}},
                            sizes_.mask, width)) {
    chosen.mask = sizes_.mask;
    changed = true;
  }
  if (changed) check();
  const auto count =
      count_.get(edits_, context.workers(), [settings = settings_](const std::atomic<bool>&) -> std::int64_t {
        const auto task = task_of(settings);
        if (!task) return 0;
        const auto config = (*task)->config(settings.sizes);
        return config ? trained_numbers(*config) : 0;
      });
  ImGui::Dummy(ImVec2(1, scaled(1)));
  if (!error_) caption(kept_tr("training.setup.count", {count && *count > 0 ? format_count(*count) : "…"}));
}

void TrainingSetup::draw_recipe(float width) {
  section_heading(tr("training.setup.recipe"));
  Recipe& recipe = settings_.recipe;
  bool changed = false;
  {
    Fields fields(width);
    changed |= fields.whole("###train_steps", "training.steps", recipe.steps);
    changed |= fields.whole("###train_batch", "training.batch", recipe.batch);
    changed |= fields.real("###train_rate", "training.rate", recipe.learning_rate);
    changed |= fields.whole("###train_warmup", "training.warmup", recipe.warmup);
    changed |= fields.real("###train_smoothing", "training.smoothing", recipe.smoothing);
    changed |= fields.natural("###train_seed", "training.seed", settings_.seed);
  }
  changed |= choose_word("training.schedule",
                         {{"cosine", "training.schedule.cosine", "###train_cosine"},
                          {"inverse_sqrt", "training.schedule.inverse_sqrt", "###train_inverse_sqrt"},
                          {"constant", "training.schedule.constant", "###train_constant"}},
                         recipe.schedule, width);
  if (changed) check();
}

LinePlot TrainingSetup::plan() const {
  LinePlot plot;
  plot.key = "training_plan";
  plot.title = tr("training.setup.plan");
  plot.x0 = 1;
  plot.x1 = static_cast<float>(std::max(2, settings_.recipe.steps));
  plot.readout = true;
  plot.x_name = tr("training.step");
  LineSeries line;
  line.colour = theme().accent;
  line.label = tr("training.rate");
  for (const CurvePoint& point : planned_learning_rates(settings_.recipe, kPlanPoints))
    line.points.emplace_back(static_cast<float>(point.step), static_cast<float>(point.value));
  plot.series.push_back(std::move(line));
  fit_y(plot);
  plot.y0 = 0;
  return plot;
}

void TrainingSetup::draw_plan(ImVec2 at, ImVec2 size) {
  if (error_ || size.y < scaled(60)) return;
  draw_line_plot(plan_.get({static_cast<std::uint64_t>(edits_)}, [&] { return plan(); }), at, size);
}

void TrainingSetup::draw_buttons(const ViewContext& context, float width) {
  const auto begin = [&](bool run) {
    if (error_) return;
    context.commands.act(
        [settings = settings_, run](Session& session) { (void)session.train(settings, run); });
  };
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(8), scaled(8)));
  ChipRow row(width);
  {
    const ColourScope ground(ImGuiCol_Button, theme().accent);
    const ColourScope lit(ImGuiCol_ButtonHovered, mix(theme().accent, theme().text, 0.2f));
    const ColourScope ink(ImGuiCol_Text, theme().on_accent);
    const Label label(tr("training.start"), "###train_start");
    (void)row.place(chip_width(label));
    if (ImGui::Button(label.c_str())) begin(true);
    note_item(label);
    compat::item_tooltip(tr("training.start.help"));
  }
  toggle(row, more);
  if (row(Label(tr("training.step_once"), "###train_first_step"), false, tr("training.first_step.help")))
    begin(false);
  if (row(Label(tr("training.open"), "###train_open"), false, tr("training.open.help")))
    context.commands.ask_file(
        {false, "training.open.title", {}, [](Session& session, const std::string& path) {
           const Result<KeptRun> run = read_run(path);
           if (!run) return session.report(run.error());
           if (Status good = session.train_from(*run); !good) session.report(good.error());
         }});
  kept_.draw(context, row);  // last: its saved runs are read in a job
}

// Why training cannot start.
void TrainingSetup::draw_error(float width) const {
  if (!error_) return;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  {
    const ColourScope ink(ImGuiCol_Text, theme().error);
    ImGui::TextUnformatted(error_->sentence().c_str());
  }
  note_item("train_error");
  const ColourScope dim(ImGuiCol_Text, theme().text_dim);
  ImGui::TextUnformatted(error_->hint().c_str());
  ImGui::PopTextWrapPos();
}

void TrainingSetup::draw(const ViewContext& context, float width) {
  const DrawRecording form(nullptr);  // not recorded as a figure, even though it contains a curve
  if (settings_.task.empty()) choose(task_of_opened(context.run.document.opened.get()));
  if (source_.follow(context)) begin_with(source_.settings());
  kept_.follow(context, settings_);
  view_heading(tr("training.title"), tr("training.sentence"), width);
  ImGui::Dummy(ImVec2(1, scaled(4)));
  draw_tasks(context, width);
  if (!source_.on()) ImGui::Dummy(ImVec2(1, scaled(2)));
  draw_chosen(context, width);
  ImGui::Dummy(ImVec2(1, scaled(6)));
  if (!source_.on() || source_.ready()) draw_form(context, width);
}

// Sizes and recipe, beside each other.
void TrainingSetup::draw_settings(const ViewContext& context, float width) {
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float gap = scaled(32), half = (width - gap) / 2;
  ImGui::BeginGroup();
  draw_sizes(context, half);
  ImGui::EndGroup();
  const float left_end = ImGui::GetCursorScreenPos().y;
  ImGui::SetCursorScreenPos(ImVec2(top.x + half + gap, top.y));
  ImGui::BeginGroup();
  draw_recipe(half);
  ImGui::EndGroup();
  const float end = std::max(left_end, ImGui::GetCursorScreenPos().y);
  ImGui::SetCursorScreenPos(ImVec2(top.x, end + scaled(10)));
}

void TrainingSetup::draw_form(const ViewContext& context, float width) {
  if (more.on || error_) draw_settings(context, width);
  draw_buttons(context, width);
  draw_error(width);
  if (!more.on) return;
  const ImVec2 at(ImGui::GetCursorScreenPos().x, ImGui::GetCursorScreenPos().y + scaled(14));
  draw_plan(at, ImVec2(width, std::min(scaled(420), ImGui::GetContentRegionAvail().y - scaled(16))));
}

}  // namespace attnscope
