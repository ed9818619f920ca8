// The mathematics on one page. Every function takes immutable tensors and returns new ones; float32 in and
// out, sums of rows in double where it costs nothing. Shapes stand in the comments: pos = sequence, in/out =
// features. Eigen and threads live in the .cpp files. Shapes that do not fit are our mistake
// (CHECK), because the loaders have compared every tensor with the config before anything runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

// ---- linear algebra ------------------------------------------------------------------------------

/// x [pos, in] times w [in, out] (any strides: Hugging Face's [out, in] storage is a transposed view) plus
/// bias [out] (may be empty) -> [pos, out]. Cell (row, col) is bias + x[row, 0] w[0, col] + x[row, 1] w[1,
/// col]
/// + ..., one fused step after the other (on SSE2 each rounds twice): the same bits whatever rows and columns
/// are computed with it, in every layout, on any number of threads. `out_axis` names the result's second
/// axis.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias, Axis out_axis);

/// Squares of `size` pixels of pixels [channel, row, column], row by row -> [pos, channel*size*size], ordered
/// as the weight of a convolution [out, channel, size, size] is (Dosovitskiy et al. 2021, section 3.1).
Tensor cut_patches(const Tensor& pixels, std::int64_t size);

/// Rows `ids` of table [vocab, d] -> [pos, d].
Tensor gather_rows(const Tensor& table, const std::vector<int>& ids);

// ---- elementwise ---------------------------------------------------------------------------------

Tensor add(const Tensor& a, const Tensor& b);
Tensor multiply(const Tensor& a, const Tensor& b);
Tensor scale(const Tensor& x, float factor);
/// cap * tanh(x / cap), number by number.
Tensor soft_cap(const Tensor& x, float cap);

/// gelu_exact: x/2 (1 + erf(x/sqrt 2)); gelu_tanh: the form of GPT-2 (Hendrycks & Gimpel 2016, eq. 2);
/// silu: x sigmoid(x); quick_gelu: x sigmoid(1.702 x).
enum class Activation : std::uint8_t { gelu_tanh, gelu_exact, silu, relu, quick_gelu };
float activate(Activation kind, float x);
Tensor activate(Activation kind, const Tensor& x);

// ---- norms ---------------------------------------------------------------------------------------

/// What a norm leaves: the factor each row was divided by and the result.
struct Normed {
  Tensor scale;  ///< [pos, 1]: sqrt(var + eps) for LayerNorm, sqrt(mean square + eps) for RMSNorm
  Tensor out;    ///< [pos, d_model]
};
/// Ba, Kiros, Hinton 2016: (x - mean) / sqrt(var + eps) * weight + bias; weight and bias may be empty.
Normed layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float eps);
/// Zhang, Sennrich 2019: x / sqrt(mean(x^2) + eps) * (weight + weight_offset).
Normed rms_norm(const Tensor& x, const Tensor& weight, float eps, float weight_offset = 0.f);

// ---- positions -----------------------------------------------------------------------------------

/// How rotary frequencies are made (Su et al. 2021, section 3.4.2; the scalings of Hugging Face's
/// modeling_rope_utils: "default", "linear", "dynamic", "llama3", "yarn").
struct RopeSpec {
  enum class Kind : std::uint8_t { standard, linear, llama3, dynamic, yarn };
  Kind kind = Kind::standard;
  double theta = 10000.0;
  double factor = 1.0;                   ///< positions stretched by this much (all but standard)
  double low_freq_factor = 1.0;          ///< llama3
  double high_freq_factor = 4.0;         ///< llama3
  double original_max_positions = 8192;  ///< llama3, dynamic, yarn
  double beta_fast = 32.0;        ///< yarn: turns within the original length above which nothing stretches
  double beta_slow = 1.0;         ///< yarn: turns below which all is stretched
  double attention_factor = 0.0;  ///< yarn: the length of the rotated pairs; 0 = 0.1 ln(factor) + 1
  bool truncate = true;           ///< yarn: the two borders are rounded to whole pairs
  int rotary_dims = 0;            ///< leading features that turn; 0 = all of d_head
  int frequency_dims = 0;         ///< d in theta^(-2i/d); 0 = rotary_dims
  std::vector<double> factors;    ///< each pair's frequency is divided by its own (GGUF); empty: none
  bool interleaved = false;       ///< pairs (2i, 2i+1) instead of (i, i + rotary/2)
  bool operator==(const RopeSpec&) const = default;
};
/// Radians per position for each pair: [rotary_dims / 2]. `length` is the number of positions of the whole
/// sequence, which the dynamic scaling depends on (0: within the original length).
std::vector<double> rope_frequencies(const RopeSpec& spec, std::int64_t d_head, std::int64_t length = 0);
/// What rotated pairs are multiplied by: 1, but for YaRN (Peng et al. 2023, section 3.4).
double rope_magnitude(const RopeSpec& spec);
/// Positions of the rows of a run: row i is at `rows[i]`, or at first + i where `rows` is empty.
struct Positions {
  std::int64_t first = 0;
  std::vector<std::int64_t> rows;  ///< absolute position of each row; used for padded sequences
  std::int64_t of(std::int64_t row) const {
    return rows.empty() ? first + row : rows[static_cast<std::size_t>(row)];
  }
  /// Of the rows from `row` on.
  Positions from(std::int64_t row) const {
    if (rows.empty()) return {first + row, {}};
    return {first, {rows.begin() + row, rows.end()}};
  }
};
/// Rotates pairs (i, i + rotary/2), or (2i, 2i+1) where interleaved, of x [head, pos, d_head] by pos *
/// frequency and multiplies them by `magnitude`. The result is stored [pos, head, d_head] and returned as the
/// view [head, pos, d_head].
Tensor rotate(const Tensor& x, const std::vector<double>& frequencies, const Positions& positions,
              bool interleaved = false, double magnitude = 1.0);
/// Vaswani et al. 2017, section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(..) -> [pos,
/// dim]. `halves`: all sines first, then all cosines, as tensor2tensor lays them out.
Tensor sinusoidal_positions(std::int64_t first_pos, std::int64_t count, std::int64_t d_model,
                            bool halves = false);

// ---- attention -----------------------------------------------------------------------------------

/// A mask beyond causal and window, evaluated cell by cell; made from a MaskSpec (core/trace/mask_spec.h).
class MaskRule {
 public:
  virtual ~MaskRule() = default;
  virtual bool allowed(std::int64_t query_pos, std::int64_t key_pos) const = 0;
  /// The same for the keys [key_begin, key_end) of one query at once: 1 = allowed.
  virtual void allowed_row(std::int64_t query_pos, std::int64_t key_begin, std::int64_t key_end,
                           std::uint8_t* allowed) const;
};

/// Keys [begin, end); none where begin >= end.
struct KeySpan {
  std::int64_t begin, end;
};

/// The attention mask. Query row i is at absolute position first_query + i; key column j at position j.
/// Closed-form part first (causal and window, or a rule), then sequences and padding, then single cells that
/// were switched by hand. Positions count columns, padding included.
struct Mask {
  bool causal = true;
  std::int64_t window = 0;  ///< > 0: keys more than window-1 positions back are masked (sliding window)
  std::shared_ptr<const MaskRule> rule;  ///< where set, it decides instead of causal and window
  /// One entry per key as in transformers: 0 = padding, masked for every query; null = all 1. Keys beyond its
  /// end count as 1.
  std::shared_ptr<const std::vector<std::uint8_t>> attention_mask;
  /// Where several sequences stand one behind another: for each position the rows of its own sequence, all
  /// that it sees. Null: they are one.
  std::shared_ptr<const std::vector<KeySpan>> sequences;
  struct Cell {
    std::int64_t query, key;  ///< absolute positions
    bool allowed;
  };
  std::vector<Cell> cells;  ///< sorted by (query, key); later switches override the closed form
  bool allowed(std::int64_t query_pos, std::int64_t key_pos) const;
};

/// What is added to the scaled scores for the distance between query and key.
struct ScoreBias {
  enum class Kind : std::uint8_t { none, alibi, buckets };
  Kind kind = Kind::none;
  std::vector<float> slopes;        ///< alibi, per head: slope * (key - query) (Press, Smith, Lewis 2022)
  Tensor table;                     ///< buckets: [bucket, head] (Raffel et al. 2020, section 2.1)
  std::int64_t max_distance = 128;  ///< buckets: distances from here on share the last bucket
  bool both_directions = true;      ///< buckets: half of them for keys after the query
  /// Number of the bucket of one pair of positions.
  std::int64_t bucket(std::int64_t query_pos, std::int64_t key_pos) const;
  /// The addend of one cell; 0 where there is none.
  float at(std::int64_t head, std::int64_t query_pos, std::int64_t key_pos) const;
};
/// The slopes of ALiBi for `heads` heads: a geometric series from 2^(-8/heads), with the paper's rule for
/// numbers that are no power of two.
std::vector<float> alibi_slopes(int heads);

/// Everything that decides scores and patterns of one attention, kept by the Trace: O(n d) memory.
/// Head h reads key/value head h * kv_heads / heads (grouped-query attention, Ainslie et al. 2023).
struct AttentionInputs {
  Tensor q;           ///< [head, query, d_head], rotated where the model rotates
  Tensor k;           ///< [kv_head, key, d_head], rotated where the model rotates
  Tensor v;           ///< [kv_head, key, d_head]
  float scale = 1.f;  ///< usually 1/sqrt(d_head)
  float cap = 0.f;    ///< > 0: scaled scores become cap * tanh(score / cap)
  ScoreBias bias;     ///< added after scaling and capping
  Mask mask;
  std::int64_t first_query = 0;    ///< absolute position of query row 0 (> 0 when decoding from a cache)
  bool mask_before_scale = false;  ///< order in which the steps are named; the pattern is the same
  Tensor sinks = {};  ///< [head, query, 1]: a logit beside each row's scores that no key has; empty: none
};

/// softmax(mask(cap(q k^T * scale) + bias)) v by tiles with a running row maximum and sum (Milakov &
/// Gimelshein 2018; Dao et al. 2022): never holds more than a tile of scores. A fully masked row gives zeros
/// and lse = -inf. With sinks the softmax goes over [scores, sink] and the sink's column is dropped (OpenAI
/// 2025, gpt-oss): a row of the pattern then sums to less than 1.
struct AttentionResult {
  Tensor z;    ///< [head, query, d_head] as a view of storage [query, head, d_head], so that concat is free
  Tensor lse;  ///< [head, query] log of the row's sum of exponentials (row max and sink included)
};
/// `cancelled` is called before every tile, from several threads; once it returns true, both tensors are
/// empty. A weight of exactly 0 hides its value even where that is NaN. A row has the same bits whatever rows
/// are computed with it, whatever those hold, and whatever masked keys follow.
AttentionResult attend(const AttentionInputs& in, const std::function<bool()>& cancelled = {});

/// In order of execution; a stage that an attention does not have (no cap, no bias) equals the one before.
enum class ScoreStage : std::uint8_t { scores, scaled, capped, biased, masked, pattern };
inline constexpr std::size_t kScoreStages = 6;
/// The rectangle rows [row_begin, row_end) x keys [key_begin, key_end) of one head at one stage -> [query,
/// key]. Masked cells are -inf at stages after the mask and exactly 0 in the pattern. `lse` [head, query]
/// from attend().
Tensor attention_rectangle(const AttentionInputs& in, const Tensor& lse, ScoreStage stage, std::int64_t head,
                           std::int64_t row_begin, std::int64_t row_end, std::int64_t key_begin,
                           std::int64_t key_end);

/// Softmax of each row of [rows, cols]; rows of -inf only give zeros. `sinks` [rows, 1] is one more logit of
/// each row, whose share is not returned.
Tensor softmax_rows(const Tensor& x, const Tensor& sinks = {});
/// A logit of each head [head] beside every row of `queries` -> [head, query, 1].
Tensor sinks_beside(const Tensor& sinks, std::int64_t queries);
/// pattern [query, key] times v [key, d_head] -> [query, d_head], for heads whose pattern was edited by hand.
Tensor weighted_sum(const Tensor& pattern, const Tensor& v);

// ---- this machine --------------------------------------------------------------------------------

/// "SSE2", "AVX2+FMA" or "AVX-512": the kernels chosen for this processor.
const char* kernel_name();
/// Multiplies and adds in the registers of all threads, about `steps` times twelve vectors; returns the count
/// of operations: peak FLOPs of this processor.
double fused_burst(std::int64_t steps);
/// C [m, n] = A [m, k] B [k, n], row-major, all threads: the most that this program can do.
void sgemm(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k);
/// Sum of squares of `count` values with all threads, reading each once: the yardstick of memory bandwidth.
double stream_read(const float* values, std::int64_t count);

}  // namespace attnscope
