// ModelConfig: what a Transformer is, made of specs; no model names here. It lives beside the Trace because a
// number can only be explained by whoever knows its norm, its scale and its mask.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/ops/ops.h"
#include "core/tensor/tensor.h"

namespace attnscope {

struct NormSpec {
  enum class Kind : std::uint8_t { none, layer, rms };
  Kind kind = Kind::layer;
  float eps = 1e-5f;
  float weight_offset = 0.f;  ///< 1 where the file stores gamma - 1
};

struct AttentionSpec {
  int n_heads = 1;
  int n_kv_heads = 1;  ///< < n_heads: grouped-query attention; 1: multi-query
  int d_head = 1;
  float scale = 1.f;               ///< scores are multiplied by this; usually 1/sqrt(d_head)
  bool mask_before_scale = false;  ///< the order of two steps; the pattern is the same
  bool causal = true;
  std::int64_t window = 0;  ///< sliding window in tokens; 0 = none
};

struct MlpSpec {
  enum class Kind : std::uint8_t { none, plain, gated };
  Kind kind = Kind::plain;
  Activation activation = Activation::gelu_tanh;
  int d_mlp = 0;
};

struct PositionSpec {
  enum class Kind : std::uint8_t { none, learned, sinusoidal, rope };
  Kind kind = Kind::none;
  RopeSpec rope;
  std::int64_t max_positions = 0;  ///< 0 = no limit
};

/// One block; a model may mix them.
struct BlockSpec {
  AttentionSpec attention;
  MlpSpec mlp;
  NormSpec norm;
  bool residual = true;  ///< false for a bare attention module
};

struct HeadSpec {
  bool present = true;  ///< false: no vocabulary, nothing to predict
  bool tied = false;    ///< the unembedding is the embedding table
};

struct ModelConfig {
  std::string family;  ///< shown to people; nothing depends on it
  int d_model = 0;     ///< width of the residual stream (of attention's output in a bare module)
  int d_in = 0;        ///< width of the input rows; equal to d_model but in bare modules
  int vocab_size = 0;  ///< 0: the input is vectors
  PositionSpec position;
  NormSpec final_norm;
  HeadSpec head;
  std::vector<BlockSpec> blocks;
  int bos = -1, eos = -1;  ///< token ids; -1 = none

  int n_layers() const { return static_cast<int>(blocks.size()); }
};

/// Every weight under its canonical name ("blocks.3.attn.q.weight"). Matrices that multiply rows are
/// logically [in, out] whatever the order on disk (a transposed view costs nothing); tables are [rows,
/// d_model].
class Weights {
 public:
  const Tensor* find(const std::string& name) const;
  /// The tensor, or the empty tensor where the model has none (an absent bias).
  Tensor get(const std::string& name) const;
  void set(std::string name, Tensor value) { tensors_[std::move(name)] = std::move(value); }
  const std::map<std::string, Tensor>& all() const { return tensors_; }
  std::int64_t parameter_count() const;

 private:
  std::map<std::string, Tensor> tensors_;
};

std::string_view activation_name(Activation kind);
/// "embedding", "attention", "mlp", "norms", "unembedding" and their parameter counts, in that order.
std::vector<std::pair<std::string, std::int64_t>> parameters_by_part(const ModelConfig& config,
                                                                     const Weights& weights);

}  // namespace attnscope
