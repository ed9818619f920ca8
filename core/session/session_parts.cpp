#include "core/session/session_parts.h"

#include <stdlib.h>  // mkdtemp

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>

#include "core/base/markup.h"
#include "core/session/session_arrays.h"
#include "core/session/session_file.h"
#include "core/session/session_model.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"
#include "core/system/named_files.h"
#include "core/text/charsmap.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A folder for temporary files that only this user reads, made at the first call, removed at the end.
class PutOut {
 public:
  ~PutOut() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  Result<std::string> next() {
    const std::scoped_lock lock(mutex_);
    std::error_code error;
    if (folder_.empty()) {
      std::string name = (fs::temp_directory_path(error) / "attnscope-session-XXXXXX").string();
      if (error || !::mkdtemp(name.data())) return fail(Code::io_failed, "error.session.file.parts_folder");
      folder_ = name;
    }
    const std::string place = folder_ + "/" + std::to_string(++count_);
    if (!fs::create_directory(place, error)) return fail(Code::io_failed, "error.session.file.parts_folder");
    return place + "/session";
  }
  bool holds(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    return !folder_.empty() && path.starts_with(folder_ + "/");
  }

 private:
  std::mutex mutex_;
  std::string folder_;
  int count_ = 0;
};

PutOut& put_out() {
  static PutOut out;
  return out;
}

// Names that files_beside() gives, and no others: no folder above, no hidden file.
bool is_part_name(const std::string& name) {
  const auto plain = [](unsigned char sign) {
    return std::isalnum(sign) || sign == '_' || sign == '-' || sign == '.';
  };
  if (name == kRunEnding) return true;
  for (const std::string& folder : {std::string(kModelEnding) + "/", std::string(kPinnedEnding) + "/"})
    if (name.starts_with(folder) && name.size() > folder.size() && name[folder.size()] != '.')
      return std::all_of(name.begin() + std::ssize(folder), name.end(), plain);
  return false;
}

// The files of a session, by what their names have behind the beginning: ".run.safetensors",
// ".model/config.json". Empty where one could not be a part: then all stay.
std::map<std::string, fs::path> files_beside(const SessionFile& session) {
  std::map<std::string, fs::path> out;
  std::error_code ignored;
  for (const char* ending : {kModelEnding, kPinnedEnding})
    for (const auto& entry : fs::directory_iterator(session.beside + ending, ignored))
      out[ending + ("/" + entry.path().filename().string())] = entry.path();
  if (const std::string run = run_beside(session); fs::is_regular_file(run, ignored)) out[kRunEnding] = run;
  for (const auto& [name, file] : out)
    if (!is_part_name(name) || !fs::is_regular_file(file, ignored)) return {};
  return out;
}

}  // namespace

Result<bool> write_with_parts(const std::string& path, const std::string& to) {
  TRY(const SessionFile session, read_session(path));
  const std::map<std::string, fs::path> files = files_beside(session);
  std::error_code ignored;
  std::uint64_t bytes = 0;
  for (const auto& [name, file] : files) bytes += fs::file_size(file, ignored);
  const std::string arrays = session_beside(path, session.which) + kArraysEnding;
  if (files.empty() || bytes > kMostPartBytes || (to != path && fs::exists(arrays, ignored))) return false;
  Json whole = *session.all;
  for (const auto& [name, file] : files) {
    TRY(const std::string part, read_file(file.string(), kMostPartBytes));
    whole["parts"][name] = base64({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
  }
  whole["version"] = whole.contains("beside") ? kSessionVersion : kSessionOfParts;
  TRY_OK(write_file(to, whole.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  return true;
}

Status take_in_parts(const std::string& path) {
  TRY(const bool taken, write_with_parts(path, path));
  std::error_code ignored;
  for (const int which : {1, 2})
    for (const char* ending : {kModelEnding, kPinnedEnding, kRunEnding})
      if (taken) fs::remove_all(session_beside(path, which) + ending, ignored);
  return Done{};
}

Result<std::string> put_out_parts(Json& file, const std::string& path, const std::string& beside) {
  const auto parts = file.find("parts");
  if (parts == file.end()) return beside;
  const Error damaged = damaged_session(path, Text::of("error.session.file.parts"));
  if (!parts->is_object()) return damaged;
  TRY(const std::string place, put_out().next());
  for (const auto& [name, word] : parts->items()) {
    if (!is_part_name(name) || !word.is_string()) return damaged;
    const Result<std::string> bytes = from_base64(word.get_ref<const std::string&>());
    if (!bytes) return damaged;
    std::error_code ignored;
    fs::create_directory(fs::path(place + name).parent_path(), ignored);
    TRY_OK(write_file(place + name, *bytes));
  }
  file.erase(parts);
  allow_file(fs::path(place).parent_path().string());
  return place;
}

bool is_put_out(const std::string& path) { return put_out().holds(path); }

}  // namespace attnscope
