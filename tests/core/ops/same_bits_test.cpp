// What partial runs stand on: a row of a result has the same bits whatever rows are computed with it, on
// every instruction set, for any number of threads and any layout; so have columns of a product, and rows of
// attention whatever keys follow that they may not see.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/ops/backward.h"
#include "core/tensor/encoded.h"
#include "core/tensor/panels.h"
#include "tests/core/ops/score_cases.h"

namespace attnscope {
namespace {

using namespace reference;

// Runs `body` with every kernel table, on one thread and on two.
void with_every_machine(const std::function<void()>& body) {
  with_every_kernel([&] {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(threads);
      set_thread_count(threads);
      body();
      set_thread_count(0);
    }
  });
}

// First and last rows, one in the middle, and stretches of several lengths.
std::vector<std::pair<std::int64_t, std::int64_t>> stretches(std::int64_t rows) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (const std::int64_t length : {1, 2, 3, 5, 8, 17, 70})
    for (const std::int64_t begin : {std::int64_t{0}, rows / 3, rows / 2 + 1, rows - length})
      if (begin >= 0 && begin + length <= rows) out.emplace_back(begin, begin + length);
  return out;
}

void expect_rows_alone(const Tensor& x, const std::function<Tensor(const Tensor&)>& map) {
  const Tensor together = map(x);
  for (const auto& [begin, end] : stretches(x.size(0)))
    EXPECT_TRUE(same_bits(map(x.slice(0, begin, end)), together.slice(0, begin, end)))
        << begin << " to " << end;
}

Tensor same_bits_encoded_matrix(DType type, std::int64_t rows, std::int64_t cols) {
  std::mt19937_64 random(9);
  auto bytes =
      std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(storage_bytes(type, rows * cols)));
  for (std::byte& byte : *bytes) byte = static_cast<std::byte>(random() & 0x2F);
  return Tensor::encoded(std::make_shared<Encoded>(bytes, bytes->data(), type, rows, cols),
                         {{Axis::in, rows}, {Axis::out, cols}});
}

// A weight [in, out] in every layout that files have. The plain ones come twice: as they are, and as weights
// whose packed copy has been made by earlier products.
std::vector<Tensor> layouts(std::int64_t in, std::int64_t out) {
  const Tensor fused = noise({{Axis::in, in}, {Axis::out, 3 * out}}, 3);
  const Tensor doubled = noise({{Axis::in, in}, {Axis::out, out}, {Axis::unit, 2}}, 5);
  std::vector<Tensor> all{noise({{Axis::in, in}, {Axis::out, out}}, 3), fused.slice(1, out, 2 * out),
                          noise({{Axis::out, out}, {Axis::in, in}}, 4).transpose(), doubled.select(2, 1)};
  const Tensor one = noise({{Axis::pos, 1}, {Axis::in, in}}, 6);
  for (std::size_t i = 0, plain = all.size(); i < plain; ++i) {
    all.push_back(all[i].as_weight());
    for (int product = 0; product < 2; ++product) linear(one, all.back(), {}, Axis::out);
  }
  for (const DType type : {DType::bf16, DType::q8_0}) {
    if (out % 32 == 0) all.push_back(same_bits_encoded_matrix(type, in, out));
    if (in % 32 == 0) all.push_back(same_bits_encoded_matrix(type, out, in).transpose());
  }
  return all;
}

struct SameBitsSizes {
  std::int64_t rows, in, out;
};

TEST(SameBits, RowsAndColumnsOfAProduct) {
  with_every_machine([] {
    for (const SameBitsSizes& s : {SameBitsSizes{3, 5, 1},
                                   {9, 1, 30},
                                   {20, 37, 65},
                                   {75, 64, 96},
                                   {300, 96, 201},
                                   {90, 400, 160},
                                   {18, 800, 130}}) {
      SCOPED_TRACE(shape_text({s.rows, s.in, s.out}));
      const Tensor x = noise({{Axis::pos, s.rows}, {Axis::in, s.in}}, 1);
      const Tensor offset = noise({{Axis::out, s.out}}, 2);
      int layout = 0;
      for (const Tensor& w : layouts(s.in, s.out)) {
        SCOPED_TRACE("layout " + std::to_string(layout++));
        for (const Tensor& bias : {offset, Tensor{}}) {
          const Tensor together = linear(x, w, bias, Axis::out);
          expect_rows_alone(x, [&](const Tensor& rows) { return linear(rows, w, bias, Axis::out); });
          for (const auto& [begin, end] : stretches(s.out))
            EXPECT_TRUE(same_bits(
                linear(x, w.slice(1, begin, end), bias.empty() ? bias : bias.slice(0, begin, end), Axis::out),
                together.slice(1, begin, end)))
                << "columns " << begin << " to " << end;
        }
      }
    }
  });
}

// The order itself: bias, then one product after another.
TEST(SameBits, AProductIsAChain) {
  const Tensor x = noise({{Axis::pos, 7}, {Axis::in, 900}}, 1), bias = noise({{Axis::out, 53}}, 2);
  with_every_kernel([&] {
#if defined(__x86_64__)
    const bool fused = std::string(kernel_name()) != "SSE2";
#else
    const bool fused = true;
#endif
    for (const Tensor& w : layouts(900, 53)) {
      const Tensor y = linear(x, w, bias, Axis::out);
      for (std::int64_t row = 0; row < 7; ++row)
        for (std::int64_t col = 0; col < 53; ++col) {
          volatile float sum = bias.at(col);  // rounded at every step
          for (std::int64_t k = 0; k < 900; ++k) {
            volatile float product = x.at(row, k) * w.at(k, col);
            sum = fused ? std::fma(x.at(row, k), w.at(k, col), sum) : sum + product;
          }
          ASSERT_EQ(y.at(row, col), sum) << row << ", " << col;
        }
    }
  });
}

// Uses of one weight by several runs: every cell is one chain of fused steps through all their rows in order,
// whether a factor is read where it lies (up to 2^17 floats) or packed.
TEST(SameBits, GradientsOfAWeightAreOneChain) {
  with_every_kernel([] {
#if defined(__x86_64__)
    const bool fused = std::string(kernel_name()) != "SSE2";
#else
    const bool fused = true;
#endif
    for (const std::int64_t out : {1, 16, 70, 1100}) {
      const Tensor w = noise({{Axis::in, 37}, {Axis::out, out}}, 3);
      std::vector<Tensor> xs, dys;
      std::vector<LinearUse> uses;
      for (const std::int64_t rows : {3, 150, 31}) {
        xs.push_back(noise({{Axis::pos, rows}, {Axis::in, 37}}, 1 + static_cast<unsigned>(rows)));
        dys.push_back(noise({{Axis::pos, rows}, {Axis::out, out}}, 2 + static_cast<unsigned>(rows)));
        uses.push_back({dys.back(), xs.back()});
      }
      const Tensor found = linear_backward_weights(uses, w, {}).w;
      for (std::int64_t i = 0; i < 37; ++i)
        for (std::int64_t o = 0; o < out; ++o) {
          volatile float sum = 0;
          for (std::size_t use = 0; use < uses.size(); ++use)
            for (std::int64_t row = 0; row < xs[use].size(0); ++row) {
              volatile float product = xs[use].at(row, i) * dys[use].at(row, o);
              sum = fused ? std::fma(xs[use].at(row, i), dys[use].at(row, o), sum) : sum + product;
            }
          ASSERT_EQ(found.at(i, o), sum) << i << ", " << o << " of " << out;
        }
    }
  });
}

// Packed copies are made by several threads at once, by products of any columns, and change nothing.
TEST(SameBits, PackedCopies) {
  with_every_kernel([] {
    const Tensor plain = noise({{Axis::out, 500}, {Axis::in, 300}}, 4).transpose();
    const Tensor x = noise({{Axis::pos, 33}, {Axis::in, 300}}, 1), expected = linear(x, plain, {}, Axis::out);
    const std::int64_t before = Panels::bytes();
    {
      const Tensor weight = plain.as_weight();
      EXPECT_EQ(weight.as_weight().panels(), weight.panels());
      EXPECT_EQ(plain.as_weight().panels(), weight.panels()) << "the same memory";
      EXPECT_NE(weight.slice(1, 3, 9).as_weight().panels(), weight.panels());
      EXPECT_TRUE(same_bits(linear(x, weight, {}, Axis::out), expected));
      EXPECT_EQ(Panels::bytes(), before) << "who multiplies once pays nothing";
      std::vector<char> right(64, 0);
      parallel_for(64, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t first = i * 7, last = std::min<std::int64_t>(500, first + 1 + i * 5);
          right[static_cast<std::size_t>(i)] = same_bits(
              linear(x, weight.slice(1, first, last), {}, Axis::out), expected.slice(1, first, last));
        }
      });
      EXPECT_EQ(std::count(right.begin(), right.end(), 1), 64);
      EXPECT_GE(Panels::bytes(), before + 500 * 300 * 4);
      EXPECT_TRUE(same_bits(linear(x, weight, {}, Axis::out), expected));
      const Tensor back = linear(expected, plain.transpose(), {}, Axis::in);
      for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(same_bits(linear(expected, weight.transpose(), {}, Axis::in), back));
      EXPECT_GE(Panels::bytes(), before + 2 * 500 * 300 * 4) << "of the transpose as well";
    }
    EXPECT_EQ(Panels::bytes(), before) << "freed with the weight";
    Panels::set_limit(100);
    const Tensor weight = plain.as_weight();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(linear(x, weight, {}, Axis::out), expected));
    EXPECT_EQ(Panels::bytes(), before);
    Panels::set_limit(std::int64_t{1} << 30);
  });
}

// What no product has used for a while is freed, and made again by the next one, with the same bits.
TEST(SameBits, PackedCopiesThatAreNotUsedAreFreed) {
  const Tensor plain = noise({{Axis::out, 50}, {Axis::in, 30}}, 4).transpose(), weight = plain.as_weight();
  const Tensor x = noise({{Axis::pos, 33}, {Axis::in, 30}}, 1), expected = linear(x, plain, {}, Axis::out);
  Panels::drop_unused();
  Panels::drop_unused();
  const std::int64_t before = Panels::bytes();
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(same_bits(linear(x, weight, {}, Axis::out), expected));
    const std::int64_t with = Panels::bytes();
    EXPECT_GE(with, before + 50 * 30 * 4);
    Panels::drop_unused();
    EXPECT_EQ(Panels::bytes(), with) << "it was used just now";
    Panels::drop_unused();
    EXPECT_EQ(Panels::bytes(), before);
  }
  // While products run: each reads what it holds.
  std::vector<char> right(256, 0);
  parallel_for(256, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (i % 3 == 0) Panels::drop_unused();
      right[static_cast<std::size_t>(i)] = same_bits(linear(x, weight, {}, Axis::out), expected);
    }
  });
  EXPECT_EQ(std::count(right.begin(), right.end(), 1), 256);
}

// Weights with cells set by hand give what really changed copies give, and so do their rows alone.
TEST(SameBits, EditedWeights) {
  with_every_machine([] {
    const Tensor x = noise({{Axis::pos, 19}, {Axis::in, 256}}, 1), bias = noise({{Axis::out, 320}}, 2);
    int layout = 0;
    for (const Tensor& w : layouts(256, 320)) {
      SCOPED_TRACE("layout " + std::to_string(layout++));
      const Tensor cell = w.with_value({200, 319}, 3.f);
      const Tensor boxes = cell.with_cells({{{7, 0}, {1, 320}, BoxEdit::Kind::scale, -2.f, {}},
                                            {{0, 70}, {256, 3}, BoxEdit::Kind::add, 0.1f, {}},
                                            {{9, 71}, {4, 9}, BoxEdit::Kind::set, 0.f, {}}});
      for (const Tensor& edited : {cell, boxes, boxes.slice(1, 65, 130)}) {
        ASSERT_TRUE(edited.is_encoded());
        const Tensor offset = bias.slice(0, 0, edited.size(1));
        const Tensor expected = linear(x, edited.packed(), offset, Axis::out);
        EXPECT_TRUE(same_bits(linear(x, edited, offset, Axis::out), expected));
        expect_rows_alone(x, [&](const Tensor& rows) { return linear(rows, edited, offset, Axis::out); });
        EXPECT_TRUE(same_bits(linear(expected, edited.transpose(), {}, Axis::in),
                              linear(expected, edited.packed().transpose(), {}, Axis::in)));
        EXPECT_EQ(gather_rows(edited, {200, 7, 0, 200}).values(),
                  gather_rows(edited.packed(), {200, 7, 0, 200}).values());
      }
      const Tensor input = x.with_value({3, 3}, 9.f);
      EXPECT_TRUE(same_bits(linear(input, w, bias, Axis::out), linear(input.packed(), w, bias, Axis::out)));
    }
  });
}

TEST(SameBits, RowsOfAWeightedSum) {
  with_every_machine([] {
    const Tensor v = noise({{Axis::key, 130}, {Axis::d_head, 20}}, 2);
    std::vector<float> spoiled = v.values();
    spoiled[7 * 20 + 3] = NAN;  // key 7, which only queries from 40 on look at
    Tensor pattern = softmax_rows(noise({{Axis::query, 90}, {Axis::key, 130}}, 1));
    std::vector<float> weights = pattern.values();
    for (std::size_t query = 0; query < 40; ++query) weights[query * 130 + 7] = 0.f;
    pattern = Tensor::from(weights, {{Axis::query, 90}, {Axis::key, 130}});
    const Tensor bad = Tensor::from(spoiled, {{Axis::key, 130}, {Axis::d_head, 20}});
    expect_rows_alone(pattern, [&](const Tensor& rows) { return weighted_sum(rows, v); });
    expect_rows_alone(pattern, [&](const Tensor& rows) { return weighted_sum(rows, bad); });
    EXPECT_TRUE(
        same_bits(weighted_sum(pattern, bad).slice(0, 0, 40), weighted_sum(pattern, v).slice(0, 0, 40)));
  });
}

// Query rows [begin, end) of an attention at the positions that they have in the whole.
AttentionInputs rows_only(const AttentionInputs& in, std::int64_t begin, std::int64_t end) {
  AttentionInputs out = in;
  out.q = in.q.slice(1, begin, end);
  out.first_query = in.first_query + begin;
  return out;
}

void expect_attention_rows_alone(const AttentionInputs& in) {
  const AttentionResult together = attend(in);
  for (const auto& [begin, end] : stretches(in.q.size(1))) {
    const AttentionResult alone = attend(rows_only(in, begin, end));
    EXPECT_TRUE(same_bits(alone.z, together.z.slice(1, begin, end))) << begin << " to " << end;
    EXPECT_TRUE(same_bits(alone.lse, together.lse.slice(1, begin, end))) << begin << " to " << end;
  }
}

struct Heads {
  std::int64_t heads, kv_heads, queries, keys, d_head;
};

TEST(SameBits, RowsOfAttention) {
  with_every_machine([] {
    for (const Heads& s : {Heads{2, 2, 20, 20, 5}, {4, 2, 75, 90, 16}, {3, 1, 30, 410, 13}}) {
      SCOPED_TRACE(shape_text({s.heads, s.kv_heads, s.queries, s.keys, s.d_head}));
      AttentionInputs in = attention_inputs(s.heads, s.kv_heads, s.queries, s.keys, s.d_head);
      for (const Mask& mask : masks(s.queries, s.keys))
        for (const ScoreBias& bias : biases(s.heads))
          for (const float cap : {0.f, 2.f}) {
            if (cap > 0 && bias.kind == ScoreBias::Kind::buckets) continue;
            in.mask = mask;
            in.bias = bias;
            in.cap = cap;
            expect_attention_rows_alone(in);
          }
    }
  });
}

TEST(SameBits, LongRowsOfAttention) {
  with_every_kernel([] {
    for (const std::int64_t window : {0, 500}) {
      AttentionInputs in = attention_inputs(2, 1, 1100, 1100, 32);
      in.mask.window = window;
      expect_attention_rows_alone(in);
    }
  });
}

// Keys that come after a row has looked: the first T of T + n rows are those of T.
TEST(SameBits, KeysThatARowCannotSee) {
  with_every_machine([] {
    for (const std::int64_t first : {1, 7, 47, 48, 240, 384, 390, 769}) {
      SCOPED_TRACE(first);
      for (const std::int64_t more : {1, 5, 400}) {
        AttentionInputs in = attention_inputs(2, 1, first + more, first + more, 12);
        in.cap = more == 5 ? 3.f : 0.f;
        in.bias = biases(2)[more == 1 ? 1 : 0];
        AttentionInputs before = rows_only(in, 0, first);
        before.k = in.k.slice(1, 0, first);
        before.v = in.v.slice(1, 0, first);
        const AttentionResult early = attend(before), late = attend(in);
        EXPECT_TRUE(same_bits(early.z, late.z.slice(1, 0, first))) << more;
        EXPECT_TRUE(same_bits(early.lse, late.lse.slice(1, 0, first))) << more;
      }
    }
  });
}

// Values that are no numbers, in rows that others must not notice.
TEST(SameBits, TroubleInOtherRowsOfAttention) {
  with_every_machine([] {
    const AttentionInputs clean = attention_inputs(2, 1, 60, 60, 12);
    const AttentionResult expected = attend(clean);
    const auto spoil = [](const Tensor& x, std::int64_t head, std::int64_t row, float value) {
      std::vector<float> values = x.values();
      values[static_cast<std::size_t>((head * x.size(1) + row) * x.size(2) + 3)] = value;
      return Tensor::from(values,
                          {{Axis::head, x.size(0)}, {Axis::key, x.size(1)}, {Axis::d_head, x.size(2)}});
    };
    for (const float trouble : {NAN, INFINITY}) {
      AttentionInputs in = clean;
      in.q = spoil(clean.q, 0, 33, trouble);
      AttentionResult found = attend(in);
      for (const auto& [begin, end] : {std::pair{0, 33}, {34, 60}})
        EXPECT_TRUE(same_bits(found.z.slice(1, begin, end), expected.z.slice(1, begin, end)));
      in = clean;
      in.k = spoil(clean.k, 0, 40, trouble);
      in.v = spoil(clean.v, 0, 45, trouble);
      found = attend(in);
      EXPECT_TRUE(same_bits(found.z.slice(1, 0, 40), expected.z.slice(1, 0, 40)));
      EXPECT_TRUE(same_bits(found.lse.slice(1, 0, 40), expected.lse.slice(1, 0, 40)));
    }
  });
}

TEST(SameBits, RowsOfAnyRectangleOfScores) {
  with_every_machine([] {
    AttentionInputs in = attention_inputs(2, 1, 500, 900, 20);
    in.bias = biases(2)[1];
    const Tensor lse = attend(in).lse;
    for (const ScoreStage stage : {ScoreStage::scores, ScoreStage::biased, ScoreStage::pattern}) {
      const Tensor all = attention_rectangle(in, lse, stage, 1, 0, 500, 0, 900);
      for (const auto& [row, row_end] : stretches(500))
        for (const auto& [key, key_end] : {std::pair<std::int64_t, std::int64_t>{0, 900}, {3, 4}, {380, 801}})
          EXPECT_TRUE(same_bits(attention_rectangle(in, lse, stage, 1, row, row_end, key, key_end),
                                all.slice(0, row, row_end).slice(1, key, key_end)));
    }
  });
}

TEST(SameBits, RowsOfWhatLooksAtOneRow) {
  with_every_machine([] {
    for (const std::int64_t width : {1, 13, 96, 1030}) {
      SCOPED_TRACE(width);
      const Tensor x = scale(noise({{Axis::pos, 200}, {Axis::d_model, width}}, 1), 4.f);
      const Tensor weight = noise({{Axis::d_model, width}}, 2), bias = noise({{Axis::d_model, width}}, 3);
      expect_rows_alone(x, [&](const Tensor& rows) { return layer_norm(rows, weight, bias, 1e-5f).out; });
      expect_rows_alone(x, [&](const Tensor& rows) { return layer_norm(rows, weight, bias, 1e-5f).scale; });
      expect_rows_alone(x, [&](const Tensor& rows) { return rms_norm(rows, weight, 1e-5f).out; });
      expect_rows_alone(x, [&](const Tensor& rows) { return softmax_rows(rows); });
      expect_rows_alone(x, [&](const Tensor& rows) { return add(rows, rows); });
      expect_rows_alone(x, [&](const Tensor& rows) { return multiply(rows, rows); });
      expect_rows_alone(x, [&](const Tensor& rows) { return soft_cap(rows, 3.f); });
      for (int kind = 0; kind < 5; ++kind)
        expect_rows_alone(x,
                          [&](const Tensor& rows) { return activate(static_cast<Activation>(kind), rows); });
    }
    const Tensor heads = noise({{Axis::head, 3}, {Axis::pos, 50}, {Axis::d_head, 12}}, 1);
    const auto frequencies = rope_frequencies({}, 12);
    const Tensor rotated = rotate(heads, frequencies, {5, {}});
    EXPECT_TRUE(same_bits(rotate(heads.slice(1, 17, 18), frequencies, {22, {}}), rotated.slice(1, 17, 18)));
  });
}

}  // namespace
}  // namespace attnscope
