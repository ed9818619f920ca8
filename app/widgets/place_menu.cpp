// Texts are in assets/strings/*/edit_menu.json.
#include "app/widgets/place_menu.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/clipboard.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/writers.h"
#include "core/lens/strength.h"

namespace attnscope {
namespace {

constexpr float kPlaceMenuWidth = 372.f;  // units, as the edit menu

std::string address_of(const RunResult& run, const Place& place) {
  return place.is_weight() ? weight_cell_text(run, place.weight, place.index) : to_text(place.cell);
}

/// The value of a place that is one number; empty for a place of many.
std::optional<float> number_of(const Trace& trace, const Place& place) {
  if (place.is_weight()) {
    const Tensor* weight = trace.weights().find(place.weight);
    if (!weight || static_cast<int>(place.index.size()) != weight->rank()) return std::nullopt;
    return weight->at(place.index);
  }
  const auto index = cell_index(trace, place.cell);
  return index.empty() ? std::nullopt : std::optional(trace.cell(place.cell.site, index));
}

// Saves the whole step or weight as a NumPy array.
void ask_to_save(const RunResult& run, int sequence, const Place& place, Commands& commands) {
  const auto trace = run.shared(sequence);
  const bool edited = !edits_for(run.document.edits, sequence).empty();
  const std::string name =
      (place.is_weight() ? place.weight : to_text(place.cell.site)) + (edited ? ".edited" : "");
  commands.ask_file({true, "edit_menu.save.title", name + ".npy",
                     [trace, place](Session& session, const std::string& path) {
                       const auto values = place.is_weight()
                                               ? Result<Tensor>(trace->weights().get(place.weight))
                                               : trace->tensor(place.cell.site);
                       const Status saved = values ? write_npy(path, *values) : Status(values.error());
                       if (!saved) session.report(saved.error());
                     }});
}

/// Buttons side by side, wrapped.
class MenuRow {
 public:
  bool button(const char* key, bool enabled = true) {
    const std::string label = std::string(tr(key)) + "###" + key;
    const float wide = chip_width(label);
    if (used_ > 0 && used_ + wide + scaled(6) <= scaled(kPlaceMenuWidth))
      ImGui::SameLine();
    else
      used_ = 0;
    used_ += wide + scaled(6);
    bool clicked = false;
    {
      const DisabledScope disabled(!enabled);
      clicked = chip(label, false);
    }
    note_item(key);
    compat::item_tooltip(tr(Label(key, ".help")), true);
    if (clicked) ImGui::CloseCurrentPopup();
    return clicked;
  }

 private:
  float used_ = 0;
};

}  // namespace

void draw_place_menu(const RunResult& run, int sequence, const Place& place, Workspace& workspace,
                     Commands& commands) {
  const Trace& trace = run.trace(sequence);
  const auto number = number_of(trace, place);
  const std::string address = address_of(run, place);
  const bool step = !place.is_weight() && trace.find(place.cell.site) != nullptr;
  MenuRow row;
  if (row.button("edit_menu.copy_number", number.has_value()))
    copy_text(format("%.9g", static_cast<double>(number.value_or(0))));
  if (row.button("edit_menu.copy_address")) copy_text(address);
  if (row.button("edit_menu.go", step)) {
    workspace.playing = false;
    go_to_site(workspace, run, place.cell.site);
  }
  if (row.button("edit_menu.why", step && number)) pin_cell(workspace, run, place.cell);
  const bool watched =
      std::find(workspace.watched.begin(), workspace.watched.end(), address) != workspace.watched.end();
  if (row.button("edit_menu.watch", step && number && !watched)) workspace.watched.push_back(address);
  const auto acts = place.is_weight() ? std::nullopt : acting_part(place.cell);
  if (acts && row.button("edit_menu.texts", run.document.model != nullptr)) {
    workspace.asking.settings.strongest = to_text(*acts);
    workspace.asking.settings.page = AskPage::texts;
    workspace.view = "ask";
  }
  if (row.button("edit_menu.save")) ask_to_save(run, sequence, place, commands);
  if (row.button("edit_menu.figure")) commands.ask_figure(FigureFormat::svg);
  if (row.button("edit_menu.figure_text")) commands.ask_figure(FigureFormat::text);
}

}  // namespace attnscope
