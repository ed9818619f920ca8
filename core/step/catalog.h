// THE TABLE of names. Each row: what the step is called, its axes, its formula, the line of PyTorch that does
// the same, what it is computed from, and other tools' names for it. Its title and one plain sentence about
// it are in assets/strings/*/catalog.json. Site texts, the command line, the provenance panel, the timeline
// and the tests all read this table.
#pragma once

#include <span>
#include <string_view>

#include "core/step/site.h"

namespace attnscope {

/// How a cell follows from its inputs; core/trace/provenance.h recomputes any cell by it.
enum class Rule : std::uint8_t {
  lookup,      ///< a row of a table
  sum,         ///< addends, cell by cell
  copy,        ///< the same number at another place (views, reshapes, concat)
  norm_scale,  ///< sqrt(variance + eps) or sqrt(mean square + eps) of a row
  norm,        ///< (x - mean) / scale * weight + bias
  dot,         ///< a row times a column, plus a bias
  rotate,      ///< x1 cos - x2 sin
  scale,       ///< times a constant
  cap,         ///< c tanh(x / c)
  mask_test,   ///< 1 where the query may attend to the key
  mask,        ///< the score where allowed, else -infinity
  softmax,     ///< exp(x - max) / sum of exp
  activation,  ///< f(x)
  product      ///< two numbers multiplied
};

/// The colour family a step belongs to; the same everywhere on screen.
enum class Hue : std::uint8_t { embed, residual, norm, query, key, value, attention, output, mlp, logits };

/// The step of the walk that a step belongs to (Q, K and V are one), in order of execution; its words stand
/// in the strings table under "step.<name>".
enum class StepKind : std::uint8_t {
  patches,
  embed,
  norm_embed,
  residual_in,
  norm1,
  qkv,
  split,
  transpose,
  qk_norm,
  rope,
  scores,
  scale,
  cap,
  bias,
  mask,
  softmax,
  values,
  concat,
  output,
  norm1_post,
  residual_mid,
  norm_cross,
  residual_cross,
  norm2,
  mlp_up,
  mlp_act,
  mlp_down,
  norm2_post,
  residual_post,
  norm_final,
  projector,
  head,
  logits,
  probs
};
/// "qkv", "mask", ...: the key of the words.
const char* step_kind_name(StepKind kind);

struct Step {
  Slot slot;
  std::string_view text;  ///< inside its block or model: "attn.scores"
  Part part;
  Rule rule;
  Hue hue;
  StepKind kind;
  StepRole role;
  bool derived;              ///< computed on demand from smaller records
  std::string_view axes;     ///< "head query key"
  std::string_view formula;  ///< Unicode; empty where it has words in it: step_formula() has them
  std::string_view torch;    ///< {n_heads}, {d_head}, ... are filled from the run
  std::string_view inputs;   ///< "a[i,:] b[:,j]"; alternatives with '|': the first that the run holds
  std::string_view aliases;  ///< TransformerLens names, separated by blanks
  bool editable = true;      ///< a person may set these numbers; the steps that read them are computed again
};

/// All rows, in the order of Slot.
std::span<const Step> catalog();
const Step& step_of(Slot slot);
StepRole role_of(Slot slot);
StepKind kind_of(Slot slot);
/// The first step with a role; by its rule or its family where several have it: the rows of the table times
/// their scale, the keys after rotation. Every pair in app/ and core/ is in the catalog (tests/layering).
Slot slot_of(StepRole role);
Slot slot_of(StepRole role, Rule rule);
Slot slot_of(StepRole role, Hue hue);
/// The last step of a kind, which is what it leaves: a norm's result, not its divisor; the masked scores.
Slot slot_of(StepKind kind);
Site site_of(StepRole role, int layer = -1, Stack stack = Stack::single);
Site site_of(StepKind kind, int layer = -1, Stack stack = Stack::single);
Site cross_site(StepRole role, int layer, Stack stack);
/// Queries, keys and values from their projection to the heads that attention reads; their Hue says which.
bool makes_heads(Slot slot);
/// [head, query, key]: scores in all their forms, the mask, the pattern.
bool is_score_plane(Slot slot);
/// [pos, vocab]: logits and probabilities.
bool is_over_vocabulary(Slot slot);
/// "Scores", "Every query is compared with every key ...", "Sₕ = Qₕ · Kₕᵀ": in the language of the moment.
std::string_view step_title(const Step& step);
std::string_view step_sentence(const Step& step);
std::string_view step_formula(const Step& step);
/// The stack whose rows an axis of a step counts: the encoder for keys and values of cross-attention.
Stack rows_stack(const Site& site, Axis axis);

}  // namespace attnscope
