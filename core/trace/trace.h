// The Trace: an append-only list of named tensors in order of execution. Views, timeline, lenses, the command
// line and the tests all read it by the same names. Attention scores and patterns, logits and probabilities
// are derived: kept as the small tensors they follow from, and computed by the rectangle through slice().
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/step/catalog.h"
#include "core/trace/config.h"
#include "core/trace/edit.h"
#include "core/trace/input.h"
#include "core/trace/kv_rows.h"
#include "core/trace/rows.h"
#include "core/trace/stage_edits.h"

namespace attnscope {

struct Record {
  Site site;
  StepRows rows;  ///< empty when derived
  bool derived = false;
  std::vector<std::int64_t> shape;
  std::vector<Axis> axes;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< since the run began

  /// The whole step; empty when derived.
  const Tensor& value() const { return rows.whole(); }
};

/// Most values of a step in one request.
inline constexpr std::int64_t kMostValues = std::int64_t{1} << 28;

/// What one attention's derived steps follow from.
struct AttentionState {
  AttentionInputs in;
  Tensor lse;                               ///< [head, query]
  std::shared_ptr<const StageEdits> edits;  ///< of its stages; null: none
  std::shared_ptr<KvRows> store;            ///< where k and v lie, when rows were appended to another run's

  /// The rectangle rows x cols of one head at a stage -> [query, key], edits included.
  Tensor stage(ScoreStage stage, std::int64_t head, Range rows, Range cols) const;
  /// What holds one row of each query, along axis 1; empty where the attention has none.
  std::array<Tensor*, 3> by_query() { return {&in.q, &lse, &in.sinks}; }
  /// The attention of the first `count` queries.
  void keep_queries(std::int64_t count);
  /// Puts the queries before its own in front, which `before` has; left alone where that kept none.
  void put_behind(AttentionState before);
};

class Trace {
 public:
  Trace(std::shared_ptr<const ModelConfig> config, std::shared_ptr<const Weights> weights);

  const ModelConfig& config() const { return *config_; }
  const Weights& weights() const { return *weights_; }
  const std::shared_ptr<const Weights>& shared_weights() const { return weights_; }
  const std::shared_ptr<const ModelConfig>& shared_config() const { return config_; }
  const std::vector<Record>& records() const { return records_; }
  /// Token ids of the main stack's rows; empty where the input was vectors or an image alone.
  std::vector<int> ids;
  std::int64_t length = 0;                ///< rows of the main stack
  Input input;                            ///< the whole input, edits of the input included
  Edits edits;                            ///< that it was run under
  Edits unreached;                        ///< those of them whose place this run does not have
  bool complete = true;                   ///< every step was recorded, not the predictions alone
  std::shared_ptr<const Weights> origin;  ///< of the model before edits; runs with the same origin share rows

  /// A step of the main stack (the decoder, where there is an encoder).
  Site main(Slot slot, int layer = -1) const { return site_of(slot, layer, config_->stack); }
  Site main(StepRole role, int layer = -1) const { return main(slot_of(role), layer); }
  Site main(StepKind kind, int layer = -1) const { return main(slot_of(kind), layer); }
  /// Token ids of a stack's rows; empty for rows that are no tokens.
  const std::vector<int>& ids_of(Stack stack) const { return stack == Stack::enc ? input.source : ids; }
  /// Positions of the rows of a stack, as its position table or rotation used them.
  Positions positions(Stack stack) const;
  /// Rows of a stack in this run, whichever of its steps were recorded; 0 where it did not run.
  std::int64_t rows(Stack stack) const;
  /// 0 where row `row` of a stack is padding.
  bool is_real(Stack stack, std::int64_t row) const;

  const Record* find(const Site& site) const;
  std::vector<const Record*> select(const Selector& selector) const;
  /// Where a selector matches nothing: the names of this run that come nearest, with a star where it has one.
  std::vector<std::string> nearest_steps(const Selector& selector) const;
  /// Index in records(), or -1.
  int index_of(const Site& site) const;

  /// Reads numbers: the rectangle rows x cols of a step -> [rows, cols]. `head` picks one
  /// of steps with an axis of heads, wherever that stands, and is ignored otherwise. Ranges are clamped.
  /// Derived steps are computed here, the same for every rectangle within float rounding. Empty when the run
  /// has no such step.
  Tensor slice(const Site& site, std::int64_t head, Range rows, Range cols) const;
  /// A whole step. Errors: not_found; more than `limit` values, so that no [query, key] plane is made by
  /// accident.
  Result<Tensor> tensor(const Site& site, std::int64_t limit = kMostValues) const {
    return tensor(Cell{site, {}}, limit);
  }
  /// A part of a step: the axes whose coordinates are fixed are gone; (1) where all are. Only that part is
  /// computed. Errors: not_found (no such step or axis), out_of_range, no_memory.
  Result<Tensor> tensor(const Cell& cell, std::int64_t limit = kMostValues) const;
  /// The same of ranges, whose axes stay where they hold more than one index; `pos` and `query` name the same
  /// rows.
  Result<Tensor> part(const Site& site, const std::vector<AxisRange>& at,
                      std::int64_t limit = kMostValues) const;
  /// One number. Index has the step's axes; NaN where the run has no such cell.
  float cell(const Site& site, const std::vector<std::int64_t>& index) const;
  /// All logits of one row -> [vocab]; empty where the run has none. Those that follow from smaller records
  /// are cached, so that a call per frame costs nothing.
  Tensor logits_row(std::int64_t row) const;
  /// The index on a step's own heads that belongs to attention head `head` (grouped-query attention has fewer
  /// key and value heads): on its head axis, or among the groups of d_head columns of a projection. 0 for
  /// steps without heads.
  std::int64_t own_head(const Site& site, std::int64_t head) const;

  const AttentionState* attention(const Site& any_site_of_it) const;

  // Written by the run only.
  /// Adds the record, or puts it in the place of the one with its site.
  void put(Record record);
  void set_attention(const Site& site, AttentionState state);
  void set_logit_edits(std::vector<NumberEdit> logits) { logit_edits_ = std::move(logits); }
  /// Takes over all that `base` recorded, cut to the rows that this run has.
  void share(const Trace& base);
  /// Forgets every step but those that predictions follow from, and what further runs start from. Rows before
  /// `asked` were not computed to the end: they become NaN.
  void keep_predictions(std::int64_t asked = 0);

 private:
  Tensor derived_slice(const Record& record, std::int64_t head, Range rows, Range cols) const;
  Tensor vocabulary_slice(Slot slot, Range rows, Range cols) const;

  struct RowCache {
    std::mutex mutex;
    std::map<std::int64_t, Tensor> rows;
  };

  std::shared_ptr<const ModelConfig> config_;
  std::shared_ptr<const Weights> weights_;
  std::vector<Record> records_;
  std::map<Site, int> index_;
  std::map<Site, AttentionState> attention_;  // keyed by the site of attn.pattern
  std::vector<NumberEdit> logit_edits_;       // in order; their operands are numbers
  std::shared_ptr<RowCache> logit_rows_ = std::make_shared<RowCache>();
};

/// The rectangle rows x cols of one head of a step -> [rows, cols].
using SliceOf = std::function<Tensor(std::int64_t head, Range rows, Range cols)>;
/// A step or a part of it, as Trace::tensor gives it, whatever it is that has records (a run, its gradients);
/// `name` names it in sentences. Records without a value of their own are put together of rectangles.
Result<Tensor> gathered(const Record& record, const std::string& name, const std::vector<AxisRange>& at,
                        const SliceOf& slice, std::int64_t limit = kMostValues);

/// Which axis of a step counts the rows of its own stack; -1: none does. Patches stand before a class token,
/// keys of cross-attention belong to the encoder, and what stands behind the final norm may be of one row
/// only.
int rows_axis(const Site& site, const std::vector<Axis>& axes);

/// The rows the unembedding reads: the head's own, the final norm, or the last residual stream.
Tensor final_rows(const Trace& trace);

}  // namespace attnscope
