#include "core/lens/twin_directions.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

std::int64_t twin_row(const LinearTwin& twin, Stack stack, std::int64_t row) {
  const std::string own = std::string(stack_prefix(stack)) + "embed";
  const LogitPart* largest = nullptr;
  for (const LogitPart& part : twin.parts) {
    if (part.step != own || part.at.empty() || part.at.front().axis != "pos") continue;
    if (part.at.front().begin == row) return row;
    if (!largest || std::abs(part.value) > std::abs(largest->value)) largest = &part;
  }
  return largest ? largest->at.front().begin : -1;
}

std::vector<NeuronToken> twin_tokens(const Trace& trace, const TwinDirection& one, std::size_t count,
                                     float sign) {
  const Tensor row = Tensor::from(std::vector<float>(one.writes.begin(), one.writes.end()),
                                  {{Axis::pos, 1}, {Axis::d_model, std::ssize(one.writes)}});
  const Tensor logits = unembedded(trace.config(), trace.weights(), row);
  return logits.empty() ? std::vector<NeuronToken>() : largest_tokens(logits, count, sign);
}

}  // namespace attnscope
