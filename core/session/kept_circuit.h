// How much of a measure a few parts of a model bring about alone (faithfulness: Wang et al. 2022; Conmy et
// al. 2023): the parts that are kept compute as ever on what reaches them, every other one is set to what it
// holds over a data set (its mean, another prompt's value) or to zero. Parts are heads and MLPs, or the paths
// between them. The share that is recovered is (kept - none) / (full - none) of the means over the prompts:
// `none` is the measure where every part is replaced. Errors: those of a prompt, with line and column; parts
// that the model does not have; prompts with different parts.
#pragma once

#include <optional>

#include "core/base/spread.h"
#include "core/lens/paths.h"
#include "core/session/data_sweep.h"

namespace attnscope {

struct CircuitQuestion {
  DataQuestion data;  ///< the measure, and how parts are replaced; `steps`: heads and MLPs, or the senders
  std::string to;     ///< receivers: the parts are paths; empty: the parts are `steps` themselves
  bool estimate =
      false;  ///< the effects of single parts: estimates (attribution) in the place of exact values
};
inline constexpr const char* kCircuitNodes = "*blocks.*.attn.z,*blocks.*.cross.z,*blocks.*.mlp.out";
inline constexpr const char* kCircuitSenders = "embed,blocks.*.attn.z,blocks.*.mlp.out";
inline constexpr const char* kCircuitReceivers =
    "blocks.*.attn.q,blocks.*.attn.k,blocks.*.attn.v,blocks.*.mlp.out,logits";

/// One prompt with all parts, each with the edits that replace it.
struct CircuitPrompt {
  PromptRun prompt;
  std::shared_ptr<const Model> model;
  std::optional<LogitMeasure> measure;
  double full = 0;               ///< the measure of the run as it is
  std::vector<Target> from, to;  ///< of each part; `to` of paths alone
  std::vector<Edits> replaced;

  std::string name(std::size_t part) const;
  /// The measure where all parts but these are replaced.
  Result<double> kept(const std::vector<bool>& parts, const std::atomic<bool>* cancel = nullptr) const;
};

/// A part, and how far the measure moves when it alone is replaced: the mean over the prompts.
struct PartEffect {
  std::string part;
  double effect = 0;
};

/// What is kept, and the measure over the prompts.
struct KeptPoint {
  std::int64_t kept = 0;
  Spread value;
};
struct CircuitAnswer {
  std::vector<std::string> parts;   ///< all, as the model has them
  std::vector<PartEffect> effects;  ///< of a curve: largest first
  Spread full, none;
  std::vector<KeptPoint> points;
  double recovered(const Spread& kept) const {
    const double share = (kept.mean() - none.mean()) / (full.mean() - none.mean());
    return share == 0 ? 0 : share;  // no -0
  }
};

class CircuitRuns {
 public:
  /// `data` outlives it.
  static Result<CircuitRuns> prepare(DataRuns& data, CircuitQuestion question,
                                     const std::atomic<bool>* cancel = nullptr);
  /// On any thread.
  Result<CircuitPrompt> of(const DataLine& line, const std::atomic<bool>* cancel = nullptr) const;

  /// These parts kept: one point. A part may be named with patterns ("blocks.*.mlp.out"). Errors: a name that
  /// no part has.
  Result<CircuitAnswer> keep(const std::vector<std::string>& parts,
                             const std::atomic<bool>* cancel = nullptr);
  /// The best 0, 1, 2, ... parts kept, up to `best` (0: all), by the size of their single effects; of equal
  /// ones the earlier in the model is better.
  Result<CircuitAnswer> curve(std::size_t best, const std::atomic<bool>* cancel = nullptr);
  /// What `parts` of the last keep() were, by their full names.
  const std::vector<std::string>& kept_names() const { return kept_; }
  /// Of resample: for each prompt the index of that whose values it takes; else empty.
  const std::vector<std::size_t>& partners() const { return sweeps_.partners(); }

 private:
  CircuitRuns(DataRuns& data, CircuitQuestion question, DataSweep sweeps)
      : data_(&data), question_(std::move(question)), sweeps_(std::move(sweeps)) {}
  Result<std::vector<PartEffect>> effects(const std::atomic<bool>* cancel, std::vector<std::string>& names);
  Status points(const std::vector<std::vector<std::string>>& sets, const std::atomic<bool>* cancel,
                CircuitAnswer& out);
  Status add_paths(const Sweep& senders, CircuitPrompt& out, std::optional<PathGrid>& grid) const;

  DataRuns* data_;
  CircuitQuestion question_;
  DataSweep sweeps_;
  std::vector<std::string> kept_;
};

/// Names of parts in one text, separated by commas; those in brackets belong to a part.
std::vector<std::string> circuit_parts(const std::string& text);
/// Which of the parts of a prompt these names mean. Errors: a name that no part has.
Result<std::vector<bool>> parts_named(const CircuitPrompt& prompt, const std::vector<std::string>& names);

}  // namespace attnscope
