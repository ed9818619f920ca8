#include "core/session/edit_values.h"

#include <algorithm>
#include <optional>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/lens/donor.h"
#include "core/ops/ops.h"
#include "core/session/measure_text.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

// Takes "*2" from the end; 1 where there is none.
Result<float> take_factor(std::string& text) {
  const std::size_t star = text.rfind('*');
  if (star == std::string::npos || star == 0) return 1.f;
  const auto factor = parse_real(text.substr(star + 1), -1e30, 1e30);
  if (!factor) return fail(Code::bad_format, "error.session.edit.factor", {in_quotes(text.substr(star + 1))});
  text.resize(star);
  return static_cast<float>(*factor);
}

Result<Tensor> values_of(const Trace& trace, const Target& where) {
  switch (where.kind) {
    case Target::Kind::step: {
      if (!trace.find(where.site))
        return fail(Code::not_found, "error.trace.no_step_to_change", {to_text(where.site)});
      return trace.tensor(where.site);
    }
    case Target::Kind::weight: {
      TRY_OK(check_weight_name(trace.weights(), where.weight));
      return *trace.weights().find(where.weight);
    }
    case Target::Kind::input: break;
  }
  TRY_OK(check_takes_rows(trace.input));
  return trace.input.vectors;
}

// The part of a tensor that the target names; `rows`: on axes of rows, too.
Result<Tensor> cut(Tensor values, const Target& where, bool rows) {
  for (int d = 0; d < values.rank(); ++d) {
    const AxisRange* range = range_on(where, values.axis(d));
    if (!range || (!rows && is_row_axis(values.axis(d)))) continue;
    if (range->end > values.size(d))
      return fail(Code::out_of_range, "error.session.edit.outside",
                  {to_text(where), range->axis, values.size(d)});
    values = values.slice(d, range->begin, range->end);
  }
  return values.packed();
}

// Where the output's weights for one token lie: [d_model].
Result<Tensor> unembedding(const OpenedModel& opened, int token) {
  const ModelConfig& config = opened.model->config();
  const Tensor* weight =
      opened.model->weights().find(std::string(stack_prefix(config.stack)) + "logits.weight");
  if (!weight) return fail(Code::unsupported, "error.session.edit.no_head");
  return weight->select(1, token).packed();
}

// One token, or the difference of two: a hyphen may be part of either.
Result<Tensor> token_direction(const OpenedModel& opened, const std::string& text) {
  std::optional<Error> half;  // one of the two is a token, the other is not
  for (std::size_t at = text.find('-', 1); at != std::string::npos && at + 1 < text.size();
       at = text.find('-', at + 1)) {
    const auto to = parse_output(opened, text.substr(0, at)),
               from = parse_output(opened, text.substr(at + 1));
    if (to.ok() != from.ok() && !half) half = to ? from.error() : to.error();
    if (!to || !from) continue;
    TRY(const Tensor a, unembedding(opened, *to));
    TRY(const Tensor b, unembedding(opened, *from));
    return add(a, scale(b, -1.f));
  }
  const auto token = parse_output(opened, text);
  if (!token) return half ? *half : token.error();
  return unembedding(opened, *token);
}

Result<Tensor> position_direction(const Trace& trace, const std::string& text, const Target& where) {
  TRY(Tensor values, values_of(trace, where));
  TRY(values, cut(std::move(values), where, false));
  int rows = 0;
  while (rows < values.rank() && !is_row_axis(values.axis(rows))) ++rows;
  const std::int64_t count = rows < values.rank() ? values.size(rows) : 0;
  if (count == 0) return fail(Code::unsupported, "error.trace.no_positions", {to_text(where)});
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto last = static_cast<std::uint64_t>(count) - 1;
  const auto to = parse_whole(text.substr(0, dash), 0, last),
             from = parse_whole(text.substr(std::min(dash + 1, text.size())), 0, last);
  if (!to || !from) return fail(Code::bad_format, "error.session.edit.positions", {in_quotes(text), count});
  return add(values.select(rows, static_cast<std::int64_t>(*to)).packed(),
             scale(values.select(rows, static_cast<std::int64_t>(*from)).packed(), -1.f));
}

// "A" against the run at hand, "A-1" against another one: row by row where they have as many, else the
// difference of their last rows.
Result<Tensor> run_direction(const FindRun& runs, const std::string& text, const Target& where) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::string other = text.substr(std::min(dash + 1, text.size()));
  TRY(const auto to, runs(text.substr(0, dash)));
  TRY(const auto from, runs(other));
  TRY(Tensor a, numbers_in(*to, where));
  TRY(Tensor b, numbers_in(*from, where));
  int rows = 0;
  while (rows < a.rank() && !is_row_axis(a.axis(rows))) ++rows;
  if (rows < a.rank() && a.rank() == b.rank() && a.size(rows) != b.size(rows)) {
    a = a.select(rows, a.size(rows) - 1).packed();
    b = b.select(rows, b.size(rows) - 1).packed();
  }
  if (a.sizes() != b.sizes())
    return fail(Code::bad_shape, "error.session.edit.other_shape", {to_text(where)});
  return add(a, scale(b, -1.f));
}

bool is_file(const std::string& text) {
  return text.find(".npz") != std::string::npos || text.find(".npy") != std::string::npos ||
         text.find(".safetensors") != std::string::npos || text.find(".gguf") != std::string::npos;
}

}  // namespace

Result<Tensor> numbers_in(const Trace& trace, const Target& where) {
  TRY(Tensor values, values_of(trace, where));
  return cut(std::move(values), where, true);
}

Result<Tensor> direction(const OpenedModel& opened, const FindRun& runs, const std::string& text,
                         const Target& where) {
  std::string name = text;
  TRY(const float factor, take_factor(name));
  Tensor out;
  if (starts_with(name, "pos:")) {
    TRY(const auto here, runs(""));
    TRY(out, position_direction(*here, name.substr(4), where));
  } else if (starts_with(name, "run:")) {
    TRY(out, run_direction(runs, name.substr(4), where));
  } else if (starts_with(name, "@") || is_file(name)) {
    TRY(const auto edit, parse_edit(to_text(where) + (starts_with(name, "@") ? "=" : "=@") + name));
    out = std::get<Frozen>(edit->number()->value).values;
  } else {
    TRY(out, token_direction(opened, name));
  }
  return factor == 1.f ? out : scale(out, factor);
}

FindRun runs_on_screen(std::shared_ptr<const RunResult> here, std::shared_ptr<const RunResult> pinned,
                       int sequence) {
  return [here = std::move(here), pinned = std::move(pinned),
          sequence](const std::string& name) -> Result<std::shared_ptr<const Trace>> {
    const RunResult* run = name.empty() ? here.get() : name == "A" ? pinned.get() : nullptr;
    if (!run || run->traces.empty())
      return fail(Code::not_found, "error.session.edit.no_run", {in_quotes(name)});
    return run->shared(sequence);
  };
}

EditNumbers named_numbers(const OpenedModel& opened, FindRun runs) {
  return [&opened, runs = std::move(runs)](const std::string& name, const Target& where) -> Result<Tensor> {
    if (!starts_with(name, "run:") && !starts_with(name, "dir:"))
      return fail(Code::not_found, "error.session.edit.no_data", {in_quotes(to_text(where) + "=" + name)});
    if (starts_with(name, "dir:")) return direction(opened, runs, name.substr(4), where);
    const std::string run = name.substr(std::string_view("run:").size());
    TRY(const auto trace, run.empty() ? Result<std::shared_ptr<const Trace>>(fail(
                                            Code::not_found, "error.session.edit.no_run", {in_quotes(run)}))
                                      : runs(run));
    // The row that belongs to it, where that stands elsewhere in the other run.
    const auto here =
        where.kind == Target::Kind::step ? runs("") : Result<std::shared_ptr<const Trace>>(Error{});
    if (here && (*here)->find(where.site)) return Donor(*here, trace).taken(where);
    return numbers_in(*trace, where);
  };
}

}  // namespace attnscope
