// Keys of the window: what ImGui 1.86 lacks, a queue for keys that go down and up within one frame, and what
// later versions spread over too few frames.
#include "app/gpu/host_keys.h"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui_internal.h>  // the queue of events of 1.87 and later

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <vector>

#include "app/gpu/imgui_host.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "core/base/text.h"

namespace attnscope {

#if IMGUI_VERSION_NUM < 18700
namespace {

struct KeyEvent {
  int key, scancode, action, modifiers;  // key -1: text
  unsigned code_point;
};

std::deque<KeyEvent>& key_queue() {
  static std::deque<KeyEvent> queue;
  return queue;
}

}  // namespace

void queue_host_keys(GLFWwindow* window) {
  key_queue().clear();
  glfwSetKeyCallback(window, [](GLFWwindow*, int key, int scancode, int action, int modifiers) {
    key_queue().push_back({key, scancode, action, modifiers, 0});
  });
  glfwSetCharCallback(window, [](GLFWwindow*, unsigned code_point) {
    key_queue().push_back({-1, 0, 0, 0, code_point});
  });
}

namespace {

// Enter commits the text that an input method is composing, and the text arrives after the key: so Enter is
// held back for one frame and any text that has arrived goes first. Returns true while it is held back.
bool enter_waits(std::deque<KeyEvent>& queue) {
  static bool waited = false;
  const auto enters = [](const KeyEvent& event) {
    return event.action == GLFW_PRESS && (event.key == GLFW_KEY_ENTER || event.key == GLFW_KEY_KP_ENTER);
  };
  if (!enters(queue.front()) || !ImGui::GetIO().WantTextInput) return waited = false;
  waited = !waited;
  if (waited) return true;
  const auto next = std::find_if(queue.begin() + 1, queue.end(), [](const KeyEvent& event) {
    return event.key != -1 && event.action == GLFW_PRESS;
  });
  std::stable_partition(queue.begin(), next, [](const KeyEvent& event) { return event.key == -1; });
  return false;
}

// A key without Ctrl, Alt or Super that only produces text: in a text field its character counts.
bool makes_text(const KeyEvent& event) {
  constexpr int kOthers = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
  const bool letter = event.key >= GLFW_KEY_SPACE && event.key <= GLFW_KEY_GRAVE_ACCENT;
  const bool shift = event.key == GLFW_KEY_LEFT_SHIFT || event.key == GLFW_KEY_RIGHT_SHIFT;
  return (letter || shift) && !(event.modifiers & kOthers) && ImGui::GetIO().WantTextInput;
}

}  // namespace

// Passes at most one change per key to each frame, keys before the characters they produce; in a text field
// all queued characters at once.
void feed_host_keys(GLFWwindow* window) {
  if (ImGui::GetIO().AppFocusLost) return;  // this frame releases all keys
  std::set<int> changed;
  bool text = false, pressed = false, other = false;
  std::deque<KeyEvent>& queue = key_queue();
  while (!queue.empty()) {
    if (enter_waits(queue)) break;
    const KeyEvent event = queue.front();
    const bool is_key = event.key != -1;
    const bool letter = is_key && !other && makes_text(event);
    if (is_key && !letter &&
        (changed.count(event.key) > 0 || text || (pressed && event.action == GLFW_RELEASE)))
      break;
    if (is_key) {
      changed.insert(event.key);
      pressed |= event.action == GLFW_PRESS;
      other |= !letter;
      ImGui_ImplGlfw_KeyCallback(window, event.key, event.scancode, event.action, event.modifiers);
    } else {
      text = true;
      std::string typed;
      append_utf8(typed, event.code_point);
      note_text(typed);
      ImGui_ImplGlfw_CharCallback(window, event.code_point);
    }
    queue.pop_front();
  }
}

void hold_host_buttons() {
  static std::array<bool, 3> held{}, down{};
  ImGuiIO& io = ImGui::GetIO();
  for (std::size_t i = 0; i < held.size(); ++i) {
    const bool wanted = io.MouseDown[i] || held[i], waits = !key_queue().empty() && !down[i];
    held[i] = waits && wanted;
    io.MouseDown[i] = down[i] = waits ? false : wanted;
  }
}
void begin_frame_of_host_keys() { ImGui::NewFrame(); }
#else
void queue_host_keys(GLFWwindow*) {}
void feed_host_keys(GLFWwindow*) {}
void hold_host_buttons() {}

namespace {

bool presses(const ImGuiInputEvent& event) { return event.Type == ImGuiInputEventType_Key && event.Key.Down; }
bool enters(const ImGuiInputEvent& event) {
  return presses(event) && (event.Key.Key == ImGuiKey_Enter || event.Key.Key == ImGuiKey_KeypadEnter);
}

/// First input event that has to wait for the next frame. Dear ImGui spreads changes of one key over
/// frames, not those of several: a key released in the frame of a press waits, or Ctrl+T within one
/// frame would be a T without Ctrl. So does a change of focus, which would clear the press or one
/// after it. Enter in a text field waits once for the text an input method is composing (see
/// enter_waits).
ImGuiInputEvent* first_waiting(ImVector<ImGuiInputEvent>& queue) {
  static bool waited = false;
  bool pressed = false, focused = false;
  for (ImGuiInputEvent* event = queue.begin(); event != queue.end(); ++event) {
    if (enters(*event) && ImGui::GetIO().WantTextInput) {
      waited = !waited;
      if (waited) return event;
      event = std::stable_partition(event, std::find_if(event + 1, queue.end(), presses),
                                    [](const auto& other) { return other.Type == ImGuiInputEventType_Text; });
    }
    const bool released = event->Type == ImGuiInputEventType_Key && !event->Key.Down;
    const bool focus = event->Type == ImGuiInputEventType_Focus;
    if ((pressed && (released || focus)) || (focused && presses(*event))) return event;
    pressed = pressed || presses(*event);
    focused = focused || focus;
  }
  return queue.end();
}

}  // namespace

void begin_frame_of_host_keys() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  const std::vector<ImGuiInputEvent> waiting(first_waiting(queue), queue.end());
  queue.shrink(queue.Size - static_cast<int>(waiting.size()));
  ImGui::NewFrame();
  for (const ImGuiInputEvent& event : waiting) queue.push_back(event);
}
#endif

void ImguiHost::take_keys_of(GLFWwindow* other) {
#if IMGUI_VERSION_NUM < 18700
  glfwSetKeyCallback(other, [](GLFWwindow*, int key, int scancode, int action, int modifiers) {
    key_queue().push_back({key, scancode, action, modifiers, 0});
  });
#else
  glfwSetWindowUserPointer(other, context_.window());
  glfwSetKeyCallback(other, [](GLFWwindow* self, int key, int scancode, int action, int modifiers) {
    auto* first = static_cast<GLFWwindow*>(glfwGetWindowUserPointer(self));
    ImGui_ImplGlfw_KeyCallback(first, key, scancode, action, modifiers);
  });
#endif
}

void ImguiHost::release_keys_of(GLFWwindow* other) {
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key) {
    if (glfwGetKey(other, key) != GLFW_PRESS) continue;
#if IMGUI_VERSION_NUM < 18700
    key_queue().push_back({key, 0, GLFW_RELEASE, 0, 0});
#else
    ImGui_ImplGlfw_KeyCallback(context_.window(), key, 0, GLFW_RELEASE, 0);
#endif
  }
}

bool ImguiHost::keys_waiting() const {
#if IMGUI_VERSION_NUM < 18700
  return !key_queue().empty();
#else
  return ImGui::GetCurrentContext()->InputEventsQueue.Size > 0;
#endif
}

}  // namespace attnscope
