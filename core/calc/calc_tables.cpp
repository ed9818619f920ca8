#include "core/calc/calc_tables.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

using As = CalcNumber::As;

CalcNumber calc_whole(As as, Count count) { return {as, count.value(), 0, {}}; }
CalcNumber calc_count(Count count) { return calc_whole(As::count, count); }
CalcNumber calc_real(As as, double value, int digits = 4) { return {as, 0, value, {}, digits}; }
CalcNumber calc_word(const char* key) { return {As::word, 0, 0, Text::of(key)}; }

// A line with one number for the prompt and one for the next token.
void add_phases(CalcTable& out, const char* key, CalcNumber prefill, CalcNumber decode, bool strong = false) {
  out.lines.push_back({Text::of(key), {std::move(prefill), std::move(decode)}, strong});
}

void add_roof(CalcTable& out, const Calculation& calc, const Workload& work, const Machine& machine) {
  const double batch = static_cast<double>(work.batch);
  const Roof prefill =
      under_roof(machine, batch * calc.forward.prefill.total().real(), calc.traffic.prefill.real());
  const Roof decode =
      under_roof(machine, batch * calc.forward.decode.total().real(), calc.traffic.decode.real());
  const auto bound = [](const Roof& roof) {
    return calc_word(roof.memory_bound() ? "calculator.bound.memory" : "calculator.bound.compute");
  };
  add_phases(out, "calculator.intensity", calc_real(As::ratio, prefill.intensity, 3),
             calc_real(As::ratio, decode.intensity, 3));
  add_phases(out, "calculator.time.compute", calc_real(As::seconds, prefill.compute_s),
             calc_real(As::seconds, decode.compute_s));
  add_phases(out, "calculator.time.memory", calc_real(As::seconds, prefill.memory_s),
             calc_real(As::seconds, decode.memory_s));
  add_phases(out, "calculator.bound", bound(prefill), bound(decode), true);
}

}  // namespace

std::string exact_number(const CalcNumber& number) {
  switch (number.as) {
    case As::count:
    case As::bytes:
    case As::memory: return std::to_string(number.whole);
    case As::word: return number.word.str();
    default: return format("%.15g", number.real);
  }
}

CalcTable cache_lines(const Described& described, const Calculation& calc) {
  CalcTable out;
  const CacheForms& forms = calc.forms;
  if (forms.own.value() == 0) return out;
  const ModelConfig& config = described.config;
  const auto add = [&](Text name, Count bytes) {
    out.lines.push_back({std::move(name), {calc_whole(As::memory, bytes)}});
  };
  add(Text::of("calculator.cache.own",
               {range_text(config, &BlockSpec::attention, &AttentionSpec::n_kv_heads)}),
      forms.own);
  add(Text::of("calculator.cache.mha", {range_text(config, &BlockSpec::attention, &AttentionSpec::n_heads)}),
      forms.mha);
  add(Text::of("calculator.cache.gqa", {forms.groups}), forms.gqa);
  add(Text::of("calculator.cache.mqa"), forms.mqa);
  if (!(forms.no_windows == forms.own)) add(Text::of("calculator.cache.no_windows"), forms.no_windows);
  if (calc.cache.cross.value() > 0) add(Text::of("calculator.cache.cross"), calc.cache.cross);
  return out;
}

CalcTable flops_lines(const Calculation& calc, const Workload& work, const Machine* machine) {
  const ForwardCost& cost = calc.forward;
  CalcTable out{{Text::of("calculator.prefill"), Text::of("calculator.decode")}, {}};
  add_phases(out, "calculator.flops.per_token", calc_count(cost.prefill_per_token()),
             calc_count(cost.decode_per_token()), true);
  add_phases(out, "calculator.flops.matrices", calc_count(cost.prefill.matrices),
             calc_count(cost.decode.matrices));
  add_phases(out, "calculator.flops.attention", calc_count(cost.prefill.attention),
             calc_count(cost.decode.attention));
  add_phases(out, "calculator.flops.unembedding", calc_count(cost.prefill.unembedding),
             calc_count(cost.decode.unembedding));
  add_phases(out, "calculator.bytes", calc_whole(As::bytes, calc.traffic.prefill),
             calc_whole(As::bytes, calc.traffic.decode));
  if (cost.images.value() > 0)
    out.lines.push_back({Text::of("calculator.flops.image"), {calc_count(cost.images)}});
  if (machine) add_roof(out, calc, work, *machine);
  return out;
}

CalcTable training_lines(const TrainingCost& cost, const Machine* machine) {
  CalcTable out{{Text()}, {}};
  const auto add = [&](const char* key, CalcNumber number, bool strong = false) {
    out.lines.push_back({Text::of(key), {std::move(number)}, strong});
  };
  const auto large = [](double value) { return calc_real(As::large, value); };
  add("calculator.training.n", large(cost.parameters));
  add("calculator.training.d", large(cost.tokens));
  add("calculator.training.flops", large(cost.training_flops), true);
  add("calculator.training.chinchilla", large(cost.chinchilla_tokens));
  add("calculator.training.ratio", calc_real(As::ratio, cost.per_parameter));
  add("calculator.training.loss", calc_real(As::ratio, cost.loss));
  add("calculator.training.equal.n", large(cost.equal_parameters));
  add("calculator.training.equal.d", large(cost.equal_tokens));
  add("calculator.training.equal.flops", large(cost.equal_flops));
  add("calculator.serving.per_token", large(2 * cost.parameters));
  add("calculator.serving.flops", large(cost.serving_flops));
  add("calculator.serving.total", large(cost.total_flops), true);
  add("calculator.serving.even",
      cost.breaks_even > 0 ? large(cost.breaks_even) : calc_word("calculator.never"));
  if (machine && machine->flops_per_s > 0)
    add("calculator.training.days", calc_real(As::ratio, cost.training_flops / machine->flops_per_s / 86400));
  return out;
}

}  // namespace attnscope
