#include "core/train/card.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/assets.h"
#include "core/base/shortest.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/system/atomic_file.h"
#include "core/trace/common.h"
#include "core/trace/input_json.h"
#include "core/train/recipe_json.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr auto kMeasureFields = [](auto& measure, auto&& visit) {
  visit("name", measure.name);
  visit("sentence", measure.sentence);
  visit("value", measure.value);
  visit("wanted", measure.wanted);
};

constexpr auto kCardFields = [](auto& card, auto&& visit) {
  visit("task", card.task);
  visit("title", card.title);
  visit("sentence", card.sentence);
  visit("layout", card.layout);
  visit("layers", card.layers);
  visit("heads", card.heads);
  visit("d_model", card.d_model);
  visit("vocabulary", card.vocabulary);
  visit("seed", card.seed);
  visit("steps", card.steps);
  visit("parameters", card.parameters);
  visit("tokens", card.tokens);
  visit("seconds", card.seconds);
  visit("loss", card.loss);
};

Json measure_to_json(const Measure& measure) {
  Json out;
  write_fields(measure, out, kMeasureFields);
  if (measure.layer >= 0) out["layer"] = measure.layer;
  if (measure.head >= 0) out["head"] = measure.head;
  return out;
}

Result<Measure> measure_from_json(const Json& json, const std::string& what) {
  Measure out;
  if (!json.is_object() || !json.contains("name") || !json.contains("value"))
    return fail(Code::bad_format, "error.train.card_measure", {what});
  TRY_OK(read_fields(json, what, out, kMeasureFields));
  TRY_OK(read_key(json, "layer", what, out.layer));
  TRY_OK(read_key(json, "head", what, out.head));
  return out;
}

std::string head_text(const Measure& measure) {
  if (measure.layer < 0) return "";
  if (measure.head < 0) return format("layer %d", measure.layer);
  return format("layer %d, head %d", measure.layer, measure.head);
}

std::string recipe_text(const Recipe& r) {
  std::string out = "| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) {
    out += format("| %s | %s |\n", name, value.c_str());
  };
  row("steps", format_count(r.steps));
  row("sequences per step", format_count(r.batch));
  row("learning rate", format("%g, %s, %d steps of warm-up", r.learning_rate, r.schedule.c_str(), r.warmup));
  row("optimiser",
      format("AdamW, betas %g and %g, epsilon %g, weight decay %g", r.beta1, r.beta2, r.epsilon, r.decay));
  row("label smoothing", format("%g", r.smoothing));
  row("gradients clipped to", r.clip > 0 ? format("a norm of %g", r.clip) : "not clipped");
  return out;
}

// An input as a person would give it: without the padding that a batch needs at its end.
Input without_padding(Input input) {
  while (!input.attention_mask.empty() && input.attention_mask.back() == 0) {
    input.attention_mask.pop_back();
    input.ids.pop_back();
    if (!input.types.empty()) input.types.pop_back();
  }
  if (std::find(input.attention_mask.begin(), input.attention_mask.end(), 0) == input.attention_mask.end())
    input.attention_mask.clear();
  return input;
}

// The typical use of this kind of model and the paper that it comes from; empty where there is no
// text for it.
struct FamilyText {
  std::string_view layout, task;  // empty: any
  const char* text;
};
constexpr FamilyText kFamilies[] = {
    {"gpt2", "",
     "GPT-2 (Radford et al. 2019, “Language Models are Unsupervised Multitask Learners”): a decoder with "
     "learned positions and a norm before each part. Decoders write and complete text and code, and answer."},
    {"llama", "",
     "Llama (Touvron et al. 2023, “LLaMA: Open and Efficient Foundation Language Models”): a decoder with "
     "rotary positions, RMSNorm, SwiGLU and shared keys and values. Most open models that chat and write "
     "code are of this family."},
    {"bert", "",
     "BERT (Devlin et al. 2018, “BERT: Pre-training of Deep Bidirectional Transformers for Language "
     "Understanding”): an encoder. Encoders classify and tag texts, and make the vectors that search "
     "compares."},
    {"marian", "",
     "The encoder-decoder of Vaswani et al. 2017, “Attention Is All You Need”, as Marian has it "
     "(Junczys-Dowmunt et al. 2018). Encoder-decoders translate, summarise and write down speech."},
    {"", "induction",
     "Attention alone (Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”; Olsson et "
     "al. 2022, “In-context Learning and Induction Heads”). Such small models are for study: what is found "
     "in them is found in large ones too."},
    {"", "pilot",
     "Vision, language, action (Brohan et al. 2023, “RT-2”; Kim et al. 2024, “OpenVLA”): an image and an "
     "instruction in one sequence, actions as tokens. Robots are steered so."},
};

std::string family_of(const Card& card) {
  for (const FamilyText& family : kFamilies)
    if ((family.layout.empty() || family.layout == card.layout) &&
        (family.task.empty() || family.task == card.task))
      return family.text;
  return {};
}

// The command line that repeats the training: settings that differ from the task's defaults.
std::string command_of(const Card& card) {
  const auto task = find_task(card.task);
  const Recipe own = task ? (*task)->recipe() : Recipe{};
  const Recipe& r = card.recipe;
  std::string out = "attnscope-cli train " + (task ? card.task : "--data FILE");
  const auto number = [&](const char* flag, auto value, decltype(value) usual) {
    if (value != usual) out += format(" %s %s", flag, shortest_text(value).c_str());
  };
  const auto word = [&](const char* flag, const std::string& value, const std::string& usual) {
    if (value != usual) out += format(" %s %s", flag, value.c_str());
  };
  number("--layers", card.sizes.layers, 0);
  number("--heads", card.sizes.heads, 0);
  number("--kv-heads", card.sizes.kv_heads, 0);
  number("--d-model", card.sizes.d_model, 0);
  number("--d-mlp", card.sizes.d_mlp, 0);
  word("--order", card.sizes.order, "");
  word("--mask", card.sizes.mask, "");
  number("--batch", r.batch, own.batch);
  number("--learning-rate", r.learning_rate, own.learning_rate);
  word("--schedule", r.schedule, own.schedule);
  number("--warmup", r.warmup, own.warmup);
  number("--smoothing", r.smoothing, own.smoothing);
  return out +
         format(" --seed %llu --steps %d --out DIR", static_cast<unsigned long long>(card.seed), r.steps);
}

}  // namespace

Card make_card(const Trainer& trainer, std::uint64_t seed, int count) {
  const Task& task = trainer.task();
  const TrainState& state = trainer.state();
  const ModelConfig& config = state.model->config();
  Card out;
  out.task = task.name();
  out.title = task.title();
  out.sentence = task.sentence();
  out.layout = task.layout();
  out.recipe = trainer.recipe();
  out.sizes = trainer.sizes();
  out.layers = config.n_layers();
  out.heads = common(config, &BlockSpec::attention, &AttentionSpec::n_heads).value_or(0);
  out.d_model = config.d_model;
  out.vocabulary = config.vocab_size;
  out.seed = trainer.seed();
  out.steps = state.step;
  for (const std::string& name : parameters(config, state.model->weights()))
    out.parameters += state.model->weights().get(name).count();
  for (const StepReport& report : state.reports) {
    out.tokens += report.tokens;
    out.seconds += report.seconds;
    out.loss = report.plain_loss;
  }
  out.measured_seed = seed;
  out.measured_count = count;
  out.measures = task.measure(*state.model, seed, count);
  out.inputs = {without_padding(task.shown().input)};
  out.counted = task.counted();
  return out;
}

Json card_to_json(const Card& card) {
  Json out;
  write_fields(card, out, kCardFields);
  out["recipe"] = recipe_to_json(card.recipe);
  out["sizes"] = sizes_to_json(card.sizes);
  out["measured"] = {{"split", "held-out"}, {"seed", card.measured_seed}, {"count", card.measured_count}};
  out["measures"] = Json::array();
  for (const Measure& measure : card.measures) out["measures"].push_back(measure_to_json(measure));
  if (!card.before.empty()) out["before"] = card.before;
  if (card.counted) out["counted_rows"] = card.counted->text();
  out["inputs"] = Json::array();
  for (const Input& input : card.inputs) out["inputs"].push_back(input_to_json(input));
  return out;
}

Result<Card> card_from_json(const Json& json, const std::string& what) {
  Card out;
  if (!json.is_object() || !json.contains("task") || !json.contains("recipe") || !json.contains("sizes") ||
      !json.contains("measured") || !json.contains("measures"))
    return fail(Code::bad_format, "error.train.card", {what});
  TRY_OK(read_fields(json, what, out, kCardFields));
  TRY(out.recipe, recipe_from_json(json["recipe"], what));
  TRY(out.sizes, sizes_from_json(json["sizes"], what));
  TRY_OK(read_key(json["measured"], "seed", what, out.measured_seed));
  TRY_OK(read_key(json["measured"], "count", what, out.measured_count));
  for (const Json& each : json["measures"]) {
    TRY(Measure measure, measure_from_json(each, what));
    out.measures.push_back(std::move(measure));
  }
  if (json.contains("inputs") && !json["inputs"].empty()) {
    TRY(out.inputs, inputs_from_json(json, what));
  }
  TRY_OK(read_key(json, "before", what, out.before));
  std::string counted;
  TRY_OK(read_key(json, "counted_rows", what, counted));
  if (!counted.empty()) {
    const auto rows = CountedRows::parse(counted);
    if (!rows) return within(what, rows.error());
    out.counted = *rows;
  }
  return out;
}

std::string card_text(const Card& card) {
  std::string out = format("# %s\n\n%s\n\n", card.title.c_str(), card.sentence.c_str());
  if (const std::string family = family_of(card); !family.empty()) out += family + "\n\n";
  out += "Trained by attnscope itself:\n\n```\n" + command_of(card) + "\n```\n\n";
  if (!card.before.empty()) out += card.before + "\n\n";
  out += format(
      "%d layers, %d heads, width %d, %d tokens in the vocabulary, %s parameters. "
      "%d steps with %s rows in %.0f seconds.\n\n",
      card.layers, card.heads, card.d_model, card.vocabulary, format_count(card.parameters).c_str(),
      card.steps, format_count(card.tokens).c_str(), card.seconds);
  out += format(
      "## Measured\n\nOn %d held-out examples of seed %llu, whose content never occurs in training.\n\n",
      card.measured_count, static_cast<unsigned long long>(card.measured_seed));
  out += "| | measured | wanted | where |\n|---|---|---|---|\n";
  for (const Measure& measure : card.measures) {
    const std::string wanted = measure.wanted > 0 ? format("%.4g", measure.wanted) : "";
    out += format("| %s: %s | %.4f | %s | %s |\n", measure.name.c_str(), measure.sentence.c_str(),
                  measure.value, wanted.c_str(), head_text(measure).c_str());
  }
  return out + "\n## Recipe\n\n" + recipe_text(card.recipe);
}

Status write_card(const std::string& folder, const Card& card) {
  TRY_OK(write_file(folder + "/card.json", card_to_json(card).dump(1) + "\n"));
  return write_file(folder + "/README.md", card_text(card));
}

Result<Card> read_card(const std::string& folder) {
  const std::string path = folder + "/card.json";
  TRY(const Json json, read_json_file(path, std::uint64_t{1} << 24));
  return card_from_json(json, path);
}

double Card::guessing_loss() const { return std::log(static_cast<double>(std::max(1, vocabulary))); }

std::optional<Card> shipped_card(const std::string& task) {
  const std::string name = "assets/models/" + task + "/card.json";
  const std::string_view text = asset(name);
  const nlohmann::json read = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (read.is_discarded()) return std::nullopt;
  Result<Card> card = card_from_json(read, name);
  return card ? std::optional(*std::move(card)) : std::nullopt;
}

}  // namespace attnscope
