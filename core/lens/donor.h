// What another run holds at a place, in this run's rows: rows belong together by their tokens, and a row
// without a partner keeps this run's numbers. The one way in which places of one run are put into another.
// Refuses, in words, places that the other run lacks and rows that belong to none.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/lens/alignment.h"
#include "core/trace/edit.h"

namespace attnscope {

/// The axis that a word of a place names: "pos" and "query" are the rows of any step.
bool names_axis(const std::string& word, Axis axis);
/// Where a place stands on an axis; -1 where it is open.
std::int64_t place_on(const std::vector<Coordinate>& at, Axis axis);

/// The planes of a step that a place covers, one per head: visit(head, rows, cols).
template <class Visit>
void for_each_plane(const Record& record, const std::vector<Coordinate>& at, Visit visit) {
  std::vector<Range> ranges;
  std::int64_t heads = 1, own = 0;
  for (std::size_t d = 0; d < record.axes.size(); ++d) {
    const std::int64_t place = place_on(at, record.axes[d]);
    if (record.axes[d] == Axis::head)
      heads = record.shape[d], own = place;
    else
      ranges.push_back(place < 0 ? Range{0, record.shape[d]} : Range{place, place + 1});
  }
  for (std::int64_t head = std::max<std::int64_t>(own, 0); head < (own < 0 ? heads : own + 1); ++head)
    visit(head, ranges[0], ranges[1]);
}

class Donor {
 public:
  /// `run` takes, `from` gives.
  Donor(std::shared_ptr<const Trace> run, std::shared_ptr<const Trace> from);

  /// Rows of the main stack that belong together.
  std::int64_t matched() const;
  bool has(const Site& site) const { return from_->find(site) != nullptr; }
  /// Every row and key that the place names has a partner.
  bool has(const Site& site, const std::vector<Coordinate>& at) const;
  /// Of a place of `run` that has() says yes to: the covered cells, or the whole step's where that is shared.
  Tensor numbers(const Site& site, const std::vector<Coordinate>& at) const;
  /// The edit that puts a place of `from` into `run`, where its rows may stand elsewhere; `name` is what the
  /// list of edits calls `from`. Errors: `run` has no such step, of another size, or cannot change it; no row
  /// there belongs to that of the place.
  Result<NumberEdit> edit(const Cell& place, const std::string& name) const;

 private:
  Tensor covered(const Site& site, const std::vector<Coordinate>& at) const;
  const Alignment& partners(const Site& site, Axis axis) const;

  std::shared_ptr<const Trace> run_, from_;
  std::map<Stack, Alignment> partners_;  ///< by the stack whose rows they are
};

}  // namespace attnscope
