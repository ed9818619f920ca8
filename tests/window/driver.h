// Drives the built program in a real window with keys and mouse (xdotool), and sees what happened through its
// state file. Waits for conditions, never for a time. Refuses to look inside the program.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/no_copy.h"

namespace attnscope::testing {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string read_text(const fs::path& path);
/// Of a clock that only goes forward.
double now_ms();
void sleep_ms(int milliseconds);

/// Runs a program found in PATH to its end. Variables with an empty value are taken out of its environment.
struct Finished {
  int status = -1;  ///< exit status; 128 + signal when it was killed
  std::string out, err;
};
using Environment = std::vector<std::pair<std::string, std::string>>;
Finished run_program(const std::vector<std::string>& arguments, const Environment& environment = {},
                     const std::string& input = {});
bool in_path(const std::string& program);

class TempFolder : NoCopy {
 public:
  TempFolder();
  ~TempFolder();
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A display for one test, so that no key or button stays pressed from the one before: of its own where Xvfb
/// is installed, else that of DISPLAY. ATTNSCOPE_TEST_DISPLAY names one to watch the tests on.
class Display : NoCopy {
 public:
  Display();
  ~Display();
  /// Ends the server under whoever draws on it; only where it was started for this test.
  bool die();
  /// ":99"; empty when there is none: `why` says what to do.
  std::string name, why;

 private:
  void start_own();
  pid_t process_ = -1;
};

/// A running attnscope.
class Window : NoCopy {
 public:
  /// Starts the program; its settings live under `folder`, so that a second start finds them.
  Window(const TempFolder& folder, const std::vector<std::string>& arguments = {});
  ~Window();

  /// What is on screen: see app/shell/state_file.cpp.
  const Json& state();
  /// Waits until `condition` holds for the state, for at most `seconds`; ends the test otherwise with
  /// `what`.
  void wait(const std::string& what, const std::function<bool(const Json&)>& condition, double seconds = 40);
  /// Waits until nothing computes in the background.
  void settled();
  bool has(const std::string& item) { return state().at("items").contains(item); }

  void key(const std::string& name) { act({"key", name}); }
  /// The same key several times, at a pace that every frame can follow.
  void keys(const std::string& name, int times) {
    act({"key", "--repeat", std::to_string(times), "--delay", "25", name});
  }
  void type(const std::string& text) { act({"type", "--delay", "15", text}); }
  /// Types, ends with Enter and clicks the item, all faster than any frame.
  void type_and_click(const std::string& text, const std::string& item);
  /// Through the clipboard and Ctrl+V.
  void paste(const std::string& text);
  /// At a share of the item's rectangle, when it stands still.
  void click(const std::string& item, double x = 0.5, double y = 0.5, const std::string& button = "1");
  /// The tab of a view, or its line in the list of its group.
  void click_view(const std::string& id);
  /// A cell of a matrix that is shown whole.
  void click_cell(const std::string& matrix, int row, int col);
  void hover_cell(const std::string& matrix, int row, int col);
  void drag(const std::string& item, int dx, int dy);
  void resize(int width, int height);
  /// A file dragged from another program and dropped on the middle of the window.
  void drop(const fs::path& path);

  void send(int signal);
  /// Milliseconds of processor time used so far, all threads.
  double cpu_ms() const;
  /// Waits for the end of the program; its exit status, -1 when it goes on for longer than that.
  int wait_for_end(double seconds = 10);
  std::string errors() const { return read_text(stderr_path_); }
  /// Its state and messages, for the report of a failed test.
  std::string report();

 private:
  struct Point {
    int x, y;
  };
  void find_window();
  void act(const std::vector<std::string>& xdotool);
  std::vector<double> rect_of(const std::string& item);
  Point cell_of(const std::string& matrix, int row, int col);
  /// Waits until a frame has seen the pointer ([x, y, a button is down]) so: several events in one slow frame
  /// would be another gesture. False where none did within 2 seconds.
  bool seen(const std::function<bool(const Json& mouse)>& condition);
  void press_at(Point at, const std::string& button);
  void move_to(Point at);
  bool ended();

  fs::path state_path_, stderr_path_;
  pid_t pid_ = -1, clipboard_ = -1;
  int status_ = -1;
  std::string window_id_;
  fs::file_time_type read_at_{};
  Json state_;
};

/// Skips where a tool is missing, and reports the windows of a failed test.
class WindowTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  /// Starts the program, on the scene of nine steps unless told otherwise, and waits until its first run is
  /// on screen.
  Window& start(const std::vector<std::string>& arguments = {"scene:nine_steps"});

  TempFolder folder_;
  std::unique_ptr<Display> display_;
  std::unique_ptr<Window> window_;
};

/// tests/golden/models/NAME
fs::path golden_model(const std::string& name);
/// The gpt2 fixture with the vocabulary of a tokenizer, and that tokenizer, under `folder`/tiny_gpt2.
fs::path model_with_tokenizer(const TempFolder& folder);
/// The picture is `width` x `height` and has many colours.
void expect_picture(const fs::path& path, int width, int height);

}  // namespace attnscope::testing
