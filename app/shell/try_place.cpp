#include "app/shell/try_place.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/look/item_map.h"
#include "app/panels/input/input_line.h"
#include "app/state/controls.h"
#include "app/views/output_settings.h"
#include "core/step/catalog.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr float kDragsDown = 120.f;  // units; as far as a whole weight is dragged by hand

ImVec2 middle(ImVec2 p0, ImVec2 p1) { return {(p0.x + p1.x) / 2, (p0.y + p1.y) / 2}; }

std::optional<ImVec2> item_middle(const std::string& name) {
  const auto found = noted_items().find(name);
  if (found == noted_items().end() || !found->second.in_sight()) return std::nullopt;
  return middle(found->second.seen0, found->second.seen1);
}

// Of cells that do, the best: first by how well it fits, then by its size.
struct BestCell {
  int fit = 0;
  float size = 0;
  std::optional<FigureHit> hit;
  void offer(int fits, const FigureHit& one) {
    const float area = (one.p1.x - one.p0.x) * (one.p1.y - one.p0.y);
    if (fits > 0 && std::tuple(fits, area) > std::tuple(fit, size)) fit = fits, size = area, hit = one;
  }
};

template <class Fit>
std::optional<FigureHit> best_cell(const FigureBox& box, const Fit& fit) {
  BestCell best;
  for (const figure::PlacedPart& part : box.placed().parts) {
    const auto* matrix = std::get_if<figure::MatrixMark>(&part.part->mark);
    if (!matrix) continue;
    for (std::int64_t row = 0; row < matrix->values.size(0); ++row)
      for (std::int64_t col = 0; col < matrix->values.size(1); ++col)
        if (const int fits = fit(*matrix, row, col); fits > 0)
          if (const auto cell = box.cell(part.part->id, row, col)) best.offer(fits, *cell);
  }
  return best.hit;
}

bool covers(const std::vector<AxisRange>& where, const Cell& cell) {
  return std::all_of(where.begin(), where.end(), [&](const AxisRange& range) {
    const AxisRange* at = range_on(cell.at, range.axis);
    return at && at->begin >= range.begin && at->begin < range.end;
  });
}

bool same_attention(const Site& a, const Site& b) {
  return a.stack == b.stack && a.layer == b.layer && a.part == b.part && is_score_plane(a.slot) &&
         is_score_plane(b.slot);
}

// The cell that an edit sets: itself, the same cell at another stage of the attention, or its head's.
std::optional<FigureHit> cell_of_edit(const NumberEdit& edit, const Trace& run, const FigureBox& box) {
  const Target& where = edit.where;
  const AxisRange* head = range_on(where.at, "head");
  const Site site = where.kind == Target::Kind::step ? where.site : run.main(StepRole::embedding);
  return best_cell(box, [&](const figure::MatrixMark& matrix, std::int64_t row, std::int64_t col) {
    if (matrix.heads) return head && row == site.layer && col == head->begin ? 1 : 0;
    const auto cell = cell_of(run, matrix, row, col);
    if (!cell || !covers(where.at, *cell)) return 0;
    return cell->site == site ? 3 : same_attention(cell->site, site) ? 2 : 0;
  });
}

// A cell of the row that is looked at, at a key; of the mask where the picture has it.
std::optional<FigureHit> cell_of_row(const Trace& run, const FigureBox& box, std::int64_t query,
                                     std::int64_t key) {
  return best_cell(box, [&](const figure::MatrixMark& matrix, std::int64_t row, std::int64_t col) {
    const auto cell = cell_of(run, matrix, row, col);
    if (!cell || !is_score_plane(cell->site.slot)) return 0;
    const AxisRange *q = range_on(cell->at, "query"), *k = range_on(cell->at, "key");
    if (!q || !k || q->begin != query || k->begin != key) return 0;
    return cell->site.is(StepRole::mask) ? 2 : 1;
  });
}

std::optional<ImVec2> chip_of_token(const TryThis::NewToken& token, const Document& document) {
  const std::vector<Chip> chips = chips_of(document, 0, token.enc ? Stack::enc : Stack::single);
  for (std::size_t at = 0; at < chips.size(); ++at)
    if (chips[at].token == static_cast<std::int64_t>(token.pos))
      return item_middle((token.enc ? "source_chip" : "chip") + std::to_string(at));
  return std::nullopt;
}

std::optional<HandWay> way_of_token(const TryThis::NewToken& token, const RunResult& run,
                                    const FigureBox& box, const Cursor& cursor) {
  if (const auto chip = chip_of_token(token, run.document)) return HandWay{*chip, *chip};
  const auto cell =
      cell_of_row(run.trace(0), box, cursor.query, static_cast<std::int64_t>(token.pos));  // presented
  return cell ? std::optional(HandWay{middle(cell->p0, cell->p1), middle(cell->p0, cell->p1)}) : std::nullopt;
}

// Along the row of the mask, from the first key that the picture has to the last one that the row may see.
std::optional<HandWay> way_of_mask(const Trace& run, const FigureBox& box, const Cursor& cursor) {
  std::optional<HandWay> way;
  bool in_mask = false;
  for (std::int64_t key = 0; key <= cursor.query; ++key) {
    const auto cell = cell_of_row(run, box, cursor.query, key);
    if (!cell) continue;
    const auto* matrix = std::get_if<figure::MatrixMark>(&cell->part->mark);
    const bool mask = matrix && matrix->scale == figure::Scale::open;
    const ImVec2 at = middle(cell->p0, cell->p1);
    if (!way || (mask && !in_mask)) way = HandWay{at, at};  // a piece of the mask may begin at a later key
    if (mask || !in_mask) way->to = at;
    in_mask = in_mask || mask;
  }
  return way;
}

std::optional<HandWay> way_of_edit(const NumberEdit& edit, const Trace& run, const FigureBox& box) {
  const auto* value = std::get_if<float>(&edit.value);
  const bool drags = value && std::isfinite(*value);
  std::optional<ImVec2> from;
  if (const auto cell = cell_of_edit(edit, run, box)) from = middle(cell->p0, cell->p1);
  if (!from && range_on(edit.where.at, "head")) from = item_middle("heads");
  if (!from) return std::nullopt;
  const bool up = value && *value > 0;
  const float far = drags ? px(kDragsDown) : 0.f;
  return HandWay{*from, ImVec2(from->x, std::clamp(from->y + (up ? -far : far), px(20),
                                                   ImGui::GetIO().DisplaySize.y - px(20)))};
}

// Along the slider of the temperature.
std::optional<HandWay> way_of_temperature(const Document& before, const Document& changed) {
  const auto found = noted_items().find("temperature");
  if (found == noted_items().end() || !found->second.in_sight()) return std::nullopt;
  const ImVec2 a = found->second.seen0, b = found->second.seen1;
  const auto at = [&](const Document& document) {
    const float share = std::clamp(document.sampling.temperature / kOutputSettingsHottest, 0.f, 1.f);
    return ImVec2(a.x + (b.x - a.x) * share, (a.y + b.y) / 2);
  };
  return HandWay{at(before), at(changed)};
}

const NumberEdit* first_number(const Document& changed) {
  for (auto edit = changed.edits.rbegin(); edit != changed.edits.rend(); ++edit)
    if (const NumberEdit* number = (*edit)->number()) return number;
  return nullptr;
}

}  // namespace

std::optional<HandWay> try_way(const TryThis& thing, const RunResult& run, const Document& changed,
                               const FigureBox& box, const Cursor& cursor) {
  if (run.traces.empty()) return std::nullopt;
  std::optional<HandWay> way;
  if (thing.temperature > 0)
    way = way_of_temperature(run.document, changed);
  else if (!thing.tokens.empty())
    way = way_of_token(thing.tokens.front(), run, box, cursor);
  else if (!thing.masks.empty())
    way = way_of_mask(run.trace(0), box, cursor);
  else if (const NumberEdit* number = first_number(changed))
    way = way_of_edit(*number, run.trace(0), box);
  if (way) return way;
  const auto figure = item_middle("figure");
  return figure ? std::optional(HandWay{*figure, *figure}) : std::nullopt;
}

}  // namespace attnscope
