#include "app/panels/inspector/inspector_parts.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

std::string same_place(const Cell& cell) { return to_text(cell); }

const Cell* last_cell(const std::vector<Place>& trail) {
  for (std::size_t i = trail.size(); i-- > 0;)
    if (!trail[i].is_weight()) return &trail[i].cell;
  return nullptr;
}

// "it" for position 2; empty where the input has no tokens.
std::string inspector_parts_token_of(const RunResult& run, int sequence, const Site& site,
                                     const AxisRange& at) {
  if (at.axis == "vocab") return output_name(*run.document.opened, static_cast<int>(at.begin));
  if (at.axis != "query" && at.axis != "key" && at.axis != "pos") return {};
  if (!run.trace(sequence).input.vectors.empty()) return {};
  return row_name(run, sequence, rows_stack(site, at.axis == "key" ? Axis::key : Axis::query),
                  stack_row(run.trace(sequence).config(), site, at.begin));
}

std::string tidy(std::string text) {
  const std::size_t e = text.find('e');
  if (e != std::string::npos) {
    std::string exponent = text.substr(e + 1);
    const bool negative = exponent[0] == '-';
    exponent.erase(0, std::min(exponent.find_first_not_of("+-0"), exponent.size()));
    text = text.substr(0, e + 1) + (negative ? "-" : "") + (exponent.empty() ? "0" : exponent);
  }
  std::string out;
  for (const char c : text) {
    if (c == '-')
      out += "−";
    else
      out += c;
  }
  return out;
}

}  // namespace

InspectorCache& inspector_cache(Workspace& workspace) {
  auto& cache = workspace.inspector.cache;
  if (!cache) cache = std::make_shared<InspectorCache>();
  return *static_cast<InspectorCache*>(cache.get());
}

const Place* place_of(const Workspace& workspace) {
  return workspace.inspector.trail.empty() ? nullptr : &workspace.inspector.trail.back();
}

void keep_trail(Workspace& workspace) {
  auto& trail = workspace.inspector.trail;
  if (!workspace.cursor.pinned) return trail.clear();
  const Cell* last = last_cell(trail);
  if (last && same_place(*last) == same_place(*workspace.cursor.pinned)) return;
  trail.assign(1, Place{*workspace.cursor.pinned, {}, {}});
  workspace.inspector.all_terms = false;
}

void follow_source(Workspace& workspace, const RunResult& run, const Source& source) {
  Place place;
  if (source.is_weight) {
    place.weight = source.name, place.index = source.index;
  } else {
    place.cell = cell_at(run.trace(workspace.cursor.sequence), source.site, source.index);
    pin_cell(workspace, run, place.cell);
  }
  workspace.inspector.trail.push_back(std::move(place));
  workspace.inspector.all_terms = false;
}

void go_back(Workspace& workspace, const RunResult& run, std::size_t length) {
  auto& trail = workspace.inspector.trail;
  if (length == 0 || length >= trail.size()) return;
  trail.resize(length);
  if (const Cell* cell = last_cell(trail)) pin_cell(workspace, run, Cell(*cell));
  workspace.inspector.all_terms = false;
}

std::string shown_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value) || value < kMaskedBelow) return value < 0 ? "−∞" : "∞";
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 1e5 || size < 5e-4) return tidy(format("%.3e", value));
  return tidy(format("%.4f", value));
}

std::string shown_in_list(double value, double least) {
  if (value == 0 || !std::isfinite(value) || value < kMaskedBelow) return shown_number(value);
  const double size = std::fabs(least);
  if (size == 0 || size >= 5e-4) return tidy(format("%.4f", value));
  return tidy(format(size >= 5e-6 ? "%.6f" : "%.3e", value));
}

std::string subscript(std::int64_t number) {
  std::string out;
  for (const char digit : std::to_string(number))
    append_utf8(out, digit == '-' ? 0x208B : 0x2080 + (digit - '0'));
  return out;
}

std::string symbol_of(const Source& source) {
  if (source.is_weight) return ends_with(source.name, ".bias") ? "b" : "W";
  switch (step_of(source.site.slot).hue) {
    case Hue::query: return "q";
    case Hue::key: return "k";
    case Hue::value: return "v";
    case Hue::attention: return source.site.is(StepRole::pattern) ? "a" : "s";
    case Hue::norm: return "y";
    case Hue::output: return "z";
    case Hue::mlp: return "h";
    default: return "x";
  }
}

ImU32 colour_of(const Source& source) {
  if (!source.is_weight) return hue_colour(step_of(source.site.slot).hue);
  const auto has = [&](const char* part) { return source.name.find(part) != std::string::npos; };
  if (has("attn.q.") || has("cross.q.")) return theme().q;
  if (has("attn.k.") || has("cross.k.")) return theme().k;
  if (has("attn.v.") || has("cross.v.")) return theme().v;
  if (has("rel_bias.")) return theme().attention;
  if (has("mlp.")) return theme().mlp;
  return has("ln") ? theme().norm : theme().residual;
}

std::string coordinates_text(const RunResult& run, int sequence, const Cell& cell) {
  std::vector<std::string> parts;
  for (const AxisRange& at : cell.at) {
    const std::string token = inspector_parts_token_of(run, sequence, cell.site, at);
    parts.push_back(at.axis + "=" + std::to_string(at.begin) + (token.empty() ? "" : " “" + token + "”"));
  }
  return "[" + join(parts, ", ") + "]";
}

std::string weight_coordinates(const RunResult& run, const Place& place) {
  return weight_cell_text(run, place.weight, place.index).substr(place.weight.size());
}

void section_title(const char* text) {
  ImGui::Dummy(ImVec2(1, px(2)));
  const WithFont font(fonts().body_bold);
  dim_text(text);
}

void fact_row(std::string_view name, std::string_view value, const Label& help) {
  const float x = ImGui::GetCursorPosX();
  {
    const WithColour colour(ImGuiCol_Text, theme().text_dim);
    ImGui::TextUnformatted(shortened(name, px(104)).c_str());
  }
  if (*help.c_str() != 0) compat::item_tooltip(help.c_str());
  ImGui::SameLine(x + px(110));
  const WithFont font(fonts().mono);
  note_text(value);
  text_in_lines(value);
}

Flow::Flow(float left, float right)
    : left_(left), right_(right), x_(left), y_(ImGui::GetCursorScreenPos().y) {
  line_ = ImGui::GetTextLineHeight() + px(6);
}

bool Flow::room_for(float width) {
  if (x_ + width <= right_ || x_ <= left_) return true;
  next_line();
  x_ = left_ + px(14);
  return false;
}

void Flow::text(const std::string& piece, ImU32 colour) {
  note_text(piece);
  const std::string fitted = shortened(piece, right_ - left_ - px(14));
  const float width = ImGui::CalcTextSize(fitted.c_str()).x;
  room_for(width);
  ImGui::SetCursorScreenPos(ImVec2(std::floor(x_), std::floor(y_)));
  const WithColour ink(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(fitted.c_str());
  x_ += width;
}

void Flow::words(const std::string& sentence, ImU32 colour) {
  const std::vector<std::string> pieces = split(sentence, ' ');
  for (std::size_t i = 0; i < pieces.size(); ++i)
    text(pieces[i] + (i + 1 < pieces.size() ? " " : ""), colour);
}

bool Flow::link(const std::string& id, const std::string& piece, ImU32 colour, const std::string& help) {
  note_text(piece);
  const std::string fitted = shortened(piece, right_ - left_ - px(14));
  const ImVec2 size = ImGui::CalcTextSize(fitted.c_str());
  room_for(size.x);
  const ImVec2 at(std::floor(x_), std::floor(y_));
  ImGui::SetCursorScreenPos(at);
  const bool pressed = hit_area(id.c_str(), ImVec2(std::max(1.f, size.x), size.y));
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hovered && !help.empty()) {
    tooltip_off(at, ImVec2(at.x + size.x, at.y + size.y), help.c_str());
    ImGui::SetTooltip("%s", help.c_str());
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddText(at, colour, fitted.c_str());
  if (hovered)
    list->AddLine(ImVec2(at.x, at.y + size.y), ImVec2(at.x + size.x, at.y + size.y), colour, px(1));
  x_ += size.x;
  return pressed;
}

void Flow::right(const std::string& piece, ImU32 colour) {
  const float width = ImGui::CalcTextSize(piece.c_str()).x;
  if (x_ + px(10) + width > right_ && x_ > left_) next_line();
  x_ = std::max(left_, right_ - width);
  text(piece, colour);
}

void Flow::aside(const std::string& piece, ImU32 colour) {
  if (x_ + px(10) + ImGui::CalcTextSize(piece.c_str()).x <= right_) right(piece, colour);
}

void Flow::next_line() {
  x_ = left_;
  y_ += line_;
}

}  // namespace attnscope
