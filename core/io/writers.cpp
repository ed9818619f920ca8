#include "core/io/writers.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/shortest.h"
#include "core/base/text.h"
#include "core/io/entries.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

std::string json_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json metadata_object(const Metadata& metadata) {
  Json out = Json::object();
  for (const auto& [key, value] : metadata) out[valid_utf8(key)] = valid_utf8(value);
  return out;
}

// Length, header padded so that the data begins at a multiple of 8.
std::string safetensors_header(const std::vector<Entry>& entries, const Metadata& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata_object(metadata);
  std::uint64_t at = 0;
  for (const Entry& entry : entries) {
    header[*entry.name] = {{"dtype", entry.ints ? "I64" : "F32"},
                           {"shape", entry.shape},
                           {"data_offsets", {at, at + entry.bytes}}};
    at += entry.bytes;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

// Writes one number so that reading it gives the same float again.
void write_number(AtomicFile& file, float value) {
  if (std::isnan(value)) return file.write("\"NaN\"");
  if (std::isinf(value)) return file.write(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  file.write(shortest_text(value));
}

void write_number(AtomicFile& file, std::int64_t value) { file.write(std::to_string(value)); }

// Nested lists of the values from `at` on; moves `at` past what was written.
template <class T>
void write_nested(AtomicFile& file, const std::vector<std::int64_t>& shape, std::size_t depth, const T*& at) {
  if (depth == shape.size()) return write_number(file, *at++);
  file.write("[");
  for (std::int64_t i = 0; i < shape[depth]; ++i) {
    if (i > 0) file.write(", ");
    write_nested(file, shape, depth + 1, at);
  }
  file.write("]");
}

void write_json_entry(AtomicFile& file, const Entry& entry) {
  std::vector<std::string> axes(entry.shape.size(), "\"\"");
  for (std::size_t d = 0; entry.tensor && d < axes.size(); ++d)
    axes[d] = json_text(std::string(axis_name(entry.tensor->axis(static_cast<int>(d)))));
  file.write(json_text(*entry.name) + ": {\"shape\": " + Json(entry.shape).dump() + ", \"axes\": [" +
             join(axes, ", ") + "], \"values\": ");
  with_values(entry, [&](const void* data, std::size_t) {
    const auto* ints = static_cast<const std::int64_t*>(data);
    const auto* floats = static_cast<const float*>(data);
    if (entry.ints)
      write_nested(file, entry.shape, 0, ints);
    else
      write_nested(file, entry.shape, 0, floats);
  });
  file.write("}");
}

}  // namespace

Status put_safetensors(AtomicFile& file, const std::string& path, const std::vector<NamedTensor>& tensors,
                       const std::vector<NamedInts>& ints, const Metadata& metadata) {
  TRY(const auto entries, make_entries(path, tensors, ints));
  file.write(safetensors_header(entries, metadata));
  for (const Entry& entry : entries)
    with_values(entry, [&](const void* data, std::size_t bytes) { file.write(data, bytes); });
  return Done{};
}

Status write_safetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                         const std::vector<NamedInts>& ints, const Metadata& metadata) {
  TRY_OK(make_entries(path, tensors, ints));  // names are checked before a file is touched
  TRY(AtomicFile file, AtomicFile::create(path));
  TRY_OK(put_safetensors(file, path, tensors, ints, metadata));
  return file.commit();
}

Status write_json(const std::string& path, const std::vector<NamedTensor>& tensors,
                  const std::vector<NamedInts>& ints, const Metadata& metadata) {
  TRY(const auto entries, make_entries(path, tensors, ints));
  TRY(AtomicFile file, AtomicFile::create(path));
  const char* separator = "{\n";
  if (!metadata.empty()) {
    file.write(separator + ("\"__metadata__\": " + metadata_object(metadata).dump()));
    separator = ",\n";
  }
  for (const Entry& entry : entries) {
    file.write(separator);
    write_json_entry(file, entry);
    separator = ",\n";
  }
  file.write(entries.empty() && metadata.empty() ? "{}\n" : "\n}\n");
  return file.commit();
}

Status write_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                     const std::vector<NamedInts>& ints, const Metadata& metadata) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".safetensors") return write_safetensors(path, tensors, ints, metadata);
  if (extension == ".npz") return write_npz(path, tensors, ints);
  if (extension == ".json") return write_json(path, tensors, ints, metadata);
  if (extension == ".npy" && tensors.size() == 1) return write_npy(path, tensors[0].value);
  if (extension == ".npy")
    return fail(Code::unsupported, "error.io.npy.one", {std::to_string(tensors.size()), quoted_path(path)});
  if (extension.empty() && is_stream(path)) return write_json(path, tensors, ints, metadata);
  return fail(Code::unsupported, "error.io.write.extension", {quoted_path(path), in_quotes(extension)});
}

}  // namespace attnscope
