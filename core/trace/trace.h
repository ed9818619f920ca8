// The Trace: an append-only list of named tensors in order of execution. Views, timeline, lenses, the command
// line and the tests all read it by the same names. Attention scores and patterns, logits and probabilities
// are derived: kept as the small tensors they follow from, and computed by the rectangle through slice().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <source_location>
#include <vector>

#include "core/base/result.h"
#include "core/step/catalog.h"
#include "core/trace/config.h"
#include "core/trace/input.h"

namespace attnscope {

struct Record {
  Site site;
  Tensor value;  ///< empty when derived
  bool derived = false;
  std::vector<std::int64_t> shape;
  std::vector<Axis> axes;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< since the run began
  std::source_location line;              ///< the line of C++ that made it
};

/// What one attention's derived steps follow from.
struct AttentionState {
  AttentionInputs in;
  Tensor lse;  ///< [head, query]
  /// Stages of heads that somebody edited: stored [query, key] tensors instead of computed ones.
  std::map<std::int64_t, std::array<Tensor, kScoreStages>> stored;
};

/// Half-open range of rows or columns.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
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
  std::int64_t first_pos = 0;  ///< absolute position of row 0 of the main stack (> 0 for a decode step)
  std::int64_t length = 0;     ///< rows of the main stack
  Input input;                 ///< all that the run was given

  /// A step of the main stack (the decoder, where there is an encoder).
  Site main(Slot slot, int layer = -1) const { return site_of(slot, layer, config_->stack); }
  /// Token ids of a stack's rows; empty for rows that are no tokens.
  const std::vector<int>& ids_of(Stack stack) const { return stack == Stack::enc ? input.source : ids; }
  /// Where the rows of a stack stand: what its position table or rotation was asked for.
  Positions positions(Stack stack) const;
  /// Rows of a stack in this run; 0 where it did not run.
  std::int64_t rows(Stack stack) const;
  /// 0 where row `row` of a stack is padding.
  bool is_real(Stack stack, std::int64_t row) const;

  const Record* find(const Site& site) const;
  std::vector<const Record*> select(const Selector& selector) const;
  /// Index in records(), or -1.
  int index_of(const Site& site) const;

  /// The one door to numbers: the rectangle rows x cols of a step -> [rows, cols]. `head` picks the first
  /// axis of three-axis steps and is ignored otherwise. Ranges are clamped. Derived steps are computed here,
  /// the same for every rectangle within float rounding. Empty when the run has no such step.
  Tensor slice(const Site& site, std::int64_t head, Range rows, Range cols) const;
  /// A whole step; refuses more than `limit` values (a sentence says how many) so that nobody asks for n^2 by
  /// accident.
  Result<Tensor> tensor(const Site& site, std::int64_t limit = std::int64_t{1} << 28) const;
  /// One number. Index has the step's axes; NaN where the run has no such cell.
  float cell(const Site& site, const std::vector<std::int64_t>& index) const;
  /// All logits of one row -> [vocab]; empty without a head. Kept, so that asking every frame costs nothing.
  Tensor logits_row(std::int64_t row) const;
  /// The index on a step's own heads that belongs to attention head `head` (grouped-query attention has fewer
  /// key and value heads): on its head axis, or among the groups of d_head columns of a projection. 0 for
  /// steps without heads.
  std::int64_t own_head(const Site& site, std::int64_t head) const;

  const AttentionState* attention(const Site& any_site_of_it) const;

  // Written by the Probe only.
  void append(Record record);
  void set_attention(const Site& site, AttentionState state);

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
  std::shared_ptr<RowCache> logit_rows_ = std::make_shared<RowCache>();
};

/// The rows the unembedding reads: the head's own, the final norm, or the last residual stream.
Tensor final_rows(const Trace& trace);

}  // namespace attnscope
