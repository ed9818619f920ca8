#include "core/model/reach.h"

#include <algorithm>
#include <utility>

#include "core/trace/inside.h"

namespace attnscope {
namespace {

enum class Lane : std::uint8_t { none, query, key, value };

// Queries, keys and values are made side by side.
Lane lane_of(Slot slot) {
  if (!makes_heads(slot)) return Lane::none;
  const Hue hue = step_of(slot).hue;
  return hue == Hue::query ? Lane::query : hue == Hue::key ? Lane::key : Lane::value;
}

bool between(Slot slot, StepKind first, StepKind last) {
  return kind_of(slot) >= first && kind_of(slot) <= last;
}

// Where a step stands in its block: self-attention, cross-attention, the MLP; norms before or behind them.
std::pair<int, Slot> place_in_block(const ModelConfig& config, const Site& site) {
  const bool post = config.block_at(site).order == NormOrder::post;
  const auto phase = [&] {
    if (site.part == Part::cross || site.is(StepKind::residual_cross)) return 2;
    if (site.is(StepKind::norm1)) return post ? 1 : 0;
    if (site.is(StepKind::norm_cross)) return post ? 3 : 1;
    if (site.is(StepKind::norm2)) return post ? 5 : 4;
    return kind_of(site.slot) <= StepKind::residual_mid ? 0 : 4;
  };
  return {phase(), site.slot};
}

std::int64_t reach_heads_of(const Trace& trace, const Site& site) {
  const Record* record = trace.find(site);
  return record ? size_along(Axis::head, record->axes, record->shape, 0) : 0;
}

}  // namespace

Reach::Reach(std::shared_ptr<const Trace> run, const NumberEdit& edit)
    : run_(std::move(run)), where_(edit.where) {
  Edits edits = run_->edits;
  edits.push_back(make_edit(edit));
  cone_ = cone_between(*run_, run_->config(), run_->input, edits);
}

// The rows that the edit names.
Range Reach::own_rows() const {
  const std::int64_t all = run_->rows(rows_stack(where_.site, Axis::pos));
  const AxisRange* range = range_on(where_, Axis::pos);
  return range ? Range{range->begin, std::min(range->end, all)} : Range{0, all};
}

bool Reach::follows(const Site& site) const {
  const Site& from = where_.site;
  const ModelConfig& config = run_->config();
  if (place_in_block(config, site) < place_in_block(config, from)) return false;
  if (site.part != from.part || site.slot == from.slot) return true;
  const Lane own = lane_of(from.slot), other = lane_of(site.slot);
  if (own != Lane::none && other != Lane::none && own != other) return false;
  if (own == Lane::value && is_score_plane(site.slot)) return false;
  if (from.slot == Slot::mlp_gate && site.slot == Slot::mlp_up) return false;
  const bool parallel = config.block_at(site).order == NormOrder::parallel;
  return !parallel || !between(from.slot, StepKind::norm1, StepKind::norm1_post) ||
         !between(site.slot, StepKind::norm2, StepKind::mlp_down);
}

// A head hands nothing to another one of its block; a key/value head is read by a group of them.
bool Reach::same_head(const Site& site, std::int64_t head) const {
  const AxisRange* range = range_on(where_, Axis::head);
  const std::int64_t own = reach_heads_of(*run_, where_.site), heads = reach_heads_of(*run_, site);
  if (!range || head < 0 || own == 0 || heads == 0 || site.part != where_.site.part) return true;
  const std::int64_t group = std::max<std::int64_t>(1, heads / own);
  return head >= range->begin * group && head < range->end * group;
}

Range Reach::in_own_block(const Site& site, Range after_attention) const {
  const Site& from = where_.site;
  const int phase = place_in_block(run_->config(), from).first;
  const bool mixes = phase == 0 && kind_of(from.slot) < StepKind::scores && lane_of(from.slot) != Lane::query;
  const bool behind =
      kind_of(site.slot) >= StepKind::scores || place_in_block(run_->config(), site).first > phase;
  const bool across = rows_stack(from, Axis::pos) != from.stack;
  if (across && lane_of(site.slot) == Lane::none) return {0, run_->rows(site.stack)};
  return mixes && behind && !across ? after_attention : own_rows();
}

Range Reach::rows(const Site& site, std::int64_t head) const {
  const Range out = masked_rows(site, head);
  // Before the mask every query is multiplied with every key, a changed one among them.
  const bool all = out.size() > 0 && between(site.slot, StepKind::scores, StepKind::bias) &&
                   (kind_of(where_.site.slot) < StepKind::scores || site.layer != where_.site.layer) &&
                   !(site.layer == where_.site.layer && lane_of(where_.site.slot) == Lane::query);
  return all ? Range{0, run_->rows(site.stack)} : out;
}

Range Reach::masked_rows(const Site& site, std::int64_t head) const {
  const Site& from = where_.site;
  const ModelConfig& config = run_->config();
  const StackCone& cone = site.stack == Stack::enc && config.encoder()     ? cone_.encoder
                          : site.stack == Stack::vision && config.vision() ? cone_.vision
                                                                           : cone_.main;
  const auto from_row = [&](std::int64_t row) { return row < cone.rows ? Range{row, cone.rows} : Range{}; };
  const bool same = site.stack == from.stack, behind_blocks = kind_of(site.slot) >= StepKind::norm_final;
  if (same && site.layer == from.layer && site.layer < 0 && kind_of(from.slot) >= StepKind::norm_final)
    return site.slot >= from.slot ? own_rows() : Range{};
  if (site.layer < 0) return from_row(behind_blocks ? cone.final : cone.embed);
  if (same && site.layer == from.layer)
    return follows(site) && same_head(site, head) ? in_own_block(site, from_row(cone.block(site.layer)))
                                                  : Range{};
  if (rows_stack(site, Axis::pos) != site.stack)  // keys and values of cross-attention
    return cone_.encoder.final < cone_.encoder.rows ? Range{0, cone_.encoder.rows} : Range{};
  const bool entered = same || site.layer > 0 || from.stack == Stack::vision ||
                       place_in_block(config, site).first >= 2;  // the encoder is read across
  return entered ? from_row(cone.block(site.layer)) : Range{};
}

}  // namespace attnscope
