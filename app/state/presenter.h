// Presenting: the figure alone on the whole screen, large and in high contrast, with a way back that shows
// exactly what was shown. The panels and the size of everything else are not touched, so that they stand as
// before when it ends. Refuses to draw (app/shell/presenter_sheet.h).
#pragma once

#include <imgui.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/session/session.h"

namespace attnscope {

struct FrameState;

/// Something that a key switches on and off, or that is on while the key is held.
struct Held {
  bool on = false;
  double since = -1;  ///< when its key went down; < 0: it is up
};

struct Presenter {
  bool on = false, black = false, pen = false;
  bool words = true;   ///< of a lesson's page, under the figure
  bool notes = false;  ///< a window on another screen, for the one who presents
  std::chrono::steady_clock::time_point began;
  Held spotlight, magnifier;
  float zoom = 1.f;  ///< times the size that the screen asks for

  /// What was shown before a page was turned.
  struct Moment {
    std::uint64_t opened = 0;
    Cursor cursor;
    std::string view;
    bool difference = false, log_scale = false, backward = false;
    float zoom = 1.f;
  };
  std::vector<Moment> trail;

  struct Stroke {
    std::vector<ImVec2> points;  ///< pixels
    double ended = -1;           ///< seconds of ImGui's clock; < 0: it is being drawn
  };
  std::vector<Stroke> strokes;
  /// Something moves by itself: strokes that fade.
  bool moving() const { return !strokes.empty(); }
};

/// Begins or ends it.
void set_presenting(FrameState& state, bool on);
/// The next page of a lesson, else the next step (`by` 1); or back to what was shown before it (-1). A black
/// screen is lifted first, and nothing else.
void turn_page(FrameState& state, int by);
/// While presenting: A and B side by side, with their names.
bool presents_pair(const FrameState& state);
/// True where the page keys have a next page: of a lesson, of the steps, of the labs.
bool has_pages(const FrameState& state);
/// Pixels per unit while presenting on a screen of this size: digits of a step's figure are at least 18
/// pixels tall at 1280x720. Views that are more than one figure get more room.
float presenter_scale(const FrameState& state, float width, float height);

}  // namespace attnscope
