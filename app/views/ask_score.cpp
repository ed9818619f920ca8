// Texts are in assets/strings/*/ask_view.json.
#include "app/views/ask_score.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
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

void draw_table(const ViewContext& context, const ScoreSplit& split, ImVec2 at, ImVec2 room) {
  MatrixPlot plot;
  plot.key = "ask_score";
  plot.values = table_of(split);
  plot.style.map = Colormap::diverging;
  set_range(plot.style, signed_range(plot.values));
  plot.rows.colour = theme().q;
  plot.cols.colour = theme().k;
  plot.rows.title = tr("ask.score.query");
  plot.cols.title = tr("ask.score.key");
  for (const std::string& name : split.query_sources) plot.rows.labels.push_back(source_words(name));
  for (const std::string& name : split.key_sources) plot.cols.labels.push_back(source_words(name));
  plot.digits = 2;
  plot.max_cell = 64;
  const MatrixEvent event = draw_matrix(context.painter, plot, at, matrix_size(plot, room));
  if (!event.hovered()) return;
  const auto cell = static_cast<std::size_t>(event.row * std::ssize(split.key_sources) + event.col);
  ImGui::SetTooltip(
      "%s", tr("ask.score.cell", {source_words(split.query_sources[static_cast<std::size_t>(event.row)]),
                                  source_words(split.key_sources[static_cast<std::size_t>(event.col)]),
                                  signed_number(split.values[cell], 4)})
                .c_str());
}

}  // namespace

std::string source_words(const std::string& name) {
  if (name.ends_with("embed")) return tr("ask.part.embed");
  const auto site = parse_site(name);
  const std::string layer = site ? std::to_string(site->layer) : std::string();
  if (site && site->is(StepKind::output))
    return tr(site->part == Part::cross ? "ask.row.cross" : "ask.part.attention", {layer});
  if (site && site->is(StepKind::mlp_down)) return tr("ask.part.mlp", {layer});
  const std::size_t block = name.find("blocks.");
  const std::size_t dot = block == std::string::npos ? block : name.find('.', block + 7);
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

void AskScore::draw(const ViewContext& context, const Site& pattern, std::int64_t head, std::int64_t query,
                    std::int64_t key, ImVec2 at, ImVec2 room) {
  const int last = static_cast<int>(context.run.traces.size()) - 1,
            sequence = std::clamp(context.workspace.cursor.sequence, 0, last);
  const auto trace = context.run.traces[static_cast<std::size_t>(sequence)];
  const std::uint64_t subject =
      key_of({context.session.opened_version(), static_cast<std::uint64_t>(sequence)});
  const std::uint64_t asked = key_of(
      {subject, context.run.version, static_cast<std::uint64_t>(pattern.stack),
       static_cast<std::uint64_t>(pattern.layer), static_cast<std::uint64_t>(pattern.part),
       static_cast<std::uint64_t>(head), static_cast<std::uint64_t>(query), static_cast<std::uint64_t>(key)});
  const auto split = split_.get_or_before(subject, asked, context.workers(),
                                          [trace, pattern, head, query, key](const std::atomic<bool>&) {
                                            return split_score(*trace, pattern, head, query, key);
                                          });
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("ask_score", room);
  if (!split) return caption(tr("output.pending"));
  if (!*split.value) return caption(split->error().text());
  const auto name = [&](Axis axis, std::int64_t row) {
    return row_name(context.run, sequence, rows_stack(pattern, axis), row);
  };
  const ScoreSplit& found = **split.value;
  caption(tr("ask.score.sentence", {name(Axis::query, query), name(Axis::key, key)}));
  text_line(fonts().mono_small, theme().ok,
            tr("ask.score.sum", {signed_number(found.total - found.rest, 4), signed_number(found.total, 4),
                                 significant(found.rest, 2)}));
  note_item("ask_score_sum");
  const ImVec2 table = ImGui::GetCursorScreenPos();
  draw_table(context, found, ImVec2(table.x, table.y + scaled(2)),
             ImVec2(room.x - scaled(8), std::max(scaled(60), at.y + room.y - table.y - scaled(6))));
}

}  // namespace attnscope
