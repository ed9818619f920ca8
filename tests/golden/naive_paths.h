// The forward pass of one stack in double, whatever the order of its norms, with steps that a test replaces:
// what is compared with it was computed by other code in another order. No caches, no tiles, no sharing.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "tests/exact_activation.h"

namespace attnscope::testing {

class NaiveStack {
 public:
  using Row = std::vector<double>;
  using Matrix = std::vector<Row>;
  using Change = std::function<Matrix(Matrix)>;

  explicit NaiveStack(const Model& model) : config_(model.config()), weights_(model.weights()) {}

  std::map<std::string, Change> changes;  ///< what a step becomes, by its name
  std::map<std::string, Matrix> steps;    ///< of the last run
  std::map<std::string, Matrix> scales;   ///< divisors of norms, [pos, 1]

  /// Patterns, norm scales and gates of the last run of another one are those of every run from now on.
  void hold(const NaiveStack& other) {
    held_steps_ = other.steps;
    held_scales_ = other.scales;
  }

  /// Logits of every row.
  Matrix run(const std::vector<int>& ids) {
    steps.clear();
    scales.clear();
    const auto count = static_cast<int>(ids.size());
    Matrix x;
    for (int pos = 0; pos < count; ++pos) {
      Row row = table("tok_embed.weight", ids[static_cast<std::size_t>(pos)]);
      for (double& value : row) value *= static_cast<double>(config_.embed_scale);
      if (config_.position.kind == PositionSpec::Kind::learned)
        row = sum(row, table("pos_embed.weight", pos + static_cast<int>(config_.position.offset)));
      if (config_.type_vocab > 0) row = sum(row, table("type_embed.weight", 0));
      x.push_back(std::move(row));
    }
    x = norm(config_.embed_norm, "ln_embed", at("embed", x));
    for (std::size_t layer = 0; layer < config_.blocks.size(); ++layer) x = block(layer, x);
    x = norm(config_.final_norm, "ln_final", x);
    if (config_.head.transform) {
      x = linear(x, "head.pre");
      for (Row& row : x)
        for (double& value : row) value = exact_activation(config_.head.activation, value);
      x = norm(config_.head.norm, "ln_head", at("head.act", x));
    }
    for (Row& row : x)
      for (double& value : row) value *= static_cast<double>(config_.head.scale);
    Matrix logits = linear(x, "logits");
    steps["raw"] = logits;
    if (const auto cap = static_cast<double>(config_.head.cap); cap > 0)
      for (std::size_t i = 0; i < logits.size(); ++i)
        for (std::size_t j = 0; j < logits[i].size(); ++j) {
          const double raw = held_steps_.empty() ? logits[i][j] : held_steps_.at("raw")[i][j];
          logits[i][j] *= raw == 0 ? 1 : cap * std::tanh(raw / cap) / raw;
        }
    return at("logits", logits);
  }

  /// Rows times a weight, without its bias.
  Matrix times(const Matrix& x, const std::string& name) const {
    const Tensor w = weights_.get(name + ".weight");
    Matrix out;
    for (const Row& row : x) {
      Row y(static_cast<std::size_t>(w.size(1)), 0.0);
      for (std::size_t i = 0; i < row.size(); ++i)
        for (std::size_t j = 0; j < y.size(); ++j)
          y[j] +=
              row[i] * static_cast<double>(w.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
      out.push_back(std::move(y));
    }
    return out;
  }
  static Matrix sum(Matrix a, const Matrix& b, double sign = 1) {
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += sign * b[i][j];
    return a;
  }

 private:
  Matrix at(const std::string& name, Matrix value) {
    const auto change = changes.find(name);
    if (change != changes.end()) value = change->second(std::move(value));
    return steps[name] = std::move(value);
  }
  Row table(const std::string& name, int row) const {
    const Tensor& t = *weights_.find(name);
    Row out;
    for (std::int64_t i = 0; i < t.size(1); ++i) out.push_back(static_cast<double>(t.at(row, i)));
    return out;
  }
  static Row sum(Row a, const Row& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  Matrix linear(const Matrix& x, const std::string& name) {
    Matrix out = times(x, name);
    const Tensor b = weights_.get(name + ".bias");
    for (Row& row : out)
      for (std::size_t j = 0; j < row.size() && !b.empty(); ++j)
        row[j] += static_cast<double>(b.at(static_cast<std::int64_t>(j)));
    return at(name, out);
  }
  static double scale_of(const NormSpec& spec, const Row& x, double& mean) {
    mean = 0;
    double square = 0;
    if (spec.kind == NormSpec::Kind::layer)
      for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x) square += (value - mean) * (value - mean) / static_cast<double>(x.size());
    return std::sqrt(square + static_cast<double>(spec.eps));
  }
  Row norm_row(const NormSpec& spec, const std::string& name, const Row& x) {
    const Tensor gain = weights_.get(name + ".weight"), offset = weights_.get(name + ".bias");
    double mean = 0;
    double scale = scale_of(spec, x, mean);
    scales[name].push_back({scale});
    if (!held_scales_.empty()) scale = held_scales_.at(name)[scales[name].size() - 1][0];
    Row out;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto j = static_cast<std::int64_t>(i);
      out.push_back((x[i] - mean) / scale *
                        (gain.empty()
                             ? 1.0
                             : static_cast<double>(gain.at(j)) + static_cast<double>(spec.weight_offset)) +
                    (offset.empty() ? 0.0 : static_cast<double>(offset.at(j))));
    }
    return out;
  }
  Matrix norm(const NormSpec& spec, const std::string& name, const Matrix& x) {
    if (spec.kind == NormSpec::Kind::none) return x;
    Matrix out;
    scales[name].clear();
    for (const Row& row : x) out.push_back(norm_row(spec, name, row));
    return at(name + ".out", out);
  }
  Matrix mlp(const MlpSpec& spec, const std::string& base, const Matrix& x) {
    const bool gated = spec.kind == MlpSpec::Kind::gated;
    Matrix post = linear(x, base + (gated ? "gate" : "pre"));
    for (std::size_t i = 0; i < post.size(); ++i)
      for (std::size_t j = 0; j < post[i].size(); ++j) {
        double pre = post[i][j];
        if (!held_steps_.empty()) pre = held_steps_.at(base + (gated ? "gate" : "pre"))[i][j];
        const double open = exact_activation(spec.activation, pre);
        post[i][j] = held_steps_.empty() || gated ? open : post[i][j] * open / pre;
      }
    if (gated) {
      const Matrix up = linear(x, base + "up");
      for (std::size_t i = 0; i < post.size(); ++i)
        for (std::size_t j = 0; j < post[i].size(); ++j) post[i][j] *= up[i][j];
    }
    return linear(at(base + "post", post), base + "out");
  }
  Row head(const AttentionSpec& spec, const std::string& normed, const Row& row, int head, std::size_t pos,
           bool turns) {
    const auto d = static_cast<std::size_t>(spec.d_head), begin = static_cast<std::size_t>(head) * d;
    Row out(row.begin() + static_cast<std::ptrdiff_t>(begin),
            row.begin() + static_cast<std::ptrdiff_t>(begin + d));
    if (spec.qk_norm.kind != NormSpec::Kind::none && !normed.empty())
      out = norm_row(spec.qk_norm, normed, out);
    if (!turns) return out;
    const RopeSpec& rope = spec.position.rope;
    const std::vector<double> frequencies = rope_frequencies(rope, spec.d_head);
    for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
      const std::size_t a = rope.interleaved ? 2 * pair : pair,
                        b = rope.interleaved ? a + 1 : a + frequencies.size();
      const double angle = static_cast<double>(pos) * frequencies[pair], size = rope_magnitude(rope);
      const double x = out[a], y = out[b];
      out[a] = size * (x * std::cos(angle) - y * std::sin(angle));
      out[b] = size * (y * std::cos(angle) + x * std::sin(angle));
    }
    return out;
  }
  Matrix attention(const AttentionSpec& spec, const std::string& base, const Matrix& x) {
    const Matrix q = linear(x, base + "q"), k = linear(x, base + "k"), v = linear(x, base + "v");
    const bool turns = spec.position.kind == AttentionPosition::Kind::rope;
    Matrix concat(x.size());
    for (int h = 0; h < spec.n_heads; ++h) {
      const int kv = h / (spec.n_heads / spec.n_kv_heads);
      Matrix& pattern = steps[base + "pattern." + std::to_string(h)];
      for (std::size_t query = 0; query < x.size(); ++query) {
        Row weights(x.size(), 0.0);
        double total = 0;
        for (std::size_t key = 0; key < x.size(); ++key) {
          if (spec.causal && key > query) continue;
          if (spec.window > 0 && query >= key + static_cast<std::size_t>(spec.window)) continue;
          const Row a = head(spec, base + "q_norm", q[query], h, query, turns),
                    b = head(spec, base + "k_norm", k[key], kv, key, turns);
          double score = 0;
          for (std::size_t i = 0; i < a.size(); ++i) score += a[i] * b[i];
          score *= static_cast<double>(spec.scale);
          if (spec.cap > 0)
            score = static_cast<double>(spec.cap) * std::tanh(score / static_cast<double>(spec.cap));
          if (spec.position.kind == AttentionPosition::Kind::alibi)
            score += static_cast<double>(alibi_slopes(spec.n_heads)[static_cast<std::size_t>(h)]) *
                     (static_cast<double>(key) - static_cast<double>(query));
          total += weights[key] = std::exp(score);
        }
        Row z(static_cast<std::size_t>(spec.d_head), 0.0);
        for (std::size_t key = 0; key < x.size(); ++key) {
          weights[key] /= total;
          if (!held_steps_.empty())
            weights[key] = held_steps_.at(base + "pattern." + std::to_string(h))[query][key];
          const Row value = head(spec, "", v[key], kv, key, false);
          for (std::size_t i = 0; i < z.size(); ++i) z[i] += weights[key] * value[i];
        }
        pattern.push_back(weights);
        concat[query].insert(concat[query].end(), z.begin(), z.end());
      }
    }
    return linear(at(base + "concat", concat), base + "out");
  }
  Matrix block(std::size_t layer, Matrix x) {
    const BlockSpec& spec = config_.blocks[layer];
    const std::string base = "blocks." + std::to_string(layer) + ".";
    const auto ln = [&](const char* name, const Matrix& rows) { return norm(spec.norm, base + name, rows); };
    const auto branch = [&](const char* name, const Matrix& rows) {
      return spec.branch_norms ? ln(name, rows) : rows;
    };
    const auto attend = [&](const Matrix& rows) { return attention(spec.attention, base + "attn.", rows); };
    const auto feed = [&](const Matrix& rows) { return mlp(spec.mlp, base + "mlp.", rows); };
    if (spec.order == NormOrder::parallel) {
      const Matrix read = ln("ln1", x);
      const Matrix found = attend(read), made = feed(spec.shared_norm ? read : ln("ln2", x));
      return sum(sum(x, found), made);
    }
    if (spec.order == NormOrder::post) {
      x = ln("ln1", sum(x, attend(x)));
      return ln("ln2", sum(x, feed(x)));
    }
    x = sum(x, branch("ln1_post", attend(ln("ln1", x))));
    return sum(x, branch("ln2_post", feed(ln("ln2", x))));
  }

  const ModelConfig& config_;
  const Weights& weights_;
  std::map<std::string, Matrix> held_steps_, held_scales_;
};

}  // namespace attnscope::testing
