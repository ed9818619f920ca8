// The command line of attnscope. Says what is wrong in one sentence with a hint; refuses to open or draw
// anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/session/request.h"

namespace attnscope {

/// What the person asked for. Unset: the workspace's own choice, or the default.
struct Options {
  std::string path;          ///< model folder, file inside one, or scene; empty: the default scene
  std::string screenshot;    ///< picture to write instead of opening a window
  std::string save_session;  ///< session to write instead of opening a window
  Request request;           ///< what is run: the same flags as attnscope-cli trace
  std::string view, step, theme, language;
  std::string lesson;     ///< id of a shipped lesson, or a file
  int page = 0;           ///< of the lesson, from 1; 0: where it was left
  std::string worksheet;  ///< HTML file to write of the lesson instead of opening a window
  bool answers = false;   ///< on it
  std::string lab;        ///< to show, with values: "sqrt,d_k=64"
  int layer = -1, head = -1;
  int width = 0, height = 0;  ///< units; pixels = units * scale
  float scale = 0.f;          ///< 0: what the screen asks for
  bool animate = true;
  float motion = 1.f;         ///< of the step: below 1 the picture is taken on the way
  bool present = false;       ///< begin with the figure alone on the whole screen
  bool backward = false;      ///< the walk goes back from the loss
  std::string train;          ///< a task to train beside what is open; empty: none
  int train_steps = 0;        ///< 0: as many as the task's recipe says
  bool bench_frames = false;  ///< measure frames instead of opening a window
  bool json = false;          ///< what is measured as JSON
  bool timing = false;        ///< tell on stderr how long the start took
};

/// Options to run with, or a text to print and an exit status.
struct CommandLine {
  Options options;
  bool run = true;
  int status = 0;
  std::string text;
};
/// Reads the arguments. Bad ones: status 2 and "sentence hint" in `text`; --help and --version: status 0.
CommandLine read_command_line(int count, const char* const* arguments);

}  // namespace attnscope
