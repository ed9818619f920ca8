#include "core/lens/logit_lens.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attnscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 16;  // a few rows of logits: 50k words x 16 x 4 B = 3 MB

// Final norm and unembedding of rows of the residual stream -> [pos, vocab].
Tensor unembed(const Trace& trace, const Tensor& rows) {
  const NormSpec& norm = trace.config().final_norm;
  const Weights& weights = trace.weights();
  Tensor x = rows;
  if (norm.kind == NormSpec::Kind::layer)
    x = layer_norm(x, weights.get("ln_final.weight"), weights.get("ln_final.bias"), norm.eps).out;
  else if (norm.kind == NormSpec::Kind::rms)
    x = rms_norm(x, weights.get("ln_final.weight"), norm.eps, norm.weight_offset).out;
  return linear(x, weights.get("logits.weight"), weights.get("logits.bias"), Axis::vocab);
}

Tensor stream(const Trace& trace, const LensRow& row, Range positions) {
  const Record* record = trace.find(row.site);
  return record->value.slice(0, positions.begin, positions.end);
}

// log softmax of one row, in double where it matters.
struct LogSoftmax {
  float high = 0;
  double log_sum = 0;
  double operator()(float logit) const { return logit - high - log_sum; }
};
LogSoftmax log_softmax(const float* logits, std::int64_t vocab) {
  LogSoftmax out;
  out.high = *std::max_element(logits, logits + vocab);
  double sum = 0;
  for (std::int64_t word = 0; word < vocab; ++word) sum += std::exp(logits[word] - out.high);
  out.log_sum = std::log(sum);
  return out;
}

LensCell cell_of(const float* logits, const float* final_logits, std::int64_t vocab) {
  LensCell cell;
  cell.token = static_cast<int>(std::max_element(logits, logits + vocab) - logits);
  const LogSoftmax here = log_softmax(logits, vocab), there = log_softmax(final_logits, vocab);
  cell.probability = static_cast<float>(std::exp(here(logits[cell.token])));
  double entropy = 0, kl = 0;
  for (std::int64_t word = 0; word < vocab; ++word) {
    const double log_p = here(logits[word]), log_q = there(final_logits[word]);
    entropy -= std::exp(log_p) * log_p;
    kl += std::exp(log_q) * (log_q - log_p);
  }
  cell.entropy = static_cast<float>(entropy);
  cell.kl_to_final = static_cast<float>(std::max(0.0, kl));
  return cell;
}

double length(const Tensor& row) {
  double sum = 0;
  for (std::int64_t i = 0; i < row.size(0); ++i) sum += static_cast<double>(row.at(i)) * row.at(i);
  return std::sqrt(sum);
}

double cosine(const Tensor& a, const Tensor& b) {
  double dot = 0;
  for (std::int64_t i = 0; i < a.size(0); ++i) dot += static_cast<double>(a.at(i)) * b.at(i);
  const double scale = length(a) * length(b);
  return scale > 0 ? dot / scale : 0;
}

}  // namespace

std::vector<LensRow> lens_rows(const Trace& trace) {
  std::vector<LensRow> rows;
  if (!trace.config().head.present) return rows;
  for (const Record& record : trace.records()) {
    const Slot slot = record.site.slot;
    if (slot == Slot::embed || slot == Slot::resid_mid || slot == Slot::resid_post) {
      // Without an MLP resid_post repeats resid_mid: one row is enough.
      if (slot == Slot::resid_post && !rows.empty() && rows.back().site.slot == Slot::resid_mid &&
          trace.config().blocks[static_cast<std::size_t>(record.site.layer)].mlp.kind == MlpSpec::Kind::none)
        rows.back().site = record.site;
      else
        rows.push_back({record.site, false});
    }
  }
  if (!rows.empty()) rows.back().final = true;
  return rows;
}

std::vector<LensCell> lens_row(const Trace& trace, const LensRow& row, Range positions,
                               const std::atomic<bool>* cancel) {
  std::vector<LensCell> cells;
  const std::int64_t vocab = trace.config().vocab_size;
  const LensRow last = lens_rows(trace).back();
  for (std::int64_t begin = positions.begin; begin < positions.end; begin += kRowsAtOnce) {
    if (cancel && *cancel) return cells;
    const Range part{begin, std::min(begin + kRowsAtOnce, positions.end)};
    const Tensor logits = unembed(trace, stream(trace, row, part)).packed();
    const Tensor final_logits = row.final ? logits : unembed(trace, stream(trace, last, part)).packed();
    for (std::int64_t i = 0; i < part.size(); ++i)
      cells.push_back(cell_of(logits.data() + i * vocab, final_logits.data() + i * vocab, vocab));
  }
  return cells;
}

Tensor lens_logits(const Trace& trace, const LensRow& row, std::int64_t pos) {
  return unembed(trace, stream(trace, row, {pos, pos + 1})).select(0, 0);
}

std::vector<LensToken> lens_top(const Trace& trace, const LensRow& row, std::int64_t pos, int count) {
  const Tensor logits = lens_logits(trace, row, pos).packed();  // [vocab]
  const std::int64_t vocab = logits.size(0);
  std::vector<int> order(static_cast<std::size_t>(vocab));
  std::iota(order.begin(), order.end(), 0);
  const auto middle =
      order.begin() + std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(order.size()));
  std::partial_sort(order.begin(), middle, order.end(),
                    [&](int a, int b) { return std::pair(-logits.at(a), a) < std::pair(-logits.at(b), b); });
  const LogSoftmax log_p = log_softmax(logits.data(), vocab);
  std::vector<LensToken> top;
  for (auto at = order.begin(); at != middle; ++at)
    top.push_back(
        {*at, static_cast<float>(std::exp(log_p(logits.at(*at)))), static_cast<int>(at - order.begin())});
  return top;
}

std::vector<Addition> additions(const Trace& trace, std::int64_t pos) {
  std::vector<Addition> out;
  Tensor before;  // [d_model]
  for (const Record& record : trace.records()) {
    const Slot slot = record.site.slot;
    if (slot != Slot::embed && slot != Slot::resid_mid && slot != Slot::resid_post) continue;
    const Tensor now = record.value.select(0, pos);
    Addition add;
    add.stream = length(now);
    add.site = record.site;
    if (slot == Slot::embed) {
      add.norm = add.stream;
    } else {
      add.site.slot = slot == Slot::resid_mid ? Slot::attn_out : Slot::mlp_out;
      add.site.part = step_of(add.site.slot).part;
      const Record* part = trace.find(add.site);
      if (!part) continue;  // no MLP: nothing was added
      const Tensor added = part->value.select(0, pos);
      add.norm = length(added);
      add.cosine = cosine(added, before);
    }
    before = now;
    out.push_back(add);
  }
  return out;
}

}  // namespace attnscope
