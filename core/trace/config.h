// ModelConfig: what a Transformer is, made of specs; no model names here. It lives beside the Trace because a
// number can only be explained with the norm, the scale and the mask that made it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/ops.h"
#include "core/step/site.h"
#include "core/system/mapped_file.h"
#include "core/tensor/tensor.h"
#include "core/trace/token_texts.h"

namespace attnscope {

struct NormSpec {
  enum class Kind : std::uint8_t { none, layer, rms };
  Kind kind = Kind::layer;
  float eps = 1e-5f;
  float weight_offset = 0.f;  ///< 1 where the file stores gamma - 1
};

/// How attention itself tells positions apart: q and k are rotated, or the scores get a bias for the
/// distance. A block may have none.
struct AttentionPosition {
  enum class Kind : std::uint8_t { none, rope, alibi, buckets };
  Kind kind = Kind::none;
  RopeSpec rope;
  int buckets = 32;                 ///< rows of the table of distances (rel_bias.weight), one for all blocks
  std::int64_t max_distance = 128;  ///< buckets: distances from here on share one
  bool rotates() const { return kind == Kind::rope; }
  bool biases() const { return kind == Kind::alibi || kind == Kind::buckets; }
  bool operator==(const AttentionPosition&) const = default;
};

struct AttentionSpec {
  int n_heads = 1;
  int n_kv_heads = 1;  ///< < n_heads: grouped-query attention; 1: multi-query
  int d_head = 1;
  float scale = 1.f;   ///< scores are multiplied by this; usually 1/sqrt(d_head)
  float cap = 0.f;     ///< > 0: soft cap of the scaled scores
  bool sinks = false;  ///< a learned logit of each head stands beside every row's scores
  NormSpec qk_norm{NormSpec::Kind::none, 1e-6f, 0.f};  ///< of each head's q and k before the rotation
  bool mask_before_scale = false;                      ///< the order of two steps; the pattern is the same
  AttentionPosition position;
  bool causal = true;
  std::int64_t window = 0;  ///< sliding window in tokens; 0 = none
  std::string mask;         ///< a MaskSpec in place of causal and window; empty = those two
  /// The same heads over the encoder's output: every row is attended to, whatever its place.
  AttentionSpec as_cross() const;
};

struct MlpSpec {
  enum class Kind : std::uint8_t { none, plain, gated };
  Kind kind = Kind::plain;
  Activation activation = Activation::gelu_tanh;
  int d_mlp = 0;
};

/// Rows that are added to the embeddings, and the length that the model was made for.
struct PositionSpec {
  enum class Kind : std::uint8_t { none, learned, sinusoidal };
  Kind kind = Kind::none;
  std::int64_t max_positions = 0;  ///< tokens; 0 = no limit
  std::int64_t offset = 0;         ///< learned: position p reads row p + offset
  bool halves = false;             ///< sinusoidal: all sines, then all cosines
};

/// Where the norms of a block stand. pre: before attention and MLP; post: after each sum, as in the
/// original Transformer; parallel: attention and MLP read the same stream.
enum class NormOrder : std::uint8_t { pre, post, parallel };

/// One block; a model may mix them.
struct BlockSpec {
  AttentionSpec attention;
  std::optional<AttentionSpec> cross;  ///< attention over the encoder's output, in decoders
  MlpSpec mlp;
  NormSpec norm;
  NormOrder order = NormOrder::pre;
  bool shared_norm = false;   ///< parallel: the MLP reads what attention reads
  bool branch_norms = false;  ///< the outputs of attention and MLP are normed once more before they are added
  bool residual = true;       ///< false for a bare attention module
  bool attention_skip = true, cross_skip = true, mlp_skip = true;  ///< false: f(x) instead of x + f(x)
};

/// How an image becomes rows (patch embeddings).
struct PatchSpec {
  int size = 0;  ///< pixels along the side of one patch; 0 = the stack does not read images
  int channels = 3;
  int rows = 0, cols = 0;    ///< patches down and across
  bool class_token = false;  ///< a learned row [CLS] in front of the patches
  std::int64_t count() const { return std::int64_t{rows} * cols + (class_token ? 1 : 0); }
};

struct HeadSpec {
  bool present = true;                              ///< false: no vocabulary, nothing to predict
  bool tied = false;                                ///< the unembedding is the embedding table
  bool transform = false;                           ///< dense, activation and norm before the unembedding
  Activation activation = Activation::gelu_exact;   ///< of the transform
  NormSpec norm{NormSpec::Kind::none, 1e-5f, 0.f};  ///< of the transform
  float scale = 1.f;                                ///< rows are multiplied by this first
  float cap = 0.f;                                  ///< > 0: soft cap of the logits
  bool first_row_only = false;  ///< one prediction for the whole input, from its first row
  int outputs = 0;              ///< rows of the unembedding; 0 = vocab_size
};

/// One stack of blocks with its embedding and its head. The main stack is the one with the logits;
/// text and vision encoders that feed it stand in `encoders`.
struct ModelConfig {
  std::string family;  ///< shown to people; nothing depends on it
  Stack stack = Stack::single;
  int d_model = 0;          ///< width of the residual stream (of attention's output in a bare module)
  int d_in = 0;             ///< width of the input rows; equal to d_model but in bare modules
  int vocab_size = 0;       ///< 0: the input is vectors or an image
  float embed_scale = 1.f;  ///< token embeddings are multiplied by this
  NormSpec embed_norm{NormSpec::Kind::none, 1e-5f, 0.f};  ///< of the sum of the embeddings
  int type_vocab = 0;                                     ///< rows of the segment table; 0 = none
  PatchSpec patch;
  PositionSpec position;
  NormSpec final_norm;
  HeadSpec head;
  std::vector<BlockSpec> blocks;
  int projected = 0;              ///< vision encoder: its rows are projected to this width; 0 = no projector
  bool shares_embedding = false;  ///< an encoder that reads the main stack's embedding table
  std::vector<ModelConfig> encoders;
  int bos = -1, eos = -1, pad = -1;         ///< token ids; -1 = none
  int decoder_start = -1;                   ///< first token of the decoder
  std::vector<int> suppressed_tokens;       ///< never generated: their logits count as -inf
  int image_token = -1;                     ///< id of the placeholder that the rows of the image replace
  std::shared_ptr<const TokenTexts> texts;  ///< of its ids, an encoder's too; null: unknown

  int n_layers() const { return static_cast<int>(blocks.size()); }
  /// The stack of that name: this one, or an encoder; this one where there is no such stack.
  const ModelConfig& of(Stack which) const;
  const ModelConfig* encoder() const { return encoder(Stack::enc); }
  const ModelConfig* vision() const { return encoder(Stack::vision); }
  /// True where the run begins with an image.
  bool sees() const { return patch.size > 0 || vision(); }
  /// Numbers per row of logits.
  int outputs() const { return head.outputs > 0 ? head.outputs : vocab_size; }
  /// No row of any block attends to later rows.
  bool causal() const;
  /// Each row of logits is of the token after it, so that generating appends to the main stack.
  bool predicts_next() const;
  /// One attention module without a residual stream.
  bool bare() const;
  /// Tokens are told apart by their places: a table is added, or some block rotates or adds a bias.
  bool has_positions() const;
  /// The block of a weight ("blocks.3.attn.q.weight", with or without the stack's prefix); null: of none.
  const BlockSpec* block_of(std::string_view weight) const;
  /// The spec of the attention at a site (self or cross).
  const AttentionSpec& attention_at(const Site& site) const;
  const BlockSpec& block_at(const Site& site) const;

 private:
  const ModelConfig* encoder(Stack which) const;
};

/// Every weight under its canonical name ("blocks.3.attn.q.weight"). Matrices that multiply rows are
/// logically [in, out] whatever the order on disk (a transposed view costs nothing); tables are [rows,
/// d_model].
class Weights {
 public:
  const Tensor* find(const std::string& name) const;
  /// The tensor, or the empty tensor where the model has none (an absent bias).
  Tensor get(const std::string& name) const;
  /// A weight that lies on the same memory as before keeps the packed copy that its products have made.
  void set(const std::string& name, const Tensor& value) { tensors_[name] = value.as_weight(tensors_[name]); }
  const std::map<std::string, Tensor>& all() const { return tensors_; }
  std::int64_t parameter_count() const;
  /// The files they were read from, config and vocabulary among them; none where they were made.
  const std::vector<ReadFile>& files() const { return files_; }
  void set_files(std::vector<ReadFile> files) { files_ = std::move(files); }
  /// The numbers are those that were read: no mapped file has changed since.
  Status intact() const { return attnscope::intact(files_); }

 private:
  std::map<std::string, Tensor> tensors_;
  std::vector<ReadFile> files_;
};

/// The norm that makes a step (`ln1.scale`, `ln1.out`, `attn.q_norm`, ...); the block's, or the final norm,
/// for every other step.
const NormSpec& norm_spec(const ModelConfig& config, const Site& site);
/// The curve of an activation step: the head's, or the MLP's of the block.
Activation activation_at(const ModelConfig& config, const Site& site);
std::string_view activation_name(Activation kind);
/// "embedding", "attention", "mlp", "norms", "unembedding" and their parameter counts, in that order.
std::vector<std::pair<std::string, std::int64_t>> parameters_by_part(const ModelConfig& config,
                                                                     const Weights& weights);

}  // namespace attnscope
