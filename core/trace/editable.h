// What can be edited, and the errors for the rest: one check for the window, the command line and the run
// itself.
#pragma once

#include <string_view>
#include <vector>

#include "core/trace/edit.h"

namespace attnscope {

class Trace;
class Weights;
struct Input;

/// The axis counts rows of a stack: `pos` and `query` name the same ones.
inline bool is_row_axis(Axis axis) { return axis == Axis::pos || axis == Axis::query; }
inline bool is_row_axis(std::string_view axis) { return axis == "pos" || axis == "query"; }
/// Errors: numbers that another program recorded, which no model can follow.
Status check_runs(const Weights& weights);
/// Errors: an input of tokens, which has no numbers to edit.
Status check_takes_rows(const Input& input);
/// Errors: no weight of that name.
Status check_weight_name(const Weights& weights, const std::string& name);
/// Errors: a step, or the weight or input, that this run does not have, or that cannot be edited itself.
Status check_target(const Trace& trace, const Target& where);
/// Errors: a target that names an axis which is none of `axes`.
Status check_axes(const Target& where, const std::vector<Axis>& axes);
/// Errors: no rows at all to copy position `pos` from, or none of that number: the place has those up to
/// `end`.
Status check_row(const Target& where, bool has_rows, std::int64_t pos, std::int64_t begin, std::int64_t end);
/// A warning, not an error of the run: the edit names cells that this run does not have.
Error no_place(const Edit& edit);
/// Whether this run could be repeated with the edit behind its own. Errors as above; the shape of frozen
/// numbers is checked by the run alone.
Status check_edit(const Trace& trace, const NumberEdit& edit);

}  // namespace attnscope
