// The forward pass of a decoder with pre-norm blocks in double, one number after the other: learned
// positions, RoPE or ALiBi by block, windows, grouped heads, sinks, SiLU MLPs with and without gate.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace attnscope::testing {

class NaiveModel {
 public:
  using Row = std::vector<double>;
  using Matrix = std::vector<Row>;
  explicit NaiveModel(const Model& model) : config_(model.config()), weights_(model.weights()) {}

  Matrix logits(const std::vector<int>& ids) const {
    Matrix x;
    steps_.clear();
    for (std::size_t pos = 0; pos < ids.size(); ++pos)
      x.push_back(sum(table("tok_embed.weight", ids[pos]), table("pos_embed.weight", static_cast<int>(pos))));
    for (std::size_t layer = 0; layer < config_.blocks.size(); ++layer) x = block(layer, x);
    Matrix out;
    for (const Row& row : x) out.push_back(linear(norm(config_.final_norm, "ln_final", row), "logits"));
    return out;
  }

  /// Rows of the steps of the last run by their names: those of the stream and of attention; of steps with
  /// heads, head after head.
  const std::map<std::string, Matrix>& steps() const { return steps_; }

 private:
  Row table(const std::string& name, int row) const {
    const Tensor& t = *weights_.find(name);
    Row out;
    for (std::int64_t i = 0; i < t.size(1); ++i) out.push_back(static_cast<double>(t.at(row, i)));
    return out;
  }
  static Row sum(const Row& a, const Row& b) {
    Row out = a;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += b[i];
    return out;
  }
  Row linear(const Row& x, const std::string& name) const {
    const Tensor w = weights_.get(name + ".weight"), b = weights_.get(name + ".bias");
    Row out(static_cast<std::size_t>(w.size(1)), 0.0);
    for (std::size_t j = 0; j < out.size(); ++j) {
      for (std::size_t i = 0; i < x.size(); ++i)
        out[j] +=
            x[i] * static_cast<double>(w.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
      if (!b.empty()) out[j] += static_cast<double>(b.at(static_cast<std::int64_t>(j)));
    }
    return out;
  }
  Row norm(const NormSpec& spec, const std::string& name, const Row& x) const {
    const Tensor gain = weights_.get(name + ".weight"), offset = weights_.get(name + ".bias");
    double mean = 0, square = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    if (spec.kind == NormSpec::Kind::rms) mean = 0;
    for (const double value : x) square += (value - mean) * (value - mean) / static_cast<double>(x.size());
    Row out;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      out.push_back((x[i] - mean) / std::sqrt(square + static_cast<double>(spec.eps)) *
                        static_cast<double>(gain.at(at)) +
                    (offset.empty() ? 0.0 : static_cast<double>(offset.at(at))));
    }
    return out;
  }
  static double silu(double x) { return x / (1 + std::exp(-x)); }

  Row mlp(const MlpSpec& spec, const std::string& base, const Row& x) const {
    const bool gated = spec.kind == MlpSpec::Kind::gated;
    Row post = linear(x, base + (gated ? "gate" : "pre"));
    for (double& value : post) value = silu(value);
    if (gated) {
      const Row up = linear(x, base + "up");
      for (std::size_t i = 0; i < post.size(); ++i) post[i] *= up[i];
    }
    return linear(post, base + "out");
  }

  // One head's part of a projected row, rotated to its position.
  static Row head(const AttentionSpec& spec, const Row& row, int head, std::size_t pos, bool rotates) {
    const auto d = static_cast<std::size_t>(spec.d_head), begin = static_cast<std::size_t>(head) * d;
    Row out(row.begin() + static_cast<std::ptrdiff_t>(begin),
            row.begin() + static_cast<std::ptrdiff_t>(begin + d));
    if (!rotates) return out;
    const RopeSpec& rope = spec.position.rope;
    const std::size_t dims = rope.rotary_dims > 0 ? static_cast<std::size_t>(rope.rotary_dims) : d;
    for (std::size_t pair = 0; pair < dims / 2; ++pair) {
      const std::size_t a = rope.interleaved ? 2 * pair : pair, b = rope.interleaved ? a + 1 : a + dims / 2;
      const double angle = static_cast<double>(pos) *
                           std::pow(rope.theta, -2.0 * static_cast<double>(pair) / static_cast<double>(dims));
      const double x = out[a], y = out[b];
      out[a] = x * std::cos(angle) - y * std::sin(angle);
      out[b] = y * std::cos(angle) + x * std::sin(angle);
    }
    return out;
  }

  static double score(const AttentionSpec& spec, int h, const Row& q, const Row& k, std::size_t query,
                      std::size_t key) {
    double out = 0;
    for (std::size_t i = 0; i < q.size(); ++i) out += q[i] * k[i];
    out /= std::sqrt(static_cast<double>(spec.d_head));
    if (spec.position.kind == AttentionPosition::Kind::alibi)
      out += std::pow(2.0, -8.0 * (h + 1) / spec.n_heads) *
             (static_cast<double>(key) - static_cast<double>(query));
    return out;
  }

  Matrix attention(const AttentionSpec& spec, const std::string& base, const Matrix& x) const {
    Matrix q, k, v, out;
    for (const Row& row : x) {
      q.push_back(linear(row, base + "q"));
      k.push_back(linear(row, base + "k"));
      v.push_back(linear(row, base + "v"));
    }
    const bool rotates = spec.position.kind == AttentionPosition::Kind::rope;
    const Tensor sinks = weights_.get(base + "sinks.weight");
    Matrix& pattern = steps_[base + "pattern"];
    pattern.assign(x.size() * static_cast<std::size_t>(spec.n_heads), Row(x.size(), 0.0));
    steps_[base + "q"] = q, steps_[base + "k"] = k, steps_[base + "v"] = v;
    for (std::size_t query = 0; query < x.size(); ++query) {
      Row concat;
      for (int h = 0; h < spec.n_heads; ++h) {
        const int kv = h * spec.n_kv_heads / spec.n_heads;
        const auto window = static_cast<std::size_t>(spec.window);
        const std::size_t first = window > 0 && query + 1 > window ? query + 1 - window : 0;
        Row z(static_cast<std::size_t>(spec.d_head), 0.0);
        double total = spec.sinks ? std::exp(static_cast<double>(sinks.at(h))) : 0.0;
        Row& weights = pattern[static_cast<std::size_t>(h) * x.size() + query];
        for (std::size_t key = first; key <= query; ++key) {
          const double weight = std::exp(score(spec, h, head(spec, q[query], h, query, rotates),
                                               head(spec, k[key], kv, key, rotates), query, key));
          const Row value = head(spec, v[key], kv, key, false);
          for (std::size_t i = 0; i < z.size(); ++i) z[i] += weight * value[i];
          weights[key] = weight;
          total += weight;
        }
        for (double& weight : weights) weight /= total;
        for (const double value : z) concat.push_back(value / total);
      }
      steps_[base + "concat"].push_back(concat);
      out.push_back(linear(concat, base + "out"));
    }
    steps_[base + "out"] = out;
    return out;
  }

  Matrix block(std::size_t layer, Matrix x) const {
    const BlockSpec& spec = config_.blocks[layer];
    const std::string base = "blocks." + std::to_string(layer) + ".";
    Matrix normed, middle;
    steps_[base + "resid_pre"] = x;
    for (const Row& row : x) normed.push_back(norm(spec.norm, base + "ln1", row));
    const Matrix found = attention(spec.attention, base + "attn.", normed);
    for (std::size_t pos = 0; pos < x.size(); ++pos) {
      x[pos] = sum(x[pos], found[pos]);
      middle.push_back(x[pos]);
      if (spec.mlp.kind == MlpSpec::Kind::none) continue;
      x[pos] = sum(x[pos], mlp(spec.mlp, base + "mlp.", norm(spec.norm, base + "ln2", x[pos])));
    }
    steps_[base + "ln1.out"] = normed, steps_[base + "resid_mid"] = middle, steps_[base + "resid_post"] = x;
    return x;
  }

  mutable std::map<std::string, Matrix> steps_;
  const ModelConfig& config_;
  const Weights& weights_;
};

}  // namespace attnscope::testing
