#include "core/calc/counted.h"

#include <algorithm>

#include "core/calc/machine.h"
#include "core/ops/op_count.h"
#include "core/trace/weight_parts.h"

namespace attnscope {
namespace {

std::vector<int> some_ids(std::int64_t count, int vocab) {
  std::vector<int> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<int>((i * 7919 + 13) % vocab));
  return out;
}

Flops flops_since(const OpCount& count, std::int64_t before_head) {
  Flops out;
  out.matrices = Count(2) * Count(before_head);
  out.attention = Count(2) * Count(count.attention);
  out.unembedding = Count(2) * Count(count.products - before_head);
  return out;
}

struct CountedRun {
  std::shared_ptr<const Trace> trace;
  Flops flops;
  double seconds = 0;
};

// A run and its last row of logits, counted.
Result<CountedRun> counted_run(const Model& model, const Input& input, std::shared_ptr<const Trace> base) {
  OpCount count;
  const CountOps counting(count);
  RunOptions options;
  options.keep = Keep::predictions;
  options.base = std::move(base);
  CountedRun out;
  Status status = Done{};
  std::int64_t before_head = 0;
  out.seconds = seconds([&] {
    auto trace = model.run(input, options);
    if (!trace) {
      status = trace.error();
      return;
    }
    out.trace = *std::move(trace);
    before_head = count.products;
    out.trace->logits_row(out.trace->length - 1);
  });
  TRY_OK(std::move(status));
  out.flops = flops_since(count, before_head);
  return out;
}

Count kept(const Trace& trace) {
  Count values;
  const ModelConfig& config = trace.config();
  for (int layer = 0; layer < config.n_layers(); ++layer)
    for (const Part part : {Part::attn, Part::cross}) {
      Site site = site_of(StepRole::pattern, layer, config.stack);
      site.part = part;
      if (part == Part::cross && !config.blocks[static_cast<std::size_t>(layer)].cross) continue;
      if (const AttentionState* state = trace.attention(site))
        values += Count(state->in.k.count()) + Count(state->in.v.count());
    }
  return values * Count(sizeof(float));
}

}  // namespace

Result<Counted> count_run(const Model& model, std::int64_t positions, const std::atomic<bool>* cancel) {
  const ModelConfig& config = model.config();
  if (!decodes(config) || !config.head.present || config.sees())
    return fail(Code::unsupported, "error.calc.counts_no_run");
  const std::int64_t most = config.position.max_positions;
  Counted out;
  out.positions = std::max<std::int64_t>(1, most > 0 ? std::min(positions, most - 1) : positions);
  for (const auto& [part, count] : parameters_by_part(config, model.weights()))
    out.parameters += Count(count);
  out.weight_bytes = out.parameters * Count(sizeof(float));
  Input input;
  input.ids = some_ids(out.positions, config.vocab_size);
  if (const ModelConfig* encoder = config.encoder())
    input.source = some_ids(out.positions, encoder->vocab_size);
  TRY(const CountedRun prefill, counted_run(model, input, nullptr));
  if (cancel && *cancel) return fail(Code::cancelled, "error.calc.cancelled");
  input.ids.push_back(input.ids.front());
  TRY(const CountedRun decode, counted_run(model, input, prefill.trace));
  out.prefill = prefill.flops;
  out.decode = decode.flops;
  out.cache_bytes = kept(*prefill.trace);
  out.prefill_seconds = prefill.seconds;
  out.decode_seconds = decode.seconds;
  return out;
}

}  // namespace attnscope
