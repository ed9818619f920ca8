// The Pilot's camera image with the gripper's path: of the predicted actions, and of the target
// actions.
#include <algorithm>

#include "app/views/training_panes.h"
#include "app/widgets/arm_way.h"
#include "app/widgets/patch_picture.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/patches.h"

namespace attnscope {

bool TrainingArm::possible(const TrainingScene& scene) {
  if (!scene.shown.shown) return false;
  if (key_ != scene.key()) {
    key_ = scene.key();
    ways_ = arm_ways(*scene.snapshot, *scene.shown.shown);
  }
  return ways_.has_value();
}

void TrainingArm::draw_table(float x, float y, float width) const {
  const Canvas canvas;
  const float line = text_size(fonts().mono_small, "0").y + scaled(5);
  const float said = x + width;
  const float wanted = said - text_size(fonts().small, tr("training.bar.predicted")).x - scaled(9);
  const auto right = [&](float edge, float top, ImU32 colour, const std::string& text) {
    draw_text(canvas, fonts().mono_small, ImVec2(edge - text_size(fonts().mono_small, text).x, top), colour,
              text);
  };
  const auto head = [&](float edge, ImU32 colour, const char* key) {
    draw_text(canvas, fonts().small, ImVec2(edge - text_size(fonts().small, tr(key)).x, y), colour, tr(key));
  };
  head(wanted, theme().residual, "training.bar.target");
  head(said, theme().attention, "training.bar.predicted");
  const auto bin = [](int value) { return value < 0 ? std::string("\u2013") : std::to_string(value); };
  for (std::size_t i = 0; i < ways_->wanted.bins.size(); ++i) {
    y += line;
    draw_text(canvas, fonts().mono_small, ImVec2(x, y), theme().text_dim, tr(kArmActionKeys[i]));
    const int said_bin = ways_->said.bins[i], wanted_bin = ways_->wanted.bins[i];
    right(wanted, y, theme().text, bin(wanted_bin));
    right(said, y, said_bin == wanted_bin ? theme().ok : theme().error, bin(said_bin));
  }
}

void TrainingArm::draw(const ViewContext& context, const TrainingScene& scene, const TrainingHeads& heads,
                       ImVec2 at, ImVec2 size) {
  if (!ways_) return;
  const Trace& trace = *scene.shown.shown;
  const std::string picture = "training.picture";
  if (!context.painter.has_picture(picture, scene.snapshot->run)) {
    const Picture made = picture_of(trace.input.pixels, scene.snapshot->opened->preprocessing);
    if (!made.empty())
      context.painter.upload_picture(picture, scene.snapshot->run, made.rgb->data(), made.width, made.height);
  }
  const Site pattern = heads.place().pattern(heads.layer());
  const PatchRows keys = patch_rows(trace, heads.place().keys());
  PatchPicture what;
  what.id = "train_picture";
  what.picture = picture;
  const ModelConfig& sees = *trace.config().vision();
  what.rows = sees.patch.rows;
  what.cols = sees.patch.cols;
  if (heads.place().stack == trace.config().stack && !keys.empty())
    what.weights = weights_on_patches(trace, pattern, heads.head(), ways_->rows.front(), keys);
  const float table = std::clamp(size.x * 0.36f, scaled(120), scaled(170));
  const float side = std::min(size.x - table - scaled(16), size.y - scaled(18));
  const PatchEvent event = draw_patch_picture(context.painter, what, at, ImVec2(side, side));
  const Canvas canvas;
  canvas.push_clip(event.p0, event.p1);
  draw_arm_way(ways_->wanted.path, event.p0, event.p1, theme().residual, scaled(2.5f));
  draw_arm_way(ways_->said.path, event.p0, event.p1, theme().attention, scaled(2.5f));
  canvas.pop_clip();
  const std::string note =
      ways_->said.path.empty() ? tr("training.arm.none") : tr("training.arm.note", {heads.name()});
  draw_text(canvas, fonts().small, ImVec2(at.x, event.p1.y + scaled(4)), theme().text_dim,
            middle_truncated(fonts().small, note, size.x));
  draw_table(at.x + size.x - table, at.y, table - scaled(4));
}

}  // namespace attnscope
