#include "core/view/opening_row.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/logit_lens.h"
#include "core/lens/neurons.h"
#include "core/lens/vectors.h"
#include "core/session/document.h"
#include "core/session/try_this.h"
#include "core/step/catalog.h"
#include "core/train/pilot_path.h"

namespace attnscope {
namespace {

bool hides_something(const figure::MatrixMark& pattern, std::int64_t row) {
  for (std::int64_t key = 0; key < pattern.values.size(1); ++key)
    if (std::isinf(pattern.values.at(row, key))) return true;
  return false;
}

// A third down the text, where the row to begin with sees everything.
std::int64_t opening_of_mask(const ViewState& state) {
  const Site site = state.place.pattern(state.layer);
  if (!state.run->find(site)) return -1;
  const figure::MatrixMark pattern = attention_matrix(state, site.slot);
  const std::int64_t row = pattern.values.size(0) / 3;
  if (state.row >= pattern.values.size(0) || hides_something(pattern, state.row)) return -1;
  return hides_something(pattern, row) ? row : -1;
}

// The word of the answer where it stands in the text; else the one that is most like another.
std::int64_t opening_of_embedding(const ViewState& state) {
  const Tensor table = token_table(*state.run, state.place.stack),
               logits = state.run->logits_row(answer_row(state));
  const std::vector<int>& ids = state.run->ids_of(state.place.stack);
  if (table.empty()) return -1;
  if (!logits.empty() && logits.count() == table.size(0)) {
    const int answer = next_tokens(logits, Sampling{}).front().id;
    const auto said = std::find(ids.begin(), ids.end(), answer);
    if (said != ids.end() && !action_bin(token_label(*state.opened, answer))) return said - ids.begin();
  }
  std::int64_t out = -1;
  double most = 0;
  for (std::int64_t row = 0; row < std::ssize(ids); ++row) {
    const int id = ids[static_cast<std::size_t>(row)];
    if (id < 0 || id >= table.size(0) || id == state.run->config().image_token) continue;
    if (action_bin(token_label(*state.opened, id))) continue;  // a movement is no word
    const std::vector<NearRow> near = nearest_rows(table, table.select(0, id), 1, id);
    if (!near.empty() && near.front().cosine > most) most = near.front().cosine, out = row;
  }
  return out;
}

// A word whose letters are joined, and not to the whole word.
bool stays_in_pieces(ViewState state, std::int64_t row) {
  state.row = row;
  const auto figure = draw_view(**find_view("tokenizer"), state, false);
  const figure::Part* joined = figure ? figure::find_part(*figure, "joined") : nullptr;
  const auto* stairs = joined ? std::get_if<figure::StairsMark>(&joined->mark) : nullptr;
  return stairs && stairs->rows.back().pieces.size() > 1;
}

// The longest word; where letters are joined to words, the longest that they make.
std::int64_t opening_of_tokenizer(const ViewState& state) {
  const std::vector<int>& ids = state.run->ids_of(state.place.stack);
  std::vector<std::pair<std::size_t, std::int64_t>> words;  // letters and row, the longest last
  for (std::int64_t row = std::ssize(ids) - 1; row >= 0; --row) {
    const std::string label = token_label(*state.opened, ids[static_cast<std::size_t>(row)]);
    const bool special = label.size() > 2 && (label.front() == '<' || label.front() == '[');
    if (!special && utf8_length(label) > 0) words.emplace_back(utf8_length(label), row);
  }
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto made = std::find_if(words.rbegin(), words.rend(),
                                 [&](const auto& word) { return !stays_in_pieces(state, word.second); });
  if (words.empty()) return -1;
  return made == words.rend() ? words.back().second : made->second;
}

// Nothing where the run has no such step in a block of what is looked at.
void look_at(ViewState& state, const Site& site, const AxisRange* head) {
  const Record* record = state.run->find(site);
  if (!record || site.layer < 0 || site.stack != state.place.stack || site.part != state.place.part) return;
  state.layer = site.layer;
  if (head && head->begin < record->shape.front()) state.head = head->begin;
}

}  // namespace

void look_at_first_try(ViewState& state) {
  const auto things = things_to_try(*state.opened);
  if (!things || things->empty()) return;
  const auto at = parse_place(things->front().at);
  const auto site = at ? parse_site(at->name) : Result<Site>(at.error());
  if (site) look_at(state, *site, range_on(at->at, "head"));
}

void look_at_last_edit(ViewState& state, const Edits& edits) {
  for (const auto& edit : edits)
    if (const NumberEdit* number = edit->enabled ? edit->number() : nullptr; number)
      look_at(state, number->where.site, range_on(number->where, Axis::head));
}

std::int64_t opening_row(std::string_view id, const ViewState& state) {
  if (!state.run) return -1;
  if (id == "mask") return opening_of_mask(state);
  if (id == "embedding") return opening_of_embedding(state);
  if (id == "tokenizer") return opening_of_tokenizer(state);
  return -1;
}

int opening_layer(std::string_view id, const ViewState& state) {
  if (id != "mlp" || !state.run || state.place.stack != state.run->config().stack) return -1;
  const std::int64_t row = answer_row(state);
  const Tensor logits = state.run->logits_row(row);
  if (logits.empty() || !says_numbers(state, row)) return -1;
  const std::vector<Addition> parts = additions(*state.run, row);
  const auto pushed = pushes(*state.run, parts, row, next_tokens(logits, Sampling{}).front().id);
  int out = -1;
  double most = 0;
  for (std::size_t at = 0; pushed && at < parts.size(); ++at) {
    const MlpPlace place{state.place.stack, parts[at].site.layer};
    const bool mlp = step_of(parts[at].site.slot).hue == Hue::mlp && parts[at].site.stack == place.stack;
    if (place.layer < 0 || !mlp || !has_neurons(*state.run, place)) continue;
    if (const double by = std::abs(pushed->of[at]); by > most) most = by, out = place.layer;
  }
  return out;
}

}  // namespace attnscope
