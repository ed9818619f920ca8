// attnscope-cli train: trains the model of a task, prints lines of progress, and writes a checkpoint folder
// and model card at the end. Without a task it lists the tasks.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/arch/save_model.h"
#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"
#include "core/system/atomic_file.h"
#include "core/system/atomic_folder.h"
#include "core/system/folder_lock.h"
#include "core/system/places.h"
#include "core/system/signals.h"
#include "core/trace/common.h"
#include "core/train/card.h"
#include "core/train/data_file.h"

namespace attnscope::cli {
namespace {

constexpr int kHeldOutWhileTraining = 64;  // held-out examples per line of progress
constexpr int kLines = 40;                 // number of lines of progress

struct TrainOptions {
  std::string task, out, data, vocabulary;
  std::uint64_t seed = 1;
  TaskSizes sizes;
  Recipe recipe;  // unset values are the task's own
  int threads = 0, checkpoint_every = 0, keep_every = 0, held_out = 1000;
  bool resume = false, quiet = false;
  const CLI::App* command = nullptr;
  bool given(const char* option) const { return command->count(option) > 0; }
};

Status list_tasks() {
  std::printf("%s\n", tr("cli.train.tasks"));
  for (const auto& task : tasks())
    std::printf("  %-18s %s\n", std::string(task->name()).c_str(),
                tr("task." + std::string(task->name()) + ".sentence"));
  std::printf("%s\n", tr("cli.train.how"));
  return Done{};
}

// Overwrites the task's recipe with values from the command line.
void overlay(const TrainOptions& options, Recipe& recipe) {
  const Recipe& asked = options.recipe;
  if (options.given("--steps")) recipe.steps = asked.steps;
  if (options.given("--batch")) recipe.batch = asked.batch;
  if (options.given("--learning-rate")) recipe.learning_rate = asked.learning_rate;
  if (options.given("--schedule")) recipe.schedule = asked.schedule;
  if (options.given("--warmup")) recipe.warmup = asked.warmup;
  if (options.given("--smoothing")) recipe.smoothing = asked.smoothing;
}

constexpr const char* kCheckpoint = "/checkpoint.safetensors";

std::string checkpoint_path(const TrainOptions& options) { return options.out + kCheckpoint; }

// Errors when resuming: another seed or other sizes on the command line than in the checkpoint.
Status check_goes_on(const TrainOptions& options, const Trainer& trainer) {
  const TaskSizes& asked = options.sizes;
  const ModelConfig& config = trainer.state().model->config();
  const std::string mask = trainer.sizes().mask.empty() ? "prefix" : trainer.sizes().mask;
  struct Row {
    const char* name;
    std::string asked, has;
  };
  const auto number = [](auto value) { return std::to_string(value); };
  const Row rows[] = {
      {"--seed", number(options.seed), number(trainer.seed())},
      {"--layers", number(asked.layers), number(config.n_layers())},
      {"--heads", number(asked.heads), range_text(config, &BlockSpec::attention, &AttentionSpec::n_heads)},
      {"--kv-heads", number(asked.kv_heads),
       range_text(config, &BlockSpec::attention, &AttentionSpec::n_kv_heads)},
      {"--d-model", number(asked.d_model), number(config.d_model)},
      {"--d-mlp", number(asked.d_mlp), range_text(config, &BlockSpec::mlp, &MlpSpec::d_mlp)},
      {"--order", asked.order, common(config, &BlockSpec::order) == NormOrder::post ? "post" : "pre"},
      {"--mask", asked.mask, mask}};
  for (const Row& row : rows)
    if (options.given(row.name) && row.asked != row.has)
      return fail(Code::out_of_range, "error.cli.train.resume", {row.name, row.asked, row.has});
  return Done{};
}

Result<Trainer> make_trainer(const TrainOptions& options) {
  std::shared_ptr<const Task> task;
  if (options.data.empty()) {
    TRY(task, find_task(options.task));
  } else {
    TRY(task, task_of_file(options.data, options.vocabulary));
  }
  Recipe recipe = task->recipe();
  TaskSizes sizes = options.sizes;
  std::uint64_t seed = options.seed;
  const std::string checkpoint = checkpoint_path(options);
  if (options.resume) {
    TRY(const CheckpointHead head, read_checkpoint_head(checkpoint));
    if (head.task == task->name()) {
      recipe = head.recipe;
      sizes = head.sizes;
      seed = head.seed;
    }
  }
  overlay(options, recipe);
  TRY(Trainer trainer, Trainer::make(task, sizes, recipe, seed));
  if (options.resume) {
    TRY(TrainState state, read_checkpoint(checkpoint, trainer));
    TRY_OK(check_goes_on(options, trainer));
    TRY_OK(trainer.resume(std::move(state)));
  }
  return trainer;
}

// Errors: the folder cannot be written, holds what an earlier training made, or another training writes into
// it. Checked before the training, not after it; the lock is held until it ends.
Result<std::shared_ptr<const int>> try_folder(const std::string& folder, bool resume) {
  std::error_code none;
  for (const char* file : {"/model.safetensors", kCheckpoint, "/checkpoints"})
    if (!resume && std::filesystem::exists(folder + file, none))
      return fail(Code::io_failed, "error.cli.train.there", {quoted_path(folder), file + 1});
  TRY_OK(make_folder(folder));
  TRY(AtomicFile hook, AtomicFile::create(folder + "/card.json"));  // not committed: nothing is written
  std::shared_ptr<const int> lock = lock_folder(folder);
  if (!lock) return fail(Code::io_failed, "error.cli.train.busy", {quoted_path(folder)});
  return lock;
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return format("%lld s", static_cast<long long>(whole));
  return format("%lld min %02lld s", static_cast<long long>(whole / 60), static_cast<long long>(whole % 60));
}

// Accumulates statistics since the last line of progress.
class TrainProgress {
 public:
  explicit TrainProgress(const Trainer& trainer) : from_(trainer.state().step) {}

  Status line(Trainer& trainer) {
    TRY(const HeldOut held_out, trainer.measure_held_out(kHeldOutWhileTraining));
    const StepReport& last = trainer.state().reports.back();
    std::int64_t tokens = 0;
    double seconds = 0;
    for (const StepReport& report : trainer.state().reports) {
      if (report.step <= shown_) continue;
      tokens += report.tokens;
      seconds += report.seconds;
    }
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double left = elapsed / (last.step - from_) * (trainer.recipe().steps - last.step);
    std::printf("%s\n", tr("cli.train.line",
                           {format("%6d", last.step), format("%8.4f", last.loss),
                            format("%6.2f", 100 * held_out.accuracy), format("%.2e", last.learning_rate),
                            format("%7.0f", static_cast<double>(tokens) / seconds), duration(left)})
                            .c_str());
    std::fflush(stdout);
    shown_ = last.step;
    return Done{};
  }

 private:
  int from_, shown_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// A failed checkpoint is only reported: a later one may succeed.
void try_checkpoint(const TrainOptions& options, const Trainer& trainer) {
  if (const Status saved = save_checkpoint(checkpoint_path(options), trainer); !saved)
    std::fprintf(stderr, "attnscope-cli: %s\n", saved.error().text().c_str());
}

// The model as it is now, in a folder of its own, with the step in its name.
Status keep_model(const TrainOptions& options, const Trainer& trainer, const std::string& layout) {
  const std::string folder = options.out + "/checkpoints";
  TRY_OK(make_folder(folder));
  const std::string name = format("/step%06d", trainer.state().step);
  return save_model(folder + name, layout, *trainer.state().model, trainer.task().tokenizer());
}

// Trains until the end of the recipe or until a signal (Ctrl+C, SIGTERM, SIGHUP), which leaves a checkpoint
// to resume from. Writes the intermediate checkpoints of --checkpoint-every.
Status learn(const TrainOptions& options, Trainer& trainer, const std::string& layout) {
  const StopSignals stop;
  survive_closed_pipes();  // when stdout is closed
  const int steps = trainer.recipe().steps, every = std::max(1, steps / kLines);
  TrainProgress progress(trainer);
  const int keep = options.keep_every;
  if (keep > 0 && trainer.state().step == 0) TRY_OK(keep_model(options, trainer, layout));
  while (trainer.state().step < steps && !StopSignals::wanted()) {
    TRY(const StepReport report, trainer.step());
    const bool last = report.step == steps || StopSignals::wanted();
    if (!options.quiet && (last || report.step % every == 0)) TRY_OK(progress.line(trainer));
    const int each = options.checkpoint_every;
    if (each > 0 && (last || report.step % each == 0)) try_checkpoint(options, trainer);
    if (keep > 0 && (last || report.step % keep == 0)) TRY_OK(keep_model(options, trainer, layout));
  }
  if (trainer.state().step == steps) return Done{};
  try_checkpoint(options, trainer);
  std::fprintf(stderr, "%s\n", tr("cli.train.stopped", {std::to_string(trainer.state().step)}).c_str());
  return Done{};
}

void print_measures(const Card& card) {
  for (const Measure& measure : card.measures) {
    std::string where;
    if (measure.layer >= 0) where += format(" (layer %d, head %d)", measure.layer, measure.head);
    std::printf("%-28s %.4f   wanted %.4g   %s%s\n", measure.name.c_str(), unsigned_nan(measure.value),
                measure.wanted, measure.sentence.c_str(), where.c_str());
  }
}

// Saves the model with its card to `folder`. If that fails (disk full), saves it elsewhere, with all that is
// needed to resume; `folder` is set to that path and the error names it.
Status save_somewhere(const std::string& layout, const Trainer& trainer, const Card& card,
                      std::string& folder) {
  const auto save = [&](const std::string& to) -> Status {
    TRY(AtomicFolder made, AtomicFolder::create(to));
    TRY_OK(put_model(made, layout, *trainer.state().model, trainer.task().tokenizer()));
    TRY_OK(write_card(made.path(), card));
    return made.commit();
  };
  const Status saved = save(folder);
  if (saved) return saved;
  const auto other = rescued(std::string(trainer.task().name()), [&](const std::string& to) -> Status {
    TRY_OK(save(to));
    return save_checkpoint(to + kCheckpoint, trainer);
  });
  if (other) folder = *other;
  return saved.error().advising(other ? Text::of("error.cli.train.rescued", {*other})
                                      : Text::of("error.cli.train.not_rescued", {other.error().text()}));
}

// Adds the path of the last checkpoint to the error of a training that ended early.
Error with_checkpoint(const Error& why, const TrainOptions& options, const Trainer& trainer) {
  std::string path = checkpoint_path(options);
  if (!save_checkpoint(path, trainer)) {
    const auto other = rescued(std::string(trainer.task().name()), [&](const std::string& to) {
      return save_checkpoint(to + kCheckpoint, trainer);
    });
    if (!other) return why;
    path = *other + kCheckpoint;
  }
  return why.advising(Text::of("error.cli.train.checkpoint", {why.advice(), trainer.state().step, path}));
}

Status run_train(const TrainOptions& options) {
  if (options.task.empty() && options.data.empty()) return list_tasks();
  set_thread_count(options.threads);
  TRY(Trainer trainer, make_trainer(options));
  // Errors before the training begins.
  TRY(const std::string layout, fitting_layout(trainer.task().layout(), *trainer.state().model));
  TRY(const std::shared_ptr<const int> lock, try_folder(options.out, options.resume));
  Status learned = Done{};
  if (const Status ran =
          guarded(Text::of("error.work.training"), [&] { learned = learn(options, trainer, layout); });
      !ran)
    learned = ran;
  if (!learned && trainer.state().step > 0) return with_checkpoint(learned.error(), options, trainer);
  TRY_OK(Status(learned));
  std::string folder = options.out;
  Card card = make_card(trainer, trainer.seed() + 1, options.held_out);
  card.layout = layout;
  const Status saved = save_somewhere(layout, trainer, card, folder);
  if (!saved && folder == options.out) return saved;
  if (!options.quiet) print_measures(card);
  return saved;
}

void add_sizes(CLI::App& command, TrainOptions& o) {
  const auto count = whole(1, 1 << 20);
  command.add_option("--layers", o.sizes.layers, tr("cli.train.layers"))->transform(count);
  command.add_option("--heads", o.sizes.heads, tr("cli.train.heads"))->transform(count);
  command.add_option("--kv-heads", o.sizes.kv_heads, tr("cli.train.kv_heads"))->transform(count);
  command.add_option("--d-model", o.sizes.d_model, tr("cli.train.d_model"))->transform(count);
  command.add_option("--d-mlp", o.sizes.d_mlp, tr("cli.train.d_mlp"))->transform(count);
  command.add_option("--order", o.sizes.order, tr("cli.train.order"))->check(word_of({"pre", "post"}));
  command.add_option("--mask", o.sizes.mask, tr("cli.train.mask"))->check(word_of({"prefix", "causal"}));
}

void add_recipe(CLI::App& command, TrainOptions& o) {
  const auto count = whole(1, 1 << 24);
  command.add_option("--steps", o.recipe.steps, tr("cli.train.steps"))->transform(count);
  command.add_option("--batch", o.recipe.batch, tr("cli.train.batch"))->transform(count);
  command.add_option("--learning-rate,--rate", o.recipe.learning_rate, tr("cli.train.rate"))
      ->transform(real(1e-12, 1e3));
  command.add_option("--schedule", o.recipe.schedule, tr("cli.train.schedule"))
      ->check(word_of({"cosine", "inverse_sqrt", "constant"}));
  command.add_option("--warmup", o.recipe.warmup, tr("cli.train.warmup"))->transform(whole(0, 1 << 24));
  command.add_option("--smoothing", o.recipe.smoothing, tr("cli.train.smoothing"))->transform(real(0, 0.99));
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("train", tr("cli.train"));
  const auto options = std::make_shared<TrainOptions>();
  TrainOptions& o = *options;
  o.command = command;
  CLI::Option* task = command->add_option("TASK", o.task, tr("cli.train.task"));
  command->add_option("--out", o.out, tr("cli.train.out"))->type_name("DIR");
  command->add_option("--seed", o.seed, tr("cli.train.seed"))
      ->transform(whole(0, std::numeric_limits<std::uint64_t>::max()));
  command->add_option("--data", o.data, tr("cli.train.data"))->type_name("FILE")->excludes(task);
  command->add_option("--vocab", o.vocabulary, tr("cli.train.vocab"))->type_name("FILE")->needs("--data");
  add_sizes(*command, o);
  add_recipe(*command, o);
  command->add_option("--threads", o.threads, tr("cli.train.threads"))->transform(whole(1, 1024));
  command->add_option("--held-out", o.held_out, tr("cli.train.held_out"))->transform(whole(1, 1 << 20));
  command->add_option("--checkpoint-every", o.checkpoint_every, tr("cli.train.checkpoint_every"))
      ->transform(whole(1, 1 << 24));
  command->add_option("--keep-every", o.keep_every, tr("cli.train.keep_every"))->transform(whole(1, 1 << 24));
  command->add_flag("--resume", o.resume, tr("cli.train.resume"));
  command->add_flag("--quiet", o.quiet, tr("cli.train.quiet"));
  command->callback([options, &action] {
    const bool trains = !options->data.empty() || find_task(options->task).ok();  // others have other errors
    if (trains && options->out.empty()) throw CLI::RequiredError("--out");
    action = [options] { return run_train(*options); };
  });
}

}  // namespace attnscope::cli
