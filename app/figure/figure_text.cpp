#include "app/figure/figure_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr float kNear = 60.f;  // largest distance between a matrix and its row or column names, pixels

struct Said {
  std::string text;
  ImVec2 p0, p1, at;  ///< its box; start of a rotated one
  bool used = false;
};
/// A matrix, or a line of other texts.
struct Chunk {
  float y = 0;
  std::string text;
};

std::vector<Said> texts_of(const DisplayList& list) {
  std::vector<Said> out;
  for (const DrawItem& item : list.items()) {
    if (item.kind != DrawItem::Kind::text) continue;
    Said said{std::string(list.text(item)), item.p0, item.p1, item.p0, false};
    if (item.angle != 0) said.at = item.pivot;
    if (!said.text.empty()) out.push_back(std::move(said));
  }
  return out;
}

bool figure_text_inside(const Said& said, const DrawItem& cells) {
  const ImVec2 middle((said.p0.x + said.p1.x) / 2, (said.p0.y + said.p1.y) / 2);
  return middle.x > cells.p0.x && middle.x < cells.p1.x && middle.y > cells.p0.y && middle.y < cells.p1.y;
}

// Name of a row or column: the nearest text left of a row, or above a column; `begin` to `end`: its extent
// across, `edge`: where the cells start.
std::string name_of(std::vector<Said>& texts, bool row, float begin, float end, float edge) {
  Said* best = nullptr;
  float nearest = kNear;
  for (Said& said : texts) {
    const bool slanted = said.at.x != said.p0.x || said.at.y != said.p0.y;
    const float across = row       ? (said.p0.y + said.p1.y) / 2
                         : slanted ? said.at.x
                                   : (said.p0.x + said.p1.x) / 2;
    const float away = row ? edge - said.p1.x : edge - (slanted ? said.at.y : said.p1.y);
    if (said.used || across < begin || across > end || away < -2 || away > nearest) continue;
    best = &said, nearest = away;
  }
  if (!best) return {};
  best->used = true;
  return best->text;
}

// The visible part of the matrix as a table, with the names of its rows and columns.
std::string table_of(const DisplayList& list, const DrawItem& item, std::vector<Said>& texts) {
  const DrawCells& cells = list.cells(item);
  const auto from = [](float uv, std::int64_t size) {
    return std::clamp<std::int64_t>(std::llround(uv * static_cast<float>(size)), 0, size);
  };
  const std::int64_t row0 = from(cells.uv0.y, cells.rows()), row1 = from(cells.uv1.y, cells.rows()),
                     col0 = from(cells.uv0.x, cells.cols()), col1 = from(cells.uv1.x, cells.cols());
  std::string out;
  for (std::int32_t group = item.group; group >= 0 && out.empty();) {
    const DrawGroup& of = list.groups()[static_cast<std::size_t>(group)];
    out = of.site, group = of.parent;
  }
  out += format("%s[%lld x %lld]\n", out.empty() ? "" : " ", static_cast<long long>(cells.rows()),
                static_cast<long long>(cells.cols()));
  const bool small = cells.together > cells.rows() * cells.cols();  // one of many small maps
  if (small || (row1 - row0) * (col1 - col0) > kMostTextCells) return out;
  const float wide = (item.p1.x - item.p0.x) / static_cast<float>(std::max<std::int64_t>(1, col1 - col0)),
              tall = (item.p1.y - item.p0.y) / static_cast<float>(std::max<std::int64_t>(1, row1 - row0));
  std::string names;
  for (std::int64_t col = col0; col < col1; ++col) {
    const float x = item.p0.x + wide * static_cast<float>(col - col0);
    names += "\t" + name_of(texts, false, x, x + wide, item.p0.y);
  }
  if (names.find_first_not_of('\t') != std::string::npos) out += names + "\n";
  for (std::int64_t row = row0; row < row1; ++row) {
    const float y = item.p0.y + tall * static_cast<float>(row - row0);
    out += name_of(texts, true, y, y + tall, item.p0.x);
    for (std::int64_t col = col0; col < col1; ++col)
      out += format("\t%.6g", static_cast<double>(cells.values.at(row, col)));
    out += "\n";
  }
  return out;
}

// Joins texts that stand side by side into lines.
void add_lines(std::vector<Said>& texts, std::vector<Chunk>& parts) {
  std::erase_if(texts, [](const Said& said) { return said.used; });
  std::stable_sort(texts.begin(), texts.end(), [](const Said& a, const Said& b) { return a.at.y < b.at.y; });
  for (std::size_t begin = 0; begin < texts.size();) {
    std::size_t end = begin;
    const float tall = std::max(1.f, texts[begin].p1.y - texts[begin].p0.y);
    while (end < texts.size() && texts[end].at.y < texts[begin].at.y + tall / 2) ++end;
    std::stable_sort(texts.begin() + static_cast<std::ptrdiff_t>(begin),
                     texts.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const Said& a, const Said& b) { return a.at.x < b.at.x; });
    Chunk line{texts[begin].at.y, {}};
    for (std::size_t at = begin; at < end; ++at) line.text += (at > begin ? "\t" : "") + texts[at].text;
    line.text += "\n";
    parts.push_back(std::move(line));
    begin = end;
  }
}

}  // namespace

std::string figure_as_text(const DisplayList& list) {
  std::vector<Said> texts = texts_of(list);
  std::vector<Chunk> parts;
  for (const DrawItem& item : list.items()) {
    if (item.kind != DrawItem::Kind::cells || list.cells(item).values.rank() != 2) continue;
    for (Said& said : texts) said.used = said.used || figure_text_inside(said, item);
    parts.push_back({item.p0.y, table_of(list, item, texts)});
  }
  add_lines(texts, parts);
  std::stable_sort(parts.begin(), parts.end(), [](const Chunk& a, const Chunk& b) { return a.y < b.y; });
  std::string out;
  for (const Chunk& part : parts) out += part.text;
  return out;
}

}  // namespace attnscope
