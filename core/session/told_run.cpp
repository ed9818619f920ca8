#include "core/session/told_run.h"

#include "core/base/version.h"
#include "core/session/fingerprint.h"

namespace attnscope {
namespace {

void put_tokens(nlohmann::json& out, const OpenedModel& opened, const std::vector<int>& ids) {
  if (ids.empty()) return;
  out["ids"] = ids;
  out["tokens"] = nlohmann::json::array();
  for (std::size_t pos = 0; pos < ids.size(); ++pos)
    out["tokens"].push_back({{"pos", pos}, {"id", ids[pos]}, {"text", token_label(opened, ids[pos])}});
  if (opened.tokenizer) out["text"] = opened.tokenizer->decode(ids);
}

}  // namespace

std::string told_version() {
  std::string made(version());
  if (!commit().empty()) made += " (" + std::string(commit()) + ")";
  return made;
}

nlohmann::json told_model(const OpenedModel& opened, const std::string& name) {
  nlohmann::json model = {
      {"name", name}, {"title", opened.title}, {"fingerprint", model_fingerprint(opened)}};
  if (!opened.lora.empty()) model["lora"] = to_text(opened.lora);
  return {{"version", told_version()}, {"model", std::move(model)}};
}

nlohmann::json told_input(const OpenedModel& opened, const Input& input) {
  nlohmann::json out = nlohmann::json::object();
  put_tokens(out, opened, input.ids);
  if (!input.source.empty()) put_tokens(out["source"], opened, input.source);
  if (input.ids.empty()) out["rows"] = input.length();
  return out;
}

nlohmann::json told_document(const Document& document) {
  nlohmann::json out = told_model(*document.opened, document.opened->title);
  out["inputs"] = nlohmann::json::array();
  for (const Input& input : inputs_of(document)) out["inputs"].push_back(told_input(*document.opened, input));
  for (const auto& edit : document.edits)
    if (edit->enabled) out["edits"].push_back(to_text(*edit));
  return out;
}

void put_session_command(nlohmann::json& run, const std::string& session, std::vector<std::string> command) {
  nlohmann::json kept = nlohmann::json::parse(session, nullptr, false);
  if (!kept.is_object()) return;
  run["command"] = std::move(command);
  run[kRunSession] = std::move(kept);
}

}  // namespace attnscope
