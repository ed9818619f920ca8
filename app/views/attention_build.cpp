#include "app/views/attention_build.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kAttentionBuildMostTokens = 48;  // per side; more would be unreadable
constexpr float kFeaturesPerSecond = 2.f;

// At most kAttentionBuildMostTokens positions around `at`.
Range attention_build_around(std::int64_t at, std::int64_t size) {
  const std::int64_t count = std::min(size, kAttentionBuildMostTokens);
  const std::int64_t begin = std::clamp<std::int64_t>(at - count / 2, 0, size - count);
  return {begin, begin + count};
}

Tensor as_row(const Tensor& values, bool down) {
  return Tensor::from(values.values(), down ? Shape{{Axis::query, values.count()}, {Axis::none, 1}}
                                            : Shape{{Axis::none, 1}, {Axis::key, values.count()}});
}

}  // namespace

void BuildPane::take_step(const ViewContext& context, const AttentionScene& scene) {
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const Cursor& cursor = context.workspace.cursor;
  rows_ = attention_build_around(cursor.query, scene.queries),
  cols_ = attention_build_around(cursor.key, scene.keys);
  const std::uint64_t key = key_of(
      {context.run.version, scene_key(scene), number(feature_), number(rows_.begin), number(cols_.begin)});
  if (key == key_ && (step_ || !error_.empty())) return;
  key_ = key;
  auto step = outer_step(*scene.trace, scene.pattern(), scene.head, feature_, rows_, cols_);
  step_.reset(), error_.clear();
  if (!step) {
    error_ = step.error().sentence();
    return;
  }
  step_ = *std::move(step);
  feature_ = std::clamp<std::int64_t>(feature_, 0, step_->width - 1);
  product_range_ = signed_range(step_->product);
  // The colour range of the partial sums is that of the full scores, so that their growth is visible.
  const auto whole = outer_step(*scene.trace, scene.pattern(), scene.head, step_->width - 1, rows_, cols_);
  sum_range_ = signed_range(whole ? whole->sum : step_->sum);
}

float BuildPane::draw_controls(const ViewContext& context, ImVec2 at, float width) {
  float x = at.x;
  if (context.workspace.animate) {
    ImGui::SetCursorScreenPos(ImVec2(x, at.y + scaled(2)));
    if (play_button("###attention.build_play", playing_, tr("attention.build.play"))) {
      playing_ = !playing_;
      if (playing_ && feature_ + 1 >= step_->width) feature_ = 0;
    }
    x += scaled(38);
  } else {
    playing_ = false;
  }
  if (playing_) {
    context.workspace.moving = true;
    walked_ += ImGui::GetIO().DeltaTime * kFeaturesPerSecond * context.workspace.speed;
    feature_ = std::min(step_->width - 1, feature_ + static_cast<std::int64_t>(walked_));
    walked_ -= std::floor(walked_);
    if (feature_ + 1 == step_->width) playing_ = false;
  }
  ImGui::SetCursorScreenPos(ImVec2(x, at.y));
  std::int64_t count = feature_ + 1;
  (void)slider_int("###attention.build_feature",
                   tr("attention.build.feature", {std::to_string(step_->width)}), count, 1, step_->width,
                   std::min(width - (x - at.x), scaled(240)), tr("attention.build.feature.help"));
  feature_ = count - 1;
  if (heads_ > 1) {
    ImGui::SetCursorScreenPos(ImVec2(ImGui::GetItemRectMax().x + scaled(18), at.y));
    std::int64_t head = context.workspace.cursor.head;
    if (slider_int("###attention.build_head", tr("mask.head"), head, 0, heads_ - 1, scaled(90),
                   tr("mask.head.help"))
            .changed)
      context.workspace.cursor.head = static_cast<int>(head);
  }
  const float end = ImGui::GetItemRectMax().x + scaled(18), line = text_size(fonts().body, "X").y;
  const bool last = feature_ + 1 == step_->width;
  const std::string left = significant(step_->left, 2);
  const std::string text =
      last ? tr(step_->left < 1e-3 ? "attention.build.same" : "attention.build.edited", {left})
           : tr("attention.build.left", {left});
  draw_text(Canvas(), fonts().body, ImVec2(end, at.y + scaled(8)),
            !last                ? theme().text_dim
            : step_->left < 1e-3 ? theme().ok
                                 : theme().warning,
            middle_truncated(fonts().body, text, at.x + width - end));
  return std::max(scaled(34), line) + scaled(10);
}

void BuildPane::draw_matrices(const ViewContext& context, const AttentionScene& scene, ImVec2 at,
                              ImVec2 room) const {
  const float rows = static_cast<float>(rows_.size()), cols = static_cast<float>(cols_.size());
  float labels = 0;
  for (std::int64_t row = rows_.begin; row < rows_.end; ++row)
    labels = std::max(labels, text_size(fonts().mono_small, query_name(context.run, scene, row)).x);
  labels = std::min(labels + scaled(12), scaled(110));
  const float gap = scaled(10), between = scaled(34), title = text_size(fonts().body_bold, "X").y + scaled(6);
  const float heads = scaled(74);  // height of the key labels
  // Columns: row labels, q, product | partial sum with key labels; the cells of the sum are larger.
  const float strip = scaled(26);
  const float wide = room.x - labels - strip - gap - between - scaled(20);
  const float high = room.y - title - heads - strip - gap;
  const ImVec2 small(std::min(wide * 0.42f / cols, scaled(40)), std::min(high / rows, scaled(30)));
  const ImVec2 large(std::min(wide * 0.58f / cols, scaled(64)),
                     std::min((high + strip + gap) / rows, scaled(40)));
  const std::string feature = std::to_string(feature_ + 1);
  const Canvas canvas;
  const float y_cells = at.y + title + heads + strip + gap, x_q = at.x + labels;
  const float x_product = x_q + strip + gap;
  const float x_sum = x_product + small.x * cols + between;
  draw_text(
      canvas, fonts().body_bold, at, theme().text,
      middle_truncated(fonts().body_bold, tr("attention.build.product", {feature}), x_sum - at.x - gap));
  draw_text(
      canvas, fonts().body_bold, ImVec2(x_sum, at.y), theme().text,
      middle_truncated(fonts().body_bold, tr("attention.build.sum", {feature, std::to_string(step_->width)}),
                       at.x + room.x - x_sum));
  const float largest = std::max(signed_range(step_->q).hi, signed_range(step_->k).hi);
  const ValueRange features{-largest, largest, -largest, largest};
  const auto label = [&](std::int64_t key, float x) {
    canvas.climbing_text(fonts().mono_small, ImVec2(x, at.y + title + heads - scaled(4)), theme().k,
                         middle_truncated(fonts().mono_small, key_name(context.run, scene, key), scaled(80)),
                         0.743f, 0.669f);
  };
  const float tall = text_size(fonts().mono_small, "X").y;
  const auto stride = [&](float cell) {
    return std::max<std::int64_t>(1, std::llround(std::ceil(tall / std::max(1.f, cell))));
  };
  for (std::int64_t i = 0; i < cols_.size(); i += stride(small.x))
    label(cols_.begin + i, x_product + (static_cast<float>(i) + 0.5f) * small.x);
  for (std::int64_t i = 0; i < rows_.size(); i += stride(small.y)) {
    const std::string name(middle_truncated(
        fonts().mono_small, query_name(context.run, scene, rows_.begin + i), labels - scaled(8)));
    draw_text(canvas, fonts().mono_small,
              ImVec2(x_q - scaled(6) - text_size(fonts().mono_small, name).x,
                     y_cells + (static_cast<float>(i) + 0.5f) * small.y - tall / 2),
              theme().q, name);
  }
  const auto put = [&](MatrixPlot plot, float x, float y, float columns, float lines) {
    (void)draw_matrix(context.painter, plot, ImVec2(x, y),
                      ImVec2(plot.cell.x * columns + scaled(2), plot.cell.y * lines + scaled(2)));
  };
  put(bare_plot("attention.build_k", as_row(step_->k, false), features, ImVec2(small.x, strip)), x_product,
      y_cells - gap - strip, cols, 1);
  put(bare_plot("attention.build_q", as_row(step_->q, true), features, ImVec2(strip, small.y)), x_q, y_cells,
      1, rows);
  put(bare_plot("attention.build_product", step_->product, product_range_, small), x_product, y_cells, cols,
      rows);
  const float y_sum = at.y + title + heads;
  for (std::int64_t i = 0; i < cols_.size(); i += stride(large.x))
    label(cols_.begin + i, x_sum + (static_cast<float>(i) + 0.5f) * large.x);
  put(bare_plot("attention.build_sum", step_->sum, sum_range_, large), x_sum, y_sum, cols, rows);
  const std::string arrow = "→";
  draw_text(canvas, fonts().title,
            ImVec2(x_sum - between / 2 - text_size(fonts().title, arrow).x / 2,
                   y_cells + rows * small.y / 2 - text_size(fonts().title, arrow).y / 2),
            theme().text_dim, arrow);
}

void BuildPane::draw(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size) {
  take_step(context, scene);
  const Record* record = scene.trace->find(scene.pattern());
  heads_ = record ? record->shape[0] : 1;
  ImGui::SetCursorScreenPos(position);
  if (!step_) return caption(error_);
  const float used = draw_controls(context, position, size.x);
  const DrawGroupScope group("build", scene.site(StepRole::scores), scene.head);
  draw_matrices(context, scene, ImVec2(position.x, position.y + used), ImVec2(size.x, size.y - used));
}

}  // namespace attnscope
