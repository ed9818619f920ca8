// What the parts of the inspector share: its memory, number formats, text that flows and can be clicked,
// results that may take a while. Refuses to be seen by anything but the inspector.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/state/controls.h"
#include "app/state/panel.h"
#include "core/base/computed.h"
#include "core/base/words.h"
#include "core/lens/head_stats.h"
#include "core/lens/memory_order.h"
#include "core/session/backward_run.h"
#include "core/trace/provenance.h"

namespace attnscope {

/// The inspector's memory between frames, in Workspace::inspector.cache.
struct InspectorCache {
  Computed<std::optional<Explanation>> explanation;
  std::vector<std::size_t> order;  ///< of the terms, for `order_key`
  std::string order_key;
  Computed<std::optional<RowStats>> row, rows;
  Computed<Stats> stats;
  Computed<std::optional<Cell>> broken;  ///< the first number that edits broke
  Computed<HeadProducts> products;
  Computed<std::shared_ptr<const Trace>> without;  ///< the run without the edits of the number explained
  Computed<std::optional<GradientExplanation>> gradient;
  std::string edit_text, edit_key;
  std::string new_edit;             ///< the field that takes what --edit takes
  std::shared_ptr<void> exchanges;  ///< made by the menu of parts
  std::string note, kept_note;      ///< the field, and the note that was put into it
  float dragged = 0;
  std::shared_ptr<void> watch;  ///< courses of what is watched, made by that list
  std::string new_watch, new_stop;
  std::optional<Error> new_edit_error, watch_error, stop_error;  ///< why they were not taken
  KeptText shape, letters, name, range, head;                    ///< of the step; the title of its head
};
InspectorCache& inspector_cache(Workspace& workspace);

/// A sum of a step's name.
inline std::uint64_t key_of(const Site& site) {
  return key_of({static_cast<std::uint64_t>(site.stack), static_cast<std::uint64_t>(site.layer),
                 static_cast<std::uint64_t>(site.part), static_cast<std::uint64_t>(site.slot)});
}

/// The number explained now, or null.
const Place* place_of(const Workspace& workspace);
/// Goes on to a source: it becomes the number explained, the cursor follows, the trail remembers.
void follow_source(Workspace& workspace, const RunResult& run, const Source& source);
/// Back along the trail until `length` places are left.
void go_back(Workspace& workspace, const RunResult& run, std::size_t length);
/// The trail begins anew when somebody pinned another cell (or none).
void keep_trail(Workspace& workspace);

/// "0.0634", "−1.25e−7", "−∞": for the eye, with a real minus sign.
std::string shown_number(double value);
/// A number of a list in the one form that all of them have: `least` is the smallest of them that is not 0.
std::string shown_in_list(double value, double least);
/// "₂" for 2.
std::string subscript(std::int64_t number);
/// The letter of a source in formulas: q, k, v, A, W ...
std::string symbol_of(const Source& source);
ImU32 colour_of(const Source& source);
/// "blocks.0.attn.scores" and "[head=0, query=2 “it”, key=1 “cat”]".
std::string coordinates_text(const RunResult& run, int sequence, const Cell& cell);
std::string weight_coordinates(const RunResult& run, const Place& place);

void section_title(const char* text);
/// Two columns: dim words, then a number in the mono face.
void fact_row(std::string_view name, std::string_view value, const Label& help = "");

/// Pieces of text one after another, wrapped at the right edge; links can be clicked.
class Flow {
 public:
  Flow(float left, float right);
  void text(const std::string& piece, ImU32 colour);
  /// The same, broken between words.
  void words(const std::string& sentence, ImU32 colour);
  bool link(const std::string& id, const std::string& piece, ImU32 colour, const std::string& help = {});
  void space(float units) { x_ += px(units); }
  /// At the right end of the line, or of the next one where this one has no room.
  void right(const std::string& piece, ImU32 colour);
  /// At the right end of the line, where there is room: for words that can be done without.
  void aside(const std::string& piece, ImU32 colour);
  void next_line();
  float bottom() const { return y_; }

 private:
  bool room_for(float width);
  float left_, right_, x_, y_, line_;
};

// ---- parts of the panel -------------------------------------------------------------------------
/// Numbers and measures that are followed, with their course; rules at which playing stops.
void draw_watch(const PanelContext& context);
/// What somebody wrote to steps and cells, and a field for one more.
void draw_notes(const PanelContext& context);
void draw_rule(const PanelContext& context, const Explanation& explanation, const std::string& key);
/// In the backward mode: the number's gradient, and the button that checks it.
void draw_gradient(const PanelContext& context, const Place& place);
void draw_edit(const PanelContext& context, const Place& place, double value);
/// The big number itself, which can be dragged where it can be edited.
void draw_number(const PanelContext& context, const Place& place, double value);
/// What later steps hold with and without the edits of this number; where it has none, what the last change,
/// or A, made of them.
void draw_after(const PanelContext& context, const Place& place);
/// The list of all edits: on and off, order, gone to, taken out, typed in.
void draw_edits(const PanelContext& context);
/// Whether the model could run with one more edit; errors say why not.
Status check_new_edit(const PanelContext& context, const std::shared_ptr<const Edit>& edit);
/// The button and the menu that exchange a part of the model.
void draw_exchanges(const PanelContext& context);
void draw_head_facts(const PanelContext& context, const Site& site, std::int64_t head, std::int64_t query);
void draw_step_facts(const PanelContext& context, const Site& site);

}  // namespace attnscope
