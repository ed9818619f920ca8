// The measure in the window: its words, the field that it is typed into, and the menu behind the right button
// on a token. One place, so that toolbar and Ask view speak alike. Refuses to measure: core/session does.
#pragma once

#include <string>

#include "app/widgets/commands.h"

namespace attnscope {

/// "cat − mat", "logit of cat", "P(cat)", "KL".
std::string measure_words(const OpenedModel& opened, const LogitMeasure& measure);
/// The same as a question: "what makes it say “cat” and not “mat”?"
std::string measure_question(const OpenedModel& opened, const LogitMeasure& measure);
/// Three digits after the point, with its sign.
std::string signed_number(double value, int digits = 3);

/// Called by whoever draws an output, behind its item: a right click asks for the menu there.
void offer_measure(Workspace& workspace, int output);

/// Types, shows what is wrong with what was typed, offers the kinds.
class MeasureField {
 public:
  /// The field alone; Enter takes it. `id` is unique in its window.
  void draw_field(const char* id, Workspace& workspace, const RunResult& run, float width);
  /// Chips: difference, logit, probability, KL, most likely; and the position that is asked.
  void draw_kinds(Workspace& workspace, const RunResult& run);
  /// What is wrong: with what was typed, or why another measure stands here. True where there is something.
  bool draw_error(const Workspace& workspace, const RunResult& run) const;

 private:
  std::string typed_;
  std::optional<Error> error_;
  std::string shown_;  ///< the measure that `typed_` was taken from
  bool typing_ = false;
  std::uint64_t opened_ = 0;  ///< RunResult::opened_version that `error_` is about
};

/// The items of a menu: "Measure this token", "against this token".
void measure_items(Workspace& workspace, const RunResult& run, int output);

/// A menu of them, where offer_measure asked for it.
class MeasureMenu {
 public:
  void draw(const RunResult* run, Workspace& workspace);

 private:
  int output_ = -1;
};

}  // namespace attnscope
