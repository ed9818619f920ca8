#include "core/sample/prompt.h"

#include <algorithm>

namespace attnscope {
namespace {

// What stands in the way of continuing token by token, if anything.
Status check_continues(const ModelConfig& config) {
  if (!config.head.present) {
    return fail(Code::unsupported, "error.sample.no_vocabulary");
  }
  if (config.head.first_row_only || !config.blocks.front().attention.causal) {
    return fail(Code::unsupported, "error.sample.bidirectional");
  }
  return Done{};
}

// The tokens that are none of the padding, with the spans where they stand then.
Input unpadded(Input input) {
  const std::vector<std::uint8_t> attention_mask = std::move(input.attention_mask);
  input.attention_mask.clear();
  if (attention_mask.size() != input.ids.size()) return input;
  std::vector<std::int64_t> before{0};  // real tokens before each position
  std::vector<int> ids, types;
  for (std::size_t pos = 0; pos < attention_mask.size(); ++pos) {
    before.push_back(before.back() + (attention_mask[pos] ? 1 : 0));
    if (!attention_mask[pos]) continue;
    ids.push_back(input.ids[pos]);
    if (pos < input.types.size()) types.push_back(input.types[pos]);
  }
  const auto moved = [&](std::int64_t at) {
    return before[static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, std::ssize(attention_mask)))];
  };
  for (Span& span : input.spans) span = {span.name, moved(span.begin), moved(span.end)};
  input.ids = std::move(ids);
  input.types = std::move(types);
  return input;
}

}  // namespace

void append_token(Input& input, int id) {
  input.ids.push_back(id);
  if (!input.types.empty()) input.types.push_back(input.types.back());
}

Result<Input> prompt_to_continue(const Model& model, const Input& prompt) {
  const ModelConfig& config = model.config();
  TRY_OK(check_continues(config));
  Input input = unpadded(model.completed(prompt));
  if (config.encoder() && input.ids.empty() && config.decoder_start >= 0) input.ids = {config.decoder_start};
  return input;
}

}  // namespace attnscope
