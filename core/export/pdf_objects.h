// An embedded file in a PDF: appended as an incremental update (ISO 32000-1, 7.5.6), which leaves every byte
// of the PDF where it is, and found again by scanning for its stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// `name`: letters, digits, '-' and '.' alone. The PDF as it is where its last trailer is no plain one (a
/// cross-reference stream).
std::string with_embedded_file(std::string pdf, const std::string& name, std::string_view contents);
/// The contents of the embedded file of a PDF of anybody's; nothing where it has none of that name, or one
/// of more than `most` bytes. The last 16 embedded files are looked into, and no more than `most` bytes of
/// all unpacked.
std::optional<std::string> embedded_file(std::string_view pdf, std::string_view name, std::uint64_t most);

}  // namespace attnscope
