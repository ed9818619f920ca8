#include "core/sample/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/model/measure.h"
#include "core/sample/prompt.h"
#include "core/trace/longest_input.h"

namespace attnscope {
namespace {

bool greedy(const Sampling& sampling) { return !(sampling.temperature > 0.f); }

bool more_likely(const NextToken& a, const NextToken& b) {
  const bool a_nan = std::isnan(a.penalised), b_nan = std::isnan(b.penalised);
  if (a_nan != b_nan) return b_nan;
  if (!a_nan && a.penalised != b.penalised) return a.penalised > b.penalised;
  return a.id < b.id;
}

// Softmax of the sorted list; +infinity shares everything among its equals.
void fill_probabilities(std::vector<NextToken>& tokens, double temperature) {
  const double top = static_cast<double>(tokens.front().penalised);
  if (std::isnan(top) || (std::isinf(top) && top < 0)) return;
  const auto weight = [&](float logit) {
    const double x = static_cast<double>(logit);
    if (std::isnan(x)) return 0.0;
    return x == top ? 1.0 : std::exp((x - top) / temperature);
  };
  double sum = 0;
  for (const NextToken& token : tokens) sum += weight(token.penalised);
  for (NextToken& token : tokens) token.prob = static_cast<float>(weight(token.penalised) / sum);
}

// Marks what is cut of the sorted list, and returns how many stay; at least one.
std::size_t cut_tokens(std::vector<NextToken>& tokens, const Sampling& sampling) {
  std::size_t count = tokens.size();
  const auto cut_from = [&](std::size_t first, SamplingCut why) {
    for (std::size_t i = std::max<std::size_t>(first, 1); i < count; ++i) tokens[i].cut = why;
    count = std::min(count, std::max<std::size_t>(first, 1));
  };
  if (greedy(sampling)) cut_from(1, SamplingCut::greedy);
  if (sampling.top_k > 0) cut_from(static_cast<std::size_t>(sampling.top_k), SamplingCut::top_k);
  if (sampling.top_p < 1.f) {
    double all = 0, sum = 0;
    std::size_t i = 0;
    for (std::size_t j = 0; j < count; ++j) all += static_cast<double>(tokens[j].prob);
    while (i < count && (i == 0 || sum < static_cast<double>(sampling.top_p) * all))
      sum += static_cast<double>(tokens[i++].prob);
    cut_from(i, SamplingCut::top_p);
  }
  if (sampling.min_p > 0.f) {
    const float least = sampling.min_p * tokens.front().prob;
    std::size_t i = 1;
    while (i < count && tokens[i].prob >= least) ++i;
    cut_from(i, SamplingCut::min_p);
  }
  return count;
}

// SplitMix64 (Steele, Lea, Flood 2014) of the step-th state -> [0, 1)
double uniform(std::uint64_t seed, std::uint64_t step) {
  std::uint64_t z = seed + (step + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) / 9007199254740992.0;
}

int most_likely(const Tensor& logits) {
  const auto token_at = [&](std::int64_t id) {
    NextToken token;
    token.id = static_cast<int>(id);
    token.penalised = logits.at(id);
    return token;
  };
  NextToken best = token_at(0);
  for (std::int64_t id = 1; id < logits.size(0); ++id)
    if (const NextToken token = token_at(id); more_likely(token, best)) best = token;
  return best.id;
}

}  // namespace

Status check_sampling(const Sampling& sampling) {
  const auto between = [](float value, double least, double most) {
    return static_cast<double>(value) >= least && static_cast<double>(value) <= most;  // NaN is not
  };
  if (!between(sampling.temperature, 0, kMostTemperature))
    return fail(Code::out_of_range, "error.sample.temperature",
                {format("%g", static_cast<double>(sampling.temperature)), format("%.0f", kMostTemperature)});
  if (sampling.top_k < 0) return fail(Code::out_of_range, "error.sample.top_k", {sampling.top_k});
  if (!between(sampling.top_p, 0, 1))
    return fail(Code::out_of_range, "error.sample.top_p",
                {format("%g", static_cast<double>(sampling.top_p))});
  if (!between(sampling.min_p, 0, 1))
    return fail(Code::out_of_range, "error.sample.min_p",
                {format("%g", static_cast<double>(sampling.min_p))});
  return check_penalty(sampling.repetition_penalty);
}

Status check_penalty(float penalty) {
  if (penalty > 0.f && static_cast<double>(penalty) <= kMostPenalty) return Done{};  // NaN is not
  return fail(Code::out_of_range, "error.sample.repetition_penalty",
              {format("%g", static_cast<double>(penalty)), format("%.0f", kMostPenalty)});
}

Tensor penalised(const Tensor& logits_row, std::span<const int> said, float penalty) {
  if (penalty == 1.f || said.empty()) return logits_row;
  std::vector<float> logits = logits_row.values();
  std::vector<int> ids(said.begin(), said.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const int id : ids) {
    if (id < 0 || id >= static_cast<int>(logits.size())) continue;
    float& logit = logits[static_cast<std::size_t>(id)];
    logit = logit < 0 ? logit * penalty : logit / penalty;
  }
  return Tensor::from(std::move(logits), {{Axis::vocab, logits_row.size(0)}});
}

std::vector<NextToken> next_tokens(const Tensor& logits_row, const Sampling& sampling,
                                   std::span<const int> said) {
  CHECK(logits_row.rank() <= 1);
  std::vector<NextToken> tokens;
  if (logits_row.count() == 0) return tokens;
  const Tensor after = penalised(logits_row, said, sampling.repetition_penalty);
  const float temperature = greedy(sampling) ? 1.f : sampling.temperature;
  tokens.reserve(static_cast<std::size_t>(logits_row.size(0)));
  for (std::int64_t id = 0; id < logits_row.size(0); ++id) {
    NextToken token;
    token.id = static_cast<int>(id);
    token.logit = logits_row.at(id);
    token.penalised = after.at(id);
    token.scaled = token.penalised / temperature;
    tokens.push_back(token);
  }
  std::sort(tokens.begin(), tokens.end(), more_likely);
  fill_probabilities(tokens, static_cast<double>(temperature));
  const std::size_t count = cut_tokens(tokens, sampling);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(tokens[i].prob);
  for (std::size_t i = 0; i < count && sum > 0; ++i)
    tokens[i].kept = static_cast<float>(static_cast<double>(tokens[i].prob) / sum);
  return tokens;
}

int choose(const std::vector<NextToken>& tokens, const Sampling& sampling, std::uint64_t step) {
  if (tokens.empty()) return -1;
  const double wanted = uniform(sampling.seed, step);
  double sum = 0;
  int last = tokens.front().id;
  for (const NextToken& token : tokens) {
    if (!(token.kept > 0.f)) continue;
    last = token.id;
    sum += static_cast<double>(token.kept);
    if (sum > wanted) break;
  }
  return last;
}

Tensor without_suppressed(const ModelConfig& config, const Tensor& logits_row) {
  if (config.suppressed_tokens.empty()) return logits_row;
  std::vector<float> logits = logits_row.values();
  for (const int id : config.suppressed_tokens)
    if (id >= 0 && id < static_cast<int>(logits.size()))
      logits[static_cast<std::size_t>(id)] = -std::numeric_limits<float>::infinity();
  return Tensor::from(std::move(logits), {{Axis::vocab, logits_row.size(0)}});
}

namespace {

int next_token(const Tensor& logits, const Sampling& sampling, const Input& input, int step) {
  if (greedy(sampling)) return most_likely(penalised(logits, input.ids, sampling.repetition_penalty));
  return choose(next_tokens(logits, sampling, input.ids), sampling, static_cast<std::uint64_t>(step));
}

}  // namespace

Result<Generated> generate(const Model& model, const Input& prompt, int max_new_tokens,
                           const Sampling& sampling, const RunOptions& options,
                           const std::function<void(int)>& on_token) {
  const ModelConfig& config = model.config();
  TRY_OK(check_sampling(sampling));
  TRY(Input input, prompt_to_continue(model, prompt));
  Generated out;
  RunOptions own = options;  // each run starts from the one before: keys and values stay
  own.keep = Keep::predictions;
  const std::int64_t limit = longest_input(config);
  for (int step = 0; step < max_new_tokens; ++step) {
    if (step > 0 && limit > 0 && input.length() > limit) {
      out.note = Text::of("note.generate.positions", {out.ids.size(), limit});
      break;
    }
    TRY(const std::shared_ptr<const Trace> trace, model.run(input, own));
    const Tensor logits = without_suppressed(config, trace->logits_row(trace->length - 1));  // [vocab]
    TRY_OK(check_logits(model, *trace, own, logits));
    const int id = next_token(logits, sampling, input, step);
    out.ids.push_back(id);
    out.log_probs.push_back(log_probabilities(logits)[static_cast<std::size_t>(id)]);
    out.unreached = trace->unreached;
    if (on_token) on_token(id);
    out.reached_end = id == config.eos;
    if (out.reached_end) break;
    append_token(input, id);
    own.base = trace;
  }
  return out;
}

Result<Generated> generate(const Model& model, const std::vector<int>& prompt, int max_new_tokens,
                           const Sampling& sampling, const RunOptions& options,
                           const std::function<void(int)>& on_token) {
  Input input;
  input.ids = prompt;
  return generate(model, input, max_new_tokens, sampling, options, on_token);
}

}  // namespace attnscope
