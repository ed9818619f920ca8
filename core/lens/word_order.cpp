#include "core/lens/word_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace attnscope {
namespace {

Tensor last_rows(const Trace& trace) {
  const Site site = trace.main(StepKind::residual_post, trace.config().n_layers() - 1);
  const std::int64_t all = std::numeric_limits<std::int64_t>::max();
  return trace.slice(site, 0, {0, trace.length}, {0, all});
}

// |a - b| / |a|
double apart(const Tensor& a, std::int64_t row, const Tensor& b, std::int64_t other) {
  double length = 0, difference = 0;
  for (std::int64_t dim = 0; dim < a.size(1); ++dim) {
    const double x = a.at(row, dim), y = b.at(other, dim);
    length += x * x, difference += (x - y) * (x - y);
  }
  return length > 0 ? std::sqrt(difference / length) : 0;
}

WordOrder::Answer word_order_answer_of(const Trace& trace) {
  const Tensor logits = trace.logits_row(trace.length - 1);
  if (logits.empty()) return {};
  WordOrder::Answer out;
  float most = -std::numeric_limits<float>::infinity();
  for (std::int64_t id = 0; id < logits.size(0); ++id)
    if (logits.at(id) > most) most = logits.at(id), out.id = static_cast<int>(id);
  double sum = 0;
  for (std::int64_t id = 0; id < logits.size(0); ++id)
    sum += std::exp(static_cast<double>(logits.at(id)) - static_cast<double>(most));
  out.probability = 1 / sum;
  return out;
}

}  // namespace

std::shared_ptr<const Model> without_positions(const Model& model) {
  const ModelConfig& config = model.config();
  const auto has = [](const ModelConfig& one) { return one.patch.size == 0 && one.has_positions(); };
  if (!has(config) && std::none_of(config.encoders.begin(), config.encoders.end(), has)) return nullptr;
  const auto strip = [](ModelConfig& one) {
    if (one.patch.size > 0) return;
    one.position = {};
    for (BlockSpec& block : one.blocks) block.attention.position = {};
  };
  auto bare = std::make_shared<ModelConfig>(config);
  strip(*bare);
  for (ModelConfig& encoder : bare->encoders) strip(encoder);
  return std::make_shared<const Model>(
      std::move(bare), std::shared_ptr<const Weights>(std::make_shared<Weights>(model.weights())));
}

Result<WordOrder> word_order(const Model& model, const Input& input, std::int64_t first, std::int64_t second,
                             const std::atomic<bool>* cancel) {
  const auto count = static_cast<std::int64_t>(input.ids.size());
  if (first < 0 || second < 0 || first >= count || second >= count)
    return fail(Code::out_of_range, "error.lens.word", {count});
  const std::shared_ptr<const Model> bare =
      model.config().encoders.empty() ? without_positions(model) : nullptr;
  if (!bare) return fail(Code::unsupported, "error.lens.no_positions");
  Input swapped = input;
  std::swap(swapped.ids[static_cast<std::size_t>(first)], swapped.ids[static_cast<std::size_t>(second)]);
  RunOptions options;
  options.cancel = cancel;
  TRY(const std::shared_ptr<const Trace> a, model.run(input, options));
  TRY(const std::shared_ptr<const Trace> b, model.run(swapped, options));
  TRY(const std::shared_ptr<const Trace> c, bare->run(input, options));
  TRY(const std::shared_ptr<const Trace> d, bare->run(swapped, options));
  const Tensor rows[] = {last_rows(*a), last_rows(*b), last_rows(*c), last_rows(*d)};
  WordOrder out;
  for (std::int64_t from = 0; from < count; ++from) {
    const std::int64_t to = from == first ? second : from == second ? first : from;
    out.words.push_back({from, to, apart(rows[0], from, rows[1], to), apart(rows[2], from, rows[3], to)});
  }
  out.with = {word_order_answer_of(*a), word_order_answer_of(*b)};
  out.without = {word_order_answer_of(*c), word_order_answer_of(*d)};
  out.same_last = first != count - 1 && second != count - 1;
  return out;
}

}  // namespace attnscope
