#include "app/views/attention_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/look/item_map.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kAttentionLinesLeast = 0.02f;           // smaller weights are not drawn
constexpr std::size_t kAttentionLinesMostLines = 1500;  // the largest weights
constexpr std::int64_t kAttentionLinesMostKeys = 2048;  // of longer rows only the current query's row is read
constexpr float kLowRow = 17.f, kHighRow = 46.f, kSquare = 24.f;  // units
constexpr std::size_t kAttentionLinesPoints = 18;                 // per curve

// A curve from query to key, horizontal at both ends.
void draw_curve(const Canvas& canvas, ImVec2 from, ImVec2 to, ImU32 colour, float thickness) {
  std::array<ImVec2, kAttentionLinesPoints> points;
  for (std::size_t i = 0; i < kAttentionLinesPoints; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(kAttentionLinesPoints - 1);
    const float ease = t * t * (3 - 2 * t);
    points[i] = ImVec2(from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * ease);
  }
  canvas.polyline(points, colour, false, thickness);
}

ImFont* face_for(float row) { return row >= scaled(25) ? fonts().mono : fonts().mono_small; }

}  // namespace

float LinesPane::Columns::y(std::int64_t at, bool query) const {
  return p0.y +
         (static_cast<float>(static_cast<double>(at) - (query ? first_query : first_key)) + 0.5f) * row;
}

bool LinesPane::is_on(const AttentionScene& scene, int head) const {
  return head == scene.head || (head < static_cast<int>(on_.size()) && on_[static_cast<std::size_t>(head)]);
}

// A square per head in its colour; a click shows or hides the head. Returns the height, pixels.
float LinesPane::draw_heads(const ViewContext& context, const AttentionScene& scene, int heads, ImVec2 at,
                            float width) {
  const float side = scaled(kSquare), step = side + scaled(5);
  const Canvas canvas;
  const std::string word = tr("attention.lines.heads");
  const float word_width = text_size(fonts().small, word).x + scaled(10);
  draw_text(canvas, fonts().small, ImVec2(at.x, at.y + (side - text_size(fonts().small, "X").y) / 2),
            theme().text_dim, word);
  float x = at.x + word_width, y = at.y;
  for (int head = 0; head < heads; ++head, x += step) {
    if (x + side > at.x + width) x = at.x + word_width, y += step;
    const ImVec2 p0(x, y), p1(x + side, y + side);
    ImGui::SetCursorScreenPos(p0);
    const std::string id = format("###head_line_%d", head);
    const bool clicked = hit_area(id.c_str(), ImVec2(side, side));
    note_item(id);
    const bool on = is_on(scene, head);
    const ImU32 colour = head_colour(head);
    canvas.fill_rect(p0, p1, on ? colour : with_alpha(colour, ImGui::IsItemHovered() ? 0.45f : 0.2f),
                     scaled(4));
    if (head == scene.head) canvas.rect(p0, p1, theme().text, scaled(4), 0, scaled(2));
    const std::string number = std::to_string(head);
    const ImVec2 room = text_size(fonts().mono_small, number);
    draw_text(canvas, fonts().mono_small, ImVec2(x + (side - room.x) / 2, y + (side - room.y) / 2),
              on ? ink_on(colour) : theme().text, number);
    compat::item_tooltip(
        tr(head == scene.head ? "attention.lines.own" : "attention.lines.toggle", {number}).c_str());
    if (clicked && head != scene.head) on_[static_cast<std::size_t>(head)] = !on;
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) {
      std::fill(on_.begin(), on_.end(), char{0});
      context.workspace.cursor.head = head;
    }
  }
  return y + side - at.y;
}

LinesPane::Columns LinesPane::columns_in(const ViewContext& context, const AttentionScene& scene, ImVec2 p0,
                                         ImVec2 p1) {
  Columns out;
  out.p0 = p0, out.p1 = p1;
  const double rows = static_cast<double>(std::max(scene.queries, scene.keys));
  out.row = std::clamp((p1.y - p0.y) / static_cast<float>(rows), scaled(kLowRow), scaled(kHighRow));
  const double seen = static_cast<double>((p1.y - p0.y) / out.row);
  const auto last = [&](std::int64_t size) { return std::max(0.0, static_cast<double>(size) - seen); };
  const std::int64_t query = context.workspace.cursor.query;
  if (query != shown_query_) {  // scroll to the query when it changes
    shown_query_ = query;
    const double at = static_cast<double>(query);
    if (at < scroll_ || at + 1 > scroll_ + seen) scroll_ = at - seen / 2;
  }
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(p0, p1) && !ImGui::GetIO().KeyCtrl)
    scroll_ -= static_cast<double>(ImGui::GetIO().MouseWheel) * 3;
  scroll_ = std::floor(std::clamp(scroll_, 0.0, std::max(last(scene.queries), last(scene.keys)) + 0.999));
  out.first_query = std::min(scroll_, std::ceil(last(scene.queries)));
  out.first_key = std::min(scroll_, std::ceil(last(scene.keys)));
  return out;
}

void LinesPane::take_lines(const ViewContext& context, const AttentionScene& scene, int heads,
                           const Columns& columns) {
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const auto seen = static_cast<std::int64_t>((columns.p1.y - columns.p0.y) / columns.row) + 1;
  const auto first = static_cast<std::int64_t>(columns.first_query);
  const std::int64_t asked = query_ >= 0 ? query_ : context.workspace.cursor.query;
  const bool one = scene.keys > kAttentionLinesMostKeys;
  const Range rows = one ? Range{asked, asked + 1} : Range{first, std::min(scene.queries, first + seen)};
  Hash hash;
  hash.take(key_of({context.run.version, scene_key(scene), number(rows.begin), number(rows.end)}));
  for (int head = 0; head < heads; ++head) hash.take(key_of({number(head), is_on(scene, head)}));
  if (hash.value() == key_) return;
  key_ = hash.value();
  lines_.clear();
  for (int head = 0; head < heads; ++head) {
    if (!is_on(scene, head)) continue;
    const Tensor plane = attention_plane(*scene.trace, {scene.pattern(), head, rows, {0, scene.keys}});
    for (std::int64_t row = 0; !plane.empty() && row < plane.size(0); ++row)
      for (std::int64_t key = 0; key < plane.size(1); ++key)
        if (plane.at(row, key) >= kAttentionLinesLeast)
          lines_.push_back({head, rows.begin + row, key, plane.at(row, key)});
  }
  const auto weaker = [](const Line& a, const Line& b) { return a.weight < b.weight; };
  std::stable_sort(lines_.begin(), lines_.end(), weaker);
  if (lines_.size() > kAttentionLinesMostLines)
    lines_.erase(lines_.begin(), lines_.end() - static_cast<std::ptrdiff_t>(kAttentionLinesMostLines));
}

void LinesPane::draw_lines(const Columns& columns, std::int64_t cursor) const {
  const Canvas canvas;
  canvas.push_clip(columns.p0, columns.p1);
  const bool pointed = query_ >= 0 || pointed_key_ >= 0;
  const auto draw = [&](bool lit) {
    for (const Line& line : lines_) {
      const bool own = pointed ? line.query == query_ || line.key == pointed_key_ : line.query == cursor;
      if (own != lit || (pointed && !own)) continue;
      const float strength = lit ? 0.25f + 0.75f * line.weight : 0.5f * line.weight;
      draw_curve(canvas, ImVec2(columns.left, columns.y(line.query, true)),
                 ImVec2(columns.right, columns.y(line.key, false)),
                 with_alpha(head_colour(line.head), strength),
                 scaled(1.f) + line.weight * columns.row * (lit ? 0.28f : 0.16f));
    }
  };
  draw(false), draw(true);
  canvas.pop_clip();
}

void LinesPane::draw_words(const ViewContext& context, const AttentionScene& scene,
                           const Columns& columns) const {
  const Canvas canvas;
  ImFont* font = face_for(columns.row);
  const Cursor& cursor = context.workspace.cursor;
  const float tall = text_size(font, "X").y, gap = scaled(8);
  const std::int64_t query = query_ >= 0 ? query_ : pointed_key_ >= 0 ? -1 : cursor.query;
  const auto column = [&](bool queries) {
    const std::int64_t size = queries ? scene.queries : scene.keys;
    for (auto at = static_cast<std::int64_t>(queries ? columns.first_query : columns.first_key); at < size;
         ++at) {
      const float y = columns.y(at, queries);
      if (y + columns.row / 2 > columns.p1.y + 1) break;
      const bool lit =
          queries ? at == query : at == pointed_key_ || (pointed_key_ < 0 && at == cursor.key && query_ < 0);
      const std::string word =
          queries ? query_name(context.run, scene, at) : key_name(context.run, scene, at);
      const float room = queries ? columns.left - gap - columns.p0.x : columns.p1.x - columns.right - gap;
      const std::string shown(middle_truncated(font, word, room * (queries ? 1.f : 0.62f)));
      const ImU32 ink = lit ? (queries ? theme().q : theme().k) : theme().text;
      const float x = queries ? columns.left - gap - text_size(font, shown).x : columns.right + gap;
      if (lit)
        canvas.fill_rect(ImVec2(x - scaled(4), y - columns.row / 2 + 1),
                         ImVec2(x + text_size(font, shown).x + scaled(4), y + columns.row / 2 - 1),
                         theme().accent_soft, scaled(4));
      draw_text(canvas, font, ImVec2(x, y - tall / 2), ink, shown);
    }
  };
  column(true), column(false);
  // Weights of the current query, if there is room; for a hovered key, the weights that it receives.
  float used_before = -1, x = 0;
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    if (line->head != scene.head) continue;
    const bool to_key = pointed_key_ >= 0 && query_ < 0;
    if (to_key ? line->key != pointed_key_ : line->query != query) continue;
    const float y = columns.y(to_key ? line->query : line->key, to_key);
    if (y < columns.p0.y || y > columns.p1.y || y == used_before) continue;
    const std::string number = number_text(line->weight, 2);
    x = to_key ? columns.p0.x : columns.right + (columns.p1.x - columns.right) * 0.66f;
    draw_text(canvas, font, ImVec2(x, y - tall / 2), head_colour(line->head), number);
    used_before = y;
  }
}

PairEvent LinesPane::draw(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                          ImVec2 size) {
  if (size.x < scaled(60) || size.y < scaled(90)) return {};
  const Record* record = scene.trace->find(scene.pattern());
  const int heads = record ? static_cast<int>(record->shape[0]) : 1;
  const std::uint64_t subject = key_of({context.run.opened_version, static_cast<std::uint64_t>(scene.stack),
                                        static_cast<std::uint64_t>(scene.part)});
  if (subject != subject_) on_.clear(), scroll_ = 0, shown_query_ = -1;
  subject_ = subject;
  on_.resize(static_cast<std::size_t>(heads), 0);
  const float used = draw_heads(context, scene, heads, position, size.x) + scaled(8);
  const Canvas canvas;
  const float line = text_size(fonts().small, "X").y + scaled(4);
  const ImVec2 p0(position.x, position.y + used + line), p1(position.x + size.x, position.y + size.y);
  Columns columns = columns_in(context, scene, p0, p1);
  const float words = std::clamp(size.x * 0.24f, scaled(70), scaled(190));
  columns.left = p0.x + words, columns.right = p1.x - words - scaled(20);
  const std::string query_title = tr("attention.lines.query"), key_title = tr("attention.lines.key");
  draw_text(canvas, fonts().small,
            ImVec2(std::max(position.x, columns.left - scaled(8) - text_size(fonts().small, query_title).x),
                   position.y + used),
            theme().q, query_title);
  draw_text(canvas, fonts().small, ImVec2(columns.right + scaled(8), position.y + used), theme().k,
            key_title);
  take_lines(context, scene, heads, columns);
  const DrawGroupScope group("lines", scene.pattern(), scene.head);
  draw_lines(columns, context.workspace.cursor.query);
  draw_words(context, scene, columns);
  ImGui::SetCursorScreenPos(p0);
  const bool clicked = hit_area("###attention.lines", ImVec2(p1.x - p0.x, std::max(1.f, p1.y - p0.y)));
  note_item("attention.lines");
  query_ = pointed_key_ = -1;
  PairEvent out;
  if (!ImGui::IsItemHovered()) return out;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto at = static_cast<std::int64_t>(std::floor((mouse.y - p0.y) / columns.row));
  if (mouse.x <= columns.left) {
    query_ = at + static_cast<std::int64_t>(columns.first_query);
    if (query_ >= scene.queries) query_ = -1;
  } else if (mouse.x >= columns.right) {
    pointed_key_ = at + static_cast<std::int64_t>(columns.first_key);
    if (pointed_key_ >= scene.keys) pointed_key_ = -1;
  }
  if (query_ >= 0) out = {query_, context.workspace.cursor.key, clicked};
  if (pointed_key_ >= 0) out = {context.workspace.cursor.query, pointed_key_, clicked};
  return out;
}

}  // namespace attnscope
