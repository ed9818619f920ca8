#include "app/views/residual_lens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/look/colormap.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kFlat = 0.1f;              // if most probabilities are below this, the picture is flat
constexpr float kOutstanding = 1.f / 8.f;  // share of cells that may exceed a flat picture's colour range
constexpr std::int64_t kBlock = 16;        // positions computed at a time

std::uint64_t next_version() {
  static std::uint64_t counter = 0;  // UI thread only
  return ++counter;
}

// Next block of cells to compute: visible positions first, from the output row down. False when all are done.
bool pick(const std::vector<char>& done, std::int64_t rows, std::int64_t blocks, Range sight,
          std::int64_t& row, std::int64_t& block) {
  const Range first{std::clamp<std::int64_t>(sight.begin / kBlock, 0, blocks),
                    std::clamp<std::int64_t>((sight.end + kBlock - 1) / kBlock, 0, blocks)};
  for (const Range part : {first, Range{0, blocks}})
    for (row = rows - 1; row >= 0; --row)
      for (block = part.begin; block < part.end; ++block)
        if (!done[static_cast<std::size_t>(row * blocks + block)]) return true;
  return false;
}

}  // namespace

void LensGrid::fill(const Trace& trace, const std::vector<LensRow>& rows, int asked, Filling& filling,
                    const Computed<Filled>::Progress& progress) {
  const std::int64_t count = static_cast<std::int64_t>(rows.size()), positions = trace.length;
  const std::int64_t blocks = (positions + kBlock - 1) / kBlock;
  std::vector<char>& done = filling.done;
  done.resize(static_cast<std::size_t>(count * blocks));
  std::int64_t row = 0, block = 0;
  while (!progress.cancel() && pick(done, count, blocks, {filling.first, filling.last}, row, block)) {
    const Range part{block * kBlock, std::min(positions, (block + 1) * kBlock)};
    const auto cells = lens_row(trace, rows[static_cast<std::size_t>(row)], part, &progress.cancel(), asked);
    if (static_cast<std::int64_t>(cells.size()) < part.size()) return;
    std::copy(cells.begin(), cells.end(), filling.now.cells.begin() + (row * positions + part.begin));
    done[static_cast<std::size_t>(row * blocks + block)] = 1;
    ++filling.now.arrived;
    if (progress.taken()) progress.show(filling.now);
  }
}

void LensGrid::start(Workers& workers) {
  if (rows_.empty() || !trace_) return;
  filled_.begin(0, filled_run_, workers,
                [filling = filling_, trace = trace_, rows = rows_,
                 asked = asked_](const Computed<Filled>::Progress& progress) {
                  fill(*trace, rows, asked, *filling, progress);
                  return filling->now;
                });
}

void LensGrid::follow(std::uint64_t model, const RunResult& run, int sequence, Workers& workers, int asked) {
  if (run_version_ != run.version || sequence_ != sequence || asked_ != asked) {
    run_version_ = run.version;
    sequence_ = sequence;
    asked_ = asked;
    trace_ = run.shared(sequence);
    const std::shared_ptr<const Trace>& trace = trace_;
    const auto rows = lens_rows(*trace);
    const bool same_shape = model == model_ && rows.size() == rows_.size() && trace->length == positions_;
    model_ = model;
    rows_ = rows;
    positions_ = trace->length;
    filling_ = std::make_shared<Filling>();
    filling_->now.cells.resize(rows_.size() * static_cast<std::size_t>(positions_));
    filling_->last = positions_;
    if (!same_shape) cells_ = filling_->now.cells;  // else the old ones stay until the first new ones arrive
    complete_ = false;
    older_ = same_shape;
    version_ = next_version();
    filled_.forget();
    ++filled_run_;
    seen_.reset();
  }
  if (!complete_ && !filled_.asked(filled_run_)) start(workers);  // also after leave()
  auto filled = filled_.newest();
  if (!filled || filled == seen_) return;
  seen_ = std::move(filled);
  cells_ = seen_->cells;
  older_ = false;
  version_ = next_version();
  const auto blocks = static_cast<std::uint64_t>((positions_ + kBlock - 1) / kBlock);
  complete_ = seen_->arrived >= blocks * rows_.size();
  if (complete_) trace_.reset();
}

void LensGrid::want(Range positions) {
  if (!filling_) return;
  filling_->first = positions.begin;
  filling_->last = positions.end;
}

HeatStyle lens_style(const Tensor& values, LensColour colour, bool difference) {
  HeatStyle out;
  if (difference) {
    out.map = Colormap::diverging;
    set_range(out, signed_range(values));
  } else if (colour == LensColour::rank) {
    set_range(out, upward_range(values), true);
    out.lo = 1;
    out.log_scale = true;
  } else if (colour == LensColour::entropy || colour == LensColour::kl) {
    set_range(out, upward_range(values));
  } else {
    set_range(out, probability_range(values));
  }
  return out;
}

float lens_value(const LensCell& cell, LensColour colour) {
  switch (colour) {
    case LensColour::probability: return cell.probability;
    case LensColour::asked: return cell.asked_probability;
    case LensColour::rank: return static_cast<float>(cell.asked_rank + 1);
    case LensColour::entropy: return cell.entropy;
    case LensColour::kl: break;
  }
  return cell.kl_to_final;
}

Tensor LensGrid::values(LensColour colour) const {
  const auto rows = static_cast<std::int64_t>(rows_.size());
  std::vector<float> out;
  out.reserve(cells_.size());
  for (std::int64_t row = rows - 1; row >= 0; --row) {
    for (std::int64_t pos = 0; pos < positions_; ++pos) {
      const LensCell& at = cell(row, pos);
      const bool asks = colour == LensColour::asked || colour == LensColour::rank;
      out.push_back(at.token < 0 || (asks && at.asked_rank < 0) ? kMasked : lens_value(at, colour));
    }
  }
  return Tensor::from(std::move(out), {{Axis::unit, rows}, {Axis::pos, positions_}});
}

const char* lens_unit(LensColour colour) {
  if (colour == LensColour::probability || colour == LensColour::asked) return "residual.legend.probability";
  return colour == LensColour::rank ? "residual.legend.rank" : "residual.legend.nats";
}

Tensor lens_difference(const Tensor& now, const Tensor& before, const Alignment& partners) {
  const std::int64_t rows = now.size(0), positions = now.size(1);
  std::vector<float> out(static_cast<std::size_t>(rows * positions), kMasked);
  for (std::int64_t pos = 0; pos < positions; ++pos) {
    const std::int64_t old = partners.matches(pos) ? partners.to_b[static_cast<std::size_t>(pos)] : -1;
    if (old < 0 || old >= before.size(1)) continue;
    for (std::int64_t row = 0; row < rows; ++row)
      if (!is_masked(now.at(row, pos)) && !is_masked(before.at(row, old)))
        out[static_cast<std::size_t>(row * positions + pos)] = now.at(row, pos) - before.at(row, old);
  }
  return Tensor::from(std::move(out), {{Axis::unit, rows}, {Axis::pos, positions}});
}

Tensor without_padding(const Trace& trace, Tensor values) {
  const Stack stack = trace.config().stack;
  if (values.empty() || trace.input.attention_mask.empty()) return values;
  std::vector<float> cells = values.values();
  const std::int64_t cols = values.size(1);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!trace.is_real(stack, static_cast<std::int64_t>(i) % cols)) cells[i] = kMasked;
  return Tensor::from(std::move(cells), {{values.axis(0), values.size(0)}, {values.axis(1), cols}});
}

ValueRange probability_range(const Tensor& values) {
  ValueRange range = upward_range(values, kOutstanding);
  const float end = range.clipped() && range.hi >= kFlat ? range.most : range.hi;
  if (!(range.most > 0) || end >= 0.5f) return {};
  const float power = std::pow(10.f, std::floor(std::log10(end)));
  range.hi = std::min(1.f, std::ceil(end / power) * power);
  return range;
}

StreamPart stream_part(const ModelConfig& config, const Site& site) {
  if (site.layer < 0) return StreamPart::embed;
  switch (kind_of(site.slot)) {
    case StepKind::residual_cross:
    case StepKind::norm_cross: return StreamPart::cross;
    case StepKind::output: return site.part == Part::cross ? StreamPart::cross : StreamPart::attention;
    case StepKind::residual_mid:
    case StepKind::norm1:
    case StepKind::norm1_post: return StreamPart::attention;
    case StepKind::residual_post:
      return config.block_at(site).order == NormOrder::parallel ? StreamPart::block : StreamPart::mlp;
    default: return StreamPart::mlp;
  }
}

std::string part_label(const ModelConfig& config, const Site& site) {
  const std::string layer = std::to_string(site.layer);
  switch (stream_part(config, site)) {
    case StreamPart::embed: return tr("residual.row.embed");
    case StreamPart::attention: return tr("residual.row.attn", {layer});
    case StreamPart::cross: return tr("residual.row.cross", {layer});
    case StreamPart::block: return tr("residual.row.block", {layer});
    case StreamPart::mlp: break;
  }
  return tr("residual.row.mlp", {layer});
}

std::string lens_label(const ModelConfig& config, const LensRow& row) {
  return row.final ? tr("residual.row.out") : part_label(config, row.site);
}

LensList lens_list(const Trace& trace, const LensRow& row, const LensRow& last, std::int64_t pos, int count) {
  LensList out;
  out.vocab = trace.config().outputs();
  const auto answer = lens_top(trace, last, pos, 1);
  out.top = lens_top(trace, row, pos, static_cast<int>(out.vocab));
  for (const LensToken& token : out.top)
    if (!answer.empty() && token.token == answer.front().token) out.answer = token;
  const std::size_t shown = std::min(out.top.size(), static_cast<std::size_t>(count));
  for (std::size_t i = shown; i < out.top.size(); ++i) out.rest += out.top[i].probability;
  out.top.resize(shown);
  return out;
}

Table lens_list_table(const OpenedModel& opened, const LensList& list, std::size_t shown, float width,
                      float row) {
  const Theme& t = theme();
  Table out;
  out.columns = {{.width = width * 0.42f}, bar_column(), number_column()};
  out.words = out.digits = fonts().mono_small, out.row = row;
  double rest = static_cast<double>(list.rest);
  for (std::size_t i = 0; i < list.top.size(); ++i) {
    const LensToken& token = list.top[i];
    const auto share = static_cast<double>(token.probability);
    if (i >= shown)
      rest += share;
    else
      out.rows.push_back(
          {"###lens_token_" + std::to_string(i),
           {{output_name(opened, token.token), token.token == list.answer.token ? t.accent : 0},
            {.bar = share},
            {number_text(token.probability, 3)}}});
  }
  out.rows.push_back({{},
                      {{.text = tr("residual.rest"), .font = fonts().small},
                       {.bar = rest, .bar_ink = t.norm},
                       {number_text(static_cast<float>(rest), 3)}}});
  return out;
}

}  // namespace attnscope
