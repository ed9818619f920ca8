// Circuits: how much of the measure the best parts bring about alone, over the data set, as a curve and as a
// list; the best so many are kept under a name, which the document has and a session carries. Computed in
// core/session/kept_circuit.h, beside the frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/ask_over_data.h"
#include "app/views/view.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/table.h"
#include "core/base/computed.h"
#include "core/session/kept_circuit.h"

namespace attnscope {

class AskCircuit {
 public:
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

 private:
  using Curve = Result<CircuitAnswer>;
  using Shares = std::vector<std::optional<double>>;  ///< of the document's circuits; none: it failed

  struct Asked {  // all that a computation reads
    std::shared_ptr<const DataPrompts> prompts;
    std::shared_ptr<const Document> start;
    CircuitQuestion question;
    std::uint64_t key = 0, subject = 0;
  };
  /// Kept while nothing of it changes. Errors: a measure that a data set cannot be asked.
  const Result<std::shared_ptr<const Asked>>& asked(const ViewContext& context,
                                                    const std::shared_ptr<const DataPrompts>& prompts);
  bool draw_choices(const ViewContext& context, const Asked& asked, float width);
  void draw_curve(const Made<Curve>& made, ImVec2 at, ImVec2 room);
  void draw_parts(const Made<Curve>& made, float width);
  void draw_circuits(const ViewContext& context, const std::shared_ptr<const Asked>& asked, float width);
  void keep(const ViewContext& context, const CircuitAnswer& found, const std::string& measure) const;

  OverData over_;
  Kept<std::optional<Result<std::shared_ptr<const Asked>>>> asked_;
  Kept<LinePlot> plot_;
  Kept<Table> table_;
  Computed<Curve> made_;
  Computed<Shares> shares_;
  std::size_t chosen_ = 3;  ///< parts that are kept
  std::uint64_t allowed_ = 0;
};

}  // namespace attnscope
