#include "core/session/edit_places.h"

#include <algorithm>
#include <optional>

#include "core/session/mask_edits.h"
#include "core/trace/editable.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

using Coordinates = std::vector<AxisRange>;

bool same_thing(const Target& a, const Target& b) {
  return a.kind == b.kind && a.site == b.site && a.weight == b.weight;
}

// All coordinates, then each pair with the head, then each alone, then none.
std::vector<Coordinates> subsets(const Coordinates& all) {
  std::vector<Coordinates> out{all};
  const auto add = [&](Coordinates one) {
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
  };
  const auto head =
      std::find_if(all.begin(), all.end(), [](const AxisRange& range) { return range.axis == "head"; });
  for (const AxisRange& range : all)
    if (head != all.end() && range.axis != "head") add({*head, range});
  for (const AxisRange& range : all) add({range});
  add({});
  return out;
}

// Without the enabled numbers that meet `where`; true where there were any.
bool leave_out_numbers(Document& document, int sequence, const Target& where) {
  return std::erase_if(document.edits, [&](const auto& edit) {
           return edit->enabled && edit->number() && (edit->sequence < 0 || edit->sequence == sequence) &&
                  meet(edit->number()->where, where);
         }) > 0;
}

// Removes the switch of this cell from its attention's mask; true where it was switched.
bool leave_out_switch(Document& document, const Trace& trace, const Cell& cell) {
  if (!cell.site.is(StepKind::mask) && !cell.site.is(StepRole::pattern)) return false;
  const Target given = target_of(cell);
  const AxisRange *query = range_on(given.at, "query"), *key = range_on(given.at, "key");
  if (!query || !key) return false;
  const AttentionKind of = attention_kind(cell.site.stack, cell.site.part, trace.config().stack);
  const std::vector<Mask::Cell> cells = switched_cells(document, of);
  if (std::none_of(cells.begin(), cells.end(),
                   [&](const Mask::Cell& one) { return one.query == query->begin && one.key == key->begin; }))
    return false;
  take_back_mask_cell(document, of, query->begin, key->begin);
  return true;
}

bool is_stage(Slot slot) { return is_score_plane(slot); }

}  // namespace

std::vector<Target> places_of(const Trace& trace, const Cell& cell) {
  std::vector<Target> out;
  const auto add_whole = [&](Site site, StepKind kind, Part part) {
    site.slot = slot_of(kind), site.part = part;
    if (trace.find(site)) out.push_back({Target::Kind::step, site, {}, {}});
  };
  if (cell.site.is(StepKind::residual_in) && cell.at.empty()) {
    add_whole(cell.site, StepKind::output, Part::attn);
    add_whole(cell.site, StepKind::output, Part::cross);
    add_whole(cell.site, StepKind::mlp_down, Part::block);
  }
  const bool input = cell.site.is(StepRole::embedding) && cell.site.stack == trace.config().stack &&
                     !trace.input.vectors.empty();
  const Target given = target_of(cell);
  for (const Coordinates& at : subsets(given.at))
    out.push_back(input ? Target{Target::Kind::input, {}, {}, at} : Target{given.kind, given.site, {}, at});
  Site z = cell.site;
  z = z.near(StepRole::head_out);
  const AxisRange* head = range_on(given.at, "head");
  if (is_stage(cell.site.slot) && head && trace.find(z)) out.push_back({Target::Kind::step, z, {}, {*head}});
  return out;
}

std::vector<Target> places_of(const Trace& trace, const std::string& weight,
                              const std::vector<std::int64_t>& index) {
  const WeightCell kept = kept_weight(trace.config(), weight, index);
  const Tensor* table = trace.weights().find(kept.name);
  Coordinates at;
  for (std::size_t d = 0; table && d < kept.index.size(); ++d)
    at.push_back(
        {std::string(axis_name(table->axis(static_cast<int>(d)))), kept.index[d], kept.index[d] + 1});
  std::vector<Target> out;
  for (Coordinates& one : subsets(at)) out.push_back(weight_target(kept.name, std::move(one)));
  return out;
}

bool within(const Target& inner, const Target& outer) {
  return same_thing(inner, outer) &&
         std::all_of(outer.at.begin(), outer.at.end(), [&](const AxisRange& range) {
           const AxisRange* own = range_on(inner.at, range.axis);
           return own && own->begin >= range.begin && own->end <= range.end;
         });
}

bool meet(const Target& a, const Target& b) {
  return same_thing(a, b) && std::all_of(a.at.begin(), a.at.end(), [&](const AxisRange& range) {
           const AxisRange* other = range_on(b.at, range.axis);
           return !other || (range.begin < other->end && other->begin < range.end);
         });
}

std::vector<const NumberEdit*> edits_of(const Edits& edits, int sequence, const Target& where) {
  std::vector<const NumberEdit*> out;
  for (const auto& edit : edits)
    if (edit->enabled && edit->number() && (edit->sequence < 0 || edit->sequence == sequence) &&
        meet(edit->number()->where, where))
      out.push_back(edit->number());
  return out;
}

bool take_back_edits(Document& document, int sequence, const Target& where) {
  return std::erase_if(document.edits, [&](const auto& edit) {
           return edit->number() && (edit->sequence < 0 || edit->sequence == sequence) &&
                  within(edit->number()->where, where);
         }) > 0;
}

std::optional<Document> without_edits_at(const Document& document, const Trace& trace, int sequence,
                                         const Cell& cell) {
  Document out = document;
  const std::vector<Target> places = places_of(trace, cell);
  const bool numbers = !places.empty() && leave_out_numbers(out, sequence, places.front());
  const bool switched = leave_out_switch(out, trace, cell);
  return numbers || switched ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Document> without_edits_at(const Document& document, const Trace& trace, int sequence,
                                         const std::string& weight, const std::vector<std::int64_t>& index) {
  Document out = document;
  const std::vector<Target> places = places_of(trace, weight, index);
  const bool numbers = !places.empty() && leave_out_numbers(out, sequence, places.front());
  return numbers ? std::optional(std::move(out)) : std::nullopt;
}

void put_or_take_back(Document& document, std::shared_ptr<const Edit> edit) {
  const NumberEdit& number = *edit->number();
  const auto* value = std::get_if<float>(&number.value);
  const bool idle =
      value && ((number.op == EditOp::scale && *value == 1.f) || (number.op == EditOp::add && *value == 0.f));
  if (!idle) return put_edit(document, std::move(edit));
  std::erase_if(document.edits, [&](const auto& old) {
    return old->number() && old->sequence == edit->sequence && old->number()->op == number.op &&
           old->number()->where == number.where;
  });
}

}  // namespace attnscope
