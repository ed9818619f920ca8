#include "core/view/edit_marks.h"

#include <algorithm>

#include "core/step/catalog.h"

namespace attnscope {
namespace {

using figure::MatrixMark, figure::PartBox, figure::TableMark;

constexpr std::size_t kKeptColumns = 4;  // of a row drawn large: edited ones that keep a cell of their own

// Steps that hold the same cells one after the other: an edit of one is seen in those behind it.
enum class EditedFamily : std::uint8_t { none, query, key, value, scores, neurons };
EditedFamily family_of(Slot slot) {
  const StepRole role = role_of(slot);
  if (role == StepRole::hidden || role == StepRole::neurons) return EditedFamily::neurons;
  if (is_score_plane(slot)) return role == StepRole::mask ? EditedFamily::none : EditedFamily::scores;
  if (!makes_heads(slot)) return EditedFamily::none;
  const Hue hue = step_of(slot).hue;
  return hue == Hue::query ? EditedFamily::query : hue == Hue::key ? EditedFamily::key : EditedFamily::value;
}
bool is_reached(const Trace& run, const Target& where, const Site& site) {
  if (where.kind == Target::Kind::input)
    return site.is(StepRole::embedding) && site.stack == run.config().stack;
  if (where.kind != Target::Kind::step) return false;
  if (where.site == site) return true;
  const EditedFamily family = family_of(site.slot);
  return where.site == site.with(where.site.slot) && family != EditedFamily::none &&
         family == family_of(where.site.slot) && where.site.slot < site.slot;
}

bool is_flat(Slot slot) { return role_of(slot) == StepRole::projection; }
bool mixes_numbers(Slot slot) {
  return role_of(slot) == StepRole::head_norm || role_of(slot) == StepRole::rotated;
}

// The indices of an axis of `site` that an edit touches, of `size`; `head`: of the plane, where it has one.
Indices touched_on(const Target& where, const Site& site, std::string_view axis, std::int64_t size,
                   std::int64_t head) {
  const Indices all{0, size};
  const bool numbers = axis != "pos" && axis != "query" && axis != "key" && axis != "head";
  if (numbers && where.site != site && where.kind == Target::Kind::step && mixes_numbers(site.slot))
    return all;
  const AxisRange* own = range_on(where.at, axis);
  if (!own && numbers && where.kind == Target::Kind::step && is_flat(where.site.slot) && head >= 0) {
    for (const AxisRange& range : where.at) {  // numbers of all heads side by side
      if (range.axis == "pos" || range.axis == "head") continue;
      return {std::clamp<std::int64_t>(range.begin - head * size, 0, size),
              std::clamp<std::int64_t>(range.end - head * size, 0, size)};
    }
  }
  if (!own) return all;
  return {std::clamp<std::int64_t>(own->begin, 0, size), std::clamp<std::int64_t>(own->end, 0, size)};
}

// A place of the run with one or two axes left open: rows and columns.
struct EditPlane {
  Site site;
  std::vector<AxisRange> fixed;
  std::vector<std::pair<std::string, std::int64_t>> open;  // names and sizes
  std::int64_t head() const {
    const AxisRange* range = range_on(fixed, "head");
    return range ? range->begin : -1;
  }
};
std::optional<EditPlane> plane_named(const Trace& run, const std::string& of) {
  const auto place = parse_place(of);
  const auto site = place ? parse_site(place->name) : Result<Site>(place.error());
  const Record* record = site ? run.find(*site) : nullptr;
  if (!record) return std::nullopt;
  EditPlane out{*site, place->at, {}};
  for (std::size_t axis = 0; axis < record->axes.size(); ++axis)
    if (const std::string name(axis_name(record->axes[axis])); !range_on(place->at, name))
      out.open.emplace_back(name, record->shape[axis]);
  return out;
}

// What an edit touches of a plane: a range on each open axis; nothing where it does not reach it.
std::vector<Indices> reached_part(const Trace& run, const Target& where, const EditPlane& plane) {
  if (!is_reached(run, where, plane.site)) return {};
  for (const AxisRange& fixed : plane.fixed) {
    const Indices part = touched_on(where, plane.site, fixed.axis, fixed.begin + 1, plane.head());
    if (part.begin > fixed.begin || part.end <= fixed.begin) return {};
  }
  std::vector<Indices> out;
  for (const auto& [name, size] : plane.open) {
    out.push_back(touched_on(where, plane.site, name, size, plane.head()));
    if (out.back().begin >= out.back().end) return {};
  }
  return out;
}

// `own` >= 0: the row of the mark that the place is of.
void mark_plane(const Trace& run, const std::string& of, std::int64_t own, MatrixMark& mark) {
  const auto plane = plane_named(run, of);
  if (!plane || plane->open.empty() || plane->open.size() > 2) return;
  const std::int64_t rows = mark.values.size(0), cols = mark.values.size(1);
  const auto add = [&](Indices down, Indices across) {  // of the step; in a piece of it, what lies there
    if (own < 0) down = {std::max<std::int64_t>(0, down.begin - mark.first_row), down.end - mark.first_row};
    down.end = std::min(down.end, rows);
    const auto inside = [&](std::int64_t col) {
      return col < cols && mark.step_col(col) >= across.begin && mark.step_col(col) < across.end;
    };
    for (std::int64_t col = 0; col < cols && down.begin < down.end; ++col) {
      if (!inside(col)) continue;
      const std::int64_t from = col;
      while (inside(col)) ++col;
      mark.edited.push_back({down.begin, from, down.end - down.begin, col - from});
    }
  };
  const bool one = plane->open.size() == 1;
  if (one && own < 0 && rows != 1) return;
  const Indices row = own >= 0 ? Indices{own, own + 1} : Indices{0, 1};
  for (const auto& edit : run.edits) {
    if (const MaskEdit* mask = edit->mask()) {
      const bool shows_mask = plane->site.is(StepRole::mask) || plane->site.is(StepKind::mask) ||
                              plane->site.is(StepRole::pattern);
      if (!shows_mask || mask->of != attention_kind(plane->site.stack, plane->site.part, run.config().stack))
        continue;
      const AxisRange* query = range_on(plane->fixed, "query");
      for (const Mask::Cell& cell : mask->cells) {
        if (!one)
          add({cell.query, cell.query + 1}, {cell.key, cell.key + 1});
        else if (query && query->begin == cell.query)
          add(row, {cell.key, cell.key + 1});
      }
      continue;
    }
    const NumberEdit* number = edit->number();
    const std::vector<Indices> part =
        number ? reached_part(run, number->where, *plane) : std::vector<Indices>();
    if (part.empty()) continue;
    add(one ? row : part[0], part.back());
  }
}

// A number for each head: those of which a step is edited.
void mark_heads(const ViewState& state, MatrixMark& mark) {
  for (const auto& edit : state.run->edits) {
    const NumberEdit* number = edit->number();
    if (!number || number->where.kind != Target::Kind::step) continue;
    const Site& site = number->where.site;
    const bool head = site.is(StepRole::head_out) || family_of(site.slot) == EditedFamily::scores;
    if (!head || site.stack != state.place.stack || site.part != state.place.part || site.layer < 0 ||
        site.layer >= mark.values.size(0))
      continue;
    const AxisRange* range = range_on(number->where.at, "head");
    const std::int64_t begin = range ? range->begin : 0, end = range ? range->end : mark.values.size(1);
    mark.edited.push_back({site.layer, begin, 1, std::min(end, mark.values.size(1)) - begin});
  }
}

// Few edited columns keep a cell of their own, however small their numbers became.
void keep_edited_columns(MatrixMark& mark) {
  if (mark.order.empty() || mark.by_order) return;
  const auto edited = [&](int col) {
    return std::any_of(mark.edited.begin(), mark.edited.end(), [&](const MatrixMark::Block& block) {
      return block.cols < mark.values.size(1) && col >= block.col && col < block.col + block.cols;
    });
  };
  if (std::count_if(mark.order.begin(), mark.order.end(), edited) > static_cast<std::ptrdiff_t>(kKeptColumns))
    return;
  std::stable_partition(mark.order.begin(), mark.order.end(), edited);
}

void mark_matrix(const ViewState& state, MatrixMark& mark) {
  if (mark.heads)
    mark_heads(state, mark);
  else if (mark.own_rows.empty())
    mark_plane(*state.run, mark.of, -1, mark);
  else
    for (std::size_t row = 0; row < mark.own_rows.size(); ++row)
      mark_plane(*state.run, mark.own_rows[row].of, static_cast<std::int64_t>(row), mark);
  keep_edited_columns(mark);
}

}  // namespace

bool touched(const Trace& run, const Site& site, const std::vector<AxisRange>& at) {
  const EditPlane plane{site, at, {}};
  return std::any_of(run.edits.begin(), run.edits.end(), [&](const auto& edit) {
    const NumberEdit* number = edit->number();
    if (!number || !is_reached(run, number->where, site)) return false;
    return std::all_of(at.begin(), at.end(), [&](const AxisRange& fixed) {
      const Indices part = touched_on(number->where, site, fixed.axis, fixed.end, plane.head());
      return part.begin < fixed.end && part.end > fixed.begin;
    });
  });
}

void mark_edits(PartBox& body, const ViewState& state) {
  if (!state.run || state.run->edits.empty()) return;
  for (PartBox& inside : body.inside) mark_edits(inside, state);
  if (!body.part) return;
  if (auto* matrix = std::get_if<MatrixMark>(&body.part->mark)) mark_matrix(state, *matrix);
  auto* table = std::get_if<TableMark>(&body.part->mark);
  if (!table) return;
  for (TableMark::Row& row : table->rows) {
    const auto place = parse_place(row.of);
    const auto site = place ? parse_site(place->name) : Result<Site>(place.error());
    if (site && !row.of.empty()) row.edited = row.edited || touched(*state.run, *site, place->at);
  }
}

}  // namespace attnscope
