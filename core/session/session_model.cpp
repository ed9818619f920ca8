#include "core/session/session_model.h"

#include <filesystem>

#include "core/arch/random_model.h"
#include "core/arch/scene.h"
#include "core/arch/shipped.h"
#include "core/base/listed.h"
#include "core/base/text.h"
#include "core/io/json_number.h"
#include "core/session/fingerprint.h"
#include "core/session/session_file.h"
#include "core/system/named_files.h"

namespace attnscope {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Error damaged_session(const std::string& path, const Text& problem) {
  return fail(Code::bad_format, "error.session.file", {quoted_path(path), problem});
}

namespace {

Json lora_json(const LoraChoice& lora, const std::string& path) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(lora.folder, ignored).lexically_normal();
  Json out = {{"path", folder.string()}, {"strength", lora.strength}, {"on", lora.on}};
  const fs::path beside =
      path.empty() ? fs::path() : fs::relative(folder, fs::absolute(path).parent_path(), ignored);
  if (!beside.empty()) out["beside"] = beside.string();
  return out;
}

}  // namespace

Result<LoraChoice> session_lora(const Json& model, const std::string& path) {
  LoraChoice out;
  const auto found = model.find("lora");
  if (found == model.end()) return out;
  const auto field = [&](const char* name) {
    return found->is_object() ? found->value(name, Json()) : Json();
  };
  if (member_text(*found, "path").empty() || !field("strength").is_number() || !field("on").is_boolean())
    return damaged_session(path, Text::of("error.session.file.lora"));
  out.folder = session_model_path(*found, path);
  out.strength = field("strength").get<double>();
  out.on = field("on").get<bool>();
  return out;
}

Result<Json> session_model_json(const Document& document, const std::string& path) {
  const OpenedModel& opened = *document.opened;
  Json out = {{"path", opened.path}, {"title", opened.title}};
  if (opened.scene) {
    TRY(Scene scene, scene_of(document));
    scene.edits.clear();
    out["scene"] = Json::parse(scene_to_text(scene));
    return out;
  }
  out["sampled"] = sampled_fingerprint(*opened.model);
  out["prints"] = weight_prints(opened);
  if (WeightPrints files = file_prints(opened); !files.empty()) out["files"] = std::move(files);
  if (opened.training_step >= 0) out["training_step"] = opened.training_step;
  if (!opened.lora.empty()) out["lora"] = lora_json(opened.lora, path);
  if (path.empty()) return out;
  std::error_code ignored;
  const fs::path beside = fs::relative(opened.path, fs::absolute(path).parent_path(), ignored);
  if (!beside.empty()) out["beside"] = beside.string();
  for (const char* own : {kModelEnding, kPinnedEnding})
    for (const int which : {1, 2})
      if (opened.path == session_beside(fs::absolute(path).string(), which) + own) out["own"] = own;
  return out;
}

void place_session_models(Json& session, const std::string& from, const std::string& to) {
  const auto place = [&](Json& model, const auto& self) -> void {
    std::string lies = member_text(model, "path");
    if (model.contains("lora")) self(model["lora"], self);
    if (lies.empty() || is_shipped_name(lies) || lies.starts_with(kRandomPrefix)) return;
    if (!from.empty()) lies = session_model_path(model, from);
    model["path"] = lies;
    model.erase("beside");
    if (to.empty()) return;
    std::error_code ignored;
    const fs::path beside = fs::relative(lies, fs::absolute(to).parent_path(), ignored);
    if (!beside.empty()) model["beside"] = beside.string();
  };
  if (session.is_object() && session.contains("model")) place(session["model"], place);
  if (!session.is_object() || !session.contains("pinned") || !session["pinned"].is_object()) return;
  if (session["pinned"].contains("model")) place(session["pinned"]["model"], place);
}

std::string session_model_path(const Json& model, const std::string& path, const std::string& own) {
  std::string saved = member_text(model, "path");
  const std::string beside = member_text(model, "beside");
  if (path.empty() || is_shipped_name(saved) || saved.starts_with(kRandomPrefix)) return saved;
  if (fs::path(saved).is_relative())  // to the session, wherever one stands
    saved = (fs::absolute(path).parent_path() / saved).lexically_normal().string();
  const std::string ending = member_text(model, "own");
  const bool known = ending == kModelEnding || ending == kPinnedEnding;
  std::error_code ignored;
  const std::string lies = (own.empty() ? path : own) + ending;
  if (known && fs::exists(lies, ignored)) return lies;
  if (fs::exists(saved, ignored) || beside.empty()) return saved;
  const std::string near = (fs::absolute(path).parent_path() / beside).lexically_normal().string();
  return fs::exists(near, ignored) ? near : saved;
}

Status model_may_be_read(const std::string& model) {
  if (is_shipped_name(model) || model.starts_with(kRandomPrefix)) return Done{};
  const Result<std::string> named = named_file(model);
  return named ? Status(Done{}) : Status(named.error());
}

namespace {

// The hashes that a session has at `field`; null where it has none.
std::optional<WeightPrints> saved_prints(const Json& model, const char* field) {
  const auto found = model.find(field);
  if (found == model.end() || !found->is_object()) return std::nullopt;
  WeightPrints saved;
  for (const auto& [name, print] : found->items())
    saved[name] = print.is_string() ? print.get<std::string>() : "";
  return saved;
}

void warn_of_differing(const char* key, const std::vector<std::string>& others, OpenedModel& opened) {
  constexpr std::size_t kNamed = 4;
  if (!others.empty()) opened.warnings.push_back(Text::of(key, {others.size(), some_of(others, kNamed)}));
}

}  // namespace

void warn_of_other_numbers(const Json& model, OpenedModel& opened) {
  std::string sampled = member_text(model, "fingerprint");  // as older sessions call it
  if (sampled.empty()) sampled = member_text(model, "sampled");
  if (const auto saved = saved_prints(model, "prints"))
    warn_of_differing("note.session.other_weights", differing_weights(*saved, weight_prints(opened)), opened);
  else if (!sampled.empty() && sampled != sampled_fingerprint(*opened.model))
    opened.warnings.push_back(Text::of("note.session.other_numbers"));
  if (const auto saved = saved_prints(model, "files"))
    warn_of_differing("note.session.other_files", differing_weights(*saved, file_prints(opened)), opened);
}

Result<OpenedModel> open_session_model(const Json& model, const std::string& path, const std::string& own) {
  const std::string where = session_model_path(model, path, own);
  if (model.contains("scene")) return open_scene_text(model["scene"].dump(), where);
  OpenOptions options;
  TRY(options.lora, session_lora(model, path));
  if (!options.lora.empty()) TRY_OK(model_may_be_read(options.lora.folder));
  TRY_OK(model_may_be_read(where));
  TRY(OpenedModel opened, open_shipped_or_path(where, options));
  const auto step = model.find("training_step");
  if (step == model.end()) return opened;
  if (!step->is_number_unsigned() || step->get<std::uint64_t>() > 1u << 30)
    return damaged_session(path, Text::of("error.session.file.training"));
  opened.training_step = step->get<int>();
  opened.title = member_text(model, "title");  // the folder has the session's name
  return opened;
}

}  // namespace attnscope
