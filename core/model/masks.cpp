#include "core/model/masks.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {
namespace {

std::shared_ptr<const std::vector<std::uint8_t>> shared(const std::vector<std::uint8_t>& attention_mask) {
  return attention_mask.empty() ? nullptr : std::make_shared<const std::vector<std::uint8_t>>(attention_mask);
}

const ModelConfig* mask_encoder(const ModelConfig& config, AttentionKind of) {
  return of == AttentionKind::vision ? config.vision() : config.encoder();
}

}  // namespace

Result<Mask> self_mask(const AttentionSpec& spec, const MaskSpec& asked, const std::vector<Span>& spans,
                       const std::vector<std::uint8_t>& attention_mask, std::int64_t keys) {
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
  mask.attention_mask = shared(attention_mask);
  return mask;
}

Result<Mask> cross_mask(const MaskSpec& asked, const std::vector<std::uint8_t>& attention_mask,
                        std::int64_t queries, std::int64_t keys) {
  Mask mask;
  mask.causal = false;
  TRY(mask, asked.resolve(mask, queries, keys, {}));
  mask.attention_mask = shared(attention_mask);
  return mask;
}

int mask_layers(const ModelConfig& config, AttentionKind of) {
  if (!has_attention(config, of)) return 1;
  return of == AttentionKind::main || of == AttentionKind::cross ? config.n_layers()
                                                                 : mask_encoder(config, of)->n_layers();
}

Result<Mask> other_mask(const ModelConfig& config, AttentionKind of, int layer, const MaskSpec& asked,
                        const Input& input, std::int64_t queries) {
  if (!has_attention(config, of)) {
    return fail(Code::unsupported,
                of == AttentionKind::vision ? "error.model.no_vision_mask" : "error.model.no_encoder_mask",
                {mask_prefix(of)});
  }
  const auto source = static_cast<std::int64_t>(input.source.size());
  if (of == AttentionKind::cross) return cross_mask(asked, input.source_attention_mask, queries, source);
  const ModelConfig& encoder = *mask_encoder(config, of);
  const auto at = static_cast<std::size_t>(std::clamp(layer, 0, encoder.n_layers() - 1));
  const AttentionSpec& spec = encoder.blocks[at].attention;
  if (of == AttentionKind::vision) return self_mask(spec, asked, {}, {}, encoder.patch.count());
  return self_mask(spec, asked, {}, input.source_attention_mask, source);
}

ScoreBias score_bias(const AttentionSpec& attention, const Tensor& table) {
  const AttentionPosition& position = attention.position;
  ScoreBias bias;
  if (position.kind == AttentionPosition::Kind::alibi) {
    bias.kind = ScoreBias::Kind::alibi;
    bias.slopes = alibi_slopes(attention.n_heads);
  } else if (position.kind == AttentionPosition::Kind::buckets) {
    bias.kind = ScoreBias::Kind::buckets;
    bias.table = table;
    bias.max_distance = position.max_distance;
    bias.both_directions = !attention.causal;
  }
  return bias;
}

}  // namespace attnscope
