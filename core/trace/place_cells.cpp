#include "core/trace/place_cells.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

constexpr std::size_t kTokensNamed = 12;

// What each row of a stack is called; empty where rows are no tokens.
std::vector<std::string> row_tokens(const Trace& trace, Stack stack) {
  const ModelConfig& config = trace.config();
  std::vector<std::string> out;
  if (stack == config.stack && !trace.input.vectors.empty())
    for (std::int64_t row = 0; row < trace.input.length(); ++row)
      out.push_back(vector_name(trace.input, row));
  else if (config.texts && (stack == config.stack || stack == Stack::enc))
    for (const int id : trace.ids_of(stack)) out.push_back(config.texts->text(id));
  return out;
}

template <class Same>
std::vector<std::int64_t> rows_where(const std::vector<std::string>& tokens, const Same& same) {
  std::vector<std::int64_t> out;
  for (std::size_t row = 0; row < tokens.size(); ++row)
    if (same(tokens[row])) out.push_back(static_cast<std::int64_t>(row));
  return out;
}

std::string some_tokens(const std::vector<std::string>& tokens) {
  std::vector<std::string> some;
  for (const std::string& token : tokens)
    if (const std::string shown = in_quotes(token, 24);
        some.size() < kTokensNamed && std::find(some.begin(), some.end(), shown) == some.end())
      some.push_back(shown);
  return join(some, ", ");
}

// The dimension that counts the rows of the place's own stack; -1: none does.
int rows_dim(const Trace& trace, const Target& where, const Extent& extent) {
  if (where.kind == Target::Kind::weight) return -1;
  if (where.kind == Target::Kind::input) return 0;
  const int dim = rows_axis(where.site, extent.axes);
  const bool all =
      !extent.axes.empty() && extent.axes[0] == Axis::pos && extent.shape[0] == trace.rows(where.site.stack);
  return dim < 0 && all && where.site.part != Part::cross ? 0 : dim;
}

Result<AxisRange> range_of_token(const Trace& trace, const Target& where, const Extent& extent,
                                 const std::string& token) {
  const int dim = rows_dim(trace, where, extent);
  if (dim < 0) return fail(Code::unsupported, "error.trace.place.no_rows", {to_text(where)});
  const Stack stack = where.kind == Target::Kind::step ? where.site.stack : trace.config().stack;
  TRY(const std::int64_t row, row_of_token(trace, stack, token));
  return AxisRange(std::string(axis_name(extent.axes[static_cast<std::size_t>(dim)])), row);
}

// The stack whose rows an axis counts: those of the place itself, of the keys that it reads, or, in
// cross-attention, of the encoder. None: an axis of heads, channels, pixels.
std::optional<Stack> stack_of_axis(const Trace& trace, const Target& where, const Extent& extent, int dim) {
  if (where.kind == Target::Kind::weight) return std::nullopt;
  const Axis axis = extent.axes[static_cast<std::size_t>(dim)];
  const bool step = where.kind == Target::Kind::step;
  if (dim == rows_dim(trace, where, extent)) return step ? where.site.stack : trace.config().stack;
  if (!step || (axis != Axis::key && axis != Axis::pos)) return std::nullopt;
  if (where.site.part == Part::cross) return Stack::enc;
  return axis == Axis::key ? std::optional(where.site.stack) : std::nullopt;
}

Result<AxisRange> counted(const Trace& trace, const Target& where, const Extent& extent,
                          const AxisRange& range) {
  for (std::size_t d = 0; d < extent.axes.size(); ++d) {
    const auto axis = axis_name(extent.axes[d]);
    if (range.axis != axis && !(is_row_axis(range.axis) && is_row_axis(axis))) continue;
    const auto stack = stack_of_axis(trace, where, extent, static_cast<int>(d));
    const auto found = stack ? counted_rows(trace, *stack, range.indices(), extent.shape[d])
                             : range.indices().of(extent.shape[d]);
    if (found) return AxisRange(range.axis, found->begin, found->end);
    if (range.indices().of(extent.shape[d]))
      return fail(Code::out_of_range, "error.trace.place.padding", {to_text(where)});
    return fail(Code::out_of_range, "error.trace.step_index",
                {to_text(where), shape_text(extent.shape), range.axis, to_text(range), extent.shape[d] - 1});
  }
  return range;  // whoever reads the place names its axes
}

}  // namespace

Result<Extent> extent_of(const Trace& trace, const Target& where) {
  if (where.kind == Target::Kind::step) {
    const Record* record = trace.find(where.site);
    if (!record) return fail(Code::not_found, "error.trace.no_step_here", {to_text(where.site)});
    return Extent{record->axes, record->shape, record->value()};
  }
  if (where.kind == Target::Kind::input) TRY_OK(check_takes_rows(trace.input));
  if (where.kind == Target::Kind::weight) TRY_OK(check_weight_name(trace.weights(), where.weight));
  const Tensor& values =
      where.kind == Target::Kind::input ? trace.input.vectors : *trace.weights().find(where.weight);
  Extent out{{}, {}, values};
  for (int d = 0; d < values.rank(); ++d) {
    out.axes.push_back(values.axis(d));
    out.shape.push_back(values.size(d));
  }
  return out;
}

Status check_place_name(const PlaceText& place) {
  const auto blocks = named_blocks(place.name);
  TRY(const Target where, target_named({blocks && !blocks->which.one() ? blocks->name(0) : place.name, {}}));
  (void)where;
  return Done{};
}

Result<std::int64_t> row_of_token(const Trace& trace, Stack stack, const std::string& token) {
  const std::vector<std::string> tokens = row_tokens(trace, stack);
  auto rows = rows_where(tokens, [&](const std::string& one) { return one == token; });
  if (rows.empty())
    rows = rows_where(tokens, [&](const std::string& one) { return bare_text(one) == bare_text(token); });
  if (rows.size() == 1) return rows.front();
  if (rows.empty())
    return fail(Code::not_found, "error.trace.place.no_token", {in_quotes(token, 40), some_tokens(tokens)});
  std::vector<std::string> places;
  for (const std::int64_t row : rows)
    if (places.size() < kTokensNamed) places.push_back(std::to_string(row));
  return fail(Code::out_of_range, "error.trace.place.tokens",
              {in_quotes(token, 40), join(places, ", "), places.front()});
}

Indices real_rows(const Trace& trace, Stack stack, std::int64_t rows) {
  Indices out{0, rows};
  while (out.end > 0 && !trace.is_real(stack, out.end - 1)) --out.end;
  if (out.end == 0) return {0, rows};
  while (!trace.is_real(stack, out.begin)) ++out.begin;
  return out;
}

std::optional<Indices> counted_rows(const Trace& trace, Stack stack, const Indices& asked,
                                    std::int64_t rows) {
  if (asked.absolute() || asked == Indices{}) return asked.of(rows);
  const Indices real = real_rows(trace, stack, rows);
  const auto found = asked.of(real.end);
  return found && asked.begin < 0 && found->begin < real.begin ? std::nullopt : found;
}

Result<std::vector<AxisRange>> absolute(const Trace& trace, const Target& where) {
  if (all_absolute(where.at)) return where.at;
  TRY(const Extent extent, extent_of(trace, where));
  std::vector<AxisRange> out;
  for (const AxisRange& range : where.at)
    if (range.absolute()) {
      out.push_back(range);
    } else if (range.token.empty()) {
      TRY(out.emplace_back(), counted(trace, where, extent, range));
    } else {
      TRY(out.emplace_back(), range_of_token(trace, where, extent, range.token));
    }
  return out;
}

Result<std::vector<Target>> targets_of(const Trace& trace, const PlaceText& place) {
  const ModelConfig& config = trace.config();
  const std::int64_t blocks = config.of(stack_of_name(place.name).value_or(config.stack)).n_layers();
  const auto each = one_per_block(place, blocks);
  if (!each) return fail(Code::out_of_range, "error.trace.place.blocks", {in_quotes(to_text(place)), blocks});
  std::vector<Target> out;
  for (const PlaceText& one : *each) {
    TRY(Target where, target_named(one));
    TRY(where.at, absolute(trace, where));
    out.push_back(std::move(where));
  }
  return out;
}

Result<std::vector<std::vector<AxisRange>>> parts_of_step(const Trace& trace, const Selector& selector,
                                                          const Site& site) {
  auto parts = selector.parts(site, trace.config().of(site.stack).n_layers());
  for (std::vector<AxisRange>& part : parts) {
    TRY(part, absolute(trace, {Target::Kind::step, site, {}, std::move(part)}));
  }
  return parts;
}

Result<Tensor> numbers_at(const Trace& trace, const Target& where, std::int64_t limit) {
  if (where.kind == Target::Kind::step) return trace.part(where.site, where.at, limit);
  TRY(const Extent extent, extent_of(trace, where));
  TRY(const std::vector<AxisRange> at, absolute(trace, where));
  Record whole;
  whole.rows = extent.values, whole.axes = extent.axes, whole.shape = extent.shape;
  const std::string name = where.kind == Target::Kind::input ? std::string(kInputName) : where.weight;
  return gathered(whole, name, at, {}, limit);
}

}  // namespace attnscope
