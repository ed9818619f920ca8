// Which rows of which steps an edit of a run can change, without running it: the cone, step by step. A row
// in it may still come out the same; a row outside of it stays equal bit by bit. Limit: edits of steps only;
// weights and parts of the model reach whole blocks (core/model/cone.h).
#pragma once

#include "core/model/cone.h"

namespace attnscope {

class Reach {
 public:
  /// `edit` is of a step.
  Reach(std::shared_ptr<const Trace> run, const NumberEdit& edit);

  /// Rows (of a pattern its queries) that may change; none: an empty range. `head`: of that one alone, where
  /// the step has heads.
  Range rows(const Site& site, std::int64_t head = -1) const;
  const Target& where() const { return where_; }

 private:
  Range masked_rows(const Site& site, std::int64_t head) const;
  Range own_rows() const;
  bool follows(const Site& site) const;
  bool same_head(const Site& site, std::int64_t head) const;
  Range in_own_block(const Site& site, Range after_attention) const;

  std::shared_ptr<const Trace> run_;
  Target where_;
  Cone cone_;
};

}  // namespace attnscope
