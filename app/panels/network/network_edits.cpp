#include "app/panels/network/network_edits.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {
namespace {

// The slots of a block at which an exchange takes effect first.
std::vector<Slot> slots_of(const Exchange& exchange, const BlockSpec& block) {
  switch (exchange.part) {
    case Exchange::Part::order: return {Slot::ln1_out, Slot::ln2_out, Slot::ln_cross_out};
    case Exchange::Part::skip:
      if (exchange.branch == "cross") return {Slot::resid_cross};
      if (exchange.branch == "mlp" || block.order == NormOrder::parallel ||
          block.mlp.kind == MlpSpec::Kind::none)
        return {Slot::resid_post};
      return {Slot::resid_mid};
    case Exchange::Part::activation: return {Slot::mlp_post};
    case Exchange::Part::mask_order: return {Slot::masked};
    case Exchange::Part::scaling: return {Slot::scaled};
    case Exchange::Part::kv_heads: return {Slot::k, Slot::v};
  }
  return {};
}

bool changes(const Exchange& exchange, const ModelConfig& config, const Site& site) {
  if (exchange.stack != site.stack || site.layer < 0 || (exchange.layer >= 0 && exchange.layer != site.layer))
    return false;
  const bool inside = exchange.part != Exchange::Part::skip && exchange.part != Exchange::Part::order;
  if (inside && (site.part == Part::cross) != (exchange.branch == "cross")) return false;
  const std::vector<Slot> slots = slots_of(exchange, config.block_at(site));
  return std::find(slots.begin(), slots.end(), site.slot) != slots.end();
}

bool changes(const MaskEdit& mask, const ModelConfig& config, const Site& site) {
  return site.slot == Slot::mask && attention_kind(site.stack, site.part, config.stack) == mask.of;
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
