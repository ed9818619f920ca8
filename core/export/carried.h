// What a figure carries of the session that made it, in the file itself: SVG in <metadata>, PNG in an iTXt
// chunk, PDF as an embedded file that is appended as an incremental update (ISO 32000-1, 7.5.6 and 7.11).
// Reading looks for that one block in bytes of any origin: nothing else of the file is read, no reference is
// followed, and sizes are bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

/// Name of the chunk of a PNG, and of the block of an SVG.
inline constexpr std::string_view kCarriedName = "attnscope-session";
inline constexpr std::uint64_t kMostFigureBytes = std::uint64_t{256} << 20;   ///< of a file
inline constexpr std::uint64_t kMostCarriedBytes = std::uint64_t{256} << 20;  ///< of what it carries

/// *.svg, *.png, *.pdf: may carry a session.
bool is_figure_path(std::string_view path);
/// The XML that stands in <metadata> of an SVG.
std::string carried_in_svg(const std::string& session);
/// The PDF with the session as an embedded file. As it is where it has no trailer that can be followed.
std::string carried_in_pdf(std::string pdf, const std::string& session);

/// The session in the bytes of a file; `path` is its name in errors. Errors: not_found where it carries none;
/// bad_format where it is damaged, or has more than `most` bytes.
Result<std::string> carried_session(std::string_view bytes, const std::string& path,
                                    std::uint64_t most = kMostCarriedBytes);
/// The same of a file. Errors: also those of reading it.
Result<std::string> read_carried_session(const std::string& path, std::uint64_t most = kMostCarriedBytes);

}  // namespace attnscope
