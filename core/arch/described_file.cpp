// Configs in files: which of them stand alone, and what they describe.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/described.h"
#include "core/base/text.h"
#include "core/io/json_file.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

bool has_weights(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".safetensors") return true;
  return false;
}

}  // namespace

std::optional<std::string> lonely_config(const std::string& path) {
  std::error_code error;
  const fs::path at(path);
  if (fs::is_directory(at, error)) {
    const fs::path config = at / "config.json";
    return fs::exists(config, error) && !has_weights(at) ? std::optional(config.string()) : std::nullopt;
  }
  if (at.extension() != ".json") return std::nullopt;
  const bool with_weights =
      at.filename() == "config.json" && has_weights(at.has_parent_path() ? at.parent_path() : fs::path("."));
  return with_weights ? std::nullopt : std::optional(path);
}

bool is_config_file(const std::string& path) {
  const auto read = read_json_file(path, 1 << 20);
  return read && read->is_object() && !read->contains("format") &&
         (read->contains("model_type") || read->contains("architectures"));
}

Result<Described> describe_config_file(const std::string& path) {
  TRY(const nlohmann::json read, read_json_file(path));
  auto described = describe_config(read, quoted_path(path));
  if (!described) return about(path, described.error());
  described->title = path;
  return described;
}

}  // namespace attnscope
