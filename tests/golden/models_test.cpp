// Every tensor that the reference implementation exposes, against ours, for each family; greedy
// continuations; and the KV cache against running everything at once.
#include <algorithm>
#include <optional>
#include <set>

#include "core/sample/sampler.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

constexpr double kModelsTolerance = 1e-4;

// What names.json of a golden folder says about the reference's tensors: which of our steps each one is.
// "{L}" in a name stands for a number. A list of steps lies side by side in the reference's columns.
// "@rotary" is the cosine table ("@rotary 1": of positions that count from 1, which attention cannot tell
// from those that count from 0), "@conv STEP" has its channels first, "@bias STEP" is the addend of scores
// [query, key, head], "@rows STEP" is the same for the whole batch. "skip" gives reasons. "mask" is the mask
// that the reference was run with, where it is not the model's own.
class Names {
 public:
  explicit Names(const std::string& model) {
    const auto json = read_json_file(model_path(model) + "/names.json");
    EXPECT_TRUE(json) << (json ? "" : json.error().text());
    if (json) names_ = *json;
  }
  bool skipped(const std::string& name) const {
    const Json skip = names_.value("skip", Json::object());
    for (const auto& [pattern, reason] : skip.items())
      if (number(pattern, name)) return true;
    return name == "input_ids" || name == "attention_mask" || name == "decoder_input_ids" ||
           name == "token_type_ids" || name == "pixel_values" || name == "labels" || name == "greedy";
  }
  std::vector<std::string> steps(const std::string& name) const {
    const Json& all = names_.at("names");
    if (const auto exact = all.find(name); exact != all.end()) return filled(*exact, "");
    for (const auto& [pattern, steps] : all.items())
      if (const auto layer = number(pattern, name)) return filled(steps, *layer);
    return {};
  }

 private:
  // What {L} stands for ("" without one) where `name` fits the pattern.
  static std::optional<std::string> number(const std::string& pattern, const std::string& name) {
    const std::size_t at = pattern.find("{L}");
    if (at == std::string::npos) return pattern == name ? std::optional<std::string>("") : std::nullopt;
    const std::string before = pattern.substr(0, at), after = pattern.substr(at + 3);
    if (!starts_with(name, before) || !ends_with(name, after)) return std::nullopt;
    if (name.size() <= before.size() + after.size()) return std::nullopt;
    const std::string middle = name.substr(before.size(), name.size() - before.size() - after.size());
    const bool digits = middle.find_first_not_of("0123456789") == std::string::npos;
    return digits ? std::optional(middle) : std::nullopt;
  }
  static std::vector<std::string> filled(const Json& steps, const std::string& layer) {
    std::vector<std::string> out;
    const auto take = [&](std::string text) {
      if (const std::size_t at = text.find("{L}"); at != std::string::npos) text.replace(at, 3, layer);
      out.push_back(std::move(text));
    };
    if (steps.is_string()) take(steps.get<std::string>());
    for (std::size_t i = 0; steps.is_array() && i < steps.size(); ++i) take(steps[i].get<std::string>());
    return out;
  }
  Json names_;
};

// [batch, (head,) row, col] or [batch, col] of one sequence -> [head][row, col]
std::vector<Tensor> planes(const Tensor& expected, std::int64_t sequence) {
  const Tensor mine = expected.select(0, expected.size(0) == 1 ? 0 : sequence);
  if (mine.rank() == 1) return {mine.split(0, Axis::pos, 1, Axis::vocab)};
  std::vector<Tensor> out;
  for (std::int64_t head = 0; mine.rank() == 3 && head < mine.size(0); ++head)
    out.push_back(mine.select(0, head));
  return out.empty() ? std::vector{mine} : out;
}

// Largest difference of one step over the rows that are no padding; its columns begin at `begin`.
double worst_gap(const std::vector<Tensor>& expected, const Trace& trace, const Site& site,
                 std::int64_t begin) {
  const Tensor found = must_tensor(trace, site);
  double worst = 0;
  for (std::size_t head = 0; head < expected.size(); ++head) {
    const Tensor a = expected[head];
    const Tensor b = found.rank() == 3 ? found.select(0, static_cast<std::int64_t>(head)) : found;
    if (b.size(1) + begin > a.size(1) || b.size(0) != a.size(0)) return INFINITY;
    const bool source_rows = site.part == Part::cross && (site.slot == Slot::k || site.slot == Slot::v);
    for (std::int64_t row = 0; row < b.size(0); ++row) {
      if (!trace.is_real(source_rows ? Stack::enc : site.stack, row)) continue;
      for (std::int64_t col = 0; col < b.size(1); ++col)
        worst = std::max(worst, gap(a.at(row, begin + col), b.at(row, col)));
    }
  }
  return worst;
}

// cos(pos * frequency), both halves alike; the reference may count positions from 1.
double rotary_gap(const ModelConfig& config, const Tensor& expected, std::int64_t first) {
  const auto frequencies =
      rope_frequencies(config.blocks[0].attention.position.rope, config.blocks[0].attention.d_head);
  const std::int64_t half = static_cast<std::int64_t>(frequencies.size());
  double worst = expected.size(2) == 2 * half ? 0 : INFINITY;
  for (std::int64_t pos = 0; pos < expected.size(1); ++pos)
    for (std::int64_t i = 0; i < expected.size(2); ++i) {
      const double angle = static_cast<double>(first + pos) * frequencies[static_cast<std::size_t>(i % half)];
      worst = std::max(worst, gap(expected.at(0, pos, i), std::cos(angle)));
    }
  return worst;
}

// [batch, channel, down, across] against rows of patches.
double convolution_gap(const Tensor& expected, std::int64_t sequence, const Tensor& found) {
  double worst = 0;
  for (std::int64_t row = 0; row < found.size(0); ++row)
    for (std::int64_t col = 0; col < found.size(1); ++col)
      worst = std::max(worst, gap(expected.at(sequence, col, row / expected.size(3), row % expected.size(3)),
                                  found.at(row, col)));
  return worst;
}

// [query, key, head] against what the attention at `site` adds to its scores.
double bias_gap(const Tensor& expected, const Trace& trace, const Site& site) {
  const AttentionState* state = trace.attention(site);
  if (!state) return INFINITY;
  double worst = 0;
  for (std::int64_t query = 0; query < expected.size(0); ++query)
    for (std::int64_t key = 0; key < expected.size(1); ++key)
      for (std::int64_t head = 0; head < expected.size(2); ++head)
        worst = std::max(worst, gap(expected.at(query, key, head), state->in.bias.at(head, query, key)));
  return worst;
}

double compare(const Tensor& expected, std::int64_t sequence, const Trace& trace,
               const std::vector<std::string>& steps) {
  const std::string& first = steps.front();
  if (starts_with(first, "@rotary"))
    return rotary_gap(trace.config(), expected, first == "@rotary 1" ? 1 : 0);
  if (starts_with(first, "@conv "))
    return convolution_gap(expected, sequence, must_tensor(trace, first.substr(6)));
  if (starts_with(first, "@bias ")) return bias_gap(expected, trace, must_site(first.substr(6)));
  if (starts_with(first, "@rows ")) return worst_gap({expected}, trace, must_site(first.substr(6)), 0);
  const std::vector<Tensor> mine = planes(expected, sequence);
  double worst = 0;
  std::int64_t begin = 0;
  for (const std::string& step : steps) {
    worst = std::max(worst, worst_gap(mine, trace, must_site(step), begin));
    begin += trace.find(must_site(step))->shape.back();
  }
  return begin == mine[0].size(1) ? worst : INFINITY;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, every_exposed_step_agrees) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  ASSERT_TRUE(opened.model);
  const Fixture reference = fixture(GetParam());
  const Names names(GetParam());
  std::set<std::string> compared, forgotten;
  double largest = 0;
  for (std::size_t sequence = 0; sequence < reference.inputs.size(); ++sequence) {
    const TracePointer trace = must_run(*opened.model, reference.inputs[sequence], reference.options);
    ASSERT_TRUE(trace);
    for (const TensorInfo& info : reference.expected->infos()) {
      if (names.skipped(info.name)) continue;
      const std::vector<std::string> steps = names.steps(info.name);
      (steps.empty() ? forgotten : compared).insert(info.name);
      if (steps.empty()) continue;
      const double worst =
          compare(reference.tensor(info.name), static_cast<std::int64_t>(sequence), *trace, steps);
      EXPECT_LE(worst, kModelsTolerance) << info.name << " of sequence " << sequence;
      largest = std::max(largest, worst);
    }
  }
  EXPECT_TRUE(forgotten.empty()) << "neither compared nor skipped: "
                                 << join({forgotten.begin(), forgotten.end()}, ", ");
  EXPECT_GE(compared.size(), 20u);
  std::printf("%s: %zu tensors compared, largest difference %.2g\n", GetParam().c_str(), compared.size(),
              largest);
}

TEST_P(Golden, greedy_continuation_agrees) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const Fixture reference = fixture(GetParam());
  if (!reference.has("greedy")) GTEST_SKIP() << "the reference did not generate with this model";
  const auto greedy = *reference.expected->load_ints("greedy");
  const std::size_t prompt = reference.ids[0].size();
  const std::vector<int> expected(greedy.begin() + static_cast<std::ptrdiff_t>(prompt), greedy.end());
  const auto made =
      generate(*opened.model, reference.ids[0], static_cast<int>(expected.size()), {0.f, 0, 1.f, 0});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->ids, expected);
}

// Every step of two runs of one input.
void expect_steps_equal(const Trace& whole, const Trace& other, const std::string& what) {
  ASSERT_EQ(whole.records().size(), other.records().size()) << what;
  for (const Record& record : whole.records()) {
    const Tensor a = must_tensor(whole, record.site), b = must_tensor(other, record.site);
    EXPECT_EQ(max_abs_difference(a, b), 0) << to_text(record.site) << " " << what;
  }
}

// Token by token: each run starts from the one before, and its last row is computed alone.
TEST_P(Golden, a_run_that_starts_from_another_equals_a_full_one) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const Input input = fixture(GetParam()).inputs[0];
  const TracePointer whole = must_run(*opened.model, input);
  if (input.ids.size() < 4) return;
  RunOptions options;
  for (const std::size_t prefill : {std::size_t{2}, input.ids.size() - 1}) {
    Input part = input;
    if (!opened.model->config().sees()) part.ids.resize(prefill), part.attention_mask.clear();
    options.base = must_run(*opened.model, part);
    Input all = input;
    if (!opened.model->config().sees()) all.attention_mask.clear();
    const TracePointer again = must_run(*opened.model, all), grown = must_run(*opened.model, all, options);
    ASSERT_TRUE(again && grown);
    expect_steps_equal(*again, *grown, std::to_string(prefill));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Golden, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace attnscope
