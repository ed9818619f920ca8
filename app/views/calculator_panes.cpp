// Texts are in assets/strings/*/calculator_view.json.
#include "app/views/calculator_panes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/look/text_lines.h"
#include "app/views/calculator_lines.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/calc/calc_tables.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

constexpr float kCalculatorPanesRow = 20.f, kPartRow = kCalculatorPanesRow + 4,
                kWeightRow = kCalculatorPanesRow;             // units
constexpr float kRowLetters = 14.f, kLeastRowLetters = 11.f;  // em of what stands in a row
constexpr float kWeightGap = 12.f, kShareColumn = 70.f;       // units

ImU32 colour_of(ParameterPart part) {
  const Theme& t = theme();
  switch (part) {
    case ParameterPart::embedding: return t.residual;
    case ParameterPart::attention: return t.attention;
    case ParameterPart::mlp: return t.mlp;
    case ParameterPart::norms: return t.norm;
    case ParameterPart::unembedding: return t.accent;
    case ParameterPart::other: return t.text_dim;
  }
  return t.text_dim;
}

std::string bytes_text(Count bytes) { return format_bytes(static_cast<std::uint64_t>(bytes.value())); }

// Right-aligned text.
void calculator_panes_draw_right(ImFont* font, float right, float y, ImU32 colour, const std::string& text) {
  draw_text(Canvas(), font, ImVec2(right - text_size(font, text).x, y), colour, text);
}

// Digits and names of a row, readable from afar, in letters of `em` units. Returns the width, pixels.
float row_width(std::string_view text, float em = kRowLetters) {
  const auto [font, size] = font_for(Typeface::mono, scaled(em), true);
  return text_size(font, text).x * size / compat::font_size(font);
}
void draw_row(float x, float y, float width, ImU32 colour, std::string_view text, float em = kRowLetters) {
  const auto [font, size] = font_for(Typeface::mono, scaled(em), true);
  Canvas().text(font, ImVec2(x, y), colour,
                middle_truncated(font, text, width * compat::font_size(font) / size), size);
}
void draw_row_right(float right, float y, ImU32 colour, std::string_view text) {
  draw_row(right - row_width(text), y, 1e9f, colour, text);
}

void draw_left(ImFont* font, float x, float y, float width, ImU32 colour, std::string_view text) {
  draw_text(Canvas(), font, ImVec2(x, y), colour, middle_truncated(font, text, width));
}

// Reserves a line of `height` units; returns its upper left corner.
ImVec2 next_line(float width, float height = kCalculatorPanesRow) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(width, scaled(height) - ImGui::GetStyle().ItemSpacing.y));
  return at;
}

// It would be cut in half at the lower edge: a list ends with a whole line.
bool cut_below(ImVec2 at, float height) {
  const float bottom = ImGui::GetWindowPos().y + ImGui::GetWindowSize().y;
  return at.y < bottom && at.y + scaled(height) > bottom;
}

// A rule of thumb below a number, in the letters of a text.
void rule_line(std::string_view text, float width) {
  const FontScope face(fonts().body);
  const ColourScope ink(ImGuiCol_Text, theme().text_dim);
  figure_text(text, ImGui::GetCursorPosX() + width);
}

// A stacked bar: each part as wide as its share of the parameters.
void draw_shares(const Parameters& all, float width) {
  const ImVec2 at = next_line(width, 26);
  const float height = scaled(16), total = static_cast<float>(std::max(1.0, all.total.real()));
  float x = at.x;
  for (const ParameterPart part : kParameterParts) {
    const auto share = static_cast<float>(all.by_part[static_cast<std::size_t>(part)].real()) / total;
    if (share <= 0) continue;
    const float wide = std::max(1.f, share * width);
    Canvas().fill_rect(ImVec2(x, at.y), ImVec2(x + wide - 1, at.y + height), colour_of(part));
    x += wide;
  }
}

// By ParameterPart: whether its weights are listed below it.
using PartsInFull = std::array<bool, kParameterParts.size()>;

// A click lists the weights of this part where they are not.
void choose_part(const CalculatorScene& scene, ParameterPart part, bool listed, ImVec2 at, float width) {
  if (!scene.first || listed) return;
  const ImVec2 after = ImGui::GetCursorScreenPos();
  const Label id("###calc_part_", part_name(part));
  ImGui::SetCursorScreenPos(at);
  if (hit_area(id.c_str(), ImVec2(width, scaled(kPartRow) - ImGui::GetStyle().ItemSpacing.y)))
    *scene.first = part;
  note_item(std::string_view(id).substr(3));
  compat::item_tooltip(tr("calculator.part.help"));
  if (ImGui::IsItemHovered())
    Canvas().fill_rect(ImVec2(at.x, at.y - scaled(1)), ImVec2(at.x + width, at.y + scaled(kPartRow - 3)),
                       theme().panel_raised, scaled(3));
  ImGui::SetCursorScreenPos(after);
}

void draw_part_line(const CalculatorScene& scene, ParameterPart part, bool listed, float width) {
  const Parameters& all = scene.calc.parameters;
  const Count count = all.by_part[static_cast<std::size_t>(part)];
  if (count.value() == 0) return;
  const ImVec2 at = next_line(width, kPartRow);
  if (cut_below(at, kPartRow)) return;
  choose_part(scene, part, listed, at, width);
  Canvas().fill_rect(ImVec2(at.x, at.y + scaled(4)), ImVec2(at.x + scaled(9), at.y + scaled(13)),
                     colour_of(part), scaled(2));
  draw_left(fonts().reading_bold, at.x + scaled(16), at.y, width / 2, theme().text,
            tr(Label("calculator.part.", part_name(part))));
  const double share = count.real() / std::max(1.0, all.total.real());
  draw_row_right(at.x + width - scaled(kShareColumn), at.y + scaled(1), theme().text, count_text(count));
  draw_row_right(at.x + width, at.y + scaled(1), theme().text_dim, percent_text(share));
}

// Calls `use` for each row of a part that is listed.
template <class Use>
void each_listed(const Parameters& all, const PartsInFull& full, Use use) {
  for (const ParameterRow& row : all.rows)
    if (full[static_cast<std::size_t>(row.part)]) use(row);
}

// Columns of the lines of weights, pixels: as wide as what stands in them, in smaller letters where that
// lacks room; what the letters come to in numbers, where there is room for it, too.
struct WeightColumns {
  float em = kRowLetters, name = 0, symbols = 0;
  bool numbers = false;
};
WeightColumns weight_columns(const Parameters& all, const PartsInFull& full, float width) {
  WeightColumns out;
  float numbers = 0, count = 0;
  each_listed(all, full, [&](const ParameterRow& row) {
    numbers = std::max(numbers, row_width(Label("= ", row.numbers)));
    count = std::max(count, row_width(count_text(row.count)));
  });
  const float room = width - scaled(kShareColumn) - count - scaled(16 + 2 * kWeightGap);
  for (;; out.em -= 0.5f) {
    out.name = out.symbols = 0;
    each_listed(all, full, [&](const ParameterRow& row) {
      out.name = std::max(out.name, row_width(row.name, out.em));
      out.symbols = std::max(out.symbols, row_width(row.symbols, out.em));
    });
    if (out.name + out.symbols <= room || out.em <= kLeastRowLetters) break;
  }
  out.numbers = out.name + out.symbols + scaled(kWeightGap) + numbers <= room;
  if (out.name + out.symbols > room) out.name = std::max(0.f, std::min(out.name, room * 0.68f));
  out.symbols = std::max(0.f, std::min(out.symbols, room - out.name));
  return out;
}

void draw_weight_line(const ParameterRow& row, const WeightColumns& columns, float width) {
  const ImVec2 at = next_line(width, kWeightRow);
  if (cut_below(at, kWeightRow)) return;
  float x = at.x + scaled(16);
  draw_row(x, at.y, columns.name + 1, theme().text_dim, row.name, columns.em);
  x += columns.name + scaled(kWeightGap);
  draw_row(x, at.y, columns.symbols + 1, theme().text, row.symbols, columns.em);
  x += columns.symbols + scaled(kWeightGap);
  if (columns.numbers) draw_row(x, at.y, 1e9f, theme().text_dim, Label("= ", row.numbers));
  draw_row_right(at.x + width - scaled(kShareColumn), at.y, theme().text, count_text(row.count));
}

bool of_blocks(ParameterPart part) { return part == ParameterPart::attention || part == ParameterPart::mlp; }

// Those whose weights are listed in `height` pixels; the `first` part, then attention and MLP, so that models
// beside each other list the same, then the largest: each with all of its weights or none, so that what is
// listed adds up. That part is listed without the room, too, and scrolls.
PartsInFull parts_in_full(const Parameters& all, float height, std::optional<ParameterPart> first) {
  const auto count = [&](ParameterPart part) { return all.by_part[static_cast<std::size_t>(part)].real(); };
  auto parts = kParameterParts;
  std::sort(parts.begin(), parts.end(), [&](ParameterPart a, ParameterPart b) {
    if (first && (a == *first) != (b == *first)) return a == *first;
    if (of_blocks(a) != of_blocks(b)) return of_blocks(a);
    return count(a) != count(b) ? count(a) > count(b) : a < b;
  });
  PartsInFull out{};
  for (const ParameterPart part : parts)
    if (count(part) > 0) height -= scaled(kPartRow);
  for (const ParameterPart part : parts) {
    const auto rows = std::count_if(all.rows.begin(), all.rows.end(),
                                    [&](const ParameterRow& row) { return row.part == part; });
    const float wanted = scaled(kWeightRow) * static_cast<float>(rows);
    if (wanted > height && part != first) continue;
    height -= wanted;
    out[static_cast<std::size_t>(part)] = true;
  }
  return out;
}

struct MemoryBar {
  std::string name;
  Count bytes;
  ImU32 colour;
};

// Horizontal bars with name and number, on a common scale.
void calculator_panes_draw_bars(const std::vector<MemoryBar>& bars, float width) {
  double most = 1;
  for (const MemoryBar& bar : bars) most = std::max(most, bar.bytes.real());
  for (const MemoryBar& bar : bars) {
    const ImVec2 at = next_line(width, 40);
    draw_left(fonts().body, at.x, at.y, width * 0.55f, theme().text, bar.name);
    calculator_panes_draw_right(fonts().mono, at.x + width, at.y, theme().text, binary_bytes(bar.bytes));
    calculator_panes_draw_right(fonts().mono_small, at.x + width - scaled(96), at.y + scaled(2),
                                theme().text_dim, count_text(bar.bytes));
    const auto wide = static_cast<float>(bar.bytes.real() / most) * width;
    const Canvas canvas;
    const float top = at.y + scaled(20), bottom = top + scaled(9);
    canvas.fill_rect(ImVec2(at.x, top), ImVec2(at.x + width, bottom), theme().panel_raised, scaled(3));
    canvas.fill_rect(ImVec2(at.x, top), ImVec2(at.x + std::max(scaled(2), wide), bottom), bar.colour,
                     scaled(3));
  }
}

}  // namespace

std::string with_prefix(double value) {
  static constexpr const char* kLetters[] = {"", " k", " M", " G", " T", " P", " E", " Z", " Y"};
  std::size_t thousands = 0;
  for (; value >= 999.5 && thousands + 1 < std::size(kLetters); ++thousands) value /= 1000;
  return significant(value, 3) + kLetters[thousands];
}

void draw_calculator_parameters(const CalculatorScene& scene, float width) {
  const Parameters& all = scene.calc.parameters;
  const float top = ImGui::GetCursorScreenPos().y;
  text_line(fonts().mono_big, theme().text, count_text(all.total));
  if (!(all.active == all.total)) rule_line(tr("calculator.active", {count_text(all.active)}), width);
  rule_line(
      kept_tr(scene.model.config.encoder() ? "calculator.rule.cross" : "calculator.rule",
              {count_text(scene.calc.rule), bytes_text(scene.calc.traffic.weights), scene.work.dtype.name}),
      width);
  const ModelConfig& config = scene.model.config;
  const std::string eps = significant(static_cast<double>(config.final_norm.eps), 3);
  rule_line(config.position.max_positions > 0
                ? kept_tr("calculator.config", {format_count(config.position.max_positions), eps})
                : kept_tr("calculator.config.no_limit", {eps}),
            width);
  draw_shares(all, width);
  const float used = ImGui::GetCursorScreenPos().y - top;
  const PartsInFull full =
      parts_in_full(all, scene.height > 0 ? scene.height - used : std::numeric_limits<float>::infinity(),
                    scene.first ? *scene.first : std::nullopt);
  const WeightColumns columns = weight_columns(all, full, width);
  for (const ParameterPart part : kParameterParts) {
    draw_part_line(scene, part, full[static_cast<std::size_t>(part)], width);
    each_listed(all, full, [&](const ParameterRow& row) {
      if (row.part == part) draw_weight_line(row, columns, width);
    });
  }
}

void draw_calculator_cache(const CalculatorScene& scene, float width) {
  const CacheForms& forms = scene.calc.forms;
  const Sizes sizes = sizes_of(scene.model);
  const std::string kv_heads =
      range_text(scene.model.config, &BlockSpec::attention, &AttentionSpec::n_kv_heads);
  if (forms.own.value() == 0) return caption(tr("calc.note.no_decoding"));
  text_line(fonts().mono_big, theme().text, binary_bytes(scene.calc.cache.total()));
  if (scene.model.latent.kv_rank > 0)
    caption(tr("calculator.cache.latent",
               {std::to_string(sizes.layers), std::to_string(scene.model.latent.kv_rank),
                std::to_string(scene.model.latent.rope), binary_bytes(scene.calc.cache.per_position)}));
  else
    caption(
        tr(scene.calc.cache.cross.value() > 0 ? "calculator.cache.formula.cross" : "calculator.cache.formula",
           {std::to_string(sizes.layers), kv_heads,
            range_text(scene.model.config, &BlockSpec::attention, &AttentionSpec::d_head),
            binary_bytes(scene.calc.cache.per_position)}));
  ImGui::Dummy(ImVec2(1, scaled(4)));
  const ImU32 other = with_alpha(theme().attention, 0.5f);
  std::vector<MemoryBar> bars;
  for (const CalcLine& line : cache_lines(scene.model, scene.calc).lines)
    bars.push_back(
        {line.name.str(), Count(line.numbers.front().whole), bars.empty() ? theme().accent : other});
  if (scene.calc.cache.cross.value() > 0) bars.back().colour = theme().attention;
  calculator_panes_draw_bars(bars, width);
  const ForwardCost& cost = scene.calc.forward;
  caption(
      tr("calculator.passes", {count_text(cost.passes_without_cache), count_text(cost.passes_with_cache)}));
}

void draw_calculator_training(const CalculatorScene& scene, float width) {
  const TrainingCost cost = training_cost(scene.calc.parameters.active.real(), scene.tokens, scene.served);
  draw_calculator_lines(training_lines(cost, scene.machine), width);
  caption(tr(cost.per_parameter > 1.05 * kTokensPerParameter   ? "calculator.training.over"
             : cost.per_parameter < 0.95 * kTokensPerParameter ? "calculator.training.under"
                                                               : "calculator.training.optimal"));
}

void draw_calculator_slips(const CalculatorScene& scene, float width) {
  const auto paragraph = [&](const std::string& text, ImU32 colour) {
    const ColourScope ink(ImGuiCol_Text, colour);
    note_text(text);
    text_in_lines(text, width);
    ImGui::Dummy(ImVec2(1, scaled(3)));
  };
  for (const Text& slip : scene.calc.slips) paragraph(slip.str(), theme().text);
  if (!scene.calc.notes.empty()) section_heading(tr("calculator.notes"));
  for (const Text& note : scene.calc.notes) paragraph(note.str(), theme().text_dim);
}

void draw_calculator_pane(CalculatorPane pane, const CalculatorScene& scene, float width) {
  switch (pane) {
    case CalculatorPane::parameters: return draw_calculator_parameters(scene, width);
    case CalculatorPane::cache: return draw_calculator_cache(scene, width);
    case CalculatorPane::flops: return draw_calculator_flops(scene, width);
    case CalculatorPane::training: return draw_calculator_training(scene, width);
    case CalculatorPane::slips: return draw_calculator_slips(scene, width);
  }
}

}  // namespace attnscope
