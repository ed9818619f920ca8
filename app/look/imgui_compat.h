// One interface to Dear ImGui 1.86 (Debian 12), 1.90 (Debian 13, Ubuntu 24.04) and 1.92 (sid).
// Everything that differs between them is behind a function here; IMGUI_VERSION_NUM is tested elsewhere only
// in fonts.cpp, scopes.cpp and imgui_host.cpp. Thin wrappers: no behaviour of their own.
#pragma once

#include <imgui.h>
#include <imgui_stdlib.h>  // 1.86 needs imgui.h first: include both here

#include <cstdint>

namespace attnscope {
/// The next tooltip covers nothing of the item before; whether that item was clicked (text_lines.h).
void tooltip_off_item(const char* text);
bool tooltip_is_spent();
}  // namespace attnscope

namespace attnscope::compat {

/// Texture handle of a draw command: a pointer before 1.91.4, an integer since.
inline ImTextureID texture_id(unsigned gl_name) {
  // A C cast compiles for both types.
  return (ImTextureID)(std::intptr_t)gl_name;  // NOLINT(performance-no-int-to-ptr)
}

inline void separator_text(const char* text) {
#if IMGUI_VERSION_NUM >= 18930
  ImGui::SeparatorText(text);
#else
  ImGui::TextUnformatted(text);
  ImGui::Separator();
#endif
}

/// Call ImGui::EndChild() in any case, also if it returns false.
inline bool begin_child(const char* id, ImVec2 size, bool border, ImGuiWindowFlags flags = 0) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, border ? 1 : 0, flags);  // 1: ImGuiChildFlags_Border(s), renamed in 1.91
#else
  return ImGui::BeginChild(id, size, border, flags);
#endif
}

/// The size the font was loaded at, pixels.
inline float font_size(const ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  return font->LegacySize;
#else
  return font->FontSize;
#endif
}

/// The font, or the current one where there is none; and its size, pixels.
inline ImFont* or_current(ImFont* font) { return font ? font : ImGui::GetFont(); }
inline float size_of(const ImFont* font) { return font ? font_size(font) : ImGui::GetFontSize(); }

/// The size whose ascent is that of letters of `size` pixels, before it is made as small as they are: none
/// below the font's own, as smaller letters are those of that size, made smaller (Canvas::text). Since 1.92
/// each size has glyphs of its own.
inline float drawn_at(const ImFont* font, float size) {
  const float own = font_size(font);
  return size < own ? own : size;
}

/// Pixels from the top of a line to its baseline, for a font size.
inline float font_ascent(ImFont* font, [[maybe_unused]] float size) {
#if IMGUI_VERSION_NUM >= 19200
  const float drawn = drawn_at(font, size);
  return font->GetFontBaked(drawn)->Ascent * size / drawn;
#else
  return font->Ascent * size / font->FontSize;
#endif
}

/// End of the line that begins at `text` and is at most `width` pixels wide.
inline const char* wrap_position(ImFont* font, float size, const char* text, const char* end, float width) {
#if IMGUI_VERSION_NUM >= 19200
  return font->CalcWordWrapPosition(size, text, end, width);
#else
  return font->CalcWordWrapPositionA(size / font->FontSize, text, end, width);
#endif
}

/// Pair with ImGui::PopFont().
inline void push_font(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, font_size(font));
#else
  ImGui::PushFont(font);
#endif
}

/// The next item takes the keyboard.
inline void focus_next_item() {
#if IMGUI_VERSION_NUM >= 18900
  ImGui::SetWindowFocus();  // these search for it in the window that had the focus last
#endif
  ImGui::SetKeyboardFocusHere();
}

/// A tooltip for the item before, beside it. `always`: also for a disabled item.
inline void item_tooltip(const char* text, bool always = false) {
  ImGuiHoveredFlags flags = always ? ImGuiHoveredFlags_AllowWhenDisabled : 0;
#if IMGUI_VERSION_NUM >= 18970
  flags |= ImGuiHoveredFlags_ForTooltip;
#endif
  if (!ImGui::IsItemHovered(flags) || tooltip_is_spent()) return;
  tooltip_off_item(text);
  ImGui::SetTooltip("%s", text);
}

/// Colours of the selected tab, focused and unfocused; renamed in 1.90.9.
#if IMGUI_VERSION_NUM >= 19090
constexpr ImGuiCol kTabOpen = ImGuiCol_TabSelected, kTabOpenDimmed = ImGuiCol_TabDimmedSelected;
#else
constexpr ImGuiCol kTabOpen = ImGuiCol_TabActive, kTabOpenDimmed = ImGuiCol_TabUnfocusedActive;
#endif

/// Gives later (or the last) items mouse priority where they overlap another item.
inline void allow_overlap_next() {
#if IMGUI_VERSION_NUM >= 18970
  ImGui::SetNextItemAllowOverlap();
#endif
}
inline void allow_overlap_last() {
#if IMGUI_VERSION_NUM < 18970
  ImGui::SetItemAllowOverlap();
#endif
}

// ---- keys: before 1.87 io.KeysDown[] is indexed by the codes of GLFW -------------------------------------
// clang-format off
enum class Key {
  enter, escape, space, tab, left, right, up, down, home, end, page_up, page_down, backspace, del, insert,
  minus, equal, comma, period, slash, pad_minus, pad_plus, pad_0,
  n0, n1, n2, n3, n4, n5, n6, n7, n8, n9,
  a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z,
  f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12
};
// clang-format on

/// Argument type of IsKeyPressed and AddKeyEvent in this version.
#if IMGUI_VERSION_NUM >= 18700
inline ImGuiKey native(Key key) {
  static const ImGuiKey codes[] = {
      ImGuiKey_Enter,          ImGuiKey_Escape,    ImGuiKey_Space,     ImGuiKey_Tab,    ImGuiKey_LeftArrow,
      ImGuiKey_RightArrow,     ImGuiKey_UpArrow,   ImGuiKey_DownArrow, ImGuiKey_Home,   ImGuiKey_End,
      ImGuiKey_PageUp,         ImGuiKey_PageDown,  ImGuiKey_Backspace, ImGuiKey_Delete, ImGuiKey_Insert,
      ImGuiKey_Minus,          ImGuiKey_Equal,     ImGuiKey_Comma,     ImGuiKey_Period, ImGuiKey_Slash,
      ImGuiKey_KeypadSubtract, ImGuiKey_KeypadAdd, ImGuiKey_Keypad0};
  const int index = static_cast<int>(key);
  if (key < Key::n0) return codes[index];
  if (key < Key::a) return static_cast<ImGuiKey>(ImGuiKey_0 + index - static_cast<int>(Key::n0));
  if (key < Key::f1) return static_cast<ImGuiKey>(ImGuiKey_A + index - static_cast<int>(Key::a));
  return static_cast<ImGuiKey>(ImGuiKey_F1 + index - static_cast<int>(Key::f1));
}
#else
inline int native(Key key) {  // GLFW key codes as numbers, so that tests need no GLFW header
  static const int codes[] = {257, 256, 32,  258, 263, 262, 265, 264, 268, 269, 266, 267,
                              259, 261, 260, 45,  61,  44,  46,  47,  333, 334, 320};
  const int index = static_cast<int>(key);
  if (key < Key::n0) return codes[index];
  if (key < Key::a) return 48 + index - static_cast<int>(Key::n0);
  if (key < Key::f1) return 65 + index - static_cast<int>(Key::a);
  return 290 + index - static_cast<int>(Key::f1);
}
#endif
inline bool key_pressed(Key key, bool repeat = true) { return ImGui::IsKeyPressed(native(key), repeat); }
inline bool any_key_pressed() {
  for (int key = 0; key <= static_cast<int>(Key::f12); ++key)
    if (key_pressed(static_cast<Key>(key), false)) return true;
  return false;
}
inline bool key_down(Key key) { return ImGui::IsKeyDown(native(key)); }

// ---- feeding events (tests, scripts)
// -----------------------------------------------------------------------
inline void feed_mouse_pos(ImGuiIO& io, float x, float y) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(x, y);
#else
  io.MousePos = ImVec2(x, y);
#endif
}
inline void feed_mouse_button(ImGuiIO& io, int button, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseButtonEvent(button, down);
#else
  io.MouseDown[button] = down;
#endif
}
inline void feed_wheel(ImGuiIO& io, float dy) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseWheelEvent(0.0f, dy);
#else
  io.MouseWheel += dy;
#endif
}
inline void feed_modifiers(ImGuiIO& io, bool ctrl, bool shift, bool alt) {
#if IMGUI_VERSION_NUM >= 18900
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
#elif IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiKey_ModCtrl, ctrl);
  io.AddKeyEvent(ImGuiKey_ModShift, shift);
  io.AddKeyEvent(ImGuiKey_ModAlt, alt);
#else
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
  io.KeyAlt = alt;
#endif
}
inline void feed_key(ImGuiIO& io, Key key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(native(key), down);
#else
  io.KeysDown[native(key)] = down;
#endif
}
/// Without a platform backend, versions before 1.87 map no Enter and no Ctrl+V: fills io.KeyMap for tests.
inline void init_headless_keys([[maybe_unused]] ImGuiIO& io) {
#if IMGUI_VERSION_NUM < 18700
  const int rows[][2] = {{ImGuiKey_Tab, 258},      {ImGuiKey_LeftArrow, 263}, {ImGuiKey_RightArrow, 262},
                         {ImGuiKey_UpArrow, 265},  {ImGuiKey_DownArrow, 264}, {ImGuiKey_PageUp, 266},
                         {ImGuiKey_PageDown, 267}, {ImGuiKey_Home, 268},      {ImGuiKey_End, 269},
                         {ImGuiKey_Insert, 260},   {ImGuiKey_Delete, 261},    {ImGuiKey_Backspace, 259},
                         {ImGuiKey_Space, 32},     {ImGuiKey_Enter, 257},     {ImGuiKey_Escape, 256},
                         {ImGuiKey_A, 65},         {ImGuiKey_C, 67},          {ImGuiKey_V, 86},
                         {ImGuiKey_X, 88},         {ImGuiKey_Y, 89},          {ImGuiKey_Z, 90}};
  for (const auto& row : rows) io.KeyMap[row[0]] = row[1];
#endif
}

/// 1 where the arrow to the right was pressed, -1 the one to the left, else 0.
inline int arrow_pressed() { return key_pressed(Key::right) ? 1 : key_pressed(Key::left) ? -1 : 0; }

}  // namespace attnscope::compat
