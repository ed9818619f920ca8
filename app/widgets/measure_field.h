// The measure (logit, logit difference, probability, KL) in the window: its name, its text field, and the
// context menu of a token. Shared by the toolbar and the Ask view. core/session computes it.
#pragma once

#include <string>
#include <string_view>

#include "app/widgets/commands.h"

namespace attnscope {

/// "cat − mat", "logit of cat", "P(cat)", "KL".
std::string measure_words(const OpenedModel& opened, const LogitMeasure& measure);
/// The same as a question, "what makes it say “cat” and not “mat”?"
std::string measure_question(const OpenedModel& opened, const LogitMeasure& measure);
/// With `digits` decimals and its sign.
std::string signed_number(double value, int digits = 3);

/// Call after drawing an output as an item: a right click opens the menu of measures there.
void offer_measure(Workspace& workspace, int output);

/// The text field of the measure, its error, and chips for the kinds.
class MeasureField {
 public:
  /// The field alone; Enter sets the measure. `id` is unique in its window. `of_prompts`: what is asked of
  /// every prompt of a data set, each with its own answers; empty: the measure of the run.
  void draw_field(const char* id, Workspace& workspace, const RunResult& run, float width,
                  std::string_view of_prompts = {});
  /// Chips: difference, logit, probability, KL, most likely; and the position that is measured.
  void draw_kinds(Workspace& workspace, const RunResult& run);
  /// Draws the parse error, or why the measure was replaced by another (not of a field that is asked of every
  /// prompt). True if there is one.
  bool draw_error(const Workspace& workspace, const RunResult& run) const;

 private:
  std::string typed_;
  std::optional<Error> error_;
  std::string shown_;                      ///< the measure shown in `typed_`
  bool typing_ = false, prompts_ = false;  ///< prompts_: drawn with `of_prompts`
  std::uint64_t opened_ = 0;               ///< RunResult::opened_version that `error_` belongs to
};

/// Menu items: "Measure this token", "against this token".
void measure_items(Workspace& workspace, const RunResult& run, int output);

/// The popup with these items, opened after offer_measure().
class MeasureMenu {
 public:
  void draw(const RunResult* run, Workspace& workspace);

 private:
  int output_ = -1;
};

}  // namespace attnscope
