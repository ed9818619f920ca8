#include "core/arch/open.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/checkpoint_series.h"
#include "core/arch/family.h"
#include "core/arch/gguf_model.h"
#include "core/arch/gguf_tokenizer.h"
#include "core/arch/known_family.h"
#include "core/arch/memory_limit.h"
#include "core/arch/opened_parts.h"
#include "core/arch/presets.h"
#include "core/arch/quantisation.h"
#include "core/arch/random_model.h"
#include "core/arch/recorded.h"
#include "core/arch/recorded_folder.h"
#include "core/arch/unused_tensors.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/ops/kernels.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Result<std::shared_ptr<TensorSource>> adapted(std::shared_ptr<TensorSource> source,
                                              const OpenOptions& options) {
  if (options.lora.empty()) return source;
  return with_lora(std::move(source), options.lora);
}

std::int64_t expand_limit(const OpenOptions& options) {
  return options.expand_limit >= 0 ? options.expand_limit : memory_limit();
}

// Quantised in blocks which products read faster than the expanded floats.
bool runs_as_it_lies(DType type) { return block_values(type) > 1 && kernels().decoded_unit(type) > 0; }

// The source, or one whose matrices stay in the file: those that run as they lie there unless a limit was
// asked for, all where expanding them would pass it.
std::shared_ptr<TensorSource> limited(std::shared_ptr<TensorSource> source, const OpenOptions& options,
                                      std::vector<Text>& notes) {
  const auto most = static_cast<std::uint64_t>(expand_limit(options));
  const std::uint64_t bytes = expanded_bytes(*source);
  if (bytes > most)
    notes.push_back(Text::of("note.stays_in_file", {format_bytes(bytes), format_bytes(most)}));
  if (bytes <= most && options.expand_limit < 0) return with_formats_kept(std::move(source), runs_as_it_lies);
  return within_limit(std::move(source), most);
}

// "LlamaForCausalLM"; empty where the config has none.
std::string architecture_of(const Json& config) {
  const auto found = config.find("architectures");
  const bool named =
      found != config.end() && found->is_array() && !found->empty() && found->front().is_string();
  return named ? printable(found->front().get<std::string>(), 80) : std::string();
}

// The model of a config and its weights, wherever they come from; `what` names the config in sentences.
// `file` is what lies beneath `stored`, under the file's own names.
Result<OpenedModel> assemble(Json config, const std::string& what,
                             const std::shared_ptr<TensorSource>& stored, const WatchedSource& file,
                             const OpenOptions& options) {
  TRY_OK(check_quantised_tensors(config, file, what));
  TRY(const KnownFamily known, known_family(config, what));
  const Family* family = known.family;
  config["model_type"] = known.type;
  OpenedModel out;
  const std::shared_ptr<TensorSource> kept = limited(stored, options, out.notes);
  out.stays_in_file = kept != stored;
  const TensorSource& source = *kept;
  TRY(ModelConfig model_config, family->read_config(config, source));
  model_config.family = family->name;
  TRY(Weights weights, family->read_weights(model_config, source));
  UnusedTensors unused = unused_tensors(file, model_config, weights);
  out.stored_as = file.take_names(weights);
  out.architecture = architecture_of(config);
  TRY(out.model, Model::make(std::move(model_config), std::move(weights)));
  out.unused = std::move(unused.names);
  out.warnings = std::move(unused.warnings);
  if (auto note = int8_note(source)) out.warnings.push_back(*std::move(note));
  out.family = family->name;
  count_formats(source, out);
  return out;
}

bool is_pickled(std::string_view name) {
  return name.ends_with(".bin") || name.ends_with(".pt") || name.ends_with(".pth") || name.ends_with(".ckpt");
}

// Where a checkpoint's folder lacks a file that its training has once for all of them: the folder around it.
fs::path with_file(const fs::path& folder, const char* name) {
  std::error_code ignored;
  const fs::path around = folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path();
  const bool shared = !fs::exists(folder / name, ignored) &&
                      step_of_name(folder.filename().string()).has_value() &&
                      fs::exists(around / name, ignored);
  return shared ? around : folder;
}

fs::path tokenizer_folder(const fs::path& folder) {
  if (has_tokenizer(folder.string()) || !step_of_name(folder.filename().string())) return folder;
  const fs::path around = folder.parent_path();
  return has_tokenizer(around.string()) ? around : folder;
}

// `weights`: a checkpoint's file in it; empty: the model's.
Result<OpenedModel> open_folder(const fs::path& folder, const OpenOptions& options,
                                const fs::path& weights = {}) {
  const std::string config_path = (with_file(folder, "config.json") / "config.json").string();
  std::error_code ignored;
  if (!fs::exists(config_path, ignored)) {
    return fail(Code::not_found, "error.arch.no_config", {quoted_path(folder.string())});
  }
  TRY(const Json config, read_json_file(config_path));
  TRY_OK(known_family(config, quoted_path(config_path)));  // before the weights are looked for
  TRY_OK(check_quantisation(config, quoted_path(config_path)));
  TRY(std::shared_ptr<TensorSource> source,
      weights.empty() ? open_safetensors_folder(folder.string()) : open_safetensors(weights.string()));
  TRY(source, adapted(std::move(source), options));
  const auto file = std::make_shared<WatchedSource>(std::move(source));
  TRY(OpenedModel out, assemble(config, quoted_path(config_path), file, *file, options));
  out.path = weights.empty() ? folder.string() : weights.string();
  out.title = !weights.empty()            ? weights.stem().string()
              : folder.filename().empty() ? folder.parent_path().filename().string()
                                          : folder.filename().string();
  const std::string texts = tokenizer_folder(folder).string();
  add_tokenizer(out, has_tokenizer(texts), texts);
  add_output_names(out, config);
  out.preprocessing = preprocessing_of(out.model->config(), folder.string(), out.warnings);
  const fs::path card = folder / "card.json";
  std::error_code nothing;
  if (fs::exists(card, nothing)) add_card(out, read_json_file(card.string()), quoted_path(card.string()));
  return out;
}

Result<OpenedModel> open_gguf_file(const fs::path& path, const OpenOptions& options) {
  TRY(Gguf file, open_gguf(path.string()));
  const auto tensors = std::make_shared<WatchedSource>(file.tensors);
  file.tensors = tensors;
  TRY(const Json config, gguf_config(file));
  TRY(const std::shared_ptr<TensorSource> source, gguf_source(file, config));
  auto opened = assemble(config, file.what, source, *tensors, options);
  if (!opened) return within(Text::of("error.arch.as_hugging_face", {file.what}), opened.error());
  OpenedModel out = *std::move(opened);
  out.path = path.string();
  out.title = path.stem().string();
  if (!file.find("tokenizer.ggml.tokens")) {
    out.notes.push_back(Text::of("note.no_vocabulary"));
    return out;
  }
  auto tokenizer = make_gguf_tokenizer(gguf_vocabulary(file));
  if (tokenizer)
    out.tokenizer = *tokenizer;
  else
    out.notes.push_back(tokenizer.error().whole());
  return out;
}

OpenedModel from_scene(Scene scene, const std::string& path) {
  OpenedModel out;
  out.title = scene.title.en.empty() ? path : scene.title.en;
  out.path = path;
  out.family = "scene";
  out.dtype = "F32";
  out.model = scene.model;
  out.file_bytes = static_cast<std::uint64_t>(scene.model->weights().parameter_count()) * sizeof(float);
  if (!scene.unused.empty()) out.warnings.push_back(unused_sentence(scene.unused));
  out.unused = scene.unused;
  out.scene = std::move(scene);
  out.preprocessing = preprocessing_of(out.model->config(), {}, out.notes);
  return out;
}

}  // namespace

Result<OpenedModel> open_scene_text(std::string_view text, const std::string& name) {
  TRY(Scene scene, scene_from_text(text, name));
  return with_texts(from_scene(std::move(scene), name));
}

namespace {

// Arrays of a run in another program; the model has the sizes and no weights.
Result<OpenedModel> open_recorded_source(const fs::path& path, const std::shared_ptr<TensorSource>& source) {
  TRY(Recorded recorded, read_recording(*source, quoted_path(path.string())));
  OpenedModel out;
  out.path = path.string();
  out.title = path.stem().string();
  out.family = "recording";
  const Trace& first = *recorded.traces.front();
  out.model = std::make_shared<const Model>(std::make_shared<const ModelConfig>(first.config()),
                                            std::make_shared<const Weights>());
  out.recorded = std::move(recorded.traces);
  out.recorded_numbers = std::move(recorded.numbers);
  out.words = std::move(recorded.words);
  out.notes = std::move(recorded.notes);
  count_formats(*source, out);
  return out;
}

// A folder of such arrays that a recorder fills part by part.
Result<OpenedModel> open_recorded_folder(const fs::path& folder) {
  TRY(const RecordedFolder record, open_recorded_parts(folder.string()));
  TRY(OpenedModel out, open_recorded_source(folder, record.source));
  out.title =
      folder.filename().empty() ? folder.parent_path().filename().string() : folder.filename().string();
  out.warnings = record.warnings;
  return out;
}

bool has_config(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "config.json", ignored);
}

Result<OpenedModel> read_model_files(const ModelFiles& files, const std::string& name,
                                     const OpenOptions& options) {
  const auto has = [&](const char* file) { return files.find(file) != files.end(); };
  const auto text = [&](const char* file) {
    return has(file) ? files.find(file)->second : std::string_view();
  };
  const auto what = [&](const char* file) { return name + "/" + file; };
  TRY(const Json config, parse_json(text("config.json"), what("config.json")));
  const std::string_view weights = text("model.safetensors");
  TRY(std::shared_ptr<TensorSource> source,
      open_safetensors_bytes(nullptr, std::as_bytes(std::span(weights.data(), weights.size())),
                             what("model.safetensors")));
  TRY(source, adapted(std::move(source), options));
  const auto file = std::make_shared<WatchedSource>(std::move(source));
  TRY(OpenedModel out, assemble(config, what("config.json"), file, *file, options));
  out.path = name;
  out.title = name.substr(name.find(':') + 1);
  if (has("tokenizer.json")) {
    TRY(out.tokenizer, tokenizer_from_json(text("tokenizer.json"), what("tokenizer.json")));
  }
  add_output_names(out, config);
  Json pictures;
  if (has("preprocessor_config.json")) {
    TRY(pictures, parse_json(text("preprocessor_config.json"), what("preprocessor_config.json")));
  }
  TRY(out.preprocessing, preprocessing_by(out.model->config(), pictures, what("preprocessor_config.json")));
  if (has("card.json")) add_card(out, parse_json(text("card.json"), what("card.json")), what("card.json"));
  if (out.card && !out.card->title.empty()) out.title = out.card->title;
  return out;
}

Result<OpenedModel> open_path(const std::string& path, const OpenOptions& options);

// The last checkpoint of a series that can be read; the later ones that cannot become warnings.
Result<OpenedModel> open_last(const CheckpointSeries& series, const OpenOptions& options) {
  std::vector<Text> passed_over;
  std::optional<Error> first;
  for (auto member = series.members.rbegin(); member != series.members.rend(); ++member) {
    auto opened = open_path(member->path, options);
    if (opened) {
      opened->warnings.insert(opened->warnings.end(), passed_over.begin(), passed_over.end());
      return opened;
    }
    const Error why = about(member->path, opened.error());
    passed_over.push_back(Text::of("note.series.passed_over", {in_quotes(member->name), why.whole()}));
    if (!first) first = why;
  }
  return *first;
}

// A model, or a folder of the checkpoints of one: those have no model of their own beside them.
Result<OpenedModel> open_model_folder(const fs::path& folder, const OpenOptions& options) {
  const auto has = [&](const char* name) {
    std::error_code ignored;
    return fs::exists(folder / name, ignored);
  };
  const bool weights = has("model.safetensors") || has("model.safetensors.index.json");
  if (!weights && !step_of_name(folder.filename().string()))
    if (const auto series = checkpoint_series(folder.string()); series && !series->members.empty()) {
      const bool files = is_checkpoint_file(series->members.back().name);
      if (!has_config(folder) || files) return open_last(*series, options);
    }
  return open_folder(folder, options);
}

Result<OpenedModel> open_path(const std::string& path, const OpenOptions& options) {
  std::error_code error;
  const fs::path at(path);
  const fs::file_status status = fs::status(at, error);
  if (!fs::exists(status)) {
    return fail(Code::not_found, "error.arch.no_path", {quoted_path(path)});
  }
  const bool directory = fs::is_directory(status);
  const fs::path folder = directory ? at : at.has_parent_path() ? at.parent_path() : fs::path(".");
  if (!has_config(folder) && (directory || is_recorded_part(at.filename().string())) &&
      has_recorded_parts(folder.string()))
    return open_recorded_folder(folder);
  if (directory) return open_model_folder(at, options);
  const bool checkpoint = has_config(folder) && is_checkpoint_file(at.filename().string());
  if (at.extension() == ".safetensors" &&
      !(has_config(folder) && starts_with(at.filename().string(), "model"))) {
    std::vector<Text> warnings;
    TRY(const std::shared_ptr<TensorSource> source, open_recorded_part(path, warnings));
    if (is_recording(*source) || !has_config(folder)) {
      TRY(OpenedModel out, open_recorded_source(at, source));
      out.warnings = std::move(warnings);
      return out;
    }
  }
  if (at.extension() == ".npz") {
    TRY(const std::shared_ptr<TensorSource> source, read_npz(path));
    return open_recorded_source(at, source);
  }
  if (checkpoint) return open_folder(folder, options, at);
  if (at.filename() == "config.json" || at.extension() == ".safetensors") return open_folder(folder, options);
  if (at.extension() == ".gguf") return open_gguf_file(at, options);
  if (at.extension() == ".json") {
    TRY(const Json object, read_json_file(path));
    const PathsIn named(path);
    TRY(Scene scene, scene_from_json(object, quoted_path(path)));
    return from_scene(std::move(scene), path);
  }
  if (is_pickled(at.filename().string()))
    return fail(Code::unsupported, "error.arch.series.pickled", {quoted_path(path)});
  return fail(Code::unsupported, "error.arch.neither", {quoted_path(path)});
}

// A file that was saved while the others were read: what was opened may be half of each.
Status check_unchanged(const std::vector<ReadFile>& files) {
  TRY_OK(intact(files));
  for (const ReadFile& file : files)
    if (file.newer()) return fail(Code::io_failed, "error.arch.changed", {quoted_path(file.path)});
  return Done{};
}

Result<OpenedModel> open_watched(const std::string& path, const OpenOptions& options) {
  const FilesRead files(static_cast<std::uint64_t>(expand_limit(options)));
  TRY(OpenedModel out, open_path(path, options));
  TRY_OK(check_unchanged(files.all()));
  out.model = out.model->with_files(files.all());
  out.series = series_around(out.path);
  if (out.scene) out.scene->model = out.model;
  out.files = files.all();
  return with_texts(std::move(out));
}

// What was opened says its adapter. Errors: it is no folder of matrices that one could be added to.
Result<OpenedModel> saying_adapter(OpenedModel opened, const std::string& path, const LoraChoice& lora) {
  if (lora.empty()) return opened;
  if (opened.scene || !opened.recorded.empty())
    return fail(Code::unsupported, "error.arch.lora.source", {quoted_path(path)});
  opened.lora = lora;
  return opened;
}

}  // namespace

Result<OpenedModel> open_model_files(const ModelFiles& files, const std::string& name,
                                     const OpenOptions& options) {
  auto opened = read_model_files(files, name, options);
  if (!opened) return about(name, opened.error());
  return saying_adapter(with_texts(*std::move(opened)), name, options.lora);
}

Result<OpenedModel> open_model(const std::string& path, const OpenOptions& options) {
  if (!options.lora.empty() && (starts_with(path, kRandomPrefix) || path.ends_with(".gguf")))
    return fail(Code::unsupported, "error.arch.lora.source", {quoted_path(path)});
  if (path == kRandomModel) return random_gpt2_small();
  if (starts_with(path, kRandomPrefix)) return random_preset(path.substr(kRandomPrefix.size()));
  auto opened = open_watched(path, options);
  // Errors from inside of a model's folder name the file alone: "config.json".
  if (!opened) return about(path, opened.error());
  return saying_adapter(*std::move(opened), path, options.lora);
}

}  // namespace attnscope
