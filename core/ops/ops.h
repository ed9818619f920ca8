// The mathematics on one page. Every function takes immutable tensors and returns new ones; float32 in and
// out, sums of rows in double where it costs nothing. Shapes stand in the comments: pos = sequence, in/out =
// features. Eigen and threads live in the .cpp files. Refuses: shapes that do not fit are our mistake
// (CHECK), because the loaders have compared every tensor with the config before anything runs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

// ---- linear algebra ------------------------------------------------------------------------------

/// x [pos, in] times w [in, out] (any strides: Hugging Face's [out, in] storage is a transposed view) plus
/// bias [out] (may be empty) -> [pos, out]. One row takes the memory-bound path, more rows the blocked one.
/// `out_axis` names the result's second axis.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias, Axis out_axis);

/// Rows `ids` of table [vocab, d] -> [pos, d].
Tensor gather_rows(const Tensor& table, const std::vector<int>& ids);

// ---- elementwise ---------------------------------------------------------------------------------

Tensor add(const Tensor& a, const Tensor& b);
Tensor multiply(const Tensor& a, const Tensor& b);
Tensor scale(const Tensor& x, float factor);

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
/// modeling_rope_utils: "default", "linear", "llama3").
struct RopeSpec {
  enum class Kind : std::uint8_t { standard, linear, llama3 };
  Kind kind = Kind::standard;
  double theta = 10000.0;
  double factor = 1.0;                   ///< linear, llama3: positions stretched by this much
  double low_freq_factor = 1.0;          ///< llama3
  double high_freq_factor = 4.0;         ///< llama3
  double original_max_positions = 8192;  ///< llama3
  int rotary_dims = 0;                   ///< leading features that turn; 0 = all of d_head
};
/// Radians per position for each pair: [rotary_dims / 2].
std::vector<double> rope_frequencies(const RopeSpec& spec, std::int64_t d_head);
/// Turns pairs (i, i + rotary/2) of x [head, pos, d_head] by pos * frequency; positions start at `first_pos`.
/// The result is stored [pos, head, d_head] and returned as the view [head, pos, d_head].
Tensor rotate(const Tensor& x, const std::vector<double>& frequencies, std::int64_t first_pos);
/// Vaswani et al. 2017, section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(..) -> [pos,
/// dim].
Tensor sinusoidal_positions(std::int64_t first_pos, std::int64_t count, std::int64_t d_model);

// ---- attention -----------------------------------------------------------------------------------

/// Who may look at whom. Query row i stands at absolute position first_query + i; key column j at position j.
/// Closed-form part first (causal, window), then single cells that were switched by hand.
struct Mask {
  bool causal = true;
  std::int64_t window = 0;  ///< > 0: keys more than window-1 positions back are masked (sliding window)
  struct Cell {
    std::int64_t query, key;  ///< absolute positions
    bool allowed;
  };
  std::vector<Cell> cells;  ///< sorted by (query, key); later switches override the closed form
  bool allowed(std::int64_t query_pos, std::int64_t key_pos) const;
};

/// Everything that decides scores and patterns of one attention, kept by the Trace: O(n d) memory.
/// Head h reads key/value head h * kv_heads / heads (grouped-query attention, Ainslie et al. 2023).
struct AttentionInputs {
  Tensor q;           ///< [head, query, d_head], rotated where the model rotates
  Tensor k;           ///< [kv_head, key, d_head], rotated where the model rotates
  Tensor v;           ///< [kv_head, key, d_head]
  float scale = 1.f;  ///< usually 1/sqrt(d_head)
  Mask mask;
  std::int64_t first_query = 0;    ///< absolute position of query row 0 (> 0 when decoding from a cache)
  bool mask_before_scale = false;  ///< order in which the steps are named; the pattern is the same
};

/// softmax(mask(q k^T * scale)) v by tiles with a running row maximum and sum (Milakov & Gimelshein 2018; Dao
/// et al. 2022): never holds more than a tile of scores. A fully masked row gives zeros and lse = -inf.
struct AttentionResult {
  Tensor z;    ///< [head, query, d_head] as a view of storage [query, head, d_head], so that concat is free
  Tensor lse;  ///< [head, query] log of the row's sum of exponentials (row max included)
};
/// `cancelled` is asked before every tile, from several threads; once it says true, both tensors come back
/// empty. A weight of exactly 0 hides its value even where that is NaN.
AttentionResult attend(const AttentionInputs& in, const std::function<bool()>& cancelled = {});

enum class ScoreStage : std::uint8_t { scores, scaled, masked, pattern };
/// The rectangle rows [row_begin, row_end) x keys [key_begin, key_end) of one head at one stage -> [query,
/// key]. Masked cells are -inf at stages after the mask and exactly 0 in the pattern. `lse` [head, query]
/// from attend().
Tensor attention_rectangle(const AttentionInputs& in, const Tensor& lse, ScoreStage stage, std::int64_t head,
                           std::int64_t row_begin, std::int64_t row_end, std::int64_t key_begin,
                           std::int64_t key_end);

/// Softmax of each row of [rows, cols]; rows of -inf only give zeros.
Tensor softmax_rows(const Tensor& x);
/// pattern [query, key] times v [key, d_head] -> [query, d_head], for heads whose pattern was edited by hand.
Tensor weighted_sum(const Tensor& pattern, const Tensor& v);

// ---- this machine --------------------------------------------------------------------------------

/// "SSE2", "AVX2+FMA" or "AVX-512": the kernels chosen for this processor.
const char* kernel_name();
/// C [m, n] = A [m, k] B [k, n], row-major, all threads: the yardstick of `bench`.
void sgemm(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k);
/// Sum of squares of `count` values with all threads, reading each once: the yardstick of memory bandwidth.
double stream_read(const float* values, std::int64_t count);

}  // namespace attnscope
