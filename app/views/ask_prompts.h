// The prompts behind a mean: the runs of one place over a data set, strongest effect first, each with its
// bar. A click opens that very run. And which prompts are asked: this one, or all.
#pragma once

#include <optional>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/ask_over_data.h"
#include "app/views/view.h"
#include "app/widgets/table.h"
#include "core/session/data_set.h"

namespace attnscope {

/// "answer − wrong answer", or the measure in words where its tokens are typed; what is measured of every
/// prompt.
std::string data_measure_words(const Asking& asking, const OpenedModel& opened);
/// The same as a question.
std::string data_measure_question(const Asking& asking, const OpenedModel& opened);
/// The same two of a measure as it is typed; empty where it names its tokens.
std::string_view own_measure_words(const std::string& measure);
std::string_view own_measure_question(const std::string& measure);
/// "34 of 200 prompts", or "200 prompts".
const std::string& prompts_words(const SweepAnswer& answer);
/// What is found over the prompts that were run, as one sentence; empty before the first.
std::string data_result(const ViewContext& context, const SweepAnswer& answer, const std::string& measure);

class AskPrompts {
 public:
  /// Which prompts are asked, as chips; without a data set one that opens the examples of the model's task.
  void draw_choice(const ViewContext& context, class ChipRow& line);
  /// The prompts of a cell, in the rectangle at `at`.
  void draw(const ViewContext& context, const std::shared_ptr<const SweepAnswer>& answer, std::size_t cell,
            ImVec2 at, ImVec2 room);
  /// Puts the prompt that was clicked into the document, once it is there.
  static void follow(const ViewContext& context);

 private:
  struct Line {
    std::size_t row = 0, prompt = 0;  ///< of DataCells::rows(); of DataPrompts::lines
    double effect = 0;
  };
  void sort(const SweepAnswer& answer, const DataPrompts& prompts, std::size_t cell);

  std::vector<Line> lines_;  ///< of the table, strongest first
  std::size_t all_ = 0;      ///< before the weakest were left out
  std::uint64_t sorted_ = 0;
  Kept<Table> table_;
  KeptText title_;
  OverData over_;
};

}  // namespace attnscope
