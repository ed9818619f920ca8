// "Why this number?" checked for random cells of every step of a run: the explanation recomputes the recorded
// number, and names nothing that the catalog does not promise.
#pragma once

#include <random>
#include <set>

#include "core/trace/provenance.h"
#include "tests/golden/helpers.h"

namespace attnscope::testing {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr int kCells = 10;
#else
inline constexpr int kCells = 40;
#endif

inline std::string without_stack(std::string name) {
  for (const Stack stack : {Stack::enc, Stack::dec, Stack::vision})
    if (starts_with(name, stack_prefix(stack))) name.erase(0, stack_prefix(stack).size());
  return name;
}

// "attn.rot_q|attn.split_q[head,query,:] embed@last[..]" -> {"attn.rot_q", "attn.split_q", "embed"}
inline std::set<std::string> names_in_catalog(std::string_view inputs) {
  std::set<std::string> out;
  for (const std::string& input : split(inputs, ' ')) {
    for (std::string name : split(input.substr(0, input.find('[')), '|'))
      out.insert(without_stack(name.substr(0, name.find('@'))));
  }
  return out;
}

// "blocks.3.attn.q.weight" -> "attn.q.weight"
inline std::string inside(std::string name) {
  name = without_stack(name);
  if (starts_with(name, "blocks.")) name.erase(0, name.find('.', 7) + 1);
  return starts_with(name, "cross.") && name != "cross.out" ? "attn." + name.substr(6) : name;
}

inline std::string cell_text(const Record& record, const std::vector<std::int64_t>& index) {
  std::string out = to_text(record.site) + "[";
  for (const std::int64_t i : index) out += std::to_string(i) + " ";
  return out + "]";
}

inline double aside_of(const Explanation& why, std::string_view name) {
  for (const Aside& aside : why.asides)
    if (aside.name == name) return aside.value;
  return 0;
}

// With the asides that are part of the sum: ALiBi's addend, the factor of a tied head, the cap of logits.
inline void expect_terms_add_up(const Explanation& why, const std::string& cell) {
  const bool adds =
      why.rule == Rule::dot || why.rule == Rule::sum || why.rule == Rule::rotate || why.rule == Rule::copy;
  // A factor, a cap or a gradient comes after the sum.
  for (const auto& aside : why.asides)
    if (aside.name == "factor" || aside.name == "cap" || aside.name == "slope") return;
  if (!adds || why.terms.empty()) return;
  double sum = 0;
  for (const Term& term : why.terms) sum += term.value;
  if (why.rule == Rule::sum) sum += aside_of(why, "bias");
  const double factor = aside_of(why, "factor"), cap = aside_of(why, "cap");
  if (why.rule == Rule::dot && factor != 0) sum *= factor;
  if (why.rule == Rule::dot && cap != 0) sum = cap * std::tanh(sum / cap);
  EXPECT_NEAR(sum, why.result, 1e-9 + 1e-9 * std::fabs(sum)) << cell;
}

inline void expect_sources_known(const Trace& trace, const Record& record, const Explanation& why,
                                 const std::string& cell) {
  const auto allowed = names_in_catalog(step_of(record.site.slot).inputs);
  for (const Term& term : why.terms) {
    for (const Source& source : term.factors) {
      EXPECT_TRUE(allowed.contains(inside(source.name))) << cell << " names " << source.name;
      const Tensor* weight = source.is_weight ? trace.weights().find(source.name) : nullptr;
      EXPECT_EQ(source.is_weight, weight != nullptr) << cell << " names " << source.name;
      const double held = weight ? weight->at(source.index) : trace.cell(source.site, source.index);
      EXPECT_LE(gap(source.value, held), 1e-6 * std::max(1.0, std::fabs(held)))
          << cell << " from " << source.name;
    }
  }
}

inline void expect_explained(const Trace& trace, int cells = kCells) {
  std::mt19937_64 random(20);
  for (const Record& record : trace.records()) {
    for (int i = 0; i < cells; ++i) {
      std::vector<std::int64_t> index;
      for (const std::int64_t size : record.shape)
        index.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)));
      const std::string cell = cell_text(record, index);
      const auto why = explain(trace, record.site, index);
      ASSERT_TRUE(why) << cell << why.error().text();
      EXPECT_EQ(gap(why->recorded, trace.cell(record.site, index)), 0) << cell;
      EXPECT_LE(gap(why->result, why->recorded), 1e-5 + 1e-4 * std::fabs(why->recorded))
          << cell << " " << why->result;
      EXPECT_FALSE(why->edited) << cell;
      expect_terms_add_up(*why, cell);
      expect_sources_known(trace, record, *why, cell);
    }
  }
}

}  // namespace attnscope::testing
