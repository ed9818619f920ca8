// Shared by BERT and its relatives, by the names their checkpoints use: the sum of word, position and
// segment embeddings and its norm, blocks with their norms behind each sum, bidirectional attention. A
// family adds its prefix, where positions begin and its head.
#pragma once

#include "core/arch/config_reader.h"
#include "core/arch/weight_reader.h"

namespace attnscope {

/// Sizes, embeddings and blocks -> `out`, without a head. Position p reads row p + `offset` of its table.
/// Problems stay in `config`.
void read_encoder_config(ConfigReader& config, std::int64_t offset, ModelConfig& out);
/// dense, activation, norm and unembedding of a masked-language head, tied unless the config unties it.
/// `decoder` is the unembedding's name where the file has one of its own.
void read_masked_head(ConfigReader& config, const TensorSource& source, const std::string& decoder,
                      ModelConfig& out);
/// Everything but the head.
Status read_encoder_weights(Weights& out, const ModelConfig& config, const WeightReader& from);

/// The tensors of a masked-language head, by the names of its family, without a prefix.
struct MaskedHeadNames {
  std::string dense, norm, decoder, bias;
};
Status read_masked_head_weights(Weights& out, const ModelConfig& config, const TensorSource& source,
                                const MaskedHeadNames& names);

}  // namespace attnscope
