// Pilot: a vision-language-action model in small (Zitkovich et al. 2023; Kim et al. 2024). Sixteen patches of
// an image stand before an instruction in English or Korean, and seven action tokens move a hand to the thing
// that was named. Patches see each other, text and actions what stands before them (prefix mask); or all
// is causal. Only actions count in the loss. Held out are scenes with their instruction, in both languages.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/ops/backward.h"
#include "core/train/held_out.h"
#include "core/train/pilot_scene.h"
#include "core/train/task_sizes.h"
#include "core/train/word_tokenizer.h"

namespace attnscope {
namespace {

constexpr double kTaskPilotHeldOut = 0.1;  // share of all scenes
constexpr int kPilotPatches = kScenePatches * kScenePatches, kPilotWords = 4;
constexpr int kImage = 1, kFirstAction = 2;
constexpr const char* kPrefixMask = "causal | image>image";

const WordIds& task_pilot_vocabulary() {
  static const WordIds ids = [] {
    std::vector<std::string> words{"<unk>", "<image>"};
    for (int bin = 0; bin < kArmBins; ++bin) words.push_back(action_spelling(bin));
    for (const std::string& word : instruction_words()) words.push_back(word);
    return WordIds(words);
  }();
  return ids;
}

constexpr std::uint64_t kPromptStream = 1000;  // of random numbers: prompts are no examples

std::vector<int> task_pilot_words(const PilotScene& scene) {
  std::vector<int> out;
  for (const std::string& word : instruction(scene)) out.push_back(task_pilot_vocabulary()[word]);
  return out;
}

int first_action(const PilotScene& scene) { return kFirstAction + arm_bins(movement(scene)).front(); }

// Another thing whose first action is another one; -1: none.
int named_elsewhere(const PilotScene& scene) {
  for (int other = 0; other < static_cast<int>(scene.things.size()); ++other) {
    PilotScene of = scene;
    of.named = other;
    if (other != scene.named && first_action(of) != first_action(scene)) return other;
  }
  return -1;
}

// notes: the patch of the thing named, the row that predicts the first action.
Example task_pilot_example_of(const PilotScene& scene) {
  Example out;
  out.input.pixels = scene_pixels(scene);
  out.input.ids.assign(kPilotPatches, kImage);
  for (const int word : task_pilot_words(scene)) out.input.ids.push_back(word);
  constexpr int kPrompt = kPilotPatches + kPilotWords;
  out.targets.assign(kPrompt - 1, kNotCounted);
  for (const int bin : arm_bins(movement(scene))) {
    out.input.ids.push_back(kFirstAction + bin);
    out.targets.push_back(kFirstAction + bin);
  }
  out.targets.push_back(kNotCounted);  // nothing follows the last action
  out.input.spans = {{"image", 0, kPilotPatches},
                     {"text", kPilotPatches, kPrompt},
                     {"action", kPrompt, kPrompt + kArmActions}};
  out.notes = {scene.target().patch, kPrompt - 1};
  return out;
}

// A head's attention to the patch of the thing named: the mean over the first `rows` rows with an action as
// target (the way to the right, the way forward).
double named_weight(const Example& example, const Trace& trace, int layer, int head, int rows) {
  const int patch = example.notes[0], first = example.notes[1];
  const Tensor pattern = trace.slice(site_of(StepRole::pattern, layer), head, {first, first + rows},
                                     {patch, patch + 1});  // [rows, 1]
  double sum = 0;
  for (int row = 0; row < rows; ++row) sum += static_cast<double>(pattern.at(row, 0));
  return sum / rows;
}

// 1 where, of all patches, a head attends most to the thing named from the row that predicts the first
// action.
double named_first(const Example& example, const Trace& trace, int layer, int head) {
  const int patch = example.notes[0], row = example.notes[1];
  const Tensor pattern = trace.slice(site_of(StepRole::pattern, layer), head, {row, row + 1},
                                     {0, kPilotPatches});  // [1, patches]
  for (int other = 0; other < kPilotPatches; ++other)
    if (other != patch && pattern.at(0, other) >= pattern.at(0, patch)) return 0;
  return 1;
}

// The vision encoder: one block in which all patches see each other.
ModelConfig encoder_of(const TaskSizes& sizes) {
  ModelConfig out;
  out.stack = Stack::vision;
  out.d_model = out.d_in = out.projected = sizes.d_model;
  out.patch = {kPatchPixels, 3, kScenePatches, kScenePatches, false};
  out.position.kind = PositionSpec::Kind::learned;
  out.position.max_positions = kPilotPatches;
  BlockSpec block = usual_block(sizes);
  block.attention.causal = false;
  out.blocks = {block};
  if (sizes.order == "post") out.final_norm.kind = NormSpec::Kind::none;
  out.head.present = false;
  return out;
}

class Pilot final : public Task {
 public:
  Pilot()
      : Task({"pilot", "Pilot",
              "Looks at a table with coloured things, reads an instruction in English or Korean, and moves a "
              "hand by seven action tokens.",
              "attnscope"}) {}

  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {2, 4, 0, 64, 256, "pre", "prefix"}));
    BlockSpec block = usual_block(sizes);
    if (sizes.mask == "prefix") block.attention.mask = kPrefixMask;
    ModelConfig out = usual_decoder(sizes, block, task_pilot_vocabulary().size(),
                                    kPilotPatches + kPilotWords + kArmActions + 1);
    out.image_token = kImage;
    out.encoders = {encoder_of(sizes)};
    return out;
  }

  nlohmann::json tokenizer() const override {
    WordTokenizer parts;
    parts.words = task_pilot_vocabulary().words();
    parts.special = {"<unk>", "<image>"};
    parts.unknown = "<unk>";
    for (int bin = 0; bin < kArmBins; ++bin) parts.special.push_back(action_spelling(bin));
    nlohmann::json out = tokenizer_json(parts);
    // "집어라" is the same word as "집어": the ending of a command is left out.
    const nlohmann::json command{
        {"type", "Replace"}, {"pattern", {{"Regex", "(?<=집어|밀어|돌려)라"}}}, {"content", ""}};
    out["normalizer"] = {{"type", "Sequence"},
                         {"normalizers", nlohmann::json::array({{{"type", "Lowercase"}}, command})}};
    for (nlohmann::json& added : out["added_tokens"])  // whole words of the text, and shown
      if (added["id"].get<int>() >= kFirstAction) added["special"] = false;
    return out;
  }

  Recipe recipe() const override { return {.steps = 6000, .batch = 32, .learning_rate = 2e-3}; }

  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    SplitMix64 random = random_of(seed, split, number);
    while (true) {
      const PilotScene scene = random_scene(random);
      const bool held_out = falls_into(scene_fingerprint(scene), kTaskPilotHeldOut);
      if (held_out == (split == Split::held_out)) return task_pilot_example_of(scene);
    }
  }

  /// Where the first action follows: the way to the right. The same picture with the words for another thing
  /// is the corrupt prompt, its first action the wrong one.
  std::optional<TaskPrompt> prompt(std::uint64_t seed, std::int64_t number) const override {
    SplitMix64 random = random_of(seed, Split::held_out, number, kPromptStream);
    while (true) {
      const PilotScene scene = random_scene(random);
      const int other = named_elsewhere(scene);
      if (other < 0 || !falls_into(scene_fingerprint(scene), kTaskPilotHeldOut)) continue;
      PilotScene corrupt = scene;
      corrupt.named = other;
      TaskPrompt out;
      out.input.pixels = scene_pixels(scene);
      out.input.ids = task_pilot_words(scene), out.corrupt = task_pilot_words(corrupt);
      out.answer = first_action(scene), out.wrong = first_action(corrupt);
      out.groups = {{"language", scene.korean ? "ko" : "en"}, {"verb", verb_name(scene.verb)}};
      return out;
    }
  }

  CountedRows counted() const override {
    return {CountedRows::Kind::saying, kFirstAction, kFirstAction + kArmBins - 1};
  }

  /// "pick the red cup", with a red ball and a blue cup beside it.
  Example shown() const override {
    PilotScene scene;
    scene.things = {{ThingKind::cup, ThingColour::red, 6, 1, 0},
                    {ThingKind::ball, ThingColour::red, 0, 0, 1},
                    {ThingKind::cup, ThingColour::blue, 13, 0, 0},
                    {ThingKind::star, ThingColour::yellow, 11, 1, 1}};
    return task_pilot_example_of(scene);
  }

  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override {
    RowsRight said, whole;  // tokens; whole movements
    HeadScores naming(model.config()), first_naming(model.config()), finding(model.config());
    run_held_out(*this, model, seed, count, [&](const Example& example, const Trace& trace) {
      const RowsRight rows = rows_right(trace, example.targets);
      said.add(rows);
      whole.add({rows.all() ? 1 : 0, 1});
      naming.add([&](int layer, int head) { return named_weight(example, trace, layer, head, 2); });
      first_naming.add([&](int layer, int head) { return named_weight(example, trace, layer, head, 1); });
      finding.add([&](int layer, int head) { return named_first(example, trace, layer, head); });
    });
    const FoundHead best = naming.best(), first = first_naming.best(), finds = finding.best();
    return {{"accuracy", "share of the action tokens that are right on held-out scenes", said.share(), 0.95},
            {"whole_movements", "share of held-out scenes with all seven actions right", whole.share()},
            {"first_action_head.weight",
             "mean attention of the best head from where Δx is said, when nothing but the words tells which "
             "patch, to the patch of the thing that was named",
             first.mean, 0.0, first.layer, first.head},
            {"finding_head.share",
             "share of held-out scenes in which the best head, from where Δx is said, looks at the patch of "
             "the thing that was named more than at any other patch",
             finds.mean, 0.0, finds.layer, finds.head},
            {"named_patch_head.weight",
             "mean attention of the best head from where Δx and Δy are said to the patch of "
             "the thing that was named",
             best.mean, 0.4, best.layer, best.head}};
  }
};

}  // namespace

std::shared_ptr<const Task> task_pilot() { return std::make_shared<const Pilot>(); }

}  // namespace attnscope
