#include "app/shell/easy_sight.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/state/controls.h"
#include "app/widgets/patch_picture.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/lesson/leaks.h"
#include "core/session/document.h"

namespace attnscope {
namespace {

constexpr float kSight = 168.f, kLeastSight = 120.f;  // units: one side of the photograph
constexpr float kSightGap = 24.f;

}  // namespace

bool EasySight::follow(const PanelContext& context, const ViewState& view) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const Cursor& cursor = context.workspace.cursor;
  const Site pattern = view.place.pattern(view.layer);
  const bool hidden = hides_row(context.workspace.hidden, pattern, view.head, view.row);
  const std::uint64_t key = key_of({context.run->version, number(cursor.sequence), number(view.place.stack),
                                    number(view.place.part), number(view.layer), number(view.head),
                                    number(view.row), number(cursor.key), hidden, key_of(language())});
  if (std::exchange(key_, key) == key) {
    if (!keys_.empty()) picture_ = upload_model_picture(context.painter, *context.run, cursor.sequence);
    return !keys_.empty() && !picture_.empty();
  }
  keys_ = queries_ = {};
  picture_.clear();
  if (view.run->input.pixels.empty()) return false;
  keys_ = patch_rows(*view.run, view.place.keys());
  queries_ = patch_rows(*view.run, view.place.stack);
  if (keys_.empty()) return false;
  picture_ = upload_model_picture(context.painter, *context.run, cursor.sequence);
  weights_ = hidden ? Tensor() : weights_on_patches(*view.run, pattern, view.head, view.row, keys_);
  const std::string who = row_label(*view.opened, *view.run, view.place.stack, view.row);
  title_.clear();
  if (weights_.empty()) return !picture_.empty();
  const Text share = percent(static_cast<double>(weight_on_image(weights_)));
  const std::int64_t framed = keys_.patch(cursor.key);
  title_ = framed < 0
               ? tr("easy.sight", {who, share.str()})
               : tr("easy.sight.framed",
                    {who, share.str(), row_label(*view.opened, *view.run, view.place.keys(), cursor.key),
                     std::to_string(framed / keys_.cols + 1), std::to_string(framed % keys_.cols + 1)});
  return !picture_.empty();
}

float EasySight::draw(const PanelContext& context, const ViewState& view, ImVec2 at, ImVec2 size) {
  if (!follow(context, view)) return 0;
  const float side = std::min({px(kSight), size.x * 0.3f, size.y - px(56)});
  if (side < px(kLeastSight)) return 0;
  PatchPicture picture;
  picture.id = "easy.sight";
  picture.picture = picture_;
  picture.rows = keys_.rows, picture.cols = keys_.cols;
  picture.weights = weights_;
  picture.chosen = queries_.patch(view.row);
  picture.lit = weights_.empty() ? -1 : keys_.patch(context.workspace.cursor.key);
  const PatchEvent event = draw_patch_picture(context.painter, picture, at, ImVec2(side, side));
  if (event.patch >= 0 && !weights_.empty()) {
    const std::int64_t row = keys_.row_of[static_cast<std::size_t>(event.patch)];
    const auto weight = static_cast<double>(weights_.at(event.patch / keys_.cols, event.patch % keys_.cols));
    compat::item_tooltip(tr("easy.sight.patch", {row_label(*view.opened, *view.run, view.place.keys(), row),
                                                 figure::number_text(weight, 4)})
                             .c_str());
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, event.p1.y + px(8)));
  text_in_lines(title_, side);
  note_item("sight_title");
  return side + px(kSightGap);
}

}  // namespace attnscope
