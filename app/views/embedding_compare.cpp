// Norms, angles and cosines of any two rows; q, k and v of one head as scatter plots.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/look/item_map.h"
#include "app/views/embedding_parts.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "app/widgets/point_cloud.h"
#include "app/widgets/table.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kEmbeddingCompareMostRows = 512;

// The first kMostRows rows of a step [pos, dim]; of one head if the step has heads.
Tensor embedding_compare_rows_of(const Trace& trace, const Site& site, std::int64_t head) {
  const Record* record = trace.find(site);
  if (!record) return {};
  const bool heads = record->shape.size() == 3;
  const std::int64_t rows = std::min(record->shape[heads ? 1 : 0], kEmbeddingCompareMostRows);
  return trace.slice(site, heads ? head : 0, {0, rows}, {0, record->shape.back()});
}

// The most similar other row by cosine; the row itself if there is none.
std::int64_t most_alike(const Tensor& cosines, std::int64_t row) {
  std::int64_t best = row;
  for (std::int64_t other = 0; other < cosines.size(1); ++other)
    if (cosines.at(row, other) < 0.9999f && (best == row || cosines.at(row, other) > cosines.at(row, best)))
      best = other;
  return best;
}

}  // namespace

Site head_rows_site(const Trace& trace, const AttentionPlace& place, int layer, Hue of) {
  for (const StepRole role : {StepRole::rotated, StepRole::head_norm})  // values have neither
    if (of != Hue::value && trace.find(place.site(role, of, layer))) return place.site(role, of, layer);
  return place.site(StepRole::split, of, layer);
}

EmbeddingCompare::Sheet EmbeddingCompare::make(const Trace& trace, Stack stack, Compared what,
                                               const AttentionPlace& place, int layer, std::int64_t head) {
  Sheet out;
  if (what == Compared::heads) {
    out.row_site = head_rows_site(trace, place, layer, Hue::query);
    out.col_site = head_rows_site(trace, place, layer, Hue::key);
    out.head = head;
    out.rows = embedding_compare_rows_of(trace, out.row_site, trace.own_head(out.row_site, head));
    out.cols = embedding_compare_rows_of(trace, out.col_site, trace.own_head(out.col_site, head));
  } else {
    const Slot slot = slot_of(what == Compared::table ? StepRole::words : StepRole::embedding);
    out.row_site = out.col_site =
        what == Compared::stream ? site_of(StepKind::residual_post, layer, stack) : site_of(slot, -1, stack);
    out.rows = out.cols = embedding_compare_rows_of(trace, out.row_site, -1);
  }
  if (out.rows.empty() || out.cols.empty() || out.rows.size(1) != out.cols.size(1)) return {};
  out.cosines = cosines(out.rows, out.cols);
  out.dots = cosines(out.rows, out.cols, true);
  return out;
}

// Two arrows with true lengths and angle, and the numbers.
void EmbeddingCompare::draw_pair(const ViewContext& context, Stack stack, const Sheet& sheet, ImVec2 at,
                                 ImVec2 size) const {
  const Theme& t = theme();
  const Canvas canvas;
  const Relation it = relation(sheet.rows.select(0, a_), sheet.cols.select(0, b_));
  const bool heads = what_ == Compared::heads;
  const int sequence = context.workspace.cursor.sequence;
  const std::string first = row_name(context.run, sequence, stack, a_),
                    second = row_name(context.run, sequence, stack, b_);
  note_text(first);
  note_text(second);
  const ImU32 ink_a = heads ? t.q : t.accent, ink_b = heads ? t.k : t.warning;
  const float line = text_size(fonts().mono_small, "0").y + scaled(7);
  const float drawing = std::max(scaled(40), std::min(size.x, size.y - 6 * line - scaled(8)));
  const DrawGroupScope group("angle");
  const ImVec2 middle(at.x + size.x / 2, at.y + drawing * 0.72f);
  const double most = std::max({it.length_a, it.length_b, 1e-12});
  const auto arrow = [&](double length, double degrees, ImU32 colour, const std::string& name) {
    const double angle = degrees * std::numbers::pi / 180;
    const float reach = drawing * 0.46f * static_cast<float>(length / most);
    const ImVec2 tip(middle.x + reach * static_cast<float>(std::cos(angle)),
                     middle.y - reach * static_cast<float>(std::sin(angle)));
    canvas.line(middle, tip, colour, scaled(3));
    canvas.fill_circle(tip, scaled(5), colour);
    const std::string text(middle_truncated(fonts().small, name, size.x / 2));
    const ImVec2 wide = text_size(fonts().small, text);
    draw_text(
        canvas, fonts().small,
        ImVec2(std::clamp(tip.x - wide.x / 2, at.x, at.x + size.x - wide.x), tip.y - wide.y - scaled(7)),
        colour, text);
  };
  const double angle = std::isfinite(it.degrees) ? it.degrees : 0;
  // The angle's bisector is vertical, so that the labels do not overlap.
  arrow(it.length_a, 90 + angle / 2, ink_a, first);
  arrow(it.length_b, 90 - angle / 2, ink_b, angle < 12 && a_ == b_ && !heads ? std::string() : second);
  const float y = at.y + std::max(drawing * (angle > 120 ? 1.f : 0.8f), drawing - scaled(20));
  Table table;
  table.columns = {{.share = 1}, number_column()};
  table.words = fonts().small, table.digits = fonts().mono, table.row = line;
  const auto number = [&](const char* key, double value, ImU32 colour, int digits) {
    table.rows.push_back(
        {{},
         {{tr(key), t.text_dim},
          {std::isfinite(value) ? number_text(static_cast<float>(value), digits) : "—", colour}}});
  };
  number("embedding.length.a", it.length_a, ink_a, 3);
  number("embedding.length.b", it.length_b, ink_b, 3);
  number("embedding.dot", it.dot, t.text, 3);
  number("embedding.cosine", it.cosine, t.text, 4);
  number("embedding.degrees", it.degrees, t.text, 1);
  (void)draw_table(table, ImVec2(at.x, y), size.x);
}

bool EmbeddingCompare::has(const Trace& trace, Stack stack, const AttentionPlace& place, int layer,
                           Compared what) {
  switch (what) {
    case Compared::table: return trace.find(site_of(StepRole::words, -1, stack)) != nullptr;
    case Compared::sum: return trace.find(site_of(StepRole::embedding, -1, stack)) != nullptr;
    case Compared::stream: return trace.find(site_of(StepKind::residual_post, layer, stack)) != nullptr;
    case Compared::heads: break;
  }
  return place.part == Part::attn && place.stack == stack &&
         trace.find(head_rows_site(trace, place, layer, Hue::query)) &&
         trace.find(head_rows_site(trace, place, layer, Hue::key));
}

void EmbeddingCompare::draw_chips(const ViewContext& context, const Trace& trace, Stack stack, int layer,
                                  ImVec2 beside, ImVec2 at, float width) {
  const Cursor& cursor = context.workspace.cursor;
  const AttentionPlace place = cursor_place(cursor, trace);
  const auto there = [&](Compared what) { return has(trace, stack, place, layer, what); };
  const std::string block = std::to_string(layer), head = std::to_string(cursor.head);
  const float chips = chips_width(what_, ImGui::GetStyle().ItemSpacing.x, there, {block, head});
  if (chips == 0) return;
  if (!there(what_)) {
    what_ = Compared::sum;
    for (const auto& option : kCompared)
      if (!there(what_)) what_ = option.value;
  }
  const float wide = chips + chip_width(tr(dots_.key)) + scaled(16);
  ImGui::SetCursorScreenPos(beside.x + wide <= at.x + width ? beside : at);
  ChipRow row;
  choose(row, what_, there, {block, head});
  row.part(16);
  toggle(row, dots_);
}

void EmbeddingCompare::draw(const ViewContext& context, Stack stack, ImVec2 beside, ImVec2 at, ImVec2 size) {
  const auto trace = context.run.shared(context.workspace.cursor.sequence);
  const Cursor& cursor = context.workspace.cursor;
  const AttentionPlace place = cursor_place(cursor, *trace);
  const int layers = trace->config().of(stack).n_layers();
  const int layer = std::clamp(cursor.layer, 0, std::max(0, layers - 1));
  draw_chips(context, *trace, stack, layer, beside, at, size.x);
  if (!has(*trace, stack, place, layer, what_)) {
    ImGui::SetCursorScreenPos(at);
    return caption(tr("embedding.compare.none"));
  }
  const float chips_end = ImGui::GetItemRectMax().y;
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(cursor.sequence),
              static_cast<std::uint64_t>(stack), static_cast<std::uint64_t>(what_.value)});
  if (subject != subject_) subject_ = subject, a_ = b_ = -1, window_ = {};
  const bool by_layer = what_ == Compared::stream || what_ == Compared::heads;
  const std::uint64_t key =
      key_of({subject, context.run.version, static_cast<std::uint64_t>(by_layer ? layer : 0),
              static_cast<std::uint64_t>(what_ == Compared::heads ? cursor.head : 0)});
  const auto sheet = made_.get_or_before(
      subject, key, context.workers(), [=, what = what_.value, head = cursor.head](const std::atomic<bool>&) {
        return make(*trace, stack, what, place, layer, head);
      });
  if (!sheet || sheet->cosines.empty()) return caption(tr("embedding.pending"));
  const std::int64_t rows = sheet->cosines.size(0), cols = sheet->cosines.size(1);
  const bool opens = a_ < 0;
  if (opens) a_ = cursor.query, b_ = cursor.key;
  a_ = std::clamp<std::int64_t>(a_, 0, rows - 1), b_ = std::clamp<std::int64_t>(b_, 0, cols - 1);
  if (opens && a_ == b_ && what_ != Compared::heads) b_ = most_alike(sheet->cosines, a_);
  const float begin = chips_end + scaled(8);
  const ImVec2 from(at.x, begin), room(size.x, at.y + size.y - begin);
  const float side = std::clamp(room.x * 0.3f, scaled(150), scaled(300));
  const DrawGroupScope group("matrix", sheet->row_site);
  MatrixPlot plot;
  plot.key = "embedding_cosines";
  plot.values = dots_ ? sheet->dots : sheet->cosines;
  plot.style.map = Colormap::diverging;
  if (dots_)
    set_range(plot.style, range_.of(plot.values));
  else
    plot.style.lo = -1, plot.style.hi = 1;
  plot.digits = 2;
  plot.window = &window_;
  plot.double_click_resets = false;
  plot.selected_row = a_, plot.selected_col = b_;
  const int sequence = cursor.sequence;
  plot.rows.label_of =
      plot.cols.label_of = [&](std::int64_t row) { return row_name(context.run, sequence, stack, row); };
  const bool heads = what_ == Compared::heads;
  plot.rows.title = heads ? "q" : "", plot.cols.title = heads ? "k" : "";
  plot.rows.colour = heads ? theme().q : 0, plot.cols.colour = heads ? theme().k : 0;
  const ImVec2 left(room.x - side - scaled(18), room.y);
  fill_room(plot, left, ImVec2(scaled(90), scaled(60)));
  const MatrixEvent event = draw_matrix(context.painter, plot, from, left);
  if (!sheet.fresh) veil(event.p0, event.p1);
  draw_pair(context, stack, *sheet, ImVec2(from.x + room.x - side, from.y), ImVec2(side, room.y));
  if (!event.hovered()) return;
  ImGui::SetTooltip("%s",
                    tr("embedding.cosine.help", {row_name(context.run, sequence, stack, event.row),
                                                 row_name(context.run, sequence, stack, event.col),
                                                 number_text(sheet->cosines.at(event.row, event.col), 4),
                                                 number_text(sheet->dots.at(event.row, event.col), 4)})
                        .c_str());
  if (!event.clicked) return;
  a_ = event.row, b_ = event.col;
  context.workspace.cursor.query = a_, context.workspace.cursor.key = b_;
}

EmbeddingHeads::Clouds EmbeddingHeads::make(const Trace& trace, const AttentionPlace& place, int layer,
                                            std::int64_t head, std::int64_t query) {
  Clouds out;
  out.q_site = head_rows_site(trace, place, layer, Hue::query);
  out.k_site = head_rows_site(trace, place, layer, Hue::key);
  out.v_site = head_rows_site(trace, place, layer, Hue::value);
  out.own = trace.own_head(out.k_site, head);
  const Tensor q = embedding_compare_rows_of(trace, out.q_site, trace.own_head(out.q_site, head)),
               k = embedding_compare_rows_of(trace, out.k_site, out.own),
               v = embedding_compare_rows_of(trace, out.v_site, trace.own_head(out.v_site, head));
  // Projected on the axes without centring: the direction from the origin matters for dot products.
  const auto places = [](const Pca& plane, const Tensor& rows) {
    std::vector<float> flat;
    for (std::int64_t row = 0; row < rows.size(0); ++row) {
      std::vector<double> at = plane.place(rows.select(0, row), true);
      at.resize(2);
      flat.push_back(static_cast<float>(at[0])), flat.push_back(static_cast<float>(at[1]));
    }
    return Tensor::from(std::move(flat), {{Axis::pos, rows.size(0)}, {Axis::unit, 2}});
  };
  if (!q.empty() && !k.empty() && q.size(1) == k.size(1)) {
    std::vector<float> both = q.values();
    const std::vector<float> more = k.values();
    both.insert(both.end(), more.begin(), more.end());
    out.qk = pca(Tensor::from(std::move(both), {{Axis::pos, q.size(0) + k.size(0)}, {Axis::dim, q.size(1)}}));
    out.q = places(out.qk, q);
    out.k = places(out.qk, k);
    if (query >= 0 && query < q.size(0)) out.q_at = out.qk.place(q.select(0, query), true);
  }
  if (!v.empty()) {
    out.v = pca(v);
    out.v_rows = places(out.v, v);
    const Tensor z = embedding_compare_rows_of(trace, place.site(StepRole::head_out, layer), head);
    if (!z.empty() && query >= 0 && query < z.size(0)) out.z_at = out.v.place(z.select(0, query), true);
  }
  if (const Record* pattern = trace.find(place.pattern(layer)); pattern && query < pattern->shape[1])
    out.weights = trace.slice(pattern->site, head, {query, query + 1},
                              {0, std::min(pattern->shape[2], kEmbeddingCompareMostRows)});
  return out;
}

void EmbeddingHeads::draw(const ViewContext& context, ImVec2 at, ImVec2 size) {
  const auto trace = context.run.shared(context.workspace.cursor.sequence);
  const Cursor& cursor = context.workspace.cursor;
  ImGui::SetCursorScreenPos(at);
  if (attention_places(*trace).empty()) return caption(tr("embedding.heads.none"));
  const AttentionPlace place = cursor_place(cursor, *trace);
  const std::vector<const Record*> patterns = patterns_of(*trace, place);
  const auto same = std::find_if(patterns.begin(), patterns.end(),
                                 [&](const Record* record) { return record->site.layer == cursor.layer; });
  const int layer = same != patterns.end() ? cursor.layer
                    : patterns.empty()     ? 0
                                           : patterns.front()->site.layer;
  const std::int64_t rows = trace->rows(place.stack);
  const std::int64_t query = std::clamp<std::int64_t>(cursor.query, 0, std::max<std::int64_t>(0, rows - 1));
  const int n_heads = trace->config().attention_at(place.site(StepRole::projection, layer)).n_heads;
  const int head = std::clamp(cursor.head, 0, n_heads - 1);
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(cursor.sequence),
              static_cast<std::uint64_t>(place.stack), static_cast<std::uint64_t>(place.part)});
  const std::uint64_t key = key_of({subject, context.run.version, static_cast<std::uint64_t>(layer),
                                    static_cast<std::uint64_t>(head), static_cast<std::uint64_t>(query)});
  const auto made = made_.get_or_before(key, key, context.workers(), [=](const std::atomic<bool>&) {
    return make(*trace, place, layer, head, query);
  });
  if (!made) return caption(tr("embedding.pending"));
  if (made->q.empty() && made->v_rows.empty()) return caption(tr("embedding.heads.none"));
  const float tall = size.y - text_size(fonts().body, "X").y - scaled(4);
  draw_clouds(context, *made, place, layer, head, query, at, ImVec2(size.x, tall));
  const std::string token = row_name(context.run, cursor.sequence, place.stack, query);
  note_text(token);
  draw_text(Canvas(), fonts().small, ImVec2(at.x, at.y + tall + scaled(4)), theme().text_dim,
            middle_truncated(fonts().small, tr("embedding.heads.sentence", {token}), size.x));
  if (!made.fresh) veil(at, ImVec2(at.x + size.x, at.y + tall));
}

float EmbeddingHeads::Clouds::weight(std::int64_t row) const {
  return weights.empty() || row >= weights.size(1) ? 0.f : std::clamp(weights.at(0, row), 0.f, 1.f);
}

// Full colour for large attention weights.
void EmbeddingHeads::add_rows(const ViewContext& context, const Clouds& it, PointCloud& cloud,
                              const Tensor& points, ImU32 colour, Stack stack, bool by_weight) {
  for (std::int64_t row = 0; row < points.size(0); ++row)
    cloud.points.push_back({points.at(row, 0), points.at(row, 1),
                            mix(theme().ground, colour, by_weight ? 0.3f + 0.7f * it.weight(row) : 0.9f),
                            row_name(context.run, context.workspace.cursor.sequence, stack, row),
                            !by_weight});
}

// The first `queries` points are queries, the others keys or values.
void EmbeddingHeads::point_at(const ViewContext& context, const Clouds& it, const CloudEvent& event,
                              const PointCloud& cloud, std::int64_t queries, const Site& other) {
  if (event.point < 0) return;
  const bool of_query = event.point < queries;
  const std::int64_t row = of_query ? event.point : event.point - queries;
  const std::string word = cloud.points[static_cast<std::size_t>(event.point)].label;
  const char* key = of_query ? "embedding.heads.query" : "embedding.heads.key";
  ImGui::SetTooltip("%s", tr(key, {std::to_string(row), word, number_text(it.weight(row), 4)}).c_str());
  if (!event.clicked) return;
  go_to_site(context.workspace, context.run, of_query ? it.q_site : other);
  (of_query ? context.workspace.cursor.query : context.workspace.cursor.key) = row;
}

void EmbeddingHeads::draw_clouds(const ViewContext& context, const Clouds& it, const AttentionPlace& place,
                                 int layer, int head, std::int64_t query, ImVec2 at, ImVec2 size) {
  const Theme& t = theme();
  const float gap = scaled(14), wide = (size.x - gap) / 2;
  const auto share = [](const Pca& plane) {
    return tr("embedding.map.share", {number_text(static_cast<float>(100 * plane.share(0)), 0),
                                      number_text(static_cast<float>(100 * plane.share(1)), 0)});
  };
  const auto arrow = [](PointCloud& cloud, const std::vector<double>& to, ImU32 colour, const char* name) {
    if (to.size() > 1)
      cloud.arrows.push_back({static_cast<float>(to[0]), static_cast<float>(to[1]), colour, name});
  };
  const std::string name = std::to_string(layer) + "." + std::to_string(head);
  if (!it.q.empty()) {
    PointCloud cloud;
    cloud.key = "embedding_qk";
    cloud.title = tr("embedding.heads.qk", {name});
    cloud.caption = share(it.qk);
    add_rows(context, it, cloud, it.q, t.q, place.stack, false);
    add_rows(context, it, cloud, it.k, t.k, place.keys(), true);
    cloud.selected = static_cast<int>(query);
    arrow(cloud, it.q_at, t.q, "q");
    const CloudEvent event = draw_point_cloud(cloud, at, ImVec2(wide, size.y));
    point_at(context, it, event, cloud, it.q.size(0), it.k_site);
  }
  if (!it.v_rows.empty()) {
    PointCloud cloud;
    cloud.key = "embedding_v";
    cloud.title = tr("embedding.heads.v", {name});
    cloud.caption = share(it.v);
    add_rows(context, it, cloud, it.v_rows, t.v, place.keys(), true);
    arrow(cloud, it.z_at, t.attention, "z");
    const CloudEvent event = draw_point_cloud(cloud, ImVec2(at.x + wide + gap, at.y), ImVec2(wide, size.y));
    point_at(context, it, event, cloud, 0, it.v_site);
  }
}

}  // namespace attnscope
