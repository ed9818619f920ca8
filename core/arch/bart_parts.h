// Shared by BART and its relatives (Marian, mBART): one layout of encoder, decoder and tensors; positions,
// norms and the ends of the stacks differ by a few switches, which each family reads from its config.
// Error: a checkpoint without an encoder.
#pragma once

#include "core/arch/config_reader.h"
#include "core/arch/weight_reader.h"

namespace attnscope {

/// What a family decides for both stacks.
struct BartLayout {
  PositionSpec::Kind position = PositionSpec::Kind::learned;
  std::int64_t offset = 0;  ///< of learned positions: rows of the table before position 0
  NormOrder order = NormOrder::post;
  bool embed_norm = true;     ///< layernorm_embedding
  bool final_norm = false;    ///< layer_norm behind the last block
  bool shared_tables = true;  ///< encoder and decoder read one table of tokens
  const char* activation = "gelu";
};

/// The decoder, with the encoder in `encoders`. `config` keeps the problems it finds; they are returned.
Result<ModelConfig> read_bart_config(ConfigReader& config, const TensorSource& source,
                                     const BartLayout& layout);
/// Every tensor of such a config.
Result<Weights> read_bart_weights(const ModelConfig& config, const TensorSource& source);
/// The names of a file, with or without the prefix of the base model.
WeightReader bart_names(const TensorSource& source);

}  // namespace attnscope
