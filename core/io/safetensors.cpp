#include "core/io/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::size_t kMostHeaderValues = std::size_t{2} << 20;   // of some 230,000 tensors
constexpr std::uint64_t kMostDataBytes = std::uint64_t{1} << 60;  // that a header may tell of

Error safetensors_damaged(const std::string& what, const Text& sentence) {
  return fail(Code::bad_format, "error.io.safetensors", {what, sentence});
}

// The JSON text between the length and the data.
Result<std::string_view> header_text(std::span<const std::byte> bytes, const std::string& what) {
  if (bytes.size() < kLengthBytes)
    return safetensors_damaged(what, Text::of("error.io.safetensors.short", {bytes.size()}));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  const char* text = reinterpret_cast<const char*>(bytes.data()) + kLengthBytes;
  if (length > kMaxHeaderBytes)
    return safetensors_damaged(what, Text::of("error.io.safetensors.long_header", {length}));
  if (length > bytes.size() - kLengthBytes)
    return safetensors_damaged(
        what, Text::of("error.io.safetensors.cut_header", {length, bytes.size() - kLengthBytes}));
  if (length == 0 || text[0] != '{') return safetensors_damaged(what, Text::of("error.io.safetensors.brace"));
  return std::string_view(text, static_cast<std::size_t>(length));
}

Result<std::map<std::string, std::string>> safetensors_read_metadata(const Json& object,
                                                                     const std::string& what) {
  std::map<std::string, std::string> out;
  if (!object.is_object()) return safetensors_damaged(what, Text::of("error.io.safetensors.metadata"));
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string())
      return safetensors_damaged(what, Text::of("error.io.safetensors.metadata_text", {in_quotes(key)}));
    out[key] = value.get<std::string>();
  }
  return out;
}

// Bytes of a shape; nothing when they do not fit. Sizes of 0 count as 1 in the check, so that no other size
// of an empty tensor can be absurd.
std::optional<std::uint64_t> shape_bytes(const std::vector<std::int64_t>& shape, DType dtype) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 60;
  auto product = static_cast<std::uint64_t>(dtype_bytes(dtype));
  bool none = false;
  for (std::int64_t size : shape) {
    none = none || size == 0;
    const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    if (factor > limit / product) return std::nullopt;
    product *= factor;
  }
  if (none && product > (std::uint64_t{1} << 24)) return std::nullopt;
  return none ? 0 : product;
}

Result<std::vector<std::int64_t>> safetensors_read_shape(const Json& entry, const std::string& name,
                                                         const std::string& what) {
  const auto it = entry.find("shape");
  if (it == entry.end() || !it->is_array())
    return safetensors_damaged(what, Text::of("error.io.safetensors.no_shape", {in_quotes(name)}));
  std::vector<std::int64_t> shape;
  for (const Json& size : *it) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::uint64_t{1} << 60)
      return safetensors_damaged(
          what, Text::of("error.io.safetensors.size",
                         {in_quotes(name),
                          in_quotes(size.dump(-1, ' ', true, Json::error_handler_t::replace), 40)}));
    shape.push_back(size.get<std::int64_t>());
  }
  return shape;
}

Result<DType> read_dtype(const Json& entry, const std::string& name, const std::string& what) {
  const auto it = entry.find("dtype");
  if (it == entry.end() || !it->is_string())
    return safetensors_damaged(what, Text::of("error.io.safetensors.no_type", {in_quotes(name)}));
  const auto& text = it->get_ref<const std::string&>();
  if (const auto dtype = dtype_from_name(text)) return *dtype;
  return fail(Code::unsupported, "error.io.safetensors.type", {what, in_quotes(name), in_quotes(text, 40)});
}

// data_offsets [begin, end) within the data.
Result<std::array<std::uint64_t, 2>> read_offsets(const Json& entry, const std::string& name,
                                                  std::uint64_t data_size, const std::string& what) {
  const auto it = entry.find("data_offsets");
  const bool good = it != entry.end() && it->is_array() && it->size() == 2 && (*it)[0].is_number_unsigned() &&
                    (*it)[1].is_number_unsigned();
  if (!good) return safetensors_damaged(what, Text::of("error.io.safetensors.no_offsets", {in_quotes(name)}));
  const auto begin = (*it)[0].get<std::uint64_t>(), end = (*it)[1].get<std::uint64_t>();
  const std::string range =
      format("[%llu, %llu)", static_cast<unsigned long long>(begin), static_cast<unsigned long long>(end));
  if (begin > end)
    return safetensors_damaged(what, Text::of("error.io.safetensors.backwards", {in_quotes(name), range}));
  if (end > data_size)
    return safetensors_damaged(
        what, Text::of("error.io.safetensors.past_end", {in_quotes(name), range, data_size}));
  return std::array{begin, end};
}

// One header entry; the offset is counted from the start of the data.
Result<TensorInfo> read_entry(const std::string& name, const Json& entry, std::uint64_t data_size,
                              const std::string& what) {
  if (!entry.is_object())
    return safetensors_damaged(what, Text::of("error.io.safetensors.no_object", {in_quotes(name)}));
  TensorInfo info;
  info.name = name;
  TRY(info.dtype, read_dtype(entry, name, what));
  TRY(info.shape, safetensors_read_shape(entry, name, what));
  TRY(const auto range, read_offsets(entry, name, data_size, what));
  info.offset = range[0];
  info.bytes = range[1] - range[0];
  const auto expected = shape_bytes(info.shape, info.dtype);
  const std::string described = std::string(dtype_name(info.dtype)) + " " + shape_text(info.shape);
  if (!expected)
    return safetensors_damaged(what, Text::of("error.io.safetensors.shape", {in_quotes(name), described}));
  if (*expected != info.bytes)
    return safetensors_damaged(
        what, Text::of("error.io.safetensors.bytes", {in_quotes(name), described, *expected, info.bytes}));
  return info;
}

// Sorted by place, the tensors must follow one another without a gap and end where the file ends.
Status check_cover(const std::vector<TensorInfo>& infos, std::uint64_t data_size, const std::string& what) {
  std::uint64_t at = 0;
  const TensorInfo* before = nullptr;
  for (const TensorInfo& info : infos) {
    if (info.offset < at)
      return safetensors_damaged(
          what, Text::of("error.io.safetensors.overlap", {in_quotes(info.name), in_quotes(before->name)}));
    if (info.offset > at)
      return safetensors_damaged(
          what, Text::of("error.io.safetensors.hole", {info.offset - at, in_quotes(info.name)}));
    at = info.offset + info.bytes;
    before = &info;
  }
  if (at < data_size)
    return safetensors_damaged(what, Text::of("error.io.safetensors.rest", {data_size - at}));
  return Done{};
}

// Tensors that reach past the end of the file: their names, and the others.
void take_cut(std::vector<TensorInfo>& infos, std::uint64_t data_size, std::vector<std::string>& cut) {
  const auto first = std::find_if(infos.begin(), infos.end(), [&](const TensorInfo& info) {
    return info.offset + info.bytes > data_size;
  });
  for (auto one = first; one != infos.end(); ++one) cut.push_back(one->name);
  infos.erase(first, infos.end());
}

std::shared_ptr<TensorSource> as_source(BytesSource source) {
  return std::make_shared<BytesSource>(std::move(source));
}

}  // namespace

Result<std::shared_ptr<TensorSource>> open_safetensors_bytes(std::shared_ptr<const void> owner,
                                                             std::span<const std::byte> bytes,
                                                             const std::string& what,
                                                             std::vector<std::string>* cut) {
  TRY(const std::string_view text, header_text(bytes, what));
  TRY(const Json header, parse_json(text, what + ": the header", TwiceKeys::refuse, kMostHeaderValues));
  const std::uint64_t data_begin = kLengthBytes + text.size(), data_size = bytes.size() - data_begin;
  std::vector<TensorInfo> infos;
  std::map<std::string, std::string> metadata;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      TRY(metadata, safetensors_read_metadata(entry, what));
    } else {
      TRY(TensorInfo info, read_entry(name, entry, cut ? kMostDataBytes : data_size, what));
      infos.push_back(std::move(info));
    }
  }
  std::stable_sort(infos.begin(), infos.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.bytes < b.bytes;
  });
  const std::uint64_t told = infos.empty() ? 0 : infos.back().offset + infos.back().bytes;
  TRY_OK(check_cover(infos, cut ? std::max(told, data_size) : data_size, what));
  if (cut) take_cut(infos, data_size, *cut);
  for (TensorInfo& info : infos) info.offset += data_begin;
  return as_source(BytesSource(std::move(owner), bytes, what, std::move(infos), std::move(metadata)));
}

Result<std::shared_ptr<TensorSource>> open_safetensors(const std::string& path,
                                                       std::vector<std::string>* cut) {
  TRY(const auto file, MappedFile::open(path));
  return open_safetensors_bytes(file, file->bytes(), quoted_path(path), cut);
}

}  // namespace attnscope
