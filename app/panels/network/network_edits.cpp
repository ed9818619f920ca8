#include "app/panels/network/network_edits.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {
namespace {

// The branch whose sum an exchanged skip path leaves out.
StepKind sum_of(const Exchange& exchange, const BlockSpec& block) {
  if (exchange.branch == "cross") return StepKind::residual_cross;
  const bool last =
      exchange.branch == "mlp" || block.order == NormOrder::parallel || block.mlp.kind == MlpSpec::Kind::none;
  return last ? StepKind::residual_post : StepKind::residual_mid;
}

// The slots of a block at which an exchange takes effect first.
bool shows(const Exchange& exchange, const BlockSpec& block, const Step& step) {
  switch (exchange.part) {
    case Exchange::Part::order: return step.role == StepRole::norm && step.rule == Rule::norm;
    case Exchange::Part::skip: return step.kind == sum_of(exchange, block);
    case Exchange::Part::activation: return step.role == StepRole::neurons;
    case Exchange::Part::mask_order: return step.role == StepRole::scores && step.rule == Rule::mask;
    case Exchange::Part::scaling: return step.role == StepRole::scores && step.rule == Rule::scale;
    case Exchange::Part::kv_heads: return step.role == StepRole::projection && step.hue != Hue::query;
  }
  return false;
}

bool changes(const Exchange& exchange, const ModelConfig& config, const Site& site) {
  if (exchange.stack != site.stack || site.layer < 0 || (exchange.layer >= 0 && exchange.layer != site.layer))
    return false;
  const bool inside = exchange.part != Exchange::Part::skip && exchange.part != Exchange::Part::order;
  if (inside && (site.part == Part::cross) != (exchange.branch == "cross")) return false;
  return shows(exchange, config.block_at(site), step_of(site.slot));
}

bool changes(const MaskEdit& mask, const ModelConfig& config, const Site& site) {
  return site.is(StepRole::mask) && attention_kind(site.stack, site.part, config.stack) == mask.of;
}

bool changes(const NumberEdit& edit, const Site& site) {
  if (edit.where.kind == Target::Kind::step) return edit.where.site == site;
  const std::string step = to_text(site), parent = edit.where.weight.substr(0, edit.where.weight.rfind('.'));
  return edit.where.kind == Target::Kind::weight && (step == parent || step == parent + ".out");
}

bool changes(const Edit& edit, const ModelConfig& config, const Site& site) {
  if (const NumberEdit* number = edit.number()) return changes(*number, site);
  if (const MaskEdit* mask = edit.mask()) return changes(*mask, config, site);
  return changes(*edit.exchange(), config, site);
}

}  // namespace

std::vector<std::string> edits_of(const NetworkBox& box, const RunResult& run, int sequence) {
  std::vector<std::string> out;
  if (run.document.edits.empty() || box.kind == NetworkBox::Kind::header ||
      box.kind == NetworkBox::Kind::title)
    return out;
  const Trace& trace = run.trace(sequence);
  for (const auto& edit : edits_for(run.document.edits, sequence))
    if (std::any_of(box.sites.begin(), box.sites.end(),
                    [&](const Site& site) { return changes(*edit, trace.config(), site); }))
      out.push_back(to_text(*edit));
  return out;
}

}  // namespace attnscope
