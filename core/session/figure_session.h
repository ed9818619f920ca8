// The session that a figure carries in its file (core/export/carried.h): an ordinary session, with "figure"
// beside it, which says how the figure was drawn, so that it can be drawn again.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/session/session_file.h"

namespace attnscope {

/// The text for a figure that will be written to `path`. A model's path is written relative to it, or as its
/// name alone where both have no folder in common: a figure that is published does not tell where its author
/// keeps files. Errors: those of session_to_json().
Result<std::string> figure_session(const Document& document, const nlohmann::json& look,
                                   const nlohmann::json& figure, const Document* pinned,
                                   const std::string& path);
/// A session file, or the session that a figure carries. Errors: those of both; error.export.stripped where
/// a figure carries none.
Result<SessionFile> open_session_file(const std::string& path);
inline constexpr std::uint64_t kReadAtOnceBytes = std::uint64_t{1} << 20;
/// Whether that takes no longer than a frame may: file and session of at most kReadAtOnceBytes.
bool reads_at_once(const std::string& path);
/// How the figure was drawn; an empty object where the session does not say.
nlohmann::json figure_in(const SessionFile& session);

}  // namespace attnscope
