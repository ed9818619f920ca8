#include "app/shell/dialogs.h"

#include "app/shell/keyboard.h"
#include "app/state/controls.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr ImGuiWindowFlags kDialog = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoTitleBar |
                                     ImGuiWindowFlags_AlwaysAutoResize;

/// Opens the popup when asked; true while it is drawn. End with end_dialog().
bool begin_dialog(const char* id, bool& ask) {
  if (ask) ImGui::OpenPopup(id);
  ask = false;
  centre_next_window();
  return ImGui::BeginPopupModal(id, nullptr, kDialog);
}

void end_dialog() {
  ImGui::Dummy(ImVec2(1, px(4)));
  const bool close = ImGui::Button((std::string(tr("frame.close")) + "###close").c_str());
  const bool again = !ImGui::IsWindowAppearing() && compat::key_pressed(compat::Key::f1, false);
  if (close || escape_pressed() || again) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

void heading(const char* text) {
  const WithFont face(fonts().title);
  ImGui::TextUnformatted(text);
}

}  // namespace

void draw_keys_help(FrameState& state) {
  if (!begin_dialog("###keys_help", state.show_keys)) return;
  heading(tr("keys.title"));
  ImGui::Dummy(ImVec2(px(460), px(2)));
  for (const KeyLine& line : key_lines(state.views.size())) {
    {
      const WithFont face(fonts().mono);
      ImGui::TextUnformatted(line.keys.c_str());
    }
    ImGui::SameLine(px(230));
    ImGui::TextUnformatted(tr(line.words));
  }
  end_dialog();
}

void draw_about(FrameState& state) {
  if (!begin_dialog("###about", state.show_about)) return;
  heading("attnscope 0.1.0");
  ImGui::Dummy(ImVec2(px(420), px(2)));
  wrapped_text(tr("frame.about"), theme().text_dim);
  end_dialog();
}

}  // namespace attnscope
