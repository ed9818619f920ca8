// The weights of a model folder in safetensors files: one file, or shards named by an index.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kOneFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// A shard name that stays inside the folder: relative, without "..".
bool stays_inside(const std::string& shard) {
  if (shard.empty() || shard.find('\0') != std::string::npos || fs::path(shard).is_absolute()) return false;
  const fs::path path(shard);
  return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

// {tensor name: shard file} of the index.
Result<std::map<std::string, std::string>> read_weight_map(const fs::path& index) {
  TRY(const Json object, read_json_file(index.string()));
  const std::string what = quoted_path(index.string());
  const auto map = object.is_object() ? object.find("weight_map") : object.end();
  if (!object.is_object() || map == object.end() || !map->is_object() || map->empty())
    return fail(Code::bad_format, "error.io.shards.no_map", {what});
  std::map<std::string, std::string> shards;
  for (const auto& [name, shard] : map->items()) {
    if (!shard.is_string() || !stays_inside(shard.get<std::string>()))
      return fail(
          Code::bad_format, "error.io.shards.name",
          {what, in_quotes(name), in_quotes(shard.dump(-1, ' ', true, Json::error_handler_t::replace))});
    shards[name] = shard.get<std::string>();
  }
  return shards;
}

Result<std::shared_ptr<TensorSource>> open_shards(const fs::path& folder) {
  const std::string what = quoted_path((folder / kIndexFile).string());
  TRY(const auto shard_of, read_weight_map(folder / kIndexFile));
  std::vector<std::shared_ptr<TensorSource>> parts;
  std::map<std::string, std::size_t> part_of_file, part_of_tensor;
  for (const auto& [name, file] : shard_of) {
    if (!part_of_file.count(file)) {
      if (!is_file(folder / file))
        return fail(Code::not_found, "error.io.shards.missing", {in_quotes(file), what});
      TRY(auto part, open_safetensors((folder / file).string()));
      part_of_file[file] = parts.size();
      parts.push_back(std::move(part));
    }
    const std::size_t part = part_of_file[file];
    if (!parts[part]->find(name))
      return fail(Code::bad_format, "error.io.shards.not_in", {what, in_quotes(name), in_quotes(file)});
    part_of_tensor[name] = part;
  }
  return std::shared_ptr<TensorSource>(
      std::make_shared<JoinedSource>(std::move(parts), part_of_tensor, what));
}

std::vector<std::string> file_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::shared_ptr<TensorSource>> open_only_file(const fs::path& folder) {
  std::vector<std::string> found, pickled;
  for (const std::string& name : file_names(folder)) {
    if (ends_with(name, ".safetensors")) found.push_back(name);
    if (ends_with(name, ".bin") || ends_with(name, ".pt") || ends_with(name, ".pth")) pickled.push_back(name);
  }
  if (found.size() == 1) return open_safetensors((folder / found[0]).string());
  const std::string where = quoted_path(folder.string());
  if (found.size() > 1)
    return fail(Code::not_found, "error.io.folder.many",
                {where, std::to_string(found.size()), kOneFile, kIndexFile});
  if (!pickled.empty())
    return fail(Code::unsupported, "error.io.folder.pickled", {where, in_quotes(pickled[0])});
  return fail(Code::not_found, "error.io.folder.none", {where, kOneFile});
}

}  // namespace

Result<std::shared_ptr<TensorSource>> open_safetensors_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fail(Code::not_found, "error.io.folder.missing", {quoted_path(folder)});
  const fs::path path(folder);
  if (is_file(path / kOneFile)) return open_safetensors((path / kOneFile).string());
  if (is_file(path / kIndexFile)) return open_shards(path);
  return open_only_file(path);
}

}  // namespace attnscope
