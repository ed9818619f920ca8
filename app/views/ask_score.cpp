// Texts are in assets/strings/*/ask_view.json.
#include "app/views/ask_score.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "app/widgets/table.h"
#include "core/base/keep_first.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

Tensor table_of(const ScoreSplit& split) {
  std::vector<float> values;
  for (const double value : split.values) values.push_back(static_cast<float>(value));
  return Tensor::from(std::move(values), {{Axis::none, std::ssize(split.query_sources)},
                                          {Axis::none, std::ssize(split.key_sources)}});
}

constexpr std::size_t kMostPairs = 40, kLeastPairs = 8;
constexpr float kPairRow = 18.f, kScoreRow = 17.f, kScoreLegend = 54.f;  // units

constexpr std::pair<const char*, ScoreBy> kScoreBys[] = {{"ask.score.by.part", ScoreBy::part},
                                                         {"ask.score.by.head", ScoreBy::head},
                                                         {"ask.score.by.token", ScoreBy::token}};

// The run that a score is of, and what its answers are kept by.
struct ScoreOf {
  int sequence = 0;
  std::shared_ptr<const Trace> trace;
  std::uint64_t subject = 0, key = 0;
};
ScoreOf score_of(const ViewContext& context, const AskedScore& of, std::uint64_t way) {
  ScoreOf out;
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  out.sequence = context.run.nearest(context.workspace.cursor.sequence);
  out.trace = context.run.shared(out.sequence);
  out.subject = key_of({context.session.opened_version(), number(out.sequence)});
  out.key = key_of({out.subject, context.run.version, number(of.pattern.stack), number(of.pattern.layer),
                    number(of.pattern.part), number(of.head), number(of.query), number(of.key), way});
  return out;
}

}  // namespace

std::string source_words(const RunResult& run, int sequence, const std::string& name) {
  if (name.ends_with("embed")) return tr("ask.part.embed");
  if (is_normed_entry(name)) return tr("ask.part.ln_embed");
  const auto cell = parse_cell(name);
  const AxisRange *head = cell ? range_on(cell->at, "head") : nullptr,
                  *pos = cell ? range_on(cell->at, "pos") : nullptr;
  if (head) {
    const Site& site = cell->site;
    const bool cross = site.part == Part::cross;
    const std::string layer = std::to_string(site.layer);
    if (!pos) return tr(cross ? "ask.part.cross" : "ask.part.head", {layer, to_text(*head)});
    return tr(cross ? "ask.score.from.cross" : "ask.score.from",
              {layer, to_text(*head), row_name(run, sequence, rows_stack(site, Axis::key), pos->begin),
               to_text(*pos)});
  }
  const auto site = parse_site(name);
  const std::string layer = site ? std::to_string(site->layer) : std::string();
  if (site && site->is(StepKind::output))
    return tr(site->part == Part::cross ? "ask.row.cross" : "ask.part.attention", {layer});
  if (site && site->is(StepKind::mlp_down)) return tr("ask.part.mlp", {layer});
  const std::size_t block = name.find("blocks.");
  const std::size_t dot = block == std::string::npos ? block : name.find('.', block + 7);
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

void AskScore::draw_choice() {
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
  const FontScope face(fonts().small);
  ChipRow line(ImGui::GetContentRegionAvail().x);
  for (const auto& [key, by] : kScoreBys)
    if (line(Label(tr(key), "###", key), !directions_ && by_ == by, tr(Label(key, ".help"))))
      by_ = by, directions_ = false;
  constexpr const char* kDirections = "ask.score.by.direction";
  if (line(Label(tr(kDirections), "###", kDirections), directions_, tr("ask.score.by.direction.help")))
    directions_ = true;
}

// Every addend, query's sources by key's.
MatrixPlot AskScore::plot_of(const RunResult& run, int sequence, const ScoreSplit& split) {
  MatrixPlot plot;
  plot.key = "ask_score";
  plot.values = table_of(split);
  plot.style.map = Colormap::diverging;
  set_range(plot.style, signed_range(plot.values));
  plot.rows.colour = theme().q;
  plot.cols.colour = theme().k;
  plot.rows.title = tr("ask.score.query");
  plot.cols.title = tr("ask.score.key");
  for (const std::string& name : split.query_sources)
    plot.rows.labels.push_back(source_words(run, sequence, name));
  for (const std::string& name : split.key_sources)
    plot.cols.labels.push_back(source_words(run, sequence, name));
  plot.digits = 2;
  plot.max_cell = 64;
  return plot;
}

// The largest addends, with their numbers.
Table AskScore::pairs_of(const ScoreSplit& split, const MatrixPlot& plot, std::size_t most) {
  std::vector<std::size_t> order(split.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  keep_first(order, most, [&](std::size_t a, std::size_t b) {
    return std::fabs(split.values[a]) > std::fabs(split.values[b]);
  });
  Table table;
  table.columns = {{.title = tr("ask.score.query"), .share = 0.5f, .ink = theme().q},
                   {.title = tr("ask.score.key"), .share = 0.5f, .ink = theme().k},
                   number_column({}, text_size(fonts().mono_small, "+000.000").x + scaled(8))};
  table.row = table.title_row = scaled(kPairRow);
  table.words = fonts().small, table.digits = fonts().mono_small;
  for (const std::size_t cell : order) {
    const std::size_t wide = split.key_sources.size();
    table.rows.push_back({{},
                          {{plot.rows.labels[cell / wide]},
                           {plot.cols.labels[cell % wide]},
                           {signed_number(split.values[cell], 3)}}});
  }
  return table;
}

// The table, its colours, and the largest addends in what room is left. `serial`: of the split.
void AskScore::draw_split(const ViewContext& context, int sequence, const ScoreSplit& split,
                          std::uint64_t serial, ImVec2 room) {
  const MatrixPlot& plot = plot_.get({serial}, [&] { return plot_of(context.run, sequence, split); });
  const float row = scaled(kPairRow), legend = scaled(kScoreLegend);
  // As high as its names and readable rows need; what is below is reached by scrolling where room lacks.
  float names_high = 0;
  for (const std::string& name : plot.cols.labels)
    names_high = std::max(names_high, text_size(fonts().mono_small, name).x * 0.8f);
  const float need = scaled(40) + std::min(names_high, scaled(90)) +
                     scaled(kScoreRow) * std::min(12.f, static_cast<float>(plot.rows.labels.size()));
  const float table_room = std::max(need, (room.y - legend) * 0.55f);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const MatrixEvent event = draw_matrix(context.painter, plot, ImVec2(at.x, at.y + scaled(2)),
                                        matrix_size(plot, ImVec2(room.x - scaled(8), table_room)));
  if (event.hovered()) {
    const auto cell = static_cast<std::size_t>(event.row * std::ssize(split.key_sources) + event.col);
    ImGui::SetTooltip("%s", tr("ask.score.cell", {plot.rows.labels[static_cast<std::size_t>(event.row)],
                                                  plot.cols.labels[static_cast<std::size_t>(event.col)],
                                                  signed_number(split.values[cell], 4)})
                                .c_str());
  }
  const ImVec2 low(at.x, event.p1.y + scaled(6));
  const float title = text_size(fonts().small, "X").y + scaled(6);
  draw_legend(plot.style, tr("ask.score.legend"), low,
              ImVec2(std::min(room.x - scaled(12), scaled(230)), title + scaled(8)), false);
  ImGui::SetCursorScreenPos(ImVec2(low.x, low.y + legend));
  const float left = at.y + room.y - ImGui::GetCursorScreenPos().y;
  const auto fit = static_cast<std::size_t>(std::max(0.f, left / row - 1));
  const std::size_t most = std::clamp(fit, kLeastPairs, kMostPairs);
  Table& pairs = pairs_.get({serial, most}, [&] { return pairs_of(split, plot, most); });
  (void)draw_table(pairs, ImGui::GetCursorScreenPos(), room.x - scaled(16));
  note_item("ask_score_pairs");
}

// The largest addend first; numbers of directions are those of their singular values.
Table AskScore::loadings_table(const ScoreLoadings& found) {
  std::vector<std::size_t> order(found.directions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(found.directions[a].value) > std::fabs(found.directions[b].value);
  });
  const float number = text_size(fonts().mono_small, "+000.000").x + scaled(8);
  Table table;
  table.columns = {number_column(tr("ask.score.direction")),
                   number_column("σ", number),
                   number_column(tr("ask.score.along.query"), number, theme().q),
                   number_column(tr("ask.score.along.key"), number, theme().k),
                   {.kind = TableColumn::Kind::bar_number, .title = tr("ask.score.addend"), .share = 1}};
  table.row = table.title_row = scaled(kPairRow);
  table.words = fonts().small, table.digits = fonts().mono_small;
  for (const std::size_t i : order) {
    const ScoreLoading& one = found.directions[i];
    table.rows.push_back({{},
                          {{std::to_string(i)},
                           {number_text(static_cast<float>(one.singular), 3)},
                           {signed_number(one.query, 3)},
                           {signed_number(one.key, 3)},
                           {.text = signed_number(one.value, 3),
                            .bar = one.value,
                            .bar_ink = one.value < 0 ? theme().negative : theme().positive}}});
  }
  return table;
}

// The score as the sum of sigma x query x key over the directions, and what the biases add.
void AskScore::draw_loadings(const ViewContext& context, const AskedScore& of, ImVec2 room) {
  const ScoreOf asked = score_of(context, of, 0);
  const auto found = loadings_.get_or_before(
      asked.subject, asked.key, context.workers(), [asked, of](const std::atomic<bool>&) {
        return score_loadings(*asked.trace, of.pattern, of.head, of.query, of.key);
      });
  if (!found) return caption(tr("output.pending"));
  if (!*found.value) return caption(found->error().text());
  const ScoreLoadings& loadings = **found.value;
  if (found.fresh) {
    AskedScore shown = of;
    shown.loadings = std::shared_ptr<const ScoreLoadings>(found.value, &loadings);
    context.workspace.asking.parts.score = shown;
  }
  text_line(fonts().mono_small, theme().ok,
            tr("ask.score.sum.bias", {signed_number(loadings.total - loadings.bias - loadings.rest, 3),
                                      signed_number(loadings.bias, 3), signed_number(loadings.total, 3),
                                      significant(loadings.rest, 2)}),
            0);
  note_item("ask_score_sum");
  Table& table =
      directions_table_.get({found.serial, key_of(language())}, [&] { return loadings_table(loadings); });
  const ChildScope list("ask_loadings", ImVec2(room.x, ImGui::GetContentRegionAvail().y));
  (void)draw_table(table, ImGui::GetCursorScreenPos(), room.x - scaled(16));
  note_item("ask_score_directions");
}

void AskScore::draw(const ViewContext& context, const Site& pattern, std::int64_t head, std::int64_t query,
                    std::int64_t key, ImVec2 at, ImVec2 room) {
  const AskedScore of{pattern, head, query, key, nullptr, nullptr};
  const ScoreOf asked = score_of(context, of, static_cast<std::uint64_t>(by_));
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("ask_score", room);
  const auto name = [&](Axis axis, std::int64_t row) {
    return row_name(context.run, asked.sequence, rows_stack(pattern, axis), row);
  };
  caption(tr("ask.score.sentence", {name(Axis::query, query), name(Axis::key, key)}));
  if (directions_) {
    draw_choice();
    return draw_loadings(context, of, room);
  }
  const auto split = split_.get_or_before(
      asked.subject, asked.key, context.workers(), [asked, of, by = by_](const std::atomic<bool>&) {
        return split_score(*asked.trace, of.pattern, of.head, of.query, of.key, by);
      });
  if (!split) return caption(tr("output.pending"));
  if (!*split.value) return caption(split->error().text());
  const ScoreSplit& found = **split.value;
  if (split.fresh)
    context.workspace.asking.parts.score = AskedScore{
        pattern, head, query, key, std::shared_ptr<const ScoreSplit>(split.value, &found), nullptr};
  text_line(fonts().mono_small, theme().ok,
            tr("ask.score.sum", {signed_number(found.total - found.rest, 3), signed_number(found.total, 3),
                                 significant(found.rest, 2)}),
            0);
  note_item("ask_score_sum");
  draw_choice();
  const float used = ImGui::GetCursorScreenPos().y - at.y;
  draw_split(context, asked.sequence, found, split.serial,
             ImVec2(room.x, std::max(scaled(60), room.y - used - scaled(4))));
}

}  // namespace attnscope
