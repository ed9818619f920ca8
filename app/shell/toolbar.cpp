#include "app/shell/toolbar.h"

#include "app/look/item_map.h"
#include "app/panels/lesson/lesson_panel.h"
#include "app/shell/compare_bar.h"
#include "app/shell/measure_box.h"
#include "app/state/controls.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

bool item(const char* key, const char* shortcut = nullptr, bool on = false, bool enabled = true) {
  const bool chosen = ImGui::MenuItem((std::string(tr(key)) + "###" + key).c_str(), shortcut, on, enabled);
  note_item(key);
  return chosen;
}

bool begin_menu(const char* key) {
  const bool open = ImGui::BeginMenu((std::string(tr(key)) + "###" + key).c_str());
  if (!open) note_item(key);  // of an open menu the last item is its window
  return open;
}

void model_items(FrameState& state) {
  const auto& opened = state.session.document().opened;
  for (const ShippedModel& model : state.models()) {
    const bool on = opened && opened->path == kModelPrefix + model.name;
    if (ImGui::MenuItem((model.title + "###model_" + model.name).c_str(), nullptr, on))
      state.commands.act([&state, name = model.name](Session&) { state.open_shipped_model(name); });
    note_item("model_" + model.name);
    if (!model.sentence.empty()) compat::item_tooltip(model.sentence.c_str());
  }
}

void scene_items(FrameState& state) {
  for (const auto& [name, title] : state.scenes()) {
    const auto& opened = state.session.document().opened;
    const bool on = opened && opened->path == kScenePrefix + name;
    if (ImGui::MenuItem((title + "###shipped_" + name).c_str(), nullptr, on))
      state.commands.act([&state, name = name](Session&) { state.open_shipped(name); });
  }
}

void recent_items(FrameState& state) {
  int number = 0;
  for (const std::string& path : state.settings.recent) {
    note_text(path);
    const WithId scope(number++);
    if (ImGui::MenuItem((shortened(path, px(420)) + "###recent").c_str()))
      state.commands.act([&state, path](Session&) { state.open(path); });
  }
}

void file_menu(FrameState& state) {
  const bool opened = state.session.document().opened != nullptr;
  if (item("toolbar.open", "Ctrl+O")) state.ask_open = true;
  if (!state.models().empty() && begin_menu("toolbar.models")) {
    model_items(state);
    ImGui::EndMenu();
  }
  if (begin_menu("toolbar.scenes")) {
    scene_items(state);
    ImGui::EndMenu();
  }
  if (!state.settings.recent.empty() && begin_menu("toolbar.recent")) {
    recent_items(state);
    ImGui::Separator();
    if (item("toolbar.forget_recent")) state.settings.recent.clear();
    ImGui::EndMenu();
  }
  ImGui::Separator();
  if (item("toolbar.save", "Ctrl+S", false, opened)) state.save();
  if (item("toolbar.save_as", "Ctrl+Shift+S", false, opened)) state.ask_save_as = true;
  if (item("toolbar.export", "Ctrl+E")) state.ask_export = true;
  ImGui::Separator();
  if (item("toolbar.quit", "Ctrl+Q")) state.quit = true;
}

void edit_menu(FrameState& state) {
  const History& history = state.session.history();
  const auto line = [](const char* key, const std::string& sentence) {
    note_text(sentence);
    return sentence.empty() ? std::string(tr(key)) : tr(std::string(key) + ".what", {sentence});
  };
  if (ImGui::MenuItem((line("toolbar.undo", history.undo_sentence()) + "###undo").c_str(), "Ctrl+Z", false,
                      history.can_undo()))
    state.commands.act([](Session& session) { session.undo(); });
  if (ImGui::MenuItem((line("toolbar.redo", history.redo_sentence()) + "###redo").c_str(), "Ctrl+Y", false,
                      history.can_redo()))
    state.commands.act([](Session& session) { session.redo(); });
  ImGui::Separator();
  if (item("toolbar.edit_text", "Ctrl+T", false, state.session.document().model != nullptr))
    state.focus_text = true;
}

void view_menu(FrameState& state) {
  Workspace& workspace = state.workspace;
  int number = 1;
  for (const auto& view : state.views) {
    const std::string id = view->id(), key = std::to_string(number++);
    if (ImGui::MenuItem((std::string(tr("view." + id)) + "###view_" + id).c_str(), key.c_str(),
                        workspace.view == id))
      workspace.view = id;
  }
  ImGui::Separator();
  if (item("toolbar.difference", "D", workspace.show_difference))
    workspace.show_difference = !workspace.show_difference;
  if (item("compare.pin.menu", "P", state.session.pinned() != nullptr, state.session.result() != nullptr))
    toggle_pin(state);
  if (item("toolbar.log_scale", "L", workspace.log_scale)) workspace.log_scale = !workspace.log_scale;
  if (item("toolbar.animate", nullptr, workspace.animate)) workspace.animate = !workspace.animate;
  ImGui::Separator();
  const bool dark = theme().kind == ThemeKind::dark;
  if (item("toolbar.dark", "T", dark)) state.set_theme(ThemeKind::dark);
  if (item("toolbar.light", "T", !dark)) state.set_theme(ThemeKind::light);
  ImGui::Separator();
  if (item("toolbar.larger", "Ctrl++")) state.settings.zoom = std::min(3.f, state.settings.zoom + 0.1f);
  if (item("toolbar.smaller", "Ctrl+\u2212"))
    state.settings.zoom = std::max(0.6f, state.settings.zoom - 0.1f);
  if (item("toolbar.usual_size", "Ctrl+0", state.settings.zoom == 1.f)) state.settings.zoom = 1.f;
}

void model_menu(FrameState& state) {
  const Document& document = state.session.document();
  if (item("toolbar.run_again", nullptr, false, document.model != nullptr))
    state.commands.act([](Session& session) { session.run(); });
  const bool edited = !document.edits.empty();
  if (item("toolbar.clear_changes", nullptr, false, edited))
    state.commands.edit(Text::of("toolbar.clear_changes"), {}, [](Document& changed) -> Status {
      changed.edits.clear();
      return Done{};
    });
  ImGui::Separator();
  const bool generates =
      document.opened && document.opened->recorded.empty() && document.model->config().head.present;
  if (item("toolbar.generate_one", nullptr, false, generates))
    state.commands.act([sequence = state.workspace.cursor.sequence, words = Text::of("toolbar.generate_one")](
                           Session& session) { session.generate(sequence, 1, words); });
}

void learn_menu(FrameState& state) {
  lesson_items(state);
  ImGui::Separator();
  if (item("lessons.list.menu")) state.lessons.list_open = true;
  if (item("lessons.close", nullptr, false, state.lessons.open())) state.lessons.close();
}

void help_menu(FrameState& state) {
  if (item("toolbar.keys", "F1")) state.show_keys = true;
  if (item("toolbar.about")) state.show_about = true;
}

void menu(FrameState& state, const char* key, void (*items)(FrameState&)) {
  if (!begin_menu(key)) return;
  {
    const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(11), px(5)));
    const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(7)));
    items(state);
    if (escape_pressed()) ImGui::CloseCurrentPopup();
  }
  ImGui::EndMenu();
}

void chooser(FrameState& state, const std::string& label) {
  if (raised_button(label + "###chooser")) ImGui::OpenPopup("###chooser_popup");
  const ImVec2 low(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + px(4));
  compat::item_tooltip(tr("toolbar.chooser.help"));
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  ImGui::SetNextWindowPos(low, ImGuiCond_Appearing);
  if (!begin_popup("###chooser_popup")) return;
  model_items(state);
  if (!state.models().empty()) ImGui::Separator();
  scene_items(state);
  if (!state.settings.recent.empty()) ImGui::Separator();
  recent_items(state);
  ImGui::Separator();
  if (item("toolbar.open", "Ctrl+O")) state.ask_open = true;
  ImGui::EndPopup();
}

std::string chooser_label(const FrameState& state, float room) {
  const auto& opened = state.session.document().opened;
  const std::string title = opened ? opened_title(*opened) : std::string(tr("toolbar.nothing_open"));
  note_text(title);
  return shortened(title, room) + " \u25be";
}

void switches(FrameState& state, ImVec2 position, ImVec2 size) {
  Workspace& workspace = state.workspace;
  const bool dark = theme().kind == ThemeKind::dark;
  const std::string difference = tr("toolbar.difference_short"),
                    look = tr(dark ? "toolbar.to_light" : "toolbar.to_dark");
  const std::string exporting = tr("toolbar.export_short"), other = language() == "en" ? "ko" : "en";
  const bool bilingual = languages().size() > 1;
  const std::string speech = tr("toolbar.language");
  const std::string open = chooser_label(state, px(220)), pin = tr("compare.pin");
  float width = button_width(open) + button_width(pin) + button_width(difference) + button_width(look) +
                button_width(exporting) + px(4 * 14 + 14);
  if (bilingual) width += button_width(speech) + px(14);
  ImGui::SetCursorScreenPos(
      ImVec2(position.x + size.x - width, position.y + (size.y - ImGui::GetFrameHeight()) / 2));
  const ImVec2 left = ImGui::GetCursorScreenPos();
  draw_measure_box(state, left.x - px(14), left.y + ImGui::GetFrameHeight() / 2,
                   left.x - px(14) - position.x);
  ImGui::SetCursorScreenPos(left);
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(14), px(7)));
  chooser(state, open);
  ImGui::SameLine();
  if (raised_button(pin + "###pin", state.session.pinned() != nullptr)) toggle_pin(state);
  compat::item_tooltip(tr("compare.pin.help"));
  ImGui::SameLine();
  if (raised_button(difference + "###difference", workspace.show_difference))
    workspace.show_difference = !workspace.show_difference;
  compat::item_tooltip(tr("toolbar.difference.help"));
  ImGui::SameLine();
  if (bilingual) {
    if (raised_button(speech + "###language")) state.set_language(other);
    ImGui::SameLine();
  }
  if (raised_button(look + "###theme")) state.set_theme(dark ? ThemeKind::light : ThemeKind::dark);
  compat::item_tooltip(tr("toolbar.theme.help"));
  ImGui::SameLine();
  if (raised_button(exporting + "###export")) state.ask_export = true;
  compat::item_tooltip(tr("toolbar.export.help"));
}

}  // namespace

void draw_toolbar(FrameState& state, ImVec2 position, ImVec2 size) {
  ImGui::SetCursorScreenPos(position);
  {
    const WithVar tall(ImGuiStyleVar_FramePadding, ImVec2(px(8), (size.y - ImGui::GetFontSize()) / 2));
    const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(7)));
    const WithColour border(ImGuiCol_Border, IM_COL32_BLACK_TRANS);
    compat::begin_child("toolbar", ImVec2(std::max(1.f, size.x), size.y), false,
                        ImGuiWindowFlags_MenuBar | ImGuiWindowFlags_NoScrollbar);
    if (ImGui::BeginMenuBar()) {
      const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
      ImGui::SetCursorPosX(px(metric::kPadding));
      {
        const WithFont face(fonts().body_bold);
        ImGui::TextUnformatted("attnscope");
      }
      menu(state, "toolbar.file", file_menu);
      menu(state, "toolbar.edit", edit_menu);
      menu(state, "toolbar.view", view_menu);
      menu(state, "toolbar.model", model_menu);
      menu(state, "toolbar.learn", learn_menu);
      menu(state, "toolbar.help", help_menu);
      ImGui::EndMenuBar();
    }
    ImGui::EndChild();
  }
  // The switches are a child of their own: the menu bar centres nothing but its own line.
  const float left = px(420);
  ImGui::SetCursorScreenPos(ImVec2(position.x + left, position.y));
  compat::begin_child("switches", ImVec2(std::max(1.f, size.x - left), size.y - 1), false,
                      ImGuiWindowFlags_NoScrollbar);
  switches(state, ImVec2(position.x + left, position.y), ImVec2(size.x - left, size.y));
  ImGui::EndChild();
}

}  // namespace attnscope
