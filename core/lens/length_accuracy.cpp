#include "core/lens/length_accuracy.h"

#include <algorithm>
#include <cmath>

#include "core/trace/longest_input.h"

namespace attnscope {

std::vector<LengthAccuracy::Reading> LengthAccuracy::readings() const {
  std::vector<Reading> out;
  const auto size = static_cast<std::int64_t>(probability.size());
  for (std::int64_t begin = 0; begin + period <= size; begin += period) {
    Reading one;
    for (std::int64_t at = begin; at < begin + period; ++at) {
      one.right += right[static_cast<std::size_t>(at)] ? 1 : 0;
      one.probability += probability[static_cast<std::size_t>(at)];
    }
    one.right /= static_cast<double>(period), one.probability /= static_cast<double>(period);
    out.push_back(one);
  }
  return out;
}

Result<LengthAccuracy> length_accuracy(const Model& model, const std::vector<int>& ids, std::int64_t length,
                                       const std::atomic<bool>* cancel) {
  const ModelConfig& config = model.config();
  const bool next = config.predicts_next() && config.encoders.empty();
  const bool begins = !ids.empty() && ids.front() == config.bos;
  const std::vector<int> text(ids.begin() + (begins ? 1 : 0), ids.end());
  if (!next || text.empty()) return fail(Code::unsupported, "error.lens.no_next");
  LengthAccuracy out;
  out.period = static_cast<std::int64_t>(text.size());
  out.trained = config.position.max_positions;
  const std::int64_t most = longest_input(config);
  out.ends = most > 0 && length > most;
  if (out.ends) length = most;
  Input input;
  if (begins) input.ids.push_back(ids.front());
  for (std::size_t at = 0; static_cast<std::int64_t>(input.ids.size()) < length; ++at)
    input.ids.push_back(text[at % text.size()]);
  RunOptions options;
  options.keep = Keep::predictions;
  options.cancel = cancel;
  TRY(const std::shared_ptr<const Trace> trace, model.run(input, options));
  for (std::int64_t row = 0; row + 1 < trace->length; ++row) {
    if (cancel && *cancel) return fail(Code::cancelled, "error.model.stopped");
    const Tensor logits =
        trace->slice(trace->main(StepRole::logits), 0, {row, row + 1}, {0, config.outputs()});
    const int wanted = input.ids[static_cast<std::size_t>(row) + 1];
    float most_likely = logits.at(0, 0);
    for (std::int64_t id = 0; id < logits.size(1); ++id)
      most_likely = std::max(most_likely, logits.at(0, id));
    double sum = 0;
    for (std::int64_t id = 0; id < logits.size(1); ++id)
      sum += std::exp(static_cast<double>(logits.at(0, id)) - static_cast<double>(most_likely));
    const float own = logits.at(0, wanted);
    out.probability.push_back(std::exp(static_cast<double>(own) - static_cast<double>(most_likely)) / sum);
    out.right.push_back(own >= most_likely);
  }
  return out;
}

}  // namespace attnscope
