// The attention view: thumbnails of all heads, one head large (as a map of any attention step, as
// lines between tokens, as a sum of outer products, or as a triangle of three keys), and one row as a
// table. Hovering previews, clicking moves the cursor and pins. Numbers come from the run and
// core/lens.
#include <algorithm>

#include "app/look/key_controls.h"
#include "app/views/attention_build.h"
#include "app/views/attention_grid.h"
#include "app/views/attention_image.h"
#include "app/views/attention_lines.h"
#include "app/views/attention_pane.h"
#include "app/views/attention_triangle.h"
#include "app/views/attention_why.h"
#include "app/views/figure_page.h"
#include "app/views/steps_words.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/cell_field.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/lens/row_off_one.h"
#include "core/lesson/leaks.h"

namespace attnscope {
namespace {

constexpr float kLeastMap = 270.f;             // units: height of the map in a low window
constexpr float kLeastBelow = 330.f;           // units: height of heads and table
constexpr float kPresentedHeads = 132.f;       // width of the heads beside the map while presenting
constexpr float kAttentionNarrow = 560.f;      // units: in a narrower view the heads are below the map
constexpr float kMostRow = 0.3f;               // of the height: the row in digits
constexpr std::int64_t kMostRowPlane = 65536;  // queries x keys: the row is taken from the whole plane
constexpr float kBoth = 600.f;                 // units: from this width on, matrix and image are side by side

/// The cursor's step if it is one of this attention, else the pattern.
Slot stage_of(const Cursor& cursor, const AttentionScene& scene) {
  if (is_attention_stage(cursor.step.slot) && scene.trace->find(scene.site(cursor.step.slot)))
    return cursor.step.slot;
  return slot_of(cursor.step.is(StepRole::mask) ? StepKind::mask : StepKind::softmax);
}

/// Context menu of a query/key pair.
void offer(const ViewContext& context, const AttentionScene& scene, Slot stage, const PairEvent& pair) {
  offer_edit(context.workspace,
             {cell_at(*scene.trace, scene.site(stage), {scene.head, pair.query, pair.key}), {}, {}});
}

class AttentionView : public View {
 public:
  AttentionView() : View({"attention", ViewGroup::walk, 1}) {}
  std::string unavailable(const RunResult& run) const override {
    return has_attention(run) ? std::string() : "attention.none";
  }
  void keep(Choices& choices) override {
    choices.all(mode_, on_image_);
    grid_.keep(choices);
    pane_.keep(choices);
    lines_.keep(choices);
    build_.keep(choices);
    triangle_.keep(choices);
  }
  void draw(const ViewContext& context) override;

 private:
  enum class Mode { map, lines, build, triangle };
  static constexpr Option<Mode> kModes[] = {
      {"map", Mode::map}, {"lines", Mode::lines}, {"build", Mode::build}, {"triangle", Mode::triangle}};
  static constexpr Option<bool> kOnImage[] = {{"image", true, "on", "image"},
                                              {"matrix", false, "off", "matrix"}};
  AttentionScene shown_scene(const ViewContext& context) const;
  float draw_title(const ViewContext& context, const AttentionScene& scene, Slot stage, float width);
  /// Returns the height, pixels.
  float draw_stages(const ViewContext& context, const AttentionScene& scene, Slot stage, ImVec2 position,
                    float width);
  void draw_left(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  void draw_right(const ViewContext& context, const AttentionScene& scene, Slot stage, ImVec2 position,
                  ImVec2 size);
  void draw_plane(const ViewContext& context, const AttentionScene& scene, Slot stage, ImVec2 position,
                  ImVec2 size);
  /// True while a patch is hovered.
  bool draw_image(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  void pin(const ViewContext& context, const AttentionScene& scene, Slot stage, const PairEvent& pair) const;
  float draw_row(const ViewContext& context, const AttentionScene& scene, Slot stage, ImVec2 end,
                 ImVec2 room);
  void open_field(const ViewContext& context, const AttentionScene& scene, Slot stage, const PairEvent& pair);
  void draw_field(const ViewContext& context, const AttentionScene& scene, Slot stage);

  OneOf<Mode> mode_{"mode", kModes, Mode::map, "attention.mode.", "###attention.mode_"};
  HeadGrid grid_;
  PlanePane pane_;
  WhyTable why_;
  ImagePane image_;
  LinesPane lines_;
  BuildPane build_;
  TrianglePane triangle_;
  FigureArea row_{"attention", "row"};
  KeptText place_, sentence_, difference_;  ///< of the title, cached
  Kept<std::vector<Slot>> stages_;
  /// When only one of matrix and image fits.
  OneOf<bool> on_image_{"on_image", kOnImage, true, "attention.image.", "###on_"};
  HeadGrid::Event hovered_head_;  ///< of the last frame: it is known only after the panes are drawn
  PairEvent hovered_pair_;
  CellField field_;  ///< text field over a cell of the map
  Cell typed_;       ///< that cell
  int typed_sequence_ = 0;
};

// Sentence about the pattern's row sums: 1, what sinks leave, or the row whose sum an edit changed.
std::string pattern_sentence(const Trace& trace, const Site& site, std::int64_t head) {
  if (const auto sums = row_sums_with_sinks(trace, site, head))
    return tr("attention.sentence.pattern.sinks", {number_text(static_cast<float>(sums->least), 4),
                                                   number_text(static_cast<float>(sums->most), 4)});
  const auto off = row_off_one(trace, site, head);
  if (!off) return tr("attention.sentence.pattern");
  return tr("attention.sentence.pattern.off",
            {std::to_string(off->row), number_text(static_cast<float>(off->sum), 4)});
}

AttentionScene AttentionView::shown_scene(const ViewContext& context) const {
  AttentionScene scene = scene_of_cursor(context);
  if (hovered_head_.hovered && !field_.is_open())
    (void)move_scene(context.run, hovered_head_.layer, hovered_head_.head, scene);
  return scene;
}

void AttentionView::pin(const ViewContext& context, const AttentionScene& scene, Slot stage,
                        const PairEvent& pair) const {
  pin_cell(context.workspace, context.run,
           cell_at(*scene.trace, scene.site(stage), {scene.head, pair.query, pair.key}));
}

float AttentionView::draw_title(const ViewContext& context, const AttentionScene& scene, Slot stage,
                                float width) {
  const bool preview =
      scene.layer != context.workspace.cursor.layer || scene.head != context.workspace.cursor.head;
  const char* title = preview && hovered_head_.hovered ? "attention.title_preview" : "attention.title";
  const Site site = scene.site(stage);
  const std::uint64_t key = key_of({axes_key(context, scene), static_cast<std::uint64_t>(stage)});
  const std::string& place = place_.get({key}, [&] { return place_name(scene.trace->config(), site); });
  std::string_view sentence;
  if (mode_ != Mode::map)
    sentence = tr(mode_ == Mode::lines   ? "attention.sentence.lines"
                  : mode_ == Mode::build ? "attention.sentence.build"
                                         : "attention.sentence.triangle");
  else if (pane_.shows_difference())
    sentence = difference_.get({context.run.undo_point, context.session.pinned() != nullptr},
                               [&] { return context.difference_words(); });
  else if (kind_of(stage) == StepKind::scale)
    sentence = sentence_.get({key}, [&] { return sentence_text(*scene.trace, site); });
  else if (role_of(stage) == StepRole::pattern)
    sentence = sentence_.get({key}, [&] { return pattern_sentence(*scene.trace, site, scene.head); });
  else
    sentence = tr(Label("attention.sentence.", stage_name(stage)));
  return places_heading(context.workspace, context.run, PlaceChips::attentions,
                        kept_tr(title, {place, std::to_string(scene.head)}), sentence, width);
}

float AttentionView::draw_stages(const ViewContext& context, const AttentionScene& scene, Slot stage,
                                 ImVec2 position, float width) {
  const std::vector<Slot>& stages = stages_.get(
      {axes_key(context, scene)}, [&] { return attention_stages(*scene.trace, scene.pattern()); });
  ChipRow row(position, width, {{7, 4}});
  for (const Slot slot : stages) {
    const std::string_view name = stage_name(slot);
    const Label label(tr(Label("attention.stage.", name)), "###stage_", name);
    const bool clicked = row(label, mode_ == Mode::map && slot == stage);
    if (ImGui::IsItemHovered()) compat::item_tooltip(sentence_text(*scene.trace, scene.site(slot)).c_str());
    if (!clicked) continue;
    mode_ = Mode::map;
    go_to_site(context.workspace, context.run, scene.site(slot));
  }
  row.part(12);
  const bool whole = scene.trace->attention(scene.pattern()) != nullptr;
  // Where a lesson covers the row, the other pictures of it wait for the answer.
  const bool covered =
      hides_row(context.workspace.hidden, scene.pattern(), scene.head, context.workspace.cursor.query);
  if (covered) ImGui::BeginDisabled();
  choose(row, mode_, [&](Mode mode) { return mode == Mode::lines || (whole && mode != Mode::map); });
  if (covered) ImGui::EndDisabled();
  return row.height();
}

void AttentionView::draw_left(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                              ImVec2 size) {
  const bool presenting = context.workspace.presenting;  // presenting: no table, its room is the map's
  const float gap = scaled(16), least_table = scaled(150);
  const float wanted = grid_.wanted_height(scene, size.x);
  const float table = presenting ? 0.f : gap + std::max(least_table, size.y * 0.36f);
  const float heads = std::clamp(wanted, scaled(70), std::max(scaled(70), size.y - table));
  const AttentionScene own = scene_of_cursor(context);
  const HeadGrid::Event event =
      grid_.draw(context, own, pane_.look(context.workspace), position, ImVec2(size.x, heads));
  if (event.clicked) {
    Cursor& cursor = context.workspace.cursor;
    if (is_attention_stage(cursor.step.slot))
      go_to_site(context.workspace, context.run, own.place().site(cursor.step.slot, event.layer));
    cursor.stack = own.stack, cursor.part = own.part;
    cursor.layer = event.layer;
    cursor.head = event.head;
  }
  if (event.hovered)
    offer_edit(context.workspace,
               {Cell{own.place().site(StepRole::head_out, event.layer), {{"head", event.head}}}, {}, {}});
  hovered_head_ = event;
  if (presenting) return;
  const std::int64_t query = hovered_pair_.any() ? hovered_pair_.query : context.workspace.cursor.query;
  const std::int64_t key = hovered_pair_.any() ? hovered_pair_.key : context.workspace.cursor.key;
  const ImVec2 at(position.x, position.y + heads + gap);
  const PairEvent line = why_.draw(context, scene, std::clamp<std::int64_t>(query, 0, scene.queries - 1), key,
                                   at, ImVec2(size.x, position.y + size.y - at.y));
  if (line.clicked) pin(context, scene, scene.pattern().slot, line);
  if (line.any()) offer(context, scene, scene.pattern().slot, line);
  if (line.any()) hovered_pair_ = line;
}

void AttentionView::draw_plane(const ViewContext& context, const AttentionScene& scene, Slot stage,
                               ImVec2 position, ImVec2 size) {
  const HeadThumbnail* coarse =
      grid_.pictures() && grid_.fresh() ? grid_.pictures()->find(scene.layer, scene.head) : nullptr;
  const PairEvent event = pane_.draw(context, scene, stage, hovered_pair_, coarse, position, size);
  hovered_pair_ = event;
  hovered_pair_.clicked = false;
  if (event.any()) offer(context, scene, stage, event);
  if (event.clicked) pin(context, scene, stage, event);
  if (event.clicked) take_digits();
  if (event.double_clicked) open_field(context, scene, stage, event);
  draw_field(context, scene, stage);
}

// Opens a text field over an editable cell, as in the steps view.
void AttentionView::open_field(const ViewContext& context, const AttentionScene& scene, Slot stage,
                               const PairEvent& pair) {
  const std::vector<std::int64_t> index{scene.head, pair.query, pair.key};
  const Cell cell = cell_at(*scene.trace, scene.site(stage), index);
  if (!can_edit(context.run, context.workspace.cursor.sequence, cell)) return;
  typed_ = cell;
  typed_sequence_ = context.workspace.cursor.sequence;
  field_.open(scene.trace->cell(cell.site, index));
  pane_.follow_cell(pair.query, pair.key);
}

void AttentionView::draw_field(const ViewContext& context, const AttentionScene& scene, Slot stage) {
  if (!field_.is_open()) return;
  const int sequence = context.workspace.cursor.sequence;
  const std::vector<std::int64_t> index = cell_index(*scene.trace, typed_);
  const bool there = typed_.site == scene.site(stage) && typed_sequence_ == sequence && index.size() == 3 &&
                     index[0] == scene.head;
  ImVec2 p0, p1;
  if (!there) field_.close();
  if (!there || !pane_.followed(p0, p1)) return;
  const auto value = field_.draw("attention.cell", p0, p1);
  if (!value) return;
  edit_cell(context.commands, context.run, sequence, typed_, *value, {});
  field_.close();
}

// The row that is looked at in digits, over the whole width, its lower end at `end`. Returns its height.
float AttentionView::draw_row(const ViewContext& context, const AttentionScene& scene, Slot stage, ImVec2 end,
                              ImVec2 room) {
  const bool weights = mode_ == Mode::map && role_of(stage) == StepRole::pattern && !pane_.shows_difference();
  if (!weights || context.workspace.keeps_stage || scene.queries * scene.keys > kMostRowPlane) return 0;
  if (hides_row(context.workspace.hidden, scene.pattern(), scene.head, context.workspace.cursor.query))
    return 0;
  const ImVec2 most(room.x, std::min(room.y * kMostRow, scaled(context.workspace.presenting ? 150 : 104)));
  const float high = row_.follow(context, most);
  if (high <= 0) return 0;
  row_.draw(context, ImVec2(end.x, end.y - high), most);
  return high;
}

bool AttentionView::draw_image(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                               ImVec2 size) {
  const Cursor& cursor = context.workspace.cursor;
  const std::int64_t query = std::clamp<std::int64_t>(
      hovered_pair_.any() ? hovered_pair_.query : cursor.query, 0, scene.queries - 1);
  const PairEvent event =
      image_.draw(context, scene, query, hovered_pair_.any() ? hovered_pair_.key : -1, position, size);
  if (event.clicked) {
    context.workspace.cursor.stack = scene.stack;
    context.workspace.cursor.part = scene.part;
    context.workspace.cursor.query = event.query;
  }
  if (event.clicked || event.key < 0) return false;
  hovered_pair_ = event;
  return true;
}

void AttentionView::draw_right(const ViewContext& context, const AttentionScene& scene, Slot stage,
                               ImVec2 position, ImVec2 size) {
  const float top = draw_stages(context, scene, stage, position, size.x) + scaled(10);
  const ImVec2 at(position.x, position.y + top), room(size.x, size.y - top);
  if (mode_ == Mode::lines) {
    const PairEvent event = lines_.draw(context, scene, at, room);
    if (event.any()) offer(context, scene, scene.pattern().slot, event);
    if (event.clicked) pin(context, scene, scene.pattern().slot, event);
    hovered_pair_ = {};
    return;
  }
  if (mode_ == Mode::build) {
    hovered_pair_ = {};
    return build_.draw(context, scene, at, room);
  }
  if (mode_ == Mode::triangle) {
    triangle_.draw(context, scene,
                   std::clamp<std::int64_t>(context.workspace.cursor.query, 0, scene.queries - 1), at, room);
    hovered_pair_ = {};
    return;
  }
  if (!image_.possible(context, scene)) return draw_plane(context, scene, stage, at, room);
  if (size.x >= scaled(kBoth)) {
    const float gap = scaled(24), side = std::min(room.y, room.x * 0.44f);
    draw_plane(context, scene, stage, at, ImVec2(room.x - side - gap, room.y));
    (void)draw_image(context, scene, ImVec2(at.x + room.x - side, at.y), ImVec2(side, room.y));
    return;
  }
  // Only one fits: chips to choose it.
  const float below = ImGui::GetFrameHeight() + scaled(8);
  ImGui::SetCursorScreenPos(at);
  {
    const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(4), scaled(4)));
    ChipRow row;
    choose(row, on_image_);
  }
  const ImVec2 lower(at.x, at.y + below), left(room.x, room.y - below);
  if (!on_image_) return draw_plane(context, scene, stage, lower, left);
  if (!draw_image(context, scene, lower, left)) hovered_pair_ = {};
}

void AttentionView::draw(const ViewContext& context) {
  const ImVec2 origin = ImGui::GetCursorScreenPos(), all = ImGui::GetContentRegionAvail();
  const bool wide = mode_ == Mode::lines || mode_ == Mode::build;  // without the thumbnails
  if (wide) hovered_head_ = {};
  const AttentionScene scene = shown_scene(context);
  if ((mode_ == Mode::build || mode_ == Mode::triangle) && !scene.trace->attention(scene.pattern()))
    mode_ = Mode::map;  // a recording without queries and keys
  if (hides_row(context.workspace.hidden, scene.pattern(), scene.head, context.workspace.cursor.query))
    mode_ = Mode::map;  // where the row that a lesson asks for is covered
  const Slot stage = stage_of(context.workspace.cursor, scene);
  const float bottom = origin.y + all.y;
  const float top = draw_title(context, scene, stage, all.x) + scaled(14);
  const float gap = scaled(26);
  if (wide)
    return draw_right(context, scene, stage, ImVec2(origin.x, top), ImVec2(all.x - scaled(6), bottom - top));
  if (all.x < scaled(kAttentionNarrow)) {  // half of the stage: heads below the map
    const float high = bottom - top,
                upper = std::max(scaled(kLeastMap), std::clamp(all.x, high * 0.6f, high));  // minimum height
    const float lower = std::max(scaled(kLeastBelow), high - upper - gap);  // the view scrolls if it is low
    draw_right(context, scene, stage, ImVec2(origin.x, top), ImVec2(all.x - scaled(14), upper));
    draw_left(context, scene, ImVec2(origin.x, top + upper + gap), ImVec2(all.x - scaled(14), lower));
    ImGui::SetCursorScreenPos(ImVec2(origin.x, top + upper + gap + lower));
    ImGui::Dummy(ImVec2(1, 1));
    return;
  }
  const bool presenting = context.workspace.presenting;
  const float row = draw_row(context, scene, stage, ImVec2(origin.x, bottom), ImVec2(all.x, bottom - top));
  const float low = bottom - row;
  const float left =
      presenting ? scaled(kPresentedHeads) : std::clamp(all.x * 0.34f, scaled(220), scaled(400));
  const ImVec2 right(origin.x + left + gap, top);
  draw_right(context, scene, stage, right,
             ImVec2(std::max(scaled(80), origin.x + all.x - right.x), low - top));
  draw_left(context, scene, ImVec2(origin.x, top), ImVec2(left, low - top));
}

}  // namespace

std::unique_ptr<View> make_attention_view() { return std::make_unique<AttentionView>(); }

}  // namespace attnscope
