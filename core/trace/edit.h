// Edits: what a person changes of a model, an input or a run, as data. An edited run is the clean run plus
// one ordered list of them; window, command line, scenes and sessions hold the same list.
// Numbers that come from elsewhere are copied, so that an edit can always be saved. Errors: a text that
// names no place or no value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/step/place.h"
#include "core/trace/attention_kind.h"
#include "core/trace/mask_spec.h"

namespace attnscope {

struct ModelConfig;
class Trace;

/// The cells that an edit covers: of a step of the run, of a weight, or of the rows that a bare module reads.
/// Axes that are not named are covered whole. `pos` names query rows too; positions are absolute.
struct Target {
  enum class Kind : std::uint8_t { step, weight, input };
  Kind kind = Kind::step;
  Site site;           ///< of a step
  std::string weight;  ///< "blocks.0.attn.q.weight"
  std::vector<AxisRange> at;
  bool operator==(const Target&) const = default;
};
Target target_of(const Cell& cell);
Target weight_target(std::string weight, std::vector<AxisRange> at = {});
/// "blocks.2.attn.z[head=1]", "blocks.0.mlp.out.weight[in=3,out=0]", "input[pos=1]"; a range is 2-5.
std::string to_text(const Target& target);
/// Errors: parse_place's; a name that is none, several blocks, indices that need a run.
Result<Target> parse_target(std::string_view text);
/// The target of a place in one block, its ranges as they are. Errors: a name that is none.
Result<Target> target_named(PlaceText place);
/// Null where the target leaves that axis open; `pos` and `query` name the same rows.
const AxisRange* range_on(const Target& target, Axis axis);

// ---- values ---------------------------------------------------------------------------------------

/// The mean over the positions of the run (padding left out), for each head and dimension by itself; of
/// places without positions: over the covered cells.
struct MeanOver {
  bool operator==(const MeanOver&) const = default;
};
/// What the same step holds at another position of this run, earlier edits included.
struct FromPos {
  std::int64_t pos = 0;
  bool operator==(const FromPos&) const = default;
};
/// Numbers that were kept: of the covered cells, of the whole step, or one row that every row gets.
struct Frozen {
  Tensor values;
  std::string origin;  ///< where they came from, as shown: a file, a run
};
/// What the step reads when the write of another place is taken out of the stream before it, and nothing else
/// (core/trace/path.h): a path that is cut. The place itself is a step at which a receiver reads.
struct WithoutPath {
  Target from;
  /// What it writes instead: the numbers of the whole step `from`; null: nothing. In runs alone: such an edit
  /// has no text that reads back.
  std::shared_ptr<const Tensor> instead = nullptr;
  bool operator==(const WithoutPath&) const = default;
};
using EditValue = std::variant<float, MeanOver, FromPos, Frozen, WithoutPath>;
enum class EditOp : std::uint8_t { set, add, scale };

// ---- the three kinds of edit ----------------------------------------------------------------------

/// Other numbers in a place: each covered cell is set to the operand, or it is added, or multiplied.
struct NumberEdit {
  Target where;
  EditOp op = EditOp::set;
  EditValue value = 0.f;
};

/// Another mask for one kind of attention: a MaskSpec (where given), then cells switched on top of it.
struct MaskEdit {
  AttentionKind of = AttentionKind::main;
  std::optional<MaskSpec> spec;
  std::vector<Mask::Cell> cells;  ///< absolute positions in their stacks
};

/// A part of the open model exchanged for another one on the same weights, in one block or in all.
struct Exchange {
  enum class Part : std::uint8_t { order, skip, activation, mask_order, scaling, kv_heads };
  Part part = Part::order;
  Stack stack = Stack::single;
  int layer = -1;      ///< -1: every block of the stack
  std::string branch;  ///< skip, scaling, mask_order, kv_heads: "attn", "cross" or "mlp"
  std::string value;   ///< "pre", "off", "relu", "after", "2"
  bool operator==(const Exchange&) const = default;
};

struct Edit {
  std::variant<NumberEdit, MaskEdit, Exchange> what;
  int sequence = -1;  ///< of the batch; -1: every one
  bool enabled = true;
  std::string note;

  const NumberEdit* number() const { return std::get_if<NumberEdit>(&what); }
  const MaskEdit* mask() const { return std::get_if<MaskEdit>(&what); }
  const Exchange* exchange() const { return std::get_if<Exchange>(&what); }
};
/// In the order in which they are carried out.
using Edits = std::vector<std::shared_ptr<const Edit>>;

inline std::shared_ptr<const Edit> make_edit(decltype(Edit::what) what, int sequence = -1) {
  return std::make_shared<const Edit>(Edit{std::move(what), sequence, true, {}});
}
/// Sets the cells of a place to a number.
inline std::shared_ptr<const Edit> set_to(Target where, float value) {
  return make_edit(NumberEdit{std::move(where), EditOp::set, value});
}

/// What "run:NAME" and "dir:WORDS" stand for at a place; the functions are made where runs and texts are
/// at hand (core/session/edit_values.h).
using EditNumbers = std::function<Result<Tensor>(const std::string& name, const Target& where)>;
/// Every sequence's run, for places that count from the end or name a token; asked for those only.
using EditRuns = std::function<Result<std::vector<std::shared_ptr<const Trace>>>()>;
/// Reads "PLACE=V", "PLACE+=V", "PLACE*=V"; V is a number, `mean`, `@pos:N`, `@FILE` (.npz, .npy or
/// .safetensors: the array of the step's own name, or the only one; `@FILE:NAME` another one), and what
/// `numbers` gives: `@run:NAME`, `@dir:WORDS`, `mean` and `resample` of a data set. "PLACE->PLACE=0" takes
/// what the first writes into the stream out of what the second reads, as in
/// "blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]=0". A part of the
/// model is exchanged by "blocks.*.order=post" (pre, post, parallel), "blocks.0.mlp.skip=off",
/// "blocks.*.mlp.activation=relu" (gelu, gelu_tanh, silu, swiglu, geglu), "blocks.*.attn.scaling=off",
/// "blocks.*.attn.mask_order=before" (after), "blocks.*.attn.kv_heads=2".
Result<std::shared_ptr<const Edit>> parse_edit(std::string_view text, const EditNumbers& numbers = {});
/// The same of a model's runs, where a place may mean several blocks ("blocks.*.attn.z [head=1]=0",
/// "blocks.0-2.mlp.out.weight*=0": one edit for each of them), count from the end or name a token
/// ("blocks.-1.resid_post[token=cat]=0": an edit of each sequence that has it, one of all where it is the
/// same place in all).
Result<Edits> parse_edits(std::string_view text, const ModelConfig& config, const EditNumbers& numbers = {},
                          const EditRuns& runs = {});
/// The same text again; frozen numbers are written as "@" and their origin, a mask as "mask cross:TEXT".
std::string to_text(const Edit& edit);
/// True where both do the same; frozen numbers are compared bit by bit.
bool same_edit(const Edit& a, const Edit& b);

/// The enabled edits of one sequence.
Edits edits_for(const Edits& edits, int sequence);
/// All but edits of the input: those of a run whose input holds them already (Trace::input).
Edits without_inputs(const Edits& edits);
/// The mask edits of one kind of attention merged: the last text, and the cells switched after it.
MaskEdit asked_mask(const Edits& edits, AttentionKind of);

// ---- carrying out ---------------------------------------------------------------------------------

/// Which rows of a run a tensor holds: row i stands at position first + i.
struct RowFrame {
  std::int64_t first = 0;
  const std::vector<std::uint8_t>* attention_mask =
      nullptr;  ///< by row, 0 = padding; null or empty: no padding
};
struct Applied {
  Tensor value;
  bool reached = false;  ///< a cell of the target was there
};
/// Carries out one edit on the rows that `value` holds. Errors: an axis that the place does not have, frozen
/// numbers of another shape, a position that is not there.
Result<Applied> apply(const NumberEdit& edit, const Tensor& value, const RowFrame& rows = {});
/// The place that a path begins at; null for every other edit.
inline const Target* path_from(const NumberEdit& edit) {
  const auto* path = std::get_if<WithoutPath>(&edit.value);
  return path ? &path->from : nullptr;
}
/// True where the operand is a mean or a copy of other rows of the same step.
bool reads_rows(const NumberEdit& edit);
/// True for a product of two numbers of the same step: its backward reads both.
inline bool needs_value(const NumberEdit& edit) { return edit.op == EditOp::scale && reads_rows(edit); }
/// Backward of apply(): the gradient of what `value` held before, given the one of the result. `set` passes
/// nothing on but to rows that it copied of the same step, `add` all, `scale` its factor. `before` is that
/// value where needs_value(). Errors: as apply().
Result<Tensor> apply_backward(const NumberEdit& edit, const Tensor& gradient, const RowFrame& rows = {},
                              const Tensor& before = {});

}  // namespace attnscope
