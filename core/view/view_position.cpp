// In which order? How the model tells where a token stands: rows that are added, rotations, or biases. First
// as waves over the positions; of a model that has none, the sines of the paper.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/lens/positions.h"
#include "core/lens/vectors.h"
#include "core/session/document.h"
#include "core/view/position_order.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

using figure::Ink;

constexpr std::int64_t kMostWavePlaces = 64;
constexpr double kFlatWave = 0.01;         // from its lowest to its highest point
constexpr std::int64_t kPaperWidth = 512;  // d_model of Vaswani et al. 2017
constexpr std::array<Ink, 4> kWaveInks{Ink::query, Ink::key, Ink::value, Ink::warning};

Text turns_text(double tokens) {
  return tokens < 100 ? format("%.3g", tokens) : format_count(std::llround(tokens));
}

// Three pairs that turn within the text, or turn fastest, and the last one.
std::vector<std::int64_t> four_of(const std::vector<double>& wavelengths, std::int64_t length) {
  const std::int64_t count = std::ssize(wavelengths);
  const std::int64_t turning = std::count_if(wavelengths.begin(), wavelengths.end(), [&](double turn) {
    return turn <= 2 * static_cast<double>(length);
  });
  const std::int64_t last = std::min(std::max<std::int64_t>(turning, 3), count) - 1;
  std::vector<std::int64_t> out;
  for (const std::int64_t one : {std::int64_t{0}, last / 2, last, count - 1})
    if (out.empty() || one > out.back()) out.push_back(one);
  return out;
}
// cos(2 pi p / wavelength) or sin, drawn in steps of a quarter of a token.
figure::PlotMark waves(const std::vector<double>& wavelengths, std::int64_t length, bool sine) {
  figure::PlotMark out;
  out.x_title = Text::of("figure.position.axis");
  for (const std::int64_t pair : four_of(wavelengths, length)) {
    const double turn = wavelengths[static_cast<std::size_t>(pair)];
    figure::PlotMark::Series one{
        Text::of("figure.position.pair", {pair, turns_text(turn)}), {}, kWaveInks[out.series.size()], false};
    for (std::int64_t quarter = 0; quarter <= 4 * std::max<std::int64_t>(1, length - 1); ++quarter) {
      const double pos = static_cast<double>(quarter) / 4, angle = pos * 2 * std::acos(-1.0) / turn;
      one.points.emplace_back(pos, sine ? std::sin(angle) : std::cos(angle));
    }
    out.series.push_back(std::move(one));
  }
  return out;
}
ViewDrawing drawn(Text sentence, Text shorter, figure::Mark mark, Text title) {
  return {{Text::of("figure.position.question")},
          {std::move(sentence), std::move(shorter)},
          figure::leaf(
              {"positions", std::move(mark), 3, {std::move(title), Text::of("figure.position.title")}, ""})};
}
ViewDrawing drawn_waves(const std::string& kind, const std::vector<double>& wavelengths,
                        std::int64_t length) {
  const auto [fast, slow] = std::minmax_element(wavelengths.begin(), wavelengths.end());
  const std::vector<Text> said{turns_text(*fast), turns_text(*slow)};
  const std::string key = "figure.position." + kind;
  return drawn(Text::of(key, said), Text::of(key + ".short", said),
               waves(wavelengths, length, kind != "rope"), Text::of(key + ".title"));
}

// One turn every so many tokens, of each pair of sine and cosine.
std::vector<double> sine_wavelengths(std::int64_t width, bool halves) {
  std::vector<double> out;
  for (std::int64_t pair = 0; pair < width / 2; ++pair)
    out.push_back(sinusoid_wavelength(halves ? pair : 2 * pair, width, halves));
  return out;
}

// The columns of a learned table that swing most over the places, from `first` on.
figure::PlotMark table_waves(const Tensor& rows, std::int64_t first) {
  std::vector<std::pair<double, std::int64_t>> swings;
  for (std::int64_t dim = 0; dim < rows.size(1); ++dim) {
    double sum = 0, squares = 0;
    for (std::int64_t place = 0; place < rows.size(0); ++place) {
      const auto value = static_cast<double>(rows.at(place, dim));
      sum += value, squares += value * value;
    }
    swings.emplace_back(sum * sum / static_cast<double>(rows.size(0)) - squares, dim);  // least: swings most
  }
  std::sort(swings.begin(), swings.end());
  swings.resize(std::min(swings.size(), kWaveInks.size()));
  figure::PlotMark out;
  out.x_title = Text::of("figure.position.axis");
  for (const auto& [swing, dim] : swings) {
    figure::PlotMark::Series one{
        Text::of("figure.position.dimension", {dim}), {}, kWaveInks[out.series.size()], false};
    for (std::int64_t place = 0; place < rows.size(0); ++place)
      one.points.emplace_back(static_cast<double>(first + place), static_cast<double>(rows.at(place, dim)));
    out.series.push_back(std::move(one));
  }
  return out;
}

// The rows that the run added: the table's, but for edits.
Tensor rows_added(const ViewState& state, const Tensor& table) {
  const Site site = site_of(StepRole::position, -1, state.place.stack);
  const Tensor added =
      state.run->find(site) ? state.run->slice(site, 0, {0, table.size(0)}, {0, table.size(1)}) : Tensor();
  return added.empty() || added.size(0) != table.size(0) || added.size(1) != table.size(1) ? table : added;
}

// Of each two rows; a row of zeros has no direction, and its cells stay hatched.
Tensor cosines_shown(const Tensor& rows) {
  std::vector<float> out = cosines(rows, rows).values();
  for (float& one : out)
    if (std::isnan(one)) one = -std::numeric_limits<float>::infinity();
  return Tensor::from(std::move(out), {{Axis::query, rows.size(0)}, {Axis::key, rows.size(0)}});
}

// What edits made of the rows of a learned table.
struct EditedRows {
  std::int64_t count = 0;    ///< rows that are no longer as learned
  bool looked = false;       ///< the looked-at one is among them
  bool nothing = true;       ///< all that is added is 0
  const char* key() const {  // of the sentence
    return nothing ? ".nothing" : !looked ? ".others" : count > 1 ? ".several" : ".edited";
  }
};
EditedRows edited_rows(const Tensor& added, const Tensor& learned, std::int64_t looked) {
  EditedRows out;
  for (std::int64_t row = 0; row < added.size(0); ++row) {
    bool edited = false;
    for (std::int64_t dim = 0; dim < added.size(1); ++dim) {
      edited = edited || added.at(row, dim) != learned.at(row, dim);
      out.nothing = out.nothing && added.at(row, dim) == 0;
    }
    out.count += edited ? 1 : 0;
    out.looked = out.looked || (edited && row == looked);
  }
  return out;
}

// A learned table: its waves, how alike its rows are, and which one is most like the looked-at row. Of long
// texts the places around it.
ViewDrawing drawn_learned(const ViewState& state, const Tensor& learned) {
  const Tensor table = rows_added(state, learned);
  const std::int64_t length = table.size(0), shown = std::min(length, kMostWavePlaces),
                     first = std::clamp<std::int64_t>(state.row - shown / 2, 0, length - shown),
                     own = state.row - first;
  const Tensor rows = table.slice(0, first, first + shown);
  figure::MatrixMark alike;
  alike.values = cosines_shown(rows), alike.scale = figure::Scale::diverging;
  figure::Names places;
  places.looked = static_cast<int>(own);
  for (std::int64_t place = first; place < first + shown; ++place) places.labels.emplace_back(place);
  alike.rows = alike.cols = places;
  for (std::int64_t at = 0; at < shown; ++at)
    alike.rows.labels[static_cast<std::size_t>(at)] =
        Text::of("figure.position.row",
                 {row_label(*state.opened, *state.run, state.place.stack, first + at), first + at});
  const Text name = row_label(*state.opened, *state.run, state.place.stack, state.row);
  const std::vector<NearRow> near = nearest_rows(rows, rows.select(0, own), 1, own);
  const EditedRows edits = edited_rows(table, learned, state.row);
  const bool edited = edits.count > 0;
  std::vector<Text> said{state.row, name, table.size(1)};
  if (edited)
    said.emplace_back(edits.count), said.emplace_back(length);
  else if (!near.empty())
    said.emplace_back(first + near[0].row), said.emplace_back(figure::number_text(near[0].cosine, 2));
  const std::string key = "figure.position.learned", kind = edited         ? edits.key()
                                                            : near.empty() ? ".alone"
                                                                           : "";
  ViewDrawing out =
      drawn(Text::of(key + kind, said), Text::of(key + (edited ? kind + ".short" : ".short"), said),
            std::move(alike), Text::of("figure.position.learned.title"));
  out.picture->part->id = "similar", out.picture->part->priority = 1;
  const Text all(table.size(1)), drawn_dims(std::min<std::int64_t>(table.size(1), std::ssize(kWaveInks)));
  const std::vector<Text> titles{Text::of("figure.position.waves.title", {drawn_dims, all}),
                                 Text::of("figure.position.waves.title.short")};
  if (!edits.nothing)  // a chart of nothing but zeros shows nothing
    out.picture = figure::either(
        {figure::leaf({"waves", table_waves(rows, first), 3, titles, ""}), *std::move(out.picture)});
  if (auto sum = embed_station(state)) {
    out.below = std::move(sum->picture);
    if (out.below->part) out.below->part->priority = 1;  // in a narrow column the waves stay
  }
  return out;
}

// What is added to a score for the distance from the query back to the key, by head; a line per head.
Result<ViewDrawing> drawn_bias(const ViewState& state, const Site& pattern) {
  figure::PlotMark out;
  out.x_title = Text::of("figure.position.bias.axis");
  const AttentionSpec& spec = state.run->config().attention_at(pattern);
  const std::int64_t last = state.run->rows(state.place.stack) - 1;
  std::vector<Text> said{state.head};
  for (std::int64_t head = 0; head < std::min<std::int64_t>(4, spec.n_heads); ++head) {
    const std::int64_t shown = head == 0 ? state.head : head <= state.head ? head - 1 : head;
    const Tensor bias = bias_rectangle(*state.run, pattern, shown, {last, last + 1}, {0, last + 1});
    if (bias.empty()) return fail(Code::not_found, "error.view.no_attention");
    figure::PlotMark::Series one{
        Text::of("figure.position.bias.head", {shown}), {}, kWaveInks[out.series.size()], head > 0};
    for (std::int64_t back = 0; back <= last; ++back)
      one.points.emplace_back(static_cast<double>(back), static_cast<double>(bias.at(0, last - back)));
    if (head == 0)
      for (const std::int64_t back : {std::min<std::int64_t>(1, last), last})
        said.emplace_back(back),
            said.emplace_back(figure::number_text(static_cast<double>(bias.at(0, last - back)), 2));
    out.series.push_back(std::move(one));
  }
  return drawn(Text::of("figure.position.bias", said), Text::of("figure.position.bias.short", said),
               std::move(out), Text::of("figure.position.bias.title"));
}

Result<ViewDrawing> draw_positions(const ViewState& state) {
  using Added = PositionSpec::Kind;
  const ModelConfig& config = state.run->config().of(state.place.stack);
  const Site pattern = AttentionPlace{state.place.stack}.pattern(state.layer);
  const AttentionPosition& own = config.blocks[static_cast<std::size_t>(state.layer)].attention.position;
  const std::int64_t length = state.run->rows(state.place.stack);
  if (own.rotates() && state.run->attention(pattern))
    return drawn_waves("rope", wavelengths_of(rotary_of(*state.run, pattern)), length);
  if (own.biases() && state.run->attention(pattern)) return drawn_bias(state, pattern);
  // A record of a pattern alone does not say how the model tells places apart.
  if (!state.opened->recorded.empty() && !state.run->attention(pattern))
    return fail(Code::not_found, "error.view.no_attention");
  const Tensor table = position_table(config, state.run->weights(), length);
  if (config.position.kind == Added::learned && !table.empty() && table.size(0) == length)
    return drawn_learned(state, table);
  if (config.position.kind == Added::sinusoidal)
    return drawn_waves("sinusoidal", sine_wavelengths(config.d_model, config.position.halves), length);
  if (!config.has_positions())
    return drawn_waves("none", sine_wavelengths(kPaperWidth, false), std::max(length, kMostWavePlaces));
  return ViewDrawing{
      {Text::of("figure.position.question")},
      {Text::of("figure.position.other")},
      figure::words("positions", figure::WordsMark::As::note, {Text::of("figure.position.other.note")}, 2)};
}

// Waves that hardly turn within the text look flat: they say nothing in a small picture.
void leave_out_flat(figure::PartBox& box) {
  auto* plot = box.part ? std::get_if<figure::PlotMark>(&box.part->mark) : nullptr;
  if (!plot) return;
  std::erase_if(plot->series, [](const figure::PlotMark::Series& one) {
    const auto [least, most] =
        std::minmax_element(one.points.begin(), one.points.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    return one.points.empty() || most->second - least->second < kFlatWave;
  });
}

SlowPart order_of_words(const ViewState& state) { return {drawn_word_order(state)}; }

// In the easy level what the order does to one row of attention comes first, and one picture of how the model
// is told.
Result<ViewDrawing> draw_position(const ViewState& state) {
  TRY(ViewDrawing how, draw_positions(state));
  if (state.level != Level::easy || !may_exchange_words(state)) return how;
  if (!state.slow && state.slow_pending) {
    how.sentence = {Text::of("figure.position.order.pending")};
    return how;
  }
  std::optional<ViewDrawing> order = state.slow ? state.slow->drawn : drawn_word_order(state);
  if (!order) return how;
  if (how.picture && state.run->config().has_positions())
    order->picture = how.picture->inside.empty() ? *how.picture : how.picture->inside.front();
  if (order->picture) leave_out_flat(*order->picture);
  if (order->picture && order->picture->part) order->picture->part->priority = 1;  // behind the rows
  return *std::move(order);
}

}  // namespace

ViewSpec view_position() {
  return {"position", 30, true, true, draw_position, false, nullptr, false, nullptr, false, order_of_words};
}

}  // namespace attnscope
