// The cells of a logit-lens grid, filled in the background: what is on screen first, the rest after. Refuses
// to block: what is not computed yet has no token.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/widgets/matrix_plot.h"
#include "core/base/computed.h"
#include "core/lens/alignment.h"
#include "core/lens/logit_lens.h"
#include "core/session/session.h"

namespace attnscope {

/// What colours the grid.
enum class LensColour : std::uint8_t { probability, asked, rank, entropy, kl };

/// The number of a cell that a colour stands for; ranks count from 1.
float lens_value(const LensCell& cell, LensColour colour);
/// The colours of a grid [row, pos]; `difference`: of two runs.
HeatStyle lens_style(const Tensor& values, LensColour colour, bool difference);

class LensGrid {
 public:
  /// Starts computing when the run or the sequence is another one; takes what is ready. Once per frame.
  /// `model`: Session::opened_version(); of another model nothing is left on screen. `asked`: a token that is
  /// looked for in every cell; -1: none.
  void follow(std::uint64_t model, const RunResult& run, int sequence, Workers& workers, int asked = -1);
  /// Nobody looks: the work stops until it is followed again.
  void leave() { filled_.cancel(); }
  /// The positions on screen: their cells come first.
  void want(Range positions);

  const std::vector<LensRow>& rows() const { return rows_; }  ///< first rows first
  std::int64_t positions() const { return positions_; }
  /// Token -1 where it is not computed yet.
  const LensCell& cell(std::int64_t row, std::int64_t pos) const {
    return cells_[static_cast<std::size_t>(row * positions_ + pos)];
  }
  int asked() const { return asked_; }
  bool complete() const { return complete_; }
  /// No cell of this run is there yet: those of the run before stand for them.
  bool older() const { return older_; }
  /// Changes with every cell that arrived: the version of textures.
  std::uint64_t version() const { return version_; }
  /// One number per cell -> [rows, pos], the output on top; masked where not computed yet.
  Tensor values(LensColour colour) const;

 private:
  struct Filled {  // what is known so far
    std::vector<LensCell> cells;
    std::uint64_t arrived = 0;  // blocks of cells
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

/// New minus old [rows, pos], positions matched by `partners`; those without a counterpart are masked.
Tensor lens_difference(const Tensor& now, const Tensor& before, const Alignment& partners);

/// Columns of padding marked as masked: nobody asks what is said there.
Tensor without_padding(const Trace& trace, Tensor values);
/// Of probabilities 0 .. 1; where nearly all are small the colours end at theirs, rounded up.
ValueRange probability_range(const Tensor& values);

/// "embed", "0 attn", "0 cross", "0 mlp", ... "out", in the current language; "0 block" where attention and
/// MLP are added at once.
std::string lens_label(const ModelConfig& config, const LensRow& row);
/// What a part does, by its site on the stream or the site of what it adds.
enum class StreamPart : std::uint8_t { embed, attention, cross, mlp, block };
StreamPart stream_part(const ModelConfig& config, const Site& site);
/// Bare part names for what is added: "embed", "2 attn", "2 mlp".
std::string part_label(const ModelConfig& config, const Site& site);

/// The list of the cell that was clicked.
struct LensList {
  std::vector<LensToken> top;
  float rest = 0;    ///< probability of all the others
  LensToken answer;  ///< what the model says in the end, as it stands here
  std::int64_t vocab = 0;
};
/// Reads the whole vocabulary at one cell: work for a job.
LensList lens_list(const Trace& trace, const LensRow& row, const LensRow& last, std::int64_t pos, int count);

}  // namespace attnscope
