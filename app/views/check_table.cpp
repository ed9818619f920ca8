#include "app/views/check_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kStrip = 26.f, kMark = 13.f, kBar = 48.f;  // units
constexpr float kCheckLetters = 14.f;                      // em of what stands in a row
constexpr double kDecades = 8;  // decades below the tolerance at which a bar starts; it ends three above

ImU32 colour(const CheckRows& rows, const StepDifference& one) {
  if (rows.wrong(one)) return theme().error;
  return one.compared() ? theme().ok : mix(theme().text_dim, theme().panel, 0.5f);
}

// Digits and names of a row, readable from afar.
void check_letters(ImU32 ink, std::string_view text) {
  const auto [font, size] = font_for(Typeface::mono, scaled(kCheckLetters), true);
  Canvas().text(font, ImGui::GetCursorScreenPos(), ink, text, size);
  ImGui::Dummy(ImVec2(text_size(font, text).x * size / compat::font_size(font), ImGui::GetTextLineHeight()));
}

std::string error_words(const StepDifference& one) {
  if (!one.compared()) return one.why.str();
  return one.error() == 0 ? "0" : significant(one.error(), 3);
}

std::string alone_words(const StepDifference& one) {
  return one.alone > 0 ? tr("compare.alone", {std::to_string(one.alone)}) : std::string();
}

void draw_row(const ViewContext& context, const CheckRows& rows, std::size_t number) {
  const StepDifference& one = rows.all()[number];
  const Canvas canvas;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight(), mark = scaled(kMark);
  const float top = at.y + (line - mark) / 2;
  canvas.fill_rect(ImVec2(at.x, top), ImVec2(at.x + mark, top + mark), colour(rows, one), scaled(3));
  const CheckWords::Row& words = check_words(rows).rows[number];
  const bool here =
      context.workspace.cursor.step == one.site && context.workspace.cursor.sequence == one.sequence;
  if (ImGui::Selectable(words.id.c_str(), here, ImGuiSelectableFlags_SpanAllColumns))
    go_to(context, rows, one);
  note_item(words.item);
  if (one.compared() && one.alone > 0) compat::item_tooltip(words.alone.c_str());
  ImGui::TableNextColumn();
  check_letters(theme().text, words.name);
  ImGui::TableNextColumn();
  if (!one.compared()) return text_line(fonts().small, theme().text_dim, words.error);
  check_letters(colour(rows, one), words.error);
  ImGui::TableNextColumn();
  const ImVec2 bar = ImGui::GetCursorScreenPos();
  const double decades = one.error() > 0 ? std::log10(one.error() / rows.border) + kDecades : 0;
  const float wide = scaled(kBar), share = static_cast<float>(std::clamp(decades / (kDecades + 3), 0.0, 1.0));
  const float border = bar.x + wide * static_cast<float>(kDecades / (kDecades + 3));
  canvas.fill_rect(ImVec2(bar.x, top), ImVec2(bar.x + wide * share, top + mark),
                   with_alpha(colour(rows, one), 0.7f));
  canvas.line(ImVec2(border, at.y), ImVec2(border, at.y + line), theme().text_dim);
  ImGui::Dummy(ImVec2(wide, line));
  ImGui::TableNextColumn();
  if (one.error() == 0) return;
  for (const std::string* number_text : {&words.first, &words.second}) {
    check_letters(theme().text, *number_text);
    ImGui::TableNextColumn();
  }
  check_letters(theme().text_dim, words.place);
}

}  // namespace

const CheckWords& check_words(const CheckRows& rows) {
  static Kept<CheckWords> kept;
  return kept.get(
      {reinterpret_cast<std::uintptr_t>(rows.of.get()), std::bit_cast<std::uint64_t>(rows.border), rows.torch,
       rows.other_input},
      [&] {
        CheckWords out{rows.of, {}, rows.verdict().str(), 0};
        for (const StepDifference& one : rows.all()) {
          const std::string item = "check_row_" + std::to_string(out.rows.size());
          out.rows.push_back({"###" + item, item, one.name(), error_words(one), significant(one.first, 5),
                              significant(one.second, 5), one.place(), alone_words(one)});
          const auto [font, size] = font_for(Typeface::mono, scaled(kCheckLetters), true);
          out.widest =
              std::max(out.widest, text_size(font, out.rows.back().place).x * size / compat::font_size(font));
        }
        return out;
      });
}

void go_to(const ViewContext& context, const CheckRows& rows, const StepDifference& one) {
  context.workspace.cursor.sequence = one.sequence;
  if (one.at.empty() || rows.other_input) return go_to_site(context.workspace, context.run, one.site);
  pin_cell(context.workspace, context.run, {one.site, one.at});
}

std::optional<std::size_t> draw_check_strip(const ViewContext& context, const CheckRows& rows, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = scaled(kStrip),
              each = width / static_cast<float>(std::max<std::size_t>(1, rows.all().size()));
  hit_area("###check_strip", ImVec2(width, high));
  note_item("check_strip");
  const Canvas canvas;
  const float gap = each > scaled(4) ? scaled(1) : 0;
  for (std::size_t i = 0; i < rows.all().size(); ++i) {
    const float x = at.x + each * static_cast<float>(i);
    canvas.fill_rect(ImVec2(x, at.y), ImVec2(x + each - gap, at.y + high), colour(rows, rows.all()[i]));
  }
  if (!ImGui::IsItemHovered()) return std::nullopt;
  const auto index = static_cast<std::size_t>(
      std::clamp((ImGui::GetIO().MousePos.x - at.x) / each, 0.f, static_cast<float>(rows.all().size() - 1)));
  const CheckWords::Row& words = check_words(rows).rows[index];
  ImGui::SetTooltip("%s  %s%s%s", words.name.c_str(), words.error.c_str(), words.alone.empty() ? "" : "\n",
                    words.alone.c_str());
  if (!ImGui::IsItemClicked()) return std::nullopt;
  go_to(context, rows, rows.all()[index]);
  return index;
}

namespace {

float row_height() { return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y; }

// Which rows are drawn while presenting, where nothing scrolls: as many as there is room for, from the one
// before the first wrong one.
struct RowRange {
  std::size_t begin = 0, end = 0;
};
RowRange presented_rows(const CheckRows& rows) {
  const float room = ImGui::GetContentRegionAvail().y / row_height() - 3;  // the header, and the line below
  const auto count = std::min(rows.all().size(), static_cast<std::size_t>(std::max(0.f, room)));
  const StepDifference* first = rows.first_wrong();
  const auto wanted =
      static_cast<std::size_t>(first ? std::max<std::ptrdiff_t>(0, first - rows.all().data() - 1) : 0);
  const std::size_t begin = std::min(wanted, rows.all().size() - count);
  return {begin, begin + count};
}

void set_up_columns(const CheckRows& rows) {
  for (const char* key : {"", "check.column.step", "check.column.error", "check.column.border",
                          "check.column.here", rows.torch ? "check.torch" : "check.column.there"})
    ImGui::TableSetupColumn(*key ? tr(key) : "");
  // As wide as its widest place, also of rows that are not in sight.
  ImGui::TableSetupColumn(tr("check.column.at"), ImGuiTableColumnFlags_WidthFixed,
                          check_words(rows).widest + scaled(12));
  ImGui::TableHeadersRow();
}

void draw_presented_table(const ViewContext& context, const CheckRows& rows) {
  const RowRange some = presented_rows(rows);
  if (some.end > some.begin && ImGui::BeginTable("###check_table", 7, ImGuiTableFlags_SizingFixedFit)) {
    set_up_columns(rows);
    for (std::size_t row = some.begin; row < some.end; ++row) draw_row(context, rows, row);
    ImGui::EndTable();
  }
  if (const std::size_t left = rows.all().size() - (some.end - some.begin))
    caption(tr("check.more", {std::to_string(left)}));
}

}  // namespace

void draw_check_table(const ViewContext& context, const CheckRows& rows, int& scroll_to) {
  const StyleScope cells(ImGuiStyleVar_CellPadding, ImVec2(scaled(6), scaled(3)));
  if (context.workspace.presenting) return draw_presented_table(context, rows);
  const int flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX;
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.y = std::max(1.f, std::floor(room.y / row_height())) * row_height();  // no row is cut in half
  if (!ImGui::BeginTable("###check_table", 7, flags, room)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  set_up_columns(rows);
  if (scroll_to >= 0)
    ImGui::SetScrollY(row_height() * (static_cast<float>(std::exchange(scroll_to, -1)) - 1));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.all().size()));
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      draw_row(context, rows, static_cast<std::size_t>(row));
  ImGui::EndTable();
}

}  // namespace attnscope
