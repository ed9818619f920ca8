// From a logit back to the rows that it was made of, with norm scales, gates and caps held as
// they were in the run, so that every step is linear: attributions and their graph are made with it.
// Errors: measures that are not linear in the logits, and runs without their model.
#pragma once

#include <string>
#include <vector>

#include "core/model/measure.h"

namespace attnscope {

using Direction = std::vector<double>;  ///< over the features of one row

double dot(const Direction& g, const Tensor& row);
/// A row times a weight [in, out], without a bias.
Direction times(const Direction& row, const Tensor& weight);
/// From a direction over the outputs of y = x W + b to one over its inputs.
Direction through(const Tensor& weight, const Direction& g);
/// One row of a step of the run; empty where it has none.
Tensor recorded_row(const Trace& trace, const Site& site, std::int64_t row);
/// "blocks.0.ln1" of "blocks.0.ln1.out".
std::string without_out(const Site& norm);
bool is_norm(const Site& site);

/// A norm held at the scale that it had: y = (x - mean) / scale * gain + offset.
struct HeldNorm {
  Direction g;      ///< over what the norm reads
  double bias = 0;  ///< what the offset adds
};
HeldNorm through_norm(const Trace& trace, const Site& out, std::int64_t row, const Direction& g);
/// A part of what a norm reads as the part of its result that it becomes, the scale held, the offset left
/// out.
Direction part_through_norm(const Trace& trace, const Site& out, std::int64_t row, Direction part);

/// Whether an edit changes this step; of a norm any of its steps.
bool edit_reaches(const Trace& trace, const Site& site);
/// What an edit of `site` added to its row along `g`: how much the row has more than `made`, which what it is
/// computed from gives; 0 where that is no more than rounding.
double added_by_edit(const Trace& trace, const Site& site, std::int64_t row, const Direction& g, double made);

/// What each head adds to a row of the stream, without the bias of attn.out.
std::vector<Direction> written_by_heads(const Trace& trace, const Site& attention_out, std::int64_t row);

/// Adds a name to what was held as it was in the run, where it is not among them.
void hold_once(std::vector<std::string>& held, const std::string& name);
/// x -> f(x) as x times f(x)/x of the run; at 0 the factor 1/2, which multiplies nothing.
double held_gate(double before, double after);

/// The measure as a direction over the row that leaves the stack, through the unembedding and what stands
/// before it.
struct HeldMeasure {
  double total = 0;  ///< the measure, as the run has it
  std::int64_t row = 0;
  Direction g;
  double bias = 0;
  std::vector<std::string> held;  ///< "logits cap", "head.act", ...
};
/// Errors: a measure that is no logit, a run without logits, weights or some of its steps.
Result<HeldMeasure> held_measure(const Trace& trace, const LogitMeasure& measure);

}  // namespace attnscope
