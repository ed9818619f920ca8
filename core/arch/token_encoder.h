// Shared by BERT and its relatives, by the names their checkpoints use: the sum of word, position and
// segment embeddings and its norm, blocks with their norms behind each sum, bidirectional attention. A
// family adds its prefix, where positions begin and its head.
#pragma once

#include "core/arch/config_reader.h"
#include "core/arch/weight_reader.h"

namespace attnscope {

/// The tensors of a masked-language head, by the names of its family, without a prefix.
struct MaskedHeadNames {
  std::string dense, norm, decoder, bias;
};
/// Sizes, embeddings and blocks, and the head where the file has one: dense, activation, norm and
/// unembedding, tied unless the config unties it. Position p reads row p + `offset` of its table. Errors: the
/// config's.
Result<ModelConfig> read_encoder_config(ConfigReader& config, const TensorSource& source, std::int64_t offset,
                                        const MaskedHeadNames& head);
/// `prefix`: of every name but the head's, in files that have one ("bert.").
Result<Weights> read_encoder_weights(const ModelConfig& config, const TensorSource& source,
                                     const std::string& prefix, const MaskedHeadNames& head);

}  // namespace attnscope
