// The stations of attention: the row that is followed and its strongest key.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/lens/attention_row.h"
#include "core/session/document.h"
#include "core/view/edit_marks.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

using figure::Ink, figure::MatrixMark, figure::PartBox;

constexpr std::int64_t kAllNumbers = std::int64_t{1} << 30;

double sum_of(const std::vector<float>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

struct LookedRow {
  AttentionRow row;
  std::int64_t key = 0;         // the strongest
  std::vector<float> entering;  // what softmax reads
  Text query, key_name;
  const AttentionTerm& term() const { return row.terms[static_cast<std::size_t>(key)]; }
};
// The step whose numbers softmax reads.
Site entering_site(const LookedRow& looked, const Site& pattern) {
  return pattern.with(slot_of(looked.row.mask_first ? StepKind::scale : StepKind::mask));
}
Site pattern_of(const ViewState& state) { return state.place.pattern(state.layer); }
// The mask hides some keys from the row.
bool hides(const LookedRow& looked) {
  return std::any_of(looked.entering.begin(), looked.entering.end(),
                     [](float score) { return std::isinf(score) && score < 0; });
}
bool is_cross(const ViewState& state) { return state.place.part == Part::cross; }
// The title of a row over the keys; that of hidden ones, that of the source's tokens.
std::vector<Text> keys_title(const ViewState& state, const LookedRow& looked, const std::string& key) {
  if (hides(looked)) return {steps_text(key + ".masked"), steps_text(key)};
  return {steps_text(is_cross(state) ? key + ".cross" : key), steps_text(key)};
}
// The run compared with, where an edit alone tells it from this one.
const Trace* unedited_run(const ViewState& state) {
  const Trace* before = state.before.get();
  const bool same = before && before->input.ids == state.run->input.ids &&
                    before->input.source == state.run->input.source &&
                    before->rows(state.place.stack) == state.run->rows(state.place.stack) &&
                    before->find(state.place.pattern(state.layer));
  return same ? before : nullptr;
}
// Where it is edited, a number stays under the mouse, whatever becomes of the other keys.
std::int64_t kept_key(const ViewState& state) {
  const Trace* before = unedited_run(state);
  return strongest_key(before ? *before : *state.run, state.place.pattern(state.layer), state.head,
                       state.row);
}
// An edit touched the weight or the value that the key hands over.
bool is_touched(const ViewState& state, std::int64_t key) {
  const Trace& run = *state.run;
  const Site values = state.place.site(StepRole::split, Hue::value, state.layer);
  return touched(run, pattern_of(state), {{"head", state.head}, {"query", state.row}, {"key", key}}) ||
         touched(run, values, {{"head", run.own_head(values, state.head)}, {"pos", key}});
}
// Two digits, of small ones four.
Text weight_text(double weight) {
  return figure::number_text(weight, weight != 0 && std::abs(weight) < 0.01 ? 4 : 2);
}

Result<LookedRow> looked_row(const ViewState& state) {
  const Site pattern = state.place.pattern(state.layer);
  LookedRow out;
  TRY(out.row, attention_row(*state.run, pattern, state.head, state.row));
  out.key = strongest_key(*state.run, pattern, state.head, state.row);
  out.entering = row_of_step(*state.run, entering_site(out, pattern), state.head, state.row);
  out.query = looked_name(state);
  out.key_name = told_apart(state, state.place.keys(), out.key);
  return out;
}
// A row of scores or weights over the keys, the strongest keys first.
MatrixMark keys_mark(const ViewState& state, Slot stage) {
  const Site pattern = state.place.pattern(state.layer), site = pattern.with(stage);
  MatrixMark out = numbers_mark({row_at(state, site, state.head, state.row, looked_name(state))});
  const std::vector<float> weights = row_of_step(*state.run, pattern, state.head, state.row);
  std::stable_sort(out.order.begin(), out.order.end(), [&](int a, int b) {
    return weights[static_cast<std::size_t>(a)] > weights[static_cast<std::size_t>(b)];
  });
  out.cols = names_apart(state, state.place.keys(), Ink::key, out.order.front());
  show_few_columns(out);
  if (site == pattern)
    out.own_rows[0].scale = figure::Scale::share, out.own_rows[0].most = 1,
    out.own_rows[0].digits = weight_digits(weights);
  return out;
}

// Scores, what softmax reads of them, and the weights, one below the other; the weights also as bars.
MatrixMark softmax_mark(const ViewState& state, const LookedRow& looked) {
  const Site pattern = state.place.pattern(state.layer);
  const auto row = [&](const Site& site, const Text& name) {
    return row_at(state, site, state.head, state.row, name);
  };
  const NamedRow scores = row(pattern.with(slot_of(StepRole::scores)), steps_text("name.scores")),
                 weights = row(pattern, steps_text("name.softmax"));
  bool scaled = scores.values.size() == looked.entering.size() && looked.row.root_of > 0;
  for (std::size_t key = 0; scaled && key < scores.values.size(); ++key)
    scaled = !std::isfinite(looked.entering[key]) ||
             same_number(static_cast<double>(scores.values[key]) * looked.row.scale,
                         static_cast<double>(looked.entering[key]));
  std::vector<NamedRow> rows;
  if (scaled) rows.push_back(scores);
  rows.push_back(row(entering_site(looked, pattern),
                     scaled ? steps_text("root", {looked.row.root_of}) : steps_text("scores.read")));
  rows.push_back(weights);
  MatrixMark out = numbers_mark(rows);
  const MatrixMark keys = keys_mark(state, slot_of(StepRole::pattern));
  out.cols = keys.cols, out.order = keys.order, out.most_columns = keys.most_columns;
  for (std::size_t at = 0; at < rows.size(); ++at) out.own_rows[at].most = largest_size(rows[at].values);
  out.own_rows.back().scale = figure::Scale::share, out.own_rows.back().most = 1;
  out.own_rows.back().digits = weight_digits(weights.values);
  if (!looked.row.edited && !looked.row.sink) out.made = MatrixMark::Made::softmax;
  out.bars = true;
  return out;
}
}  // namespace

Site read_heads(const ViewState& state, Hue hue) {
  for (const StepRole role : {StepRole::rotated, StepRole::head_norm})
    if (const Site site = state.place.site(role, hue, state.layer); state.run->find(site)) return site;
  return state.place.site(StepRole::split, hue, state.layer);
}

Result<StationDrawing> scores_station(const ViewState& state) {
  TRY(LookedRow looked, looked_row(state));
  looked.key = kept_key(state);
  looked.key_name = told_apart(state, state.place.keys(), looked.key);
  const Site queries = read_heads(state, Hue::query), keys = read_heads(state, Hue::key);
  const std::vector<float> q = row_of_step(*state.run, queries, state.head, state.row),
                           k = row_of_step(*state.run, keys, state.run->own_head(keys, state.head),
                                           looked.key);
  if (q.empty() || q.size() != k.size()) return fail(Code::not_found, "error.view.no_attention");
  std::vector<float> products;
  for (std::size_t at = 0; at < q.size(); ++at) products.push_back(q[at] * k[at]);
  const AttentionTerm& term = looked.term();
  const std::vector<Text> said{
      looked.query,
      looked.key_name,
      q.size(),
      steps_number(sum_of(products)),
      steps_number(term.scaled),
      looked.row.root_of > 0 ? Text(looked.row.root_of) : steps_number(looked.row.scale),
      steps_number(term.score)};
  const bool holds = same_number(sum_of(products), term.score);
  const bool scaled = same_number(term.score * looked.row.scale, term.scaled);
  const char* key = !holds                   ? "scores.edited"
                    : !scaled                ? "scores.sum"
                    : looked.row.root_of > 0 ? "scores.root"
                                             : "scores.times";
  const Text block = state.layer, head = state.head;
  PartBox made = numbers_leaf(
      "products",
      {{steps_text("query", {looked.query}), q, place_of(*state.run, queries, state.head, state.row)},
       {steps_text("key", {looked.key_name}), k,
        place_of(*state.run, keys, state.run->own_head(keys, state.head), looked.key)},
       {steps_text("product"), products}},
      {steps_text(is_cross(state) ? "products.cross" : "products",
                  {looked.query, looked.key_name, block, head}),
       steps_text("product")});
  std::get<MatrixMark>(made.part->mark).made = MatrixMark::Made::product;
  StationDrawing out{
      {steps_text(key, said), steps_text("scores.short", said)},
      figure::column({std::move(made),
                      figure::leaf({"row", keys_mark(state, entering_site(looked, pattern_of(state)).slot), 3,
                                    keys_title(state, looked, "scaled"), ""})})};
  if (holds && scaled && looked.row.root_of > 0)
    out.notes.push_back(
        station_note("formula", figure::WordsMark::As::formula,
                     {steps_text("scores.formula", said), steps_text("scores.formula.short", said)}));
  out.notes.push_back(
      station_note("made", figure::WordsMark::As::sentence,
                   {steps_text(is_cross(state) ? "scores.made.cross" : "scores.made", {block}),
                    steps_text("scores.made.short")}));
  return out;
}

Result<StationDrawing> softmax_station(const ViewState& state) {
  TRY(LookedRow looked, looked_row(state));
  if (looked.row.edited) {  // the weight that an edit moved most
    const auto moved = [&](const AttentionTerm& term) {
      return std::abs(term.weight - (looked.row.sum > 0 ? term.exponential / looked.row.sum : 0));
    };
    looked.key = std::max_element(looked.row.terms.begin(), looked.row.terms.end(),
                                  [&](const auto& a, const auto& b) { return moved(a) < moved(b); }) -
                 looked.row.terms.begin();
    looked.key_name = told_apart(state, state.place.keys(), looked.key);
  }
  const AttentionTerm& term = looked.term();
  const std::int64_t open =
      std::count_if(looked.entering.begin(), looked.entering.end(), [](float x) { return std::isfinite(x); });
  const double share = looked.row.sum > 0 ? term.exponential / looked.row.sum : 0;
  const std::vector<Text> said{
      looked.query,
      looked.key_name,
      steps_number(term.weight),
      steps_number(static_cast<double>(looked.entering[static_cast<std::size_t>(looked.key)])),
      open,
      steps_number(share)};
  const char* key = !(looked.row.sum > 0) ? "softmax.nowhere"
                    : looked.row.edited   ? "softmax.edited"
                    : looked.row.sink     ? "softmax.sink"
                                          : "softmax";
  StationDrawing out{
      {steps_text(key, said), steps_text("softmax.short", said)},
      figure::leaf({"row", softmax_mark(state, looked), 3, keys_title(state, looked, "weights"), ""})};
  if (looked.row.sum > 0 && !looked.row.edited && !looked.row.sink) {
    const double top = std::exp(static_cast<double>(looked.entering[static_cast<std::size_t>(looked.key)]));
    std::vector<Text> terms = said;
    // As many digits as the score, written with three, gives by hand.
    terms[3] =
        figure::number_text(static_cast<double>(looked.entering[static_cast<std::size_t>(looked.key)]), 3);
    const int digits = top < 10 ? 2 : top < 100 ? 1 : 0;
    terms.emplace_back(figure::number_text(top, digits)),
        terms.emplace_back(figure::number_text(top / share, digits));
    std::vector<Text> forms{steps_text("softmax.formula", terms), steps_text("softmax.formula.short", terms)};
    if (!std::isfinite(top) || !(share > 0)) forms.erase(forms.begin());
    out.notes.push_back(station_note("formula", figure::WordsMark::As::formula, std::move(forms)));
  }
  return out;
}

Result<StationDrawing> values_station(const ViewState& state) {
  TRY(const LookedRow looked, looked_row(state));
  const Trace& run = *state.run;
  const Site site = state.place.site(StepRole::split, Hue::value, state.layer),
             result = state.place.site(StepRole::head_out, state.layer);
  const std::vector<float> z = row_of_step(run, result, state.head, state.row);
  MatrixMark weights = keys_mark(state, slot_of(StepRole::pattern));
  std::vector<float> kept;  // the weights before an edit: their rows stay where they are
  if (const Trace* before = unedited_run(state)) {
    kept = row_of_step(*before, state.place.pattern(state.layer), state.head, state.row);
    std::iota(weights.order.begin(), weights.order.end(), 0);
    std::stable_sort(weights.order.begin(), weights.order.end(), [&](int a, int b) {
      return kept[static_cast<std::size_t>(a)] > kept[static_cast<std::size_t>(b)];
    });
  }
  const Tensor values = run.slice(site, run.own_head(site, state.head), {0, kAllNumbers}, {0, kAllNumbers});
  if (z.empty() || values.empty()) return fail(Code::not_found, "error.view.no_attention");
  const std::size_t shown = std::min<std::size_t>(3, weights.order.size());
  std::vector<NamedRow> rows;
  std::vector<float> others(z.size()), sum(z.size());
  for (std::size_t at = 0; at < weights.order.size(); ++at) {
    const int key = weights.order[at];
    const float weight = weights.values.at(0, key);
    std::vector<float> part;
    for (std::size_t dim = 0; dim < z.size(); ++dim) {
      part.push_back(weight * values.at(key, static_cast<std::int64_t>(dim)));
      sum[dim] += part.back();
      if (at >= shown) others[dim] += part.back();
    }
    const bool had = !kept.empty() && kept[static_cast<std::size_t>(key)] != 0;
    if (at < shown && (weight != 0 || had))
      rows.push_back({steps_text("weighted", {weight_text(static_cast<double>(weight)),
                                              weights.cols.labels[static_cast<std::size_t>(key)]}),
                      std::move(part),
                      {},
                      is_touched(state, key)});
  }
  const std::int64_t handing = std::count_if(looked.row.terms.begin(), looked.row.terms.end(),
                                             [](const AttentionTerm& term) { return term.weight > 0; });
  const std::int64_t named = std::count_if(rows.begin(), rows.end(), [](const NamedRow& row) {
    return std::any_of(row.values.begin(), row.values.end(), [](float one) { return one != 0; });
  });
  if (handing > named) rows.push_back({Text::of("figure.others", {handing - named}), std::move(others)});
  bool holds = true;
  for (std::size_t dim = 0; dim < z.size(); ++dim)
    holds = holds && same_number(static_cast<double>(sum[dim]), static_cast<double>(z[dim]));
  if (!holds) rows.push_back({steps_text("sum"), sum});
  rows.push_back(row_at(state, result, state.head, state.row, steps_text(holds ? "sum" : "edited.row")));
  const std::vector<Text> said{looked.query, looked.key_name, weight_text(looked.term().weight), handing};
  PartBox picture = numbers_leaf("row", rows, {steps_text("parts", said)}, 3);
  show_fine_digits(std::get<MatrixMark>(picture.part->mark));
  if (holds) std::get<MatrixMark>(picture.part->mark).made = MatrixMark::Made::sum;
  const Record* pattern = run.find(pattern_of(state));
  const std::int64_t heads = pattern && !pattern->shape.empty() ? pattern->shape[0] : 1;
  StationDrawing out{{steps_text(holds ? "values" : "values.edited", said), steps_text("values.short", said)},
                     std::move(picture)};
  note_made(out.notes, run, row_at(state, result, state.head, state.row, Text()), 3);
  if (heads > 1)
    out.notes.push_back(station_note("heads", figure::WordsMark::As::sentence,
                                     {steps_text("values.heads", {state.layer, heads - 1})}));
  return out;
}

}  // namespace attnscope
