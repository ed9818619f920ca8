#include "core/sample/cached_run.h"

#include <algorithm>
#include <chrono>

#include "core/ops/op_count.h"

namespace attnscope {
namespace {

struct CountedCache {
  std::shared_ptr<const Trace> trace;
  CountedPass pass;
  std::int64_t first = 0;
};

Result<CountedCache> counted(const Model& model, const Input& input, const RunOptions& options) {
  CountedCache out;
  OpCount count;
  const auto begin = std::chrono::steady_clock::now();
  {
    const CountOps counting(count);
    TRY(out.trace, model.run(input, options));
    (void)out.trace->logits_row(out.trace->length - 1);
  }
  out.pass.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  TRY(const Cone cone, model.cone(input, options));
  // The earliest row of any block: edits may reach back.
  out.first = cone.main.rows;
  for (const std::int64_t row : cone.main.blocks) out.first = std::min(out.first, row);
  out.pass.rows = cone.main.rows - out.first;
  out.pass.products = count.products;
  out.pass.attention = count.attention;
  return out;
}

template <class Visit>
void for_each_attention(const Trace& trace, Visit visit) {
  const ModelConfig& config = trace.config();
  for (int layer = 0; layer < config.n_layers(); ++layer)
    for (const Part part : {Part::attn, Part::cross}) {
      if (part == Part::cross && !config.blocks[static_cast<std::size_t>(layer)].cross) continue;
      Site site = site_of(StepRole::pattern, layer, config.stack);
      site.part = part;
      if (const AttentionState* state = trace.attention(site)) visit(site, *state);
    }
}

double largest_difference(const Trace& a, const Trace& b) {
  const std::int64_t row = a.length - 1;
  double out = max_abs_difference(a.logits_row(row), b.logits_row(row));
  for_each_attention(a, [&](const Site& site, const AttentionState& state) {
    const AttentionState* other = b.attention(site);
    if (!other) return;
    out = std::max(
        {out, max_abs_difference(state.in.k, other->in.k), max_abs_difference(state.in.v, other->in.v)});
  });
  return out;
}

}  // namespace

bool runs_with_cache(const ModelConfig& config) { return config.predicts_next() && config.patch.size == 0; }

std::int64_t least_prompt(const ModelConfig& config, const Input& input) {
  const auto rows = static_cast<std::int64_t>(input.ids.size());
  std::int64_t out = 1;
  // Padding on the left belongs to the first run, too: alone it is no input.
  if (!input.attention_mask.empty())
    while (out < rows && input.attention_mask[static_cast<std::size_t>(out - 1)] == 0) ++out;
  if (config.vision())
    for (std::int64_t pos = 0; pos < rows; ++pos)
      if (input.ids[static_cast<std::size_t>(pos)] == config.image_token) out = std::max(out, pos + 1);
  return out;
}

Input first_positions(Input input, std::int64_t count) {
  const auto cut = [&](auto& list) {
    if (std::ssize(list) > count) list.resize(static_cast<std::size_t>(count));
  };
  cut(input.ids);
  cut(input.types);
  cut(input.attention_mask);
  for (Span& span : input.spans) {
    span.begin = std::min(span.begin, count);
    span.end = std::min(span.end, count);
  }
  return input;
}

std::int64_t kept_bytes(const Trace& trace, Part part) {
  std::int64_t values = 0;
  for_each_attention(trace, [&](const Site& site, const AttentionState& state) {
    if (site.part == part) values += state.in.k.count() + state.in.v.count();
  });
  return values * static_cast<std::int64_t>(sizeof(float));
}

Result<CachedRun> run_with_cache(const Model& model, const Input& input, const Edits& edits,
                                 std::int64_t prompt, double budget, const std::atomic<bool>* cancel) {
  if (!runs_with_cache(model.config())) return fail(Code::unsupported, "error.sample.bidirectional");
  const std::int64_t length = input.length();
  RunOptions cached;
  cached.edits = without_inputs(edits);
  cached.keep = Keep::predictions;
  cached.cancel = cancel;
  const RunOptions plain = cached;
  CachedRun out;
  double spent = 0;
  const std::int64_t least = std::min(length, least_prompt(model.config(), input));
  for (std::int64_t rows = std::clamp(prompt, least, std::max(least, length)); rows <= length; ++rows) {
    const Input part = first_positions(input, rows);
    TRY(const CountedCache with, counted(model, part, cached));
    CacheStep step{rows, with.first, with.pass, {}, -1};
    if (!cached.base) {
      step.without = with.pass;  // nothing is kept yet: both are the same run
      step.difference = 0;
    } else if (spent < budget) {
      TRY(const CountedCache without, counted(model, part, plain));
      step.without = without.pass;
      step.difference = largest_difference(*with.trace, *without.trace);
      spent += without.pass.seconds;
    }
    out.steps.push_back(step);
    cached.base = with.trace;
  }
  out.last = cached.base;
  CHECK(out.last != nullptr);
  out.cross_bytes = kept_bytes(*out.last, Part::cross);
  out.cache_bytes = kept_bytes(*out.last, Part::attn) + out.cross_bytes;
  return out;
}

}  // namespace attnscope
