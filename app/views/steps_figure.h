// The figure of one step as data: which matrices, their layout and shared axes. Built from the
// catalog's rule through explain(), so that a model's wiring is defined in one place. Draws and
// computes nothing.
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
  std::string key;  ///< axes with equal key and size zoom together
  std::int64_t size = 1;
  Names names = Names::index;
  std::string title;
  ImU32 colour = 0;
  Stack stack = Stack::single;  ///< stack of the tokens,
  std::int64_t first = 0;       ///< and the first one's index
};

/// One matrix of the figure: a step of the run (one plane of it), a weight, or values computed by core from
/// rows.
struct Operand {
  std::string id;  ///< unique in the figure: "left", "top", "result", ...
  std::string title;
  ImU32 colour = 0;  ///< of the title and of highlights
  Site site;
  std::string weight;                                  ///< if not empty: a weight instead of a site
  std::int64_t head = -1;                              ///< index on the site's head axis
  bool transposed = false;                             ///< shown as [col, row] of the source
  std::vector<std::int64_t> picked_rows, picked_cols;  ///< indices in the source; empty = all
  std::function<Tensor(Range rows, Range cols)> part;  ///< values of a matrix that is no step
  std::int64_t reads = 0;     ///< inputs per row of `part`; 0: at most the number of its cells
  bool gradient = false;      ///< `part` returns gradients: small values get a unit
  std::uint64_t version = 0;  ///< of `part`, if it can change within a run
  FigureAxis row, col;
  Colormap map = Colormap::diverging;
  bool is_result = false;
  std::int64_t group = 0;       ///< columns per head, outlined; 0 = none
  std::int64_t own_group = -1;  ///< index of the current head's group; < 0: none
  bool is_weight() const { return !weight.empty(); }
  bool is_step() const { return weight.empty() && !part; }
};

/// Matrices side by side, or stacked; `sign` is in front.
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
  std::vector<Block> blocks;      ///< for Layout::row
  bool shared_range = false;      ///< one colour scale for all
  bool pending = false;           ///< waits for the most likely tokens of one row
  std::uint64_t id = 0;           ///< unique for every built figure; 0: none
  int result() const;
};

/// Arguments of build_figure().
struct FigureRequest {
  int sequence = 0, head = 0;
  std::int64_t query = 0;
  Site site;
  bool whole_vocabulary = false;
  std::vector<std::int64_t> top;  ///< most likely tokens of row `query`, best first; empty: not computed yet
  bool letters = false;           ///< weights are called as in the formula: "W_Q"
};
Figure build_figure(const RunResult& run, const FigureRequest& asked);

/// Height, units, at which every row of the figure has room for digits.
float figure_height(const Figure& figure);
/// The most likely tokens of one row, best first.
std::vector<std::int64_t> most_likely(const Trace& trace, std::int64_t row);
/// Number of rows of logits: one per token, or one for the whole input; 0 without a head.
std::int64_t predicted_rows(const Trace& trace);
/// True if computing the logits of all rows is too expensive for one frame.
bool large_vocabulary(const Trace& trace);

/// Number of query heads per K/V head for a step of K or V; 1 for multi-head attention.
std::int64_t shared_heads(const Trace& trace, const Site& site);

/// Index on the source's axes for a cell of the operand.
std::vector<std::int64_t> source_index(const Trace& trace, const Operand& operand, std::int64_t row,
                                       std::int64_t col);
/// Position of a value in the operand, or empty.
struct Spot {
  std::int64_t row = 0, col = 0;
};
std::optional<Spot> spot_of(const Trace& trace, const Operand& operand, const Source& source);
/// A rectangle of an operand -> [rows, cols]; empty if the run lacks it.
Tensor operand_values(const Trace& trace, const Operand& operand, Range rows, Range cols);
/// New minus old in the same rectangle, token rows and columns aligned; masked where the older run has no
/// counterpart. Empty if the two cannot be compared. `shifted`: some rows or columns were moved by the
/// alignment, or have no counterpart.
Tensor operand_change(const Trace& now, const Trace& old, const Operand& operand, Range rows, Range cols,
                      bool& shifted);

}  // namespace attnscope
