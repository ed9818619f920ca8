// The labs: small experiments on real numbers: a list, controls, the pieces of a picture, the current formula
// and a conclusion. Computed by background jobs: the previous picture stays, dimmed, until the new one is
// ready.
#include <algorithm>
#include <map>
#include <set>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/views/labs_controls.h"
#include "app/views/labs_pieces.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/computed.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kList = 200.f, kMostList = 240.f, kLeastForList = 900.f, kLeastBody = 150.f,
                kLarge = 760.f;  // units
constexpr double kMovingSeconds = 3;
constexpr float kLabPad = 10.f, kPadPresented = 5.f;  // below the picture

class LabsView : public View {
 public:
  LabsView() : View({"labs", ViewGroup::learn, 1, {.runs = false, .all = true}}) {}
  void draw(const ViewContext& context) override;

 private:
  const Lab& chosen(Workspace& workspace);
  static float list_width();
  void draw_list(const Lab& now, Workspace& workspace, float width);
  void draw_combo(const Lab& now, Workspace& workspace, float width);
  void draw_lab(const ViewContext& context, const Lab& lab, ImVec2 size);
  static void draw_held(ImVec2 at, ImVec2 size);
  void draw_footer(const LabPicture& picture, std::uint64_t serial, ImVec2 at, float width);
  float footer_height(const LabPicture& picture, std::uint64_t serial, float width) const;
  bool large_ = false;      ///< larger text fits
  bool presented_ = false;  ///< presenter mode: one lab, full size

  void draw_going(const Lab& lab, float right, float y);
  void go_on(const ViewContext& context, const Lab& lab, LabValues& values);

  void show_moving(const ViewContext& context, const Lab& lab, LabValues& values, bool fresh);
  void stop_moving(Workspace& workspace, const Lab& now);

  std::set<std::string> shown_moving_;  ///< labs that were opened: none moves by itself a second time
  std::string moving_;                  ///< the lab whose number moves by itself now; empty: none
  double moved_ = 0;                    ///< share of its way
  std::string going_;                   ///< the lab that plays automatically
  double went_ = 0;                     ///< seconds since its last step
  std::string shown_;                   ///< the lab that was drawn last
  Computed<Result<LabPicture>> picture_;
};

const Lab& LabsView::chosen(Workspace& workspace) {
  const auto found = find_lab(workspace.lab);
  const Lab& lab = found ? **found : labs().front();
  workspace.lab = lab.id();
  LabValues& values = workspace.lab_values[lab.id()];
  const bool whole = std::all_of(lab.controls.begin(), lab.controls.end(), [&](const LabControl& control) {
    return values.all().contains(control.id());
  });
  if (whole) return lab;
  const LabValues initial = initial_values(lab);
  for (const auto& [name, value] : initial.all())
    if (!values.all().contains(name)) values.set(name, value), values.set_words(name, initial.words(name));
  return lab;
}

// As wide as the longest name, within limits.
float LabsView::list_width() {
  float width = scaled(kList);
  for (const Lab& lab : labs())
    width = std::max(width, text_size(fonts().body, tr(Label(lab.key, ".title"))).x + scaled(12));
  return std::min(width, scaled(kMostList));
}

void LabsView::draw_list(const Lab& now, Workspace& workspace, float width) {
  const ChildScope child("###lab_list", ImVec2(width, ImGui::GetContentRegionAvail().y));
  section_heading(tr("labs.list"));
  ImGui::Dummy(ImVec2(1, scaled(2)));
  const StyleScope air(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(8), scaled(9)));
  for (const Lab& lab : labs()) {
    const std::string id = lab.id();
    const Label name("###lab_open_", id);
    const ColourScope text(ImGuiCol_Text, &lab == &now ? theme().accent : theme().text);
    const char* title = tr(Label(lab.key, ".title"));
    if (ImGui::Selectable(Label(middle_truncated(fonts().body, title, width - scaled(10)), name).c_str(),
                          &lab == &now))
      workspace.lab = id;
    note_item(name);
    compat::item_tooltip(tr(Label(lab.key, ".sentence")));
  }
}

void LabsView::draw_combo(const Lab& now, Workspace& workspace, float width) {
  ImGui::SetNextItemWidth(std::min(width, scaled(320)));
  if (ImGui::BeginCombo("###lab_combo", tr(now.key + ".title"), ImGuiComboFlags_HeightLarge)) {
    for (const Lab& lab : labs())
      if (ImGui::Selectable((std::string(tr(lab.key + ".title")) + "###lab_open_" + lab.id()).c_str(),
                            &lab == &now))
        workspace.lab = lab.id();
    ImGui::EndCombo();
  }
  note_item("lab_combo");
}

float wrapped_height(ImFont* font, const std::string& text, float width) {
  const FontScope face(font);
  const std::string_view lines = in_lines(text, width);
  return ImGui::CalcTextSize(begin_of(lines), end_of(lines), false, width).y;
}

// A smaller font for formulas wider than one line.
ImFont* formula_font(const std::string& formula, float width) {
  return text_size(fonts().formula, formula).x > width ? fonts().mono : fonts().formula;
}

float LabsView::footer_height(const LabPicture& picture, std::uint64_t serial, float width) const {
  const float inner = width - scaled(32), pad = scaled(presented_ ? kPadPresented : kLabPad);
  float height =
      pad +
      wrapped_height(large_ ? fonts().title : fonts().body_bold, lab_words(picture.notice, serial), inner) +
      pad;
  if (!picture.formula.empty()) {
    const std::string& formula = lab_words(picture.formula, serial);
    height += wrapped_height(formula_font(formula, inner), formula, inner) + pad;
  }
  return height;
}

void LabsView::draw_footer(const LabPicture& picture, std::uint64_t serial, ImVec2 at, float width) {
  const float height = footer_height(picture, serial, width);
  const Theme& t = theme();
  const Canvas canvas;
  canvas.fill_rect(at, ImVec2(at.x + width, at.y + height), t.panel, scaled(6));
  canvas.fill_rect(at, ImVec2(at.x + scaled(4), at.y + height), t.accent, scaled(2));
  const auto words = [&](ImFont* font, ImU32 colour, const std::string& text, float y) {
    note_text(text);
    ImGui::SetCursorScreenPos(ImVec2(at.x + scaled(18), y));
    const FontScope face(font);
    const ColourScope ink(ImGuiCol_Text, colour);
    text_in_lines(text, width - scaled(32));
    return y + wrapped_height(font, text, width - scaled(32));
  };
  const float pad = scaled(presented_ ? kPadPresented : kLabPad);
  float y = at.y + pad;
  if (!picture.formula.empty()) {
    const std::string& formula = lab_words(picture.formula, serial);
    y = words(formula_font(formula, width - scaled(32)), t.accent, formula, y) + pad;
  }
  words(large_ ? fonts().title : fonts().body_bold, t.text, lab_words(picture.notice, serial), y);
  note_item("lab_notice", ItemRect{at, ImVec2(at.x + width, at.y + height)});
}

const LabControl* paced(const Lab& lab) {
  for (const LabControl& control : lab.controls)
    if (const auto* number = std::get_if<LabNumber>(&control.kind); number && !number->pace.empty())
      return &control;
  return nullptr;
}

void LabsView::draw_going(const Lab& lab, float right, float y) {
  if (!paced(lab)) return;
  const bool goes = going_ == lab.key;
  const Label label(tr(goes ? "labs.stop" : "labs.go"), "###lab_go");
  ImGui::SetCursorScreenPos(ImVec2(right - chip_width(label), y));
  if (!chip(label, goes, tr("labs.go.help"))) return;
  going_ = goes ? "" : lab.key;
  went_ = 0;
}

// Playing: advances the paced control when it is due; after the last value starts again.
void LabsView::go_on(const ViewContext& context, const Lab& lab, LabValues& values) {
  const LabControl* control = paced(lab);
  if (!control || going_ != lab.key) return;
  context.workspace.moving = true;
  const auto& number = std::get<LabNumber>(control->kind);
  went_ += static_cast<double>(ImGui::GetIO().DeltaTime);
  const double pause = 1 / values.number(number.pace);
  if (went_ < pause) return;
  went_ = std::min(went_ - pause, pause);  // catches up a short delay, not a long pause
  const double next = values.number(control->id()) + 1;
  values.set(control->id(), next > number.most ? number.least : next);
}

bool any_input() {
  const ImGuiIO& io = ImGui::GetIO();
  const bool mouse = io.MouseDown[0] || io.MouseDown[1] || io.MouseDown[2] || io.MouseWheel != 0;
  return mouse || io.InputQueueCharacters.Size > 0 || ImGui::IsAnyItemActive() || compat::any_key_pressed();
}

// At the first opening one number goes there and back by itself, so that one sees that it can be moved. Where
// values were chosen, or a page of a lesson tells what is seen, nothing moves.
void LabsView::show_moving(const ViewContext& context, const Lab& lab, LabValues& values, bool fresh) {
  if (fresh && shown_moving_.insert(lab.key).second) {
    const Workspace& now = context.workspace;
    const bool plain = !now.told && !now.holds_back && !now.keeps_stage && !presented_;
    const bool own = values.all() == initial_values(lab).all();
    if (context.workspace.animate && plain && own && moved_value(lab, 0)) moving_ = lab.key, moved_ = 0;
  }
  if (moving_.empty()) return;
  moved_ += static_cast<double>(ImGui::GetIO().DeltaTime) / kMovingSeconds;
  values.set(lab.moves.id, *moved_value(lab, moved_));
  context.workspace.moving = true;
  if (moved_ >= 1) moving_.clear();
}

// Back where it began, before a click or key is heard, or where another lab is open.
void LabsView::stop_moving(Workspace& workspace, const Lab& now) {
  if (moving_.empty() || (now.key == moving_ && !any_input())) return;
  for (const Lab& lab : labs())
    if (lab.key == moving_) workspace.lab_values[lab.id()].set(lab.moves.id, *moved_value(lab, 1));
  moving_.clear();
}

// In the place of the results while a lesson waits for a bet on them.
void LabsView::draw_held(ImVec2 at, ImVec2 size) {
  const Canvas canvas;
  canvas.fill_rect(at, ImVec2(at.x + size.x, at.y + size.y), theme().panel, scaled(6));
  const ImVec2 sign = text_size(fonts().title, "?");
  draw_text(canvas, fonts().title,
            ImVec2(at.x + (size.x - sign.x) / 2, at.y + size.y / 2 - sign.y - scaled(4)), theme().accent,
            "?");
  const std::string words = tr("labs.held");
  const ImVec2 room = text_size(fonts().body, words);
  note_text(words);
  draw_text(canvas, fonts().body, ImVec2(at.x + (size.x - room.x) / 2, at.y + size.y / 2 + scaled(4)),
            theme().text_dim, words);
  note_item("lab_held", ItemRect{at, ImVec2(at.x + size.x, at.y + size.y)});
}

void LabsView::draw_lab(const ViewContext& context, const Lab& lab, ImVec2 size) {
  stop_moving(context.workspace, lab);
  LabValues& values = context.workspace.lab_values[lab.id()];
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const Label reset(tr("labs.reset"), "###lab_reset");
  const float width = size.x - scaled(8);
  if (presented_)
    text_line(fonts().title, theme().text, tr(Label(lab.key, ".title")));
  else
    view_heading(tr(Label(lab.key, ".title")), tr(Label(lab.key, ".sentence")), width);
  ImGui::Dummy(ImVec2(1, scaled(2)));
  draw_lab_controls(lab, values, width);
  const float top = ImGui::GetCursorScreenPos().y + scaled(10);
  ImGui::SetCursorScreenPos(ImVec2(corner.x + width - chip_width(reset), corner.y));
  if (chip(reset, false, tr("labs.reset.help"))) values = initial_values(lab);
  draw_going(lab, corner.x + width - chip_width(reset) - scaled(8), corner.y);
  const std::uint64_t key = key_of_lab(lab, values);
  // While one picture is made only the newest values wait; that of the values before is seen.
  if (!picture_.asked(key))
    picture_.begin(
        key_of(lab.key), key, context.workers(),
        [&lab, values](const std::atomic<bool>& cancel) { return compute(lab, values, cancel); },
        std::exchange(shown_, lab.key) == lab.key ? Older::finishes : Older::stops);
  // While a bet is open it is computed unseen: the answer is taken from it.
  if (context.workspace.holds_back)
    return draw_held(ImVec2(corner.x, top),
                     ImVec2(width, std::max(scaled(kLeastBody), corner.y + size.y - top)));
  const Made<Result<LabPicture>> made = picture_.made(key_of(lab.key), key);
  show_moving(context, lab, values, made.fresh);
  if (made.fresh) go_on(context, lab, values);
  if (!made) {
    ImGui::SetCursorScreenPos(ImVec2(corner.x, top));
    caption(tr("labs.pending"));
    return;
  }
  if (!*made) {
    ImGui::SetCursorScreenPos(ImVec2(corner.x, top));
    caption(made->error().text());
    return;
  }
  const LabPicture& picture = **made;
  large_ = size.y > scaled(kLarge);
  const float footer = footer_height(picture, made.serial, width), gap = scaled(presented_ ? 8 : 16);
  const float room = std::max(scaled(kLeastBody), corner.y + size.y - top - footer - gap);
  {  // scrolls if higher than the room
    ImGui::SetCursorScreenPos(ImVec2(corner.x, top));
    const ChildScope child("###lab_picture", ImVec2(size.x, room));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float used =
        draw_lab_picture(context.painter, picture, made.serial, lab.id(), at, ImVec2(width, room));
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy(ImVec2(1, std::max(1.f, used - scaled(1))));
  }
  draw_footer(picture, made.serial, ImVec2(corner.x, top + room + gap), width);
}

void LabsView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  const ImVec2 room = ImGui::GetContentRegionAvail(), origin = ImGui::GetCursorScreenPos();
  const Lab& lab = chosen(context.workspace);
  presented_ = context.workspace.presenting;
  const bool list = room.x >= scaled(kLeastForList) && !presented_;
  float left = 0, top = 0;
  if (list) {
    const float width = list_width();
    draw_list(lab, context.workspace, width);
    left = width + scaled(22);
    const float x = origin.x + left - scaled(12);
    Canvas().line(ImVec2(x, origin.y), ImVec2(x, origin.y + room.y), theme().border);
  } else if (!presented_) {
    draw_combo(lab, context.workspace, room.x);
    top = ImGui::GetCursorScreenPos().y - origin.y;
  }
  ImGui::SetCursorScreenPos(ImVec2(origin.x + left, origin.y + top));
  const ChildScope child("###lab", ImVec2(room.x - left, room.y - top));
  draw_lab(context, lab, ImGui::GetContentRegionAvail());
}

}  // namespace

std::unique_ptr<View> make_labs_view();
std::unique_ptr<View> make_labs_view() { return std::make_unique<LabsView>(); }

}  // namespace attnscope
