#include "core/model/masks.h"

namespace attnscope {
namespace {

std::shared_ptr<const std::vector<std::uint8_t>> shared(const std::vector<std::uint8_t>& real) {
  return real.empty() ? nullptr : std::make_shared<const std::vector<std::uint8_t>>(real);
}

}  // namespace

Result<Mask> self_mask(const AttentionSpec& spec, const MaskSpec& asked, const std::vector<Span>& spans,
                       const std::vector<std::uint8_t>& real, std::int64_t keys) {
  Mask mask;
  mask.causal = spec.causal;
  mask.window = spec.window;
  if (!spec.mask.empty()) {
    TRY(const MaskSpec own, MaskSpec::parse(spec.mask));
    TRY(mask, own.resolve(mask, keys, keys, spans));
  }
  if (!asked.is_model()) {
    TRY(mask, asked.resolve(mask, keys, keys, spans));
  }
  mask.real = shared(real);
  return mask;
}

Mask padding_mask(const std::vector<std::uint8_t>& real) {
  Mask mask;
  mask.causal = false;
  mask.real = shared(real);
  return mask;
}

ScoreBias score_bias(const PositionSpec& position, const AttentionSpec& attention, const Tensor& table) {
  ScoreBias bias;
  if (position.kind == PositionSpec::Kind::alibi) {
    bias.kind = ScoreBias::Kind::alibi;
    bias.slopes = alibi_slopes(attention.n_heads);
  } else if (position.kind == PositionSpec::Kind::buckets) {
    bias.kind = ScoreBias::Kind::buckets;
    bias.table = table;
    bias.max_distance = position.max_distance;
    bias.both_directions = !attention.causal;
  }
  return bias;
}

}  // namespace attnscope
