#include "core/view/position_order.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "core/lens/word_order.h"
#include "core/session/document.h"
#include "core/session/try_this.h"

namespace attnscope {
namespace {

using figure::Ink, figure::MatrixMark;

constexpr double kMostSwapCost = 3e8;                    // multiply-adds of all runs for one picture
constexpr double kSeenInOrder = 5e-4;                    // a smaller difference may show the same digits
constexpr double kSeenAtAGlance = 0.05;                  // two digits show it
constexpr std::size_t kMostSwaps = 12, kMostPairs = 64;  // kMostPairs: of any two words
constexpr std::size_t kMostOrderWords = 8;               // with a column of their own: those that get most
constexpr std::int64_t kAllRows = std::int64_t{1} << 30;

using SwapRun = std::shared_ptr<const Trace>;

double run_cost(const ViewState& state) {
  return static_cast<double>(state.opened->model->weights().parameter_count()) *
         static_cast<double>(state.run->length);
}

// The stack whose words change places: that of the text which an encoder reads, else the main one.
Stack words_stack(const ModelConfig& config) { return config.encoder() ? Stack::enc : config.stack; }
std::vector<int>& words_in(Input& input, const ViewState& state) {
  return state.run->config().encoder() ? input.source : input.ids;
}
const std::vector<int>& words_of(const ViewState& state) {
  return state.run->ids_of(words_stack(state.run->config()));
}

// Places of two words.
struct TwoWords {
  std::int64_t first = -1, second = -1;
  bool has(std::int64_t place) const { return place == first || place == second; }
};

// The text with two words exchanged, or as it is, under the edits of the run.
SwapRun run_swapped(const ViewState& state, const Model& model, const TwoWords& two, bool swaps) {
  Input input = state.run->input;
  std::vector<int>& ids = words_in(input, state);
  if (swaps) std::swap(ids[static_cast<std::size_t>(two.first)], ids[static_cast<std::size_t>(two.second)]);
  RunOptions options;
  options.edits = state.run->edits;
  auto run = model.run(input, options);
  return run ? *std::move(run) : nullptr;
}

std::vector<float> row_weights(const Trace& run, const Site& pattern, std::int64_t head, std::int64_t row) {
  const Tensor plane = run.slice(pattern, head, {row, row + 1}, {0, kAllRows});
  std::vector<float> out;
  for (std::int64_t key = 0; !plane.empty() && key < plane.size(1); ++key) out.push_back(plane.at(0, key));
  return out;
}

// Where a word of the text stands once the two are exchanged.
std::size_t place_after(std::size_t place, const TwoWords& two) {
  const auto at = static_cast<std::int64_t>(place);
  return static_cast<std::size_t>(at == two.first ? two.second : at == two.second ? two.first : at);
}
// The word whose weight the exchange changes most, and by how much.
std::pair<std::size_t, double> most_moved(const std::vector<float>& a, const std::vector<float>& b,
                                          const TwoWords& two) {
  std::pair<std::size_t, double> out{0, 0};
  for (std::size_t place = 0; place < a.size() && a.size() == b.size(); ++place) {
    const double by =
        std::abs(static_cast<double>(a[place]) - static_cast<double>(b[place_after(place, two)]));
    if (by > out.second) out = {place, by};
  }
  return out;
}

// A sign such as "." is no word.
bool has_letter(const std::string& label) {
  return std::any_of(label.begin(), label.end(),
                     [](unsigned char c) { return c >= 0x80 || std::isalnum(c); });
}

// Neighbours that the row looks at, both words of the text and not the same one; `row` itself is none.
// Without a row, in the text of an encoder, any two words: they may be who does it and to whom it is done.
std::vector<TwoWords> swaps_of(const ViewState& state, const Site& pattern) {
  const Trace& run = *state.run;
  const std::vector<int>& ids = words_of(state);
  const std::vector<float> weights =
      state.row < 0 ? std::vector<float>(ids.size(), 1.f) : row_weights(run, pattern, 0, state.row);
  const auto is_word = [&](std::int64_t at) {
    const int id = ids[static_cast<std::size_t>(at)];
    const std::string label = token_label(*state.opened, id);
    const bool special = label.size() > 2 && (label.front() == '<' || label.front() == '[');
    return id >= 0 && id != run.config().image_token && !special && has_letter(label) && at != state.row &&
           weights[static_cast<std::size_t>(at)] > 0;
  };
  std::int64_t last = std::min(std::ssize(ids), std::ssize(weights));
  for (std::int64_t at = last - 1; at > 1; --at)  // what stands after ":" answers what stands before it
    if (token_label(*state.opened, ids[static_cast<std::size_t>(at)]) == ":") {
      last = at;
      break;
    }
  std::vector<TwoWords> out;
  for (std::int64_t at = 0; at + 1 < last; ++at) {
    const std::int64_t to = state.row < 0 ? last : at + 2;
    for (std::int64_t other = at + 1; other < to; ++other)
      if (is_word(at) && is_word(other) &&
          ids[static_cast<std::size_t>(at)] != ids[static_cast<std::size_t>(other)])
        out.push_back({at, other});
  }
  return out;
}

// The block whose attention is drawn: the first, or the first that rotates or has biases.
int block_shown(const ModelConfig& config) {
  if (config.position.kind != PositionSpec::Kind::none) return 0;
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const AttentionPosition& own = config.blocks[static_cast<std::size_t>(layer)].attention.position;
    if (own.rotates() || own.biases()) return layer;
  }
  return 0;
}

struct Swap {
  TwoWords two;
  SwapRun run;     ///< of the exchanged text
  double by = -1;  ///< how far the share of the answer moves
};

double share_of(std::int64_t answer, const Trace& run, int id) {
  const Tensor logits = run.logits_row(answer);
  return logits.empty() ? 0 : std::exp(log_probabilities(logits)[static_cast<std::size_t>(id)]);
}

// The two words that are exchanged in the run since the one it is compared with, where the row sees both of
// them; else no run.
Swap swap_made(const ViewState& state, const Site& pattern) {
  const bool same_model = state.opened_before == nullptr || state.opened_before == state.opened;
  if (!state.before || !same_model) return {};
  const std::vector<int>& now = words_of(state);
  const std::vector<int>& before = state.before->ids_of(words_stack(state.run->config()));
  if (before.size() != now.size()) return {};
  std::vector<std::int64_t> other;
  for (std::size_t at = 0; at < now.size(); ++at)
    if (now[at] != before[at]) other.push_back(static_cast<std::int64_t>(at));
  if (other.size() != 2) return {};
  const auto first = static_cast<std::size_t>(other[0]), second = static_cast<std::size_t>(other[1]);
  if (now[first] != before[second] || now[second] != before[first]) return {};
  const TwoWords two{other[0], other[1]};
  if (state.row < 0) return {two, state.run, 0};
  const std::vector<float> weights = row_weights(*state.run, pattern, 0, state.row);
  const auto seen = [&](std::size_t at) { return at < weights.size() && weights[at] > 0; };
  return !two.has(state.row) && seen(first) && seen(second) ? Swap{two, state.run, 0} : Swap{};
}

// The two words that the thing to try of a shipped model exchanges, where the text still has them and the row
// sees both, so that the picture and what is offered below it speak of the same words.
std::vector<TwoWords> swap_to_try(const ViewState& state, const Site& pattern) {
  const auto things = things_to_try(*state.opened);
  if (!things) return {};
  const std::vector<int>& ids = words_of(state);
  const std::vector<float> weights =
      state.row < 0 ? std::vector<float>(ids.size(), 1.f) : row_weights(*state.run, pattern, 0, state.row);
  const auto holds = [&](const TryThis::NewToken& token) {
    return token.pos < ids.size() && token.pos < weights.size() && weights[token.pos] > 0 &&
           token_label(*state.opened, ids[token.pos]) == token.from;
  };
  for (const TryThis& thing : *things) {
    if (thing.tokens.size() != 2) continue;
    const TryThis::NewToken &a = thing.tokens[0], &b = thing.tokens[1];
    const TwoWords two{static_cast<std::int64_t>(a.pos), static_cast<std::int64_t>(b.pos)};
    if (a.from == b.word && a.word == b.from && holds(a) && holds(b) && !two.has(state.row)) return {two};
  }
  return {};
}

Swap best_swap(const ViewState& state, const Site& pattern, std::int64_t answer) {
  std::vector<TwoWords> all = swap_to_try(state, pattern);
  if (all.empty()) all = swaps_of(state, pattern);
  const double cost = run_cost(state);
  const auto most = std::min(state.row < 0 ? kMostPairs : kMostSwaps,
                             static_cast<std::size_t>(std::max(0.0, kMostSwapCost / cost - 2)));
  const Tensor logits = state.run->logits_row(answer);
  const int said = logits.empty() ? -1 : next_tokens(logits, Sampling{}).front().id;
  Swap out;
  for (std::size_t at = all.size() > most ? all.size() - most : 0; at < all.size(); ++at) {  // the nearest
    const SwapRun run = run_swapped(state, *state.opened->model, all[at], true);
    if (!run) continue;
    const double by =
        said < 0 ? 0 : std::abs(share_of(answer, *run, said) - share_of(answer, *state.run, said));
    if (by > out.by) out = {all[at], run, by};
  }
  return out;
}

// The head whose row the exchange changes most: of the first block with positions, or of all blocks where a
// picture of that one shows little. Without a row to look at, also which row.
struct OrderHead {
  int layer = 0;
  std::int64_t head = 0, row = 0;
};
OrderHead head_shown(const ViewState& state, const Swap& swap, int first_layer) {
  const std::int64_t rows = state.run->rows(state.place.stack);
  const std::int64_t from = state.row < 0 ? 0 : state.row, to = state.row < 0 ? rows : state.row + 1;
  const auto is_looked = [&](std::int64_t row) {  // of a row that is to be found: a word
    const std::string label =
        state.row < 0 ? token_label(*state.opened, words_of(state)[static_cast<std::size_t>(row)]) : "";
    return state.row >= 0 || (has_letter(label) && label.front() != '<');
  };
  OrderHead out{first_layer, 0, from};
  double most = -1;
  for (int layer = first_layer; layer < state.run->config().of(state.place.stack).n_layers(); ++layer) {
    const Site pattern = state.place.pattern(layer);
    const Record* record = state.run->find(pattern);
    const std::int64_t heads = !record ? 0 : record->shape.empty() ? 1 : record->shape[0];
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t row = from; row < to; ++row) {
        if (swap.two.has(row) || !is_looked(row)) continue;
        const double by = most_moved(row_weights(*state.run, pattern, head, row),
                                     row_weights(*swap.run, pattern, head, row), swap.two)
                              .second;
        if (by > most) most = by, out = {layer, head, row};
      }
    if (layer == first_layer && most >= kSeenAtAGlance) break;
  }
  return out;
}

Text order_text(const std::string& key, std::vector<Text> arguments = {}) {
  return Text::of("figure.position.order" + key, std::move(arguments));
}

// "The cat"; "cat … ball" where other words stand between them.
Text pair_text(const Swap& swap, const Text& a, const Text& b) {
  return order_text(swap.two.second == swap.two.first + 1 ? ".pair" : ".pair.far", {a, b});
}

// Digits that show a change of weights.
int order_digits(double by) { return by >= kSeenAtAGlance ? 2 : 3; }

// One row of attention over the text as it stands, and over the exchanged one: a column for each word, so
// that rows are alike where the order makes no difference.
struct OrderRows {
  std::vector<float> written, swapped;  ///< by place
  int digits = 2;
};
// By word: the most it gets in any of these rows, so that two pictures have the same columns. The two that
// change places, and the word that the sentence is about, are never among "other n".
std::vector<float> most_given(const std::vector<const OrderRows*>& all, const TwoWords& two) {
  std::vector<float> out(all.front()->written.size(), 0.f);
  const std::size_t told = most_moved(all.front()->written, all.front()->swapped, two).first;
  for (std::size_t place = 0; place < out.size(); ++place) {
    for (const OrderRows* rows : all)
      out[place] = std::max({out[place], rows->written[place], rows->swapped[place_after(place, two)]});
    if (two.has(static_cast<int>(place)) || place == told) out[place] += 1;
  }
  return out;
}

figure::PartBox order_rows(const ViewState& state, const OrderRows& rows, const std::vector<float>& given,
                           const Swap& swap, const std::string& of, const std::string& id,
                           std::vector<Text> title, int priority) {
  const std::size_t keys = rows.written.size();
  MatrixMark out;
  const auto [word, by] = most_moved(rows.written, rows.swapped, swap.two);
  out.cols = row_names(state, state.place.keys(), Ink::key,
                       by < kSeenInOrder ? -1 : static_cast<std::int64_t>(word));
  const Text a = out.cols.labels[static_cast<std::size_t>(swap.two.first)],
             b = out.cols.labels[static_cast<std::size_t>(swap.two.second)];
  out.rows.labels = {pair_text(swap, a, b), pair_text(swap, b, a)};
  out.rows.looked = 0, out.rows.ink = Ink::query, out.masked_is_zero = true;
  std::vector<float> values = rows.written;
  for (std::size_t place = 0; place < keys; ++place)
    values.push_back(rows.swapped[place_after(place, swap.two)]);
  out.digits = rows.digits;
  out.most = static_cast<double>(std::max(1e-6f, *std::max_element(values.begin(), values.end())));
  out.order.resize(keys);
  std::iota(out.order.begin(), out.order.end(), 0);
  out.most_columns = kMostOrderWords;
  std::stable_sort(out.order.begin(), out.order.end(), [&](int x, int y) {
    return given[static_cast<std::size_t>(x)] > given[static_cast<std::size_t>(y)];
  });
  out.values =
      Tensor::from(std::move(values), {{Axis::query, 2}, {Axis::key, static_cast<std::int64_t>(keys)}});
  out.own_rows = {{of, out.scale, out.most, out.digits}, {"", out.scale, out.most, out.digits}};
  return figure::leaf({id, std::move(out), priority, std::move(title), "order"});
}

// What the exchange does to the answer, or what it did, where it was `made`: a sentence of its own.
Text order_answer(const ViewState& state, const Swap& swap, const std::vector<Text>& words, bool made,
                  std::int64_t row) {
  ViewState then = state, now = state;
  then.before = now.before = nullptr, now.run = swap.run;
  const auto before = answer_table(then, row, 1), after = answer_table(now, row, 1);
  if (!before || !after) return order_text(".exchange", words);
  const std::vector<Text>&x = before->rows.front().cells, &y = after->rows.front().cells;
  const bool stays = x[0].str() == y[0].str();
  return order_text(stays && made ? ".stayed"
                    : stays       ? ".stays"
                    : made        ? ".turned"
                                  : ".turns",
                    {words[0], words[1], x[0], x[1], y[0], y[1]});
}

}  // namespace

bool may_exchange_words(const ViewState& state) {
  const ModelConfig& config = state.run->config();
  if (!state.opened->model) return false;
  if (config.encoder())
    return !state.run->input.source.empty() &&
           state.run->rows(Stack::enc) == std::ssize(state.run->input.source);
  return state.place.stack == config.stack && !state.run->ids.empty() && state.row < state.run->length &&
         state.run->input.ids.size() == state.run->ids.size();
}

std::optional<ViewDrawing> drawn_word_order(const ViewState& looked) {
  if (!may_exchange_words(looked)) return std::nullopt;
  const std::int64_t answer = answer_row(looked);
  ViewState state = looked;
  const ModelConfig& config = looked.run->config().of(words_stack(looked.run->config()));
  if (state.place.stack != config.stack) state.row = -1;
  state.place = {config.stack, Part::attn};
  const auto& model = state.opened->model;
  const int first_layer = block_shown(config);
  const Site first_pattern = state.place.pattern(first_layer);
  if (!state.run->find(first_pattern)) return std::nullopt;
  // Once the words are exchanged, the text before stays the first row: nothing turns round.
  Swap swap = swap_made(state, first_pattern);
  const bool made = swap.run != nullptr;
  ViewState written = state;
  if (made)
    written.run = run_swapped(state, *model, swap.two, true);
  else
    swap = best_swap(state, first_pattern, answer);
  if (!swap.run || !written.run) return std::nullopt;
  const OrderHead shown = head_shown(written, swap, first_layer);
  const int layer = shown.layer;
  const std::int64_t head = shown.head;
  state.row = written.row = shown.row;
  const Site pattern = state.place.pattern(layer);
  const auto weights = [&, at = head](const Trace& run) { return row_weights(run, pattern, at, state.row); };
  OrderRows with{weights(*written.run), weights(*swap.run)};
  if (with.written.size() != with.swapped.size()) return std::nullopt;
  const auto label = [&](std::int64_t row) {
    return Text(row_label(*state.opened, *written.run, state.place.stack, row));
  };
  const auto [word, by] = most_moved(with.written, with.swapped, swap.two);
  with.digits = order_digits(by);
  std::vector<Text> said{label(swap.two.first),
                         label(swap.two.second),
                         label(state.row),
                         layer,
                         head,
                         label(static_cast<std::int64_t>(word))};
  for (const float one : {with.written[word], with.swapped[place_after(word, swap.two)]})
    said.emplace_back(figure::number_text(static_cast<double>(one), with.digits));
  said.push_back(order_answer(written, swap, {said[0], said[1]}, made, answer));
  said.push_back(pair_text(swap, said[0], said[1])), said.push_back(pair_text(swap, said[1], said[0]));
  const bool moves = by >= kSeenInOrder && said[6].str() != said[7].str();
  const std::string of =  // a text that was exchanged is no longer that of the first row
      made ? "" : to_text(pattern) + to_text(std::vector<AxisRange>{{"head", head}, {"query", state.row}});
  std::string key = moves ? ".mask" : ".never";
  std::optional<OrderRows> without;
  if (const auto bare = config.has_positions() ? without_positions(*model) : nullptr) {
    const SwapRun a = run_swapped(written, *bare, swap.two, false),
                  b = run_swapped(written, *bare, swap.two, true);
    if (!a || !b) return std::nullopt;
    without = {row_weights(*a, pattern, head, state.row), row_weights(*b, pattern, head, state.row),
               with.digits};
    const bool keeps = most_moved(without->written, without->swapped, swap.two).second < kSeenInOrder;
    for (const float one : {without->written[word], without->swapped[place_after(word, swap.two)]})
      said.emplace_back(figure::number_text(static_cast<double>(one), with.digits));
    const bool seen = said[11].str() != said[12].str();  // on the word that the sentence is about
    key = !moves ? ".little" : keeps ? "" : seen ? ".both.word" : ".both";
  }
  std::vector<const OrderRows*> drawn{&with};
  if (without) drawn.push_back(&*without);
  const std::vector<float> given = most_given(drawn, swap.two);
  std::vector<figure::PartBox> all{
      order_rows(written, with, given, swap, of, "order",
                 {order_text(config.stack == Stack::enc ? ".title.enc" : ".title", said),
                  order_text(".title.short", said)},
                 2)};
  if (without)
    all.push_back(order_rows(written, *without, given, swap, "", "bare",
                             {order_text(".bare", said), order_text(".bare.short", said)}, 1));
  ViewDrawing out{{Text::of("figure.position.question")}, {order_text(key, said)}, {}};
  if (key.empty() || key == ".both.word") out.sentence.push_back(order_text(key + ".brief", said));
  out.sentence.push_back(order_text(".short", said));
  out.above = figure::column(std::move(all));
  return out;
}

}  // namespace attnscope
