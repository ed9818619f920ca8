#include "core/session/session_file.h"

#include <filesystem>

#include "core/arch/edit_json.h"
#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/json_number.h"
#include "core/session/held_session.h"
#include "core/session/named_circuits.h"
#include "core/session/prompt_list.h"
#include "core/session/read_again.h"
#include "core/session/session_arrays.h"
#include "core/session/session_inputs.h"
#include "core/session/session_model.h"
#include "core/session/session_parts.h"
#include "core/session/session_settings.h"
#include "core/session/training.h"
#include "core/system/named_files.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kMostBytes = 256ull << 20;

// Whether the model, with the parts that were exchanged so far, has the steps that edits name.
class KnownSteps {
 public:
  Status check(const Document& document, const Edit& edit) {
    if (!edit.number() || edit.number()->where.kind != Target::Kind::step) return Done{};
    RunOptions options;
    for (const auto& one : document.edits)
      if (one->exchange() && one->enabled) options.edits.push_back(one);
    if (!run_ || run_->edits.size() != options.edits.size()) {
      TRY(run_, document.model->run(inputs_of(document).front(), options));
    }
    return check_target(*run_, edit.number()->where);
  }

 private:
  std::shared_ptr<const Trace> run_;
};

// Edits that do not fit the model are left out, with a warning.
void session_file_take_edits(const Edits& edits, Document& document, std::vector<Text>& warnings) {
  KnownSteps steps;
  for (const auto& edit : edits) {
    const Status known = steps.check(document, *edit);
    document.edits.push_back(edit);
    const Status taken = known ? check_inputs(document) : known;
    if (taken) continue;
    warnings.push_back(Text::of("note.session.edit", {to_text(*edit), taken.error().whole()}));
    document.edits.pop_back();
  }
}

// What makes a run of the model: inputs, padding, edits, sampling.
void put_run(Json& file, const Document& document, ArraysOut& arrays) {
  if (document.opened->recorded.empty())
    for (const Sequence& sequence : document.sequences)
      file["inputs"].push_back(input_json(sequence, arrays));
  put_settings(file, document);
  file["edits"] = edits_to_json(document.edits, [&](const Tensor& values) { return arrays.word(values); });
}

// Which of the two a session's text names; nothing where it names none.
std::optional<int> which_beside(const Json& file) {
  const auto which = file.is_object() ? file.find("beside") : file.end();
  if (!file.is_object() || which == file.end()) return 1;
  return whole_in(*which, 1, 2) ? std::optional(which->get<int>()) : std::nullopt;
}

// Into a document as it is freshly opened. Edits that do not fit are left out, with a warning.
Status take_run(const Json& file, const Json& whole, const std::string& path, Document& document,
                std::vector<Text>& warnings) {
  ArraysIn arrays(path, session_beside(path, which_beside(whole).value_or(1)), array_table(whole));
  const bool recorded = !document.opened->recorded.empty();
  if (!recorded && file.contains("inputs")) TRY_OK(take_inputs(file["inputs"], path, document, arrays));
  TRY_OK(settings_from(file, path, document));
  const Result<Edits> edits =
      edits_from_json(file, quoted_path(path), [&](const Json& word) { return arrays.find(word, "edits"); });
  if (!edits) return about(path, edits.error());
  document.edits.clear();
  for (const Input& input : inputs_of(document))
    if (const Status fits = recorded ? Status(Done{}) : document.model->accepts(input); !fits) return fits;
  session_file_take_edits(*edits, document, warnings);
  return Done{};
}

// The step of a model in training, where the session shows one.
Result<std::optional<TrainingShown>> training_in(const Json& file, const std::string& path) {
  const auto found = file.find("training");
  if (found == file.end()) return std::optional<TrainingShown>();
  const Json none, &step = found->contains("step") ? (*found)["step"] : none,
                   &newest = found->contains("newest") ? (*found)["newest"] : none;
  if (!step.is_number_unsigned() || step.get<std::uint64_t>() > 1u << 30 || !newest.is_boolean())
    return damaged_session(path, Text::of("error.session.file.training"));
  return std::optional(TrainingShown{step.get<int>(), newest.get<bool>()});
}

}  // namespace

bool is_session_path(const std::string& path) { return path.ends_with(kSessionEnding); }

std::string session_beside(const std::string& path, int which) { return which == 2 ? path + ".2" : path; }

std::vector<std::string> beside_session(const std::string& path) {
  std::vector<std::string> out;
  for (const int which : {1, 2})
    for (const char* ending : {kArraysEnding, kModelEnding, kPinnedEnding, kRunEnding})
      out.push_back(session_beside(path, which) + ending);
  return out;
}

namespace {

bool anything_under(const std::string& beside) {
  std::error_code ignored;
  for (const char* ending : {kArraysEnding, kModelEnding, kPinnedEnding, kRunEnding})
    if (fs::exists(beside + ending, ignored)) return true;
  return false;
}

}  // namespace

int place_beside(const std::string& path, const Document& document, const Document* pinned) {
  const std::string whole = fs::absolute(path).string();
  for (const int which : {1, 2})
    for (const char* ending : {kModelEnding, kPinnedEnding})
      for (const Document* one : {&document, pinned})
        if (one && one->opened && one->opened->path == session_beside(whole, which) + ending) return which;
  const bool first = anything_under(session_beside(path, 1)),
             second = anything_under(session_beside(path, 2));
  if (!first) return 1;
  if (!second) return 2;
  const Result<Json> file = read_json_file(path, kMostBytes);  // a save that was cut off left the other ones
  return file && which_beside(*file) == 2 ? 1 : 2;
}

std::string run_beside(const SessionFile& session) {
  std::error_code ignored;
  const std::string own = session.beside + kRunEnding;
  const bool autosaved = session.beside == session_beside(session.path, 2) && !fs::exists(own, ignored);
  return autosaved ? session.path + kRunEnding : own;
}

namespace {

// `path`: of the file that it will stand in.
Result<Json> session_json(const std::string& path, const Document& document, const Json& look,
                          const Document* pinned, ArraysOut& arrays) {
  if (!document.opened) return fail(Code::not_found, "error.session.nothing_open");
  if (document.opened->path.empty()) return fail(Code::unsupported, "error.session.file.unsaved_model");
  for (const Document* one : {&document, pinned}) {  // who saves a session opened its models
    if (!one || !one->opened) continue;
    allow_file(one->opened->path);
    if (!one->opened->lora.empty()) allow_file(one->opened->lora.folder);
  }
  Json file = {{"format", kSessionFormat.name}, {"version", 2}};
  TRY(file["model"], session_model_json(document, path));
  put_run(file, document, arrays);
  if (!document.notes.empty()) file["notes"] = document.notes;
  if (!document.circuits.empty()) file["circuits"] = circuits_json(document);
  if (document.data.prompts) {
    file["data"] = prompt_list_json(document.data, path);
    if (document.data.own) {  // what is too large for that is in the undo points alone
      Document own = document;
      own.sequences = *document.data.own;
      if (auto inputs = inputs_to_json(own)) file["data"]["own"] = *std::move(inputs);
    }
  }
  const bool other = pinned && pinned->opened != document.opened;
  if (pinned && pinned->opened && (!other || !pinned->opened->path.empty())) {
    file["pinned"] = Json::object();
    if (other) {
      TRY(file["pinned"]["model"], session_model_json(*pinned, path));
    }
    put_run(file["pinned"], *pinned, arrays);
  }
  file["look"] = look;
  if (!arrays.table().empty())
    file["arrays"] = arrays.table();
  else if (arrays.tensors().empty())
    file["version"] = 1;  // earlier programs read it too
  return file;
}

}  // namespace

Result<Json> session_to_json(const Document& document, const Json& look, const Document* pinned) {
  ArraysOut arrays;
  TRY(const Json file, session_json({}, document, look, pinned, arrays));
  // As a file gives it back: a whole number that was written is read as one without a sign.
  if (arrays.tensors().empty())
    return parse_json(file.dump(-1, ' ', false, Json::error_handler_t::replace), "session");
  return fail(Code::unsupported, "error.session.file.large_input", {kMostEmbeddedNumbers});
}

namespace {

// What the session at `path` no longer needs. An autosave's checkpoint lies behind `path`, whatever the
// session says, and is written by the run's own thread.
void remove_others(const std::string& path, int which, bool arrays, bool training) {
  std::error_code ignored;
  const std::string own = session_beside(path, which), other = session_beside(path, 3 - which);
  for (const char* ending : {kArraysEnding, kModelEnding, kPinnedEnding})
    fs::remove_all(other + ending, ignored);
  if (!training || fs::exists(own + kRunEnding, ignored)) fs::remove(other + kRunEnding, ignored);
  if (!arrays) fs::remove(own + kArraysEnding, ignored);
  if (!training) fs::remove(own + kRunEnding, ignored);
}

}  // namespace

Status save_session(const std::string& path, const Document& document, const Json& look,
                    const Document* pinned, std::optional<TrainingShown> training, std::optional<int> which) {
  ArraysOut arrays;
  if (!which) which = place_beside(path, document, pinned);
  const std::string beside = session_beside(path, *which);
  TRY(Json file, session_json(path, document, look, pinned, arrays));
  if (training) file["training"] = {{"step", training->step}, {"newest", training->newest}};
  if (!arrays.tensors().empty()) TRY_OK(write_safetensors(beside + kArraysEnding, arrays.tensors()));
  if (*which != 1 && anything_under(beside)) {
    file["beside"] = *which;
    file["version"] = kSessionVersion;  // earlier programs would look under the other beginning
  }
  TRY_OK(write_file(path, file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  remove_others(path, *which, !arrays.tensors().empty(), training.has_value());
  return Done{};
}

Result<SessionFile> read_session(const std::string& path) {
  if (auto held = HeldSession::at(path)) return session_from_json(*std::move(held), path);
  TRY(Json file, read_json_file(path, kMostBytes));
  return session_from_json(std::move(file), path);
}

Result<SessionFile> session_from_json(Json file, const std::string& path) {
  if (!file.is_object() || member_text(file, "format") != kSessionFormat.name)
    return fail(Code::bad_format, "error.session.file.none", {quoted_path(path)});
  const auto version = file.find("version");
  if (version == file.end() || !version->is_number_integer())
    return damaged_session(path, Text::of("error.session.file.no_version"));
  if (!whole_in(*version, 1, kSessionVersion))
    return fail(Code::unsupported, "error.session.file.version",
                {quoted_path(path), version->dump(), kSessionVersion});
  const auto model = file.find("model");
  if (model == file.end() || !model->is_object() || member_text(*model, "path").empty())
    return damaged_session(path, Text::of("error.session.file.no_model"));
  SessionFile out;
  out.path = path;
  const std::optional<int> which = which_beside(file);
  if (!which) return damaged_session(path, Text::of("error.session.file.beside"));
  out.which = *which;
  TRY(out.beside, put_out_parts(file, path, session_beside(path, *which)));
  out.model = session_model_path(file["model"], path, out.beside);
  TRY(out.lora, session_lora(file["model"], path));
  if (file["model"].contains("scene")) out.scene = file["model"]["scene"].dump();
  TRY(out.training, training_in(file, path));
  const fs::path lies(out.model);
  if (std::error_code ignored;
      lies.filename().string().starts_with(kTrainingPath) && !fs::exists(lies, ignored))
    return fail(Code::not_found, "error.session.training_model", {quoted_path(path)});
  if (!file.contains("look")) file["look"] = Json::object();
  out.all = std::make_shared<const Json>(std::move(file));
  return out;
}

Status may_open_model(const SessionFile& session) {
  const PathsIn named(session.path);
  if (!session.lora.empty()) TRY_OK(model_may_be_read(session.lora.folder));
  return session.scene.empty() ? model_may_be_read(session.model) : Status(Done{});
}

Result<OpenedModel> open_model_of(const SessionFile& session, const OpenOptions& options) {
  if (session.scene.empty()) return open_shipped_or_path(session.model, options);
  if (options.lora.empty()) return open_scene_text(session.scene, session.model);
  return fail(Code::unsupported, "error.arch.lora.source", {quoted_path(session.model)});
}

Result<Document> document_of(const SessionFile& session, OpenedModel opened,
                             const std::atomic<bool>* cancel) {
  const PathsIn named(session.path);
  const Json& file = *session.all;
  warn_of_other_numbers(file["model"], opened);
  if (std::error_code ignored; session.training && !fs::exists(run_beside(session), ignored))
    opened.warnings.push_back(Text::of("note.session.no_run", {run_beside(session)}));
  const auto shared = std::make_shared<const OpenedModel>(opened);
  Document document = new_document(shared, cancel);
  std::vector<Text> warnings;
  TRY_OK(take_run(file, file, session.path, document, warnings));
  TRY_OK(notes_from(file, session.path, document));
  if (file.contains("circuits")) TRY_OK(take_circuits(file["circuits"], session.path, document));
  if (const auto data = file.find("data"); data != file.end())
    TRY_OK(take_prompt_list(*data, session.path, document, warnings));
  if (warnings.empty()) return document;
  opened.warnings.insert(opened.warnings.end(), warnings.begin(), warnings.end());
  document.opened = std::make_shared<const OpenedModel>(std::move(opened));
  return document;
}

Result<std::shared_ptr<const Document>> pinned_of(const SessionFile& session, const Document& document,
                                                  const std::atomic<bool>* cancel) {
  const auto found = session.all->find("pinned");
  if (found == session.all->end() || !document.opened) return std::shared_ptr<const Document>();
  if (!found->is_object()) return damaged_session(session.path, Text::of("error.session.file.pinned"));
  const PathsIn named(session.path);
  Document pinned = document;
  if (const auto model = found->find("model"); model != found->end()) {
    if (member_text(*model, "path").empty())
      return damaged_session(session.path, Text::of("error.session.file.pinned"));
    TRY(OpenedModel opened, open_session_model(*model, session.path, session.beside));
    warn_of_other_numbers(*model, opened);
    pinned = new_document(std::make_shared<const OpenedModel>(std::move(opened)), cancel);
  }
  std::vector<Text> ignored;  // dropped: the document itself has the same warnings
  TRY_OK(take_run(*found, *session.all, session.path, pinned, ignored));
  return std::make_shared<const Document>(std::move(pinned));
}

}  // namespace attnscope
