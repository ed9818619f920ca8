#include "core/arch/recorded_attention.h"

#include <algorithm>
#include <cmath>

#include "core/trace/run_mask.h"
#include "core/trace/stage_edits.h"

namespace attnscope {
namespace {

constexpr float kTolerance = 0.02f;  // of a row's largest number: recordings may be of half precision

const Tensor* recorded(const Arrays& arrays, const Site& place, Slot slot) {
  const auto at = arrays.find(place.with(slot));
  return at == arrays.end() ? nullptr : &at->second;
}

// Queries and keys as they meet: both rotated, both normed, or both as they were projected.
bool take_queries_and_keys(const Arrays& arrays, const Site& place, AttentionInputs& in) {
  for (const StepRole role : {StepRole::rotated, StepRole::head_norm, StepRole::split}) {
    const Tensor *queries = recorded(arrays, place, slot_of(role, Hue::query)),
                 *keys = recorded(arrays, place, slot_of(role, Hue::key));
    if (!queries && !keys) continue;
    if (!queries || !keys || queries->size(0) % keys->size(0) != 0 || queries->size(2) != keys->size(2))
      return false;
    in.q = *queries, in.k = *keys;
    return true;
  }
  return false;
}

bool close(const Tensor& found, const Tensor& wanted) {
  const auto hidden = [](float value) { return value < kHiddenScore; };
  float most = 0;
  for (std::int64_t i = 0; i < wanted.size(0); ++i)
    if (!hidden(wanted.at(i)) && std::isfinite(wanted.at(i))) most = std::max(most, std::fabs(wanted.at(i)));
  for (std::int64_t i = 0; i < wanted.size(0); ++i) {
    const float a = found.at(i), b = wanted.at(i);
    const bool same = (hidden(a) && hidden(b)) || (std::isnan(a) && std::isnan(b)) ||
                      std::fabs(a - b) <= kTolerance * most + 1e-6f;
    if (!same) return false;
  }
  return true;
}

// One way to make scores, held against what was recorded at a few queries.
class Trial {
 public:
  Trial(const Arrays& arrays, const Site& place, const AttentionInputs& in)
      : arrays_(arrays), place_(place), in_(in) {}

  bool fits() {
    const std::int64_t queries = in_.q.size(1);
    for (const std::int64_t query : {std::int64_t{0}, queries / 2, queries - 1})
      if (!fits_at(query)) return false;
    return true;
  }
  /// True where a recorded array was compared that depends on all of scale, cap, bias and mask.
  bool confirmed() const { return confirmed_; }

 private:
  bool fits_at(std::int64_t query) {
    AttentionInputs one = in_;
    one.q = in_.q.slice(1, query, query + 1);
    one.first_query = query;
    const std::int64_t keys = one.k.size(1);
    bool sees = false;
    for (std::int64_t key = 0; key < keys && !sees; ++key) sees = one.mask.allowed(query, key);
    if (!sees) return true;  // programs fill such rows as they like
    const AttentionResult result = attend(one);
    for (std::int64_t head = 0; head < one.q.size(0); ++head) {
      for (const StepKind kind : {StepKind::scores, StepKind::scale, StepKind::mask, StepKind::softmax}) {
        const Slot slot = slot_of(kind);
        const ScoreStage stage = *score_stage(slot);
        const Tensor* wanted = recorded(arrays_, place_, slot);
        if (wanted && !agrees(attention_rectangle(one, result.lse, stage, head, 0, 1, 0, keys).select(0, 0),
                              wanted->select(0, head).select(0, query), stage))
          return false;
      }
      const Tensor *z = recorded(arrays_, place_, slot_of(StepRole::head_out)),
                   *v = recorded(arrays_, place_, slot_of(StepRole::split, Hue::value));
      if (z && v && one.v.same_place(*v) &&
          !agrees(result.z.select(0, head).select(0, 0), z->select(0, head).select(0, query),
                  ScoreStage::pattern))
        return false;
    }
    return true;
  }
  bool agrees(const Tensor& found, const Tensor& wanted, ScoreStage stage) {
    confirmed_ |= stage == ScoreStage::masked || stage == ScoreStage::pattern;
    return found.size(0) == wanted.size(0) && close(found, wanted);
  }

  const Arrays& arrays_;
  const Site& place_;
  const AttentionInputs& in_;
  bool confirmed_ = false;
};

// The masks that may have been used, the likeliest first.
std::vector<Mask> possible_masks(const Arrays& arrays, const Site& place, bool causal,
                                 const std::vector<std::uint8_t>& attention_mask) {
  Mask mask;
  mask.causal = false;
  if (const Tensor* found = recorded(arrays, place, slot_of(StepRole::mask))) {
    mask.rule = mask_rule_of(*found, 0.f);
    return {mask};
  }
  if (std::find(attention_mask.begin(), attention_mask.end(), 0) != attention_mask.end())
    mask.attention_mask = std::make_shared<const std::vector<std::uint8_t>>(attention_mask);
  Mask back = mask;
  back.causal = true;
  const bool both_ways = !causal || place.part == Part::cross || place.stack == Stack::enc;
  return both_ways ? std::vector{mask, back} : std::vector{back, mask};
}

}  // namespace

std::optional<RecordedAttention> recorded_attention(const Arrays& arrays, const Site& place, bool causal,
                                                    const std::vector<std::uint8_t>& attention_mask) {
  RecordedAttention out;
  AttentionInputs& in = out.state.in;
  for (const StepKind kind : {StepKind::cap, StepKind::bias})
    if (recorded(arrays, place, slot_of(kind))) return std::nullopt;
  if (!take_queries_and_keys(arrays, place, in)) return std::nullopt;
  const Tensor* v = recorded(arrays, place, slot_of(StepRole::split, Hue::value));
  const bool fits = v && v->size(0) == in.k.size(0) && v->size(1) == in.k.size(1);
  in.v = fits ? *v : in.k;  // scores and patterns need none
  for (const Mask& mask : possible_masks(arrays, place, causal, attention_mask)) {
    for (const float scale : {1.f / std::sqrt(static_cast<float>(in.q.size(2))), 1.f}) {
      in.mask = mask;
      in.scale = scale;
      Trial trial(arrays, place, in);
      if (!trial.fits()) continue;
      out.confirmed = trial.confirmed();
      if (!recorded(arrays, place, slot_of(StepRole::pattern))) out.state.lse = attend(in).lse;
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace attnscope
