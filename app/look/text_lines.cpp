#include "app/look/text_lines.h"

#include <algorithm>
#include <bit>

#include "app/look/kept_text.h"
#include "app/look/theme.h"

namespace attnscope {

namespace {

// Past the word at `at`: a number and its "%" behind a space are one.
const char* word_end(const char* at, const char* end) {
  const auto ends = [&] {
    const bool percent = *at == ' ' && end - at > 1 && at[1] == '%';
    return (*at == ' ' && !percent) || *at == '\n';
  };
  while (at < end && *at == ' ') ++at;
  while (at < end && !ends()) ++at;
  return at;
}

}  // namespace

const char* line_end(const char* text, const char* end, float width) {
  const char* fits = text;
  for (const char* at = text; at < end;) {
    at = word_end(at, end);
    if (fits > text && ImGui::CalcTextSize(text, at).x > width) return fits;
    fits = at;
    if (at < end && *at == '\n') return at;
  }
  return fits;
}

namespace {

std::string broken(std::string_view text, float width) {
  std::string out;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    const char* const stop = line_end(at, end, width);
    out.append(at, stop);
    at = stop;
    if (at >= end) break;
    out += '\n';
    while (at < end && *at == ' ') ++at;
    if (at < end && *at == '\n') ++at;
  }
  return out;
}

}  // namespace

std::string_view in_lines(std::string_view text, float width) {
  static KeptTexts kept;
  Hash hash;
  hash.take(text);
  const std::uint64_t key = text_key(
      {hash.value(), std::bit_cast<std::uint32_t>(width), std::bit_cast<std::uint32_t>(ImGui::GetFontSize()),
       static_cast<std::uint64_t>(std::bit_cast<std::uintptr_t>(ImGui::GetFont()))});
  return fonts_pending() ? kept.get(key + static_cast<std::uint64_t>(ImGui::GetFrameCount()),
                                    [&] { return broken(text, width); })
                         : kept.get(key, [&] { return broken(text, width); });
}

void text_in_lines(std::string_view text, float width) {
  const float room = width > 0 ? width : ImGui::GetContentRegionAvail().x;
  const std::string_view lines = in_lines(text, room);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room);  // a single word may be wider than the line
  ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
  ImGui::PopTextWrapPos();
}

namespace {

int tooltips_beside = 0;

void place_tooltip(ImVec2 p0, ImVec2 p1, const char* text, bool sides_first) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const ImVec2 words = ImGui::CalcTextSize(text), screen = ImGui::GetIO().DisplaySize;
  const ImVec2 pointer = ImGui::GetIO().MousePos, gap = style.ItemInnerSpacing;
  const ImVec2 size(words.x + 2 * style.WindowPadding.x, words.y + 2 * style.WindowPadding.y);
  const auto within = [](float at, float room) { return std::clamp(at, 0.f, std::max(0.f, room)); };
  const float x = within(p1.x - p0.x > size.x ? std::clamp(pointer.x, p0.x, p1.x) : p0.x, screen.x - size.x),
              y = within(sides_first ? p0.y : std::clamp(pointer.y, p0.y, p1.y), screen.y - size.y);
  const float below = p1.y + gap.y, above = p0.y - gap.y - size.y, right = p1.x + gap.x,
              left = p0.x - gap.x - size.x;
  const auto at_a_side = [&] {
    const bool fits = right + size.x <= screen.x || left >= 0;
    if (fits) ImGui::SetNextWindowPos(ImVec2(right + size.x <= screen.x ? right : left, y));
    return fits;
  };
  if (sides_first && at_a_side()) return;
  if (below + size.y <= screen.y) return ImGui::SetNextWindowPos(ImVec2(x, below));
  if (above >= 0) return ImGui::SetNextWindowPos(ImVec2(x, above));
  (void)at_a_side();
}

}  // namespace

TooltipsBeside::TooltipsBeside() { ++tooltips_beside; }
TooltipsBeside::~TooltipsBeside() { --tooltips_beside; }

void tooltip_off(ImVec2 p0, ImVec2 p1, const char* text) { place_tooltip(p0, p1, text, false); }
void tooltip_beside(ImVec2 p0, ImVec2 p1, const char* text) { place_tooltip(p0, p1, text, true); }

bool tooltip_is_spent() {
  constexpr float kControl = 60;   // pixels: what is higher is a picture, with another tooltip at each place
  constexpr double kAtOnce = 0.5;  // seconds: what a click lights may have its tooltip some frames later
  static ImVec2 clicked_at;
  static int seen = -2;  // the last frame in which the pointer was on the item of that click
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax(), at = io.MouseClickedPos[0];
  const bool inside = at.x >= min.x && at.x < max.x && at.y >= min.y && at.y < max.y;
  if (!inside || max.y - min.y > kControl * ui_scale()) return false;
  const int now = ImGui::GetFrameCount();
  const bool same = at.x == clicked_at.x && at.y == clicked_at.y && now >= seen && now <= seen + 1;
  if (!same && ImGui::GetTime() - io.MouseClickedTime[0] > kAtOnce) return false;
  clicked_at = at, seen = now;
  return true;
}

void tooltip_off_item(const char* text) {
  place_tooltip(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), text, tooltips_beside > 0);
}

}  // namespace attnscope
