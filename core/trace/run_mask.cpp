#include "core/trace/run_mask.h"

#include <array>

namespace attnscope {
namespace {

class RecordedRule : public MaskRule {
 public:
  RecordedRule(const Tensor& numbers, float above)
      : queries_(numbers.size(numbers.rank() - 2)), keys_(numbers.size(numbers.rank() - 1)) {
    allowed_.resize(static_cast<std::size_t>(queries_ * keys_));
    const std::int64_t heads = numbers.rank() > 2 ? numbers.size(0) : 1;
    for (std::int64_t head = 0; head < heads; ++head) {
      const Tensor plane = numbers.rank() > 2 ? numbers.select(0, head) : numbers;  // [query, key]
      for (std::int64_t query = 0; query < queries_; ++query)
        for (std::int64_t key = 0; key < keys_; ++key)
          if (!(plane.at(query, key) <= above)) allowed_[static_cast<std::size_t>(query * keys_ + key)] = 1;
    }
  }
  bool allowed(std::int64_t query, std::int64_t key) const override {
    return query >= 0 && query < queries_ && key >= 0 && key < keys_ &&
           allowed_[static_cast<std::size_t>(query * keys_ + key)] != 0;
  }

 private:
  std::int64_t queries_, keys_;
  std::vector<std::uint8_t> allowed_;
};

}  // namespace

std::shared_ptr<const MaskRule> mask_rule_of(const Tensor& numbers, float above) {
  return std::make_shared<const RecordedRule>(numbers, above);
}

RunMask run_mask(const Trace& trace, const Site& of) {
  struct Known {
    StepRole role;
    Rule rule;
    float above;
    MaskFrom from;
  };
  constexpr std::array<Known, 3> kKnown{{{StepRole::mask, Rule::mask_test, 0.f, MaskFrom::mask},
                                         {StepRole::scores, Rule::mask, kHiddenScore, MaskFrom::scores},
                                         {StepRole::pattern, Rule::softmax, 0.f, MaskFrom::weights}}};
  const AttentionState* state = trace.attention(of);
  RunMask out;
  out.mask.causal = false;
  for (const Known& known : kKnown) {
    if (state && known.from != MaskFrom::mask) break;  // the attention has its mask, below
    const Record* record = trace.find(of.with(slot_of(known.role, known.rule)));
    if (!record || record->derived) continue;
    out.mask.rule = mask_rule_of(record->value(), known.above);
    out.from = known.from;
    return out;
  }
  if (state) out.mask = state->in.mask;
  return out;
}

}  // namespace attnscope
