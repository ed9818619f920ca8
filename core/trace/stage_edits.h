// Edits of scores, scaled, masked or pattern of one attention. An edited row is recomputed from its edits
// at each read, so that an edit costs rows and never a plane [query, key]; rows that no edit reaches keep
// the very bits of the streamed attention, so that a difference shows nothing but what follows from the edit.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "core/trace/edit.h"
#include "core/trace/rows.h"

namespace attnscope {

/// The stage of a slot (`scores` .. `pattern`); nothing for other slots.
std::optional<ScoreStage> score_stage(Slot slot);
/// The stages that an attention goes through, in order.
std::vector<ScoreStage> stage_order(const AttentionInputs& in);
/// The steps that an attention has from its scores to its pattern, in order.
std::vector<Slot> score_steps(const AttentionInputs& in);

class StageEdits {
 public:
  /// Takes those of `edits` that name a stage of the attention at `any_site`, whose inputs hold all rows that
  /// it ran; `real` as in RowFrame. Edits of places that this attention does not have are left out; those
  /// that reach something are added to `reached`. Errors: as apply().
  static Result<StageEdits> make(const Edits& edits, const Site& any_site, const AttentionInputs& in,
                                 const Tensor& lse, const std::vector<std::uint8_t>* attention_mask,
                                 Edits& reached);

  bool any() const { return !heads_.empty(); }
  /// True where a row of this head may be edited.
  bool reach(std::int64_t head) const { return heads_.contains(head); }
  /// True where an edit covers this row (a row of `in`).
  bool covers(std::int64_t head, std::int64_t row) const;
  /// True where an edit covers this row or reads it: a mean, or another row's numbers.
  bool involves(std::int64_t head, std::int64_t row) const;
  /// Rows of a stage with all keys -> [query, key].
  Tensor rows(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
              Range rows) const;
  /// The same before the edits of that stage, but after those of earlier ones.
  Tensor before(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
                Range rows) const {
    return computed(in, lse, head, stage, rows, 0);
  }
  /// What the edits of one head send to the rows that they read, by stage and in their order: the gradients
  /// of what was read [key]; empty for those that read none.
  using Sent = std::array<std::vector<std::vector<double>>, kScoreStages>;
  /// `back(row, stage, edit, sent)` is the gradient of a row as it stands behind an edit of a stage, given
  /// what later edits send.
  using BehindEdit = std::function<std::vector<double>(std::int64_t row, ScoreStage stage, std::size_t edit,
                                                       const Sent& sent)>;
  Sent sent(const AttentionInputs& in, const Tensor& lse, std::int64_t head, const BehindEdit& back) const;
  /// Back through the edits of one stage for one row, those from `first` on: gradients of all its keys, with
  /// what they send to it.
  void send_back(std::int64_t head, ScoreStage stage, std::int64_t row, const Sent& sent,
                 std::vector<double>& gradient, std::size_t first = 0) const;
  /// Puts what follows for covered rows into z [head, query, d_head].
  Tensor weigh(const AttentionInputs& in, const Tensor& lse, const Tensor& z) const;

 private:
  struct StageEdit {
    NumberEdit edit;                 ///< without the head; its operand is numbers
    Range rows;                      ///< covered rows of the inputs
    std::vector<std::int64_t> read;  ///< rows of the inputs whose mean the operand is, or one row
  };
  struct HeadEdits {
    std::int64_t first_query = 0;
    std::array<std::vector<StageEdit>, kScoreStages> stages;
  };
  Tensor computed(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
                  Range rows, std::size_t edits_of_stage) const;
  Result<StageEdit> resolved(NumberEdit edit, const AttentionInputs& in, const Tensor& lse, std::int64_t head,
                             ScoreStage stage, const std::vector<std::uint8_t>* attention_mask) const;
  Status take(const NumberEdit& edit, ScoreStage stage, std::int64_t head, const AttentionInputs& in,
              const Tensor& lse, const std::vector<std::uint8_t>* attention_mask, bool& reached);

  std::map<std::int64_t, HeadEdits> heads_;
};

}  // namespace attnscope
