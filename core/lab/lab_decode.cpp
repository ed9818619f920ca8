// Prefill and decode: rows that go through the model with and without the cache of keys and values, counted
// and measured with the running core, and the budget of a robot that must answer ten times a second.
#include <chrono>
#include <cmath>

#include "core/lab/pieces.h"
#include "core/model/model.h"
#include "core/train/random.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

constexpr int kLabDecodeVocab = 64, kLabDecodeWidth = 64, kLabDecodeHeads = 4, kLabDecodeBlocks = 2;
constexpr double kLlamaWeights = 6738415616.0;  // Llama-2-7B
constexpr int kActions = 7;
constexpr double kBudget = 0.1;  // seconds: ten answers a second

/// How a robot's model answers: passes through it, and movements of seven actions that they yield. Guesses of
/// a smaller model are checked three in a pass (all right, at best); a chunk is several movements ahead.
struct Answering {
  const char* key;
  int passes, movements;
};
constexpr Answering kAnswering[] = {{"lab.decode.answer.single", 7, 1},
                                    {"lab.decode.answer.guessed", 3, 1},
                                    {"lab.decode.answer.together", 1, 1},
                                    {"lab.decode.answer.chunk", 1, 8}};

Result<std::shared_ptr<const Model>> small_model() {
  ModelConfig config = lab_config(kLabDecodeWidth, kLabDecodeHeads, kLabDecodeVocab, kLabDecodeBlocks);
  config.position.kind = PositionSpec::Kind::none;
  for (BlockSpec& block : config.blocks) block.attention.position.kind = AttentionPosition::Kind::rope;
  Weights weights = first_weights(config, 3);
  return Model::make(std::move(config), std::move(weights));
}

/// Seconds from the first run to each token, and rows that went through.
struct Decoding {
  std::vector<double> seconds;
  std::int64_t rows = 0;
};

Result<Decoding> decode(const Model& model, std::int64_t prompt, std::int64_t tokens, bool cache,
                        const std::atomic<bool>& cancel) {
  SplitMix64 random = random_of(17, 0, 0);
  Input input;
  for (std::int64_t i = 0; i < prompt; ++i) input.ids.push_back(random.below(kLabDecodeVocab));
  Decoding out;
  RunOptions options;
  options.keep = Keep::predictions;
  options.cancel = &cancel;
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < tokens; ++i) {
    TRY(const std::shared_ptr<const Trace> trace, model.run(input, options));
    out.rows += options.base ? 1 : trace->length;
    if (cache) options.base = trace;
    input.ids.push_back(random.below(kLabDecodeVocab));
    out.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return out;
}

LabPlot time_plot(const Decoding& with, const Decoding& without) {
  LabPlot out;
  out.title = Text::of("lab.decode.time");
  out.x_title = Text::of("lab.decode.token");
  LabSeries cached{Text::of("lab.decode.with"), {}, LabInk::green, false, true},
      plain{Text::of("lab.decode.without"), {}, LabInk::red, false, true};
  for (std::size_t i = 0; i < with.seconds.size(); ++i) {
    cached.points.emplace_back(i + 1, with.seconds[i] * 1e3);
    plain.points.emplace_back(i + 1, without.seconds[i] * 1e3);
  }
  out.series = {cached, plain};
  return out;
}

LabTable count_table(const Decoding& with, const Decoding& without, std::int64_t prompt,
                     std::int64_t tokens) {
  const std::int64_t last = prompt + tokens - 1;
  const auto after = [](const Decoding& one) {
    std::vector<double> each;
    for (std::size_t i = 1; i < one.seconds.size(); ++i) each.push_back(one.seconds[i] - one.seconds[i - 1]);
    return each.empty() ? std::string("0") : shown_timing(timing_of(std::move(each)));
  };
  const auto pairs = [](std::int64_t n) { return static_cast<double>(n * (n + 1) / 2); };
  double all_pairs = 0;
  for (std::int64_t n = prompt; n <= last; ++n) all_pairs += pairs(n);
  LabTable out;
  out.title = Text::of("lab.decode.counts");
  out.header = {Text(), Text::of("lab.decode.with"), Text::of("lab.decode.without")};
  const auto row = [&](const char* key, Text a, Text b) { out.rows.push_back(fact(Text::of(key), {a, b})); };
  row("lab.decode.rows", shown(static_cast<double>(with.rows), 9),
      shown(static_cast<double>(without.rows), 9));
  row("lab.decode.cells", shown(pairs(last), 9), shown(all_pairs, 9));
  row("lab.decode.first", shown_seconds(with.seconds.front()), shown_seconds(without.seconds.front()));
  row("lab.decode.each", after(with), after(without));
  row("lab.decode.all", shown_seconds(with.seconds.back()), shown_seconds(without.seconds.back()));
  return out;
}

// Of Llama-2-7B: every pass reads every weight once, for however many tokens.
double decode_seconds(double bandwidth, double bytes, const Answering& answer) {
  return answer.passes * kLlamaWeights * bytes / (bandwidth * 1e9);
}

LabBars budget_bars(double bandwidth, int precision, const Answering& answer) {
  LabBars out;
  const double limit = answer.movements * kBudget;
  out.title = Text::of("lab.decode.budget", {shown(bandwidth), answer.movements * kActions, answer.passes});
  out.most = 2 * limit;
  const char* names[] = {"float16", "int8", "int4"};
  const double bytes[] = {2, 1, 0.5};
  for (int i = 0; i < 3; ++i) {
    const double seconds = decode_seconds(bandwidth, bytes[i], answer);
    out.bars.push_back(
        {names[i], seconds, shown_seconds(seconds), i == precision ? LabInk::amber : LabInk::blue});
  }
  out.bars.push_back({Text::of("lab.decode.limit"), limit, shown_seconds(limit), LabInk::dim});
  return out;
}

std::vector<std::string> lab_decode_answers() {
  std::vector<std::string> out;
  for (const Answering& one : kAnswering) out.emplace_back(one.key);
  return out;
}

Result<LabPicture> compute_decode(const LabValues& values, const std::atomic<bool>& cancel) {
  const std::int64_t prompt = values.whole("prompt"), tokens = values.whole("tokens");
  const double bandwidth = values.number("bandwidth");
  const int precision = values.choice("precision");
  const Answering& answer = kAnswering[values.choice("answer")];
  TRY(const std::shared_ptr<const Model> model, small_model());
  TRY(const Decoding unmeasured,
      decode(*model, prompt, 2, true, cancel));  // the first run of a model packs its weights
  (void)unmeasured;
  TRY(const Decoding with, decode(*model, prompt, tokens, true, cancel));
  TRY(const Decoding without, decode(*model, prompt, tokens, false, cancel));
  LabPicture out;
  out.pieces = {{time_plot(with, without), 1.2f, true, 1},
                {count_table(with, without, prompt, tokens), 1},
                in_full({budget_bars(bandwidth, precision, answer), 1, true, 1})};
  const double bytes[] = {2, 1, 0.5};
  const double seconds = decode_seconds(bandwidth, bytes[precision], answer),
               limit = answer.movements * kBudget;
  const Text all_rows = shown(static_cast<double>(without.rows), 9),
             few_rows = shown(static_cast<double>(with.rows), 9);  // as the table writes them
  out.formula = Text::of(prompt == 1 ? "lab.decode.formula.one" : "lab.decode.formula",
                         {prompt, tokens, all_rows, few_rows});
  out.notice = Text::of(
      tokens == 1             ? "lab.decode.notice.one"
      : seconds > limit       ? "lab.decode.notice.late"
      : seconds > 0.8 * limit ? "lab.decode.notice.tight"
                              : "lab.decode.notice.fits",
      {all_rows, few_rows, shown(static_cast<double>(without.rows) / static_cast<double>(with.rows), 3),
       shown(without.seconds.back() / with.seconds.back(), 3), shown_seconds(seconds), answer.passes,
       shown_seconds(limit), answer.movements * kActions});
  return out;
}

}  // namespace

Lab lab_decode();
Lab lab_decode() {
  return {
      "lab.decode",
      13,
      {whole_control("lab.decode.prompt", 1, 512, 64, true), whole_control("lab.decode.tokens", 1, 100, 32),
       whole_control("lab.decode.bandwidth", 50, 4000, 1000, true),
       choice_control("lab.decode.precision", {"lab.decode.precision.float16", "lab.decode.precision.int8",
                                               "lab.decode.precision.int4"}),
       choice_control("lab.decode.answer", lab_decode_answers())},
      compute_decode,
      {"bandwidth", 4000},
      {"tokens", 100, "prompt"}};
}

}  // namespace attnscope
