#include "app/views/mask_effect.h"

#include <algorithm>

#include "app/gpu/gl_context.h"
#include "app/views/mask_board.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/answer_change.h"

namespace attnscope {
namespace {

constexpr float kTwo = 250.f;  // units: minimum width of each of two patterns side by side
constexpr const char* kKeys[] = {"mask.pattern.own", "mask.pattern.now", "mask.pattern.difference"};

constexpr const char* kPatternNames[] = {"mask.pattern_own", "mask.pattern_now", "mask.pattern_difference"};

std::size_t index_of(std::uint8_t side) { return side; }
std::uint64_t mask_effect_number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::shared_ptr<const Trace> MaskEffect::own_run(const ViewContext& context, const AttentionScene& scene) {
  same_ = context.run.recorded() || all_own_masks(context.run.document);
  if (same_) return scene.trace;
  const std::uint64_t key = key_of({context.run.version, mask_effect_number(scene.sequence)});
  const auto made =
      job_.get(key, context.workers(),
               [document = context.run.document, at = scene.sequence](const std::atomic<bool>& cancel) {
                 const auto trace = run_with_own_masks(document, at, &cancel);
                 wake_window();
                 return trace ? *trace : nullptr;
               });
  return made ? *made : nullptr;
}

void MaskEffect::take_plane(const ViewContext& context, const AttentionScene& scene, Side side, Range rows,
                            Range cols) {
  Plane& plane = planes_[index_of(static_cast<std::uint8_t>(side))];
  const std::uint64_t key =
      key_of({context.run.version, scene_key(scene), own_ ? mask_effect_number(own_->length) : 0,
              mask_effect_number(rows.begin), mask_effect_number(rows.end), mask_effect_number(cols.begin),
              mask_effect_number(cols.end)});
  if (key == plane.key) return;
  plane = {};
  plane.key = key;
  const Site site = scene.pattern();
  if (side != Side::now && !own_) return;
  const auto old = side == Side::difference ? against(*scene.trace, own_, site) : nullptr;
  plane.values =
      attention_plane(side == Side::own ? *own_ : *scene.trace, {site, scene.head, rows, cols, false, old});
  plane.range = signed_range(plane.values);
}

MatrixEvent MaskEffect::draw_side(const ViewContext& context, const AttentionScene& scene, Side side,
                                  MatrixWindow& window, std::int64_t query, std::int64_t key, ImVec2 position,
                                  ImVec2 size) {
  Range rows, cols;
  limit_window(window, scene.queries, scene.keys, rows, cols);
  take_plane(context, scene, side, rows, cols);
  const std::size_t at = index_of(static_cast<std::uint8_t>(side));
  Plane& plane = planes_[at];
  const float line = text_size(fonts().small, "X").y + scaled(4);
  draw_text(Canvas(), fonts().small, position, theme().text_dim,
            middle_truncated(fonts().small,
                             kept_tr(same_ ? "mask.pattern.same" : kKeys[at], {std::to_string(scene.head)}),
                             size.x));
  if (plane.values.empty()) {
    draw_text(Canvas(), fonts().small, ImVec2(position.x, position.y + line), theme().text_dim,
              tr("attention.computing"));
    return {};
  }
  MatrixPlot& plot = plane.plot.get({axes_key(context, scene)}, [&] {
    MatrixPlot made;
    made.key = kPatternNames[at];
    made.digits = 2;
    made.masked_numbers = false;
    made.max_cell = 110.f;
    made.aspect = 0.8f;
    made.frame_colour = with_alpha(theme().text_dim, 0.6f);
    if (side == Side::now) made.place = {scene.pattern(), {}, {scene.head, 0, 0}, 1, 2};
    set_attention_axes(made, context, scene);
    made.rows.title.clear(), made.cols.title.clear();
    return made;
  });
  set_axis_pictures(plot, context, scene);
  plot.values = plane.values;
  plot.style = stage_style(slot_of(StepRole::pattern), plane.range,
                           {side == Side::difference, context.workspace.log_scale});
  plot.first_row = rows.begin, plot.first_col = cols.begin;
  plot.total_rows = scene.queries, plot.total_cols = scene.keys;
  plot.lit_row = query, plot.lit_col = key;
  plot.selected_row = context.workspace.cursor.query, plot.selected_col = context.workspace.cursor.key;
  plot.window = &window;
  const DrawGroupScope group("pattern", scene.pattern(), scene.head);
  const MatrixEvent event = draw_matrix(context.painter, plot, ImVec2(position.x, position.y + line),
                                        ImVec2(size.x, size.y - line));
  if (!event.hovered()) return event;
  const Cell cell = cell_at(*scene.trace, scene.pattern(), {scene.head, event.row, event.col});
  if (side == Side::now) offer_edit(context.workspace, {cell, {}, {}});
  if (event.clicked && side == Side::now) pin_cell(context.workspace, context.run, cell);
  if (!event.numbers)
    ImGui::SetTooltip("%s",
                      tr("attention.pair",
                         {query_name(context.run, scene, event.row), key_name(context.run, scene, event.col),
                          number_text(plane.values.at(event.row - rows.begin, event.col - cols.begin), 4)})
                          .c_str());
  return event;
}

void MaskEffect::take_answer(const ViewContext& context, const AttentionScene& scene) {
  const std::uint64_t key = key_of({context.run.version, mask_effect_number(scene.sequence), own_ != nullptr,
                                    std::hash<std::string>{}(language())});
  if (key == answer_key_) return;
  answer_key_ = key;
  answer_.clear();
  if (same_ || !own_) return;
  const auto change = answer_change(*own_, *scene.trace, 1);
  if (!change) return;
  const auto name = [&](const AnswerChange::Output& output) {
    return in_quotes(output_name(*context.run.document.opened, output.id));
  };
  answer_ = change->was.id == change->is.id
                ? tr("mask.answer.same",
                     {name(change->is), percent_text(change->is.before), percent_text(change->is.now)})
                : tr("mask.answer", {name(change->was), percent_text(change->was.before), name(change->is),
                                     percent_text(change->is.now)});
}

MatrixEvent MaskEffect::draw(const ViewContext& context, const AttentionScene& scene, MatrixWindow& window,
                             std::int64_t query, std::int64_t key, ImVec2 position, ImVec2 size) {
  const auto own = own_run(context, scene);
  if (own != own_) planes_ = {}, answer_key_ = 0;
  own_ = own;
  take_answer(context, scene);
  const float words = answer_.empty() ? 0 : text_size(fonts().body, "X").y * 2 + scaled(14);
  ImVec2 at = position, room(size.x, size.y - words);
  if (words > 0) {
    ImGui::SetCursorScreenPos(ImVec2(position.x, position.y + size.y - words + scaled(8)));
    figure_text(answer_, size.x);
  }
  const float gap = scaled(14);
  if (same_) return draw_side(context, scene, Side::now, window, query, key, at, room);
  if (room.x >= 2 * scaled(kTwo) + gap || room.y > 1.5f * room.x) {
    const bool beside = room.x >= 2 * scaled(kTwo) + gap;
    const ImVec2 each = beside ? ImVec2((room.x - gap) / 2, room.y) : ImVec2(room.x, (room.y - gap) / 2);
    const MatrixEvent before = draw_side(context, scene, Side::own, window, query, key, at, each);
    const ImVec2 next = beside ? ImVec2(at.x + each.x + gap, at.y) : ImVec2(at.x, at.y + each.y + gap);
    const MatrixEvent after = draw_side(context, scene, Side::now, window, query, key, next, each);
    return after.hovered() ? after : before;
  }
  // Chips: one pattern at a time, full size.
  ChipRow row(at, 1e9f);
  choose(row, side_);
  const float used = ImGui::GetFrameHeight() + scaled(6);
  return draw_side(context, scene, side_, window, query, key, ImVec2(at.x, at.y + used),
                   ImVec2(room.x, room.y - used));
}

}  // namespace attnscope
