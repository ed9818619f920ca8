#include "app/shell/easy_lab.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/gpu/gl_context.h"
#include "app/look/item_map.h"
#include "app/shell/try_card.h"
#include "app/state/controls.h"
#include "app/views/labs_controls.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::array<const char*, 6> kFirstLabs{"sqrt", "order", "norms", "memory", "tying", "sharing"};
constexpr float kLabControls = 62.f, kMostControls = 720.f;  // units
constexpr float kLabMoveSeconds = 1.6f;

// The control of what there is to try.
const LabControl& tried_control(const Lab& lab) {
  const LabControl* tried = find_control(lab, lab.tries.id);
  return tried ? *tried : lab.controls.front();
}

// `share` of the way from one value to another; in equal factors where the slider has them.
double lab_value_between(const LabControl& control, double from, double to, double share) {
  const auto* number = std::get_if<LabNumber>(&control.kind);
  if (!number || share >= 1) return to;
  const double now = number->log ? from * std::pow(to / from, share) : from + (to - from) * share;
  return number->whole ? std::round(now) : now;
}

}  // namespace

const Lab& EasyLab::of_the_day() {
  using Days = std::chrono::days;
  const auto today = std::chrono::floor<Days>(std::chrono::system_clock::now()).time_since_epoch().count();
  const auto found = find_lab(kFirstLabs[static_cast<std::size_t>(today) % kFirstLabs.size()]);
  return found ? **found : labs().front();
}

const Lab& EasyLab::shown(const Workspace& workspace) {
  const auto found = find_lab(workspace.lab);
  return found ? **found : of_the_day();
}

LabValues& EasyLab::values(Workspace& workspace, const Lab& lab) {
  LabValues& out = workspace.lab_values[lab.id()];
  const bool whole = std::all_of(lab.controls.begin(), lab.controls.end(),
                                 [&](const LabControl& control) { return out.all().contains(control.id()); });
  if (!whole) {
    LabValues all = initial_values(lab);
    for (const auto& [id, value] : out.all()) all.set(id, value), all.set_words(id, out.words(id));
    out = all;
  }
  return out;
}

// While a number is dragged the picture under way is completed: something is seen to move.
std::shared_ptr<const Result<LabPicture>> EasyLab::picture(const FrameState& state, const Lab& lab) {
  const LabValues values = state.workspace.lab_values.at(lab.id());
  const std::uint64_t key = key_of_lab(lab, values), subject = key_of(lab.key);
  if (!picture_.asked(key))
    picture_.begin(
        subject, key, state.session.workers(),
        [&lab, values](const std::atomic<bool>& cancel) {
          auto out = compute(lab, values, cancel);
          wake_window();
          return out;
        },
        std::exchange(drawn_, lab.key) == lab.key ? Older::finishes : Older::stops);
  return picture_.made(subject, key).value;
}

float EasyLab::draw_list(Workspace& workspace, float right, float y) {
  const Label label(tr("easy.lab.others"), " \u25be###labs");
  const float left = right - button_width(label);
  ImGui::SetCursorScreenPos(ImVec2(left, y + px(5)));
  if (raised_button(label)) ImGui::OpenPopup("###labs_popup");
  popup_below_item(true);
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  if (!ImGui::BeginPopup("###labs_popup")) return left;
  const Lab& now = shown(workspace);
  for (const Lab& lab : labs()) {
    const Label name("lab_open_", lab.id());
    if (ImGui::MenuItem(Label(tr(Label(lab.key, ".title")), "###", name).c_str(), nullptr, &lab == &now))
      workspace.lab = lab.id();
    note_item(name);
    compat::item_tooltip(tr(Label(lab.key, ".sentence")));
  }
  ImGui::EndPopup();
  return left;
}

float EasyLab::height() { return px(kLabControls + kTryCardHeight); }

// Sets the control to what is to be tried, by a motion where it is a number; or back to where it began.
void EasyLab::toggle(FrameState& state, const Lab& lab) {
  const LabControl& control = tried_control(lab);
  LabValues& now = values(state.workspace, lab);
  if (now.number(control.id()) == lab.tries.to) return now.set(control.id(), control.initial());
  const bool moves = state.workspace.animate && std::holds_alternative<LabNumber>(control.kind);
  if (!moves) return now.set(control.id(), lab.tries.to);
  moved_ = true, share_ = 0, from_ = now.number(control.id()), moves_ = lab.id();
}

void EasyLab::move(FrameState& state, const Lab& lab) {
  if (!moved_) return;
  const LabControl& control = tried_control(lab);
  const bool other = moves_ != lab.id() || ImGui::IsMouseClicked(0) || compat::any_key_pressed();
  share_ = other ? 1 : std::min(1.f, share_ + ImGui::GetIO().DeltaTime / kLabMoveSeconds);
  moved_ = share_ < 1;
  if (moves_ != lab.id()) return;
  values(state.workspace, lab)
      .set(control.id(), lab_value_between(control, from_, lab.tries.to, static_cast<double>(share_)));
  state.workspace.moving |= moved_;
}

void EasyLab::draw(FrameState& state, ImVec2 at, float width) {
  const Lab& lab = shown(state.workspace);
  move(state, lab);
  state.show_try = [this](FrameState& frame) { toggle(frame, shown(frame.workspace)); };
  const LabControl& tried = tried_control(lab);
  if (one_.key != lab.key) {
    one_ = {lab.key, lab.order, {tried}, nullptr, {}};
    if (const LabControl* beside = find_control(lab, lab.tries.beside)) one_.controls.push_back(*beside);
    for (LabControl& control : one_.controls) control.with.clear();
  }
  ImGui::SetCursorScreenPos(at);
  (void)draw_lab_controls(one_, values(state.workspace, lab), std::min(width, px(kMostControls)), true);
  const ImVec2 card(at.x, at.y + px(kLabControls)), end(at.x + width, card.y + px(kTryCardHeight - 8));
  const float left = draw_try_frame(card, end), middle = (card.y + end.y) / 2;
  const bool done = values(state.workspace, lab).number(tried.id()) == lab.tries.to;
  const Label label(tr(done ? "easy.try.back" : "easy.try.show"), "###try_show");
  const float right = end.x - px(12) - button_width(label);
  ImGui::SetCursorScreenPos(ImVec2(right, middle - ImGui::GetFrameHeight() / 2));
  if (raised_button(label, !done) && !moved_) toggle(state, lab);
  draw_try_words(tr(Label(lab.key, ".try")), left, right - px(12), middle);
  note_item("try_sentence");
}

}  // namespace attnscope
