#include "core/arch/scene.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/arch/config_reader.h"
#include "core/arch/scene_config.h"
#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/json_file.h"

namespace attnscope {

Shape canonical_axes(const std::string& name, const std::vector<std::int64_t>& shape) {
  if (shape.size() == 1) return {{Axis::out, shape[0]}};
  if (ends_with(name, "pos_embed.weight")) return {{Axis::pos, shape[0]}, {Axis::d_model, shape[1]}};
  if (ends_with(name, "tok_embed.weight")) return {{Axis::vocab, shape[0]}, {Axis::d_model, shape[1]}};
  return {{Axis::in, shape[0]}, {Axis::out, shape[1]}};
}

void tie_tables(const ModelConfig& config, Weights& weights) {
  const std::string base(stack_prefix(config.stack));
  const Tensor table = weights.get(base + "tok_embed.weight");
  if (table.empty()) return;
  if (config.of(Stack::enc).shares_embedding) weights.set("enc.tok_embed.weight", table);
  if (config.head.present && config.head.tied)
    weights.set(base + "logits.weight", table.transpose().rename({Axis::in, Axis::vocab}));
}

bool is_tied(const ModelConfig& config, const std::string& name) {
  if (name == "enc.tok_embed.weight") return config.of(Stack::enc).shares_embedding;
  return config.head.present && config.head.tied &&
         name == std::string(stack_prefix(config.stack)) + "logits.weight";
}

namespace {

using nlohmann::json;

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 24;

LocalText local_text(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return {};
  if (at->is_string()) return {at->get<std::string>(), {}};
  LocalText text;
  if (!at->is_object()) return text;
  if (const auto en = at->find("en"); en != at->end() && en->is_string()) text.en = en->get<std::string>();
  if (const auto ko = at->find("ko"); ko != at->end() && ko->is_string()) text.ko = ko->get<std::string>();
  return text;
}

// Nested lists of numbers of up to two levels, flattened; the shape found goes to `shape`.
Result<std::vector<float>> numbers(const json& value, std::vector<std::int64_t>& shape,
                                   const std::string& name) {
  std::vector<float> out;
  const auto bad = [&](const char* why) {
    return fail(Code::bad_format, format("%s: %s.", name.c_str(), why),
                "Write a list of numbers, or a list of equally long rows.");
  };
  const auto take = [&](const json& number) {
    if (number.is_number()) out.push_back(number.get<float>());
    return number.is_number();
  };
  if (!value.is_array() || value.empty()) return bad("expected a list of numbers");
  shape = {static_cast<std::int64_t>(value.size())};
  for (const json& row : value) {
    if (!row.is_array()) {
      if (shape.size() != 1 || !take(row)) return bad("a number is missing or is not a number");
      continue;
    }
    if (shape.size() == 1) {
      if (!out.empty()) return bad("numbers and rows are mixed");
      shape.push_back(static_cast<std::int64_t>(row.size()));
    }
    if (static_cast<std::int64_t>(row.size()) != shape[1] || row.empty())
      return bad("the rows are not equally long");
    for (const json& number : row)
      if (!take(number)) return bad("a number is missing or is not a number");
  }
  return out;
}

Status check_toy(const ModelConfig& config, const std::string& what) {
  std::int64_t total = 0;
  for (const WeightShape& weight : expected_weights(config)) {
    std::int64_t count = 1;
    for (const std::int64_t size : weight.shape) count *= size;
    total += count;
  }
  if (total <= kMostNumbers) return Done{};
  return fail(Code::no_memory, format("%s would hold %s weights.", what.c_str(), format_count(total).c_str()),
              "Scenes are for toys; open larger models as a model folder.");
}

Status read_weights(const json& object, Weights& weights, const std::string& what) {
  const auto given = object.find("weights");
  if (given == object.end()) return Done{};
  if (!given->is_object())
    return fail(Code::bad_format, what + ": \"weights\" must be an object.", "Name each tensor.");
  for (const auto& [name, value] : given->items()) {
    std::vector<std::int64_t> shape;
    TRY(std::vector<float> flat, numbers(value, shape, what + ": weights: " + name));
    weights.set(name, Tensor::from(std::move(flat), canonical_axes(name, shape)));
  }
  return Done{};
}

// The whole numbers at `key`, or none where it is missing.
template <class Number>
Status read_list(const json& object, const char* key, std::vector<Number>& out, const std::string& name) {
  const auto list = object.find(key);
  if (list == object.end()) return Done{};
  for (std::size_t i = 0; list->is_array() && i < list->size(); ++i) {
    if (!(*list)[i].is_number_integer()) break;
    out.push_back((*list)[i].get<Number>());
  }
  if (list->is_array() && out.size() == list->size()) return Done{};
  return fail(Code::bad_format, format("%s: %s must be a list of whole numbers.", name.c_str(), key),
              "Correct the list.");
}

// {"shape": [3, 8, 8], "values": [...]}
Status read_pixels(const json& object, Tensor& pixels, const std::string& name) {
  const auto given = object.find("pixels");
  if (given == object.end()) return Done{};
  std::vector<std::int64_t> shape, flat;
  const bool whole = given->is_object() && given->contains("values");
  if (whole) TRY_OK(read_list(*given, "shape", shape, name + ": pixels"));
  const bool fits = shape.size() == 3 && *std::min_element(shape.begin(), shape.end()) > 0 &&
                    *std::max_element(shape.begin(), shape.end()) <= 4096;
  if (!whole || !fits)
    return fail(Code::bad_format, name + ": pixels need a shape [channels, rows, columns] and values.",
                "Give both.");
  TRY(std::vector<float> values, numbers((*given)["values"], flat, name + ": pixels"));
  if (static_cast<std::int64_t>(values.size()) != shape[0] * shape[1] * shape[2])
    return fail(Code::bad_shape, name + ": pixels do not have as many values as their shape says.",
                "Correct one of them.");
  pixels =
      Tensor::from(std::move(values), {{Axis::in, shape[0]}, {Axis::pos, shape[1]}, {Axis::dim, shape[2]}});
  return Done{};
}

Status read_spans(const json& object, std::vector<Span>& spans, const std::string& name) {
  const auto list = object.find("spans");
  if (list == object.end()) return Done{};
  for (std::size_t i = 0; list->is_array() && i < list->size(); ++i) {
    const json& span = (*list)[i];
    if (!span.is_array() || span.size() != 3 || !span[0].is_string() || !span[1].is_number_integer() ||
        !span[2].is_number_integer())
      break;
    spans.push_back({span[0].get<std::string>(), span[1].get<std::int64_t>(), span[2].get<std::int64_t>()});
  }
  if (list->is_array() && spans.size() == list->size()) return Done{};
  return fail(Code::bad_format, name + ": spans must be a list of [name, begin, end].",
              "Write [[\"image\", 0, 4], [\"text\", 4, 7]].");
}

Result<Input> read_input(const json& sequence, const std::string& name) {
  Input input;
  if (!sequence.is_object())
    return fail(Code::bad_format, name + " is not an object.", "Give ids, vectors or pixels.");
  TRY_OK(read_list(sequence, "ids", input.ids, name));
  TRY_OK(read_list(sequence, "source", input.source, name));
  TRY_OK(read_list(sequence, "types", input.types, name));
  TRY_OK(read_list(sequence, "real", input.real, name));
  TRY_OK(read_list(sequence, "source_real", input.source_real, name));
  TRY_OK(read_pixels(sequence, input.pixels, name));
  TRY_OK(read_spans(sequence, input.spans, name));
  if (sequence.contains("vectors")) {
    std::vector<std::int64_t> shape;
    TRY(std::vector<float> flat, numbers(sequence["vectors"], shape, name));
    if (shape.size() != 2)
      return fail(Code::bad_shape, name + " must be a list of rows.", "One row per token.");
    input.vectors = Tensor::from(std::move(flat), {{Axis::pos, shape[0]}, {Axis::d_model, shape[1]}});
  }
  if (!input.ids.empty() || !input.vectors.empty() || !input.pixels.empty()) return input;
  return fail(Code::bad_format, name + " has neither ids nor vectors.", "Give one of them.");
}

Result<std::vector<Input>> read_inputs(const json& object, const std::string& what) {
  std::vector<Input> inputs;
  const auto given = object.find("inputs");
  if (given == object.end() || !given->is_array() || given->empty())
    return fail(Code::bad_format, what + ": \"inputs\" must be a list with at least one sequence.",
                "Give ids or vectors.");
  for (const json& sequence : *given) {
    TRY(inputs.emplace_back(), read_input(sequence, format("%s: inputs[%zu]", what.c_str(), inputs.size())));
  }
  return inputs;
}

json input_json(const Input& input) {
  json out = json::object();
  if (!input.ids.empty()) out["ids"] = input.ids;
  if (!input.source.empty()) out["source"] = input.source;
  if (!input.types.empty()) out["types"] = input.types;
  if (!input.real.empty()) out["real"] = input.real;
  if (!input.source_real.empty()) out["source_real"] = input.source_real;
  for (const Span& span : input.spans) out["spans"].push_back({span.name, span.begin, span.end});
  if (!input.pixels.empty())
    out["pixels"] = {{"shape", input.pixels.sizes()}, {"values", input.pixels.values()}};
  return out;
}

json rows_of(const Tensor& tensor) {
  json out = json::array();
  for (std::int64_t i = 0; i < tensor.size(0); ++i) {
    if (tensor.rank() == 1) {
      out.push_back(tensor.at(i));
      continue;
    }
    json row = json::array();
    for (std::int64_t j = 0; j < tensor.size(1); ++j) row.push_back(tensor.at(i, j));
    out.push_back(std::move(row));
  }
  return out;
}

json text_json(const LocalText& text) {
  json out{{"en", text.en}};
  if (!text.ko.empty()) out["ko"] = text.ko;
  return out;
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

bool is_scene(const json& object) {
  const auto at = object.is_object() ? object.find("format") : object.end();
  return object.is_object() && at != object.end() && at->is_string() &&
         at->get<std::string>() == "attnscope-scene";
}

Result<Scene> scene_from_json(const json& object, const std::string& what) {
  if (!is_scene(object)) {
    return fail(Code::bad_format, what + " is not a scene.",
                "A scene begins with \"format\": \"attnscope-scene\".");
  }
  if (!object.contains("config"))
    return fail(Code::bad_format, what + " has no \"config\".", "Give the module's sizes.");
  TRY(ModelConfig config, config_from_json(object["config"], what + ": config"));
  TRY_OK(check_toy(config, what));
  Scene scene;
  scene.title = local_text(object, "title");
  scene.note = local_text(object, "note");
  ConfigReader top(object, what);
  scene.walk = top.text({"walk"}, "");
  scene.seed = static_cast<std::uint64_t>(std::max(0.0, top.number({"seed"}, 0)));
  TRY_OK(top.status());
  if (const auto words = object.find("words"); words != object.end() && words->is_array())
    for (const json& word : *words)
      scene.words.push_back(word.is_string() ? word.get<std::string>() : std::string());
  scene.from_seed = !object.contains("weights");
  Weights weights = scene.from_seed ? random_weights(config, scene.seed) : Weights();
  TRY_OK(read_weights(object, weights, what));
  tie_tables(config, weights);
  TRY(scene.model, Model::make(std::move(config), std::move(weights)));
  TRY(scene.inputs, read_inputs(object, what));
  return scene;
}

Result<Scene> scene_from_text(std::string_view text, const std::string& what) {
  TRY(const json object, parse_json(text, what));
  return scene_from_json(object, what);
}

std::string scene_to_text(const Scene& scene) {
  json out{{"format", "attnscope-scene"},
           {"version", 1},
           {"title", text_json(scene.title)},
           {"note", text_json(scene.note)},
           {"walk", scene.walk},
           {"seed", scene.seed},
           {"config", config_to_json(scene.model->config())}};
  if (!scene.words.empty()) out["words"] = scene.words;
  for (const Input& input : scene.inputs) {
    json& one = out["inputs"].emplace_back(input_json(input));
    if (!input.vectors.empty()) one["vectors"] = rows_of(input.vectors);
  }
  const ModelConfig& config = scene.model->config();
  for (const auto& [name, tensor] : scene.model->weights().all()) {
    if (!is_tied(config, name)) out["weights"][name] = rows_of(tensor);
  }
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

SceneSizes sizes_of(const Scene& scene) {
  const ModelConfig& config = scene.model->config();
  const AttentionSpec& a = config.blocks.front().attention;
  return {static_cast<int>(scene.inputs.size()),
          static_cast<int>(scene.inputs.front().length()),
          config.d_in,
          a.n_heads,
          a.d_head,
          config.d_model,
          a.causal};
}

Result<Scene> resized(const Scene& scene, const SceneSizes& sizes, std::uint64_t seed) {
  const auto fits = [](int value, int most) { return value >= 1 && value <= most; };
  if (!fits(sizes.batch, 64) || !fits(sizes.tokens, 4096) || !fits(sizes.d_in, 1024) ||
      !fits(sizes.heads, 64) || !fits(sizes.d_head, 256) || !fits(sizes.d_out, 1024)) {
    return fail(Code::out_of_range, "These sizes do not make a scene.",
                "Up to 64 sequences, 4096 tokens, 64 heads of up to 256, widths up to 1024.");
  }
  ModelConfig config = scene.model->config();
  config.d_in = sizes.d_in;
  config.d_model = config.blocks.front().residual ? sizes.d_in : sizes.d_out;
  for (BlockSpec& block : config.blocks) {
    AttentionSpec& a = block.attention;
    if (a.n_kv_heads == a.n_heads || sizes.heads % a.n_kv_heads != 0) a.n_kv_heads = sizes.heads;
    a.n_heads = sizes.heads;
    a.d_head = sizes.d_head;
    a.scale = 1.f / std::sqrt(static_cast<float>(sizes.d_head));
    a.causal = sizes.causal;
  }
  if (config.position.kind == PositionSpec::Kind::learned)
    config.position.max_positions = std::max<std::int64_t>(config.position.max_positions, sizes.tokens);
  TRY_OK(check_toy(config, "The scene"));
  Scene out = scene;
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
  TRY(AtomicFile file, AtomicFile::create(path));
  file.write(scene_to_text(scene));
  return file.commit();
}

}  // namespace attnscope
