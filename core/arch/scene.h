// JSON scenes: a small Transformer, or a bare attention module, with its numbers and inputs written in the
// file. Made for classrooms: every number can be read, edited and saved. Numbers that the file leaves out
// come from its seed. Errors: shapes that contradict the sizes (with the tensor) and sizes beyond those of
// toys.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/arch/edit_json.h"
#include "core/model/model.h"

namespace attnscope {

/// A text in two languages; `ko` may be empty.
struct LocalText {
  std::string en, ko;
};

struct Scene {
  LocalText title, note;
  std::shared_ptr<const Model> model;
  std::vector<Input> inputs;
  std::vector<std::string> words;  ///< spelling of each id, for scenes with a vocabulary; may be empty
  std::uint64_t seed = 0;
  bool from_seed = false;                      ///< the numbers were drawn from `seed`
  Edits edits;                                 ///< what a person changed
  std::vector<std::string> unused;             ///< weights in the file that the config does not use
  std::shared_ptr<const nlohmann::json> data;  ///< a data set (core/session/prompt_list.h); null: none
  std::string walk;  ///< "nine_steps": the steps are grouped and numbered as in that text
};

/// A text of a file: {"en": "...", "ko": "..."}, or a string for all languages; empty where there is none.
LocalText local_text(const nlohmann::json& object, const char* key);
nlohmann::json text_json(const LocalText& text);
/// In the current language; in English where it has no other.
std::string in_language(const LocalText& text);

/// Parses a scene; `what` is its name in errors.
Result<Scene> scene_from_json(const nlohmann::json& json, const std::string& what);
Result<Scene> scene_from_text(std::string_view text, const std::string& what);
/// True where the JSON is marked as a scene.
bool is_scene(const nlohmann::json& json);
/// The scene with all its numbers, readable by scene_from_json.
std::string scene_to_text(const Scene& scene);
Status save_scene(const Scene& scene, const std::string& path);

/// The sizes of a scene that its window can change.
struct SceneSizes {
  int batch = 1, tokens = 1, d_in = 1, heads = 1, d_head = 1, d_out = 1;
  bool causal = true;
  bool operator==(const SceneSizes&) const = default;
};
SceneSizes sizes_of(const Scene& scene);
/// The same kind of scene at other sizes; every number is drawn from `seed`. Errors: sizes out of range.
Result<Scene> resized(const Scene& scene, const SceneSizes& sizes, std::uint64_t seed);

/// A weight's shape with the axes' names that the trace uses.
Shape canonical_axes(const std::string& name, const std::vector<std::int64_t>& shape);

/// Standard normal numbers by SplitMix64 and Box-Muller: the same on every machine.
std::vector<float> normal_numbers(std::uint64_t seed, std::int64_t count, float deviation);
/// All weights of a config drawn from `seed`: matrices N(0, 1/in), tables N(0, 1), norms 1 and 0.
Weights random_weights(const ModelConfig& config, std::uint64_t seed);

}  // namespace attnscope
