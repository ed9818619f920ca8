#include "core/sample/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"

namespace attnscope {
namespace {

bool greedy(const Sampling& sampling) { return !(sampling.temperature > 0.f); }

bool more_likely(const NextToken& a, const NextToken& b) {
  const bool a_nan = std::isnan(a.logit), b_nan = std::isnan(b.logit);
  if (a_nan != b_nan) return b_nan;
  if (!a_nan && a.logit != b.logit) return a.logit > b.logit;
  return a.id < b.id;
}

// Softmax of the sorted list; +infinity shares everything among its equals.
void fill_probabilities(std::vector<NextToken>& tokens, double temperature) {
  const double top = static_cast<double>(tokens.front().logit);
  if (std::isnan(top) || (std::isinf(top) && top < 0)) return;
  const auto weight = [&](float logit) {
    const double x = static_cast<double>(logit);
    if (std::isnan(x)) return 0.0;
    return x == top ? 1.0 : std::exp((x - top) / temperature);
  };
  double sum = 0;
  for (const NextToken& token : tokens) sum += weight(token.logit);
  for (NextToken& token : tokens) token.prob = static_cast<float>(weight(token.logit) / sum);
}

// How many of the sorted list top-k and top-p leave; at least one.
std::size_t count_kept(const std::vector<NextToken>& tokens, const Sampling& sampling) {
  if (greedy(sampling)) return 1;
  std::size_t count = tokens.size();
  if (sampling.top_k > 0) count = std::min(count, static_cast<std::size_t>(sampling.top_k));
  if (!(sampling.top_p < 1.f)) return count;
  double all = 0, sum = 0;
  for (std::size_t i = 0; i < count; ++i) all += static_cast<double>(tokens[i].prob);
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(tokens[i].prob);
    if (sum >= static_cast<double>(sampling.top_p) * all) return i + 1;
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
  NextToken best{0, logits.at(0), 0.f, 0.f};
  for (std::int64_t id = 1; id < logits.size(0); ++id) {
    const NextToken token{static_cast<int>(id), logits.at(id), 0.f, 0.f};
    if (more_likely(token, best)) best = token;
  }
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
  return Done{};
}

std::vector<NextToken> next_tokens(const Tensor& logits_row, const Sampling& sampling) {
  CHECK(logits_row.rank() <= 1);
  std::vector<NextToken> tokens;
  if (logits_row.count() == 0) return tokens;
  tokens.reserve(static_cast<std::size_t>(logits_row.size(0)));
  for (std::int64_t id = 0; id < logits_row.size(0); ++id)
    tokens.push_back({static_cast<int>(id), logits_row.at(id), 0.f, 0.f});
  std::sort(tokens.begin(), tokens.end(), more_likely);
  fill_probabilities(tokens, greedy(sampling) ? 1.0 : static_cast<double>(sampling.temperature));
  const std::size_t count = count_kept(tokens, sampling);
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

// What stands in the way of continuing token by token, if anything.
Status check_continues(const ModelConfig& config) {
  if (!config.head.present) {
    return fail(Code::unsupported, "error.sample.no_vocabulary");
  }
  if (config.head.first_row_only || !config.blocks.front().attention.causal) {
    return fail(Code::unsupported, "error.sample.bidirectional");
  }
  return Done{};
}

// The tokens that are none of the padding, with the spans where they stand then.
Input unpadded(Input input) {
  const std::vector<std::uint8_t> attention_mask = std::move(input.attention_mask);
  input.attention_mask.clear();
  if (attention_mask.size() != input.ids.size()) return input;
  std::vector<std::int64_t> before{0};  // real tokens before each position
  std::vector<int> ids, types;
  for (std::size_t pos = 0; pos < attention_mask.size(); ++pos) {
    before.push_back(before.back() + (attention_mask[pos] ? 1 : 0));
    if (!attention_mask[pos]) continue;
    ids.push_back(input.ids[pos]);
    if (pos < input.types.size()) types.push_back(input.types[pos]);
  }
  const auto moved = [&](std::int64_t at) {
    return before[static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, std::ssize(attention_mask)))];
  };
  for (Span& span : input.spans) span = {span.name, moved(span.begin), moved(span.end)};
  input.ids = std::move(ids);
  input.types = std::move(types);
  return input;
}

void append(Input& input, int id) {
  input.ids.push_back(id);
  if (!input.types.empty()) input.types.push_back(input.types.back());
}

int next_token(const Tensor& logits, const Sampling& sampling, int step) {
  if (greedy(sampling)) return most_likely(logits);
  return choose(next_tokens(logits, sampling), sampling, static_cast<std::uint64_t>(step));
}

}  // namespace

Result<Generated> generate(const Model& model, const Input& prompt, int max_new_tokens,
                           const Sampling& sampling, const RunOptions& options,
                           const std::function<void(int)>& on_token) {
  const ModelConfig& config = model.config();
  TRY_OK(check_sampling(sampling));
  TRY_OK(check_continues(config));
  Generated out;
  RunOptions own = options;  // each run starts from the one before: keys and values stay
  own.keep = Keep::predictions;
  Input input = unpadded(model.completed(prompt));
  if (config.encoder() && input.ids.empty() && config.decoder_start >= 0) input.ids = {config.decoder_start};
  const std::int64_t limit = config.position.max_positions;
  for (int step = 0; step < max_new_tokens; ++step) {
    if (step > 0 && limit > 0 && input.length() > limit) {
      out.note = Text::of("note.generate.positions", {out.ids.size(), limit});
      break;
    }
    TRY(const std::shared_ptr<const Trace> trace, model.run(input, own));
    const Tensor logits = without_suppressed(config, trace->logits_row(trace->length - 1));  // [vocab]
    const int id = next_token(logits, sampling, step);
    out.ids.push_back(id);
    out.unreached = trace->unreached;
    if (on_token) on_token(id);
    out.reached_end = id == config.eos;
    if (out.reached_end) break;
    append(input, id);
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
