// Who wrote the measure, and who wrote the query and the key of one score, as figures.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/twin_directions.h"
#include "core/session/document.h"
#include "core/session/measure_text.h"
#include "core/view/ask_figures.h"

namespace attnscope {
namespace {

// A column of numbers, one row for each addend, the largest first.
figure::MatrixMark addends(std::vector<LogitPart> parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const LogitPart& a, const LogitPart& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  figure::MatrixMark out;
  out.scale = figure::Scale::diverging, out.most = 1e-9;
  std::vector<float> values;
  for (const LogitPart& part : parts) {
    values.push_back(static_cast<float>(part.value));
    out.most = std::max(out.most, std::abs(part.value));
    out.rows.labels.emplace_back(part.step + to_text(part.at));
  }
  out.values = Tensor::from(std::move(values), {{Axis::none, std::ssize(parts)}, {Axis::none, 1}});
  out.cols.labels.push_back(Text::of("figure.ask.parts.share"));
  return out;
}

figure::PartBox asked_part(const char* id, figure::MatrixMark mark, int priority, const std::string& key,
                           const std::vector<Text>& said) {
  return figure::leaf(
      {id, std::move(mark), priority, {Text::of(key, said), Text::of(key + ".short", said)}, ""});
}

// Which score: block, head, query, key and the score itself.
std::vector<Text> score_words(const ViewState& state, const AskedScore& score, double total) {
  const auto name = [&](Axis axis, std::int64_t row) {
    return row_label(*state.opened, *state.run, rows_stack(score.pattern, axis), row);
  };
  return {score.pattern.layer, score.head, name(Axis::query, score.query), name(Axis::key, score.key),
          asked_number(total)};
}

// The score over the directions of QK, the largest singular value first.
ViewDrawing draw_loadings(const ViewState& state, const AskedScore& score) {
  const ScoreLoadings& of = *score.loadings;
  figure::MatrixMark values, factors;
  values.scale = factors.scale = figure::Scale::diverging, values.most = factors.most = 1e-9;
  std::vector<float> value, factor;
  std::size_t most = 0;
  for (std::size_t i = 0; i < of.directions.size(); ++i) {
    const ScoreLoading& one = of.directions[i];
    value.push_back(static_cast<float>(one.value));
    values.most = std::max(values.most, std::abs(one.value));
    if (std::abs(one.value) > std::abs(of.directions[most].value)) most = i;
    for (const double number : {one.singular, one.query, one.key}) {
      factor.push_back(static_cast<float>(number));
      factors.most = std::max(factors.most, std::abs(number));
    }
    values.rows.labels.push_back(Text::of("figure.ask.score.direction", {static_cast<std::int64_t>(i)}));
  }
  factors.rows.labels = values.rows.labels;
  values.cols.labels.push_back(Text::of("figure.ask.parts.share"));
  for (const char* name : {"singular", "query", "key"})
    factors.cols.labels.push_back(Text::of(std::string("figure.ask.score.along.") + name));
  const std::int64_t rows = std::ssize(of.directions);
  values.values = Tensor::from(std::move(value), {{Axis::none, rows}, {Axis::none, 1}});
  factors.values = Tensor::from(std::move(factor), {{Axis::none, rows}, {Axis::none, 3}});
  std::vector<Text> said = score_words(state, score, of.total);
  said.insert(said.end(), {asked_number(of.bias), static_cast<std::int64_t>(most),
                           asked_number(of.directions.empty() ? 0 : of.directions[most].value)});
  ViewDrawing out{{Text::of("figure.ask.score.question")},
                  {Text::of("figure.ask.score.said.loadings", said),
                   Text::of("figure.ask.score.said.loadings.short", said)},
                  asked_part("loadings", std::move(values), 3, "figure.ask.score.loadings", said)};
  out.below = asked_part("factors", std::move(factors), 2, "figure.ask.score.factors", said);
  return out;
}

ViewDrawing draw_split_score(const ViewState& state, const AskedScore& score) {
  const ScoreSplit& split = *score.split;
  figure::MatrixMark table;
  table.scale = figure::Scale::diverging, table.most = 1e-9;
  std::vector<float> values;
  std::size_t most = 0;
  for (std::size_t i = 0; i < split.values.size(); ++i) {
    values.push_back(static_cast<float>(split.values[i]));
    if (std::abs(split.values[i]) > std::abs(split.values[most])) most = i;
  }
  if (!split.values.empty()) table.most = std::max(table.most, std::abs(split.values[most]));
  table.values = Tensor::from(std::move(values), {{Axis::none, std::ssize(split.query_sources)},
                                                  {Axis::none, std::ssize(split.key_sources)}});
  for (const std::string& name : split.query_sources) table.rows.labels.emplace_back(name);
  for (const std::string& name : split.key_sources) table.cols.labels.emplace_back(name);
  table.rows.ink = figure::Ink::query, table.cols.ink = figure::Ink::key;
  const std::size_t wide = std::max<std::size_t>(1, split.key_sources.size());
  std::vector<Text> said = score_words(state, score, split.total);
  said.insert(said.end(), {split.values.empty() ? std::string() : split.query_sources[most / wide],
                           split.values.empty() ? std::string() : split.key_sources[most % wide],
                           asked_number(split.values.empty() ? 0 : split.values[most])});
  return {{Text::of("figure.ask.score.question")},
          {Text::of("figure.ask.score.said", said), Text::of("figure.ask.score.said.short", said)},
          asked_part("score", std::move(table), 3, "figure.ask.score.title", said)};
}

constexpr std::size_t kDirectionWords = 3;

// The matrix of one token, a direction a row, the largest singular value first; the words of a row are those
// that it makes likelier most. Nothing of wide models, and where nothing is read there.
std::optional<figure::PartBox> twin_matrix(const ViewState& state, const AskedParts& parts) {
  const ModelConfig& config = state.run->config();
  const std::int64_t row = twin_row(*parts.twin, config.stack, parts.twin_row);
  if (row < 0 || config.d_model > kWidestTwin) return std::nullopt;
  const auto made = twin_directions(*state.run, parts.measure, row);
  if (!made || made->directions.empty()) return std::nullopt;
  const TwinDirections& found = *made;
  figure::MatrixMark out;
  out.scale = figure::Scale::diverging, out.most = 1e-9;
  std::vector<float> values;
  for (const TwinDirection& one : found.directions) {
    for (const double number : {one.singular, one.input, one.measure, one.value}) {
      values.push_back(static_cast<float>(number));
      out.most = std::max(out.most, std::abs(number));
    }
    std::vector<std::string> words;
    for (const NeuronToken& word : twin_tokens(*state.run, one, kDirectionWords, 1))
      words.push_back(token_label(*state.opened, word.token));
    out.rows.labels.emplace_back(std::to_string(out.rows.labels.size()) + " " + join(words, ", "));
  }
  for (const char* name : {"singular", "input", "measure", "value"})
    out.cols.labels.push_back(Text::of(std::string("figure.ask.twin.along.") + name));
  out.values = Tensor::from(std::move(values), {{Axis::none, std::ssize(found.directions)}, {Axis::none, 4}});
  const std::vector<Text> said{told_apart(state, config.stack, row), asked_number(found.total)};
  return asked_part("directions", std::move(out), 2, "figure.ask.twin.directions", said);
}

// What a page says of a sum: keys of its sentence and of its picture's title.
struct SumKeys {
  const char *id, *said, *title;
};

// A sum and its addends, the largest first. What is said of it begins with the measure, the sum, how many
// they are and which of them counts most, in front of what stands in `said`. Errors: there is none.
Result<ViewDrawing> draw_sum(const ViewState& state, const AskedParts& parts, const SumKeys& keys,
                             double total, const std::vector<LogitPart>& all, std::vector<Text>& said) {
  const auto most = std::max_element(all.begin(), all.end(), [](const LogitPart& a, const LogitPart& b) {
    return std::abs(a.value) < std::abs(b.value);
  });
  if (most == all.end()) return fail(Code::not_found, "error.view.ask_begins");
  said.insert(said.begin(), {to_text(*state.opened, parts.measure), asked_number(total), std::ssize(all),
                             most->step + to_text(most->at), asked_number(most->value)});
  return ViewDrawing{{Text::of("figure.ask.parts.question")},
                     {Text::of(keys.said, said), Text::of("figure.ask.parts.said.short", said)},
                     asked_part(keys.id, addends(all), 3, keys.title, said)};
}

// The twin's addends, and what they close to.
Result<ViewDrawing> draw_twin(const ViewState& state, const AskedParts& parts) {
  const LinearTwin& twin = *parts.twin;
  std::vector<Text> said{format("%.2g", twin.rest), format("%.2g", twin.total - twin.run)};
  TRY(ViewDrawing out, draw_sum(state, parts, {"twin", "figure.ask.twin.said", "figure.ask.twin.title"},
                                twin.total, twin.parts, said));
  out.below = twin_matrix(state, parts);
  return out;
}

}  // namespace

Result<ViewDrawing> draw_asked_parts(const ViewState& state, const AskedParts& parts) {
  if (parts.score && parts.score->loadings) return draw_loadings(state, *parts.score);
  if (parts.score) return draw_split_score(state, *parts.score);
  if (parts.twin) return draw_twin(state, parts);
  std::vector<Text> said{parts.inside_of};
  TRY(ViewDrawing out, draw_sum(state, parts, {"parts", "figure.ask.parts.said", "figure.ask.parts.title"},
                                parts.sum->total, parts.sum->parts, said));
  if (!parts.inside.empty())
    out.below = asked_part("inside", addends(parts.inside), 2, "figure.ask.parts.inside", said);
  return out;
}

}  // namespace attnscope
