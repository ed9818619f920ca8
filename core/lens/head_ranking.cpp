#include "core/lens/head_ranking.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/attention_plane.h"

namespace attnscope {
namespace {

constexpr std::int64_t kHeadRankingBand = 64, kHeadRankingMostRows = 2048;
constexpr double kHeadRankingUnknown = std::numeric_limits<double>::quiet_NaN();

// Sums over the rows of one head, read in bands.
class HeadReader {
 public:
  HeadReader(const Trace& trace, const Record& record, std::shared_ptr<const Against> before)
      : trace_(trace), record_(record), before_(std::move(before)) {
    const AttentionState* state = trace.attention(record.site);
    first_query_ = state ? state->in.first_query : 0;
    const std::int64_t bands = (record.shape[1] + kHeadRankingBand - 1) / kHeadRankingBand;
    stride_ = std::max<std::int64_t>(
        1, (bands * kHeadRankingBand + kHeadRankingMostRows - 1) / kHeadRankingMostRows);
  }

  // False where `go_on` returned false.
  bool read(std::int64_t head, RoleMeter& meter, RankedHead& out, const std::function<bool()>& go_on) {
    double change = 0;
    std::int64_t changed = 0;
    RowStats mean;
    for (std::int64_t begin = 0; begin < record_.shape[1]; begin += kHeadRankingBand * stride_) {
      if (go_on && !go_on()) return false;
      const Range rows{begin, std::min(begin + kHeadRankingBand, record_.shape[1])};
      const Tensor band = trace_.slice(record_.site, head, rows, {0, record_.shape[2]}).packed();
      Tensor masks = trace_.slice(record_.site.near(StepRole::mask), 0, rows, {0, record_.shape[2]});
      if (!masks.empty()) masks = masks.packed();
      meter.add_real(trace_, record_.site.stack, band, masks, first_query_ + begin);
      add_stats(band, masks, begin, mean);
      if (before_) add_change(head, rows, change, changed);
    }
    const double n = static_cast<double>(std::max<std::int64_t>(1, mean.in_sight));
    mean.entropy /= n, mean.max_entropy /= n, mean.distance /= n, mean.first_share /= n;
    out.stats = mean;
    out.of(HeadScore::entropy) = mean.in_sight > 0 ? mean.entropy : kHeadRankingUnknown;
    out.of(HeadScore::distance) = mean.in_sight > 0 ? mean.distance : kHeadRankingUnknown;
    if (changed > 0) out.of(HeadScore::change) = change / static_cast<double>(changed);
    return true;
  }

 private:
  void add_stats(const Tensor& band, const Tensor& masks, std::int64_t begin, RowStats& mean) const {
    for (std::int64_t row = 0; row < band.size(0); ++row) {
      if (!trace_.is_real(record_.site.stack, begin + row)) continue;
      const RowStats one = row_stats(band.select(0, row), masks.empty() ? Tensor() : masks.select(0, row),
                                     first_query_ + begin + row);
      if (one.in_sight == 0) continue;
      ++mean.in_sight;
      mean.entropy += one.entropy;
      mean.max_entropy += one.max_entropy;
      mean.distance += one.distance;
      mean.first_share += one.first_share;
    }
  }

  void add_change(std::int64_t head, Range rows, double& change, std::int64_t& changed) const {
    const Tensor moved =
        attention_plane(trace_, {record_.site, head, rows, {0, record_.shape[2]}, false, before_});
    for (std::int64_t row = 0; row < moved.size(0); ++row) {
      double sum = 0;
      bool any = false;
      for (std::int64_t key = 0; key < moved.size(1); ++key) {
        const auto cell = static_cast<double>(moved.at(row, key));
        if (!std::isfinite(cell)) continue;
        any = true;
        sum += std::fabs(cell) / 2;
      }
      if (any) change += sum, ++changed;
    }
  }

  const Trace& trace_;
  const Record& record_;
  std::shared_ptr<const Against> before_;
  std::int64_t first_query_ = 0, stride_ = 1;
};

// Weight of the prediction row (question.query) on the keys of its target.
double antecedent(const Trace& trace, const Record& record, std::int64_t head, const HeadQuestion& question) {
  const AttentionPlace place{record.site.stack, record.site.part};
  if (place.stack != trace.config().stack || !looks_at_itself(place) || question.keys.empty())
    return kHeadRankingUnknown;
  if (question.query < 0 || question.query >= record.shape[1]) return kHeadRankingUnknown;
  double sum = 0;
  for (const std::int64_t key : question.keys)
    sum += static_cast<double>(trace.cell(record.site, {head, question.query, key}));
  return sum;
}

}  // namespace

std::string_view head_score_name(HeadScore score) {
  switch (score) {
    case HeadScore::antecedent: return "antecedent";
    case HeadScore::entropy: return "entropy";
    case HeadScore::distance: return "distance";
    case HeadScore::change: return "change";
    case HeadScore::effect: return "effect";
    default: return role_name(static_cast<Role>(score));
  }
}

Result<HeadScore> parse_head_score(std::string_view name) {
  std::vector<std::string> known;
  for (int i = 0; i < kHeadScoreCount; ++i) {
    known.emplace_back(head_score_name(static_cast<HeadScore>(i)));
    if (known.back() == name) return static_cast<HeadScore>(i);
  }
  return fail(Code::not_found, "error.lens.no_head_score", {in_quotes(std::string(name)), join(known, ", ")});
}

HeadQuestion antecedent_of(const Trace& trace, const LogitMeasure& measure) {
  HeadQuestion out;
  if (measure.kind == LogitMeasure::Kind::kl || trace.config().head.outputs > 0) return out;
  out.query = row_of(measure, trace);
  const bool causal = trace.config().causal();
  for (std::int64_t row = 0; row < std::ssize(trace.ids); ++row)
    if (trace.ids[static_cast<std::size_t>(row)] == measure.target && row != out.query &&
        (!causal || row < out.query))
      out.keys.push_back(row);
  return out;
}

std::vector<RankedHead> head_scores(const Trace& trace, const HeadQuestion& question,
                                    const std::function<bool(float)>& go_on) {
  std::vector<RankedHead> out;
  std::vector<const Record*> patterns;
  std::int64_t total = 0, done = 0;
  for (const Record& record : trace.records())
    if (record.site.is(StepRole::pattern)) {
      patterns.push_back(&record);
      total += record.shape[0];
    }
  const auto ask = [&] { return !go_on || go_on(static_cast<float>(done) / static_cast<float>(total)); };
  for (const Record* record : patterns) {
    const AttentionPlace place{record->site.stack, record->site.part};
    RoleMeter meter(trace, place);
    HeadReader reader(trace, *record, against(trace, question.before, record->site));
    for (std::int64_t head = 0; head < record->shape[0]; ++head, ++done) {
      RankedHead one{record->site, static_cast<int>(head), {}, {}, {}};
      one.scores.fill(kHeadRankingUnknown);
      meter.reset();
      if (!reader.read(head, meter, one, ask)) return {};
      one.roles = meant_roles(meter.roles(), trace, place);
      for (int role = 0; role < kRoleCount; ++role)
        if (one.roles.scores[static_cast<std::size_t>(role)].rows > 0)
          one.scores[static_cast<std::size_t>(role)] = one.roles.scores[static_cast<std::size_t>(role)].score;
      one.of(HeadScore::antecedent) = antecedent(trace, *record, head, question);
      out.push_back(one);
    }
  }
  return out;
}

void take_effects(std::vector<RankedHead>& heads, const std::vector<SweepCell>& cells,
                  const std::vector<double>& values, double base) {
  for (RankedHead& head : heads) {
    Site z = head.pattern;
    z = z.near(StepRole::head_out);
    const std::vector<AxisRange> at(1, {"head", head.head, head.head + 1});
    head.of(HeadScore::effect) = kHeadRankingUnknown;
    for (std::size_t i = 0; i < std::min(cells.size(), values.size()); ++i)
      if (cells[i].site == z && cells[i].at == at) head.of(HeadScore::effect) = values[i] - base;
  }
}

void rank_heads(std::vector<RankedHead>& heads, HeadScore by, bool largest_first) {
  std::stable_sort(heads.begin(), heads.end(), [&](const RankedHead& a, const RankedHead& b) {
    double x = a.of(by), y = b.of(by);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    if (by == HeadScore::effect) x = std::fabs(x), y = std::fabs(y);
    return largest_first ? x > y : x < y;
  });
}

}  // namespace attnscope
