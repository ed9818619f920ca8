#include "core/arch/save_edited.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/known_family.h"
#include "core/arch/quantisation.h"
#include "core/arch/save_exchange.h"
#include "core/arch/save_model.h"
#include "core/arch/shipped.h"
#include "core/arch/source_cells.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"
#include "core/model/derive.h"
#include "core/system/atomic_file.h"
#include "core/system/atomic_folder.h"
#include "core/system/mapped_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kMostFileBytes = std::uint64_t{256} << 20;  // of a tokenizer

// A folder of the source: its config, its tensors, and what lies beside them.
// NOLINTNEXTLINE(bugprone-exception-escape): moving JSON does not throw
struct SourceFolder {
  Json config;
  std::shared_ptr<TensorSource> tensors;
  std::map<std::string, std::string> beside;
};

bool is_written_anew(const std::string& name) {
  return name == "config.json" || name.find(".safetensors") != std::string::npos;
}
bool is_kept(const std::string& name) {
  const std::string ending = fs::path(name).extension().string();
  return !is_written_anew(name) && name.find(".bin.") == std::string::npos &&
         (ending == ".json" || ending == ".txt" || ending == ".model" || ending == ".spm" ||
          ending == ".jinja");
}

Result<SourceFolder> shipped_folder(const std::string& name) {
  const ModelFiles files = shipped_files(name.substr(name.find(':') + 1));
  SourceFolder out;
  const auto text = [&](const char* file) {
    const auto found = files.find(file);
    return found == files.end() ? std::string_view() : found->second;
  };
  TRY(out.config, parse_json(text("config.json"), name + "/config.json"));
  const std::string_view bytes = text("model.safetensors");
  TRY(out.tensors, open_safetensors_bytes(nullptr, std::as_bytes(std::span(bytes.data(), bytes.size())),
                                          name + "/model.safetensors"));
  for (const auto& [file, content] : files)
    if (is_kept(file)) out.beside.emplace(file, content);
  return out;
}

Result<SourceFolder> folder_at(const fs::path& folder) {
  SourceFolder out;
  TRY(out.config, read_json_file((folder / "config.json").string()));
  TRY(out.tensors, open_safetensors_folder(folder.string()));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(error) || !is_kept(name)) continue;
    TRY(out.beside[name], attnscope::read_file(entry.path().string(), kMostFileBytes));
  }
  return out;
}

// Empty where the model was not read from a folder of safetensors.
fs::path folder_of(const OpenedModel& opened) {
  std::error_code error;
  const fs::path at(opened.path);
  const fs::path folder = fs::is_directory(at, error) ? at : at.parent_path();
  const bool there = !opened.scene && at.extension() != ".gguf" && fs::exists(folder / "config.json", error);
  return there ? folder : fs::path();
}

Error unsaved_edit(const Edit& edit, const char* why) {
  return fail(Code::unsupported, "error.arch.save.edit", {in_quotes(to_text(edit)), Text::of(why)});
}

// Rows of a matrix [in, out] that a place of the step before it writes into.
Result<std::shared_ptr<const Edit>> rows_off(const ModelConfig& config, const Weights& weights,
                                             const Edit& edit, const Target& where) {
  const bool head = where.site.slot == Slot::z;
  const AxisRange* range = range_on(where, head ? Axis::head : Axis::d_mlp);
  const BlockSpec& block = config.block_at(where.site);
  const std::string whole = to_text(where.site);
  const std::string matrix = whole.substr(0, whole.rfind('.')) + ".out.weight";
  const Tensor* found = weights.find(matrix);
  if (!found || found->rank() != 2) return unsaved_edit(edit, "error.arch.save.why.place");
  const std::int64_t heads = block.attention.n_heads,
                     each = head ? found->size(0) / std::max<std::int64_t>(1, heads) : 1;
  std::vector<AxisRange> at;
  if (range) at.emplace_back(std::string(axis_name(Axis::in)), range->begin * each, range->end * each);
  return make_edit(NumberEdit{weight_target(matrix, std::move(at)), EditOp::set, 0.f});
}

bool sets_zero(const NumberEdit& edit) {
  const float* value = std::get_if<float>(&edit.value);
  return value && *value == 0.f && edit.op != EditOp::add;
}

// The matrix and the bias that a branch is made by, where it is off whole.
Edits output_off(const Weights& weights, const Target& where) {
  Edits out;
  for (const char* part : {".weight", ".bias"})
    if (const std::string name = to_text(where.site) + part; weights.find(name))
      out.push_back(make_edit(NumberEdit{weight_target(name), EditOp::set, 0.f}));
  return out;
}

Result<Edits> as_weight_edit(const ModelConfig& config, const Weights& weights,
                             const std::shared_ptr<const Edit>& edit) {
  if (edit->sequence < 0 && edit->exchange()) return Edits{edit};
  if (edit->mask()) return unsaved_edit(*edit, "error.arch.save.why.mask");
  if (edit->sequence >= 0) return unsaved_edit(*edit, "error.arch.save.why.sequence");
  const NumberEdit& number = *edit->number();
  if (number.where.kind == Target::Kind::weight) return Edits{edit};
  if (number.where.kind == Target::Kind::input) return unsaved_edit(*edit, "error.arch.save.why.input");
  const Slot slot = number.where.site.slot;
  const auto allowed = [&](const AxisRange& range) {
    return range.axis == axis_name(slot == Slot::z ? Axis::head : Axis::d_mlp);
  };
  const auto& at = number.where.at;
  if ((slot == Slot::z || slot == Slot::mlp_post) && sets_zero(number) &&
      std::all_of(at.begin(), at.end(), allowed)) {
    TRY(const auto off, rows_off(config, weights, *edit, number.where));
    return Edits{off};
  }
  if (number.where.site.is(StepRole::branch) && sets_zero(number) && at.empty())
    if (Edits off = output_off(weights, number.where); !off.empty()) return off;
  return unsaved_edit(*edit, "error.arch.save.why.run");
}

// Where nothing lies yet.
Result<AtomicFolder> new_folder(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && (!fs::is_directory(path, error) || !fs::is_empty(path, error)))
    return fail(Code::io_failed, "error.arch.save.there", {quoted_path(path)});
  return AtomicFolder::create(path);
}

Status write_beside(const AtomicFolder& to, const SourceFolder& from, SavedModel& out) {
  for (const auto& [name, content] : from.beside) {
    TRY_OK(write_file(to.in(name), content));
    out.files.push_back(name);
  }
  return Done{};
}

// False where the words of the source's config cannot say what was exchanged; nothing is written then.
Result<bool> write_source(const AtomicFolder& to, SourceFolder& from, const DerivedModel& now, bool exchanged,
                          const std::string& what, SavedModel& out) {
  for (const TensorInfo& info : from.tensors->infos())
    if (is_int8(*from.tensors, info.name))
      return fail(Code::unsupported, "error.arch.save.quantised", {what});
  TRY(const KnownFamily known, known_family(from.config, what));
  Json typed = from.config;
  typed["model_type"] = known.type;
  TRY(const ModelConfig config, known.family->read_config(typed, *from.tensors));
  if (exchanged) {
    const auto said = config_saying(typed, *known.family, *from.tensors, *now.config);
    if (!said) return false;
    for (const auto& [key, value] : said->items())
      if (key != "model_type") from.config[key] = value;
  }
  TRY(const FileTensors written, tensors_with(*from.tensors, *known.family, config, *now.weights));
  out.weights = written.changed;
  for (const char* name : {"torch_dtype", "dtype"})
    if (from.config.contains(name)) from.config[name] = "float32";
  const std::string weights = to.in("model.safetensors");
  TRY(AtomicFile file, AtomicFile::create(weights));
  std::map<std::string, std::string> told{{"format", "pt"}};
  if (!out.lora.empty()) told["lora"] = out.lora;
  TRY_OK(put_safetensors(file, weights, written.tensors, written.ints, told));
  TRY_OK(file.commit());
  from.beside["config.json"] = from.config.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  TRY_OK(write_beside(to, from, out));
  out.files.emplace_back("model.safetensors");
  return true;
}

const std::string& layout_of_family(const std::string& family) {
  static const std::string own = "attnscope";
  static const std::map<std::string, std::string> layouts{
      {"GPT-2", "gpt2"}, {"Llama", "llama"}, {"BERT", "bert"}, {"Marian", "marian"}};
  const auto named = layouts.find(family);
  return named == layouts.end() ? own : named->second;
}

// In the layout of a family that can be written without its source.
Status write_layout(const AtomicFolder& to, const OpenedModel& opened, const DerivedModel& now,
                    SavedModel& out) {
  TRY(const auto model, Model::make(*now.config, *now.weights));
  TRY(out.layout, fitting_layout(layout_of_family(opened.family), *model));
  TRY_OK(put_model(to, out.layout, *model, nullptr));
  out.no_tokenizer = opened.tokenizer != nullptr;
  for (const auto& [name, tensor] : now.weights->all())
    out.weights += opened.model->weights().find(name)->values() != tensor.values() ? 1 : 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(to.path(), error))
    out.files.push_back(entry.path().filename().string());
  std::sort(out.files.begin(), out.files.end());
  return Done{};
}

// As the family's own class has it, written anew with what lies beside the source. Errors: the class cannot
// say what was exchanged.
Status write_family(const AtomicFolder& to, const SourceFolder& source, const OpenedModel& opened,
                    const DerivedModel& now, const Edit& exchanged, SavedModel& out) {
  const std::string& layout = layout_of_family(opened.family);
  TRY(const auto model, Model::make(*now.config, *now.weights));
  if (layout == "attnscope" || !can_save(layout, *model))
    return unsaved_edit(exchanged, "error.arch.save.why.exchange");
  TRY_OK(put_model(to, layout, *model, nullptr));
  TRY_OK(write_beside(to, source, out));
  out.layout = layout;
  for (const auto& [name, tensor] : now.weights->all()) {
    const Tensor* before = opened.model->weights().find(name);
    out.weights += !before || before->values() != tensor.values() ? 1 : 0;
  }
  for (const char* name : {"config.json", "model.safetensors"}) out.files.emplace_back(name);
  return Done{};
}

}  // namespace

Result<Edits> as_weight_edits(const ModelConfig& config, const Weights& weights, const Edits& edits) {
  Edits out;
  for (const auto& edit : edits) {
    if (!edit->enabled) continue;
    TRY(const Edits more, as_weight_edit(config, weights, edit));
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

Result<SavedModel> save_edited(const std::string& folder, const OpenedModel& opened, const Edits& edits) {
  if (!opened.recorded.empty()) return fail(Code::unsupported, "error.arch.save.recording");
  const auto config = std::make_shared<const ModelConfig>(opened.model->config());
  const auto weights = std::make_shared<const Weights>(opened.model->weights());
  TRY(const Edits of_weights, as_weight_edits(*config, *weights, edits));
  TRY(const DerivedModel now, derived(config, weights, of_weights));
  if (now.reached.size() != of_weights.size())
    for (const auto& edit : of_weights)
      if (std::find(now.reached.begin(), now.reached.end(), edit) == now.reached.end())
        return unsaved_edit(*edit, "error.arch.save.why.place");
  const auto exchanged = std::find_if(of_weights.begin(), of_weights.end(),
                                      [](const auto& edit) { return edit->exchange() != nullptr; });
  SavedModel out;
  if (const LoraChoice& lora = opened.lora; !lora.empty() && lora.on)
    out.lora = to_text(LoraChoice{lora_name(lora), lora.strength, true});
  TRY(AtomicFolder to, new_folder(folder));
  const bool shipped = !opened.scene && is_shipped_name(opened.path);
  const fs::path from = folder_of(opened);
  if (shipped || !from.empty()) {
    TRY(SourceFolder source, shipped ? shipped_folder(opened.path) : folder_at(from));
    TRY(const bool written,
        write_source(to, source, now, exchanged != of_weights.end(), quoted_path(opened.path), out));
    if (!written) TRY_OK(write_family(to, source, opened, now, **exchanged, out));
  } else {
    TRY_OK(write_layout(to, opened, now, out));
  }
  if (exchanged != of_weights.end()) {
    TRY(const bool same, is_saved(to.path(), opened, edits, *now.config));
    if (!same) return unsaved_edit(**exchanged, "error.arch.save.why.exchange");
  }
  TRY_OK(opened.model->weights().intact());
  TRY_OK(to.commit());
  return out;
}

}  // namespace attnscope
