#include "app/views/attention_image.h"

#include <algorithm>

#include "app/widgets/arm_way.h"
#include "app/widgets/patch_picture.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/leaks.h"

namespace attnscope {
namespace {

std::int64_t row_at(const PatchRows& patches, std::int64_t patch) {
  return patch >= 0 && patch < static_cast<std::int64_t>(patches.row_of.size())
             ? patches.row_of[static_cast<std::size_t>(patch)]
             : -1;
}

// Path of the gripper decoded from the sequence's last tokens, for models with arm actions.
std::vector<PathPoint> said_way(const RunResult& run, int sequence) {
  const auto& opened = run.document.opened;
  if (!opened || !opened->tokenizer) return {};
  return arm_way_said(*opened->tokenizer, run.trace(sequence).ids);
}

}  // namespace

bool ImagePane::possible(const ViewContext& context, const AttentionScene& scene) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t key =
      key_of({context.run.version, number(scene.sequence), number(scene.stack), number(scene.part)});
  if (key != places_key_) {
    places_key_ = key;
    const bool image = !scene.trace->input.pixels.empty();
    queries_ = image ? patch_rows(*scene.trace, scene.stack) : PatchRows{};
    keys_ = image ? patch_rows(*scene.trace, scene.keys_stack()) : PatchRows{};
    way_ = image ? said_way(context.run, scene.sequence) : std::vector<PathPoint>{};
  }
  return !keys_.empty();
}

void ImagePane::follow(const ViewContext& context, const AttentionScene& scene, std::int64_t query) {
  const std::uint64_t key =
      key_of({context.run.version, scene_key(scene), static_cast<std::uint64_t>(query)});
  if (key == key_) return;
  key_ = key;
  weights_ = weights_on_patches(*scene.trace, scene.pattern(), scene.head, query, keys_);
  most_ = weights_.empty() ? 0 : stats(weights_).max;
  sum_ = weight_on_image(weights_);
}

PairEvent ImagePane::draw(const ViewContext& context, const AttentionScene& scene, std::int64_t query,
                          std::int64_t key, ImVec2 position, ImVec2 size) {
  PairEvent out;
  if (!possible(context, scene)) return out;
  follow(context, scene, query);
  const float line = text_size(fonts().small, "X").y + scaled(3);
  const Canvas canvas;
  const std::string who = query_name(context.run, scene, query);
  const bool asked = hides_row(context.workspace.hidden, scene.pattern(), scene.head, query);  // by a lesson
  const std::string title =
      tr("attention.image.title", {who, asked ? std::string("?") : number_text(sum_, 3)});
  const FittedText shown = fitted_text(fonts().small, title, size.x);
  canvas.text(fonts().small, position, theme().q, shown.text, shown.size);
  PatchPicture picture;
  picture.id = "attention.image";
  picture.picture = upload_model_picture(context.painter, context.run, scene.sequence);
  picture.rows = keys_.rows, picture.cols = keys_.cols;
  if (!asked) picture.weights = weights_;  // else the picture alone: one sees what there is to look at
  picture.chosen = queries_.patch(query);
  picture.lit = keys_.patch(key);
  const ImVec2 at(position.x, position.y + line + scaled(4));
  const PatchEvent event = draw_patch_picture(context.painter, picture, at,
                                              ImVec2(size.x, std::max(1.f, size.y - 2 * line - scaled(8))));
  canvas.push_clip(event.p0, event.p1);
  if (!asked) draw_arm_way(way_, event.p0, event.p1, theme().residual, scaled(3));
  canvas.pop_clip();
  const char* legend = way_.empty() ? "attention.image.legend" : "attention.image.legend_way";
  if (!asked)
    draw_text(canvas, fonts().small, ImVec2(position.x, event.p1.y + scaled(4)), theme().text_dim,
              middle_truncated(fonts().small, tr(legend, {number_text(most_, 4)}), size.x));
  if (event.patch < 0) return out;
  const std::int64_t here = row_at(keys_, event.patch), from = row_at(queries_, event.patch);
  if (here >= 0 && !weights_.empty() && !asked) {
    const std::string weight =
        number_text(weights_.at(event.patch / keys_.cols, event.patch % keys_.cols), 4);
    ImGui::SetTooltip("%s", tr(from >= 0 ? "attention.image.patch_click" : "attention.image.patch",
                               {who, key_name(context.run, scene, here), weight})
                                .c_str());
  }
  out.query = event.clicked && from >= 0 ? from : query;
  out.key = here;
  out.clicked = event.clicked && from >= 0;
  return out;
}

}  // namespace attnscope
