// One attention score as a table of (source of the query) x (source of the key), by parts, heads, or heads
// and the tokens that they read; or as a sum over the directions of the head's QK. Either adds up to the
// score. The largest addends of the table stand below it in words. Computed in core/lens.
#pragma once

#include <string>

#include "app/look/kept_text.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/table.h"
#include "core/base/computed.h"
#include "core/lens/attribution.h"

namespace attnscope {

class AskScore {
 public:
  /// The score of one cell of a pattern, drawn into the rectangle at `at`.
  void draw(const ViewContext& context, const Site& pattern, std::int64_t head, std::int64_t query,
            std::int64_t key, ImVec2 at, ImVec2 room);

 private:
  void draw_choice();
  void draw_loadings(const ViewContext& context, const AskedScore& of, ImVec2 room);
  static Table loadings_table(const ScoreLoadings& found);
  void draw_split(const ViewContext& context, int sequence, const ScoreSplit& split, std::uint64_t serial,
                  ImVec2 room);
  static MatrixPlot plot_of(const RunResult& run, int sequence, const ScoreSplit& split);
  static Table pairs_of(const ScoreSplit& split, const MatrixPlot& plot, std::size_t most);

  ScoreBy by_ = ScoreBy::part;
  bool directions_ = false;  ///< by the directions of QK, not by who wrote query and key
  Kept<MatrixPlot> plot_;
  Kept<Table> pairs_;
  Kept<Table> directions_table_;
  Computed<Result<ScoreSplit>> split_;
  Computed<Result<ScoreLoadings>> loadings_;
};

/// Name of the source of a part of the residual stream: "embedding", "attention 0", "MLP 1", "ln1.bias",
/// "head 0.2", "0.2 ← cat 2" of a token.
std::string source_words(const RunResult& run, int sequence, const std::string& name);

}  // namespace attnscope
