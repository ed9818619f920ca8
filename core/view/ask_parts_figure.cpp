// Who wrote the measure, and who wrote the query and the key of one score, as figures.
#include <algorithm>
#include <cmath>

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
  const auto name = [&](Axis axis, std::int64_t row) {
    return row_label(*state.opened, *state.run, rows_stack(score.pattern, axis), row);
  };
  const std::size_t wide = std::max<std::size_t>(1, split.key_sources.size());
  const std::vector<Text> said{score.pattern.layer,
                               score.head,
                               name(Axis::query, score.query),
                               name(Axis::key, score.key),
                               asked_number(split.total),
                               split.values.empty() ? std::string() : split.query_sources[most / wide],
                               split.values.empty() ? std::string() : split.key_sources[most % wide],
                               asked_number(split.values.empty() ? 0 : split.values[most])};
  return {{Text::of("figure.ask.score.question")},
          {Text::of("figure.ask.score.said", said), Text::of("figure.ask.score.said.short", said)},
          asked_part("score", std::move(table), 3, "figure.ask.score.title", said)};
}

}  // namespace

Result<ViewDrawing> draw_asked_parts(const ViewState& state, const AskedParts& parts) {
  if (parts.score) return draw_split_score(state, *parts.score);
  const Attribution& sum = *parts.sum;
  const auto most = std::max_element(
      sum.parts.begin(), sum.parts.end(),
      [](const LogitPart& a, const LogitPart& b) { return std::abs(a.value) < std::abs(b.value); });
  if (most == sum.parts.end()) return fail(Code::not_found, "error.view.ask_begins");
  const std::vector<Text> said{
      to_text(*state.opened, parts.measure), asked_number(sum.total),   std::ssize(sum.parts),
      most->step + to_text(most->at),        asked_number(most->value), parts.inside_of};
  ViewDrawing out{{Text::of("figure.ask.parts.question")},
                  {Text::of("figure.ask.parts.said", said), Text::of("figure.ask.parts.said.short", said)},
                  asked_part("parts", addends(sum.parts), 3, "figure.ask.parts.title", said)};
  if (!parts.inside.empty())
    out.below = asked_part("inside", addends(parts.inside), 2, "figure.ask.parts.inside", said);
  return out;
}

}  // namespace attnscope
