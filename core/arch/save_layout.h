// A layout: how one family of checkpoints stores a model. Each writes what it can express; save_model() reads
// that back by the family's own reader and compares, so that a layout need not check what it leaves out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/io/writers.h"
#include "core/model/model.h"

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

/// The fields of every config.json: architectures, model_type and dtype.
nlohmann::json config_head(const char* architecture, const char* model_type);
/// A token's id, or null where there is none (a missing field would mean the class's own default).
nlohmann::json token_json(int id);

}  // namespace attnscope
