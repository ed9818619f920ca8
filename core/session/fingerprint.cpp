#include "core/session/fingerprint.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/session/session_file.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"
#include "core/tensor/tensor_hash.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kSampled = 64;                             // values of each weight, in old sessions
constexpr std::int64_t kLarge = std::int64_t{1} << 25;            // parameters worth a file of hashes
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{8} << 20;  // of the file of hashes
constexpr std::uint64_t kMostConfigBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostKept = 16;  // models in it

std::string text_of(std::uint64_t hash) { return format("%016llx", static_cast<unsigned long long>(hash)); }

// ---- the cache ------------------------------------------------------------------------------------

// Of models that are still in memory.
struct InMemory {
  std::weak_ptr<const Model> model;
  WeightPrints prints;
};
std::mutex in_memory_mutex;
std::vector<InMemory>& in_memory() {
  static std::vector<InMemory> all;
  return all;
}

WeightPrints remembered(const std::shared_ptr<const Model>& model) {
  const std::lock_guard lock(in_memory_mutex);
  std::erase_if(in_memory(), [](const InMemory& one) { return one.model.expired(); });
  for (const InMemory& one : in_memory())
    if (one.model.lock() == model) return one.prints;
  return {};
}

void remember(const std::shared_ptr<const Model>& model, const WeightPrints& prints) {
  const std::lock_guard lock(in_memory_mutex);
  in_memory().push_back({model, prints});
}

std::string state_of(const std::vector<ReadFile>& files) {
  Hash hash;
  for (const ReadFile& file : files) {
    hash.take(file.path);
    for (const std::uint64_t number : {file.stamp.device, file.stamp.inode, file.stamp.bytes,
                                       static_cast<std::uint64_t>(file.stamp.modified_ns),
                                       static_cast<std::uint64_t>(file.stamp.changed_ns)})
      hash.take(number);
  }
  return text_of(hash.value());
}

bool holds_weights(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return path.extension() == ".safetensors" || path.extension() == ".gguf" || path.extension() == ".npz" ||
         path.extension() == ".npy" || name.ends_with(".index.json");
}

WeightPrints prints_of(const OpenedModel& opened) {
  WeightPrints out;
  for (const auto& [name, tensor] : opened.model->weights().all())
    if (!tensor.empty()) out[name] = print_of(tensor);
  for (std::size_t i = 0; i < opened.recorded.size(); ++i)
    for (const Record& record : opened.recorded[i]->records())
      if (!record.derived && !record.value().empty())
        out["seq" + std::to_string(i) + "." + to_text(record.site)] = print_of(record.value());
  return out;
}

}  // namespace

std::string print_of(const Tensor& tensor) { return text_of(hash_of(tensor)); }

WeightPrints weight_prints(const OpenedModel& opened) {
  if (WeightPrints known = remembered(opened.model); !known.empty()) return known;
  const std::string folder = config_folder();
  const bool large = opened.model->weights().parameter_count() >= kLarge && !opened.files.empty();
  const KeptPrints kept(folder + "/prints.json");
  WeightPrints out;
  if (large && !folder.empty()) out = kept.find(opened.files);
  if (out.empty()) {
    out = prints_of(opened);
    if (large && !folder.empty() && intact(opened.files) && make_folder(folder)) kept.keep(opened.files, out);
  }
  remember(opened.model, out);
  return out;
}

WeightPrints file_prints(const OpenedModel& opened) {
  WeightPrints out;
  for (const ReadFile& file : opened.files) {
    const std::filesystem::path path(file.path);
    if (file.stamp.bytes > kMostConfigBytes || holds_weights(path) || file.newer()) continue;
    const Result<std::string> text = read_file(file.path, kMostConfigBytes);
    if (!text) continue;
    Hash hash;
    hash.take(*text);
    out[path.filename().string()] = text_of(hash.value());
  }
  return out;
}

std::string model_fingerprint(const OpenedModel& opened) {
  Hash hash;
  for (const WeightPrints& prints : {weight_prints(opened), file_prints(opened)})
    for (const auto& [name, print] : prints) {
      hash.take(name);
      hash.take(print);
    }
  return text_of(hash.value());
}

std::vector<std::string> differing_weights(const WeightPrints& saved, const WeightPrints& now) {
  std::vector<std::string> out;
  for (const auto& [name, print] : saved)
    if (const auto found = now.find(name); found == now.end() || found->second != print) out.push_back(name);
  for (const auto& [name, print] : now)
    if (!saved.contains(name)) out.push_back(name);
  return out;
}

Json KeptPrints::read() const {
  const Result<Json> file = read_json_file(path_, kMostKeptBytes);
  return file && file->is_array() ? *file : Json::array();
}

WeightPrints KeptPrints::find(const std::vector<ReadFile>& files) const {
  const std::string state = state_of(files);
  for (const Json& one : read()) {
    if (!one.is_object() || one.value("files", Json()) != Json(state)) continue;
    WeightPrints out;
    const Json weights = one.value("weights", Json::object());
    for (const auto& [name, print] : weights.items())
      if (print.is_string()) out[name] = print.get<std::string>();
    return out;
  }
  return {};
}

void KeptPrints::keep(const std::vector<ReadFile>& files, const WeightPrints& prints) const {
  Json all = Json::array({{{"files", state_of(files)}, {"weights", prints}}});
  for (Json& one : read())
    if (all.size() < kMostKept) all.push_back(std::move(one));
  (void)write_file(path_, all.dump(1) + "\n");
}

std::string fingerprint(const Tensor& tensor) {
  Hash hash;
  for (const std::int64_t size : tensor.sizes()) hash.take(static_cast<std::uint64_t>(size));
  for (const float value : tensor.values()) hash.take(std::bit_cast<std::uint32_t>(value));
  return text_of(hash.value());
}

std::string sampled_fingerprint(const Model& model) {
  Hash hash;
  for (const auto& [name, tensor] : model.weights().all()) {
    hash.take(name);
    std::vector<std::int64_t> at(static_cast<std::size_t>(tensor.rank()), 0);
    for (const std::int64_t size : tensor.sizes()) hash.take(static_cast<std::uint64_t>(size));
    const std::int64_t count = tensor.count();
    for (std::int64_t i = 0; i < std::min(count, kSampled); ++i) {
      std::int64_t flat = count <= kSampled ? i : i * (count - 1) / (kSampled - 1);
      for (int d = tensor.rank(); d-- > 0; flat /= tensor.size(d))
        at[static_cast<std::size_t>(d)] = flat % tensor.size(d);
      hash.take(std::bit_cast<std::uint32_t>(tensor.at(at)));
    }
  }
  return text_of(hash.value());
}

}  // namespace attnscope
