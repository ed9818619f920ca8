// Shared by the parts of the inspector only: cached state, number formats, flowing text with links, results
// of background jobs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure_box.h"
#include "app/look/kept_text.h"
#include "app/state/controls.h"
#include "app/state/panel.h"
#include "app/state/unedited_run.h"
#include "app/widgets/line_plot.h"
#include "core/base/computed.h"
#include "core/base/words.h"
#include "core/lens/head_stats.h"
#include "core/lens/memory_order.h"
#include "core/lens/weight_facts.h"
#include "core/session/backward_run.h"
#include "core/trace/provenance.h"

namespace attnscope {

/// What the model says at the row that is looked at.
struct AnswerCard {
  FigureBox box;
  UneditedRun unedited;
  Computed<std::optional<figure::Figure>> made;
  std::uint64_t key = 0;
  float width = 0, height = 0;
};

/// State of the inspector between frames, in Workspace::inspector.cache.
struct InspectorCache {
  AnswerCard answer;
  Computed<std::optional<Explanation>> explanation;
  std::vector<std::size_t> order;  ///< of the terms, for `order_key`
  std::string order_key;
  Computed<std::optional<RowStats>> row, rows;
  Computed<Stats> stats;
  Computed<std::optional<Cell>> broken;  ///< the first number that edits broke
  Computed<HeadProducts> products;
  Computed<std::optional<WeightFacts>> weight;  ///< the explained weight as a whole
  Kept<LinePlot> histogram, spectrum;           ///< of it
  bool weight_open = false;
  Computed<std::shared_ptr<const Trace>> without;  ///< the run without the edits of the number explained
  Computed<std::optional<GradientExplanation>> gradient;
  std::string edit_text, edit_key;
  std::string new_edit;                  ///< field for a new edit in the --edit syntax
  std::optional<Text> other_model;       ///< what was entered there last takes numbers of another model ...
  std::weak_ptr<const Edit> from_other;  ///< ... by this edit
  KeptText other_words;
  std::shared_ptr<void> exchanges;  ///< state of the menu of exchanges
  std::string note, kept_note;      ///< content of the field, and the note it was set from
  float dragged = 0;
  float strength = 1;           ///< of the adapter, while its slider is moved
  bool strength_held = false;   ///< it is moved or typed, and not yet meant
  std::shared_ptr<void> watch;  ///< values of the watch list over time, owned by that part
  std::string new_watch, new_stop;
  std::optional<Error> new_edit_error, watch_error, stop_error;  ///< why the typed text was not accepted
  KeptText shape, letters, name, range, head;                    ///< cached texts of the step; of its head
  KeptText undo;                                                 ///< what undo takes back
};
InspectorCache& inspector_cache(Workspace& workspace);

/// Hash of a site, as a cache key.
inline std::uint64_t key_of(const Site& site) {
  return key_of({static_cast<std::uint64_t>(site.stack), static_cast<std::uint64_t>(site.layer),
                 static_cast<std::uint64_t>(site.part), static_cast<std::uint64_t>(site.slot)});
}

/// The likeliest outputs as bars, before the edits as dashed ones; nothing for a run without logits, and
/// while a page of a lesson hides what is said.
void draw_answer(const PanelContext& context);
/// Norm, spread, histogram and singular values of a weight, behind a click.
void draw_weight_facts(const PanelContext& context, const std::string& name);

/// The place that is explained now, or null.
const Place* place_of(const Workspace& workspace);
/// Follows a link to a source: it becomes the explained number, the cursor moves there, the trail grows.
void follow_source(Workspace& workspace, const RunResult& run, const Source& source);
/// Goes back along the trail until `length` places are left.
void go_back(Workspace& workspace, const RunResult& run, std::size_t length);
/// Restarts the trail when another cell (or none) was pinned.
void keep_trail(Workspace& workspace);

/// "0.0634", "−1.25e−7", "−∞": for display, with U+2212 minus.
std::string shown_number(double value);
/// A number of a list, all in one format; `least`: the smallest magnitude of them that is not 0.
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
/// Two columns: a dim name, then a value in the mono font.
void fact_row(std::string_view name, std::string_view value, const Label& help = "");

/// Pieces of text in sequence, wrapped at the right edge; links can be clicked.
class Flow {
 public:
  Flow(float left, float right);
  void text(const std::string& piece, ImU32 colour);
  /// The same, with line breaks between words.
  void words(const std::string& sentence, ImU32 colour);
  bool link(const std::string& id, const std::string& piece, ImU32 colour, const std::string& help = {});
  void space(float units) { x_ += px(units); }
  /// Right-aligned on this line, or on the next one if there is no room.
  void right(const std::string& piece, ImU32 colour);
  /// Right-aligned on this line; omitted if there is no room.
  void aside(const std::string& piece, ImU32 colour);
  void next_line();
  float bottom() const { return y_; }

 private:
  bool room_for(float width);
  float left_, right_, x_, y_, line_;
};

// ---- parts of the panel -------------------------------------------------------------------------
/// Watch list: values and measures with their plots; conditions at which playing stops.
void draw_watch(const PanelContext& context);
/// Notes on steps and cells, and a field for one more.
void draw_notes(const PanelContext& context);
void draw_rule(const PanelContext& context, const Explanation& explanation, const std::string& key);
/// Backward mode: the gradient of the number, and the button that checks it.
void draw_gradient(const PanelContext& context, const Place& place);
void draw_edit(const PanelContext& context, const Place& place, double value);
/// The value in a large font; can be dragged if it is editable.
void draw_number(const PanelContext& context, const Place& place, double value);
/// Values of later steps with and without the edits of this number; if it has none, before and after the last
/// edit, or in A and B.
void draw_after(const PanelContext& context, const Place& place);
/// The list of all edits: switch, order, go to, remove, add.
void draw_edits(const PanelContext& context);
/// Errors: why the model could not run with one more edit.
Status check_new_edit(const PanelContext& context, const std::shared_ptr<const Edit>& edit);
/// The button and menu that replace a part of the model's architecture.
void draw_exchanges(const PanelContext& context);
void draw_head_facts(const PanelContext& context, const Site& site, std::int64_t head, std::int64_t query);
void draw_step_facts(const PanelContext& context, const Site& site);

}  // namespace attnscope
