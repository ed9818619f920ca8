// Texts are in assets/strings/*/edit_menu.json.
#include "app/widgets/edit_menu.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/edit_words.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/place_menu.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/edit_values.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

constexpr const char* kPopup = "###edit_menu";
constexpr float kEditMenuWidth = 372.f, kEditMenuLabel = 76.f, kField = 104.f;  // units
constexpr float kMostScale = 2.f;

// The axes of the step or weight that a target belongs to; empty for an input.
std::vector<Axis> axes_of(const Trace& trace, const Target& where) {
  if (const Record* record = where.kind == Target::Kind::step ? trace.find(where.site) : nullptr)
    return record->axes;
  std::vector<Axis> out;
  const Tensor* values = where.kind == Target::Kind::weight  ? trace.weights().find(where.weight)
                         : where.kind == Target::Kind::input ? &trace.input.vectors
                                                             : nullptr;
  for (int d = 0; values && d < values->rank(); ++d) out.push_back(values->axis(d));
  return out;
}

// The token of a row or key; empty where rows are vectors.
std::string token_of(const RunResult& run, int sequence, const Target& where, const std::string& axis,
                     std::int64_t at) {
  const Trace& trace = run.trace(sequence);
  const Axis named = axis == "key" ? Axis::key : axis == "query" ? Axis::query : Axis::pos;
  const Stack stack = where.kind == Target::Kind::step ? rows_stack(where.site, named) : trace.config().stack;
  const bool vectors = stack == trace.config().stack && !trace.input.vectors.empty();
  return vectors ? std::string() : row_name(run, sequence, stack, stack_row(trace.config(), where.site, at));
}

std::string axis_words(const RunResult& run, int sequence, const Target& where, const AxisRange& range) {
  const std::string index = std::to_string(range.begin), key = "edit_menu.axis." + range.axis;
  if (range.axis == axis_name(Axis::vocab) && run.document.opened)
    return tr(key, {index, output_name(*run.document.opened, static_cast<int>(range.begin))});
  if (!is_row_axis(range.axis) && range.axis != "key")
    return tr(has_string(key) ? key : "edit_menu.axis.other", {index});
  const std::string token = token_of(run, sequence, where, range.axis, range.begin);
  return token.empty() ? tr(Label(key, ".bare"), {index}) : tr(key, {index, token});
}

// "Head 1 · Position 3 “cat”"; `first`: the smallest target in the same list.
std::string place_words(const RunResult& run, int sequence, const Target& where, const Target& first) {
  const std::vector<Axis> axes = axes_of(run.trace(sequence), where);
  if (where.at.empty())
    return tr(where.kind == Target::Kind::weight  ? "edit_menu.whole_weight"
              : where.kind == Target::Kind::input ? "edit_menu.whole_input"
                                                  : "edit_menu.whole");
  if (where.at.size() == axes.size()) return tr("edit_menu.cell");
  if (where.site.is(StepRole::head_out) && !first.site.is(StepRole::head_out))
    return tr("edit_menu.head_z", {std::to_string(where.at.front().begin)});
  std::vector<std::string> names;
  for (const AxisRange& range : where.at) names.push_back(axis_words(run, sequence, where, range));
  const bool headed =
      std::find(axes.begin(), axes.end(), Axis::head) != axes.end() && range_on(where, Axis::head) == nullptr;
  return headed ? tr("edit_menu.every_head", {join(names, " · ")}) : join(names, " · ");
}

std::string brackets_of(const Target& where) {
  const std::string text = to_text(where);
  const std::size_t open = text.find('[');
  return open == std::string::npos ? std::string() : text.substr(open);
}

float scale_in(const Document& document, const Target& where) {
  for (const auto& edit : document.edits) {
    const NumberEdit* number = edit->number();
    const auto* value = number ? std::get_if<float>(&number->value) : nullptr;
    if (value && number->op == EditOp::scale && number->where == where) return *value;
  }
  return 1.f;
}

std::int64_t rows_of(const Trace& trace, const Target& where) {
  if (where.kind == Target::Kind::input) return trace.input.vectors.size(0);
  const Record* record = trace.find(where.site);
  for (std::size_t d = 0; record && d < record->axes.size(); ++d)
    if (is_row_axis(record->axes[d])) return record->shape[d];
  return 0;
}

bool action(const char* key, bool enabled = true) {
  bool clicked = false;
  {
    const DisabledScope disabled(!enabled);
    clicked = chip(Label(tr(key), "###", key), false);
  }
  compat::item_tooltip(tr(Label(key, ".help")), true);
  return clicked;
}

std::optional<Place>& offered() {
  static std::optional<Place> place;
  return place;
}

void label(const char* key) {
  ImGui::AlignTextToFramePadding();
  const ColourScope ink(ImGuiCol_Text, theme().text_dim);
  ImGui::TextUnformatted(tr(key));
  ImGui::SameLine(scaled(kEditMenuLabel));
}

}  // namespace

void offer_edit(Workspace& workspace, Place place) {
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) workspace.edit_at = place;
  offered() = std::move(place);
}

std::optional<Place> take_offered() { return std::exchange(offered(), std::nullopt); }

MatrixMark edit_mark(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
  return {row, col, theme().warning, rows, cols, 1.5f};
}

void draw_edit_sign(const Canvas& canvas, ImVec2 right_top) {
  const float side = scaled(8);
  canvas.fill_triangle(ImVec2(right_top.x - side, right_top.y), right_top,
                       ImVec2(right_top.x, right_top.y + side), theme().warning);
}

void EditMenu::open(const RunResult& run, int sequence, const Place& place) {
  const Trace& trace = run.trace(sequence);
  place_ = place;
  places_ = place.is_weight() ? places_of(trace, place.weight, place.index) : places_of(trace, place.cell);
  chosen_ = 0;
  number_.clear();
  refused_.reset();
  position_ = 0;
}

void EditMenu::put(const Ask& ask, EditOp op, EditValue value, const char* sentence,
                   const std::string& argument, const std::string& gesture) const {
  const auto edit = make_edit(NumberEdit{ask.where, op, std::move(value)}, ask.edits_sequence());
  ask.commands.edit(Text::of(sentence, {target_words(ask.where), argument}), gesture,
                    [edit](Document& document) -> Status {
                      put_or_take_back(document, edit);
                      return Done{};
                    });
  if (gesture.empty()) ImGui::CloseCurrentPopup();
}

void EditMenu::draw_places(const RunResult& run, int sequence) {
  const Target& first = places_.front();
  text_line(fonts().body_bold, theme().text, tr("edit_menu.title"));
  Target whole = first;
  whole.at.clear();
  text_line(fonts().mono_small, theme().text_dim, to_text(whole));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Target& place = places_[i];
    const bool own = place.kind == first.kind && place.site == first.site && place.weight == first.weight;
    const std::string right = own ? brackets_of(place) : to_text(place),
                      id = "###edit_place_" + std::to_string(i);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable(id.c_str(), i == chosen_, ImGuiSelectableFlags_DontClosePopups,
                          ImVec2(scaled(kEditMenuWidth), ImGui::GetTextLineHeight() + scaled(3))))
      chosen_ = i;
    note_item("edit_place:" + to_text(place));
    const float wide = text_size(fonts().mono_small, right).x;
    const std::string name = place_words(run, sequence, place, first);
    note_text(name);
    const Canvas canvas;
    draw_text(canvas, fonts().body, ImVec2(at.x + scaled(6), at.y + scaled(1)), theme().text,
              middle_truncated(fonts().body, name, scaled(kEditMenuWidth) - wide - scaled(22)));
    draw_text(canvas, fonts().mono_small,
              ImVec2(at.x + scaled(kEditMenuWidth) - wide - scaled(6), at.y + scaled(3)), theme().text_dim,
              right);
  }
}

// Always one line, so that the layout stays the same while a slider is dragged.
void EditMenu::draw_notes(const Ask& ask) {
  const auto edits = edits_of(ask.session.document().edits, ask.sequence, ask.where);
  const std::string text = edits.empty()
                               ? std::string(tr("edit_menu.none"))
                               : tr("edit_menu.edited", {edit_words(*make_edit(*edits.back())).str()});
  text_line(fonts().small, edits.empty() ? theme().text_dim : theme().warning,
            middle_truncated(fonts().small, text, scaled(kEditMenuWidth)));
  if (ask.run.traces.size() > 1)
    caption(ask.where.kind == Target::Kind::input
                ? tr("edit_menu.one_sequence", {std::to_string(ask.sequence + 1)})
                : std::string(tr("edit_menu.every_sequence")));
}

void EditMenu::draw_scale(const Ask& ask) {
  float value = scale_in(ask.session.document(), ask.where);
  const SliderEvent event =
      slider_real("###edit_scale", tr("edit_menu.scale"), value, 0.f, kMostScale, "× %.2f",
                  scaled(kEditMenuWidth), ImGui::IsMouseDown(0) ? nullptr : tr("edit_menu.scale.help"));
  if (event.changed) {
    value = std::round(value * 100) / 100;
    put(ask, EditOp::scale, value, "edit_menu.did.scale", number_text(value, 2),
        "edit_menu.scale " + to_text(ask.where));
  }
  if (event.released) ask.commands.end_gesture();
}

void EditMenu::draw_number(const Ask& ask) {
  label("edit_menu.number");
  bool entered = false;
  {
    const FontScope mono(fonts().mono);
    ImGui::SetNextItemWidth(scaled(kField));
    entered = ImGui::InputText("###edit_number", &number_, ImGuiInputTextFlags_EnterReturnsTrue);
  }
  note_item("edit_number");
  const auto value = parse_number(number_);
  ImGui::SameLine();
  const bool set = action("edit_menu.set", value.has_value());
  ImGui::SameLine();
  const bool add = action("edit_menu.add", value.has_value());
  if (!number_.empty() && !value) {
    ImGui::SameLine();
    text_line(fonts().small, theme().error, tr("edit_menu.no_number"));
  }
  if (!value) return;
  if (set || entered) put(ask, EditOp::set, *value, "edit_menu.did.set", number_text(*value, 4));
  if (add) put(ask, EditOp::add, *value, "edit_menu.did.add", number_text(*value, 4));
}

void EditMenu::draw_freeze(const Ask& ask) {
  const Status can = check_edit(ask.trace(), NumberEdit{ask.where, EditOp::set, FromPos{0}});
  if (!can) return caption(can.error().text());
  const std::int64_t last = rows_of(ask.trace(), ask.where) - 1;
  position_ = std::clamp<std::int64_t>(position_, 0, last);
  const std::string token = token_of(ask.run, ask.sequence, ask.where, "pos", position_);
  const float button = chip_width(tr("edit_menu.freeze"));
  (void)slider_int(
      "###edit_position",
      token.empty() ? std::string(tr("edit_menu.position.bare")) : tr("edit_menu.position", {token}),
      position_, 0, last, scaled(kEditMenuWidth) - button - ImGui::GetStyle().ItemSpacing.x);
  ImGui::SameLine();
  if (action("edit_menu.freeze"))
    put(ask, EditOp::set, FromPos{position_}, "edit_menu.did.freeze", std::to_string(position_));
}

namespace {

// A replacement by name: the values of the pinned run, or a direction.
Result<NumberEdit> named_edit(const Session& session, const RunResult& run, int sequence, const Target& where,
                              EditOp op, const std::string& name) {
  const EditNumbers find =
      named_numbers(*run.document.opened, runs_on_screen(session.result(), session.pinned(), sequence));
  TRY(Tensor values, find(name, where));
  NumberEdit out{where, op, Frozen{std::move(values), name}};
  TRY_OK(check_edit(run.trace(sequence), out));
  return out;
}

// Opens the file browser to choose a direction.
void ask_direction(Commands& commands, const Target& where, int sequence, int edits_sequence) {
  commands.ask_file(
      {false, "edit_menu.direction.file.title", {}, [=](Session& session, const std::string& path) {
         const auto run = session.result();
         if (!run || run->traces.empty()) return;
         const auto made =
             named_edit(session, *run, run->nearest(sequence), where, EditOp::add, "dir:@" + path);
         if (!made) return session.report(made.error());
         (void)session.edit(Text::of("edit_menu.did.direction", {target_words(where), path}), {},
                            [edit = make_edit(*made, edits_sequence)](Document& document) -> Status {
                              put_or_take_back(document, edit);
                              return Done{};
                            });
       }});
}

}  // namespace

void EditMenu::put_named(const Ask& ask, EditOp op, const std::string& name, const char* sentence,
                         const std::string& argument) {
  refused_.reset();
  auto made = named_edit(ask.session, ask.run, ask.sequence, ask.where, op, name);
  if (!made)
    refused_ = made.error();
  else
    put(ask, op, std::move(made->value), sentence, argument);
}

void EditMenu::draw_named(const Ask& ask) {
  label("edit_menu.direction");
  bool entered = false;
  {
    const FontScope mono(fonts().mono);
    ImGui::SetNextItemWidth(scaled(kField) * 1.3f);
    entered = ImGui::InputTextWithHint("###edit_direction", tr("edit_menu.direction.hint"), &direction_,
                                       ImGuiInputTextFlags_EnterReturnsTrue);
  }
  note_item("edit_direction");
  ImGui::SameLine();
  const bool add = action("edit_menu.direction.add", !direction_.empty());
  ImGui::SameLine();
  const bool from_a = action("edit_menu.from_a", ask.session.pinned() != nullptr);
  if ((add || entered) && !direction_.empty())
    put_named(ask, EditOp::add, "dir:" + direction_, "edit_menu.did.direction", direction_);
  if (from_a) put_named(ask, EditOp::set, "run:A", "edit_menu.did.from_a", "");
  ImGui::SetCursorPosX(scaled(kEditMenuLabel));
  if (action("edit_menu.direction.run", ask.session.pinned() != nullptr))
    put_named(ask, EditOp::add, "dir:run:A", "edit_menu.did.direction", tr("edit_menu.direction.run"));
  ImGui::SameLine();
  if (action("edit_menu.direction.file")) {
    ask_direction(ask.commands, ask.where, ask.sequence, ask.edits_sequence());
    ImGui::CloseCurrentPopup();
  }
  if (!refused_) return;
  const ColourScope ink(ImGuiCol_Text, theme().warning);
  text_in_lines(refused_->text(), scaled(kEditMenuWidth));
  note_item("edit_refused");
}

void EditMenu::draw_actions(const Ask& ask) {
  const Edits& edits = ask.session.document().edits;
  const bool edited = std::any_of(edits.begin(), edits.end(), [&](const auto& edit) {
    return edit->number() && (edit->sequence < 0 || edit->sequence == ask.sequence) &&
           within(edit->number()->where, ask.where);
  });
  const Status can = check_edit(ask.trace(), NumberEdit{ask.where});
  if (!can) {
    const ColourScope ink(ImGuiCol_Text, theme().warning);
    const std::string why = can.error().text();
    text_in_lines(why, scaled(kEditMenuWidth));
    note_item("edit_menu_refused");
  }
  const DisabledScope disabled(!can);
  if (action("edit_menu.zero")) put(ask, EditOp::set, 0.f, "edit_menu.did.zero", "");
  ImGui::SameLine();
  if (action("edit_menu.mean")) put(ask, EditOp::set, MeanOver{}, "edit_menu.did.mean", "");
  ImGui::SameLine();
  if (action("edit_menu.restore", edited)) {
    ask.commands.edit(Text::of("edit_menu.did.restore", {target_words(ask.where)}), {},
                      [where = ask.where, sequence = ask.sequence](Document& document) -> Status {
                        (void)take_back_edits(document, sequence, where);
                        return Done{};
                      });
    ImGui::CloseCurrentPopup();
  }
  draw_scale(ask);
  draw_number(ask);
  if (!can) return;
  draw_freeze(ask);
  draw_named(ask);
}

void EditMenu::draw(const Session& session, const RunResult* run, Workspace& workspace, Commands& commands) {
  const auto asked = std::exchange(workspace.edit_at, std::nullopt);
  if (!run || run->traces.empty()) return;
  const int sequence = run->nearest(workspace.cursor.sequence);
  if (asked) {
    open(*run, sequence, *asked);
    output_ = std::exchange(workspace.measure_at, std::nullopt).value_or(-1);
    if (!places_.empty()) ImGui::OpenPopup(kPopup);
  }
  const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2(scaled(12), scaled(10)));
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(6), scaled(5)));
  if (workspace.keeps_stage && !places_.empty()) popup_over_panel();
  if (places_.empty() || !ImGui::BeginPopup(kPopup)) return;
  chosen_ = std::min(chosen_, places_.size() - 1);
  draw_places(*run, sequence);
  draw_place_menu(*run, sequence, place_, workspace, commands);
  ImGui::Separator();
  const Ask ask{session, *run, commands, sequence, places_[chosen_]};
  draw_actions(ask);
  draw_notes(ask);
  if (output_ >= 0 && run->document.opened) {
    ImGui::Separator();
    measure_items(workspace, *run, output_);
  }
  const ImVec2 at = ImGui::GetWindowPos();  // moved up if it reaches below the screen
  const float over = at.y + ImGui::GetWindowHeight() - ImGui::GetIO().DisplaySize.y;
  if (over > 0) ImGui::SetWindowPos(ImVec2(at.x, std::max(0.f, at.y - over)));
  ImGui::EndPopup();
}

}  // namespace attnscope
