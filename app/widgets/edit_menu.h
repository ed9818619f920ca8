// "Edit this place": the one menu behind the right button, wherever a number, a row, a head or a step is
// drawn. It offers the places that the thing under the pointer belongs to, and for each what an edit can do.
// What cannot be edited is shown with the reason that the command line gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/widgets/commands.h"
#include "app/widgets/matrix_plot.h"
#include "core/session/edit_places.h"

namespace attnscope {

/// Called by whoever draws a place, with what is under the pointer: a right click asks for the menu there.
void offer_edit(Workspace& workspace, Place place);
/// What was offered last since this was asked: what the pointer is on.
std::optional<Place> take_offered();

/// An outline in the colour of edits.
MatrixMark edit_mark(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols);
/// The small sign of an edited place at its right upper corner.
void draw_edit_sign(const Canvas& canvas, ImVec2 right_top);

class EditMenu {
 public:
  /// Opens where somebody asked for it, and draws the menu while it is open.
  void draw(const Session& session, const RunResult* run, Workspace& workspace, Commands& commands);

 private:
  struct Ask {
    const Session& session;
    const RunResult& run;
    Commands& commands;
    int sequence = 0;
    Target where;  ///< the place that is chosen
    int edits_sequence() const { return where.kind == Target::Kind::input ? sequence : -1; }
    const Trace& trace() const { return run.trace(sequence); }
  };
  void open(const RunResult& run, int sequence, const Place& place);
  void draw_places(const RunResult& run, int sequence);
  static void draw_notes(const Ask& ask);
  void draw_actions(const Ask& ask);
  void draw_scale(const Ask& ask);
  void draw_number(const Ask& ask);
  void draw_freeze(const Ask& ask);
  void draw_named(const Ask& ask);
  void put_named(const Ask& ask, EditOp op, const std::string& name, const char* sentence,
                 const std::string& argument);
  void put(const Ask& ask, EditOp op, EditValue value, const char* sentence, const std::string& argument,
           const std::string& gesture = {}) const;

  Place place_;  ///< that was asked about
  std::vector<Target> places_;
  std::size_t chosen_ = 0;
  std::string number_, direction_;
  std::optional<Error> refused_;  ///< of what was named last
  int output_ = -1;               ///< the token that is read at the place, to be measured; -1: none
  std::int64_t position_ = 0;
};

}  // namespace attnscope
