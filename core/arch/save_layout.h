// A layout: how one family of checkpoints stores a model. Each writes what it can express; save_model() reads
// that back by the family's own reader and compares, so that a layout need not check what it leaves out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/arch/scene_config.h"
#include "core/io/writers.h"
#include "core/model/model.h"
#include "core/trace/common.h"

namespace attnscope {

/// The contents of a folder beside its tokenizer.
// NOLINTNEXTLINE(bugprone-exception-escape): moving JSON does not throw
struct SavedLayout {
  nlohmann::json config;             ///< config.json
  std::vector<NamedTensor> tensors;  ///< model.safetensors
  nlohmann::json preprocessing;      ///< preprocessor_config.json; null where the model has no image input
};

/// GPT2LMHeadModel: Conv1D matrices [in, out], fused c_attn.
Result<SavedLayout> save_as_gpt2(const Model& model);
/// LlamaForCausalLM: matrices [out, in].
Result<SavedLayout> save_as_llama(const Model& model);
/// BertForMaskedLM: matrices [out, in].
Result<SavedLayout> save_as_bert(const Model& model);
/// MarianMTModel: matrices [out, in].
Result<SavedLayout> save_as_marian(const Model& model);
/// Our own: the specs as scene_config.h spells them, tensors under their canonical names, matrices [in, out].
Result<SavedLayout> save_as_attnscope(const Model& model);

/// What all blocks say, for a config that says it once; null where blocks differ: that is read back
/// otherwise, and save_model() names the field.
inline nlohmann::json field_json(float value) { return spelled(value); }
inline nlohmann::json field_json(int value) { return value; }
inline nlohmann::json field_json(bool value) { return value; }
inline nlohmann::json field_json(Activation value) { return activation_key(value); }
template <class... Path>
nlohmann::json common_json(const ModelConfig& stack, Path... path) {
  const auto value = common(stack, path...);
  return value ? field_json(*value) : nlohmann::json();
}

/// The fields of every config.json: architectures, model_type and dtype.
nlohmann::json config_head(const char* architecture, const char* model_type);
/// A token's id, or null where there is none (a missing field would mean the class's own default).
nlohmann::json token_json(int id);
/// bos_token_id, eos_token_id, pad_token_id, and whether the unembedding is the table of tokens.
void put_special_tokens(nlohmann::json& out, const ModelConfig& model);

}  // namespace attnscope
