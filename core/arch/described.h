// A model as sizes alone: a ModelConfig and the list of its weights, without their values.
// From a config.json, from a preset, or from an opened model. Also describes what the forward pass here
// cannot run: experts, latent caches (MLA), two vision encoders; they are counted, and `runs` is false.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace attnscope {

/// Mixture of experts: MLPs beside each other in one block; a router sends each token through some of them.
struct ExpertSpec {
  int count = 0;        ///< 0: one MLP, as everywhere else
  int active = 0;       ///< of them that one token passes
  int shared = 0;       ///< every token passes these as well; they are not among `count`
  int first_block = 0;  ///< blocks before it have one MLP
  bool router_bias = false;
};

/// Keys and values that are stored as one short vector per position and expanded when they are read (MLA,
/// DeepSeek-AI 2024). Head widths: q and k `nope` + `rope`, v `v`.
struct LatentSpec {
  int kv_rank = 0;  ///< 0: keys and values are stored as they are
  int q_rank = 0;   ///< 0: queries are projected at once
  int nope = 0, rope = 0, v = 0;
};

struct Described {
  std::string title;   ///< a preset's name, a folder's
  std::string family;  ///< "Llama"
  ModelConfig config;
  ExpertSpec experts;
  LatentSpec latent;
  std::set<std::string> absent;     ///< of the weights that the config allows: "blocks.*.attn.q.bias"
  std::vector<WeightShape> beside;  ///< weights outside of the config: poolers, projectors, registers
  std::string dtype;                ///< "bf16": of the config or the file; empty where neither has one
  bool runs = true;                 ///< a family makes a model of it
};

/// "blocks.3.attn.q.weight" -> "blocks.*.attn.q.weight".
std::string any_block(const std::string& name);

/// Every weight with its shape ([in, out]; [experts, in, out]), tied ones under all of their names.
std::vector<WeightShape> weights_of(const Described& described);

/// A config.json as the class in its "architectures" builds it (a BertModel has a
/// pooler, a BertForMaskedLM has none). `what` is its name in errors. Errors: those of the family that reads
/// it, with the field.
Result<Described> describe_config(const nlohmann::json& config, const std::string& what);
/// A config.json without weights beside it, or a config under another name (a folder: the one in it); nothing
/// where a model can be opened.
std::optional<std::string> lonely_config(const std::string& path);
/// True for a file with a model's config: it has a model_type or architectures, and is no scene.
bool is_config_file(const std::string& path);
/// describe_config of a file, named by its path. Errors: of reading it, of JSON, of the family.
Result<Described> describe_config_file(const std::string& path);
/// An opened model: the very weights that it has.
Described describe_model(const std::string& title, const std::string& family, const ModelConfig& config,
                         const Weights& weights);

}  // namespace attnscope
