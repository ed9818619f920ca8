// Presenter mode: the figure alone on the whole screen, large and in high contrast, and a history of pages
// to go back. Panels and their sizes are unchanged when it ends. Drawing is in
// app/shell/presenter_sheet.h.
#pragma once

#include <imgui.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/session/session.h"

namespace attnscope {

struct FrameState;

inline constexpr float kPresenterScale = 2.f;  ///< sizes in units are those at 1280 x 720, twice as large

/// A tool that a key toggles, or that is on while the key is held.
struct Held {
  bool on = false;
  double since = -1;  ///< when its key was pressed; < 0: not pressed
};

struct Presenter {
  bool on = false, black = false, pen = false;
  bool words = true;   ///< shows a lesson page's text below the figure
  bool notes = false;  ///< opens a window with presenter notes on another screen
  std::chrono::steady_clock::time_point began;
  Held spotlight, magnifier;
  float zoom = 1.f;  ///< multiplies the presenter scale

  /// State before a page was turned.
  struct Moment {
    std::uint64_t opened = 0;
    Cursor cursor;
    std::string view;
    bool difference = false, log_scale = false, backward = false;
    float zoom = 1.f;
  };
  std::vector<Moment> trail;

  struct Stroke {
    std::uint64_t page = 0;      ///< presented_page() that it was drawn on, and is seen on
    std::vector<ImVec2> points;  ///< shares of the screen
  };
  std::vector<Stroke> strokes;  ///< of all pages

  /// The pointer since the slide or step changed: until the mouse moves it points at nothing.
  struct Resting {
    std::uint64_t slide = 0;
    bool on = false;
    ImVec2 at;
  } resting;
};

/// Turns presenter mode on or off.
void set_presenting(FrameState& state, bool on);
/// What is shown, as one number: slide, view, station, step.
std::uint64_t presented_page(const FrameState& state);
/// Those of the page that is shown are gone.
void wipe_strokes(FrameState& state);
/// At the beginning of a frame: while presenting, a mouse that was not moved since the slide or step changed
/// is nowhere, and its cursor hidden, so that what lies under it does not change the slide.
void rest_pointer(FrameState& state);
/// Next page of the lesson, else the next step (`by` 1); or back to the previous state (-1). If the screen is
/// black, only ends that.
void turn_page(FrameState& state, int by);
/// While presenting: A and B are shown side by side, with their names.
bool presents_pair(const FrameState& state);
/// True if the page keys have pages to turn: of a lesson, of the steps, of the labs.
bool has_pages(const FrameState& state);
/// Pixels per unit while presenting on a screen of width x height pixels: digits of a step's figure are at
/// least 18 pixels high at 1280x720. Views with more than one figure get a smaller scale.
float presenter_scale(const FrameState& state, float width, float height);

}  // namespace attnscope
