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

/// The planes of a step that a place covers, one per head: visit(head, rows, cols).
template <class Visit>
void for_each_plane(const Record& record, const Target& where, Visit visit) {
  std::vector<Range> planes;
  Range heads{0, 1};
  for (std::size_t d = 0; d < record.axes.size(); ++d) {
    const AxisRange* at = range_on(where, record.axes[d]);
    const Range range = at ? Range{at->begin, at->end} : Range{0, record.shape[d]};
    if (record.axes[d] == Axis::head)
      heads = range;
    else
      planes.push_back(range);
  }
  for (std::int64_t head = heads.begin; head < heads.end; ++head) visit(head, planes[0], planes[1]);
}

class Donor {
 public:
  /// `run` takes, `from` gives.
  Donor(std::shared_ptr<const Trace> run, std::shared_ptr<const Trace> from);

  /// Rows of the main stack that belong together.
  std::int64_t matched() const;
  /// Of each stack whose rows are counted: the row of the other run that belongs to each of this one.
  const std::map<Stack, Alignment>& partners() const { return partners_; }
  const Trace& from() const { return *from_; }
  bool has(const Site& site) const { return from_->find(site) != nullptr; }
  /// A row and a key of those that the place names has a partner.
  bool has(const Target& where) const;
  /// Of a place of `run` that has() says yes to: the covered cells, or the whole step's where that is shared.
  Tensor numbers(const Target& where) const;
  /// What a place of `run` holds in `from`. Errors: no such step, of another size; no row or key of the place
  /// belongs to one of `from`.
  Result<Tensor> taken(const Target& where) const;
  /// The edit that puts a place of `from` into `run`, where its rows may stand elsewhere; `name` is what the
  /// list of edits calls `from`. Errors: `run` has no such step, of another size, or cannot change it; no row
  /// there belongs to that of the place.
  Result<NumberEdit> edit(const Cell& place, const std::string& name) const;

 private:
  Status check_sizes(const Site& site) const;
  Tensor covered(const Target& where) const;
  const Alignment& partners(const Site& site, Axis axis) const;

  std::shared_ptr<const Trace> run_, from_;
  std::map<Stack, Alignment> partners_;  ///< by the stack whose rows they are
};

}  // namespace attnscope
