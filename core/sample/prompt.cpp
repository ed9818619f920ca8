#include "core/sample/prompt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/trace/broken.h"

namespace attnscope {
namespace {

// What stands in the way of continuing token by token, if anything.
Status check_continues(const ModelConfig& config) {
  if (!config.head.present) {
    return fail(Code::unsupported, "error.sample.no_vocabulary");
  }
  if (config.head.first_row_only || !config.causal()) {
    return fail(Code::unsupported, "error.sample.bidirectional");
  }
  return Done{};
}

// The tokens that are none of the padding, with the spans where they stand then.
Input unpadded(Input input) {
  const std::vector<std::uint8_t> attention_mask = std::move(input.attention_mask);
  input.attention_mask.clear();
  if (attention_mask.size() != input.ids.size()) return input;
  std::vector<std::int64_t> before{0};  // tokens (attention_mask 1) before each position
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

Status check_logits(const Model& model, const Trace& run, const RunOptions& options, const Tensor& logits) {
  const std::vector<float> values = logits.values();
  const auto bad = std::find_if(values.begin(), values.end(), [](float v) {
    return std::isnan(v) || v == std::numeric_limits<float>::infinity();
  });
  if (bad == values.end()) return Done{};
  // Predictions alone were kept: the whole run is repeated to find where it began.
  RunOptions whole;
  whole.edits = without_inputs(options.edits);
  whole.cancel = options.cancel;
  const auto again = model.run(run.input, whole);
  if (!again && again.error().code() == Code::cancelled) return again.error();
  const auto first = again ? first_broken(**again) : std::nullopt;
  std::string place = first ? to_text(*first) : std::string();
  for (const Record& record : run.records())  // nothing before the answer itself is broken
    if (place.empty() && record.axes.back() == Axis::vocab)
      place = to_text(Cell{record.site, {{"pos", run.length - 1}, {"vocab", bad - values.begin()}}});
  return fail(Code::out_of_range, "error.sample.broken", {place});
}

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
