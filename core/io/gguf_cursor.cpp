#include "core/io/gguf_cursor.h"

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr int kDeepestArray = 4;
constexpr auto kLastType = static_cast<std::uint32_t>(GgufType::f64);

unsigned long long gguf_cursor_wide(std::uint64_t value) { return value; }

template <class T>
T read_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// Calls use(value) with the number of this type at `from`; false where the type is no number.
template <class Use>
bool with_number(GgufType type, const std::byte* from, Use use) {
  switch (type) {
    case GgufType::u8: use(read_as<std::uint8_t>(from)); return true;
    case GgufType::boolean: use(read_as<std::uint8_t>(from) != 0 ? 1 : 0); return true;
    case GgufType::i8: use(read_as<std::int8_t>(from)); return true;
    case GgufType::u16: use(read_as<std::uint16_t>(from)); return true;
    case GgufType::i16: use(read_as<std::int16_t>(from)); return true;
    case GgufType::u32: use(read_as<std::uint32_t>(from)); return true;
    case GgufType::i32: use(read_as<std::int32_t>(from)); return true;
    case GgufType::f32: use(read_as<float>(from)); return true;
    case GgufType::u64: use(read_as<std::uint64_t>(from)); return true;
    case GgufType::i64: use(read_as<std::int64_t>(from)); return true;
    case GgufType::f64: use(read_as<double>(from)); return true;
    case GgufType::text:
    case GgufType::array: return false;
  }
  return false;
}

std::string_view text_at(const std::byte* from) {
  const auto length = static_cast<std::size_t>(read_as<std::uint64_t>(from));
  return {reinterpret_cast<const char*>(from) + sizeof(std::uint64_t), length};
}

}  // namespace

std::uint64_t gguf_width(GgufType type) {
  switch (type) {
    case GgufType::u8:
    case GgufType::i8:
    case GgufType::boolean: return 1;
    case GgufType::u16:
    case GgufType::i16: return 2;
    case GgufType::u32:
    case GgufType::i32:
    case GgufType::f32: return 4;
    case GgufType::u64:
    case GgufType::i64:
    case GgufType::f64: return 8;
    case GgufType::text:
    case GgufType::array: return 0;
  }
  return 0;
}

// ---- values ---------------------------------------------------------------------------------------

std::optional<std::int64_t> GgufValue::integer() const {
  if (type_ == GgufType::f32 || type_ == GgufType::f64) return std::nullopt;
  std::optional<std::int64_t> out;
  with_number(type_, bytes_.data(), [&](auto value) {
    const bool too_large =
        std::is_same_v<decltype(value), std::uint64_t> && (static_cast<std::uint64_t>(value) >> 63) != 0;
    if (!too_large) out = static_cast<std::int64_t>(value);
  });
  return out;
}

std::optional<double> GgufValue::number() const {
  std::optional<double> out;
  with_number(type_, bytes_.data(), [&](auto value) { out = static_cast<double>(value); });
  return out;
}

std::optional<bool> GgufValue::flag() const {
  if (type_ != GgufType::boolean) return std::nullopt;
  return *integer() != 0;
}

std::optional<std::string_view> GgufValue::text() const {
  if (type_ != GgufType::text) return std::nullopt;
  return text_at(bytes_.data());
}

std::optional<std::vector<std::string_view>> GgufValue::texts() const {
  if (type_ != GgufType::array || element_ != GgufType::text) return std::nullopt;
  std::vector<std::string_view> out;
  out.reserve(static_cast<std::size_t>(count_));
  for (const std::byte* at = bytes_.data(); out.size() < count_;
       at += sizeof(std::uint64_t) + out.back().size())
    out.push_back(text_at(at));
  return out;
}

std::optional<std::vector<double>> GgufValue::numbers() const {
  const std::uint64_t width = gguf_width(element_);
  if (type_ != GgufType::array || width == 0) return std::nullopt;
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(count_));
  for (std::uint64_t i = 0; i < count_; ++i)
    with_number(element_, bytes_.data() + i * width,
                [&](auto value) { out.push_back(static_cast<double>(value)); });
  return out;
}

// ---- the cursor -----------------------------------------------------------------------------------

Error GgufCursor::damaged(const Text& sentence) const {
  return fail(Code::bad_format, "error.io.gguf", {what_, sentence});
}

Error GgufCursor::cut_off(const Text& of) const {
  return damaged(Text::of("error.io.gguf.ends", {gguf_cursor_wide(bytes_.size()), of}));
}

Result<std::string_view> GgufCursor::text(const Text& of) {
  TRY(const std::uint64_t length, number<std::uint64_t>(of));
  if (length > left())
    return damaged(Text::of("error.io.gguf.text", {of, gguf_cursor_wide(length), gguf_cursor_wide(left())}));
  const std::string_view out(reinterpret_cast<const char*>(bytes_.data()) + at_,
                             static_cast<std::size_t>(length));
  at_ += length;
  return out;
}

Status GgufCursor::skip_elements(GgufType element, std::uint64_t count, const Text& of, int depth) {
  const std::uint64_t width = gguf_width(element);
  const std::uint64_t least = width > 0 ? width : element == GgufType::text ? 8 : 12;
  if (count > left() / least)
    return damaged(Text::of("error.io.gguf.array", {of, gguf_cursor_wide(count), gguf_cursor_wide(left())}));
  at_ += count * width;
  for (std::uint64_t i = 0; width == 0 && i < count; ++i) {
    if (element == GgufType::text) {
      TRY(const std::string_view skipped, text(of));
      (void)skipped;
    } else {
      TRY(const GgufValue skipped, array(of, depth + 1));
      (void)skipped;
    }
  }
  return Done{};
}

Result<GgufValue> GgufCursor::array(const Text& of, int depth) {
  if (depth > kDeepestArray) return damaged(Text::of("error.io.gguf.depth", {of}));
  TRY(const std::uint32_t type, number<std::uint32_t>(of));
  TRY(const std::uint64_t count, number<std::uint64_t>(of));
  if (type > kLastType) return damaged(Text::of("error.io.gguf.array_type", {of, type}));
  const auto element = static_cast<GgufType>(type);
  const std::uint64_t begin = at_;
  TRY_OK(skip_elements(element, count, of, depth));
  return GgufValue(GgufType::array, element, count, bytes_.subspan(begin, at_ - begin));
}

Result<GgufValue> GgufCursor::value(std::uint32_t type, const Text& of) {
  if (type > kLastType) return damaged(Text::of("error.io.gguf.type", {of, type}));
  const auto kind = static_cast<GgufType>(type);
  const std::uint64_t begin = at_;
  if (kind == GgufType::array) return array(of, 1);
  if (kind == GgufType::text) {
    TRY(const std::string_view skipped, text(of));
    (void)skipped;
  } else {
    if (left() < gguf_width(kind)) return cut_off(of);
    at_ += gguf_width(kind);
  }
  return GgufValue(kind, kind, 1, bytes_.subspan(begin, at_ - begin));
}

}  // namespace attnscope
