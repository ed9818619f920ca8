#include "core/arch/scene.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/arch/config_reader.h"
#include "core/arch/scene_config.h"
#include "core/base/file_formats.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"
#include "core/io/json_number.h"
#include "core/system/atomic_file.h"
#include "core/trace/common.h"
#include "core/trace/input_json.h"
#include "core/trace/ties.h"

namespace attnscope {

Shape canonical_axes(const std::string& name, const std::vector<std::int64_t>& shape) {
  if (shape.size() == 1) return {{Axis::out, shape[0]}};
  if (ends_with(name, "pos_embed.weight")) return {{Axis::pos, shape[0]}, {Axis::d_model, shape[1]}};
  if (ends_with(name, "tok_embed.weight")) return {{Axis::vocab, shape[0]}, {Axis::d_model, shape[1]}};
  return {{Axis::in, shape[0]}, {Axis::out, shape[1]}};
}

using Json = nlohmann::json;

LocalText local_text(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return {};
  if (at->is_string()) return {at->get<std::string>(), {}};
  LocalText text;
  if (!at->is_object()) return text;
  if (const auto en = at->find("en"); en != at->end() && en->is_string()) text.en = en->get<std::string>();
  if (const auto ko = at->find("ko"); ko != at->end() && ko->is_string()) text.ko = ko->get<std::string>();
  return text;
}

Json text_json(const LocalText& text) {
  Json out{{"en", text.en}};
  if (!text.ko.empty()) out["ko"] = text.ko;
  return out;
}

std::string in_language(const LocalText& text) {
  return language() == "ko" && !text.ko.empty() ? text.ko : text.en;
}

namespace {

constexpr std::int64_t kSceneMostNumbers = std::int64_t{1} << 24;

Status check_toy(const ModelConfig& config, const std::string& what) {
  std::int64_t total = 0;
  for (const WeightShape& weight : expected_weights(config)) {
    std::int64_t count = 1;
    for (const std::int64_t size : weight.shape) count *= size;
    total += count;
  }
  if (total <= kSceneMostNumbers) return Done{};
  return fail(Code::no_memory, "error.arch.scene.weights", {what, format_count(total)});
}

Status read_scene_weights(const Json& object, Weights& weights, const std::string& what) {
  const auto given = object.find("weights");
  if (given == object.end()) return Done{};
  if (!given->is_object()) return fail(Code::bad_format, "error.arch.scene.weights_object", {what});
  for (const auto& [name, value] : given->items()) {
    std::vector<std::int64_t> shape;
    TRY(std::vector<float> flat, numbers_from_json(value, shape, what + ": weights: " + name));
    weights.set(name, Tensor::from(std::move(flat), canonical_axes(name, shape)));
  }
  return Done{};
}

// Weights that the file gives and the model has no use for, or takes from another table.
std::vector<std::string> unused_weights(const Json& object, const ModelConfig& config) {
  std::vector<std::string> out;
  const auto given = object.find("weights");
  if (given == object.end()) return out;
  const std::vector<WeightShape> expected = expected_weights(config);
  for (const auto& [name, value] : given->items()) {
    const bool known =
        std::any_of(expected.begin(), expected.end(),
                    [&, wanted = name](const WeightShape& shape) { return shape.name == wanted; });
    if (!known || is_tied(config, name)) out.push_back(name);
  }
  return out;
}

Json rows_of(const Tensor& tensor) {
  Json out = Json::array();
  for (std::int64_t i = 0; i < tensor.size(0); ++i) {
    if (tensor.rank() == 1) {
      out.push_back(tensor.at(i));
      continue;
    }
    Json row = Json::array();
    for (std::int64_t j = 0; j < tensor.size(1); ++j) row.push_back(tensor.at(i, j));
    out.push_back(std::move(row));
  }
  return out;
}

// A whole number of 64 bits: not every one of them is a double.
std::uint64_t read_seed(ConfigReader& top) {
  const Json* seed = top.find({"seed"});
  if (!seed) return 0;
  if (seed->is_number_integer() && (seed->is_number_unsigned() || seed->get<std::int64_t>() >= 0))
    return seed->get<std::uint64_t>();
  top.refuse(fail(Code::bad_format, "error.arch.scene.seed", {top.what()}));
  return 0;
}

}  // namespace

std::vector<float> normal_numbers(std::uint64_t seed, std::int64_t count, float deviation) {
  std::uint64_t state = seed;
  const auto uniform = [&state] {  // SplitMix64 (Steele, Lea, Flood 2014) -> (0, 1]
    state += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    return (static_cast<double>(z >> 11) + 1.0) / 9007199254740992.0;
  };
  std::vector<float> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const double radius = std::sqrt(-2.0 * std::log(uniform())), angle = 2.0 * std::numbers::pi * uniform();
    out[i] = static_cast<float>(radius * std::cos(angle)) * deviation;
    if (i + 1 < out.size()) out[i + 1] = static_cast<float>(radius * std::sin(angle)) * deviation;
  }
  return out;
}

Weights random_weights(const ModelConfig& config, std::uint64_t seed) {
  Weights out;
  for (const WeightShape& weight : expected_weights(config)) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    const bool norm = weight.name.find("ln") != std::string::npos, bias = ends_with(weight.name, ".bias");
    const bool table =
        ends_with(weight.name, "_embed.weight") && !ends_with(weight.name, "patch_embed.weight");
    std::int64_t count = 1;
    for (const std::int64_t size : weight.shape) count *= size;
    const float deviation = table ? 0.5f : 1.f / std::sqrt(static_cast<float>(weight.shape[0]));
    std::vector<float> values =
        norm || bias ? std::vector<float>(static_cast<std::size_t>(count), norm && !bias ? 1.f : 0.f)
                     : normal_numbers(seed, count, deviation);
    out.set(weight.name, Tensor::from(std::move(values), canonical_axes(weight.name, weight.shape)));
  }
  tie_tables(config, out);
  return out;
}

bool is_scene(const Json& object) { return member_text(object, "format") == kSceneFormat.name; }

Result<Scene> scene_from_json(const Json& object, const std::string& what) {
  if (!is_scene(object)) {
    return fail(Code::bad_format, "error.arch.scene.none", {what});
  }
  if (const auto version = object.find("version");
      version != object.end() && *version != kSceneFormat.version)
    return fail(Code::unsupported, "error.arch.scene.version", {what, printable(version->dump(), 40)});
  if (!object.contains("config")) return fail(Code::bad_format, "error.arch.scene.no_config", {what});
  TRY(ModelConfig config, config_from_json(object["config"], what + ": config"));
  TRY_OK(check_toy(config, what));
  Scene scene;
  scene.title = local_text(object, "title");
  scene.note = local_text(object, "note");
  ConfigReader top(object, what);
  scene.walk = top.text({"walk"}, "");
  scene.seed = read_seed(top);
  TRY_OK(top.status());
  if (const auto words = object.find("words"); words != object.end() && words->is_array())
    for (const Json& word : *words)
      scene.words.push_back(word.is_string() ? word.get<std::string>() : std::string());
  scene.from_seed = !object.contains("weights");
  Weights weights = scene.from_seed ? random_weights(config, scene.seed) : Weights();
  TRY_OK(read_scene_weights(object, weights, what));
  scene.unused = unused_weights(object, config);
  tie_tables(config, weights);
  TRY(scene.model, Model::make(std::move(config), std::move(weights)));
  TRY(scene.inputs, inputs_from_json(object, what));
  TRY(scene.edits, edits_from_json(object, what));
  if (const auto data = object.find("data"); data != object.end())
    scene.data = std::make_shared<const Json>(*data);
  return scene;
}

Result<Scene> scene_from_text(std::string_view text, const std::string& what) {
  TRY(const Json object, parse_json(text, what));
  auto scene = scene_from_json(object, what);
  if (!scene) return about(what, scene.error());
  return scene;
}

std::string scene_to_text(const Scene& scene) {
  Json out{{"format", kSceneFormat.name},
           {"version", kSceneFormat.version},
           {"title", text_json(scene.title)},
           {"note", text_json(scene.note)},
           {"walk", scene.walk},
           {"seed", scene.seed},
           {"config", config_to_json(scene.model->config())}};
  if (!scene.words.empty()) out["words"] = scene.words;
  if (scene.data) out["data"] = *scene.data;
  if (Json edits = edits_to_json(scene.edits); !edits.is_null()) out["edits"] = std::move(edits);
  for (const Input& input : scene.inputs) {
    Json& one = out["inputs"].emplace_back(input_to_json(input));
    if (!input.vectors.empty()) one["vectors"] = rows_of(input.vectors);
  }
  const ModelConfig& config = scene.model->config();
  for (const auto& [name, tensor] : scene.model->weights().all()) {
    if (!is_tied(config, name)) out["weights"][name] = rows_of(tensor);
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

// Where blocks differ, only what was changed becomes the same in all.
void resize_attention(AttentionSpec& a, const SceneSizes& sizes, const SceneSizes& before) {
  if (sizes.heads != before.heads) {
    if (a.n_kv_heads == a.n_heads || sizes.heads % a.n_kv_heads != 0) a.n_kv_heads = sizes.heads;
    a.n_heads = sizes.heads;
  }
  if (sizes.d_head != before.d_head) a.d_head = sizes.d_head;
  a.scale = 1.f / std::sqrt(static_cast<float>(a.d_head));
  if (sizes.causal != before.causal) a.causal = sizes.causal;
}

}  // namespace

SceneSizes sizes_of(const Scene& scene) {
  const ModelConfig& config = scene.model->config();
  return {static_cast<int>(scene.inputs.size()),
          static_cast<int>(scene.inputs.front().length()),
          config.d_in,
          extent(config, &BlockSpec::attention, &AttentionSpec::n_heads).second,
          extent(config, &BlockSpec::attention, &AttentionSpec::d_head).second,
          config.d_model,
          config.causal()};
}

Result<Scene> resized(const Scene& scene, const SceneSizes& sizes, std::uint64_t seed) {
  const auto fits = [](int value, int most) { return value >= 1 && value <= most; };
  if (!fits(sizes.batch, 64) || !fits(sizes.tokens, 4096) || !fits(sizes.d_in, 1024) ||
      !fits(sizes.heads, 64) || !fits(sizes.d_head, 256) || !fits(sizes.d_out, 1024)) {
    return fail(Code::out_of_range, "error.arch.scene.sizes");
  }
  ModelConfig config = scene.model->config();
  config.d_in = sizes.d_in;
  config.d_model = config.bare() ? sizes.d_out : sizes.d_in;
  for (BlockSpec& block : config.blocks) resize_attention(block.attention, sizes, sizes_of(scene));
  if (config.position.kind == PositionSpec::Kind::learned)
    config.position.max_positions = std::max<std::int64_t>(config.position.max_positions, sizes.tokens);
  TRY_OK(check_toy(config, "The scene"));
  Scene out = scene;
  out.edits = {};  // of rows and heads that may be gone
  out.seed = seed;
  out.from_seed = true;
  Weights weights = random_weights(config, seed);
  TRY(out.model, Model::make(config, std::move(weights)));
  out.inputs.assign(static_cast<std::size_t>(sizes.batch), Input());
  for (std::size_t sequence = 0; sequence < out.inputs.size(); ++sequence) {
    const std::uint64_t own = seed + 1000 + sequence;
    if (config.vocab_size > 0) {
      for (const float x : normal_numbers(own, sizes.tokens, 1e4f))
        out.inputs[sequence].ids.push_back(static_cast<int>(std::fabs(x)) % config.vocab_size);
    } else {
      out.inputs[sequence].vectors =
          Tensor::from(normal_numbers(own, std::int64_t{sizes.tokens} * sizes.d_in, 1.f),
                       {{Axis::pos, sizes.tokens}, {Axis::d_model, sizes.d_in}});
    }
  }
  return out;
}

Status save_scene(const Scene& scene, const std::string& path) {
  return write_file(path, scene_to_text(scene));
}

}  // namespace attnscope
