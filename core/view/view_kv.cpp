// What is kept of the tokens before? The keys and values of one head, a row for each token up to the one that
// is looked at: its own row is new, those before it come out of the KV cache.
#include <algorithm>
#include <cmath>

#include "core/sample/cached_run.h"
#include "core/session/document.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

// Rows 0 .. state.row of the head's keys or values; columns are "k[0]", "k[1]", ... where they are named.
figure::MatrixMark kept_rows(const ViewState& state, const Site& site, std::int64_t head, char letter) {
  figure::MatrixMark out;
  out.values = state.run->slice(site, head, {0, state.row + 1}, {0, std::int64_t{1} << 30});
  out.rows = row_names(state, state.place.stack, figure::Ink::key, state.row);
  out.rows.labels.resize(static_cast<std::size_t>(state.row + 1));
  out.cols.shown = false;  // of the planes; a comparison names those of the row that is looked at
  for (std::int64_t col = 0; col < out.values.size(1); ++col)
    out.cols.labels.emplace_back(letter + ("[" + std::to_string(col) + "]"));
  out.scale = figure::Scale::diverging;
  out.most = largest_size(out.values.values());
  out.of = to_text(site) + to_text(std::vector<AxisRange>{{"head", head}});
  return out;
}

// Rows before the one that is looked at whose keys the mask lets it see: all, or those of a window.
std::int64_t rows_that_are_read(const ViewState& state) {
  const Tensor mask = state.run->slice(state.place.site(StepRole::mask, state.layer), state.head,
                                       {state.row, state.row + 1}, {0, state.row});
  if (mask.empty()) return state.row;
  std::int64_t seen = 0;
  for (std::int64_t key = 0; key < mask.size(1); ++key) seen += mask.at(0, key) > 0;
  return seen;
}

Result<ViewDrawing> draw_kv(const ViewState& looked) {
  ViewState state = looked;
  state.place.part = Part::attn;  // a decoder's own tokens, where its cross-attention is looked at, too
  const Trace& run = *state.run;
  if (!runs_with_cache(run.config()) || state.place.stack != run.config().stack)
    return fail(Code::not_found, "error.view.no_cache");
  const Site keys = read_heads(state, Hue::key),
             values = state.place.site(StepRole::split, Hue::value, state.layer);
  if (!run.find(keys) || !run.find(values)) return fail(Code::not_found, "error.view.no_cache");
  const std::int64_t head = run.own_head(keys, state.head);
  const figure::MatrixMark kept_keys = kept_rows(state, keys, head, 'k');
  figure::MatrixMark kept_values = kept_rows(state, values, run.own_head(values, state.head), 'v');
  kept_values.rows.shown = false;
  const std::int64_t numbers = kept_keys.values.size(1) + kept_values.values.size(1);
  const std::int64_t read = rows_that_are_read(state);
  // Several heads of queries may share them: the first and the last of these.
  const AttentionSpec& attention = run.config().attention_at(state.place.pattern(state.layer));
  const std::int64_t heads_each = attention.n_heads / std::max(1, attention.n_kv_heads);
  const std::int64_t first_head = heads_each > 1 ? state.head / heads_each * heads_each : head;
  const std::vector<Text> said{
      looked_name(state), numbers,          state.row,  state.row * numbers,        state.layer, head, read,
      read * numbers,     state.row - read, first_head, first_head + heads_each - 1};
  std::string key = read < state.row ? "figure.kv.hidden" : "figure.kv.sentence";
  if (state.row == 1) key += ".one";
  if (state.row == 0) key = "figure.kv.first";
  const auto plane = [&](const char* id, figure::MatrixMark mark) {
    const std::string name = std::string("figure.kv.") + id;
    return figure::leaf(
        {id,
         std::move(mark),
         1,
         {Text::of(heads_each > 1 ? name + ".shared" : name, said), Text::of(name + ".short")},
         "planes"});
  };
  ViewDrawing out{{Text::of("figure.kv.question")},
                  {Text::of(key, said), Text::of(key + ".short", said)},
                  figure::either({plane("keys", kept_keys), plane("values", std::move(kept_values))})};
  // Without the cache each block would compute the keys and values of all rows once more.
  figure::TableMark table;
  table.card = figure::TableMark::Card::plain, table.most = static_cast<double>(state.row + 1);
  for (const bool cached : {true, false}) {
    const std::int64_t rows = cached ? 1 : state.row + 1;
    table.rows.push_back({{Text::of(cached ? "figure.kv.with" : "figure.kv.without"), Text(rows)},
                          static_cast<double>(rows),
                          {},
                          cached});
  }
  out.notes =
      figure::leaf({"work", table, 1, {Text::of("figure.kv.work"), Text::of("figure.kv.work.short")}, ""});
  // The new row large, over the whole width: the numbers that attention reads of it, all of them where they
  // are no more than 16.
  out.below = numbers_leaf(
      "row",
      {row_at(state, keys, head, state.row, Text::of("figure.kv.key")),
       row_at(state, values, run.own_head(values, state.head), state.row, Text::of("figure.kv.value"))},
      {Text::of("figure.kv.new", said)}, 3);
  show_few_columns(std::get<figure::MatrixMark>(out.below->part->mark));
  return out;
}

}  // namespace

ViewSpec view_kv() { return {.id = "kv", .order = 62, .draw = draw_kv, .heads = true, .own_text = true}; }

}  // namespace attnscope
