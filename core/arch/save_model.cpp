#include "core/arch/save_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/arch/family.h"
#include "core/arch/save_layout.h"
#include "core/arch/scene_config.h"
#include "core/base/text.h"
#include "core/io/writers.h"
#include "core/system/atomic_file.h"

namespace attnscope {

using Json = nlohmann::json;

Json config_head(const char* architecture, const char* model_type) {
  return {{"architectures", {architecture}},
          {"model_type", model_type},
          {"dtype", "float32"},
          {"torch_dtype", "float32"}};  // as older versions of transformers spell it
}

Json token_json(int id) { return id >= 0 ? Json(id) : Json(nullptr); }

void put_special_tokens(Json& out, const ModelConfig& model) {
  out["bos_token_id"] = token_json(model.bos);
  out["eos_token_id"] = token_json(model.eos);
  out["pad_token_id"] = token_json(model.pad);
  out["tie_word_embeddings"] = model.head.tied;
}

namespace {

struct Layout {
  std::string_view name;
  Result<SavedLayout> (*save)(const Model& model);
};
constexpr Layout kLayouts[] = {{"gpt2", save_as_gpt2},
                               {"llama", save_as_llama},
                               {"bert", save_as_bert},
                               {"marian", save_as_marian},
                               {"attnscope", save_as_attnscope}};

// What will lie in model.safetensors, to be read before it is written.
class Written final : public TensorSource {
 public:
  explicit Written(const std::vector<NamedTensor>& tensors) : tensors_(tensors) {
    for (const NamedTensor& tensor : tensors)
      infos_.push_back({tensor.name, DType::f32, tensor.value.sizes(), 0,
                        static_cast<std::uint64_t>(tensor.value.count()) * sizeof(float)});
  }
  const std::vector<TensorInfo>& infos() const override { return infos_; }
  const TensorInfo* find(std::string_view name) const override {
    const auto at =
        std::find_if(infos_.begin(), infos_.end(), [&](const TensorInfo& info) { return info.name == name; });
    return at != infos_.end() ? &*at : nullptr;
  }
  Result<Tensor> load(std::string_view name) const override {
    for (const NamedTensor& tensor : tensors_)
      if (tensor.name == name) return tensor.value;
    return fail(Code::not_found, "error.arch.no_tensor", {name});
  }
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override {
    return fail(Code::unsupported, "error.arch.no_whole_numbers", {name});
  }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }

 private:
  const std::vector<NamedTensor>& tensors_;
  std::vector<TensorInfo> infos_;
  std::map<std::string, std::string> metadata_;
};

Error misfit(std::string_view layout, const Text& what) {
  return Error{Code::unsupported, Text::of("error.arch.layout", {layout, what}),
               Text::of(layout == "attnscope" ? "error.arch.correct_config" : "error.arch.use_attnscope")};
}

// Where two configs differ first: "attention.window is 16, but would be read back as not set"; empty where
// they are the same.
Text first_difference(const Json& is, const Json& read, const std::string& path) {
  if (is == read) return {};
  // 1/sqrt(6) lies between two floats; another program may have rounded to the other one.
  const bool numbers = is.is_number() && read.is_number();
  if (numbers && std::fabs(is.get<double>() - read.get<double>()) < 2e-7 * std::fabs(is.get<double>()))
    return {};
  if (is.is_object() && read.is_object()) {
    Json keys = is;
    keys.update(read);
    for (const auto& [key, unused] : keys.items()) {
      const Json left = is.value(key, Json()), right = read.value(key, Json());
      const Text found = first_difference(left, right, path.empty() ? key : path + "." + key);
      if (!found.empty()) return found;
    }
    return {};
  }
  if (is.is_array() && read.is_array() && is.size() == read.size()) {
    for (std::size_t i = 0; i < is.size(); ++i) {
      const Text found = first_difference(is[i], read[i], format("%s[%zu]", path.c_str(), i));
      if (!found.empty()) return found;
    }
  }
  const auto shown = [](const Json& value) {
    return value.is_null() ? Text::of("error.arch.not_set") : Text(value.dump().substr(0, 60));
  };
  return Text::of("error.arch.config_differs", {path, shown(is), shown(read)});
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) return false;
  const Tensor left = a.packed(), right = b.packed();
  return std::memcmp(left.data(), right.data(), static_cast<std::size_t>(a.count()) * sizeof(float)) == 0;
}

// A bias that changes nothing.
bool is_idle(const std::string& name, const Tensor& tensor) {
  const std::vector<float> values = tensor.values();
  return ends_with(name, ".bias") &&
         std::all_of(values.begin(), values.end(), [](float value) { return value == 0.f; });
}

Text weights_difference(const Weights& is, const Weights& read) {
  for (const auto& [name, tensor] : is.all()) {
    const Tensor* back = read.find(name);
    if (!back && !is_idle(name, tensor)) return Text::of("error.arch.no_place", {name});
    if (back && !same_bits(tensor, *back)) return Text::of("error.arch.other_numbers", {name});
  }
  for (const auto& [name, tensor] : read.all())
    if (!is.find(name) && !is_idle(name, tensor)) return Text::of("error.arch.one_more", {name});
  return {};
}

// Reads the result back with its family's own reader and compares: what the layout cannot store differs.
Status check_same(std::string_view layout, const SavedLayout& saved, const Model& model) {
  const std::string type = saved.config["model_type"].get<std::string>();
  const auto family = std::find_if(families().begin(), families().end(), [&](const Family& known) {
    return std::find(known.model_types.begin(), known.model_types.end(), type) != known.model_types.end();
  });
  CHECK(family != families().end());
  const Written source(saved.tensors);
  const auto config = family->read_config(saved.config, source);
  if (!config) return misfit(layout, config.error().what());
  Json is = config_to_json(model.config()), read = config_to_json(*config);
  for (Json* spelled_out : {&is, &read})
    spelled_out->erase("suppressed_tokens");  // affects generation, not the model
  if (const Text found = first_difference(is, read, ""); !found.empty()) return misfit(layout, found);
  const auto weights = family->read_weights(*config, source);
  if (!weights) return misfit(layout, weights.error().what());
  if (const Text found = weights_difference(model.weights(), *weights); !found.empty())
    return misfit(layout, found);
  return Done{};
}

Result<SavedLayout> laid_out(std::string_view layout, const Model& model) {
  std::vector<std::string> known;
  for (const Layout& row : kLayouts) {
    known.emplace_back(row.name);
    if (row.name != layout) continue;
    TRY(SavedLayout saved, row.save(model));
    TRY_OK(check_same(layout, saved, model));
    return saved;
  }
  return fail(Code::not_found, "error.arch.no_layout", {in_quotes(std::string(layout)), join(known, ", ")});
}

Status write_json_file(const std::string& path, const Json& content) {
  if (content.is_null()) return Done{};
  return write_file(path, content.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

Status can_save(std::string_view layout, const Model& model) {
  TRY_OK(laid_out(layout, model));
  return Done{};
}

Result<std::string> fitting_layout(std::string_view layout, const Model& model) {
  if (can_save(layout, model)) return std::string(layout);
  TRY_OK(can_save("attnscope", model));
  return std::string("attnscope");
}

Status put_model(const AtomicFolder& folder, std::string_view layout, const Model& model,
                 const Json& tokenizer) {
  TRY(const SavedLayout saved, laid_out(layout, model));
  TRY_OK(write_safetensors(folder.in("model.safetensors"), saved.tensors, {}, {{"format", "pt"}}));
  TRY_OK(write_json_file(folder.in("config.json"), saved.config));
  TRY_OK(write_json_file(folder.in("tokenizer.json"), tokenizer));
  return write_json_file(folder.in("preprocessor_config.json"), saved.preprocessing);
}

Status save_model(const std::string& path, std::string_view layout, const Model& model,
                  const Json& tokenizer) {
  TRY_OK(can_save(layout, model));
  TRY(AtomicFolder folder, AtomicFolder::create(path));
  TRY_OK(put_model(folder, layout, model, tokenizer));
  return folder.commit();
}

}  // namespace attnscope
