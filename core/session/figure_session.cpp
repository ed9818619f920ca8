#include "core/session/figure_session.h"

#include <algorithm>
#include <filesystem>

#include "core/arch/random_model.h"
#include "core/arch/shipped.h"
#include "core/export/carried.h"
#include "core/io/json_file.h"
#include "core/io/json_number.h"
#include "core/session/session_model.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void hide_folders(Json& model, const std::string& figure_path) {
  const std::string lies = member_text(model, "path");
  if (lies.empty() || is_shipped_name(lies) || lies.starts_with(kRandomPrefix)) return;
  std::error_code ignored;
  const fs::path folder = fs::absolute(figure_path, ignored).lexically_normal().parent_path(),
                 file = fs::path(lies).lexically_normal();
  const fs::path beside = file.lexically_relative(folder);
  const auto up = std::count(beside.begin(), beside.end(), fs::path(".."));
  const auto deep = std::distance(folder.begin(), folder.end()) - 1;  // folders below "/"
  model["path"] = beside.empty() || up >= deep ? file.filename().string() : beside.string();
  model.erase("beside");
}

}  // namespace

Result<std::string> figure_session(const Document& document, const Json& look, const Json& figure,
                                   const Document* pinned, const std::string& path) {
  TRY(Json out, session_to_json(document, look, pinned));
  hide_folders(out["model"], path);
  if (out.contains("pinned") && out["pinned"].contains("model")) hide_folders(out["pinned"]["model"], path);
  if (!figure.empty()) out["figure"] = figure;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<SessionFile> open_session_file(const std::string& path) {
  if (!is_figure_path(path)) return read_session(path);
  TRY(const std::string text, read_carried_session(path));
  TRY(Json file, parse_json(text, path));
  return session_from_json(std::move(file), path);
}

bool reads_at_once(const std::string& path) {
  std::error_code ignored;
  if (const auto bytes = fs::file_size(path, ignored); !ignored && bytes > kReadAtOnceBytes) return false;
  if (!is_figure_path(path)) return true;
  const auto carried = read_carried_session(path, kReadAtOnceBytes);  // what is larger is damage to it
  return carried || carried.error().code() != Code::bad_format;
}

Json figure_in(const SessionFile& session) {
  const auto found = session.all->find("figure");
  return found != session.all->end() && found->is_object() ? *found : Json::object();
}

}  // namespace attnscope
