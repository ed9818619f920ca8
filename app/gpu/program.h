// A shader program made of two files of shaders/, with shaders/params.h in front of both.
// With ATTNSCOPE_SHADERS=folder in the environment the files are read from there and read again when they
// change; a version that does not compile is reported and the last good one stays.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

class Program {
 public:
  /// `attributes[location]`: the names bound to attribute locations; an empty name is skipped.
  Program(std::string vertex_file, std::string fragment_file, std::vector<std::string> attributes);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// The files are read from a folder and may change at any time.
  static bool reads_files();
  /// Compiles when that was never done or a file changed. The name in OpenGL, 0 when nothing ever compiled.
  unsigned use_newest();
  /// Location of a uniform in the program of the last use_newest(); -1 is ignored by OpenGL.
  int uniform(const char* name) const;
  /// What the compiler said about the newest files; empty when they are fine.
  const std::string& error() const { return error_; }

 private:
  bool files_changed();
  std::string vertex_file_, fragment_file_, error_;
  std::vector<std::string> attributes_;
  unsigned name_ = 0;
  bool compiled_ = false;
  long long stamp_ = 0;       // sum of the files' times
  int calls_until_look_ = 0;  // how often use_newest() answers without looking at the disk
};

/// Compiles and links; the compiler's words are in the Error. `vertex`, `fragment`: GLSL without #version.
Result<unsigned> link_program(const std::string& vertex, const std::string& fragment,
                              const std::vector<std::string>& attributes);

}  // namespace attnscope
