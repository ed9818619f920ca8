// A checkpoint in memory that a test changes and writes to a folder: other names, other dtypes, other
// configs, shards.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/golden/helpers.h"

namespace attnscope::testing {

struct RawTensor {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Round to nearest even; the test's numbers are normal and far below 65504.
inline std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const int exponent = static_cast<int>((bits >> 23) & 0xffu) - 112;
  if (exponent <= 0) return static_cast<std::uint16_t>(sign);  // below 6e-5: zero is near enough here
  const std::uint32_t mantissa = bits & 0x7fffffu;
  std::uint32_t half = (static_cast<std::uint32_t>(exponent) << 10) | (mantissa >> 13);
  const std::uint32_t rest = mantissa & 0x1fffu;
  half += rest > 0x1000u || (rest == 0x1000u && (half & 1u));
  return static_cast<std::uint16_t>(sign | half);
}

class CheckpointFolder {
 public:
  explicit CheckpointFolder(const std::string& model) {
    config = *read_json_file(model_path(model) + "/config.json");
    const auto source = *open_safetensors(model_path(model) + "/model.safetensors");
    for (const TensorInfo& info : source->infos())
      tensors.push_back({info.name, "F32", info.shape, bytes_of(source->load(info.name)->values())});
  }

  RawTensor& at(const std::string& name) {
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const RawTensor& t) { return t.name == name; });
    EXPECT_NE(found, tensors.end()) << name;
    return *found;
  }
  void rename(const std::string& from, const std::string& to) {
    for (RawTensor& tensor : tensors)
      if (starts_with(tensor.name, from)) tensor.name = to + tensor.name.substr(from.size());
  }
  void add(const std::string& name, std::vector<std::int64_t> shape, float value) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    const std::vector<float> values(static_cast<std::size_t>(count), value);
    tensors.push_back({name, "F32", std::move(shape), bytes_of(values)});
  }
  /// Every tensor whose name holds `part`.
  void erase(const std::string& part) {
    std::erase_if(tensors, [&](const RawTensor& t) { return t.name.find(part) != std::string::npos; });
  }
  /// Every `from` in a name becomes `to`.
  void respell(const std::string& from, const std::string& to) {
    for (RawTensor& tensor : tensors)
      if (const std::size_t at = tensor.name.find(from); at != std::string::npos)
        tensor.name.replace(at, from.size(), to);
  }
  void to_half() { to_sixteen_bits("F16", half_of); }
  /// The upper half of each float: what a BF16 file loses, the F32 file beside it keeps.
  void to_bfloat() {
    to_sixteen_bits("BF16", [](float value) {
      return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
    });
  }
  void to_sixteen_bits(const std::string& dtype, std::uint16_t (*rounded)(float)) {
    for (RawTensor& tensor : tensors) {
      std::vector<std::uint16_t> halves;
      for (std::size_t i = 0; i < tensor.bytes.size(); i += 4) {
        float value = 0;
        std::memcpy(&value, tensor.bytes.data() + i, 4);
        halves.push_back(rounded(value));
      }
      tensor.dtype = dtype;
      tensor.bytes = bytes_of(halves);
    }
  }

  static void write_file(const std::string& path, const std::vector<RawTensor>& tensors) {
    Json header = Json::object();
    std::string data;
    for (const RawTensor& tensor : tensors) {
      header[tensor.name] = {{"dtype", tensor.dtype},
                             {"shape", tensor.shape},
                             {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
      data += tensor.bytes;
    }
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    std::ofstream file(path, std::ios::binary);
    file << std::string(reinterpret_cast<const char*>(&length), 8) << text << data;
  }
  void write(const std::string& folder) const {
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/config.json") << config.dump(1);
    write_file(folder + "/model.safetensors", tensors);
  }
  /// Every third tensor in a shard of its own, and the index that says so.
  void write_sharded(const std::string& folder) const {
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/config.json") << config.dump(1);
    Json map = Json::object();
    for (std::size_t shard = 0; shard < 3; ++shard) {
      const std::string name = "model-0000" + std::to_string(shard + 1) + "-of-00003.safetensors";
      std::vector<RawTensor> part;
      for (std::size_t i = shard; i < tensors.size(); i += 3) {
        part.push_back(tensors[i]);
        map[tensors[i].name] = name;
      }
      write_file(folder + "/" + name, part);
    }
    std::ofstream(folder + "/model.safetensors.index.json")
        << Json{{"metadata", Json::object()}, {"weight_map", map}};
  }

  Json config;
  std::vector<RawTensor> tensors;
};

}  // namespace attnscope::testing
