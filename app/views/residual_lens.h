// The cells of a logit-lens grid, computed by background jobs: visible cells first. Cells that are not
// computed yet have token -1.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/widgets/matrix_plot.h"
#include "app/widgets/table.h"
#include "core/base/computed.h"
#include "core/io/named.h"
#include "core/lens/alignment.h"
#include "core/lens/logit_lens.h"
#include "core/session/session.h"

namespace attnscope {

/// Value that colours the grid.
enum class LensColour : std::uint8_t { probability, asked, rank, entropy, kl };

/// The value of a cell for a colouring; ranks count from 1.
float lens_value(const LensCell& cell, LensColour colour);
/// The style of a grid [row, pos]; `difference`: of two runs.
HeatStyle lens_style(const Tensor& values, LensColour colour, bool difference);

class LensGrid {
 public:
  /// Once per frame: starts computing for a new run or sequence, and takes finished cells. `model`:
  /// Session::opened_version(); cells of another model are dropped. `asked`: a token whose probability and
  /// rank are computed in every cell; -1: none.
  void follow(std::uint64_t model, const RunResult& run, int sequence, Workers& workers, int asked = -1);
  /// Cancels the job until the next follow(): the grid is not visible.
  void leave() { filled_.cancel(); }
  /// Sets the visible positions, which are computed first.
  void want(Range positions);

  const std::vector<LensRow>& rows() const { return rows_; }  ///< in order of execution
  std::int64_t positions() const { return positions_; }
  /// Its token is -1 if it is not computed yet.
  const LensCell& cell(std::int64_t row, std::int64_t pos) const {
    return cells_[static_cast<std::size_t>(row * positions_ + pos)];
  }
  int asked() const { return asked_; }
  bool complete() const { return complete_; }
  /// True while no cell of this run is ready: cells of the previous run are shown.
  bool older() const { return older_; }
  /// Changes whenever cells arrive: the version of textures.
  std::uint64_t version() const { return version_; }
  /// One value per cell -> [rows, pos], the output on top; masked if not computed yet.
  Tensor values(LensColour colour) const;

 private:
  struct Filled {  // what is known so far
    std::vector<LensCell> cells;
    std::uint64_t arrived = 0;  // number of blocks of cells
  };
  struct Filling {           // of one run; it goes on where it was stopped
    Filled now;              // of the computations alone, which follow one another, as `done`
    std::vector<char> done;  // by block of cells
    std::atomic<std::int64_t> first{0}, last{0};  // positions on screen
  };
  static void fill(const Trace& trace, const std::vector<LensRow>& rows, int asked, Filling& filling,
                   const Computed<Filled>::Progress& progress);
  void start(Workers& workers);

  std::uint64_t model_ = 0, run_version_ = 0, filled_run_ = 0, version_ = 0;
  std::shared_ptr<const Filled> seen_;
  int sequence_ = -1, asked_ = -1;
  std::shared_ptr<const Trace> trace_;
  std::vector<LensRow> rows_;
  std::int64_t positions_ = 0;
  std::vector<LensCell> cells_;
  bool complete_ = false, older_ = false;
  std::shared_ptr<Filling> filling_;
  Computed<Filled> filled_;
};

/// String key of the legend's title.
const char* lens_unit(LensColour colour);
/// New minus old [rows, pos], positions aligned by `partners`; unaligned ones are masked.
Tensor lens_difference(const Tensor& now, const Tensor& before, const Alignment& partners);

/// Masks the columns of padding.
Tensor without_padding(const Trace& trace, Tensor values);
/// Range of probabilities, 0 .. 1; if nearly all are small, up to the largest of them, rounded up.
ValueRange probability_range(const Tensor& values);

/// "embed", "0 attn", "0 cross", "0 mlp", ... "out", in the current language; "0 block" for parallel blocks,
/// where attention and MLP are added at once.
std::string lens_label(const ModelConfig& config, const LensRow& row);
/// Kind of a part, from its site on the residual stream or the site of its addition.
enum class StreamPart : std::uint8_t { embed, attention, cross, mlp, block };
StreamPart stream_part(const ModelConfig& config, const Site& site);
/// Names of additions: "embed", "2 attn", "2 mlp".
std::string part_label(const ModelConfig& config, const Site& site);

/// The token list of the clicked cell.
struct LensList {
  std::vector<LensToken> top;
  float rest = 0;    ///< total probability of all other tokens
  LensToken answer;  ///< the model's final prediction, with its probability in this cell
  std::int64_t vocab = 0;
};
/// Reads the whole vocabulary at one cell: expensive, call from a job.
LensList lens_list(const Trace& trace, const LensRow& row, const LensRow& last, std::int64_t pos, int count);

/// The first `shown` tokens of a list with their probabilities, and the sum of the others.
Table lens_list_table(const OpenedModel& opened, const LensList& list, std::size_t shown, float width,
                      float row);

}  // namespace attnscope
