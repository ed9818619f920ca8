// A walk along the residual stream, sums and norms computed anew in double without what senders wrote
// (core/trace/path.h says what a path is). No errors: places were checked before.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/ops/matrices.h"
#include "core/trace/trace.h"

namespace attnscope {

/// What changes in the rows of a step, [rows, width]; nothing: all stay as they are.
using RowsOfPath = std::optional<Matrix64>;

/// Whether a place takes in one index of an axis; all of it where it does not name the axis.
bool path_covers(const std::vector<AxisRange>& at, std::string_view axis, std::int64_t index);
/// The same of a column of a step [pos, width], or [head, pos, d_head] with its heads side by side.
bool path_covers_column(const std::vector<AxisRange>& at, const Tensor& values, std::int64_t col);
/// Whether any number of a row changes.
bool row_moves(const Matrix64& change, std::int64_t row);
/// Adds one number per column; an empty tensor: nothing.
void add_offsets(Matrix64& x, const Tensor& offsets);

/// From the senders on. `from` has to outlive the walk.
class PathWalk {
 public:
  /// Of `rows` of a run.
  PathWalk(const Trace& trace, const std::vector<WithoutPath>& from, Range rows)
      : trace_(trace), from_(from), rows_(rows) {}

  /// The step at which a sender's write stands in the stream.
  static Site written_by(const Site& from);

  /// What changes at a step of the stream, or of a norm of it, beside the numbers of the run.
  RowsOfPath change(const Site& site);
  /// A norm or a sum of the stream without the senders, before edits of its own.
  Matrix64 anew(const Site& site);
  /// What changes in what a step of the stream is made of: rows without any stay as they are.
  RowsOfPath moved_into(const Site& site);
  /// The numbers of a recorded step of the stream without the senders.
  Matrix64 without(const Site& site);

 private:
  RowsOfPath made(const Site& site);
  RowsOfPath carried(const Site& site);
  RowsOfPath projected(const Site& site) const;
  void through_edits(const Site& site, Matrix64& moved) const;
  Matrix64 projection(const Site& site) const;
  void scale(const Site& site, Matrix64& x) const;
  RowsOfPath norm(const Site& site, const Site& input);
  Matrix64 normed(const Site& site, Matrix64 x) const;
  void replace(const WithoutPath& path, RowsOfPath& out) const;

  const Trace& trace_;
  const std::vector<WithoutPath>& from_;
  Range rows_;
  std::map<Site, RowsOfPath> known_;
};

}  // namespace attnscope
