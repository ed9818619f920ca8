#include "core/io/gguf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "core/base/text.h"
#include "core/io/gguf_cursor.h"

namespace attnscope {
namespace {

constexpr std::uint32_t kDefaultAlignment = 32;
constexpr std::uint32_t kMostDims = 4;
constexpr std::uint64_t kLargestGguf = std::uint64_t{1} << 60;

unsigned long long gguf_wide(std::uint64_t value) { return value; }

struct GgufFormat {
  std::string_view name;
  std::optional<DType> type;  // nothing: known by name, not expanded here
};
// By their numbers in files.
constexpr std::array<GgufFormat, 42> kFormats{{{"F32", DType::f32},
                                               {"F16", DType::f16},
                                               {"Q4_0", DType::q4_0},
                                               {"Q4_1", DType::q4_1},
                                               {"Q4_2", {}},
                                               {"Q4_3", {}},
                                               {"Q5_0", DType::q5_0},
                                               {"Q5_1", DType::q5_1},
                                               {"Q8_0", DType::q8_0},
                                               {"Q8_1", {}},
                                               {"Q2_K", DType::q2_k},
                                               {"Q3_K", DType::q3_k},
                                               {"Q4_K", DType::q4_k},
                                               {"Q5_K", DType::q5_k},
                                               {"Q6_K", DType::q6_k},
                                               {"Q8_K", {}},
                                               {"IQ2_XXS", {}},
                                               {"IQ2_XS", {}},
                                               {"IQ3_XXS", {}},
                                               {"IQ1_S", {}},
                                               {"IQ4_NL", DType::iq4_nl},
                                               {"IQ3_S", {}},
                                               {"IQ2_S", {}},
                                               {"IQ4_XS", DType::iq4_xs},
                                               {"I8", DType::i8},
                                               {"I16", DType::i16},
                                               {"I32", DType::i32},
                                               {"I64", DType::i64},
                                               {"F64", DType::f64},
                                               {"IQ1_M", {}},
                                               {"BF16", DType::bf16},
                                               {"Q4_0_4_4", {}},
                                               {"Q4_0_4_8", {}},
                                               {"Q4_0_8_8", {}},
                                               {"TQ1_0", {}},
                                               {"TQ2_0", {}},
                                               {"IQ4_NL_4_4", {}},
                                               {"IQ4_NL_4_8", {}},
                                               {"IQ4_NL_8_8", {}},
                                               {"MXFP4", DType::mxfp4},
                                               {"NVFP4", {}},
                                               {"Q1_0", {}}}};

const GgufFormat* format_of(std::uint32_t number) {
  return number < kFormats.size() ? &kFormats[number] : nullptr;
}

// The version; other magic numbers give an error that identifies the file.
Result<std::uint32_t> read_version(GgufCursor& cursor) {
  TRY(const std::uint32_t magic, cursor.number<std::uint32_t>(Text::of("error.io.gguf.magic")));
  if (magic == 0x47475546u)  // "FUGG"
    return fail(Code::unsupported, "error.io.gguf.big_endian", {cursor.what()});
  if (magic != 0x46554747u) return fail(Code::bad_format, "error.io.gguf.none", {cursor.what()});
  TRY(const std::uint32_t version, cursor.number<std::uint32_t>(Text::of("error.io.gguf.version")));
  if (version == 2 || version == 3) return version;
  const std::uint32_t swapped = __builtin_bswap32(version);
  if (swapped >= 1 && swapped <= 3)
    return fail(Code::unsupported, "error.io.gguf.big_endian_version", {cursor.what(), swapped});
  return fail(Code::unsupported, version == 1 ? "error.io.gguf.version_1" : "error.io.gguf.version_new",
              {cursor.what(), version});
}

Status gguf_read_metadata(GgufCursor& cursor, std::uint64_t count, Gguf& out) {
  // An entry takes at least 13 bytes, a tensor 24: larger counts are lies.
  if (count > cursor.left() / 13)
    return cursor.damaged(Text::of("error.io.gguf.entries", {gguf_wide(count), gguf_wide(cursor.left())}));
  for (std::uint64_t i = 0; i < count; ++i) {
    TRY(const std::string_view key, cursor.text(Text::of("error.io.gguf.entry", {i})));
    const Text of = Text::of("error.io.gguf.metadata", {in_quotes(key)});
    TRY(const std::uint32_t type, cursor.number<std::uint32_t>(of));
    TRY(const GgufValue value, cursor.value(type, of));
    if (!out.metadata.emplace(std::string(key), value).second)
      return cursor.damaged(Text::of("error.io.gguf.twice", {of}));
  }
  return Done{};
}

// The number after which data may begin: a power of two.
Result<std::uint64_t> alignment_of(const Gguf& file, const GgufCursor& cursor) {
  const GgufValue* value = file.find("general.alignment");
  if (!value) return std::uint64_t{kDefaultAlignment};
  const auto number = value->integer();
  if (!number || *number < 1 || *number > (1 << 24) ||
      !std::has_single_bit(static_cast<std::uint64_t>(*number)))
    return cursor.damaged(Text::of("error.io.gguf.alignment"));
  return static_cast<std::uint64_t>(*number);
}

Error unknown_format(const GgufCursor& cursor, const Text& tensor, std::uint32_t number) {
  const GgufFormat* known = format_of(number);
  const Text name = known ? Text(known->name) : Text::of("error.io.gguf.number", {number});
  return fail(Code::unsupported, "error.io.gguf.format", {cursor.what(), tensor, name});
}

// Dimensions in the file's order (row length first) -> shape, row-major.
Result<std::vector<std::int64_t>> gguf_read_shape(GgufCursor& cursor, const Text& of) {
  TRY(const std::uint32_t dims, cursor.number<std::uint32_t>(of));
  if (dims < 1 || dims > kMostDims) return cursor.damaged(Text::of("error.io.gguf.dimensions", {of, dims}));
  std::vector<std::int64_t> shape;
  std::uint64_t product = 1;
  for (std::uint32_t d = 0; d < dims; ++d) {
    TRY(const std::uint64_t size, cursor.number<std::uint64_t>(of));
    if (size < 1 || size > kLargestGguf / product)
      return cursor.damaged(Text::of("error.io.gguf.size", {of, gguf_wide(size)}));
    product *= size;
    shape.push_back(static_cast<std::int64_t>(size));
  }
  std::reverse(shape.begin(), shape.end());
  return shape;
}

// One description; the offset counts from the start of the data.
Result<TensorInfo> read_info(GgufCursor& cursor, std::uint64_t index) {
  TRY(const std::string_view name, cursor.text(Text::of("error.io.gguf.name", {index})));
  TensorInfo info;
  info.name = std::string(name);
  const Text of = Text::of("error.io.gguf.tensor", {in_quotes(name)});
  TRY(info.shape, gguf_read_shape(cursor, of));
  TRY(const std::uint32_t number, cursor.number<std::uint32_t>(of));
  TRY(info.offset, cursor.number<std::uint64_t>(of));
  const GgufFormat* known = format_of(number);
  if (!known || !known->type) return unknown_format(cursor, of, number);
  info.dtype = *known->type;
  if (info.shape.back() % block_values(info.dtype) != 0)
    return cursor.damaged(
        Text::of("error.io.gguf.blocks", {of, info.shape.back(), block_values(info.dtype), known->name}));
  const auto blocks = static_cast<std::uint64_t>(value_count(info.shape) / block_values(info.dtype));
  if (blocks > kLargestGguf / static_cast<std::uint64_t>(dtype_bytes(info.dtype)))
    return cursor.damaged(Text::of("error.io.gguf.shape", {of, shape_text(info.shape)}));
  info.bytes = blocks * static_cast<std::uint64_t>(dtype_bytes(info.dtype));
  return info;
}

Status check_place(const GgufCursor& cursor, const TensorInfo& info, std::uint64_t alignment,
                   std::uint64_t room) {
  const Text of = Text::of("error.io.gguf.tensor", {in_quotes(info.name)});
  if (info.offset % alignment != 0)
    return cursor.damaged(
        Text::of("error.io.gguf.begin", {of, gguf_wide(info.offset), gguf_wide(alignment)}));
  if (info.offset > room || info.bytes > room - info.offset)
    return cursor.damaged(Text::of("error.io.gguf.past_end",
                                   {of, gguf_wide(info.offset), gguf_wide(info.bytes), gguf_wide(room)}));
  return Done{};
}

// Sorted by place, with offsets counted from the start of the file.
Result<std::vector<TensorInfo>> read_infos(GgufCursor& cursor, std::uint64_t count, std::uint64_t alignment,
                                           std::uint64_t file_size) {
  if (count > cursor.left() / 24)
    return cursor.damaged(Text::of("error.io.gguf.tensors", {gguf_wide(count), gguf_wide(cursor.left())}));
  std::vector<TensorInfo> infos;
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < count; ++i) {
    TRY(TensorInfo info, read_info(cursor, i));
    if (!names.insert(info.name).second)
      return cursor.damaged(Text::of("error.io.gguf.tensor_twice", {in_quotes(info.name)}));
    infos.push_back(std::move(info));
  }
  const std::uint64_t begin = (cursor.at() + alignment - 1) / alignment * alignment;
  const std::uint64_t room = begin <= file_size ? file_size - begin : 0;
  std::stable_sort(infos.begin(), infos.end(),
                   [](const TensorInfo& a, const TensorInfo& b) { return a.offset < b.offset; });
  for (std::size_t i = 0; i < infos.size(); ++i) {
    TRY_OK(check_place(cursor, infos[i], alignment, room));
    if (i > 0 && infos[i].offset < infos[i - 1].offset - begin + infos[i - 1].bytes)
      return cursor.damaged(
          Text::of("error.io.gguf.overlap", {in_quotes(infos[i].name), in_quotes(infos[i - 1].name)}));
    infos[i].offset += begin;
  }
  return infos;
}

}  // namespace

const GgufValue* Gguf::find(std::string_view key) const {
  const auto found = metadata.find(key);
  return found == metadata.end() ? nullptr : &found->second;
}

Result<Gguf> open_gguf_bytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                             const std::string& what) {
  GgufCursor cursor(bytes, what);
  Gguf out;
  out.what = what;
  TRY(out.version, read_version(cursor));
  TRY(const std::uint64_t tensors, cursor.number<std::uint64_t>(Text::of("error.io.gguf.tensor_count")));
  TRY(const std::uint64_t entries, cursor.number<std::uint64_t>(Text::of("error.io.gguf.entry_count")));
  TRY_OK(gguf_read_metadata(cursor, entries, out));
  TRY(const std::uint64_t alignment, alignment_of(out, cursor));
  TRY(std::vector<TensorInfo> infos, read_infos(cursor, tensors, alignment, bytes.size()));
  out.owners.push_back(owner);
  out.tensors = std::make_shared<BytesSource>(std::move(owner), bytes, what, std::move(infos));
  return out;
}

}  // namespace attnscope
