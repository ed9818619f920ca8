// The tape, shared by the parts of the backward pass: reads steps off the Trace, writes
// their gradients under the same names, and records every use of a weight.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/model/gradients.h"
#include "core/model/stage_backward.h"

namespace attnscope {

class Tape {
 public:
  Tape(const Trace& trace, std::vector<Record>& records, std::vector<WeightUse>& uses,
       std::map<Site, Tensor>& passed, std::map<Site, Tensor>& weighted, std::map<Site, SentByHead>& sent,
       bool keeps_steps)
      : trace_(trace),
        records_(records),
        uses_(uses),
        passed_(passed),
        weighted_(weighted),
        sent_(sent),
        keeps_steps_(keeps_steps) {}

  const Trace& trace() const { return trace_; }
  bool has(const Site& site) const { return trace_.find(site) != nullptr; }
  /// The value of a step in the forward pass.
  const Tensor& value(const Site& site) const;
  Tensor weight(const std::string& name) const { return trace_.weights().get(name); }

  /// z of an attention as it was before its own edits.
  Tensor weighted_values(const Site& z, const AttentionState& state);
  /// Gradients from edits of an attention's stages to the rows that they read.
  SentByHead& sent(const Site& z) { return sent_[z]; }

  /// Writes the gradient of a step (where they are kept), and returns it passed back through the edits of
  /// that step.
  Tensor at(const Site& site, Tensor gradient);
  /// The same for a step whose gradients are computed by the rectangle.
  void at(const Site& derived);

  /// Backward of y = x W + b for x; `name` without ".weight".
  Tensor project(const std::string& name, const Tensor& x, const Tensor& dy);
  /// Backward of a norm for x; `x` may have heads in front. `scale` is the step that holds what the forward
  /// divided by; null: it is computed anew.
  Tensor norm(const NormSpec& spec, const std::string& name, const Tensor& x, const Site* scale,
              const Tensor& dy);
  /// A weight that is taken by rows.
  void rows(const std::string& name, std::vector<int> ids, const Tensor& dy);
  /// A weight's gradient that needs no product.
  void ready(const std::string& name, Tensor gradient);

 private:
  Tensor through_edited_scale(const NormSpec& spec, const Tensor& gain, const Tensor& x, const Site& scale,
                              const Tensor& natural, const Tensor& dy, const Tensor& dx);

  const Trace& trace_;
  std::vector<Record>& records_;
  std::vector<WeightUse>& uses_;
  std::map<Site, Tensor>& passed_;    // gradients of edited steps behind their edits
  std::map<Site, Tensor>& weighted_;  // z before its edits, where it has some
  std::map<Site, SentByHead>& sent_;  // by the z of the attention
  bool keeps_steps_;                  // false: gradients of steps are written nowhere, and there are no edits
};

/// True where an edit of numbers names this step.
bool is_edited(const Trace& trace, const Site& site);
/// The edits of a run that its weights and its input do not hold already.
Edits edits_of_steps(const Trace& trace);
/// Backward of those edits of a run that change a step: gradients of what the step held before them.
/// `unedited` gives that value where it is needed. Throws EditRefused, as apply_backward.
Tensor through_edits(const Trace& trace, const Site& site, Tensor gradient,
                     const std::function<Tensor()>& unedited);

/// Backward of the blocks and the embedding of one stack. `encoded` collects the gradients that
/// cross-attention gives the encoder's rows [source, d_model].
struct StackGradients {
  Tensor image;    ///< of the rows that stand for an image [patch, d_model]; empty where there are none
  Tensor encoded;  ///< of the encoder's output; empty where there is none
};
StackGradients stack_backward(Tape& tape, const ModelConfig& stack, Tensor dy);
/// Of the rows that the unembedding read -> of those that left the stack, back through the head's own steps.
Tensor head_backward(Tape& tape, const ModelConfig& stack, Tensor dy);

/// Sum of two gradients of one thing; either may be empty.
Tensor sum_of(const Tensor& a, const Tensor& b);

}  // namespace attnscope
