// Every backward against central differences of a forward written anew in plain loops and double.
#include "core/ops/backward.h"

#include <gtest/gtest.h>

#include "tests/core/ops/score_cases.h"

namespace attnscope {
namespace {

using namespace reference;

using Values = std::vector<double>;

Values doubles(const Tensor& t) {
  const auto values = t.values();
  return {values.begin(), values.end()};
}

// `found` against the gradients of loss(values) at `at`, for every `step`-th value; gaps are relative to the
// largest gradient.
void expect_gradients(const Tensor& found, const Tensor& at, const std::function<double(const Values&)>& loss,
                      std::size_t step = 1, double tolerance = 2e-5) {
  ASSERT_EQ(found.sizes(), at.sizes());
  Values values = doubles(at);
  const Values grads = doubles(found);
  Values exact(values.size(), 0.0);
  double largest = 1e-3;
  for (std::size_t i = 0; i < values.size(); i += step) {
    constexpr double kStep = 1e-5;
    const double here = values[i];
    values[i] = here + kStep;
    const double above = loss(values);
    values[i] = here - kStep;
    exact[i] = (above - loss(values)) / (2 * kStep);
    values[i] = here;
    largest = std::max(largest, std::fabs(exact[i]));
  }
  for (std::size_t i = 0; i < values.size(); i += step)
    EXPECT_NEAR(grads[i], exact[i], tolerance * largest) << "value " << i;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Tensor matrix(std::int64_t rows, std::int64_t cols, unsigned seed, Axis second = Axis::d_model) {
  return noise({{Axis::pos, rows}, {second, cols}}, seed);
}

// ---- linear algebra -------------------------------------------------------------------------------

Values times(const Values& x, const Values& w, const Values& bias, std::int64_t in, std::int64_t out) {
  Values y;
  for (std::size_t row = 0; row < x.size() / static_cast<std::size_t>(in); ++row)
    for (std::int64_t o = 0; o < out; ++o) {
      double sum = bias.empty() ? 0.0 : bias[static_cast<std::size_t>(o)];
      for (std::int64_t i = 0; i < in; ++i)
        sum += x[row * static_cast<std::size_t>(in) + static_cast<std::size_t>(i)] *
               w[static_cast<std::size_t>(i * out + o)];
      y.push_back(sum);
    }
  return y;
}

TEST(Backward, Linear) {
  with_every_kernel([] {
    for (std::int64_t rows : {1, 3, 9})
      for (bool transposed : {false, true}) {
        const Tensor x = matrix(rows, 5, 1, Axis::in), dy = matrix(rows, 7, 2, Axis::out);
        const Tensor w = transposed ? noise({{Axis::out, 7}, {Axis::in, 5}}, 3).transpose()
                                    : noise({{Axis::in, 5}, {Axis::out, 7}}, 3);
        const Tensor bias = noise({{Axis::out, 7}}, 4);
        const LinearGrads found = linear_backward(dy, x, w, bias);
        const Values dx = doubles(x), dw = doubles(w), db = doubles(bias), gradient = doubles(dy);
        expect_gradients(found.x, x, [&](const Values& v) { return dot(times(v, dw, db, 5, 7), gradient); });
        expect_gradients(found.w, w, [&](const Values& v) { return dot(times(dx, v, db, 5, 7), gradient); });
        expect_gradients(found.bias, bias,
                         [&](const Values& v) { return dot(times(dx, dw, v, 5, 7), gradient); });
        EXPECT_EQ(found.w.stride(0) == 1, transposed);  // lies in memory as the weight does
        EXPECT_EQ(axes_text(found.w), "[in, out]");
        EXPECT_TRUE(linear_backward(dy, x, w, {}).bias.empty());
      }
  });
}

// A product large enough for several tiles, and slices of a fused weight.
TEST(Backward, LinearByTiles) {
  const Tensor x = matrix(130, 300, 1, Axis::in), dy = matrix(130, 410, 2, Axis::out);
  const Tensor fused = noise({{Axis::in, 300}, {Axis::out, 500}}, 3), w = fused.slice(1, 50, 460);
  const LinearGrads found = linear_backward(dy, x, w, noise({{Axis::out, 410}}, 4));
  EXPECT_LT(worst_gap(found.w, product(x.transpose(), dy, {})), 1e-5);
  EXPECT_LT(worst_gap(found.x, product(dy, w.transpose(), {})), 1e-5);
  const Tensor ones = Tensor::filled({{Axis::none, 1}, {Axis::pos, 130}}, 1.f);
  EXPECT_LT(worst_gap(found.bias, product(ones, dy, {})), 1e-5);
}

TEST(Backward, GatheredRowsAreAdded) {
  const Tensor table = noise({{Axis::vocab, 6}, {Axis::d_model, 3}}, 1), dy = matrix(5, 3, 2);
  const std::vector<int> ids = {4, 0, 4, 5, 4};
  const Values gradient = doubles(dy);
  expect_gradients(gather_rows_backward(dy, ids, 6), table, [&](const Values& v) {
    double sum = 0;
    for (std::size_t pos = 0; pos < ids.size(); ++pos)
      for (std::size_t d = 0; d < 3; ++d)
        sum += v[static_cast<std::size_t>(ids[pos]) * 3 + d] * gradient[pos * 3 + d];
    return sum;
  });
}

// ---- elementwise and rows -------------------------------------------------------------------------

double activated(Activation kind, double x) {
  switch (kind) {
    case Activation::gelu_tanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::gelu_exact: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::relu: return std::max(0.0, x);
    case Activation::quick_gelu: return x / (1 + std::exp(-1.702 * x));
  }
  return 0;
}

TEST(Backward, Activations) {
  with_every_kernel([] {
    for (Activation kind : {Activation::gelu_tanh, Activation::gelu_exact, Activation::silu, Activation::relu,
                            Activation::quick_gelu})
      for (float size : {0.1f, 3.f, 30.f}) {
        SCOPED_TRACE(static_cast<int>(kind));
        const Tensor x = scale(matrix(3, 37, 1), size), dy = matrix(3, 37, 2);
        const Values gradient = doubles(dy);
        expect_gradients(activate_backward(kind, dy, x), x, [&](const Values& v) {
          double sum = 0;
          for (std::size_t i = 0; i < v.size(); ++i) sum += gradient[i] * activated(kind, v[i]);
          return sum;
        });
      }
    const Tensor zero = Tensor::filled({{Axis::pos, 1}}, 0.f), one = Tensor::filled({{Axis::pos, 1}}, 1.f);
    EXPECT_EQ(activate_backward(Activation::relu, one, zero).at(0), 0.f);  // as everywhere else
  });
}

TEST(Backward, ProductsAndCaps) {
  const Tensor a = matrix(3, 5, 1), b = matrix(3, 5, 2), dy = matrix(3, 5, 3);
  const Values gradient = doubles(dy), other = doubles(b), first = doubles(a);
  const auto product_with = [&](const Values& fixed) {
    return [&](const Values& v) {
      double sum = 0;
      for (std::size_t i = 0; i < v.size(); ++i) sum += gradient[i] * v[i] * fixed[i];
      return sum;
    };
  };
  expect_gradients(multiply_backward(dy, a, b).a, a, product_with(other));
  expect_gradients(multiply_backward(dy, a, b).b, b, product_with(first));
  const float cap = 0.6f;
  expect_gradients(soft_cap_backward(dy, soft_cap(a, cap), cap), a, [&](const Values& v) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
      sum += gradient[i] * static_cast<double>(cap) * std::tanh(v[i] / static_cast<double>(cap));
    return sum;
  });
}

// (x - mean) / sqrt(var + eps) * (weight + offset) + bias; without a mean for RMSNorm.
double normed_dot(const Values& x, const Values& weight, const Values& bias, const Values& gradient,
                  std::size_t width, bool centred, double offset) {
  double sum = 0;
  for (std::size_t row = 0; row < x.size(); row += width) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < width && centred; ++i) mean += x[row + i] / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i)
      square += (x[row + i] - mean) * (x[row + i] - mean) / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i)
      sum += gradient[row + i] *
             ((x[row + i] - mean) / std::sqrt(square + 1e-3) * (weight.empty() ? 1 : weight[i] + offset) +
              (bias.empty() ? 0 : bias[i]));
  }
  return sum;
}

TEST(Backward, Norms) {
  for (std::int64_t width : {1, 5, 70})
    for (bool centred : {true, false})
      for (float offset : {0.f, 1.f}) {
        if (centred && offset > 0) continue;
        SCOPED_TRACE(width);
        const Tensor x = matrix(4, width, 1), dy = matrix(4, width, 2);
        const Tensor weight = noise({{Axis::d_model, width}}, 3);
        const Tensor bias = centred ? noise({{Axis::d_model, width}}, 4) : Tensor();
        const Normed forward =
            centred ? layer_norm(x, weight, bias, 1e-3f) : rms_norm(x, weight, 1e-3f, offset);
        const NormGrads found = centred ? layer_norm_backward(dy, x, forward.scale, weight, bias)
                                        : rms_norm_backward(dy, x, forward.scale, weight, offset);
        const Values vx = doubles(x), vw = doubles(weight), vb = doubles(bias), gradient = doubles(dy);
        const auto loss = [&](const Values& a, const Values& w, const Values& b) {
          return normed_dot(a, w, b, gradient, static_cast<std::size_t>(width), centred,
                            static_cast<double>(offset));
        };
        expect_gradients(found.x, x, [&](const Values& v) { return loss(v, vw, vb); });
        expect_gradients(found.weight, weight, [&](const Values& v) { return loss(vx, v, vb); });
        if (centred) expect_gradients(found.bias, bias, [&](const Values& v) { return loss(vx, vw, v); });
        EXPECT_EQ(found.bias.empty(), !centred);
        const NormGrads bare = centred ? layer_norm_backward(dy, x, forward.scale, {}, {})
                                       : rms_norm_backward(dy, x, forward.scale, {});
        expect_gradients(bare.x, x, [&](const Values& v) { return loss(v, {}, {}); });
        EXPECT_TRUE(bare.weight.empty());
      }
}

TEST(Backward, Rotations) {
  const Tensor x = noise({{Axis::head, 2}, {Axis::pos, 3}, {Axis::d_head, 6}}, 1);
  const Tensor dy = noise({{Axis::head, 2}, {Axis::pos, 3}, {Axis::d_head, 6}}, 2);
  RopeSpec spec;
  spec.rotary_dims = 4;
  const auto frequencies = rope_frequencies(spec, 6);
  const Positions positions{0, {5, 0, 9}};
  for (bool interleaved : {false, true}) {
    const Values gradient = doubles(dy);
    const auto loss = [&](const Values& v) {
      double sum = 0;
      for (std::size_t row = 0; row < v.size() / 6; ++row) {
        const std::size_t at = row * 6;
        for (std::size_t i = 0; i < 2; ++i) {
          const std::size_t low = at + (interleaved ? 2 * i : i),
                            high = at + (interleaved ? 2 * i + 1 : i + 2);
          const double angle = static_cast<double>(positions.rows[row % 3]) * frequencies[i];
          sum += gradient[low] * 1.25 * (v[low] * std::cos(angle) - v[high] * std::sin(angle));
          sum += gradient[high] * 1.25 * (v[high] * std::cos(angle) + v[low] * std::sin(angle));
        }
        sum += gradient[at + 4] * v[at + 4] + gradient[at + 5] * v[at + 5];
      }
      return sum;
    };
    expect_gradients(rotate_backward(dy, frequencies, positions, interleaved, 1.25), x, loss);
  }
}

// ---- loss -----------------------------------------------------------------------------------------

struct Losses {
  double plain = 0, smoothed = 0;
};
Losses losses(const Values& logits, const std::vector<int>& targets, double smoothing) {
  const std::size_t vocab = logits.size() / targets.size();
  Losses out;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] < 0) continue;
    double sum = 0;
    for (std::size_t i = 0; i < vocab; ++i) sum += std::exp(logits[row * vocab + i]);
    for (std::size_t i = 0; i < vocab; ++i) {
      const double log_p = logits[row * vocab + i] - std::log(sum);
      const double target = static_cast<int>(i) == targets[row] ? 1.0 : 0.0;
      out.plain -= target * log_p;
      out.smoothed -= ((1 - smoothing) * target + smoothing / static_cast<double>(vocab)) * log_p;
    }
  }
  return out;
}

TEST(Backward, CrossEntropyWithSmoothingAndMaskedRows) {
  const Tensor logits = scale(noise({{Axis::pos, 6}, {Axis::vocab, 11}}, 1), 4.f);
  const std::vector<int> targets = {3, kNotCounted, 0, 10, -1, 7};
  for (double smoothing : {0.0, 0.1, 1.0}) {
    const CrossEntropy found = cross_entropy(logits, targets, smoothing);
    const Losses exact = losses(doubles(logits), targets, smoothing);
    EXPECT_NEAR(found.plain, exact.plain, 1e-5);
    EXPECT_NEAR(found.smoothed, exact.smoothed, 1e-5);
    EXPECT_EQ(found.counted, 4);
    expect_gradients(cross_entropy_backward(logits, targets, smoothing, 0.25), logits,
                     [&](const Values& v) { return 0.25 * losses(v, targets, smoothing).smoothed; });
  }
  std::vector<int> best(6);
  for (std::int64_t row = 0; row < 6; ++row)
    for (int i = 0; i < 11; ++i)
      if (logits.at(row, i) > logits.at(row, best[static_cast<std::size_t>(row)]))
        best[static_cast<std::size_t>(row)] = i;
  EXPECT_EQ(cross_entropy(logits, best, 0).right, 6);
  best[2] = (best[2] + 1) % 11;
  best[4] = kNotCounted;
  EXPECT_EQ(cross_entropy(logits, best, 0).right, 4);
  EXPECT_TRUE(std::isnan(cross_entropy(scale(logits, NAN), targets, 0.1).smoothed));
}

TEST(Backward, CrossEntropyOfHugeLogits) {
  const Tensor logits = Tensor::from({1000, 0, -1000}, {{Axis::pos, 1}, {Axis::vocab, 3}});
  EXPECT_NEAR(cross_entropy(logits, {1}, 0).plain, 1000, 1e-3);
  const Tensor grads = cross_entropy_backward(logits, {1}, 0, 1);
  EXPECT_EQ(grads.values(), (std::vector<float>{1, -1, 0}));
}

// ---- attention ------------------------------------------------------------------------------------

struct Slots {
  Values q, k, v, table, sinks;
};

// dz times attention, by the book.
double attention_dot(const AttentionInputs& in, const Slots& at, const Values& dz) {
  const std::int64_t heads = in.q.size(0), queries = in.q.size(1), keys = in.k.size(1), d = in.q.size(2);
  double loss = 0;
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::int64_t kv = head * in.k.size(0) / heads;
    for (std::int64_t query = 0; query < queries; ++query) {
      const std::int64_t position = in.first_query + query;
      const auto cell = [d](std::int64_t rows, std::int64_t h, std::int64_t row, std::int64_t i) {
        return static_cast<std::size_t>((h * rows + row) * d + i);
      };
      double sum = in.sinks.empty()
                       ? 0
                       : std::exp(at.sinks[cell(queries, head, query, 0) / static_cast<std::size_t>(d)]);
      double weighted = 0;
      for (std::int64_t key = 0; key < keys; ++key) {
        if (!in.mask.allowed(position, key)) continue;
        double score = 0, value = 0;
        for (std::int64_t i = 0; i < d; ++i) {
          score += at.q[cell(queries, head, query, i)] * at.k[cell(keys, kv, key, i)];
          value += dz[cell(queries, head, query, i)] * at.v[cell(keys, kv, key, i)];
        }
        score *= static_cast<double>(in.scale);
        if (const auto cap = static_cast<double>(in.cap); cap > 0) score = cap * std::tanh(score / cap);
        if (in.bias.kind == ScoreBias::Kind::alibi)
          score += static_cast<double>(in.bias.at(head, position, key));
        if (in.bias.kind == ScoreBias::Kind::buckets)
          score += at.table[static_cast<std::size_t>(in.bias.bucket(position, key) * heads + head)];
        sum += std::exp(score);
        weighted += std::exp(score) * value;
      }
      if (sum > 0) loss += weighted / sum;
    }
  }
  return loss;
}

void expect_attention_gradients(const AttentionInputs& in, std::size_t step) {
  const Tensor dz =
      noise({{Axis::query, in.q.size(1)}, {Axis::head, in.q.size(0)}, {Axis::d_head, in.q.size(2)}}, 8)
          .permute({1, 0, 2});
  const AttentionGrads found = attend_backward(dz, in, attend(in));
  const Slots at{doubles(in.q), doubles(in.k), doubles(in.v), doubles(in.bias.table), doubles(in.sinks)};
  const Values gradient = doubles(dz);
  const auto with = [&](Values Slots::*slot) {
    return [&, slot](const Values& v) {
      Slots moved = at;
      moved.*slot = v;
      return attention_dot(in, moved, gradient);
    };
  };
  expect_gradients(found.q, in.q, with(&Slots::q), step);
  expect_gradients(found.k, in.k, with(&Slots::k), step);
  expect_gradients(found.v, in.v, with(&Slots::v), step);
  EXPECT_TRUE(found.q.permute({1, 0, 2}).contiguous());
  EXPECT_TRUE(found.k.permute({1, 0, 2}).contiguous());
  if (in.sinks.empty())
    EXPECT_TRUE(found.sinks.empty());
  else
    expect_gradients(found.sinks, in.sinks, with(&Slots::sinks), step > 1 ? 7 : 1);
  if (in.bias.kind == ScoreBias::Kind::buckets)
    expect_gradients(found.table, in.bias.table, with(&Slots::table), step > 1 ? 7 : 1);
  else
    EXPECT_TRUE(found.table.empty());
}

TEST(Backward, AttentionInEveryCombination) {
  for (std::int64_t kv_heads : {4, 2, 1})
    for (float cap : {0.f, 1.5f})
      for (const ScoreBias& bias : biases(4))
        for (const Mask& mask : masks(5, 7)) {
          AttentionInputs in = attention_inputs(4, kv_heads, 5, 7, 3);
          in.cap = cap;
          in.bias = bias;
          in.mask = mask;
          expect_attention_gradients(in, 5);
          if (::testing::Test::HasFailure()) return;
        }
}

TEST(Backward, AttentionWithSinks) {
  with_every_kernel([] {
    for (const auto& [queries, keys] : {std::pair{5, 7}, {70, 300}})
      for (const ScoreBias& bias : biases(4)) {
        AttentionInputs in = attention_inputs(4, 2, queries, keys, 4);
        in.cap = 1.5f;
        in.bias = bias;
        in.mask = masks(queries, keys)[7];
        in.sinks = noise({{Axis::head, 4}, {Axis::query, queries}, {Axis::unit, 1}}, 9);
        expect_attention_gradients(in, queries > 5 ? 97 : 5);
      }
  });
}

TEST(Backward, AttentionOverSeveralTiles) {
  with_every_kernel([] {
    for (float cap : {0.f, 2.f}) {
      AttentionInputs in = attention_inputs(2, 1, 70, 300, 4);
      expect_attention_gradients(in, 97);
      in.cap = cap;
      in.bias = biases(2)[2];
      in.mask = masks(70, 300)[7];
      expect_attention_gradients(in, 97);
    }
  });
}

// Heads of whole vectors, which are read where they lie; the keys fill none.
TEST(Backward, AttentionOfWholeVectors) {
  with_every_kernel([] {
    for (const auto& [queries, keys, width] : {std::tuple{19, 19, 32}, {9, 67, 64}}) {
      AttentionInputs in = attention_inputs(2, 1, queries, keys, width);
      expect_attention_gradients(in, 41);
      in.mask.causal = false;
      expect_attention_gradients(in, 41);
    }
  });
}

TEST(Backward, CrossAttentionHasMoreQueriesThanKeys) {
  AttentionInputs in = attention_inputs(2, 2, 3, 3, 4);
  in.q = noise({{Axis::head, 2}, {Axis::query, 8}, {Axis::d_head, 4}}, 5);
  in.first_query = 0;
  in.mask.causal = false;
  expect_attention_gradients(in, 1);
}

TEST(Backward, RowsThatSeeNobodyPassNothingBack) {
  AttentionInputs in = attention_inputs(2, 1, 6, 6, 4);
  in.mask.attention_mask = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{0, 0});
  const AttentionResult out = attend(in);
  const AttentionGrads found = attend_backward(out.z, in, out);
  EXPECT_EQ(stats(found.q).nans + stats(found.k).nans + stats(found.v).nans, 0);
  for (std::int64_t row : {0, 1})
    for (std::int64_t d = 0; d < 4; ++d) {
      EXPECT_EQ(found.q.at(1, row, d), 0.f);
      EXPECT_EQ(found.k.at(0, row, d), 0.f);
      EXPECT_EQ(found.v.at(0, row, d), 0.f);
    }
}

// ---- threads --------------------------------------------------------------------------------------

std::vector<Tensor> everything() {
  AttentionInputs in = attention_inputs(8, 4, 150, 150, 16);
  in.cap = 3.f;
  in.bias = biases(8)[2];
  const AttentionResult out = attend(in);
  const AttentionGrads attention = attend_backward(out.z, in, out);
  const Tensor x = matrix(200, 300, 1), dy = matrix(200, 300, 2), weight = noise({{Axis::d_model, 300}}, 3);
  const LinearGrads linear = linear_backward(dy, x, noise({{Axis::in, 300}, {Axis::out, 300}}, 4), weight);
  const NormGrads norm =
      layer_norm_backward(dy, x, layer_norm(x, weight, weight, 1e-5f).scale, weight, weight);
  std::vector<int> targets(200);
  for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<int>(i);
  const auto loss = static_cast<float>(cross_entropy(x, targets, 0.1).smoothed);
  return {attention.q,
          attention.k,
          attention.v,
          attention.table,
          linear.x,
          linear.w,
          linear.bias,
          norm.x,
          norm.weight,
          norm.bias,
          activate_backward(Activation::gelu_exact, dy, x),
          cross_entropy_backward(x, targets, 0.1, 0.01),
          Tensor::filled({{Axis::none, 1}}, loss)};
}

TEST(Backward, ThreadsDoNotChangeABit) {
  with_every_kernel([] {
    set_thread_count(1);
    const auto one = everything();
    for (int threads : {2, 3}) {
      set_thread_count(threads);
      const auto more = everything();
      for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(same_bits(one[i], more[i])) << i;
    }
    set_thread_count(0);
  });
}

}  // namespace
}  // namespace attnscope
