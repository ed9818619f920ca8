// Two tables of colours and the translation into ImGui's style.
#include "app/look/theme.h"

#include "app/look/imgui_compat.h"
#include "app/look/scopes.h"

namespace attnscope {
namespace {

constexpr Theme make_dark() {
  Theme t{};
  t.kind = ThemeKind::dark;
  t.ground = rgb(0x191c23), t.panel = rgb(0x20242e), t.panel_raised = rgb(0x222630);
  t.hovered = rgb(0x2b313d), t.border = rgb(0x2c323e);
  t.text = rgb(0xe7eaf0), t.text_dim = rgb(0x98a2b3);
  t.accent = rgb(0x7cc4ff), t.accent_soft = rgb(0x27384c), t.on_accent = rgb(0x0b1a29);
  t.q = rgb(0x5b9dff), t.k = rgb(0xff7a70), t.v = rgb(0x4cc38a);
  t.residual = rgb(0xf2b84b), t.attention = rgb(0x7cc4ff), t.mlp = rgb(0xb892ff), t.norm = rgb(0x98a2b3);
  t.positive = rgb(0x4d94ff), t.negative = rgb(0xff8630);
  t.masked = rgb(0x23272f), t.masked_stripe = rgb(0x3d444f);
  t.nan = rgb(0xff4fd8), t.inf = rgb(0xc8ff3d);
  t.error = rgb(0xff6b61), t.ok = rgb(0x4cc38a), t.warning = rgb(0xf2b84b);
  t.breakpoint = rgb(0xff5a52), t.shadow = IM_COL32(0, 0, 0, 120);
  return t;
}

constexpr Theme make_light() {
  Theme t{};
  t.kind = ThemeKind::light;
  t.ground = rgb(0xffffff), t.panel = rgb(0xffffff), t.panel_raised = rgb(0xf4f6f9);
  t.hovered = rgb(0xe8edf4), t.border = rgb(0xd9dee7);
  t.text = rgb(0x1b2230), t.text_dim = rgb(0x5d6b82);
  t.accent = rgb(0x1565c0), t.accent_soft = rgb(0xdceafb), t.on_accent = rgb(0xffffff);
  t.q = rgb(0x1f6feb), t.k = rgb(0xd6453d), t.v = rgb(0x1f8f5f);
  t.residual = rgb(0xc38d2f), t.attention = rgb(0x1565c0), t.mlp = rgb(0x8d69d7), t.norm = rgb(0x757f94);
  t.positive = rgb(0x2f7de1), t.negative = rgb(0xe8731a);
  t.masked = rgb(0xe9edf3), t.masked_stripe = rgb(0xc3cbd7);
  t.nan = rgb(0xd6009f), t.inf = rgb(0x7aa300);
  t.error = rgb(0xc62f28), t.ok = rgb(0x1f8f5f), t.warning = rgb(0xa87418);
  t.breakpoint = rgb(0xff5a52), t.shadow = IM_COL32(20, 28, 45, 60);
  return t;
}

// For projectors and bright rooms.
constexpr Theme make_dark_contrast() {
  Theme t = make_dark();
  t.ground = rgb(0x0b0d12), t.panel = rgb(0x14171e), t.panel_raised = rgb(0x1a1e27);
  t.hovered = rgb(0x2a303c), t.border = rgb(0x4a5262);
  t.text = rgb(0xffffff), t.text_dim = rgb(0xc3cad6);
  t.masked_stripe = rgb(0x525b69), t.norm = rgb(0xc3cad6);
  return t;
}

constexpr Theme make_light_contrast() {
  Theme t = make_light();
  t.border = rgb(0x8b95a5), t.text = rgb(0x000000), t.text_dim = rgb(0x38424f);
  t.accent = rgb(0x0b4f9e), t.attention = rgb(0x0b4f9e), t.masked_stripe = rgb(0x9aa5b4);
  t.norm = rgb(0x4f596b), t.residual = rgb(0x96650b), t.warning = rgb(0x855608);
  return t;
}

constexpr Theme kThemes[2][2] = {{make_dark(), make_dark_contrast()}, {make_light(), make_light_contrast()}};

struct Current {
  ThemeKind kind = ThemeKind::dark;
  bool contrast = false, safe = false;
  int version = 0;
  float scale = 1.0f;
} current;

void set_sizes(ImGuiStyle& style) {
  style.WindowPadding = ImVec2(12, 10);
  style.FramePadding = ImVec2(11, 5);
  style.CellPadding = ImVec2(6, 3);
  style.ItemSpacing = ImVec2(8, 7);
  style.ItemInnerSpacing = ImVec2(6, 4);
  style.IndentSpacing = 16;
  style.ScrollbarSize = 10;
  style.GrabMinSize = 12;
  style.WindowRounding = 8, style.ChildRounding = 0, style.PopupRounding = 8;
  style.FrameRounding = metric::kRounding, style.GrabRounding = metric::kRounding;
  style.ScrollbarRounding = 5, style.TabRounding = metric::kRounding;
  style.WindowBorderSize = 1, style.ChildBorderSize = 1, style.PopupBorderSize = 1, style.FrameBorderSize = 1;
  style.TabBorderSize = 0;
  style.WindowTitleAlign = ImVec2(0, 0.5f);
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.ButtonTextAlign = ImVec2(0.5f, 0.5f);
  style.DisabledAlpha = 0.45f;
  style.AntiAliasedLines = style.AntiAliasedFill = true;
  style.CircleTessellationMaxError = 0.2f;
}

void set_surface_colours(ImVec4* colours, const Theme& t) {
  const auto set = [&](ImGuiCol slot, ImU32 colour) { colours[slot] = to_vec4(colour); };
  set(ImGuiCol_Text, t.text);
  set(ImGuiCol_TextDisabled, t.text_dim);
  set(ImGuiCol_WindowBg, t.ground);
  set(ImGuiCol_ChildBg, IM_COL32_BLACK_TRANS);
  set(ImGuiCol_PopupBg, t.panel);
  set(ImGuiCol_Border, t.border);
  set(ImGuiCol_BorderShadow, IM_COL32_BLACK_TRANS);
  set(ImGuiCol_TitleBg, t.panel_raised);
  set(ImGuiCol_TitleBgActive, t.panel_raised);
  set(ImGuiCol_TitleBgCollapsed, t.panel_raised);
  set(ImGuiCol_MenuBarBg, IM_COL32_BLACK_TRANS);
  set(ImGuiCol_ModalWindowDimBg, t.shadow);
  set(ImGuiCol_Separator, t.border);
  set(ImGuiCol_SeparatorHovered, with_alpha(t.accent, 0.6f));
  set(ImGuiCol_SeparatorActive, t.accent);
  set(ImGuiCol_TableHeaderBg, t.panel_raised);
  set(ImGuiCol_TableBorderStrong, t.border);
  set(ImGuiCol_TableBorderLight, t.border);
  set(ImGuiCol_TableRowBg, IM_COL32_BLACK_TRANS);
  set(ImGuiCol_TableRowBgAlt, with_alpha(t.text_dim, 0.06f));
}

void set_control_colours(ImVec4* colours, const Theme& t) {
  const auto set = [&](ImGuiCol slot, ImU32 colour) { colours[slot] = to_vec4(colour); };
  set(ImGuiCol_FrameBg, t.panel_raised);
  set(ImGuiCol_FrameBgHovered, t.hovered);
  set(ImGuiCol_FrameBgActive, t.hovered);
  set(ImGuiCol_Button, t.panel_raised);
  set(ImGuiCol_ButtonHovered, t.hovered);
  set(ImGuiCol_ButtonActive, t.accent_soft);
  set(ImGuiCol_Header, t.accent_soft);
  set(ImGuiCol_HeaderHovered, t.hovered);
  set(ImGuiCol_HeaderActive, t.accent_soft);
  set(ImGuiCol_CheckMark, t.accent);
  set(ImGuiCol_SliderGrab, t.accent);
  set(ImGuiCol_SliderGrabActive, t.accent);
  set(ImGuiCol_ScrollbarBg, IM_COL32_BLACK_TRANS);
  set(ImGuiCol_ScrollbarGrab, with_alpha(t.text_dim, 0.35f));
  set(ImGuiCol_ScrollbarGrabHovered, with_alpha(t.text_dim, 0.55f));
  set(ImGuiCol_ScrollbarGrabActive, with_alpha(t.text_dim, 0.75f));
  set(ImGuiCol_ResizeGrip, IM_COL32_BLACK_TRANS);
  set(ImGuiCol_ResizeGripHovered, with_alpha(t.accent, 0.4f));
  set(ImGuiCol_ResizeGripActive, with_alpha(t.accent, 0.7f));
  set(ImGuiCol_Tab, IM_COL32_BLACK_TRANS);
  set(ImGuiCol_TabHovered, t.hovered);
  set(compat::kTabOpen, t.panel_raised);
  set(compat::kTabOpenDimmed, t.panel_raised);
  set(ImGuiCol_PlotLines, t.accent);
  set(ImGuiCol_PlotHistogram, t.accent);
  set(ImGuiCol_TextSelectedBg, with_alpha(t.accent, 0.35f));
  set(ImGuiCol_DragDropTarget, t.accent);
  set(ImGuiCol_NavWindowingHighlight, t.accent);
  set(ImGuiCol_NavWindowingDimBg, t.shadow);
}

}  // namespace

const Theme& theme() { return theme(current.kind); }

const Theme& theme(ThemeKind kind) { return theme(kind, current.contrast); }

const Theme& theme(ThemeKind kind, bool contrast) {
  return kThemes[static_cast<int>(kind)][contrast ? 1 : 0];
}

void set_theme(ThemeKind kind) {
  if (kind != current.kind) ++current.version;
  current.kind = kind;
}

void set_contrast(bool on) {
  if (on != current.contrast) ++current.version;
  current.contrast = on;
}
bool contrast() { return current.contrast; }

void set_safe_colours(bool on) {
  if (on != current.safe) ++current.version;
  current.safe = on;
}
bool safe_colours() { return current.safe; }

int theme_version() { return current.version; }

void apply_imgui_style(float scale) {
  reach_to_cursor();
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  set_sizes(style);
  style.ScaleAllSizes(scale);
  const float hairline = scale < 1.5f ? 1.0f : static_cast<float>(static_cast<int>(scale));
  style.WindowBorderSize = style.ChildBorderSize = style.PopupBorderSize = style.FrameBorderSize = hairline;
  if (theme().kind == ThemeKind::light) {
    ImGui::StyleColorsLight(&style);
  } else {
    ImGui::StyleColorsDark(&style);
  }
  set_surface_colours(style.Colors, theme());
  set_control_colours(style.Colors, theme());
  current.scale = scale;
}

float ui_scale() { return current.scale; }

}  // namespace attnscope
