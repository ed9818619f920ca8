// The way back from the loss to one weight, a station a page: the logits, the unembedding, the residual
// stream, the softmax of one head, one weight of its W_Q. Every gradient is one of the backward pass.
#include <algorithm>
#include <numeric>

#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/lens/attention_row.h"
#include "core/session/document.h"
#include "core/trace/flow.h"
#include "core/view/training_parts.h"

namespace attnscope {
namespace {

using figure::Ink, figure::MatrixMark;

constexpr int kFewestDigits = 2, kMostGradientDigits = 5, kPlaces = 2, kMostDifference = 8;
constexpr std::int64_t kAllCells = std::int64_t{1} << 30;

Text back_text(const std::string& key, std::vector<Text> arguments = {}) {
  return Text::of("figure.training." + key, std::move(arguments));
}
std::vector<Text> titles(const std::string& key, const std::vector<Text>& arguments) {
  return {back_text(key, arguments), back_text(key + ".short", arguments)};
}
// Digits behind the point that show two places of a number.
int digits_of(double value) {
  if (!std::isfinite(value) || value == 0) return kFewestDigits;
  return std::max(kFewestDigits, kPlaces - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
}
// Gradients are often small: 0.0016, 3.1·10⁻⁸.
Text small_number(double value) {
  const int digits = digits_of(value);
  return digits > kMostGradientDigits
             ? Text((value < 0 ? "\xE2\x88\x92" : "") + with_power(std::abs(value), 1))
             : figure::number_text(value, digits);
}
Text small_number(float value) { return small_number(static_cast<double>(value)); }

// "0.42 − 0.30", "0.42 + 0.30", with as many digits as show what comes out.
Text difference_text(double from, double less) {
  const int digits = std::min(kMostDifference, std::max(digits_of(less), digits_of(from - less)));
  return Text(figure::number_text(from, digits) + (less < 0 ? " + " : " \xE2\x88\x92 ") +
              figure::number_text(std::abs(less), digits));
}

std::vector<float> numbers_of(const Tensor& plane) {
  return plane.empty() ? std::vector<float>() : floats_of(plane.select(0, 0));
}
std::vector<float> gradient_row(const WayBack& way, const Site& site, std::int64_t head, std::int64_t row) {
  return numbers_of(way.gradients->slice(site, head, {row, row + 1}, {0, kAllCells}));
}
// Every row with colours and digits of its own size.
MatrixMark sized(MatrixMark mark, const std::vector<NamedRow>& rows) {
  for (std::size_t at = 0; at < rows.size(); ++at) {
    mark.own_rows[at].most = largest_size(rows[at].values);
    mark.own_rows[at].digits = std::min(kMostGradientDigits, digits_of(mark.own_rows[at].most));
  }
  return mark;
}
double length_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float one : values) sum += static_cast<double>(one) * static_cast<double>(one);
  return std::sqrt(sum);
}
StationDrawing drawn(const std::string& key, const std::vector<Text>& said, figure::PartBox picture) {
  return {{back_text(key, said), back_text(key + ".short", said)}, std::move(picture)};
}

// d loss / d logits = p - y.
Result<StationDrawing> logits_back(const WayBack& way) {
  const Trace& run = *way.state.run;
  const std::int64_t row = way.target.row;
  const std::vector<double> log_p = log_probabilities(run.logits_row(row));
  std::vector<float> shares, right(log_p.size(), 0.f);
  for (const double one : log_p) shares.push_back(static_cast<float>(std::exp(one)));
  right[static_cast<std::size_t>(way.target.id)] = 1;
  const std::vector<NamedRow> rows{
      {back_text("given"), shares},
      {back_text("right"), right},
      {back_text("by_logit"), gradient_row(way, run.main(StepRole::logits), 0, row)}};
  const std::vector<float>& gradient = rows.back().values;
  if (gradient.size() != shares.size()) return fail(Code::not_found, "error.view.no_station");
  MatrixMark mark = sized(numbers_mark(rows), rows);
  mark.own_rows[0].scale = mark.own_rows[1].scale = figure::Scale::share;
  mark.own_rows[0].most = mark.own_rows[1].most = 1, mark.own_rows[1].digits = 0;
  const auto first = std::find(mark.order.begin(), mark.order.end(), way.target.id);
  std::rotate(mark.order.begin(), first, first + 1);
  mark.by_order = true;
  for (std::size_t id = 0; id < mark.cols.labels.size(); ++id)
    mark.cols.labels[id] = output_name(*way.state.opened, static_cast<int>(id));
  const int other = mark.order.size() > 1 ? mark.order[1] : mark.order[0];
  const auto at = [&](int id) { return gradient[static_cast<std::size_t>(id)]; };
  const std::vector<Text> said{way.place,
                               way.word,
                               percent(way.target.share),
                               small_number(at(way.target.id)),
                               output_name(*way.state.opened, other),
                               small_number(at(other))};
  return drawn(way.known ? "logits" : "logits.assumed", said,
               figure::leaf({"row", std::move(mark), 3, titles("logits.title", said), ""}));
}

// What the unembedding reads, its column of the target, and the gradient of that column: x (p - y).
Result<StationDrawing> unembed_back(const WayBack& way) {
  const Trace& run = *way.state.run;
  const Tensor* table = unembedding(way.state, way.target);
  const std::vector<float> read = floats_of(final_rows(run).select(0, way.target.row));
  const std::vector<float> by_logit = gradient_row(way, run.main(StepRole::logits), 0, way.target.row);
  if (!table || by_logit.empty()) return fail(Code::not_found, "error.view.no_station");
  const float by = by_logit[static_cast<std::size_t>(way.target.id)];
  std::vector<float> column, gradient;
  for (std::size_t dim = 0; dim < read.size(); ++dim) {
    column.push_back(table->at(static_cast<std::int64_t>(dim), way.target.id));
    gradient.push_back(read[dim] * by);
  }
  const std::vector<Text> names{way.place, way.word};
  const std::vector<NamedRow> rows{{back_text("read", names), read},
                                   {back_text("weight", names), column},
                                   {back_text("gradient"), gradient}};
  MatrixMark mark = sized(numbers_mark(rows), rows);
  const auto best = static_cast<std::size_t>(mark.order.front());
  const std::vector<Text> said{
      way.place,  way.word, small_number(by), best, small_number(read[best]), small_number(gradient[best]),
      read.size()};
  return drawn("unembed", said,
               figure::leaf({"weights", std::move(mark), 3, titles("unembed.title", said), ""}));
}

// The lengths of the gradient of the residual stream at that place, behind the last block, ..., before the
// first.
Result<StationDrawing> stream_back(const WayBack& way) {
  const Trace& run = *way.state.run;
  const Stack stack = run.config().stack;
  const int blocks = run.config().n_layers();
  std::vector<float> lengths;
  std::vector<Text> names;
  for (int layer = blocks - 1; layer >= -1; --layer) {
    const std::vector<float> at = gradient_row(way, block_output(run, stack, layer), 0, way.target.row);
    if (at.empty()) continue;
    lengths.push_back(static_cast<float>(length_of(at)));
    names.push_back(layer < 0 ? back_text("before_blocks") : back_text("after_block", {layer}));
  }
  const Site last = block_output(run, stack, blocks - 1),
             branch = site_of(StepRole::neurons, blocks - 1, stack).near(StepRole::branch, Hue::mlp);
  const std::vector<float> sum = gradient_row(way, last, 0, way.target.row),
                           addend = gradient_row(way, branch, 0, way.target.row);
  if (lengths.size() < 2 || sum.empty()) return fail(Code::not_found, "error.view.no_station");
  const std::vector<NamedRow> row{{back_text("length"), lengths}};
  MatrixMark mark = sized(numbers_mark(row), row);
  std::iota(mark.order.begin(), mark.order.end(), 0);
  mark.by_order = true, mark.bars = true, mark.cols.labels = names;
  mark.own_rows[0].scale = figure::Scale::share;
  show_few_columns(mark);
  const bool same = sum == addend;
  const std::vector<Text> said{
      way.place,   small_number(lengths.front()), small_number(lengths.back()), blocks - 1, names.front(),
      names.back()};
  std::vector<figure::PartBox> parts{
      figure::leaf({"row", std::move(mark), 3, titles("stream.title", said), ""})};
  if (!addend.empty()) {
    const std::vector<NamedRow> rows{{back_text("by_addend", said), addend},
                                     {back_text("by_sum", said), sum}};
    parts.push_back(
        figure::leaf({"sum", sized(numbers_mark(rows), rows), 2, titles("stream.sum", said), ""}));
  }
  return drawn(same ? "stream" : "stream.normed", said, figure::column(std::move(parts)));
}

// From the weights of a row of attention to the scores: d score = a (d a - sum a d a).
Result<StationDrawing> pattern_back(const WayBack& way) {
  const ViewState& state = way.state;
  const Site pattern = state.place.pattern(state.layer);
  const std::int64_t query = way.query();
  TRY(const AttentionRow looked, attention_row(*state.run, pattern, state.head, query));
  const Site entering = pattern.with(slot_of(looked.mask_first ? StepKind::scale : StepKind::mask));
  const Text name = row_label(*state.opened, *state.run, state.place.stack, query);
  std::vector<NamedRow> rows{row_at(state, pattern, state.head, query, steps_text("name.softmax")),
                             {back_text("by_weight"), gradient_row(way, pattern, state.head, query)},
                             {back_text("by_score"), gradient_row(way, entering, state.head, query)}};
  const std::vector<float>&weights = rows[0].values, &by_weight = rows[1].values, &by_score = rows[2].values;
  if (weights.empty() || by_weight.size() != weights.size() || by_score.size() != weights.size())
    return fail(Code::not_found, "error.view.no_station");
  MatrixMark mark = sized(numbers_mark(rows), rows);
  mark.own_rows[0].scale = figure::Scale::share, mark.own_rows[0].most = 1;
  const int key = mark.order.front();
  mark.cols = row_names(state, state.place.keys(), Ink::key, key);
  show_few_columns(mark);
  const auto at = static_cast<std::size_t>(key);
  double mean = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    mean += static_cast<double>(weights[i]) * static_cast<double>(by_weight[i]);
  const std::vector<Text> said{name,
                               row_label(*state.opened, *state.run, state.place.keys(), key),
                               small_number(by_score[at]),
                               steps_number(static_cast<double>(weights[at])),
                               small_number(by_weight[at]),
                               difference_text(static_cast<double>(by_weight[at]), mean),
                               state.layer,
                               state.head};
  const double made = static_cast<double>(weights[at]) * (static_cast<double>(by_weight[at]) - mean);
  const std::string said_of = by_score[at] == 0                                       ? "pattern.none"
                              : !same_number(made, static_cast<double>(by_score[at])) ? "pattern.edited"
                              : by_score[at] < 0                                      ? "pattern.more"
                                                                                      : "pattern.less";
  return drawn(said_of, said, figure::leaf({"row", std::move(mark), 3, titles("pattern.title", said), ""}));
}

Site queries_of(const ViewState& state) {
  return state.place.site(StepRole::projection, Hue::query, state.layer);
}
std::string query_weight(const ViewState& state) { return to_text(queries_of(state)) + ".weight"; }

// A weight of W_Q of the head that is looked at: sum over the rows of x d q. The one with the largest
// gradient.
Result<StationDrawing> weight_back(const WayBack& way) {
  const ViewState& state = way.state;
  const std::string name = query_weight(state);
  const Tensor* weight = state.run->weights().find(name);
  const auto use =
      std::find_if(way.gradients->uses().begin(), way.gradients->uses().end(), [&](const auto& one) {
        return one.name == name && one.kind == WeightUse::Kind::product && !one.x.empty();
      });
  const Record* pattern = state.run->find(state.place.pattern(state.layer));
  if (!weight || use == way.gradients->uses().end() || !pattern || pattern->shape.empty())
    return fail(Code::not_found, "error.view.no_station");
  const std::int64_t wide = weight->size(1) / pattern->shape[0], first = state.head * wide;
  std::int64_t in = 0, out = first;
  double best = 0;
  for (std::int64_t i = 0; i < use->x.size(1); ++i)
    for (std::int64_t j = first; j < first + wide; ++j) {
      double sum = 0;
      for (std::int64_t row = 0; row < use->x.size(0); ++row)
        sum += static_cast<double>(use->x.at(row, i)) * static_cast<double>(use->dy.at(row, j));
      if (std::abs(sum) > std::abs(best)) best = sum, in = i, out = j;
    }
  std::vector<NamedRow> rows{{back_text("weight.read", {in}), {}},
                             {back_text("weight.by_query", {out - first}), {}},
                             {back_text("product"), {}}};
  for (std::int64_t row = 0; row < use->x.size(0); ++row) {
    rows[0].values.push_back(use->x.at(row, in)), rows[1].values.push_back(use->dy.at(row, out));
    rows[2].values.push_back(rows[0].values.back() * rows[1].values.back());
  }
  MatrixMark mark = sized(numbers_mark(rows), rows);
  mark.cols = row_names(state, state.place.stack, Ink::query, mark.order.front());
  show_few_columns(mark);
  const auto now = static_cast<double>(weight->at(in, out));
  const std::vector<Text> said{in,
                               out - first,
                               state.layer,
                               state.head,
                               small_number(now),
                               small_number(best),
                               rows[0].values.size(),
                               way.place,
                               small_number(-best)};
  const char* key = best == 0 ? "weight.none" : best < 0 ? "weight.rises" : "weight.falls";
  return drawn(key, said, figure::leaf({"row", std::move(mark), 3, titles("weight.title", said), ""}));
}

using DrawBack = Result<StationDrawing> (*)(const WayBack&);
struct BackRow {
  const char* id;
  Ink ink;
  DrawBack draw;
};
constexpr BackRow kWay[] = {{"logits", Ink::value, logits_back},
                            {"unembed", Ink::value, unembed_back},
                            {"stream", Ink::warning, stream_back},
                            {"pattern", Ink::query, pattern_back},
                            {"weight", Ink::query, weight_back}};

}  // namespace

std::int64_t WayBack::query() const {
  const std::int64_t rows = state.run->rows(state.place.stack);
  return state.place.stack == state.run->config().stack && target.row < rows ? target.row : state.row;
}

const Tensor* unembedding(const ViewState& state, const LossPlace& target) {
  const Trace& run = *state.run;
  const std::string name = std::string(stack_prefix(run.config().stack)) + "logits.";
  const Tensor *table = run.weights().find(name + "weight"), *bias = run.weights().find(name + "bias");
  const std::vector<float> read = floats_of(final_rows(run).select(0, target.row));
  if (!table || run.config().head.scale != 1.f || table->size(0) != std::ssize(read) ||
      target.id >= table->size(1))
    return nullptr;
  double logit = bias ? static_cast<double>(bias->at(target.id)) : 0;
  for (std::size_t dim = 0; dim < read.size(); ++dim)
    logit += static_cast<double>(read[dim]) *
             static_cast<double>(table->at(static_cast<std::int64_t>(dim), target.id));
  return same_number(logit, static_cast<double>(run.logits_row(target.row).at(target.id))) ? table : nullptr;
}

std::vector<Station> stations_back(const ViewState& state, const LossPlace& target) {
  const Trace& run = *state.run;
  std::vector<Station> out;
  if (run.weights().all().empty() || !run.complete) return out;
  const Stack stack = run.config().stack;
  const Site pattern = state.place.pattern(state.layer);
  const bool attends = run.find(pattern) && run.attention(pattern);
  for (const BackRow& one : kWay) {
    const std::string id = one.id;
    Site site = run.main(StepRole::logits);
    if (id == "unembed" && !unembedding(state, target)) continue;
    if (id == "stream") site = block_output(run, stack, run.config().n_layers() - 1);
    if (id == "stream" && !run.find(site)) continue;
    if (id == "pattern") site = pattern;
    if (id == "weight") site = queries_of(state);
    if ((id == "pattern" || id == "weight") && !attends) continue;
    if (id == "weight" && !run.weights().find(query_weight(state))) continue;
    out.push_back({id, back_text("name." + id), one.ink, site});
  }
  return out;
}

Result<StationDrawing> station_back(const std::string& id, const WayBack& way) {
  for (const BackRow& one : kWay)
    if (one.id == id) return one.draw(way);
  return fail(Code::not_found, "error.view.no_station");
}

}  // namespace attnscope
