// The #version line, params.h and the shader file are compiled as one source.
#include "app/gpu/program.h"

#include <glad/gl.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/assets.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

constexpr int kCallsBetweenLooks = 30;

std::filesystem::path override_folder() {
  const char* folder = std::getenv("ATTNSCOPE_SHADERS");
  return folder != nullptr ? folder : "";
}

std::string read_shader(const std::string& file) {
  if (!override_folder().empty()) {
    constexpr std::uint64_t kMostBytes = 1 << 20;
    if (auto text = read_file((override_folder() / file).string(), kMostBytes)) return *std::move(text);
  }
  return std::string(asset("shaders/" + file));
}

std::string whole_source(const std::string& body) {
  return "#version 330 core\n" + read_shader("params.h") + "#line 1\n" + body;
}

template <class Get, class Log>
std::string log_of(unsigned name, Get get, Log log) {
  GLint length = 0;
  get(name, GL_INFO_LOG_LENGTH, &length);
  std::string text(static_cast<std::size_t>(length > 0 ? length : 1), '\0');
  log(name, static_cast<GLsizei>(text.size()), nullptr, text.data());
  return text.c_str();
}

Result<unsigned> compile(GLenum stage, const std::string& body) {
  const unsigned shader = glCreateShader(stage);
  const std::string source = whole_source(body);
  const char* text = source.c_str();
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint ok = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok != GL_FALSE) return shader;
  const std::string said = log_of(shader, glGetShaderiv, glGetShaderInfoLog);
  glDeleteShader(shader);
  return fail(Code::bad_format, "error.gpu.shader", {said});
}

}  // namespace

Result<unsigned> link_program(const std::string& vertex, const std::string& fragment,
                              const std::vector<std::string>& attributes) {
  TRY(const unsigned vertex_shader, compile(GL_VERTEX_SHADER, vertex));
  auto fragment_shader = compile(GL_FRAGMENT_SHADER, fragment);
  if (!fragment_shader) {
    glDeleteShader(vertex_shader);
    return fragment_shader;
  }
  const unsigned program = glCreateProgram();
  glAttachShader(program, vertex_shader);
  glAttachShader(program, *fragment_shader);
  for (std::size_t location = 0; location < attributes.size(); ++location) {
    if (attributes[location].empty()) continue;
    glBindAttribLocation(program, static_cast<GLuint>(location), attributes[location].c_str());
  }
  glLinkProgram(program);
  glDeleteShader(vertex_shader);
  glDeleteShader(*fragment_shader);
  GLint ok = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  if (ok != GL_FALSE) return program;
  const std::string said = log_of(program, glGetProgramiv, glGetProgramInfoLog);
  glDeleteProgram(program);
  return fail(Code::bad_format, "error.gpu.shaders", {said});
}

Program::Program(std::string vertex_file, std::string fragment_file, std::vector<std::string> attributes)
    : vertex_file_(std::move(vertex_file)),
      fragment_file_(std::move(fragment_file)),
      attributes_(std::move(attributes)) {}

Program::~Program() {
  if (name_ != 0) glDeleteProgram(name_);
}

bool Program::files_changed() {
  if (override_folder().empty() || --calls_until_look_ > 0) return false;
  calls_until_look_ = kCallsBetweenLooks;
  long long stamp = 0;
  for (const std::string& file : {vertex_file_, fragment_file_, std::string("params.h")}) {
    std::error_code missing;
    const auto time = std::filesystem::last_write_time(override_folder() / file, missing);
    if (!missing) stamp += static_cast<long long>(time.time_since_epoch().count() / 1000);
  }
  const bool changed = stamp != stamp_;
  stamp_ = stamp;
  return changed;
}

bool Program::reads_files() { return std::getenv("ATTNSCOPE_SHADERS") != nullptr; }

unsigned Program::use_newest() {
  if (!files_changed() && compiled_) return name_;
  compiled_ = true;
  auto linked = link_program(read_shader(vertex_file_), read_shader(fragment_file_), attributes_);
  error_ = linked ? std::string() : linked.error().text();
  if (!linked) return name_;
  if (name_ != 0) glDeleteProgram(name_);
  name_ = *linked;
  return name_;
}

int Program::uniform(const char* name) const { return glGetUniformLocation(name_, name); }

}  // namespace attnscope
