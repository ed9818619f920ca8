// Edits of scores, scaled, masked or pattern of one attention. An edited row is computed anew from its edits
// whenever somebody asks for it, so that an edit costs rows and never a plane; rows that no edit reaches keep
// the very bits of the streamed attention, so that a difference shows nothing but what follows from the edit.
#pragma once

#include <map>
#include <vector>

#include "core/trace/edit.h"
#include "core/trace/rows.h"

namespace attnscope {

/// The stage of a slot (`scores` .. `pattern`); nothing for other slots.
std::optional<ScoreStage> score_stage(Slot slot);
/// The stages that an attention goes through, in order.
std::vector<ScoreStage> stage_order(const AttentionInputs& in);

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
  /// Rows of a stage with all keys -> [query, key].
  Tensor rows(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
              Range rows) const;
  /// The same before the edits of that stage, but after those of earlier ones.
  Tensor before(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
                Range rows) const {
    return computed(in, lse, head, stage, rows, 0);
  }
  /// Back through the edits of one stage for the query at position `pos`: gradients of all its keys.
  void send_back(std::int64_t head, ScoreStage stage, std::int64_t pos, std::vector<double>& gradient) const;
  /// Puts what follows for covered rows into z [head, query, d_head].
  Tensor weigh(const AttentionInputs& in, const Tensor& lse, const Tensor& z) const;

 private:
  struct HeadEdits {
    std::array<std::vector<NumberEdit>, kScoreStages> stages;  ///< without the head; operands are numbers
    std::vector<Range> covered;                                ///< rows of the inputs
  };
  Tensor computed(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
                  Range rows, std::size_t edits_of_stage) const;
  Result<NumberEdit> resolved(NumberEdit edit, const AttentionInputs& in, const Tensor& lse,
                              std::int64_t head, ScoreStage stage,
                              const std::vector<std::uint8_t>* attention_mask) const;
  Status take(const NumberEdit& edit, ScoreStage stage, std::int64_t head, const AttentionInputs& in,
              const Tensor& lse, const std::vector<std::uint8_t>* attention_mask, bool& reached);

  std::map<std::int64_t, HeadEdits> heads_;
};

}  // namespace attnscope
