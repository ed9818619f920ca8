// Which cells a page keeps to itself, under every name that they have.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/names.h"
#include "core/lens/attention_plane.h"
#include "core/lesson/leaks.h"
#include "core/step/catalog.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

/// A box of cells of queries, keys, values or weighted values: rows, heads and numbers of a head.
struct HeadBox {
  AxisRange row;
  AxisRange head, inner;
};

/// The same numbers under several names: all heads side by side, and head by head.
struct SameNumbers {
  std::vector<Site> sites;  ///< the first one has the heads side by side; empty: none but the one asked about
  const char* row = "pos";  ///< its axis of rows
};
SameNumbers same_numbers(const Site& site) {
  const StepRole role = role_of(site.slot);
  if (role == StepRole::concat || role == StepRole::head_out)
    return {{site.near(StepRole::concat), site.near(StepRole::head_out)}, "query"};
  if (role != StepRole::projection && role != StepRole::view && role != StepRole::split) return {};
  const Hue hue = step_of(site.slot).hue;
  return {{site.near(StepRole::projection, hue), site.near(StepRole::view, hue),
           site.near(StepRole::split, hue)}};
}

AxisRange range_or(const Target& target, std::string_view axis, std::int64_t size) {
  const AxisRange* found = range_on(target.at, axis);
  return found ? *found : AxisRange(std::string(axis), 0, size);
}

// Heads side by side, cut into what lies in each head.
std::vector<HeadBox> boxes_of(const Target& target, const SameNumbers& same, std::int64_t heads,
                              std::int64_t inner, std::int64_t rows) {
  const AxisRange row = range_or(target, same.row, rows);
  if (target.site != same.sites.front())
    return {{row, range_or(target, "head", heads), range_or(target, "d_head", inner)}};
  const AxisRange* flat = range_on(target.at, "head*d_head");
  if (!flat) return {{row, {"head", 0, heads}, {"d_head", 0, inner}}};
  std::vector<HeadBox> out;
  for (std::int64_t head = flat->begin / inner; head * inner < flat->end; ++head)
    out.push_back({row,
                   {"head", head},
                   {"d_head", std::max<std::int64_t>(0, flat->begin - head * inner),
                    std::min(inner, flat->end - head * inner)}});
  return out;
}

void add_copies(const Trace& trace, const Target& target, std::vector<Target>& out) {
  const SameNumbers same = same_numbers(target.site);
  const Record* split = same.sites.empty() ? nullptr : trace.find(same.sites.back());
  if (!split || split->shape.size() != 3) return;
  const std::int64_t heads = split->shape[0], rows = split->shape[1], inner = split->shape[2];
  for (const HeadBox& box : boxes_of(target, same, heads, inner, rows))
    for (const Site& site : same.sites) {
      if (site == target.site || !trace.find(site)) continue;
      Target copy = target;
      copy.site = site;
      if (site != same.sites.front()) {
        copy.at = {box.row, box.head, box.inner};
        out.push_back(copy);
        continue;
      }
      for (std::int64_t head = box.head.begin; head < box.head.end; ++head) {
        copy.at = {box.row, {"head*d_head", head * inner + box.inner.begin, head * inner + box.inner.end}};
        out.push_back(copy);
      }
    }
}

// What follows a score by a rule that one can undo by eye; where the largest is asked for, all of them.
void add_scores(const Trace& trace, const Target& target, bool largest, std::vector<Target>& out) {
  if (!is_attention_stage(target.site.slot)) return;
  bool later = false;  // than the score that is asked about
  for (const Slot slot : attention_stages(trace, target.site)) {
    const bool here = slot == target.site.slot, weights = role_of(slot) == StepRole::pattern;
    if (!here && (largest || (later && !weights))) {
      Target other = target;
      other.site = target.site.with(slot);
      out.push_back(std::move(other));
    }
    later |= here;
  }
}

// True where the page's stage is a step of the scores that it does not hide itself: they are given.
bool gives_scores(const Page& page, const std::vector<std::string>& hidden) {
  const nlohmann::json& look = page.state.look();
  if (!look.is_object() || !look.contains("cursor")) return false;
  const auto step = parse_site(look["cursor"].value("step", std::string()));
  if (!step || !is_attention_stage(step->slot)) return false;
  return std::none_of(hidden.begin(), hidden.end(),
                      [&](const std::string& place) { return place.starts_with(to_text(*step) + "["); });
}

bool meets(const AxisRange& a, const AxisRange& b) { return a.begin < b.end && b.begin < a.end; }

// Other rows of the step that have the numbers of this one. Rows of whole numbers say nothing.
std::vector<Target> twins_of(const Trace& trace, const Target& target) {
  const Record* record = target.kind == Target::Kind::step ? trace.find(target.site) : nullptr;
  const AxisRange* row = record ? range_on(target.at, "query") : nullptr;
  const auto mine = row && row->end == row->begin + 1 ? numbers_at(trace, target) : Result<Tensor>(Error{});
  if (!mine) return {};
  const std::vector<float> wanted = mine->values();
  if (!says_row(wanted, wanted)) return {};
  std::vector<Target> out;
  for (std::int64_t query = 0; query < trace.rows(target.site.stack); ++query) {
    if (query == row->begin) continue;
    Target other = target;
    for (AxisRange& range : other.at)
      if (range.axis == row->axis) range = AxisRange(range.axis, query);
    const auto theirs = numbers_at(trace, other);
    if (theirs && says_row(theirs->values(), wanted)) out.push_back(other);
  }
  return out;
}

}  // namespace

bool says_row(const std::vector<float>& row, const std::vector<float>& hidden) {
  const auto same = [](float a, float b) { return a == b || std::fabs(a - b) < 1e-6f; };  // or both masked
  const auto says = [](float one) { return std::fabs(one - std::round(one)) > 0.005f; };
  return std::any_of(hidden.begin(), hidden.end(), says) &&
         std::equal(row.begin(), row.end(), hidden.begin(), hidden.end(), same);
}

Result<std::vector<Target>> hidden_targets(const Page& page, const ExpressionScope& scope) {
  std::vector<std::string> places;
  for (const std::string& place : page.hides)
    if (!is_item(place)) places.push_back(place);
  const auto* bars = std::get_if<BarsAsk>(&page.ask);
  if (bars && parse_place(bars->row.text()) && parse_target(bars->row.text()))
    places.push_back(bars->row.text());
  const bool largest =
      std::holds_alternative<CellAsk>(page.ask) || (is_prediction(page) && !gives_scores(page, places));
  const Trace& trace = scope.run.trace(scope.sequence);
  std::vector<Target> out;
  for (const std::string& text : places) {
    TRY(const std::string filled, filled_in(text, scope));
    TRY(const PlaceText place, parse_place(filled));
    TRY(const std::vector<Target> targets, targets_of(trace, place));
    for (const Target& target : targets) {
      out.push_back(target);
      if (bars && text == bars->row.text())
        for (Target& twin : twins_of(trace, target)) out.push_back(std::move(twin));
      if (target.kind != Target::Kind::step) continue;
      add_copies(trace, target, out);
      add_scores(trace, target, largest, out);
    }
  }
  return out;
}

bool hides_any(const std::vector<Target>& hidden, const Target& target) {
  return std::any_of(hidden.begin(), hidden.end(), [&](const Target& one) {
    if (one.kind != target.kind || !(one.site == target.site) || one.weight != target.weight) return false;
    return std::all_of(one.at.begin(), one.at.end(), [&](const AxisRange& range) {
      const AxisRange* mine = range_on(target.at, range.axis);
      return !mine || meets(*mine, range);
    });
  });
}

bool hides_row(const std::vector<Target>& hidden, const Site& site, std::int64_t head, std::int64_t query) {
  if (hidden.empty()) return false;
  Target row;
  row.site = site;
  row.at = {{"head", head}, {"query", query}};
  return hides_any(hidden, row);
}

std::string twin_in_sight(const Page& page, const ExpressionScope& scope) {
  const auto hidden = hidden_targets(page, scope);
  if (!hidden || std::holds_alternative<ShapeAsk>(page.ask)) return {};
  for (const Target& target : *hidden)
    for (const Target& other : twins_of(scope.run.trace(scope.sequence), target))
      if (!hides_any(*hidden, other)) return to_text(other);
  return {};
}

}  // namespace attnscope
