#include "core/export/carried.h"

#include <optional>
#include <span>

#include "core/base/markup.h"
#include "core/base/text.h"
#include "core/export/pdf_objects.h"
#include "core/io/deflate.h"
#include "core/io/png_file.h"
#include "core/system/mapped_file.h"
#include "core/text/charsmap.h"

namespace attnscope {
namespace {

// The block in an SVG is found by these words in its text, however an editor rewrites the XML around it.
constexpr std::string_view kBegin = "attnscope-session:1:", kEnd = ":attnscope-session";

std::optional<std::string> in_svg(std::string_view bytes, std::uint64_t most) {
  const std::size_t begin = bytes.find(kBegin);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t from = begin + kBegin.size(), end = bytes.find(kEnd, from);
  if (end == std::string_view::npos) return std::nullopt;
  const auto packed = from_base64(bytes.substr(from, end - from));
  if (!packed) return std::nullopt;
  return zlib_unpacked(*packed, most);
}

}  // namespace

bool is_figure_path(std::string_view path) {
  const std::string folded = lower(std::string(path));
  return folded.ends_with(".svg") || folded.ends_with(".png") || folded.ends_with(".pdf");
}

std::string carried_in_svg(const std::string& session) {
  const std::string packed = zlib_packed(session);
  return "<session xmlns=\"urn:attnscope:session\" encoding=\"zlib+base64\">" + std::string(kBegin) +
         base64({reinterpret_cast<const std::uint8_t*>(packed.data()), packed.size()}) + std::string(kEnd) +
         "</session>";
}

std::string carried_in_pdf(std::string pdf, const std::string& session) {
  return with_embedded_file(std::move(pdf), std::string(kCarriedName) + ".json", session);
}

Result<std::string> carried_session(std::string_view bytes, const std::string& path, std::uint64_t most) {
  std::optional<std::string> out;
  bool named = false;  // the block is there, whatever is in it
  if (is_png(bytes)) {
    out = png_text(bytes, kCarriedName, most);
    named = bytes.find(kCarriedName) != std::string_view::npos;
  } else if (bytes.starts_with("%PDF-")) {
    out = embedded_file(bytes, std::string(kCarriedName) + ".json", most);
    named = bytes.find(kCarriedName) != std::string_view::npos;
  } else {
    out = in_svg(bytes, most);
    named = bytes.find(kBegin) != std::string_view::npos;
  }
  if (out) return *std::move(out);
  if (named) return fail(Code::bad_format, "error.export.damaged", {quoted_path(path)});
  return fail(Code::not_found, "error.export.stripped", {quoted_path(path)});
}

Result<std::string> read_carried_session(const std::string& path, std::uint64_t most) {
  TRY(const std::string bytes, read_file(path, kMostFigureBytes));
  if (bytes.empty()) return fail(Code::bad_format, "error.system.empty", {in_quotes(path)});
  return carried_session(bytes, path, most);
}

}  // namespace attnscope
