#include "app/views/attention_triangle.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kColdest = 0.1f, kAttentionTriangleHottest = 10.f;
constexpr int kWay = 60;                               // points of the temperature curve
constexpr std::size_t kAttentionTriangleOffered = 12;  // keys to choose from

struct Triangle {
  ImVec2 corner[3];
  ImVec2 place(const SimplexPoint& point) const {
    ImVec2 out(0, 0);
    for (int i = 0; i < 3; ++i) {
      const auto share = static_cast<float>(point[static_cast<std::size_t>(i)]);
      out.x += share * corner[i].x, out.y += share * corner[i].y;
    }
    return out;
  }
};

bool sees(const SimplexPoint& point) { return point[0] + point[1] + point[2] > 0; }

}  // namespace

void TrianglePane::take_row(const ViewContext& context, const AttentionScene& scene, std::int64_t query) {
  const auto before = context.before && !context.before->traces.empty() ? context.before : nullptr;
  const std::uint64_t subject =
      key_of({context.run.opened_version, scene_key(scene), static_cast<std::uint64_t>(query)});
  Hash hash;
  hash.take(key_of({subject, context.run.version, before ? before->version : 0}));
  for (const std::int64_t key : keys_) hash.take(static_cast<std::uint64_t>(key));
  if (row_ && hash.value() == key_) return;
  auto row = attention_row(*scene.trace, scene.pattern(), scene.head, query);
  row_.reset(), older_.reset(), way_.clear(), strongest_.clear();
  query_ = query;
  if (!row) return;
  row_ = *std::move(row);
  strongest_ = strongest_keys(*row_);
  const auto lost = [&](std::int64_t key) {
    return std::find(strongest_.begin(), strongest_.end(), key) == strongest_.end();
  };
  if (subject != subject_ || std::any_of(keys_.begin(), keys_.end(), lost)) {
    subject_ = subject;
    for (std::size_t i = 0; i < 3; ++i) keys_[i] = i < strongest_.size() ? strongest_[i] : -1;
  }
  hash = {};
  hash.take(key_of({subject, context.run.version, before ? before->version : 0}));
  for (const std::int64_t key : keys_) hash.take(static_cast<std::uint64_t>(key));
  key_ = hash.value();
  if (strongest_.size() < 3) return;
  for (int i = 0; i <= kWay; ++i) {
    const double share = static_cast<double>(i) / kWay;
    way_.push_back(
        simplex_point(*row_, keys_,
                      static_cast<double>(kColdest) *
                          std::pow(static_cast<double>(kAttentionTriangleHottest / kColdest), share)));
  }
  if (!before) return;
  const Trace& old = before->trace(scene.sequence);
  // Only for the same tokens at the same positions: otherwise the three keys would not correspond.
  if (old.ids_of(scene.keys_stack()) != scene.trace->ids_of(scene.keys_stack())) return;
  const auto was = attention_row(old, scene.pattern(), scene.head, query);
  if (was && was->terms.size() == row_->terms.size()) older_ = simplex_point(*was, keys_);
}

// The keys with the largest weights: a click makes one a corner, in place of the corner with least weight.
void TrianglePane::draw_keys(const ViewContext& context, const AttentionScene& scene, ImVec2 at,
                             float width) {
  const FontScope face(fonts().mono_small);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(6), scaled(3)));
  float x = at.x;
  for (std::size_t i = 0; i < std::min(strongest_.size(), kAttentionTriangleOffered); ++i) {
    const std::int64_t key = strongest_[i];
    const std::string label =
        key_name(context.run, scene, key) + "###attention.corner_" + std::to_string(key);
    const float wide = chip_width(label);
    if (x + wide > at.x + width) break;
    ImGui::SetCursorScreenPos(ImVec2(x, at.y));
    const bool on = std::find(keys_.begin(), keys_.end(), key) != keys_.end();
    if (chip(label, on, tr("attention.triangle.choose")) && !on) {
      const auto weight = [&](std::int64_t of) { return row_->terms[static_cast<std::size_t>(of)].weight; };
      *std::min_element(keys_.begin(), keys_.end(), [&](auto a, auto b) { return weight(a) < weight(b); }) =
          key;
    }
    x += wide + scaled(4);
  }
}

void TrianglePane::draw_figure(const ViewContext& context, const AttentionScene& scene, ImVec2 at,
                               ImVec2 room) const {
  const Theme& t = theme();
  const Canvas canvas;
  const float line = text_size(fonts().mono, "X").y, words = line * 2 + scaled(6);
  const float side = std::min((room.y - 2 * words - scaled(4)) / 0.866f, room.x - scaled(120));
  if (side < scaled(60)) return;
  const float high = side * 0.866f;
  const ImVec2 middle(at.x + room.x / 2, at.y + words);
  Triangle triangle{{ImVec2(middle.x, middle.y), ImVec2(middle.x - side / 2, middle.y + high),
                     ImVec2(middle.x + side / 2, middle.y + high)}};
  canvas.fill_triangle(triangle.corner[0], triangle.corner[1], triangle.corner[2], t.panel);
  for (int i = 0; i < 3; ++i)
    for (const double share : {0.25, 0.5, 0.75}) {
      SimplexPoint a{}, b{};
      const auto own = static_cast<std::size_t>(i), next = (own + 1) % 3, last = (own + 2) % 3;
      a[own] = b[own] = share, a[next] = b[last] = 1 - share;
      canvas.line(triangle.place(a), triangle.place(b), with_alpha(t.border, 0.8f), scaled(1));
    }
  canvas.polyline(triangle.corner, t.text_dim, true, scaled(1.5f));
  std::vector<ImVec2> points;
  for (const SimplexPoint& point : way_) points.push_back(triangle.place(point));
  canvas.polyline(points, with_alpha(t.attention, 0.6f), false, scaled(2));
  const SimplexPoint own = simplex_point(*row_, keys_),
                     now = simplex_point(*row_, keys_, static_cast<double>(temperature_));
  const SimplexPoint even{1.0 / 3, 1.0 / 3, 1.0 / 3};
  canvas.circle(triangle.place(even), scaled(3), t.text_dim);
  if (older_ && sees(*older_)) {
    const ImVec2 from = triangle.place(*older_), to = triangle.place(own);
    canvas.line(from, to, t.warning, scaled(2));
    canvas.circle(from, scaled(7), t.warning, 0, scaled(2));
  }
  if (temperature_ != 1.f) canvas.circle(triangle.place(own), scaled(7), t.accent, 0, scaled(2));
  canvas.fill_circle(triangle.place(now), scaled(8), t.accent);
  canvas.circle(triangle.place(now), scaled(8), t.ground, 0, scaled(1.5f));
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string word(
        middle_truncated(fonts().mono, key_name(context.run, scene, keys_[i]), side * 0.6f));
    const std::string share = number_text(static_cast<float>(now[i]), 4);
    const ImVec2 corner = triangle.corner[i];
    const float y = i == 0 ? corner.y - words : corner.y + scaled(4);
    draw_text(canvas, fonts().mono, ImVec2(corner.x - text_size(fonts().mono, word).x / 2, y), t.k, word);
    draw_text(canvas, fonts().mono, ImVec2(corner.x - text_size(fonts().mono, share).x / 2, y + line), t.text,
              share);
  }
}

void TrianglePane::draw(const ViewContext& context, const AttentionScene& scene, std::int64_t query,
                        ImVec2 position, ImVec2 size) {
  take_row(context, scene, query);
  ImGui::SetCursorScreenPos(position);
  if (!row_ || strongest_.size() < 3) return caption(tr("attention.triangle.few"));
  double three = 0;
  for (const std::int64_t key : keys_) three += row_->terms[static_cast<std::size_t>(key)].weight;
  const std::string who = query_name(context.run, scene, query);
  const float slider = std::min(scaled(200), size.x * 0.42f), text_x = position.x + slider + scaled(16);
  const std::string shown =
      tr("attention.triangle.temperature", {significant(static_cast<double>(temperature_), 3)});
  const SliderEvent heat =
      slider_real("###attention.triangle_t", shown, temperature_, kColdest, kAttentionTriangleHottest, "",
                  slider, tr("attention.triangle.temperature.help"), true);
  const bool near_one = std::fabs(std::log10(temperature_)) < 0.02f;
  if (heat.changed && !heat.typed && near_one) temperature_ = 1;
  const float used = ImGui::GetItemRectMax().y - position.y + scaled(8);
  ImGui::SetCursorScreenPos(ImVec2(text_x, position.y));
  {
    const ChildScope words("###attention.triangle_words", ImVec2(position.x + size.x - text_x, scaled(36)),
                           ImGuiWindowFlags_NoScrollbar);
    caption(tr(older_ ? "attention.triangle.moved" : "attention.triangle.words",
               {who, number_text(static_cast<float>(three), 2)}));
  }
  const float chips = ImGui::GetFrameHeight() + scaled(6);
  const DrawGroupScope group("triangle", scene.pattern(), scene.head);
  draw_figure(context, scene, ImVec2(position.x, position.y + used), ImVec2(size.x, size.y - used - chips));
  draw_keys(context, scene, ImVec2(position.x, position.y + size.y - chips + scaled(4)), size.x);
}

}  // namespace attnscope
