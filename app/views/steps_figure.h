// The picture of one step as data: which matrices stand where, what they are made of, which axes they share.
// Built from the catalog's rule through explain(), so that the wiring of a model is written in one place
// only. Draws nothing and computes nothing.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/look/colormap.h"
#include "core/session/session.h"
#include "core/trace/provenance.h"

namespace attnscope {

struct FigureAxis {
  enum class Names : std::uint8_t { none, index, token, vocab, output };
  std::string key;  ///< axes with the same key and size are zoomed together
  std::int64_t size = 1;
  Names names = Names::index;
  std::string title;
  ImU32 colour = 0;
  Stack stack = Stack::single;  ///< whose rows the tokens are,
  std::int64_t first = 0;       ///< from this one on
};

/// One matrix of the figure: a step of the run (a plane of it), a weight, or numbers that core makes from
/// rows.
struct Operand {
  std::string id;  ///< unique inside the figure: "left", "top", "result", ...
  std::string title;
  ImU32 colour = 0;  ///< of the title and of what is lit in it
  Site site;
  std::string weight;                                  ///< not empty: a weight instead of a site
  std::int64_t head = -1;                              ///< index on the site's own head axis
  bool transposed = false;                             ///< shown as [col, row] of what it is
  std::vector<std::int64_t> picked_rows, picked_cols;  ///< of the source; empty = all
  std::function<Tensor(Range rows, Range cols)> part;  ///< numbers that have no name of their own
  std::int64_t reads = 0;     ///< numbers that one row of `part` is made from; 0: no more than it has cells
  bool gradient = false;      ///< `part` gives gradients of the site or weight: small numbers get a unit
  std::uint64_t version = 0;  ///< of `part`, where it can change while the run stays
  FigureAxis row, col;
  Colormap map = Colormap::diverging;
  bool is_result = false;
  std::int64_t group = 0;       ///< columns per head, to be outlined; 0 = none
  std::int64_t own_group = -1;  ///< the group that belongs to the chosen head; < 0: none of them
  bool is_weight() const { return !weight.empty(); }
  bool is_step() const { return weight.empty() && !part; }
};

/// Matrices side by side, or one above the other; `sign` stands in front.
struct Block {
  std::string sign;
  bool vertical = false;
  std::vector<int> operands;
};

struct Figure {
  enum class Layout : std::uint8_t { none, product, row };
  enum class Extra : std::uint8_t { none, dial, curve, picture };
  Layout layout = Layout::none;
  Extra extra = Extra::none;
  Rule rule = Rule::copy;
  Site site;
  std::vector<Operand> operands;  ///< product: left, top, (bias), result
  std::vector<Block> blocks;      ///< of a row
  bool shared_range = false;      ///< one colour scale for all
  bool pending = false;           ///< waits for the vocabulary of one row
  std::uint64_t id = 0;           ///< another one for every figure that was built; 0: nobody counts
  int result() const;
};

/// What the stage asks for.
struct FigureRequest {
  int sequence = 0, head = 0;
  std::int64_t query = 0;
  Site site;
  bool whole_vocabulary = false;
  std::vector<std::int64_t> top;  ///< most likely tokens of row `query`, best first; empty: not known yet
};
Figure build_figure(const RunResult& run, const FigureRequest& asked);

/// Rows of logits: one per token, or one for the whole input; 0 without a head.
std::int64_t predicted_rows(const Trace& trace);
/// True where logits of all rows are too many numbers for one frame.
bool large_vocabulary(const Trace& trace);

/// How many query heads read each head of a step of K or V; 1 where each has its own.
std::int64_t shared_heads(const Trace& trace, const Site& site);

/// The index on the source's axes of a cell of the operand.
std::vector<std::int64_t> source_index(const Trace& trace, const Operand& operand, std::int64_t row,
                                       std::int64_t col);
/// Where a number stands in the operand, or nothing.
struct Spot {
  std::int64_t row = 0, col = 0;
};
std::optional<Spot> spot_of(const Trace& trace, const Operand& operand, const Source& source);
/// The rectangle of an operand -> [rows, cols]; empty where the run lacks it.
Tensor operand_values(const Trace& trace, const Operand& operand, Range rows, Range cols);
/// New minus old in the same rectangle, rows and columns that are tokens matched by them; masked where the
/// older run has no counterpart. Empty where the two cannot be compared. `shifted`: some stand elsewhere or
/// have none.
Tensor operand_change(const Trace& now, const Trace& old, const Operand& operand, Range rows, Range cols,
                      bool& shifted);

}  // namespace attnscope
