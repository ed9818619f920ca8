// The large picture, with its patches or as a canvas of pixels to draw on; and its tools.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/panels/input/input_picture.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr PixelColour kPalette[] = {{20, 20, 24},   {255, 255, 255}, {140, 146, 156}, {214, 52, 48},
                                    {240, 140, 36}, {250, 210, 64},  {70, 160, 80},   {64, 132, 220},
                                    {132, 84, 190}, {120, 82, 54}};
constexpr const char* kColours[] = {"black",  "white", "grey", "red",    "orange",
                                    "yellow", "green", "blue", "purple", "brown"};
constexpr int kGrids[] = {8, 12, 16, 24, 32};

ImU32 colour_of(const PixelColour& rgb) { return IM_COL32(rgb[0], rgb[1], rgb[2], 255); }

/// The cell of a grid (between p0 and p1) under the mouse pointer; may lie outside the grid.
void cell_under(ImVec2 p0, ImVec2 p1, int columns, int rows, int& x, int& y) {
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  x = static_cast<int>(std::floor((pointer.x - p0.x) / (p1.x - p0.x) * static_cast<float>(columns)));
  y = static_cast<int>(std::floor((pointer.y - p0.y) / (p1.y - p0.y) * static_cast<float>(rows)));
}

const PatchSpec& input_canvas_patches(const PanelContext& context) {
  return image_patches(context.session.document().model->config());
}

void grid_lines(ImVec2 p0, ImVec2 p1, int columns, int rows, ImU32 colour, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int i = 1; i < columns; ++i) {
    const float x = p0.x + (p1.x - p0.x) * static_cast<float>(i) / static_cast<float>(columns);
    list->AddLine(ImVec2(x, p0.y), ImVec2(x, p1.y), colour, width);
  }
  for (int i = 1; i < rows; ++i) {
    const float y = p0.y + (p1.y - p0.y) * static_cast<float>(i) / static_cast<float>(rows);
    list->AddLine(ImVec2(p0.x, y), ImVec2(p1.x, y), colour, width);
  }
}

/// Two decimals, U+2212 minus.
std::string pixel_number(float value) {
  std::string text = format("%.2f", static_cast<double>(value));
  if (text.front() == '-') text.replace(0, 1, "\u2212");
  return text;
}

/// The row of the main stack for a patch, or -1.
std::int64_t row_of_patch(const PanelContext& context, const std::vector<Chip>& chips, std::int64_t patch) {
  const PatchSpec& spec = input_canvas_patches(context);
  const std::int64_t own = patch + (spec.class_token ? 1 : 0);
  if (!context.session.document().model->config().vision()) return own;
  std::int64_t before = 0;
  for (const Chip& chip : chips) {
    if (chip.kind != Chip::Kind::image) continue;
    if (own < before + chip.rows) return chip.row + own - before;
    before += chip.rows;
  }
  return -1;
}

}  // namespace

PictureGrid PictureBox::grid(const PanelContext& context) const {
  const OpenedModel& opened = *context.session.document().opened;
  if (grid_width_ == 0) return {opened.preprocessing.width, opened.preprocessing.height};
  return {grid_width_, grid_height(opened, grid_width_)};
}

void PictureBox::draw_patch_lines(const PanelContext& context, ImVec2 p0, ImVec2 p1) const {
  const PatchSpec& patch = input_canvas_patches(context);
  grid_lines(p0, p1, patch.cols, patch.rows, with_alpha(theme().shadow, 0.9f), px(2.4f));
  grid_lines(p0, p1, patch.cols, patch.rows, with_alpha(IM_COL32_WHITE, 0.75f), px(1));
}

// The patch under the pointer: tooltip with its position; a click makes it the query.
void PictureBox::look(const PanelContext& context, const std::vector<Chip>& chips, ImVec2 p0, ImVec2 p1) {
  const PatchSpec& patch = input_canvas_patches(context);
  cell_under(p0, p1, patch.cols * patch.size, patch.rows * patch.size, pixel_x_, pixel_y_);
  const int col = std::clamp(pixel_x_ / patch.size, 0, patch.cols - 1);
  const int row = std::clamp(pixel_y_ / patch.size, 0, patch.rows - 1);
  const ImVec2 step((p1.x - p0.x) / static_cast<float>(patch.cols),
                    (p1.y - p0.y) / static_cast<float>(patch.rows));
  const ImVec2 at(p0.x + step.x * static_cast<float>(col), p0.y + step.y * static_cast<float>(row));
  ImGui::GetWindowDrawList()->AddRect(at, ImVec2(at.x + step.x, at.y + step.y), theme().accent, 0, 0, px(2));
  const std::int64_t place = std::int64_t{row} * patch.cols + col;
  const std::int64_t own = place + (patch.class_token ? 1 : 0);
  patch_ = tr("input.picture.patch", {patch_label(patch, own), std::to_string(own)});
  if (!ImGui::IsItemClicked()) return;
  Cursor& cursor = context.workspace.cursor;
  if (cursor.stack == Stack::vision) {
    (ImGui::GetIO().KeyShift ? cursor.key : cursor.query) = own;
  } else if (const std::int64_t main = row_of_patch(context, chips, place); main >= 0) {
    look_at(context, context.session.document().model->config().stack, main, ImGui::GetIO().KeyShift);
  }
}

// Draws a stroke from the mouse position of the last frame; one undo point per press.
void PictureBox::paint_at(const PanelContext& context, ImVec2 p0, ImVec2 p1) {
  const PictureGrid cells = grid(context);
  int x = 0, y = 0;
  cell_under(p0, p1, cells.width, cells.height, x, y);
  if (ImGui::IsItemActivated()) {
    down_ = true;
    ++stroke_;
    last_x_ = x, last_y_ = y;
  } else if (x == last_x_ && y == last_y_) {
    return;
  }
  const Stroke stroke{last_x_, last_y_, x, y, brush_, kPalette[colour_]};
  last_x_ = x, last_y_ = y;
  context.commands.edit(
      Text::of("input.edit.draw"), "stroke" + std::to_string(stroke_),
      [stroke, cells, at = sequence_](Document& changed) { return paint(changed, at, stroke, cells); });
}

// Shows the canvas.
void PictureBox::show_drawing(const PanelContext& context) {
  const PictureGrid cells = grid(context);
  const bool same = drawn_on_.width == cells.width && drawn_on_.height == cells.height;
  if (drawn_of_ != version_ || !same || drawn_.empty()) {
    drawn_of_ = version_;
    drawn_on_ = cells;
    drawn_ = canvas_of(context.session.document(), sequence_, cells);
    ++drawn_version_;
  }
  context.painter.upload_picture("input.drawing", drawn_version_, drawn_.rgb->data(), drawn_.width,
                                 drawn_.height);
}

void PictureBox::draw_canvas(const PanelContext& context, const std::vector<Chip>& chips, ImVec2 size) {
  const ImVec2 p0 = ImGui::GetCursorScreenPos(), p1(p0.x + size.x, p0.y + size.y);
  hit_area("###canvas", size);
  const PictureGrid cells =
      drawing_ ? grid(context)
               : PictureGrid{input_canvas_patches(context).cols, input_canvas_patches(context).rows};
  note_item("canvas", {p0, p1, cells.height, cells.width});
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (drawing_) show_drawing(context);
  context.painter.picture(list, drawing_ ? "input.drawing" : key_, p0, p1);
  if (drawing_ && size.x / static_cast<float>(cells.width) > px(5))
    grid_lines(p0, p1, cells.width, cells.height, with_alpha(IM_COL32(128, 128, 128, 255), 0.45f), 1.f);
  list->PushClipRect(p0, p1, true);
  draw_patch_lines(context, p0, p1);
  list->PopClipRect();
  list->AddRect(p0, p1, theme().border);
  pixel_x_ = pixel_y_ = -1;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && !drawing_) look(context, chips, p0, p1);
  if (drawing_ && ImGui::IsItemActive()) paint_at(context, p0, p1);
  if (down_ && !ImGui::IsItemActive()) {
    down_ = false;
    context.commands.end_gesture();
  }
}

void PictureBox::draw_palette() {
  const float side = px(22);
  for (int i = 0; i < static_cast<int>(std::size(kPalette)); ++i) {
    if (i % 5 != 0) ImGui::SameLine(0, px(5));
    const ImVec2 at = ImGui::GetCursorScreenPos(), end(at.x + side, at.y + side);
    const std::string id = std::string("###colour_") + kColours[i];
    if (hit_area(id.c_str(), ImVec2(side, side))) colour_ = i;
    note_item(id);
    compat::item_tooltip(tr(Label("input.colour.", kColours[i])));
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, end, colour_of(kPalette[i]), px(4));
    list->AddRect(at, end, i == colour_ ? theme().accent : theme().border, px(4), 0,
                  i == colour_ ? px(2) : 1);
  }
}

void PictureBox::draw_grids(const PanelContext& context) {
  dim_text(tr("input.grid"));
  const Preprocessing& how = context.session.document().opened->preprocessing;
  const auto choice = [&](int width, const std::string& label) {
    if (raised_button(label + "###grid" + std::to_string(width), grid_width_ == width)) grid_width_ = width;
  };
  for (const int width : kGrids) {
    choice(width, std::to_string(width));
    ImGui::SameLine(0, px(4));
  }
  if (std::find(std::begin(kGrids), std::end(kGrids), how.width) == std::end(kGrids)) {
    choice(0, std::to_string(how.width));
    compat::item_tooltip(tr("input.grid.own"));
  } else {
    ImGui::NewLine();
  }
  ImGui::AlignTextToFramePadding();
  dim_text(tr("input.brush"));
  for (const int side : {1, 2, 3}) {
    ImGui::SameLine(0, px(6));
    if (raised_button(std::to_string(side) + "###brush" + std::to_string(side), brush_ == side))
      brush_ = side;
  }
}

// The model's pixel values: the range of all, or those of the pixel under the pointer.
void PictureBox::draw_numbers(const PanelContext& context) {
  const PatchSpec& patch = input_canvas_patches(context);
  const std::string range =
      tr("input.picture.range",
         {std::to_string(patch.channels), std::to_string(patch.rows * patch.size),
          std::to_string(patch.cols * patch.size), pixel_number(least_), pixel_number(largest_)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + px(kToolWidth));
  dim_text(range);
  const bool inside = !seen_.empty() && pixel_x_ >= 0 && pixel_y_ >= 0 && pixel_y_ < seen_.size(1) &&
                      pixel_x_ < seen_.size(2) && seen_.size(0) == 3;
  if (inside) {
    const auto value = [&](std::int64_t channel) {
      return pixel_number(seen_.at(channel, pixel_y_, pixel_x_));
    };
    const WithFont face(fonts().mono);
    ImGui::TextUnformatted(patch_.c_str());
    ImGui::TextUnformatted(tr("input.picture.pixel", {std::to_string(pixel_y_), std::to_string(pixel_x_),
                                                      value(0), value(1), value(2)})
                               .c_str());
  } else {
    dim_text(tr(drawing_ ? "input.picture.draw_help" : "input.picture.look_help"));
  }
  ImGui::PopTextWrapPos();
}

void PictureBox::draw_tools(const PanelContext& context, FrameState& state, bool seen) {
  ImGui::Dummy(ImVec2(px(kToolWidth), 0));
  if (raised_button(Label(tr("input.picture.look"), "###look"), !drawing_)) drawing_ = false;
  ImGui::SameLine(0, px(4));
  if (raised_button(Label(tr("input.picture.draw"), "###draw"), drawing_)) drawing_ = true;
  ImGui::SameLine(0, px(16));
  if (raised_button(Label(tr("input.picture.open"), "###open_picture"))) browse(state);
  ImGui::Dummy(ImVec2(1, px(2)));
  if (drawing_) {
    draw_palette();
    draw_grids(context);
    const PictureGrid cells = grid(context);
    if (!seen) ImGui::SameLine(0, px(14));  // under a canvas every line counts
    if (raised_button(Label(tr("input.picture.clear"), "###clear_picture")))
      context.commands.edit(
          Text::of("input.edit.clear_picture"), {}, [cells, at = sequence_](Document& changed) {
            return set_picture(changed, at, blank_picture(cells.width, cells.height, kPalette[1]));
          });
    if (seen) {
      ImGui::SameLine(0, px(14));
      ImGui::BeginGroup();
      dim_text(tr("input.picture.seen"));
      ImGui::EndGroup();
      ImGui::SameLine(0, px(8));
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float side = px(72);
      context.painter.picture(ImGui::GetWindowDrawList(), key_, at, ImVec2(at.x + side, at.y + side));
      ImGui::Dummy(ImVec2(side, side));
    }
  }
  draw_numbers(context);
}

}  // namespace attnscope
