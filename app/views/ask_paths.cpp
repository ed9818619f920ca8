// Texts are in assets/strings/*/ask_paths.json.
#include "app/views/ask_paths.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/view/ask_tables.h"

namespace attnscope {

void AskPaths::draw_kinds(const ViewContext& context, ChipRow& line) {
  AskSettings& settings = context.workspace.asking.settings;
  const bool links = settings.page == AskPage::links;
  for (const auto& [name, kind] : kPathKinds) {
    const Label key("ask.link.", name);
    if (line(Label(tr(key), "###", key), links && settings.path == kind, tr(Label(key, ".help"))))
      settings.page = AskPage::links, settings.path = kind;
  }
  for (const AttentionPath path : {AttentionPath::raw, AttentionPath::rollout, AttentionPath::flow}) {
    const Label key("ask.paths.", path_name(path));
    if (line(Label(tr(key), "###", key), !links && settings.attention == path, tr(Label(key, ".help"))))
      settings.page = AskPage::paths, settings.attention = path;
  }
}

void AskPaths::draw_choices(const ViewContext& context, const Trace& trace, float width) {
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(5), scaled(6)));
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), scaled(3)));
  ChipRow line(width);
  draw_kinds(context, line);
  const auto places = attention_places(trace);
  std::string& of = context.workspace.asking.settings.attention_of;
  place_ = attention_named(trace, of);
  line.part();
  for (const AttentionPlace& place : places) {
    if (places.size() < 2) break;
    const std::string label = attention_name(trace.config(), place),
                      id = "###ask.paths.place_" + std::to_string(static_cast<int>(place.stack)) +
                           (place.part == Part::cross ? "_cross" : "");
    if (line(label + id, place_ == place)) place_ = place, of = to_text(place.pattern(0));
  }
}

void AskPaths::draw_rows(const ViewContext& context, const Trace& trace, const PathRows& found,
                         std::int64_t query, bool fresh, ImVec2 at, ImVec2 room) {
  const int sequence = context.workspace.cursor.sequence;
  MatrixPlot plot;
  plot.key = "ask_paths";
  const std::int64_t blocks = found.weights.size(0), keys = found.weights.size(1);
  std::vector<float> flipped;
  for (std::int64_t block = blocks; block-- > 0;)
    for (std::int64_t key = 0; key < keys; ++key) flipped.push_back(found.weights.at(block, key));
  plot.values = Tensor::from(std::move(flipped), {{Axis::none, blocks}, {Axis::key, keys}});
  plot.style.map = Colormap::sequential;
  set_range(plot.style, upward_range(plot.values), true);
  plot.digits = 2;
  plot.window = &window_;
  plot.double_click_resets = false;
  for (std::int64_t block = blocks; block-- > 0;)
    plot.rows.labels.push_back(
        block_words(trace.config(), place_.pattern(found.layers[static_cast<std::size_t>(block)])));
  plot.cols.title = tr("ask.axis.pos");
  for (std::int64_t key = 0; key < keys; ++key) {
    plot.cols.labels.push_back(row_name(context.run, sequence, place_.keys(), key));
    note_text(plot.cols.labels.back());
  }
  if (looks_at_itself(place_) && query < keys) plot.marks.push_back({-1, query, theme().q, 1, 1, 1.f});
  const float legend = scaled(46);
  plot.cell.x = std::min((room.x - scaled(90)) / static_cast<float>(keys), scaled(120));
  plot.cell.y = scaled(17);
  const float top = matrix_layout(plot, room).cells0.y;
  plot.cell.y = std::clamp((room.y - top - legend) / static_cast<float>(blocks), scaled(3), scaled(60));
  const MatrixEvent event = draw_matrix(context.painter, plot, at, ImVec2(room.x, room.y - legend));
  if (!fresh) veil(event.p0, event.p1);
  draw_legend(plot.style,
              tr("ask.paths.legend." + std::string(path_name(context.workspace.asking.settings.attention))),
              ImVec2(at.x, event.p1.y + scaled(8)),
              ImVec2(std::min(room.x - scaled(8), scaled(240)), scaled(26)), false);
  if (!event.hovered()) return;
  const std::int64_t block = blocks - 1 - event.row;
  const std::string text = tr("ask.paths.cell", {plot.rows.labels[static_cast<std::size_t>(event.row)],
                                                 row_name(context.run, sequence, place_.stack, query),
                                                 row_name(context.run, sequence, place_.keys(), event.col),
                                                 number_text(found.weights.at(block, event.col), 4)});
  note_text(text);
  ImGui::SetTooltip("%s", text.c_str());
  if (!event.clicked) return;
  context.workspace.cursor.query = query;
  context.workspace.cursor.key = event.col;
  go_to_site(context.workspace, context.run, place_.pattern(found.layers[static_cast<std::size_t>(block)]));
}

void AskPaths::draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room) {
  const Cursor& cursor = context.workspace.cursor;
  const int sequence = context.run.nearest(cursor.sequence);
  const auto trace = context.run.shared(sequence);
  ImGui::SetCursorScreenPos(at);
  if (attention_places(*trace).empty()) return caption(tr("ask.heads.none"));
  draw_choices(context, *trace, room.x);
  const AttentionPath path = context.workspace.asking.settings.attention;
  const bool own = place_.stack == trace->config().stack;
  const std::int64_t query = own && measure.measure
                                 ? row_of(*measure.measure, *trace)
                                 : std::clamp<std::int64_t>(cursor.query, 0, trace->rows(place_.stack) - 1);
  caption(tr("ask.paths.sentence." + std::string(path_name(path)),
             {row_name(context.run, sequence, place_.stack, query), std::to_string(query)}));
  const std::uint64_t subject =
                          key_of({context.run.opened_version, static_cast<std::uint64_t>(sequence),
                                  static_cast<std::uint64_t>(place_.stack),
                                  static_cast<std::uint64_t>(place_.part), static_cast<std::uint64_t>(path)}),
                      key = key_of({subject, context.run.version, static_cast<std::uint64_t>(query)});
  const auto found = rows_.get_or_before(
      subject, key, context.workers(), [trace, place = place_, path, query](const std::atomic<bool>& cancel) {
        return attention_path(*trace, place, path, query, [&] { return !cancel; });
      });
  if (!found) return caption(tr("output.pending"));
  if (!*found) {
    caption(found->error().text());
    return note_item("ask_paths_error");
  }
  context.workspace.asking.show_table(AskPage::paths, key_of({found.serial, key_of(language())}), [&] {
    return attention_table(*context.run.document.opened, *trace, place_, **found.value);
  });
  const ImVec2 here(at.x, ImGui::GetCursorScreenPos().y + scaled(4));
  draw_rows(context, *trace, **found.value, query, found.fresh, here,
            ImVec2(room.x, std::max(scaled(80), at.y + room.y - here.y)));
}

}  // namespace attnscope
