// Step by step: one token's way through the model, one station a page. Every number is a cell of the run.
#include <algorithm>

#include "core/base/text.h"
#include "core/lens/vectors.h"
#include "core/model/tape.h"
#include "core/session/document.h"
#include "core/trace/flow.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

using figure::Ink, figure::MatrixMark, figure::PartBox;

constexpr int kNeighbours = 4;  // of the vocabulary, before and behind the token
constexpr double kPale = 1e9;   // names of things are numbers without a size: no colour

Result<StationDrawing> mlp_station(const ViewState& state) {
  const Site neurons = site_of(StepRole::neurons, state.layer, state.place.stack),
             result = neurons.near(StepRole::branch, Hue::mlp);
  const std::vector<float> active = row_of_step(*state.run, neurons, 0, state.row),
                           out = row_of_step(*state.run, result, 0, state.row);
  if (active.empty() || out.empty()) return fail(Code::not_found, "error.view.no_station");
  const MatrixMark large = numbers_mark({{Text(), active}});
  const int best = large.order.front();
  const Text name = looked_name(state);
  const std::vector<Text> said{
      name,          state.layer, std::count_if(active.begin(), active.end(), [](float x) { return x > 0; }),
      active.size(), best,        steps_number(static_cast<double>(active[static_cast<std::size_t>(best)])),
      out.size()};
  StationDrawing drawn{
      {steps_text("mlp", said), steps_text("mlp.short", said)},
      figure::column(
          {numbers_leaf("neurons", {row_at(state, neurons, 0, state.row, name)},
                        {steps_text("neurons", said)}, 2),
           numbers_leaf("row", {row_at(state, result, 0, state.row, name)},
                        {steps_text(is_edited(*state.run, result) ? "mlp.out.edited" : "mlp.out", said)},
                        3)}),
      {}};
  note_made(drawn.notes, *state.run, row_at(state, result, 0, state.row, Text()), 2);
  return drawn;
}

// Probabilities of all outputs, by id.
std::vector<float> shares_of(const Tensor& logits) {
  std::vector<float> out(static_cast<std::size_t>(logits.count()));
  for (const NextToken& token : next_tokens(logits, Sampling{}))
    out[static_cast<std::size_t>(token.id)] = token.prob;
  return out;
}
Result<StationDrawing> word_station(const ViewState& state) {
  const std::int64_t row = answer_row(state);
  TRY(const figure::TableMark answer, answer_table(state, row, 1));
  const Stack stack = state.run->config().stack;
  const Text name = told_apart(state, stack, row);
  const Site site = state.run->main(StepRole::logits);
  const std::vector<float> values = floats_of(state.run->logits_row(row));
  MatrixMark out = numbers_mark({{steps_text("logit"), values, place_of(*state.run, site, 0, row)},
                                 {steps_text("probability"), shares_of(state.run->logits_row(row))}});
  out.own_rows.back().scale = figure::Scale::share, out.own_rows.back().most = 1, out.bars = true;
  out.own_rows.front().most = largest_size(values);
  std::stable_sort(out.order.begin(), out.order.end(), [&](int a, int b) {
    return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)];
  });
  out.by_order = true;
  for (std::size_t id = 0; id < out.cols.labels.size(); ++id)
    out.cols.labels[id] = output_name(*state.opened, static_cast<int>(id));
  const std::vector<Text> said{
      name, answer.rows.front().cells[0],
      steps_number(static_cast<double>(values[static_cast<std::size_t>(out.order.front())])), values.size(),
      answer.rows.front().cells[1]};
  const std::int64_t alike = equally_likely(state.run->logits_row(row));
  const bool one = alike == 1 || !says_numbers(state, row);
  std::vector<Text> told = said;
  told.emplace_back(alike);
  StationDrawing drawn{
      {steps_text(one ? "word" : "word.alike", told), steps_text(one ? "word.short" : "word.alike", told)},
      figure::leaf({"row", out, 3, {steps_text("logits"), steps_text("logits.short")}, ""}),
      {}};
  const float share = out.values.at(1, out.order.front());
  if (says_numbers(state, row) && share > 0)
    drawn.notes.push_back(
        station_note("formula", figure::WordsMark::As::formula,
                     {steps_text("word.formula",
                                 {said[1], said[2], figure::number_text(static_cast<double>(share), 3)})}));
  return drawn;
}

// Of the decoder's cross-attention: the pages of attention with this before their names.
constexpr std::string_view kCross = "cross_";

using DrawStation = Result<StationDrawing> (*)(const ViewState&);
DrawStation drawing_of(std::string_view id) {
  if (id.starts_with(kCross)) id.remove_prefix(kCross.size());
  if (id == "words") return words_station;
  if (id == "embed") return embed_station;
  if (id == "scores") return scores_station;
  if (id == "softmax") return softmax_station;
  if (id == "values") return values_station;
  if (id == "sum") return sum_station;
  return id == "mlp" ? mlp_station : word_station;
}

ViewState with_part(const ViewState& state, Part part) {
  ViewState out = state;
  out.place.part = part;
  return out;
}

// Those of one attention that the run has steps for.
void add_attention(std::vector<Station>& out, const ViewState& state) {
  const Trace& run = *state.run;
  const Site pattern = state.place.pattern(state.layer), values = pattern.near(StepRole::head_out);
  if (!run.find(pattern) || !run.attention(pattern)) return;
  const auto add = [&](const char* id, Ink ink, const Site& site) {
    const std::string page = std::string(state.place.part == Part::cross ? kCross : "") + id;
    out.push_back({page, steps_text("name." + page), ink, site});
  };
  if (run.find(read_heads(state, Hue::query)) && run.find(read_heads(state, Hue::key)))
    add("scores", Ink::query, pattern.near(StepRole::scores));
  add("softmax", Ink::query, pattern);
  if (run.find(values) && run.find(pattern.near(StepRole::split, Hue::value)))
    add("values", Ink::value, values);
}

std::vector<Station> step_stations(const ViewState& state) {
  const Trace& run = *state.run;
  const Stack stack = state.place.stack;
  std::vector<Station> out;
  const auto add = [&](const char* id, Ink ink, const Site& site) {
    out.push_back({id, steps_text(std::string("name.") + id), ink, site});
  };
  add("words", Ink::dim, site_of(StepRole::words, -1, stack));
  if (!embedding_sum(run, stack, state.row).sum.empty())
    add("embed", Ink::warning, site_of(StepRole::embedding, -1, stack));
  for (const Part part : {Part::attn, Part::cross}) add_attention(out, with_part(state, part));
  const Site mlp = site_of(StepRole::neurons, state.layer, stack), sum = sum_before_mlp(state);
  if (run.find(sum) && flow_inputs(run, sum).size() == 2) add("sum", Ink::accent, sum);
  if (run.find(mlp) && run.find(mlp.near(StepRole::branch, Hue::mlp)))
    add("mlp", Ink::mlp, mlp.near(StepRole::branch, Hue::mlp));
  if (!run.logits_row(answer_row(state)).empty()) add("word", Ink::value, run.main(StepRole::logits));
  return out;
}

// Embedding, attention and MLP of every block, output; and where a station is among them.
figure::TrackMark track_of(const ViewState& state, const Station& station) {
  const Stack stack = state.place.stack;
  figure::TrackMark out;
  const auto add = [&](const char* id, int layer, bool here) {
    if (here) out.here = static_cast<int>(out.stops.size());
    out.stops.push_back(steps_text(std::string("track.") + id, {layer}));
  };
  const bool mlp = station.id == "mlp",
             cross = station.site.part == Part::cross || station.site.is(StepKind::residual_cross);
  add("embed", 0, station.site.layer < 0 && station.id != "word");
  for (int layer = 0; layer < state.run->config().of(stack).n_layers(); ++layer) {
    const bool here = station.site.layer == layer;
    if (state.run->find(AttentionPlace{stack, Part::attn}.pattern(layer)))
      add("attn", layer, here && !mlp && !cross);
    if (state.run->find(AttentionPlace{stack, Part::cross}.pattern(layer)))
      add("cross", layer, here && cross);
    if (state.run->find(site_of(StepRole::neurons, layer, stack))) add("mlp", layer, here && mlp);
  }
  if (!state.run->logits_row(answer_row(state)).empty()) add("out", 0, station.id == "word");
  return out;
}

// "next: each token hands over its value, in these shares".
PartBox next_note(const ViewState& state, const std::vector<Station>& all, std::size_t at) {
  const bool last = at + 1 == all.size();
  const bool writes = answer_title(state, answer_row(state)).front().key() == "figure.answer.word";
  if (last && !writes) return {};
  figure::WordsMark label{figure::WordsMark::As::sentence, {steps_text("next")}, Ink::dim, false, true};
  figure::WordsMark what{figure::WordsMark::As::sentence,
                         {steps_text("next." + (last ? std::string("again") : all[at + 1].id))},
                         Ink::text,
                         true,
                         true};
  return figure::row({figure::leaf({"next", std::move(label), 1, {}, "next"}),
                      figure::leaf({"next_what", std::move(what), 1, {}, "next"})});
}

void make_rows_tall(PartBox& box) {
  for (PartBox& inside : box.inside) make_rows_tall(inside);
  if (!box.part) return;
  if (auto* matrix = std::get_if<MatrixMark>(&box.part->mark)) matrix->tall = true;
}

Result<ViewDrawing> draw_steps(const ViewState& state) {
  const std::vector<Station> all = step_stations(state);
  const auto at =
      state.page.empty() ? all.begin() : std::find_if(all.begin(), all.end(), [&](const Station& station) {
        return station.id == state.page;
      });
  if (at == all.end())
    return fail(Code::not_found, "error.view.page",
                {in_quotes(state.page), join(pages_of(**find_view("steps"), state), ", ")});
  const bool cross = at->id.starts_with(kCross);
  TRY(StationDrawing drawn, drawing_of(at->id)(with_part(state, cross ? Part::cross : Part::attn)));
  const std::vector<Text> said{looked_name(state), at - all.begin() + 1, all.size(), at->name};
  ViewDrawing out{
      {steps_text("title", said), steps_text("title.short", said)}, std::move(drawn.sentence), {}};
  out.above = std::move(drawn.picture);
  make_rows_tall(*out.above);
  std::vector<PartBox> notes{figure::leaf({"track", track_of(state, *at), 1, {}, ""})};
  for (PartBox& note : drawn.notes) notes.push_back(std::move(note));
  if (PartBox next = next_note(state, all, static_cast<std::size_t>(at - all.begin())); !next.inside.empty())
    notes.push_back(std::move(next));
  out.notes = figure::column(std::move(notes));
  return out;
}

}  // namespace

Result<StationDrawing> words_station(const ViewState& state) {
  const Trace& run = *state.run;
  const std::int64_t rows = run.rows(state.place.stack);
  const std::vector<int>& ids = run.ids_of(state.place.stack);
  const bool tokens = static_cast<std::int64_t>(ids.size()) == rows;
  std::vector<NamedRow> shown{{steps_text("place"), {}}};
  for (std::int64_t row = 0; row < rows; ++row) shown.front().values.push_back(static_cast<float>(row));
  if (tokens) shown.push_back({steps_text("id"), {ids.begin(), ids.end()}});
  MatrixMark matrix = numbers_mark(shown);
  matrix.others = MatrixMark::Others::none;
  for (MatrixMark::Row& row : matrix.own_rows) row.digits = 0, row.most = kPale;
  matrix.cols = row_names(state, state.place.stack, Ink::dim, state.row);
  std::stable_sort(matrix.order.begin(), matrix.order.end(), [&](int a, int b) {
    return std::abs(a - state.row) < std::abs(b - state.row);  // the nearest ones
  });
  show_few_columns(matrix);
  std::vector<Text> said{looked_name(state), state.row, rows};
  if (tokens) {
    said.emplace_back(ids[static_cast<std::size_t>(state.row)]);
    said.emplace_back(run.config().of(state.place.stack).vocab_size);
  }
  said.resize(5), said.emplace_back(rows - 1);
  std::vector<PartBox> notes;
  if (auto vocabulary = vocabulary_leaf(state)) notes.push_back(*std::move(vocabulary));
  return StationDrawing{
      {steps_text(tokens && run.config().of(state.place.stack).vocab_size > 0 ? "words" : "words.rows", said),
       steps_text("words.short", said)},
      figure::leaf({"tokens", matrix, 3, {steps_text("rows")}, ""}),
      std::move(notes)};
}

std::optional<PartBox> vocabulary_leaf(const ViewState& state) {
  const OpenedModel& opened = *state.opened;
  const std::vector<int>& ids = state.run->ids_of(state.place.stack);
  const int words = state.run->config().of(state.place.stack).vocab_size;
  if ((!opened.tokenizer && opened.words.empty()) || state.row >= std::ssize(ids)) return std::nullopt;
  const int id = ids[static_cast<std::size_t>(state.row)];
  if (id < 0 || id >= words) return std::nullopt;
  const int first = std::clamp(id - kNeighbours, 0, std::max(0, words - 1 - 2 * kNeighbours)),
            last = std::min(words - 1, first + 2 * kNeighbours);
  std::vector<float> numbers;
  for (int one = first; one <= last; ++one) numbers.push_back(static_cast<float>(one));
  MatrixMark matrix = numbers_mark({{steps_text("id"), std::move(numbers)}});
  matrix.others = MatrixMark::Others::none, matrix.most_columns = 0, matrix.tall = true;
  matrix.own_rows.front().digits = 0, matrix.own_rows.front().most = kPale;
  for (std::size_t at = 0; at < matrix.cols.labels.size(); ++at)
    matrix.cols.labels[at] = token_label(opened, first + static_cast<int>(at));
  matrix.cols.looked = id - first;
  std::stable_sort(matrix.order.begin(), matrix.order.end(), [&](int a, int b) {
    return std::abs(a - matrix.cols.looked) < std::abs(b - matrix.cols.looked);
  });
  return figure::leaf({"vocabulary", std::move(matrix), 1, {steps_text("vocabulary", {id})}, ""});
}

ViewSpec view_steps() {
  ViewSpec out{"steps", 5, true, true, draw_steps};
  out.heads = true, out.stations = step_stations;
  return out;
}

}  // namespace attnscope
