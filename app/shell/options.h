// The command line of attnscope. Errors: one sentence with a hint. Parses only: opens and draws
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/state/export_choice.h"
#include "core/session/data_set.h"

namespace attnscope {

/// Parsed options. Unset values: the workspace's own, or the default.
struct Options {
  std::string path;         ///< model folder, file inside one, or scene; empty: the default scene
  std::string screenshot;   ///< picture to write instead of opening a window
  std::string export_path;  ///< figure or picture to write instead of opening a window
  ExportPart export_part = ExportPart::figure;
  std::string export_size,
      export_walk;  ///< of the figure: a page (core/export/page.h), a walk (core/view/walk.h)
  bool paper = false, caption = false, transparent = false;  ///< of the figure
  std::string beside;        ///< a model that runs what is open and is kept as A
  std::string save_session;  ///< session to write instead of opening a window
  Request request;           ///< what is run: the same flags as attnscope-cli trace
  LoraChoice lora;           ///< the adapter of the model: as attnscope-cli has it
  DataChoice data;           ///< the data set beside it: the same flags as attnscope-cli ablate
  std::string view, level, step, theme, language;
  std::string lesson;                 ///< id of a shipped lesson, or a file
  std::string lecture;                ///< name of a shipped lecture, or a file
  int page = 0;                       ///< of the lesson or lecture, from 1; 0: where it was left
  std::string worksheet;              ///< HTML file to write of the lesson instead of opening a window
  bool answers = false;               ///< worksheet with the answers
  std::string lab;                    ///< lab to show, with values: "sqrt,d_k=64"
  std::vector<std::string> settings;  ///< "view.control=value" each
  int layer = -1, head = -1;
  int width = 0, height = 0;  ///< units; pixels = units * scale
  float scale = 0.f;          ///< 0: content scale of the screen
  float export_scale = 0.f;   ///< of the figure; 0: 1
  bool animate = true;
  float motion = 1.f;         ///< progress of the step's animation in the picture; 1: finished
  bool present = false;       ///< start in presenter mode
  bool backward = false;      ///< start in backward mode
  std::string train;          ///< task to train beside the open model; empty: none
  int train_steps = 0;        ///< 0: the number in the task's recipe
  bool bench_frames = false;  ///< measure frames instead of opening a window
  bool check_fit = false;     ///< look for cut texts in all figures instead of opening a window
  bool json = false;          ///< measurements as JSON
  bool timing = false;        ///< print the start-up time to stderr
};

/// Options to run with, or a text to print and an exit status.
struct CommandLine {
  Options options;
  bool run = true;
  int status = 0;
  std::string text;
};
/// Parses the arguments. Errors: status 2 and "sentence hint" in `text`; --help and --version: status 0.
CommandLine read_command_line(int count, const char* const* arguments);
/// Every flag as a Markdown table, for the handbook.
std::string options_table();

}  // namespace attnscope
