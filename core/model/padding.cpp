#include "core/model/padding.h"

namespace attnscope {
namespace {

template <class Value>
void extend(std::vector<Value>& values, std::size_t missing, Value with, PadSide side) {
  values.insert(side == PadSide::left ? values.begin() : values.end(), missing, with);
}

void pad(std::vector<int>& ids, std::vector<std::uint8_t>& attention_mask, std::int64_t length, int token,
         PadSide side) {
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(length, 0));
  if (ids.size() >= wanted) return;
  const std::size_t missing = wanted - ids.size();
  attention_mask.resize(ids.size(), 1);
  extend(attention_mask, missing, std::uint8_t{0}, side);
  extend(ids, missing, token, side);
}

}  // namespace

int pad_token(const ModelConfig& config) {
  if (config.pad >= 0) return config.pad;
  return config.eos >= 0 ? config.eos : 0;
}

Input padded(Input input, const ModelConfig& config, std::int64_t length, std::int64_t source_length,
             PadSide side) {
  const std::size_t before = input.ids.size();
  const int token = pad_token(config);
  if (!input.ids.empty()) pad(input.ids, input.attention_mask, length, token, side);
  if (!input.source.empty()) pad(input.source, input.source_attention_mask, source_length, token, side);
  const std::size_t added = input.ids.size() - before;
  if (added > 0 && !input.types.empty()) extend(input.types, added, 0, side);
  if (side == PadSide::left) {
    for (Span& span : input.spans) {
      span.begin += static_cast<std::int64_t>(added);
      span.end += static_cast<std::int64_t>(added);
    }
  }
  return input;
}

}  // namespace attnscope
