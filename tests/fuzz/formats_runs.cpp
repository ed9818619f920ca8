// Runs that another program recorded, and what PyTorch says of one: arrays under our names and under those of
// TransformerLens, in safetensors and in npz. What opens is looked at: every step, and the document that the
// window would make of it.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/open.h"
#include "core/arch/recorded.h"
#include "core/base/text.h"
#include "core/io/npy.h"
#include "core/io/writers.h"
#include "core/lens/torch_reference.h"
#include "core/session/document.h"
#include "core/session/session_file.h"
#include "tests/fuzz/format.h"
#include "tests/fuzz/sources.h"

namespace attnscope::fuzz {
namespace {

using Named = std::vector<NamedTensor>;

// Steps of a shipped scene's first sequence; those that `selector` takes. `ids`: its tokens.
Named steps_of(const std::string& scene_name, const std::string& selector,
               std::vector<std::int64_t>* ids = nullptr) {
  const auto scene = scene_from_text(repository_file("assets/scenes/" + scene_name + ".json"), scene_name);
  must(scene.ok(), "a shipped scene does not open");
  const auto trace = scene->model->run(scene->inputs.front());
  must(trace.ok(), "a shipped scene does not run");
  const auto wanted = Selector::parse(selector);
  must(wanted.ok(), "a selector of the fuzzer");
  if (ids) ids->assign((*trace)->ids.begin(), (*trace)->ids.end());
  Named out;
  for (const Record* record : (*trace)->select(*wanted))
    out.push_back({to_text(record->site), *(*trace)->tensor(record->site)});
  return out;
}

std::string formats_runs_safetensors_of(const Named& tensors, const std::vector<NamedInts>& ints = {},
                                        const Metadata& metadata = {}) {
  const std::string path = on_disk({}) + "/seed.safetensors";
  must(write_safetensors(path, tensors, ints, metadata).ok(), "a recording of the fuzzer");
  return file_text(path);
}

Named renamed(Named tensors) {
  for (NamedTensor& tensor : tensors) {
    const auto site = parse_site(tensor.name);
    const std::string alias = site ? split(step_of(site->slot).aliases, ' ').front() : std::string();
    if (!alias.empty() && site->layer >= 0)
      tensor.name = "blocks." + std::to_string(site->layer) + "." + alias;
  }
  return tensors;
}

std::vector<Files> recording_seeds() {
  const std::string some =
      "blocks.*.attn.q,blocks.*.attn.k,blocks.*.attn.v,blocks.*.attn.pattern,*.resid_pre,*.z";
  std::vector<Files> out;
  for (const char* scene : {"tiny_llama", "tiny_gpt", "tiny_translator"}) {
    std::vector<std::int64_t> ids;
    const Named steps = steps_of(scene, some, &ids);
    const nlohmann::json words(std::vector<std::string>(ids.size(), "a"));
    out.push_back({{"run.safetensors", formats_runs_safetensors_of(
                                           steps, {{"tokens", ids, {static_cast<std::int64_t>(ids.size())}}},
                                           {{"words", words.dump()}, {"causal", "true"}})}});
  }
  out.push_back({{"run.safetensors", formats_runs_safetensors_of(
                                         renamed(steps_of("tiny_gpt", "*.resid_pre,*.pattern,*.mlp.*")))}});
  for (const char* few :
       {"blocks.0.attn.split_q,blocks.0.attn.split_k", "blocks.0.attn.rot_q,*.rot_k,*.split_v", "logits", "*",
        "blocks.*.resid_mid", "blocks.*", "*.ln1.scale,ln_final.out"})
    out.push_back({{"run.safetensors", formats_runs_safetensors_of(steps_of("tiny_gpt", few))}});
  Named second = steps_of("tiny_gpt", "blocks.0.attn.pattern");
  second.front().name = "seq1." + second.front().name;
  out.push_back({{"run.safetensors", formats_runs_safetensors_of(second)}});
  Files members;
  for (const NamedTensor& tensor : steps_of("tiny_sight", "blocks.0.attn.*")) {
    const Tensor value = tensor.value.packed();
    members[tensor.name + ".npy"] = npy_header("<f4", value.sizes()) +
                                    std::string(reinterpret_cast<const char*>(value.data()),
                                                static_cast<std::size_t>(value.count()) * sizeof(float));
  }
  out.push_back(members);
  return out;
}

void formats_runs_look_at(const OpenedModel& opened) {
  for (const auto& trace : opened.recorded)
    for (const Record& record : trace->records()) {
      const auto tensor = trace->tensor(record.site, 1 << 20);
      if (!tensor) refused(tensor.error());
      use(trace->cell(record.site, {0, 0, 0}));
    }
  const Document document = new_document(std::make_shared<const OpenedModel>(opened));
  use(static_cast<double>(document.sequences.size()));
}

bool read_recorded(const Files& files) {
  const bool archive = files.find("run.safetensors") == files.end();
  const std::string folder = archive ? on_disk({{"run.npz", zipped(files)}}) : on_disk(files);
  const auto opened = open_model(folder + (archive ? "/run.npz" : "/run.safetensors"));
  if (!opened) return refused(opened.error(), "run.");
  formats_runs_look_at(*opened);
  return true;
}

const std::vector<std::string> kFormatsRunsWords = split(
    "blocks.0.attn.q|blocks.0.attn.k|blocks.0.attn.v|blocks.0.attn.pattern|blocks.0.attn.scores|"
    "blocks.0.attn.mask|blocks.0.attn.z|blocks.0.resid_pre|blocks.0.resid_post|"
    "blocks.1.attn.hook_pattern|blocks.0.hook_resid_pre|hook_embed|ln_final.out|logits|probs|tokens|"
    "input_ids|enc.tokens|seq1.blocks.0.attn.q|seq9999.|dec.blocks.0.cross.pattern|enc.blocks.0.attn.q|"
    "vision.blocks.0.attn.q|words|causal|I64|F32|blocks.999999.attn.q|[1,4,2,4]|[0,0]",
    '|');

// ---- sessions: a scene inside, and a model that is referred to -----------------------------------

// Everything that a session may hold: arrays beside it, a pinned run, notes, changed numbers, padding.
Document eventful(const std::string& name) {
  auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/" + name);
  must(opened.ok(), "what is shipped does not open");
  Document document = new_document(std::make_shared<const OpenedModel>(*std::move(opened)));
  document.edits.push_back(
      make_edit(MaskEdit{AttentionKind::main, *MaskSpec::parse("causal"), {{1, 0, false}}}));
  document.notes = {{"blocks.0.attn.pattern", "here"}, {"blocks.0.attn.q[head=0,pos=1]", "and here"}};
  const std::int64_t width = document.model->config().d_model;
  for (const std::int64_t rows : {std::int64_t{1}, 300 / width + 1}) {  // in the file, and beside it
    const Target all{Target::Kind::step, site_of(Slot::resid_pre, 0, document.model->config().stack), "", {}};
    const Tensor row = Tensor::filled({{Axis::pos, rows}, {Axis::d_model, width}}, 0.5f);
    const auto edit = make_edit(NumberEdit{all, EditOp::add, Frozen{row, "a.npz"}});
    RunOptions options;
    options.edits = {edit};
    if (document.model->run(document.sequences[0].input, options).ok()) document.edits.push_back(edit);
  }
  for (const char* text : {"blocks.0.attn.z[head=0]*=0.5", "blocks.*.mlp.activation=gelu"})
    document.edits.push_back(*parse_edit(text));
  document.sampling = {0.5f, 3, 0.9f, 7};
  return document;
}

Files saved(const Document& document, const Document* pinned, std::optional<TrainingShown> training = {}) {
  const std::string path = on_disk({}) + "/a.attnscope";
  must(save_session(path, document, {{"view", "mask"}, {"cursor", {{"layer", 0}}}}, pinned, training).ok(),
       "a session of the fuzzer");
  Files out{{"a.attnscope", file_text(path)}};
  const std::string arrays = path + ".safetensors";
  if (std::filesystem::exists(arrays)) out["a.attnscope.safetensors"] = file_text(arrays);
  std::filesystem::remove(arrays);
  return out;
}

std::vector<Files> session_seeds() {
  std::vector<Files> out;
  for (const char* name : {"scenes/nine_steps.json", "scenes/tiny_translator.json", "models/sorter"}) {
    Document document = eventful(name);
    const Document pinned = document;
    document.edits.pop_back();
    if (!document.sequences[0].input.ids.empty()) {
      (void)add_sequence(document, 0);
      (void)delete_token(document, 1, 1);
      (void)set_spans(document, 0, "first=1,rest=2");
      document.padding = {true, PadSide::left, 0};
    }
    out.push_back(saved(document, &pinned));
  }
  // Numbers of the input that lie beside the session, and a picture.
  Document sight = eventful("scenes/tiny_sight.json");
  Picture picture;
  picture.width = picture.height = 16;
  picture.rgb = std::make_shared<const std::vector<std::uint8_t>>(16 * 16 * 3, std::uint8_t{90});
  picture.name = "grey";
  must(set_picture(sight, 0, picture).ok(), "a picture of the fuzzer");
  out.push_back(saved(sight, &sight));
  // A run of another model beside it, and a training that goes on.
  const Document other = eventful("scenes/nine_steps.json");
  out.push_back(saved(sight, &other, TrainingShown{5, true}));
  return out;
}

std::vector<Files> session_misses() {
  const Files good = session_seeds().front();
  const nlohmann::json file = nlohmann::json::parse(good.at("a.attnscope"));
  std::vector<Files> out;
  const auto with = [&](const nlohmann::json& patch) {
    nlohmann::json changed = file;
    changed.merge_patch(patch);
    Files files = good;
    files["a.attnscope"] = changed.dump();
    out.push_back(files);
  };
  const nlohmann::json none = nullptr, one = {{"shape", {1}}, {"values", {1}}};
  with({{"version", 99}});
  with({{"version", "1"}});
  with({{"model", none}});
  with({{"beside", 2}});
  with({{"beside", "2"}});
  with({{"notes", {{"no step", "x"}}}});
  with({{"notes", 3}});
  with({{"padding", {{"on", 3}}}});
  with({{"sampling", {{"top_p", 5}}}});
  with({{"inputs", nlohmann::json::array()}});
  with({{"inputs", {3}}});
  with({{"inputs", {{{"ids", {-1}}}}}});
  with({{"inputs", {{{"ids", "x"}}}}});
  with({{"inputs", {{{"vectors", one}}}}});
  with({{"inputs", {{{"pixels", one}}}}});
  with({{"inputs", {{{"picture", {{"rgb", one}}}}}}});
  with({{"inputs", {{{"vectors", {{"shape", {2, 2}}, {"values", {1, "x"}}}}}}}});
  with({{"inputs", {{{"vectors", {{"shape", {-2, 2}}, {"values", {1}}}}}}}});
  with({{"inputs", {{{"vectors", {{"shape", {2, 2}}, {"values", {1}}}}}}}});
  with({{"inputs", {{{"vectors", {{"array", "array-0"}}}}}}});
  with({{"pinned", 3}});
  with({{"pinned", {{"model", {{"path", ""}}}}}});
  with({{"pinned", {{"model", {{"path", "model:sorter"}}}}}});
  for (const nlohmann::json& step : {nlohmann::json(2), nlohmann::json("2")}) {
    const std::string sorter = std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/sorter";
    with({{"pinned", {{"model", {{"path", sorter}, {"training_step", step}}}}}});
    with({{"training", {{"step", step}, {"newest", true}}}});
  }
  with({{"edits", {"blocks.7.attn.z=0", "blocks.0.attn.z[head=0]=0"}}});
  with({{"model", {{"path", "/nowhere/b"}, {"beside", "b"}, {"scene", none}}}});
  return out;
}

void run_all(const Document& document) {
  const std::vector<Input> inputs = inputs_of(document);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    RunOptions options;
    options.edits = edits_for(document.edits, static_cast<int>(i));
    if (const auto run = document.model->run(inputs[i], options); !run) refused(run.error());
  }
}

bool read_saved_session(const Files& files) {
  const std::string folder = on_disk(files);
  const auto file = read_session(folder + "/a.attnscope");
  if (!file) return refused(file.error());
  auto opened = file->scene.empty() ? open_model(file->model) : open_scene_text(file->scene, file->model);
  if (!opened) return refused(opened.error());
  const auto document = document_of(*file, *std::move(opened));
  if (!document) return refused(document.error());
  run_all(*document);
  if (const auto inputs = inputs_to_json(*document)) {
    Document taken = *document;
    const Status read = inputs_from_json(nlohmann::json::parse(inputs->dump()), file->path, taken);
    must(read.ok(), read ? "" : "inputs that were written are not read: " + read.error().text());
  }
  const auto pinned = pinned_of(*file, *document);
  if (!pinned) return refused(pinned.error());
  if (*pinned) run_all(**pinned);
  // Saved again and read again it is the same.
  const std::string again = folder + "/again.attnscope";
  if (const Status kept = save_session(again, *document, file->look(), pinned->get()); !kept)
    return !refused(kept.error());
  const auto read = read_session(again);
  must(read.ok(), "a session that was written does not open");
  const auto put = [](const SessionFile& session, const char* key) {
    return session.all->contains(key) ? (*session.all)[key] : nlohmann::json();
  };
  must(put(*read, "look") == put(*file, "look"), "a session that forgets where one looked");
  auto once_more = read->scene.empty() ? open_model(read->model) : open_scene_text(read->scene, read->model);
  must(once_more.ok(), "the model of a session that was written does not open");
  const auto same = document_of(*read, *std::move(once_more));
  must(same && same->edits.size() == document->edits.size() && same->notes == document->notes &&
           same->sequences.size() == document->sequences.size(),
       "a session that is written in two ways");
  return true;
}

const std::vector<std::string> kSessionWords = split(
    "\"ids\"|\"source\"|\"edits\"|\"model\"|\"path\"|\"scene\"|\"pinned\"|\"notes\"|\"vectors\"|"
    "\"shape\"|\"values\"|\"array\"|\"picture\"|\"rgb\"|\"pixels\"|\"version\"|99|\"spans\"|"
    "\"padding\"|\"on\"|1e400|-1|null|[]|{}",
    '|');

}  // namespace

namespace {

// A shipped reference with some of its steps.
std::vector<Files> reference_seeds() {
  std::vector<Files> out;
  for (const char* model : {"induction", "translator"}) {
    nlohmann::json seed =
        nlohmann::json::parse(repository_file("assets/references/" + std::string(model) + ".json"));
    nlohmann::json some = nlohmann::json::array();
    for (const nlohmann::json& step : seed["steps"])
      if (some.size() < 6 || step["step"].get<std::string>().ends_with("masked")) some.push_back(step);
    seed["steps"] = some;
    out.push_back({{"reference", seed.dump()}});
  }
  return out;
}

bool read_reference(const Files& files) {
  const auto reference = read_torch_reference(only_file(files), "some.json");
  if (!reference) return refused(reference.error(), "some.json");
  static const auto scene = scene_from_text(repository_file("assets/scenes/tiny_gpt.json"), "tiny_gpt");
  static const auto run = scene->model->run(scene->inputs.front());
  const auto all = torch_differences(**run, *reference);
  const TorchVerdict verdict = torch_verdict(all, 1e-5);
  must(verdict.steps >= std::ssize((*run)->records()) && verdict.equal <= verdict.steps,
       "steps of a comparison are lost");
  must((verdict.equal == verdict.steps) == (verdict.first_wrong == nullptr),
       "a verdict that contradicts itself");
  return true;
}

const std::vector<std::string> kReferenceWords =
    split("-inf|1e308|shape|cells|norm|hidden|268435456|least|greatest|logits|blocks.0.attn.masked", '|');

}  // namespace

std::vector<Format> formats_of_runs() {
  return {{"recording", recording_seeds, read_recorded, kFormatsRunsWords},
          {"session", session_seeds, read_saved_session, kSessionWords, session_misses},
          {"reference", reference_seeds, read_reference, kReferenceWords}};
}

}  // namespace attnscope::fuzz
