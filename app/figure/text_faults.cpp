#include "app/figure/text_faults.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope {
namespace {

using Corners = std::array<ImVec2, 4>;

constexpr float kTextAir = 0.22f;  // of a line's height above and below the letters
constexpr float kTouching = 1.f;   // pixels by which two texts may meet
constexpr std::string_view kCutMark = "…";

// Clockwise from the upper left; the air above and below the letters left out.
Corners letter_corners(const DrawItem& item) {
  const float air = (item.p1.y - item.p0.y) * kTextAir;
  Corners out{ImVec2(item.p0.x, item.p0.y + air), ImVec2(item.p1.x, item.p0.y + air),
              ImVec2(item.p1.x, item.p1.y - air), ImVec2(item.p0.x, item.p1.y - air)};
  const float sine = std::sin(item.angle), cosine = std::cos(item.angle);
  for (ImVec2& p : out) {
    const ImVec2 d(p.x - item.pivot.x, p.y - item.pivot.y);
    if (item.angle != 0)
      p = ImVec2(item.pivot.x + d.x * cosine - d.y * sine, item.pivot.y + d.x * sine + d.y * cosine);
  }
  return out;
}

// Whether a line parallel to an edge of `a` separates the two, or they overlap by less than kTouching.
bool parted_by_edge(const Corners& a, const Corners& b) {
  for (std::size_t edge = 0; edge < 2; ++edge) {
    const ImVec2 from = a[edge], to = a[edge + 1];
    const float length = std::max(1e-6f, std::hypot(to.x - from.x, to.y - from.y));
    const auto reach = [&](const Corners& c) {
      float low = INFINITY, high = -INFINITY;
      for (const ImVec2 p : c) {
        const float at = (p.x * (to.x - from.x) + p.y * (to.y - from.y)) / length;
        low = std::min(low, at), high = std::max(high, at);
      }
      return std::pair(low, high);
    };
    const auto [a0, a1] = reach(a);
    const auto [b0, b1] = reach(b);
    if (a1 < b0 + kTouching || b1 < a0 + kTouching) return true;
  }
  return false;
}

// What of an upright text lies in its clip rectangle.
Corners seen_corners(const DisplayList& list, const DrawItem& item) {
  Corners out = letter_corners(item);
  const DrawClip& clip = list.clip(item);
  if (item.angle == 0)
    for (ImVec2& p : out)
      p = ImVec2(std::clamp(p.x, clip.p0.x, clip.p1.x), std::clamp(p.y, clip.p0.y, clip.p1.y));
  return out;
}

bool letters_meet(const DisplayList& list, const DrawItem& a, const DrawItem& b) {
  const Corners first = seen_corners(list, a), second = seen_corners(list, b);
  return !parted_by_edge(first, second) && !parted_by_edge(second, first);
}

// An opaque rectangle was drawn over the text later, or it lies outside of its clip rectangle.
bool is_covered(const DisplayList& list, std::size_t index) {
  const DrawItem& item = list.items()[index];
  const DrawClip& clip = list.clip(item);
  if (item.p1.x <= clip.p0.x || item.p0.x >= clip.p1.x || item.p1.y <= clip.p0.y || item.p0.y >= clip.p1.y)
    return true;
  return std::any_of(list.items().begin() + static_cast<std::ptrdiff_t>(index), list.items().end(),
                     [&](const DrawItem& over) {
                       return over.kind == DrawItem::Kind::rect && over.fill >> IM_COL32_A_SHIFT == 255 &&
                              over.p0.x <= item.p0.x && over.p0.y <= item.p0.y + 3 &&
                              over.p1.x >= item.p1.x && over.p1.y >= item.p1.y - 3;
                     });
}

bool is_clipped(const DisplayList& list, const DrawItem& item) {
  const DrawClip& clip = list.clip(item);
  const Corners corners = letter_corners(item);
  const auto out = [&](float ImVec2::*axis, bool scrolls) {
    return !scrolls && std::any_of(corners.begin(), corners.end(), [&](const ImVec2& corner) {
      return corner.*axis < clip.p0.*axis - 1 || corner.*axis > clip.p1.*axis + 1;
    });
  };
  return out(&ImVec2::x, clip.scrolls_x) || out(&ImVec2::y, clip.scrolls_y);
}

// "Saved runs…", a mere "…" and "0.3 + … (12 in all)" (the rest) are whole.
bool is_shortened(std::string_view text) {
  const std::size_t mark = text.find(kCutMark), behind = mark + kCutMark.size();
  if (mark == std::string_view::npos || mark == 0 || behind == text.size()) return false;
  return text[mark - 1] != ' ' || text[behind] != ' ';
}

std::vector<const DrawItem*> texts_in_sight(const DisplayList& list) {
  std::vector<const DrawItem*> out;
  for (std::size_t i = 0; i < list.items().size(); ++i)
    if (list.items()[i].kind == DrawItem::Kind::text && !is_covered(list, i)) out.push_back(&list.items()[i]);
  std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->p0.x < b->p0.x; });
  return out;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_of("0123456789") != std::string_view::npos &&
         text.find_first_not_of("0123456789.,+-−e∞") == std::string_view::npos;
}

const DrawGroup* group_of(const DisplayList& list, const DrawItem& item) {
  return item.group < 0 ? nullptr : &list.groups()[static_cast<std::size_t>(item.group)];
}

bool lies_in(const DrawItem& text, const DrawItem& cells) {
  const float x = (text.p0.x + text.p1.x) / 2, y = (text.p0.y + text.p1.y) / 2;
  return x > cells.p0.x && x < cells.p1.x && y > cells.p0.y && y < cells.p1.y;
}

}  // namespace

const char* to_text(TextFault::Kind kind) {
  switch (kind) {
    case TextFault::Kind::cut: return "cut";
    case TextFault::Kind::overlap: return "overlap";
    case TextFault::Kind::shortened: return "shortened";
  }
  return "";
}

std::vector<TextFault> text_faults(const DisplayList& list) {
  std::vector<TextFault> out;
  const std::vector<const DrawItem*> texts = texts_in_sight(list);
  const auto add = [&](TextFault::Kind kind, const DrawItem& item, std::string_view other) {
    out.push_back({kind, std::string(list.text(item)), std::string(other), item.p0});
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const DrawItem& item = *texts[i];
    if (is_clipped(list, item)) add(TextFault::Kind::cut, item, {});
    if (is_shortened(list.text(item))) add(TextFault::Kind::shortened, item, {});
    for (std::size_t j = i + 1; j < texts.size() && texts[j]->p0.x < item.p1.x; ++j)
      if (letters_meet(list, item, *texts[j])) add(TextFault::Kind::overlap, item, list.text(*texts[j]));
  }
  return out;
}

std::vector<CellDigits> cell_digits(const DisplayList& list) {
  const std::vector<const DrawItem*> texts = texts_in_sight(list);
  std::vector<CellDigits> out;
  for (const DrawItem& item : list.items()) {
    if (item.kind != DrawItem::Kind::cells) continue;
    const DrawCells& cells = list.cells(item);
    const std::string site = item.group < 0 ? "" : list.groups()[static_cast<std::size_t>(item.group)].site;
    const auto inside = std::count_if(texts.begin(), texts.end(), [&](const DrawItem* text) {
      return lies_in(*text, item) && is_digits(list.text(*text));
    });
    out.push_back({site, cells.rows() * cells.cols(), inside});
  }
  return out;
}

float digits_of_row(const DisplayList& list, std::string_view site) {
  const auto is_of = [&](const DrawItem& item, std::string_view what) {
    const DrawGroup* group = group_of(list, item);
    return group && group->what == what &&
           (group->site == site || group->site.starts_with(std::string(site) + "["));
  };
  const std::vector<const DrawItem*> texts = texts_in_sight(list);
  float large = 0, own = 0;
  const auto take = [](float& least, float em) { least = least == 0 ? em : std::min(least, em); };
  for (const DrawItem& item : list.items()) {
    const bool cell = item.kind == DrawItem::Kind::rect && is_of(item, "row"),
               matrix = item.kind == DrawItem::Kind::cells && is_of(item, "matrix");
    if (!cell && !matrix) continue;
    for (const DrawItem* text : texts)
      if (lies_in(*text, item) && is_digits(list.text(*text))) take(cell ? large : own, text->face.em);
  }
  return std::max(large, own);
}

float smallest_digit(const DisplayList& list) {
  float least = 0;
  for (const DrawItem* text : texts_in_sight(list))
    if (is_digits(list.text(*text)) && (least == 0 || text->p1.y - text->p0.y < least))
      least = text->p1.y - text->p0.y;
  return least;
}

}  // namespace attnscope
