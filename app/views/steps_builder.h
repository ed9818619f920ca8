// Builds the figure of a step, one function per rule; those over a table or the vocabulary are in
// steps_vocabulary.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "app/views/steps_parts.h"

namespace attnscope {

class FigureBuilder : FigureParts {
 public:
  /// `run` and `asked` outlive it.
  FigureBuilder(const RunResult& run, const FigureRequest& asked)
      : FigureParts(run.trace(asked.sequence), asked.site, asked.head), asked_(asked) {}

  /// The figure; without layout if the run has no such step.
  Figure build();

 private:
  void by_rule();

  const Source& input(std::size_t term = 0, std::size_t factor = 0) const {
    return why_.terms[term].factors[factor];
  }

  void alone();

  void dot();
  void name_shared_head(Operand& operand) const;
  const AttentionSpec& attention() const { return trace_.config().attention_at(asked_.site); }
  void group(Operand& operand, const Site& projection) const;

  void addends(const char* sign);

  std::vector<int> heads_of(const Site& site, const char* id, bool is_result, std::int64_t most);
  void copy();

  void rotate();
  void scaled();
  void capped();
  void biased();
  void with_class_row();
  void merged();
  void masked();
  void softmax();

  using RowPart = Tensor (*)(const Tensor& rows, const NormSpec& spec);
  int row_part(const char* id, const char* title, const Operand& x, RowPart part);
  void add_mean(std::vector<int>& ids, const Operand& x);
  void norm_scale();
  void norm();
  void activation();
  std::vector<std::int64_t> table_rows(std::int64_t count) const;
  void lookup();

  void pick(Operand& operand, bool rows_too) const;
  void vocabulary();

  const FigureRequest& asked_;
  Explanation why_;
};

}  // namespace attnscope
