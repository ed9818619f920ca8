// Activation patching: the values of another run at a place, in this run's rows. Rows correspond by their
// tokens; a row without a partner keeps this run's numbers. All transplants between runs are made here.
// Errors: places that the other run lacks, and rows without any partner.
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
  /// `run` is edited, `from` gives the values.
  Donor(std::shared_ptr<const Trace> run, std::shared_ptr<const Trace> from);

  /// Corresponding rows of the main stack.
  std::int64_t matched() const;
  /// Per stack: the row of the other run that corresponds to each of this one.
  const std::map<Stack, Alignment>& partners() const { return partners_; }
  const Trace& from() const { return *from_; }
  bool has(const Site& site) const { return from_->find(site) != nullptr; }
  /// A row and a key of those that the place names has a partner.
  bool has(const Target& where) const;
  /// For a place of `run` where has() is true: the covered cells, or the whole step's where that is shared.
  Tensor numbers(const Target& where) const;
  /// The values of `from` at a place of `run`. Errors: no such step, of another size; no row or key of the
  /// place has a partner in `from`.
  Result<Tensor> taken(const Target& where) const;
  /// The edit that puts a place of `from` into `run`, at corresponding rows; `name` is the name of `from` in
  /// the list of edits. Errors: `run` has no such step, of another size, or cannot change it; no row
  /// there has a partner.
  Result<NumberEdit> edit(const Cell& place, const std::string& name) const;

 private:
  Status check_sizes(const Site& site) const;
  Tensor covered(const Target& where) const;
  const Alignment& partners(const Site& site, Axis axis) const;

  std::shared_ptr<const Trace> run_, from_;
  std::map<Stack, Alignment> partners_;  ///< by the stack whose rows they are
};

}  // namespace attnscope
