#include "app/views/attention_common.h"

#include <algorithm>
#include <iterator>

#include "app/look/theme.h"
#include "app/widgets/patch_picture.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kSpelledLabels = 512;  // longer axes create labels on demand

}  // namespace

bool has_attention(const RunResult& run) {
  if (run.traces.empty()) return false;
  const auto& records = run.trace(0).records();
  return std::any_of(records.begin(), records.end(), [](const Record& record) {
    return record.site.is(StepRole::pattern) && record.shape[0] > 0 && record.shape[1] > 0;
  });
}

bool move_scene(const RunResult& run, int layer, int head, AttentionScene& scene) {
  const int sequence = run.nearest(scene.sequence);
  const auto& trace = run.shared(sequence);
  AttentionScene moved = scene;
  moved.layer = layer;
  const Record* record = trace->find(moved.pattern());
  if (!record || head < 0 || head >= record->shape[0]) return false;
  scene.trace = trace, scene.sequence = sequence, scene.layer = layer, scene.head = head;
  scene.queries = record->shape[1], scene.keys = record->shape[2];
  scene.first_query = 0;
  return true;
}

namespace {

AttentionScene first_scene(const RunResult& run) {
  AttentionScene scene;
  const Trace& trace = run.trace(0);
  for (const AttentionPlace& place : attention_places(trace)) {
    scene.stack = place.stack, scene.part = place.part;
    for (const Record* record : patterns_of(trace, place))
      if (move_scene(run, record->site.layer, 0, scene)) return scene;
  }
  return scene;
}

}  // namespace

AttentionScene scene_of_cursor(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  const AttentionPlace place = cursor_place(cursor, trace);
  AttentionScene scene;
  scene.sequence = cursor.sequence;
  scene.stack = place.stack;
  scene.part = place.part;
  if (move_scene(context.run, cursor.layer, cursor.head, scene)) return scene;
  if (move_scene(context.run, cursor.layer, 0, scene)) return scene;
  for (const Record* record : patterns_of(trace, place))
    if (move_scene(context.run, record->site.layer, 0, scene)) return scene;
  return first_scene(context.run);  // this sequence of a recording has no attention
}

std::uint64_t scene_key(const AttentionScene& scene) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  return key_of({number(scene.sequence), number(scene.stack), number(scene.part), number(scene.layer),
                 number(scene.head)});
}

std::string query_name(const RunResult& run, const AttentionScene& scene, std::int64_t query) {
  return row_name(run, scene.sequence, scene.stack, scene.first_query + query);
}

std::string key_name(const RunResult& run, const AttentionScene& scene, std::int64_t key) {
  return row_name(run, scene.sequence, scene.keys_stack(), key);
}

std::uint64_t axes_key(const ViewContext& context, const AttentionScene& scene) {
  return key_of({context.run.version, reinterpret_cast<std::uintptr_t>(&context.run), scene_key(scene)});
}

void set_axis_pictures(MatrixPlot& plot, const ViewContext& context, const AttentionScene& scene) {
  plot.rows.pictures = axis_pictures(context.painter, context.run, scene.sequence, scene.stack);
  plot.cols.pictures = axis_pictures(context.painter, context.run, scene.sequence, scene.keys_stack());
}

void set_attention_axes(MatrixPlot& plot, const ViewContext& context, const AttentionScene& scene) {
  const RunResult& run = context.run;
  set_axis_pictures(plot, context, scene);
  const ModelConfig& config = scene.trace->config();
  const bool across = scene.part == Part::cross;
  plot.rows.title = across ? tr("attention.axis.query_of", {stack_name(config, scene.stack)})
                           : std::string(tr("attention.axis.query"));
  plot.cols.title = across ? tr("attention.axis.key_of", {stack_name(config, scene.keys_stack())})
                           : std::string(tr("attention.axis.key"));
  plot.rows.colour = theme().q;
  plot.cols.colour = theme().k;
  if (std::max(scene.keys, scene.queries) > kSpelledLabels) {
    plot.rows.label_of = [&run, scene](std::int64_t at) { return query_name(run, scene, at); };
    plot.cols.label_of = [&run, scene](std::int64_t at) { return key_name(run, scene, at); };
    return;
  }
  plot.cols.labels.reserve(static_cast<std::size_t>(scene.keys));
  plot.rows.labels.reserve(static_cast<std::size_t>(scene.queries));
  for (std::int64_t key = 0; key < scene.keys; ++key) plot.cols.labels.push_back(key_name(run, scene, key));
  for (std::int64_t query = 0; query < scene.queries; ++query)
    plot.rows.labels.push_back(query_name(run, scene, query));
}

HeatStyle stage_style(Slot stage, const ValueRange& range, const StageLook& look) {
  HeatStyle style;
  style.log_scale = look.log_scale;
  if (role_of(stage) == StepRole::mask) {
    style.map = Colormap::mask;
    style.log_scale = false;
  } else if (role_of(stage) == StepRole::pattern && !look.difference) {
    style.map = Colormap::sequential;
    if (look.log_scale) style.lo = 1e-4f;
  } else {
    style.map = Colormap::diverging;
    set_range(style, range);
  }
  return style;
}

std::string_view stage_name(Slot stage) {
  return step_of(stage).text.substr(std::string_view("attn.").size());
}

ImU32 head_colour(int head) {
  // Okabe-Ito palette, brighter on a dark and darker on a light background.
  static constexpr ImU32 kDark[] = {rgb(0x56b4e9), rgb(0xe69f00), rgb(0x2fc79b), rgb(0xf0e442),
                                    rgb(0xe086b8), rgb(0xff7f3f), rgb(0x8fa3ff), rgb(0xc8c8c8)};
  static constexpr ImU32 kLight[] = {rgb(0x0072b2), rgb(0xc77c00), rgb(0x008a64), rgb(0x8a7a00),
                                     rgb(0xb8458a), rgb(0xc74600), rgb(0x4a4fc4), rgb(0x606060)};
  const auto at = static_cast<std::size_t>(head) % std::size(kDark);
  return theme().kind == ThemeKind::dark ? kDark[at] : kLight[at];
}

float draw_masked_swatch(ImVec2 at, std::string_view word) {
  const float side = scaled(13);
  const ImVec2 end(at.x + side, at.y + side);
  const Canvas canvas;
  canvas.fill_rect(at, end, theme().masked, scaled(2));
  canvas.push_clip(at, end);
  for (float x = -side; x < side; x += scaled(5))
    canvas.line(ImVec2(at.x + x, end.y), ImVec2(at.x + x + side, at.y), theme().masked_stripe, scaled(1.2f));
  canvas.pop_clip();
  canvas.rect(at, end, theme().border, scaled(2));
  const float gap = scaled(6);
  draw_text(canvas, fonts().small, ImVec2(end.x + gap, at.y - scaled(1)), theme().text_dim, word);
  return side + gap + text_size(fonts().small, word).x;
}

}  // namespace attnscope
