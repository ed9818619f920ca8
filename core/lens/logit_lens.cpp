#include "core/lens/logit_lens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/keep_first.h"
#include "core/lens/attribution.h"
#include "core/lens/held_path.h"
#include "core/trace/flow.h"
#include "core/trace/head.h"

namespace attnscope {
namespace {

constexpr double kLogitLensUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kRowsAtOnce = 16;  // a few rows of logits: 50k words x 16 x 4 B = 3 MB

// Rows of the residual stream read as the head reads the last ones -> [pos, vocab].
Tensor read_words(const Trace& trace, const Tensor& rows) {
  const ModelConfig& config = trace.config();
  return unembed(config, trace.weights(), through_head(config, trace.weights(), rows), {0, config.outputs()});
}

Tensor stream(const Trace& trace, const LensRow& row, Range positions) {
  return trace.find(row.site)->value().slice(0, positions.begin, positions.end);
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

LensCell cell_of(const float* logits, const float* final_logits, std::int64_t vocab, int asked) {
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
  if (asked >= 0 && asked < vocab) {
    cell.asked_probability = static_cast<float>(std::exp(here(logits[asked])));
    cell.asked_rank = 0;
    for (std::int64_t word = 0; word < vocab; ++word)
      cell.asked_rank += logits[word] > logits[asked] || (logits[word] == logits[asked] && word < asked);
  }
  return cell;
}

bool is_stream_sum(const Site& site) {
  return site.is(StepRole::stream) && step_of(site.slot).rule == Rule::sum;
}

// Where the stream of the main stack stands still: after the embedding, after each sum, and with post-norms
// after the norm of each sum.
bool is_lens_row(const Trace& trace, const Site& site) {
  if (site.stack != trace.config().stack || site.part == Part::cross) return false;
  if (site.is(StepRole::embedding)) return !trace.find(trace.main(StepKind::norm_embed));
  if (site == trace.main(StepKind::norm_embed)) return true;
  if (site.layer < 0) return false;
  if (trace.config().block_at(site).order == NormOrder::post) return is_norm(site) && site.is(StepRole::norm);
  return is_stream_sum(site);
}

double length(const Tensor& row) {
  double sum = 0;
  for (std::int64_t i = 0; i < row.size(0); ++i) sum += static_cast<double>(row.at(i)) * row.at(i);
  return std::sqrt(sum);
}

// The stream itself, or its norm: an addend of a sum that nothing computed anew.
bool is_stream(const Site& site) {
  return site.is(StepRole::stream) || (is_norm(site) && site.is(StepRole::norm));
}

// A recording does not state how its blocks add up: tested on the numbers where all three are there.
bool adds_up(const Tensor& before, const Tensor& added, const Tensor& after) {
  double gap = 0;
  for (std::int64_t i = 0; i < after.size(0); ++i)
    gap = std::max(gap, std::fabs(static_cast<double>(before.at(i)) + added.at(i) - after.at(i)));
  return gap <= 0.01 * length(after);
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
  if (!reads_words(trace)) return rows;
  for (const Record& record : trace.records()) {
    if (!is_lens_row(trace, record.site)) continue;
    // Without an MLP resid_post repeats resid_mid: one row is enough.
    const bool repeats = record.site.is(StepKind::residual_post) && !rows.empty() &&
                         rows.back().site.is(StepKind::residual_mid) &&
                         trace.config().block_at(record.site).mlp.kind == MlpSpec::Kind::none;
    if (repeats)
      rows.back().site = record.site;
    else
      rows.push_back({record.site, false});
  }
  if (!rows.empty()) rows.back().final = true;
  return rows;
}

std::vector<LensCell> lens_row(const Trace& trace, const LensRow& row, Range positions,
                               const std::atomic<bool>* cancel, int asked) {
  std::vector<LensCell> cells;
  const std::int64_t vocab = trace.config().outputs();
  const LensRow last = lens_rows(trace).back();
  for (std::int64_t begin = positions.begin; begin < positions.end; begin += kRowsAtOnce) {
    if (cancel && *cancel) return cells;
    const Range part{begin, std::min(begin + kRowsAtOnce, positions.end)};
    const Tensor logits = read_words(trace, stream(trace, row, part)).packed();
    const Tensor final_logits = row.final ? logits : read_words(trace, stream(trace, last, part)).packed();
    for (std::int64_t i = 0; i < part.size(); ++i)
      cells.push_back(cell_of(logits.data() + i * vocab, final_logits.data() + i * vocab, vocab, asked));
  }
  return cells;
}

Tensor lens_logits(const Trace& trace, const LensRow& row, std::int64_t pos) {
  return read_words(trace, stream(trace, row, {pos, pos + 1})).select(0, 0);
}

std::vector<LensToken> lens_top(const Trace& trace, const LensRow& row, std::int64_t pos, int count) {
  const Tensor logits = lens_logits(trace, row, pos).packed();  // [vocab]
  const std::int64_t vocab = logits.size(0);
  std::vector<int> order(static_cast<std::size_t>(vocab));
  std::iota(order.begin(), order.end(), 0);
  keep_first(order, static_cast<std::size_t>(count),
             [&](int a, int b) { return std::pair(-logits.at(a), a) < std::pair(-logits.at(b), b); });
  const LogSoftmax log_p = log_softmax(logits.data(), vocab);
  std::vector<LensToken> top;
  for (const int id : order)
    top.push_back({id, static_cast<float>(std::exp(log_p(logits.at(id)))), static_cast<int>(top.size())});
  return top;
}

namespace {

bool is_sum(const Trace& trace, const Site& site) {
  return site.stack == trace.config().stack && is_stream_sum(site);
}

}  // namespace

bool has_additions(const Trace& trace) {
  return std::any_of(trace.records().begin(), trace.records().end(), [&](const Record& record) {
    if (!is_sum(trace, record.site)) return false;
    const std::vector<Site> parts = flow_inputs(trace, record.site);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Site& part) { return !is_stream(part) && trace.find(part); });
  });
}

std::vector<Addition> additions(const Trace& trace, std::int64_t pos) {
  std::vector<Addition> out;
  const auto row = [&](const Site& site) {
    const Record* record = trace.find(site);
    return record ? record->value().select(0, pos) : Tensor();
  };
  for (const Record& record : trace.records()) {
    const bool begins = record.site == trace.main(StepRole::embedding);
    if (!begins && !is_sum(trace, record.site)) continue;
    const Tensor now = row(record.site);  // [d_model]
    if (begins) {
      out.push_back({record.site, length(now), length(now), kLogitLensUnknown});
      continue;
    }
    Tensor before;  // of the stream
    const std::size_t first = out.size();
    for (const Site& part : flow_inputs(trace, record.site)) {
      const bool repeats = part.is(StepKind::residual_in) && !trace.find(part);  // what the block before left
      const Tensor addend = row(repeats ? block_output(trace, part.stack, part.layer - 1) : part);
      if (addend.empty()) continue;  // not recorded
      if (is_stream(part))
        before = addend;
      else
        out.push_back({part, length(addend), length(now), 0});
    }
    const bool sure =
        !before.empty() && (!trace.weights().all().empty() ||
                            (out.size() == first + 1 && adds_up(before, row(out.back().site), now)));
    for (std::size_t i = first; i < out.size(); ++i)
      out[i].cosine = sure ? cosine(row(out[i].site), before) : kLogitLensUnknown;
  }
  return out;
}

namespace {

// "blocks.0.attn" of what attribute() calls "blocks.0.attn.z" or "blocks.0.attn.out.bias".
std::string part_of(const std::string& step) {
  for (const char* part : {".attn.", ".cross.", ".mlp."})
    if (const std::size_t at = step.find(part); at != std::string::npos)
      return step.substr(0, at + std::string_view(part).size() - 1);
  return step;
}

// The same of an addition, whose site may be a norm behind the part.
std::string part_of(const Site& site) {
  const bool attention = site.is(StepKind::norm1_post), mlp = site.is(StepKind::norm2_post);
  if (!attention && !mlp) return part_of(to_text(site));
  return part_of(to_text(site_of(attention ? StepKind::output : StepKind::mlp_down, site.layer, site.stack)));
}

}  // namespace

Result<Pushes> pushes(const Trace& trace, const std::vector<Addition>& parts, std::int64_t pos, int token) {
  LogitMeasure measure;
  measure.target = token;
  measure.row = pos;
  TRY(const Attribution sum, attribute(trace, measure, AttributeBy::part));
  Pushes out;
  out.of.resize(parts.size());
  out.total = sum.total;
  out.rest = sum.rest;
  for (const LogitPart& part : sum.parts) {
    const std::string name = part_of(part.step);
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const Addition& one) {
      return (one.site.layer < 0 ? stream_entry(trace, one.site.stack) : part_of(one.site)) == name;
    });
    if (found != parts.end())
      out.of[static_cast<std::size_t>(found - parts.begin())] += part.value;
    else
      (part.step == "bias" ? out.bias : out.rest) += part.value;
  }
  return out;
}

}  // namespace attnscope
