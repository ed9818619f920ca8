#include "app/panels/network/network_builder.h"

#include <algorithm>

#include "app/widgets/places.h"
#include "core/base/text.h"

namespace attnscope::network {

void Pen::add_present(const Step& step, int layer, Part part, std::vector<Site>& found) const {
  const Site site =
      part == Part::cross ? cross_site(step.slot, layer, stack) : site_of(step.slot, layer, stack);
  if (!trace_.find(site)) return;
  const bool result =
      step.rule == Rule::norm && !found.empty() && step_of(found.back().slot).rule == Rule::norm_scale;
  found.insert(result ? found.end() - 1 : found.end(), site);
}

std::vector<Site> Pen::present(Kinds kinds, int layer, Part part) const {
  std::vector<Site> found;
  for (const StepKind kind : kinds)
    for (const Step& step : catalog())
      if (step.kind == kind) add_present(step, layer, part, found);
  return found;
}

std::vector<Site> Pen::present(Roles roles, int layer) const {
  std::vector<Site> found;
  for (const StepRole role : roles)
    for (const Step& step : catalog())
      if (step.role == role) add_present(step, layer, step.part, found);
  return found;
}

std::int64_t Pen::parameters(const std::vector<Site>& sites) const {
  std::int64_t count = 0;
  for (const auto& [name, values] : trace_.weights().all()) {
    const std::string parent = name.substr(0, name.rfind('.'));
    const bool own = std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
      const std::string text = to_text(site);
      return text == parent || text == parent + ".out";
    });
    if (own) count += values.count();
  }
  return count;
}

NetworkBox& Pen::box(NetworkBox box) {
  layout_.boxes.push_back(std::move(box));
  return layout_.boxes.back();
}

NetworkBox* Pen::part(const char* key, Hue hue, std::vector<Site> sites, float x, float w, bool shape) {
  if (sites.empty()) return nullptr;
  NetworkBox made;
  made.key = key, made.hue = hue, made.centred = shape;
  made.target = sites.front();
  made.stack = made.target.stack, made.layer = made.target.layer;
  made.sites = std::move(sites);
  made.parameters = parameters(made.sites);
  made.x = x, made.y = y, made.w = w, made.h = kPart;
  y += kPart;
  if (shape) {
    made.shape = step_shape(run_, made.target, sequence_);
    y += kShape;
  }
  return &box(std::move(made));
}

NetworkBox* Pen::projection(int i, int layer, Part part, float x, float w, bool shape) {
  static constexpr const char* kKeys[] = {"map.q", "map.k", "map.v"};
  std::vector<Site> sites = present(
      {StepKind::qkv, StepKind::split, StepKind::transpose, StepKind::qk_norm, StepKind::rope}, layer, part);
  std::erase_if(sites, [&](const Site& site) { return step_of(site.slot).hue != projection_hue(i); });
  NetworkBox* made = this->part(kKeys[i], projection_hue(i), std::move(sites), x, w, shape);
  if (!made) return made;
  made->centred = true;
  const AttentionSpec& attention = trace_.config().attention_at(made->target);
  const int heads = i == 0                     ? attention.n_heads
                    : attention.n_kv_heads > 0 ? attention.n_kv_heads
                                               : attention.n_heads;
  made->sizes = format("%d×%d", heads, attention.d_head);
  made->h += kTwoLines - kPart, y += kTwoLines - kPart;
  return made;
}

void Pen::sum(std::vector<Site> sites, float from_x, float at_y, Hue hue, bool cut) {
  if (sites.empty()) return;
  NetworkBox made;
  made.kind = NetworkBox::Kind::sum, made.key = "map.add", made.hue = Hue::residual;
  made.target = sites.front();
  made.stack = made.target.stack, made.layer = made.target.layer;
  made.sites = std::move(sites);
  made.w = made.h = 16, made.cut = cut;
  made.x = kStream - 8, made.y = at_y - 8;
  box(std::move(made));
  ribbon(from_x, at_y, kStream, at_y, hue);
}

Site Pen::first_of(int layer) const {
  for (const TimelineStep& step : run_.steps)
    if (step.layer == layer && step.main.stack == stack) return step.main;
  return {};
}

void Pen::folded(int layer, int count, float x, float w, float h) {
  NetworkBox made;
  made.kind = NetworkBox::Kind::folded, made.key = "map.block", made.hue = Hue::residual;
  made.stack = stack, made.layer = layer, made.centred = false;
  for (const Record& record : trace_.records())
    if (record.site.layer >= layer && record.site.layer < layer + count && record.site.stack == stack)
      made.sites.push_back(record.site);
  made.blocks = count;
  made.parameters = parameters(made.sites);
  made.target = first_of(layer);
  made.x = x, made.y = y, made.w = w, made.h = h;
  y += h;
  box(std::move(made));
}

}  // namespace attnscope::network
