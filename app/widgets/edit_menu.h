// "Edit this place": the context menu of every number, row, head and step. It lists the targets that the
// clicked place belongs to (cell, row, head, step), and for each the possible edits. What cannot be edited is
// shown with the same reason as on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/widgets/commands.h"
#include "app/widgets/matrix_plot.h"
#include "core/session/edit_places.h"

namespace attnscope {

/// Call after drawing a place, with the place under the mouse pointer: a right click opens the menu there.
void offer_edit(Workspace& workspace, Place place);
/// Returns and clears the place passed to offer_edit() last: the one under the mouse pointer.
std::optional<Place> take_offered();

/// An outline in the colour of edits.
MatrixMark edit_mark(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols);
/// A small sign at the upper right corner of an edited place.
void draw_edit_sign(const Canvas& canvas, ImVec2 right_top);

class EditMenu {
 public:
  /// Opens the menu where it was requested, and draws it while it is open.
  void draw(const Session& session, const RunResult* run, Workspace& workspace, Commands& commands);

 private:
  struct Ask {
    const Session& session;
    const RunResult& run;
    Commands& commands;
    int sequence = 0;
    Target where;  ///< the chosen target
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

  Place place_;  ///< the place that was right-clicked
  std::vector<Target> places_;
  std::size_t chosen_ = 0;
  std::string number_, direction_;
  std::optional<Error> refused_;  ///< why the last named replacement failed
  int output_ = -1;               ///< the token read off at this place, for the measure; -1: none
  std::int64_t position_ = 0;
};

}  // namespace attnscope
