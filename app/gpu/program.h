// A shader program from two files of shaders/, each preceded by shaders/params.h. If the environment variable
// ATTNSCOPE_SHADERS names a folder, files are read from there and again whenever they change; a version that
// does not compile is reported and the last good one stays in use.
#pragma once

#include <string>
#include <vector>

#include "core/base/no_copy.h"
#include "core/base/result.h"

namespace attnscope {

class Program : NoCopy {
 public:
  /// `attributes[location]`: the names bound to attribute locations; an empty name is skipped.
  Program(std::string vertex_file, std::string fragment_file, std::vector<std::string> attributes);
  ~Program();

  /// True when the shader files are read from a folder (ATTNSCOPE_SHADERS) and may change at any time.
  static bool reads_files();
  /// Compiles on first use or when a file changed. The OpenGL name; 0 when nothing ever compiled.
  unsigned use_newest();
  /// Location of a uniform in the program of the last use_newest(); -1 (ignored by OpenGL) when it has none.
  int uniform(const char* name) const;
  /// Compiler messages of the newest files; empty when they compiled.
  const std::string& error() const { return error_; }

 private:
  bool files_changed();
  std::string vertex_file_, fragment_file_, error_;
  std::vector<std::string> attributes_;
  unsigned name_ = 0;
  bool compiled_ = false;
  long long stamp_ = 0;       // sum of the files' modification times
  int calls_until_look_ = 0;  // calls of use_newest() left before the files are checked again
};

/// Compiles and links. Errors: with the compiler's messages. `vertex`, `fragment`: GLSL without #version.
Result<unsigned> link_program(const std::string& vertex, const std::string& fragment,
                              const std::vector<std::string>& attributes);

}  // namespace attnscope
