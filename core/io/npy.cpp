#include "core/io/npy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/base/text.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The text after `'key':` in a NumPy header dictionary, without leading blanks.
std::optional<std::string_view> after_key(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = dictionary.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::optional<DType> dtype_of(std::string_view descr) {
  struct Row {
    std::string_view descr;
    DType type;
  };
  constexpr std::array<Row, 9> rows{{{"<f4", DType::f32},
                                     {"<f2", DType::f16},
                                     {"<f8", DType::f64},
                                     {"<i8", DType::i64},
                                     {"<i4", DType::i32},
                                     {"<i2", DType::i16},
                                     {"|i1", DType::i8},
                                     {"|u1", DType::u8},
                                     {"|b1", DType::boolean}}};
  for (const Row& row : rows)
    if (row.descr == descr) return row.type;
  return std::nullopt;
}

// "(2, 3)" -> {2, 3}; nothing when it is not a tuple of whole numbers or absurd.
std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
  const std::size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos) return std::nullopt;
  std::vector<std::int64_t> shape;
  std::int64_t product = 1;  // sizes of 0 count as 1, so that no other size of an empty array can be absurd
  bool none = false;
  for (const std::string& part : split(text.substr(1, close - 1), ',')) {
    std::int64_t size = 0;
    bool digits = false;
    for (char c : part) {
      if (c == ' ') continue;
      if (c < '0' || c > '9' || size > (std::int64_t{1} << 40)) return std::nullopt;
      size = size * 10 + (c - '0');
      digits = true;
    }
    if (!digits) continue;  // the comma after a single size
    none = none || size == 0;
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(size, 1), &product)) return std::nullopt;
    shape.push_back(size);
  }
  if (product > (std::int64_t{1} << (none ? 24 : 56))) return std::nullopt;
  return shape;
}

// The header dictionary and where the values begin.
struct Header {
  std::string_view dictionary;
  std::size_t data = 0;
};

std::optional<Header> header_of(std::string_view text) {
  if (!starts_with(text, kMagic) || text.size() < 12) return std::nullopt;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t start = byte(6) >= 2 ? 12 : 10;
  std::size_t length = byte(8) | byte(9) << 8;
  if (byte(6) >= 2) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start) return std::nullopt;
  return Header{text.substr(start, length), start + length};
}

Error npy_damaged(const std::string& what, const Text& sentence) {
  return fail(Code::bad_format, "error.io.npy", {what, sentence});
}

}  // namespace

std::string npy_header(std::string_view descr, const std::vector<std::int64_t>& shape) {
  std::vector<std::string> sizes;
  for (std::int64_t size : shape) sizes.push_back(std::to_string(size));
  std::string dictionary = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" +
                           join(sizes, ", ") + (shape.size() == 1 ? ",), }" : "), }");
  dictionary.append(63 - (10 + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

Result<TensorInfo> parse_npy(std::span<const std::byte> bytes, std::uint64_t whole, const std::string& name,
                             const std::string& what) {
  const std::string array = in_quotes(name);
  const auto header = header_of(text_of(bytes));
  if (!header) return npy_damaged(what, Text::of("error.io.npy.header", {array}));
  const auto descr = after_key(header->dictionary, "descr"), shape = after_key(header->dictionary, "shape");
  const auto fortran = after_key(header->dictionary, "fortran_order");
  if (!descr || !shape || !fortran) return npy_damaged(what, Text::of("error.io.npy.keys", {array}));
  TensorInfo info;
  info.name = name;
  const std::string_view type = descr->substr(0, 5);  // with its quotes: '<f4'
  const auto dtype = type.size() == 5 ? dtype_of(type.substr(1, 3)) : std::nullopt;
  if (!dtype) return fail(Code::unsupported, "error.io.npy.type", {what, array, in_quotes(type, 16)});
  const auto sizes = shape_of(*shape);
  if (!sizes) return npy_damaged(what, Text::of("error.io.npy.shape", {array, in_quotes(*shape, 40)}));
  if (starts_with(*fortran, "True") && sizes->size() > 1)
    return fail(Code::unsupported, "error.io.npy.fortran", {what, array});
  info.dtype = *dtype;
  info.shape = *sizes;
  info.offset = header->data;
  info.bytes =
      static_cast<std::uint64_t>(value_count(info.shape)) * static_cast<std::uint64_t>(dtype_bytes(*dtype));
  if (info.bytes != whole - header->data)
    return npy_damaged(what, Text::of("error.io.npy.bytes", {array, info.bytes, whole - header->data}));
  return info;
}

Result<std::shared_ptr<TensorSource>> read_npy(const std::string& path) {
  TRY(const auto file, MappedFile::open(path));
  const std::string what = quoted_path(path);
  TRY(TensorInfo info, parse_npy(file->bytes(), file->size(), "array", what));
  return std::shared_ptr<TensorSource>(
      std::make_shared<BytesSource>(file, file->bytes(), what, std::vector<TensorInfo>{std::move(info)}));
}

}  // namespace attnscope
