#include "core/session/typed_edits.h"

#include <algorithm>

#include "core/lens/attention_places.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

// Which positions of one stack hold the token that they held before.
struct SameTokens {
  Stack stack = Stack::single;  ///< the one whose tokens were typed
  const std::vector<int>& before;
  const std::vector<int>& now;

  bool holds(Stack of, std::int64_t begin, std::int64_t end) const {
    if (of != stack) return true;
    for (std::int64_t pos = begin; pos < end; ++pos) {
      const auto at = static_cast<std::size_t>(pos);
      if (at >= before.size() || at >= now.size() || before[at] != now[at]) return false;
    }
    return true;
  }
};

bool same_at(const Target& where, const SameTokens& same) {
  if (where.kind != Target::Kind::step) return true;
  return std::all_of(where.at.begin(), where.at.end(), [&](const AxisRange& range) {
    for (const Axis axis : {Axis::pos, Axis::query, Axis::key})
      if (range.axis == axis_name(axis))
        return same.holds(rows_stack(where.site, axis), range.begin, range.end);
    return true;
  });
}

// The edit as it holds for the new text; null: not at all.
std::shared_ptr<const Edit> kept_edit(const std::shared_ptr<const Edit>& edit, const SameTokens& same,
                                      Stack main) {
  if (const NumberEdit* number = edit->number()) return same_at(number->where, same) ? edit : nullptr;
  const MaskEdit* mask = edit->mask();
  if (!mask || mask->cells.empty()) return edit;
  const AttentionPlace place = attention_place(mask->of, main);
  MaskEdit left = *mask;
  std::erase_if(left.cells, [&](const Mask::Cell& cell) {
    return !same.holds(place.stack, cell.query, cell.query + 1) ||
           !same.holds(place.keys(), cell.key, cell.key + 1);
  });
  if (left.cells.size() == mask->cells.size()) return edit;
  if (left.cells.empty() && !left.spec) return nullptr;
  Edit out = *edit;
  out.what = std::move(left);
  return std::make_shared<const Edit>(std::move(out));
}

}  // namespace

Edits edits_of_same_words(const Document& before, std::size_t sequence, Stack of,
                          const std::vector<int>& now) {
  const Stack main = before.model->config().stack;
  const Input& input = before.sequences[sequence].input;
  const bool source = of == Stack::enc;
  const SameTokens same{source ? Stack::enc : main, source ? input.source : input.ids, now};
  Edits out;
  for (const auto& edit : before.edits) {
    const bool of_this =
        edit->sequence == static_cast<int>(sequence) || (edit->sequence < 0 && before.sequences.size() == 1);
    if (auto kept = of_this ? kept_edit(edit, same, main) : edit) out.push_back(std::move(kept));
  }
  return out;
}

std::size_t edits_gone(const Edits& before, const Edits& now) {
  return static_cast<std::size_t>(std::count_if(before.begin(), before.end(), [&](const auto& edit) {
    return std::find(now.begin(), now.end(), edit) == now.end();
  }));
}

}  // namespace attnscope
