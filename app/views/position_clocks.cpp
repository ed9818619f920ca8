// Position: the pairs of dimensions as clocks, and how far each of them reaches.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/look/item_map.h"
#include "app/views/position_pages.h"
#include "app/widgets/pieces.h"
#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kMostDial = 170.f, kReach = 15.f;  // units
constexpr int kMostClocks = 32;

// Tokens of one turn: "6.28", "628", "3,530".
std::string turn_text(double tokens) {
  return tokens < 1000 ? short_number(tokens) : format_count(std::llround(tokens));
}

// A clock hand with its tip.
void draw_hand(const Canvas& canvas, ImVec2 centre, double x, double y, float radius, ImU32 colour,
               float thickness) {
  const ImVec2 tip(centre.x + static_cast<float>(x) * radius, centre.y - static_cast<float>(y) * radius);
  canvas.line(centre, tip, colour, thickness);
  canvas.fill_circle(tip, thickness * 1.3f, colour);
}

}  // namespace

int best_columns(int count, ImVec2 room, float line, float most, float& side) {
  int columns = 1;
  side = 0;
  for (int tried = 1; tried <= count; ++tried) {
    const int rows = (count + tried - 1) / tried;
    const float fits =
        std::min({room.x / static_cast<float>(tried), room.y / static_cast<float>(rows) - line, most});
    if (fits > side) side = fits, columns = tried;
  }
  return columns;
}

void draw_reaches(const std::vector<double>& frequencies, std::int64_t selected, ImVec2 at, ImVec2 room,
                  std::span<const std::int64_t> pairs) {
  const Theme& t = theme();
  const Canvas canvas;
  const auto count = static_cast<std::int64_t>(frequencies.size());
  if (count == 0 || room.y < scaled(50)) return;
  const float title = text_size(fonts().small, "X").y + scaled(4),
              axis = text_size(fonts().mono_small, "0").y + scaled(6);
  draw_text(canvas, fonts().small, at, t.text_dim,
            middle_truncated(fonts().small, tr("position.reach"), room.x));
  const float label = text_size(fonts().mono_small, "00").x + scaled(8), right = at.x + room.x - scaled(30);
  const float top = at.y + title, bottom = at.y + room.y - axis, left = at.x + label;
  double far = 1;
  for (const double frequency : frequencies) far = std::max(far, pair_reach(frequency).turn);
  const double decades = std::max(1.0, std::ceil(std::log10(far)));
  const auto x_of = [&](double tokens) {
    const double share = (std::log10(std::max(tokens, 0.1)) + 1) / (decades + 1);
    return left + static_cast<float>(std::clamp(share, 0.0, 1.0)) * (right - left);
  };
  for (double power = -1; power <= decades; ++power) {
    const float x = x_of(std::pow(10.0, power));
    canvas.line(ImVec2(x, top), ImVec2(x, bottom), with_alpha(t.border, 0.7f), scaled(1));
    const std::string tick = power < 0    ? "0.1"
                             : power <= 4 ? std::to_string(std::llround(std::pow(10.0, power)))
                                          : power_of_ten(static_cast<int>(power));
    draw_text(canvas, fonts().mono_small,
              ImVec2(x - text_size(fonts().mono_small, tick).x / 2, bottom + scaled(3)), t.text_dim, tick);
  }
  const float step = std::min((bottom - top) / static_cast<float>(count), scaled(kReach));
  const std::int64_t stride = std::max<std::int64_t>(
      1, std::llround(std::ceil(text_size(fonts().mono_small, "0").y / std::max(step, 1.f))));
  for (std::int64_t pair = 0; pair < count; ++pair) {
    const PairReach reach = pair_reach(frequencies[static_cast<std::size_t>(pair)]);
    const float y = top + static_cast<float>(pair) * step;
    const bool own = pair == selected;
    canvas.fill_rect(ImVec2(x_of(reach.finest), y + step * 0.15f), ImVec2(x_of(reach.turn), y + step * 0.85f),
                     own ? t.accent : with_alpha(t.attention, 0.55f), scaled(2));
    if (pair % stride == 0)
      draw_text(canvas, fonts().mono_small,
                ImVec2(at.x, y + (step - text_size(fonts().mono_small, "0").y) / 2),
                own ? t.text : t.text_dim,
                std::to_string(pairs.empty() ? pair : pairs[static_cast<std::size_t>(pair)]));
  }
}

// A clock per pair of dimensions: its hand at position p, and at p + k. Of many pairs some, from the first to
// the last.
void PositionPages::draw_clocks(const PositionTable& data, PositionLook& look, ImVec2 at, ImVec2 room) const {
  const Theme& t = theme();
  const std::int64_t width = data.table.size(1);
  const int pairs = static_cast<int>(width / 2), count = std::min(pairs, kMostClocks);
  const auto pair_at = [&](int i) {
    const int pair = count < 2 ? 0 : static_cast<int>(std::int64_t{i} * (pairs - 1) / (count - 1));
    return sinusoid_pair(look.halves ? pair : 2 * pair, width, look.halves);
  };
  const float line = text_size(fonts().mono_small, "0").y + scaled(4);
  const bool reach = !look.learned && room.y > scaled(220);
  const float lower = reach ? std::clamp(room.y * 0.34f, scaled(90), scaled(240)) : 0;
  const ImVec2 upper(room.x, room.y - lower - (reach ? scaled(10) : 0));
  float side = 0;
  const int columns = std::max(1, best_columns(count, upper, line, scaled(kMostDial), side));
  side = std::max(side, scaled(18));
  const float step = std::min(room.x / static_cast<float>(columns), side * 1.3f);
  float longest = 1e-6f;
  const SinusoidPair own = sinusoid_pair(look.dim, width, look.halves);
  const auto hand = [&](const SinusoidPair& pair, std::int64_t pos) {
    return std::pair<double, double>{data.table.at(pos, pair.cosine), data.table.at(pos, pair.sine)};
  };
  for (int i = 0; i < count; ++i) {
    const SinusoidPair pair = pair_at(i);
    for (const std::int64_t pos : {look.pos, look.pos + look.distance}) {
      const auto [x, y] = hand(pair, pos);
      longest = std::max(longest, static_cast<float>(std::hypot(x, y)));
    }
  }
  const Canvas canvas;
  std::vector<double> frequencies;
  std::vector<std::int64_t> numbers;
  std::int64_t selected = -1;
  for (int i = 0; i < count; ++i) {
    const SinusoidPair pair = pair_at(i);
    const double wavelength = sinusoid_wavelength(pair.sine, width, look.halves, look.base);
    frequencies.push_back(2 * std::numbers::pi / wavelength);
    numbers.push_back(look.halves ? pair.sine : pair.sine / 2);
    const bool chosen = pair.sine == own.sine;
    if (chosen) selected = i;
    const ImVec2 corner(at.x + static_cast<float>(i % columns) * step,
                        at.y + static_cast<float>(i / columns) * (side + line));
    if (corner.y + side > at.y + upper.y + scaled(4)) continue;
    const ImVec2 centre(corner.x + step / 2, corner.y + side / 2);
    const float radius = side / 2 - scaled(3);
    canvas.fill_circle(centre, radius, t.panel_raised);
    canvas.circle(centre, radius, chosen ? t.accent : t.border, 0, scaled(chosen ? 2.f : 1.f));
    const auto [ax, ay] = hand(pair, look.pos);
    const auto [bx, by] = hand(pair, look.pos + look.distance);
    const float reach_of = radius * 0.92f / longest,
                thick = std::clamp(radius * 0.06f, scaled(1.4f), scaled(3));
    draw_hand(canvas, centre, bx, by, reach_of, t.warning, thick * 0.8f);
    draw_hand(canvas, centre, ax, ay, reach_of, t.accent, thick);
    const std::string full =
        look.learned ? format("%d, %d", static_cast<int>(pair.sine), static_cast<int>(pair.cosine))
                     : tr("position.dial.tokens", {turn_text(wavelength)});
    const std::string& shorter = look.learned ? full : turn_text(wavelength);
    const std::string text = text_size(fonts().mono_small, full).x + scaled(4) <= step ? full : shorter;
    if (text_size(fonts().mono_small, text).x <= step)
      draw_text(canvas, fonts().mono_small,
                ImVec2(centre.x - text_size(fonts().mono_small, text).x / 2, corner.y + side), t.text_dim,
                text);
    ImGui::SetCursorScreenPos(corner);
    if (hit_area(("###position_clock_" + std::to_string(i)).c_str(), ImVec2(step, side)))
      look.dim = pair.sine;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "%s", tr("position.clock.help", {std::to_string(pair.sine), std::to_string(pair.cosine),
                                           number_text(static_cast<float>(ay), 4),
                                           number_text(static_cast<float>(ax), 4), std::to_string(look.pos)})
                    .c_str());
  }
  if (reach)
    draw_reaches(frequencies, selected, ImVec2(at.x, at.y + room.y - lower), ImVec2(room.x, lower), numbers);
}

}  // namespace attnscope
