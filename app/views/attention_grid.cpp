#include "app/views/attention_grid.h"

#include <algorithm>

#include "app/gpu/gl_context.h"
#include "app/look/item_map.h"
#include "app/look/pointed.h"
#include "app/look/shade.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/pieces.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr double kAttentionGridAtOnce = 4e6;  // multiplications that may be done in the frame
constexpr std::int64_t kAttentionGridSide = 64;
constexpr float kAttentionGridLargest = 150.f, kAttentionGridSmallest = 20.f, kCaptioned = 60.f;  // units
constexpr float kLeastShare = 0.5f;  // of their height: how far maps shrink to be all visible
constexpr float kEdge = 3.f;         // units around thumbnails, for outlines
constexpr const char* kAttentionGridAtlas = "attention.heads";

constexpr const char* kOrders = "###heads_orders";

struct SlimChips {
  FontScope face{fonts().small};
  StyleScope padding{ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(4))};
  StyleScope spacing{ImGuiStyleVar_ItemSpacing, ImVec2(scaled(4), scaled(4))};
};

float chips_height() {
  const SlimChips slim;
  return ImGui::GetFrameHeight() + scaled(8);
}

std::string role_label(Role role) { return tr("attention.role." + std::string(role_name(role))); }

// True if one of this head's steps is edited.
bool is_edited(const RunResult& run, const AttentionScene& scene, const HeadThumbnail& head) {
  return std::any_of(run.document.edits.begin(), run.document.edits.end(), [&](const auto& edit) {
    const NumberEdit* number = edit->number();
    if (!edit->enabled || !number || number->where.kind != Target::Kind::step) return false;
    const Slot slot = number->where.site.slot;
    const Target own = target_of({scene.place().site(slot, head.layer), {{"head", head.head}}});
    return (is_score_plane(slot) || role_of(slot) == StepRole::head_out) && meet(number->where, own);
  });
}

// Tints the rows of its pattern that a previewed change would affect.
void draw_reached(const AttentionScene& scene, const HeadThumbnail& head, ImVec2 p0, ImVec2 p1) {
  const Range rows = shaded_rows(scene.place().pattern(head.layer), head.head);
  if (rows.size() <= 0 || scene.queries <= 0) return;
  const float each = (p1.y - p0.y) / static_cast<float>(scene.queries), y0 = p0.y;
  p0.y = y0 + each * static_cast<float>(rows.begin), p1.y = y0 + each * static_cast<float>(rows.end);
  tint(p0, p1);
  note_item(format("shaded.head_%d_%lld", head.layer, static_cast<long long>(head.head)), {p0, p1});
}

// One line per role that the run can measure.
std::string role_lines(const HeadRoles& roles) {
  std::string text;
  for (int r = 0; r < kRoleCount; ++r) {
    const RoleScore& score = roles.scores[static_cast<std::size_t>(r)];
    if (score.rows == 0) continue;
    const std::string name(role_name(static_cast<Role>(r)));
    text += "\n" + tr("attention.role_line", {tr(Label("attention.role_long.", name)),
                                              number_text(static_cast<float>(score.score), 2),
                                              number_text(static_cast<float>(score.chance), 2)});
  }
  return text;
}

}  // namespace

ImVec2 HeadGrid::Layout::at(int row, int column) const {
  return ImVec2(left + static_cast<float>(column) * (side + gap),
                static_cast<float>(row) * (height + caption + gap));
}

ImVec2 HeadGrid::Layout::extent() const {
  const ImVec2 end = at(rows, columns);
  return ImVec2(std::max(1.f, end.x - gap), std::max(1.f, end.y - gap));
}

void HeadGrid::set_height(Layout& grid, float side) const {
  grid.side = side;
  grid.height = std::max(scaled(8), side * aspect_);
}

int HeadGrid::row_of(int layer) const {
  const auto at = std::find(layers_.begin(), layers_.end(), layer);
  return static_cast<int>(at - layers_.begin());
}

HeadGrid::Layout HeadGrid::layout(const AttentionScene& scene, float width) const {
  Layout grid;
  grid.gap = scaled(whole_model_ && widest_ > 6 ? 4 : 9);
  const float largest = scaled(kAttentionGridLargest);
  if (whole_model_) {
    grid.columns = widest_;
    grid.rows = std::max(1, static_cast<int>(layers_.size()));
    const float fit = (width + grid.gap) / static_cast<float>(grid.columns) - grid.gap;
    grid.left = fit < scaled(kCaptioned) && sorted_ == HeadOrder::place ? scaled(20) : 0;
    const float room = (width - grid.left + grid.gap) / static_cast<float>(grid.columns) - grid.gap;
    set_height(grid, std::clamp(room, scaled(kAttentionGridSmallest), largest) * zoom_);
  } else {
    const Record* record = scene.trace->find(scene.pattern());
    const int heads = record ? static_cast<int>(record->shape[0]) : 1;
    const float wanted = scaled(76) * zoom_;
    grid.columns = std::clamp(static_cast<int>((width + grid.gap) / (wanted + grid.gap)), 1, heads);
    grid.rows = (heads + grid.columns - 1) / grid.columns;
    set_height(grid, std::min((width + grid.gap) / static_cast<float>(grid.columns) - grid.gap,
                              std::max(largest, wanted)));
  }
  grid.captions = grid.side >= scaled(kCaptioned) - 1 && (!whole_model_ || grid.left == 0 || zoom_ > 1);
  grid.caption = grid.captions ? text_size(fonts().small, "X").y + scaled(3) : 0;
  return grid;
}

float HeadGrid::wanted_height(const AttentionScene& scene, float width) const {
  return chips_height() + layout(scene, width - 2 * scaled(kEdge)).extent().y + 2 * scaled(kEdge) + scaled(2);
}

void HeadGrid::take_pictures(const ViewContext& context, const AttentionScene& scene) {
  aspect_ = std::clamp(
      static_cast<float>(scene.queries) / static_cast<float>(std::max<std::int64_t>(1, scene.keys)), 0.1f,
      4.f);
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(scene.sequence),
              static_cast<std::uint64_t>(scene.stack), static_cast<std::uint64_t>(scene.part)});
  if (const std::uint64_t key = key_of({subject, context.run.version}); key != layers_key_) {
    layers_key_ = key;
    layers_.clear();
    widest_ = 1;
    for (const Record* record : patterns_of(*scene.trace, scene.place())) {
      layers_.push_back(record->site.layer);
      widest_ = std::max(widest_, static_cast<int>(record->shape[0]));
    }
  }
  const auto before = context.older(scene.sequence);
  const std::uint64_t key = key_of({subject, context.run.version, before ? context.before->version : 0});
  if (subject != subject_) pictures_.reset();  // another model or attention; else old ones stay, dimmed
  if (fresh() && key == key_) return;
  subject_ = subject, key_ = key;
  if (thumbnails_cost(*scene.trace, scene.place()) <= kAttentionGridAtOnce) {
    pictures_ = std::make_shared<const Thumbnails>(
        thumbnails(*scene.trace, scene.place(), kAttentionGridSide, {}, before));
    pictures_key_ = key;
    return;
  }
  const auto found = made_.get(key, context.workers(),
                               [trace = scene.trace, place = scene.place(), before,
                                progress = progress_](const std::atomic<bool>& cancel) {
                                 const auto go_on = [&](float share) {
                                   *progress = share;
                                   wake_window();
                                   return !cancel;
                                 };
                                 return thumbnails(*trace, place, kAttentionGridSide, go_on, before);
                               });
  if (!found) return;
  pictures_ = found;
  pictures_key_ = key;
}

void HeadGrid::draw_chips(float width) {
  const SlimChips slim;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ChipRow row;
  choose(row, whole_model_);
  ImGui::SameLine();
  if (chip(Label(tr("attention.heads.sort"), "###heads_sort"), sorted_ != HeadOrder::place,
           tr("attention.heads.sort.help")))
    ImGui::OpenPopup(kOrders);
  offer_orders();
  const float button = chip_width("+");
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - 2 * button - scaled(4), at.y));
  if (chip("−###heads_smaller", false, tr("attention.heads.smaller"))) zoom_ = std::max(0.5f, zoom_ / 1.25f);
  ImGui::SameLine();
  if (chip("+###heads_larger", false, tr("attention.heads.larger"))) zoom_ = std::min(6.f, zoom_ * 1.25f);
}

void HeadGrid::offer_orders() {
  if (!ImGui::BeginPopup(kOrders)) return;
  for (int i = 0; i < kHeadOrders; ++i) {
    const auto by = static_cast<HeadOrder>(i);
    if (pictures_ && !can_order(*pictures_, by)) continue;
    const std::string name(head_order_name(by)), id = "###heads_by_" + name;
    if (ImGui::MenuItem((tr(Label("attention.heads.by.", name)) + id).c_str(), nullptr, by == sorted_))
      sorted_ = by;
    note_item(id);
  }
  ImGui::EndPopup();
}

void HeadGrid::put_in_order() {
  const std::uint64_t key =
      key_of({pictures_key_, static_cast<std::uint64_t>(sorted_), pictures_->heads.size()});
  if (key == order_key_) return;
  order_key_ = key;
  order_ = ordered_heads(*pictures_, sorted_);
  maps_.clear();
  for (const HeadThumbnail& head : pictures_->heads) maps_.push_back(head.cells);
}

void HeadGrid::draw_caption(const HeadThumbnail& head, ImVec2 at, float width, bool current,
                            bool hides_roles) const {
  const std::string number = std::to_string(head.layer) + "." + std::to_string(head.head);
  Role role = Role::self;
  std::string text = number;
  if (sorted_ != HeadOrder::place)
    text = tr("attention.caption.value",
              {number, number_text(static_cast<float>(head_value(head, sorted_)), 2)});
  else if (head.roles.strongest(role))
    text = tr("attention.caption",
              {number, role_label(role), number_text(static_cast<float>(head.roles.of(role).score), 2)});
  if (hides_roles || text_size(fonts().small, text).x > width) text = number;
  draw_text(Canvas(), fonts().small, at, current ? theme().text : theme().text_dim, text);
}

void HeadGrid::draw_waiting(ImVec2 position, ImVec2 size) const {
  const ImVec2 end(position.x + size.x, position.y + size.y);
  const Canvas canvas;
  canvas.fill_rect(position, end, theme().panel, scaled(6));
  canvas.rect(position, end, theme().border, scaled(6));
  const std::string share = percent_text(static_cast<double>(*progress_), 0);
  const std::string text = tr("attention.heads.progress", {share});
  const ImVec2 room = text_size(fonts().small, text);
  draw_text(
      canvas, fonts().small,
      ImVec2(position.x + (size.x - room.x) / 2, position.y + (std::min(size.y, scaled(160)) - room.y) / 2),
      theme().text_dim, text);
  ImGui::Dummy(size);
}

// Scrolls to the cursor's head when the cursor has moved; otherwise leaves scrolling to the user.
void HeadGrid::keep_in_sight(const Cursor& cursor, ImVec2 p0, ImVec2 p1) {
  if (shown_layer_ == cursor.layer && shown_head_ == cursor.head) return;
  shown_layer_ = cursor.layer, shown_head_ = cursor.head;
  const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float edge = scaled(kEdge);
  const auto move = [edge](float scroll, float begin, float end, float seen0, float seen1) {
    if (begin - edge < seen0) return scroll + begin - edge - seen0;
    return scroll + std::max(0.f, end + edge - seen1);
  };
  ImGui::SetScrollX(move(ImGui::GetScrollX(), p0.x, p1.x, low.x, low.x + size.x));
  ImGui::SetScrollY(move(ImGui::GetScrollY(), p0.y, p1.y, low.y, low.y + size.y));
}

HeadGrid::Event HeadGrid::draw_thumbnails(const ViewContext& context, const AttentionScene& scene,
                                          const StageLook& look, const Layout& grid) {
  Event event;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 seen0 = ImGui::GetWindowPos(),
               seen1(seen0.x + ImGui::GetWindowWidth(), seen0.y + ImGui::GetWindowHeight());
  const Canvas canvas;
  put_in_order();
  places_.clear();
  context.painter.upload_atlas(kAttentionGridAtlas, maps_, widest_);
  int rank = -1;
  for (const std::size_t i : order_) {
    const HeadThumbnail& head = pictures_->heads[i];
    if (!whole_model_ && head.layer != scene.layer) continue;
    ++rank;
    const ImVec2 place = whole_model_ && sorted_ == HeadOrder::place
                             ? grid.at(row_of(head.layer), head.head)
                             : grid.at(rank / grid.columns, rank % grid.columns);
    const ImVec2 p0(origin.x + place.x, origin.y + place.y), p1(p0.x + grid.side, p0.y + grid.height);
    const Cursor& cursor = context.workspace.cursor;
    const bool current = head.layer == cursor.layer && head.head == cursor.head;
    if (current) keep_in_sight(cursor, p0, ImVec2(p1.x, p1.y + grid.caption));
    if (p1.y + grid.caption < seen0.y || p0.y > seen1.y || p1.x < seen0.x || p0.x > seen1.x) continue;
    places_.push_back({static_cast<int>(i), p0, p1});
    ImGui::SetCursorScreenPos(p0);
    const std::string id = format("###head_%d_%d", head.layer, head.head);
    const bool clicked = hit_area(id.c_str(), ImVec2(grid.side, grid.height + grid.caption));
    note_item(id);
    note_item(format("thumb_%d_%d", head.layer, head.head), {p0, p1});
    const bool hovered = ImGui::IsItemHovered();
    if (hovered || clicked) event = {hovered, clicked, head.layer, head.head};
    if (hovered) point_head(scene.stack, scene.part, head.layer, head.head);
    if (hovered) {
      const std::string title =
          tr("attention.head",
             {block_name(scene.trace->config(), scene.stack, head.layer), std::to_string(head.head)});
      compat::item_tooltip((context.workspace.hides_roles ? title : title + role_lines(head.roles)).c_str());
    }
    if (grid.captions)
      draw_caption(head, ImVec2(p0.x, p1.y + scaled(2)), grid.side, current || hovered,
                   context.workspace.hides_roles);
    if (grid.left > 0 && head.head == 0)
      draw_text(canvas, fonts().small,
                ImVec2(origin.x, p0.y + (grid.height - text_size(fonts().small, "0").y) / 2),
                theme().text_dim, std::to_string(head.layer));
  }
  const float most = pictures_->largest;
  HeatStyle style =
      stage_style(slot_of(StepRole::pattern),
                  pictures_->difference ? ValueRange{-most, most, -most, most} : ValueRange{0, 1},
                  {pictures_->difference, look.log_scale});
  if (!fresh()) style.alpha = 0.45f;
  canvas.atlas(context.painter, kAttentionGridAtlas, places_, style, [&](int map) {
    const HeadThumbnail& head = pictures_->heads[static_cast<std::size_t>(map)];
    return to_text(Cell{scene.place().pattern(head.layer), {{"head", head.head}}});
  });
  for (const AtlasPlace& place : places_) {
    const HeadThumbnail& head = pictures_->heads[static_cast<std::size_t>(place.map)];
    const bool current =
        head.layer == context.workspace.cursor.layer && head.head == context.workspace.cursor.head;
    const bool hovered = head_pointed(scene.stack, scene.part, head.layer, head.head);
    const float out = current || hovered ? scaled(2) : scaled(1);
    canvas.rect(ImVec2(place.p0.x - out, place.p0.y - out), ImVec2(place.p1.x + out, place.p1.y + out),
                current   ? theme().accent
                : hovered ? theme().text_dim
                          : theme().border,
                scaled(4), 0, current || hovered ? scaled(2) : scaled(1));
    draw_reached(scene, head, place.p0, place.p1);
    if (is_edited(context.run, scene, head))
      draw_edit_sign(canvas, ImVec2(place.p1.x + out, place.p0.y - out));
  }
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(grid.extent());
  return event;
}

HeadGrid::Event HeadGrid::draw(const ViewContext& context, const AttentionScene& scene, const StageLook& look,
                               ImVec2 position, ImVec2 size) {
  take_pictures(context, scene);
  ImGui::SetCursorScreenPos(position);
  const float chips = context.workspace.presenting ? 0.f : chips_height();  // without chips while presenting
  if (chips > 0) draw_chips(size.x);
  const float edge = scaled(kEdge);
  const ImVec2 room(size.x, size.y - chips);
  Layout grid = layout(scene, size.x - 2 * edge);
  const float rows = static_cast<float>(grid.rows);
  const float low = (room.y - 2 * edge - scaled(2) + grid.gap) / rows - grid.caption - grid.gap;
  if (low < grid.height && low >= kLeastShare * grid.height)
    set_height(grid, low / aspect_);  // slightly smaller, so that nothing scrolls
  else if (grid.extent().y + 2 * edge > room.y)
    grid = layout(scene, size.x - 2 * edge - ImGui::GetStyle().ScrollbarSize - scaled(4));
  ImGui::SetCursorScreenPos(ImVec2(position.x, position.y + chips));
  const ChildScope child("###heads", room, ImGuiWindowFlags_HorizontalScrollbar);
  if (!pictures_ || pictures_->heads.empty()) {
    draw_waiting(ImGui::GetCursorScreenPos(),
                 ImVec2(room.x - scaled(4), std::max(scaled(60), room.y - scaled(4))));
    return {};
  }
  ImGui::SetCursorPos(ImVec2(edge, edge));
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsWindowHovered() && io.KeyCtrl && io.MouseWheel != 0)
    zoom_ = std::clamp(zoom_ * (io.MouseWheel > 0 ? 1.25f : 0.8f), 0.5f, 6.f);
  return draw_thumbnails(context, scene, look, grid);
}

}  // namespace attnscope
