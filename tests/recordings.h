// Recordings of a run with any subset of its steps: whole sequences, whole blocks, single steps, a random
// draw.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/io/writers.h"
#include "core/trace/trace.h"

namespace attnscope::testing {

/// Every step of a run under its name, with the tokens and which of them are padding.
struct Arrays {
  std::vector<NamedTensor> tensors;
  std::vector<NamedInts> ints;

  void add(const Trace& trace, const std::string& prefix = "") {
    for (const Record& record : trace.records()) {
      auto value = trace.tensor(record.site);
      ASSERT_TRUE(value) << to_text(record.site);
      tensors.push_back({prefix + to_text(record.site), *std::move(value)});
    }
    add_ints(prefix + "tokens", trace.ids);
    add_ints(prefix + "enc.tokens", trace.input.source);
    add_ints(prefix + "attention_mask", trace.input.attention_mask);
    add_ints(prefix + "enc.attention_mask", trace.input.source_attention_mask);
  }
  template <class T>
  void add_ints(const std::string& name, const std::vector<T>& values) {
    if (!values.empty())
      ints.push_back({name, {values.begin(), values.end()}, {static_cast<std::int64_t>(values.size())}});
  }
};

/// Always the same seeds, but other ones in each repetition of --gtest_shuffle --gtest_repeat=100.
inline unsigned first_seed() {
  const auto seed = static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed());
  return GTEST_FLAG_GET(shuffle) ? seed * 1000 : 0;
}

/// A part of it: each seed another one, of a few steps up to nearly all; never none. Tokens and masks are
/// there or not.
inline Arrays subset(const Arrays& all, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  constexpr int kShares[] = {2, 10, 30, 60, 90};
  const int share = kShares[draw(5)];
  const bool whole_slots = draw(2) == 0;  // a step of every block or of none
  std::vector<int> verdict(256, -1);
  Arrays out;
  for (const NamedTensor& tensor : all.tensors) {
    const std::string step =
        tensor.name.substr(tensor.name.rfind("blocks.") == std::string::npos
                               ? 0
                               : tensor.name.find('.', tensor.name.rfind("blocks.") + 7));
    int& same = verdict[std::hash<std::string>{}(step) % verdict.size()];
    if (same < 0) same = draw(100) < share ? 1 : 0;
    if (whole_slots ? same == 1 : draw(100) < share) out.tensors.push_back(tensor);
  }
  if (out.tensors.empty())
    out.tensors.push_back(all.tensors[static_cast<std::size_t>(draw(static_cast<int>(all.tensors.size())))]);
  for (const NamedInts& ints : all.ints)
    if (draw(3) > 0) out.ints.push_back(ints);
  return out;
}

/// The part that a selector of `trace --steps` chooses.
inline Arrays selected(const Arrays& all, const std::string& steps) {
  const auto selector = Selector::parse(steps);
  EXPECT_TRUE(selector) << steps;
  Arrays out{{}, all.ints};
  for (const NamedTensor& tensor : all.tensors) {
    const auto site = parse_site(tensor.name.rfind("seq1.", 0) == 0 ? tensor.name.substr(5) : tensor.name);
    if (selector && site && selector->matches(*site)) out.tensors.push_back(tensor);
  }
  return out;
}
/// What people leave out.
inline constexpr const char* kUsualParts[] = {
    "blocks.*", "blocks.*.hook_resid_mid", "*.resid_post",    "logits",     "probs", "*.pattern", "*.scale",
    "*.mlp.*",  "*.rot_q,*.split_q",       "blocks.1.attn.z", "*,!blocks.*"};

/// Its names, for the message of a failure.
inline std::string names_of(const Arrays& arrays) {
  std::string out;
  for (const NamedTensor& tensor : arrays.tensors) out += tensor.name + " ";
  for (const NamedInts& ints : arrays.ints) out += ints.name + " ";
  return out;
}

}  // namespace attnscope::testing
