// Facts about the weights alone (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"):
// what a head moves (W_V W_O), what it looks for (W_Q W_K^T), whether it copies (eigenvalues of
// W_E W_V W_O W_U), and which head's output which later head's query, key and value are made of (composition
// scores). Raw weights: no norm is folded into them, biases and rotations are left out. Rows are multiplied
// from the left, so that W_V is [d_model, d_head] and W_O [d_head, d_model]. Errors: a model without weights
// or without heads.
#pragma once

#include <atomic>
#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/ops/matrices.h"

namespace attnscope {

struct HeadCircuit {
  int block = 0, head = 0;
  int kv_head = 0;                           ///< whose keys and values it reads
  double ov_norm = 0, qk_norm = 0;           ///< Frobenius norms of W_V W_O and W_Q W_K^T
  std::vector<double> ov_values, qk_values;  ///< their singular values, the largest first
  /// Of W_E W_V W_O W_U, all that are not zero; empty where the model has no words on one of its sides.
  std::vector<std::complex<double>> eigenvalues;
  /// sum Re / sum modulus of the eigenvalues: 1 where every token makes itself more likely.
  std::optional<double> copying;
};

/// The side of the later head that reads.
enum class Reads : std::uint8_t { q, k, v };
const char* reads_name(Reads side);  ///< "q", "k", "v"

struct Composition {
  Reads side = Reads::q;
  int from_block = 0, from_head = 0, to_block = 0, to_head = 0;
  /// |W_OV from . W_QK to| / (|W_OV from| |W_QK to|); with W_QK^T for k, with W_OV for v.
  double score = 0;
};

struct Circuits {
  std::vector<HeadCircuit> heads;        ///< block by block
  std::vector<Composition> composition;  ///< by side, then by sender, then by receiver
  std::vector<std::string> left_out;     ///< keys of sentences about what the model has beside it
};

/// Of the self-attention of the main stack. `composition`: also the scores between every head and every head
/// of later blocks. Errors: as above; cancelled.
Result<Circuits> circuits_of(const Model& model, bool composition = true,
                             const std::atomic<bool>* cancel = nullptr);
/// Multiply-adds that the composition scores take.
double circuits_cost(const ModelConfig& config);

/// W_V W_O of a head, or W_Q W_K^T, whole; `spectrum`: with the singular values that are not zero by its
/// width. `distance`: W_Q R W_K^T with the rotation of a query that stands so many positions behind its key;
/// none: left out. Errors: as circuits_of(), no such head, a distance where nothing rotates.
struct CircuitMatrix {
  Matrix64 matrix;             ///< [d_model, d_model]
  std::vector<double> values;  ///< d_head of them, the largest first
};
Result<CircuitMatrix> circuit_matrix(const Model& model, int block, int head, bool ov, bool spectrum,
                                     std::optional<std::int64_t> distance = {});

/// The eigenvalues' copying score.
double copying_score(const std::vector<std::complex<double>>& eigenvalues);

/// A token and how much more of its logit a circuit writes.
struct CircuitWord {
  int id = 0;
  double value = 0;
};
/// What a head's OV circuit writes where it looks at token `id`: the logits of W_E[id] W_V W_O W_U, the
/// largest `most` of them. Errors: a model without words, no such head or token.
Result<std::vector<CircuitWord>> ov_words(const Model& model, int block, int head, int id, std::size_t most);
/// Of a chosen vocabulary, row-major [from, to]: of OV what looking at `from` adds to the logit of `to`, of
/// QK the score of query `from` with key `to`, unscaled, at a distance as above. Errors: as ov_words().
Result<std::vector<double>> circuit_map(const Model& model, int block, int head, bool ov,
                                        const std::vector<int>& from, const std::vector<int>& to,
                                        std::optional<std::int64_t> distance = {});

}  // namespace attnscope
