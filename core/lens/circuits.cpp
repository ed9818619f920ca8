#include "core/lens/circuits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/trace/rotary.h"

namespace attnscope {
namespace {

struct HeadWeights {
  Matrix64 q, k, v;  // [d_model, d_head]
  Matrix64 o;        // [d_head, d_model]
};

class BlockWeights {
 public:
  BlockWeights(const Model& model, int block)
      : spec_(model.config().blocks[static_cast<std::size_t>(block)].attention) {
    const std::string base =
        std::string(stack_prefix(model.config().stack)) + "blocks." + std::to_string(block) + ".attn.";
    const auto get = [&](const char* name) { return matrix64(model.weights().get(base + name + ".weight")); };
    q_ = get("q"), k_ = get("k"), v_ = get("v"), o_ = get("out");
  }
  int heads() const { return spec_.n_heads; }
  int kv_of(int head) const { return head * spec_.n_kv_heads / spec_.n_heads; }
  HeadWeights head(int head) const {
    const std::int64_t d = spec_.d_head, own = head * d, kv = kv_of(head) * d;
    return {columns_of(q_, own, own + d), columns_of(k_, kv, kv + d), columns_of(v_, kv, kv + d),
            rows_of(o_, own, own + d)};
  }

 private:
  const AttentionSpec& spec_;
  Matrix64 q_, k_, v_, o_;
};

// A product of two factors by its smaller side: |a b| = |R b| with a = Q R, and the same of its columns.
Matrix64 written(const HeadWeights& head) { return product(triangle_of(head.v), head.o); }  // [d_head, d]
Matrix64 compared(const Matrix64& reads, const Matrix64& with) {                            // [d, d_head]
  return product(reads, transposed(triangle_of(with)));
}

std::vector<double> ov_values(const HeadWeights& head) {
  return singular_values(product(triangle_of(head.v), transposed(triangle_of(transposed(head.o)))));
}
std::vector<double> qk_values(const HeadWeights& head) {
  return singular_values(product(triangle_of(head.q), transposed(triangle_of(head.k))));
}

// Side by side, or one below the other, as large products read them.
void append_rows(Matrix64& to, const Matrix64& more) {
  to.cols = more.cols, to.rows += more.rows;
  to.cells.insert(to.cells.end(), more.cells.begin(), more.cells.end());
}

bool has_words(const Model& model) {
  const std::string base(stack_prefix(model.config().stack));
  const Tensor *in = model.weights().find(base + "tok_embed.weight"),
               *out = model.weights().find(base + "logits.weight");
  return in && out && in->size(0) == out->size(1) && in->size(1) == out->size(0);
}

// What each head writes, and what each side of it reads; rows are head after head.
struct Factors {
  Matrix64 writes, q, k, v;  // [heads d_head, d_model]
  std::vector<double> ov, qk;
};

Factors factors_of(const BlockWeights& block) {
  Factors out;
  for (int i = 0; i < block.heads(); ++i) {
    const HeadWeights head = block.head(i);
    const Matrix64 made = written(head), asks = compared(head.q, head.k);
    out.ov.push_back(norm_of(made));
    out.qk.push_back(norm_of(asks));
    append_rows(out.writes, made);
    append_rows(out.q, transposed(asks));
    append_rows(out.k, transposed(compared(head.k, head.q)));
    append_rows(out.v, transposed(compared(head.v, transposed(head.o))));
  }
  return out;
}

// Norms of the squares that a product of heads by heads is made of.
void add_scores(const Matrix64& from, const Matrix64& to, const std::vector<double>& from_norm,
                const std::vector<double>& to_norm, Composition one, std::vector<Composition>& out) {
  const Matrix64 all = product(from, transposed(to));
  const std::int64_t a = from.rows / std::ssize(from_norm), b = to.rows / std::ssize(to_norm);
  for (std::size_t i = 0; i < from_norm.size(); ++i)
    for (std::size_t j = 0; j < to_norm.size(); ++j) {
      double square = 0;
      const auto row = static_cast<std::int64_t>(i) * a, col = static_cast<std::int64_t>(j) * b;
      for (std::int64_t r = row; r < row + a; ++r)
        for (std::int64_t c = col; c < col + b; ++c) square += all.at(r, c) * all.at(r, c);
      const double norms = from_norm[i] * to_norm[j];
      one.from_head = static_cast<int>(i), one.to_head = static_cast<int>(j);
      one.score = norms > 0 ? std::sqrt(square) / norms : 0;
      out.push_back(one);
    }
}

Status check_head(const Model& model, int block, int head) {
  const ModelConfig& config = model.config();
  if (block < 0 || block >= config.n_layers() || head < 0 ||
      head >= config.blocks[static_cast<std::size_t>(block)].attention.n_heads)
    return fail(Code::out_of_range, "error.lens.circuit_head", {block, head});
  return Done{};
}

Tensor circuit_embedding(const Model& model) {
  return model.weights().get(std::string(stack_prefix(model.config().stack)) + "tok_embed.weight");
}
Tensor circuit_unembedding(const Model& model) {
  return model.weights().get(std::string(stack_prefix(model.config().stack)) + "logits.weight");
}

Status check_words(const Model& model, const std::vector<int>& ids) {
  if (!has_words(model)) return fail(Code::unsupported, "error.lens.circuit_words");
  const std::int64_t count = circuit_embedding(model).size(0);
  for (const int id : ids)
    if (id < 0 || id >= count) return fail(Code::out_of_range, "error.lens.circuit_token", {id, count - 1});
  return Done{};
}

Matrix64 rows_of_table(const Tensor& table, const std::vector<int>& ids) {
  return matrix64(gather_rows(table, ids));
}

}  // namespace

const char* reads_name(Reads side) { return side == Reads::q ? "q" : side == Reads::k ? "k" : "v"; }

double copying_score(const std::vector<std::complex<double>>& eigenvalues) {
  double real = 0, all = 0;
  for (const auto& value : eigenvalues) real += value.real(), all += std::abs(value);
  return all > 0 ? real / all : 0;
}

double circuits_cost(const ModelConfig& config) {
  double out = 0, before = 0;
  for (const BlockSpec& block : config.blocks) {
    const double width = static_cast<double>(block.attention.n_heads) * block.attention.d_head;
    out += 3 * before * width * config.d_model;
    before += width;
  }
  return out;
}

namespace {

// W_Q with each query turned as it is `distance` positions behind its key; two rotations, so that what they
// are stretched by counts twice.
Status turn_queries(const Model& model, int block, std::optional<std::int64_t> distance, HeadWeights& head) {
  if (!distance) return Done{};
  const AttentionSpec& attention = model.config().blocks[static_cast<std::size_t>(block)].attention;
  if (!attention.position.rotates()) return fail(Code::unsupported, "error.lens.circuits.distance");
  const Rotary rotary = rotary_of(attention.position.rope, attention.d_head, 0);
  const double stretch = rotary.magnitude * rotary.magnitude;
  for (std::int64_t row = 0; row < head.q.rows; ++row)
    for (std::int64_t pair = 0; pair < rotary.pairs(); ++pair) {
      double& a = head.q.cells[static_cast<std::size_t>(row * head.q.cols + rotary.first_of(pair))];
      double& b = head.q.cells[static_cast<std::size_t>(row * head.q.cols + rotary.second_of(pair))];
      const double angle =
          static_cast<double>(*distance) * rotary.frequencies[static_cast<std::size_t>(pair)];
      const double x = a, y = b;
      a = stretch * (x * std::cos(angle) - y * std::sin(angle));
      b = stretch * (y * std::cos(angle) + x * std::sin(angle));
    }
  return Done{};
}

}  // namespace

Result<CircuitMatrix> circuit_matrix(const Model& model, int block, int head, bool ov, bool spectrum,
                                     std::optional<std::int64_t> distance) {
  if (!model.weights().find(std::string(stack_prefix(model.config().stack)) + "blocks.0.attn.q.weight"))
    return fail(Code::unsupported, "error.lens.circuits");
  TRY_OK(check_head(model, block, head));
  HeadWeights weights = BlockWeights(model, block).head(head);
  if (!ov) TRY_OK(turn_queries(model, block, distance, weights));
  CircuitMatrix out;
  out.matrix = ov ? product(weights.v, weights.o) : product(weights.q, transposed(weights.k));
  if (spectrum) out.values = ov ? ov_values(weights) : qk_values(weights);
  return out;
}

Result<Circuits> circuits_of(const Model& model, bool composition, const std::atomic<bool>* cancel) {
  const ModelConfig& config = model.config();
  const std::string base(stack_prefix(config.stack));
  if (config.blocks.empty() || !model.weights().find(base + "blocks.0.attn.q.weight"))
    return fail(Code::unsupported, "error.lens.circuits");
  Circuits out;
  const bool words = has_words(model);
  if (!words) out.left_out.emplace_back("circuits.no_words");
  if (words && config.head.transform) out.left_out.emplace_back("circuits.transform");
  if (!config.encoders.empty()) out.left_out.emplace_back("circuits.encoder");
  const auto crosses = [](const BlockSpec& block) { return block.cross.has_value(); };
  if (std::any_of(config.blocks.begin(), config.blocks.end(), crosses))
    out.left_out.emplace_back("circuits.cross");
  Matrix64 vocabulary;  // W_U W_E: [d_model, d_model]
  if (words) vocabulary = product(matrix64(circuit_unembedding(model)), matrix64(circuit_embedding(model)));
  std::vector<Factors> all;
  for (int block = 0; block < config.n_layers(); ++block) {
    if (cancel && *cancel) return fail(Code::cancelled, "error.model.stopped");
    const BlockWeights weights(model, block);
    for (int i = 0; i < weights.heads(); ++i) {
      const HeadWeights head = weights.head(i);
      HeadCircuit one{block, i, weights.kv_of(i), 0, 0, {}, {}, {}, {}};
      one.ov_values = ov_values(head);
      one.qk_values = qk_values(head);
      one.ov_norm = norm_of(written(head));
      one.qk_norm = norm_of(compared(head.q, head.k));
      if (words) {
        one.eigenvalues = eigenvalues(product(product(head.o, vocabulary), head.v));
        one.copying = copying_score(one.eigenvalues);
      }
      out.heads.push_back(std::move(one));
    }
    if (composition && config.n_layers() > 1) all.push_back(factors_of(weights));
  }
  for (const Reads side : {Reads::q, Reads::k, Reads::v})
    for (std::size_t from = 0; from < all.size(); ++from)
      for (std::size_t to = from + 1; to < all.size(); ++to) {
        if (cancel && *cancel) return fail(Code::cancelled, "error.model.stopped");
        const Matrix64& reads = side == Reads::q ? all[to].q : side == Reads::k ? all[to].k : all[to].v;
        add_scores(all[from].writes, reads, all[from].ov, side == Reads::v ? all[to].ov : all[to].qk,
                   {side, static_cast<int>(from), 0, static_cast<int>(to), 0, 0}, out.composition);
      }
  return out;
}

Result<std::vector<CircuitWord>> ov_words(const Model& model, int block, int head, int id, std::size_t most) {
  TRY_OK(check_head(model, block, head));
  TRY_OK(check_words(model, {id}));
  const HeadWeights weights = BlockWeights(model, block).head(head);
  const Matrix64 logits =
      product(product(product(rows_of_table(circuit_embedding(model), {id}), weights.v), weights.o),
              matrix64(circuit_unembedding(model)));
  std::vector<CircuitWord> out;
  for (std::int64_t i = 0; i < logits.cols; ++i) out.push_back({static_cast<int>(i), logits.at(0, i)});
  std::stable_sort(out.begin(), out.end(),
                   [](const CircuitWord& a, const CircuitWord& b) { return a.value > b.value; });
  out.resize(std::min(out.size(), most));
  return out;
}

Result<std::vector<double>> circuit_map(const Model& model, int block, int head, bool ov,
                                        const std::vector<int>& from, const std::vector<int>& to,
                                        std::optional<std::int64_t> distance) {
  TRY_OK(check_head(model, block, head));
  TRY_OK(check_words(model, from));
  TRY_OK(check_words(model, to));
  HeadWeights weights = BlockWeights(model, block).head(head);
  if (!ov) TRY_OK(turn_queries(model, block, distance, weights));
  const Tensor table = circuit_embedding(model);
  const Matrix64 rows = rows_of_table(table, from);
  if (!ov)
    return product(product(rows, weights.q), transposed(product(rows_of_table(table, to), weights.k))).cells;
  const Matrix64 columns = rows_of_table(circuit_unembedding(model).transpose(), to);  // [to, d_model]
  return product(product(product(rows, weights.v), weights.o), transposed(columns)).cells;
}

}  // namespace attnscope
