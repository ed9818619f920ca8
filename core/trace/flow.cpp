#include "core/trace/flow.h"

#include <initializer_list>

namespace attnscope {
namespace {

// The inputs of the steps of one block of one stack.
class Flow {
 public:
  Flow(const Trace& trace, const Site& site) : trace_(trace), at_(site) {}

  Site in_block(StepKind kind) const { return site_of(kind, at_.layer, at_.stack); }
  Site in_model(StepKind kind) const { return site_of(kind, -1, at_.stack); }
  Site in_model(StepRole role) const { return site_of(role, -1, at_.stack); }
  bool has(const Site& site) const { return trace_.find(site) != nullptr; }

  // The first of these that the run holds; the last where it holds none.
  Site first(std::initializer_list<Site> sites) const {
    for (const Site& site : sites)
      if (has(site)) return site;
    return *(sites.end() - 1);
  }

  const BlockSpec& block() const { return trace_.config().block_at(at_); }
  NormOrder order() const { return block().order; }
  bool post() const { return order() == NormOrder::post; }
  bool parallel() const { return order() == NormOrder::parallel; }

  Site entry() const { return in_block(StepKind::residual_in); }
  Site attention_result() const {
    return first({in_block(StepKind::norm1_post), in_block(StepKind::output)});
  }
  Site cross_result() const { return cross_site(slot_of(StepKind::output), at_.layer, at_.stack); }
  Site mlp_result() const { return first({in_block(StepKind::norm2_post), in_block(StepKind::mlp_down)}); }
  Site after_attention() const {
    if (parallel()) return entry();
    return post() ? first({in_block(StepKind::norm1), in_block(StepKind::residual_mid), entry()})
                  : first({in_block(StepKind::residual_mid), entry()});
  }
  Site after_cross() const {
    const Site crossed = post() ? in_block(StepKind::norm_cross) : in_block(StepKind::residual_cross);
    return has(crossed) ? crossed : first({in_block(StepKind::residual_cross), after_attention()});
  }
  Site mlp_input() const {
    const bool own = !post() && has(in_block(StepKind::norm2));
    if (own) return in_block(StepKind::norm2);
    if (parallel()) return first({in_block(StepKind::norm1), entry()});
    return after_cross();
  }
  Site attention_input() const {
    if (!has(entry())) return block_output(trace_, at_.stack, at_.layer - 1);
    return !post() && has(in_block(StepKind::norm1)) ? in_block(StepKind::norm1) : entry();
  }
  Site cross_query_input() const {
    return !post() && has(in_block(StepKind::norm_cross)) ? in_block(StepKind::norm_cross)
                                                          : after_attention();
  }

  std::vector<Site> embedding() const {
    std::vector<Site> sites;
    const Site words =
        first({in_model(StepRole::patches), in_model(StepRole::merged),
               site_of(slot_of(StepRole::words, Rule::scale), -1, at_.stack), in_model(StepRole::words)});
    for (const Site& site : {words, in_model(StepRole::position), in_model(StepRole::segment)})
      if (has(site)) sites.push_back(site);
    return sites;
  }

  // x and what a branch made of it; the latter alone where the skip path was cut.
  static std::vector<Site> sum(bool skip, const Site& x, const Site& made) {
    return skip ? std::vector{x, made} : std::vector{made};
  }
  std::vector<Site> last_sum() const {
    const bool made = has(in_block(StepKind::mlp_down));
    if (!parallel())
      return made ? sum(block().mlp_skip, after_cross(), mlp_result()) : std::vector{after_cross()};
    std::vector<Site> out = sum(block().attention_skip && block().mlp_skip, entry(), attention_result());
    if (made) out.push_back(mlp_result());
    return out;
  }

 private:
  const Trace& trace_;
  Site at_;
};

Site head_rows(const Trace& trace, Stack stack) {
  const Site own = site_of(StepKind::head, -1, stack),
             act = site_of(slot_of(StepRole::head, Rule::activation), -1, stack);
  if (trace.find(own)) return own;
  return trace.find(act) ? act : stack_output(trace, stack);
}

std::vector<Site> cross_inputs(const Trace& trace, const Flow& flow, const Site& site) {
  if (!site.is(StepKind::qkv)) return {};
  if (site.is(StepRole::projection, Hue::query)) return {flow.cross_query_input()};
  return {stack_output(trace, Stack::enc)};
}

}  // namespace

Site block_output(const Trace& trace, Stack stack, int layer) {
  const Flow flow(trace, site_of(StepKind::residual_in, layer, stack));
  if (layer < 0) return flow.first({flow.in_model(StepKind::norm_embed), flow.in_model(StepKind::embed)});
  if (flow.post())
    return flow.first(
        {flow.in_block(StepKind::norm2), flow.in_block(StepKind::residual_post), flow.after_cross()});
  return flow.first({flow.in_block(StepKind::residual_post), flow.in_block(StepKind::output)});
}

Site stack_output(const Trace& trace, Stack stack) {
  const Site final = site_of(StepKind::norm_final, -1, stack);
  return trace.find(final) ? final : block_output(trace, stack, trace.config().of(stack).n_layers() - 1);
}

namespace {

// What a step reads that the walk's kind does not say: steps of the embedding and of the head.
std::vector<Site> model_inputs(const Trace& trace, const Flow& flow, const Site& site) {
  const Rule rule = step_of(site.slot).rule;
  switch (role_of(site.slot)) {
    case StepRole::embedding: return flow.embedding();
    case StepRole::words:
      return rule == Rule::scale ? std::vector{flow.in_model(StepRole::words)} : std::vector<Site>();
    case StepRole::patches: return {flow.in_model(StepRole::pixels)};
    case StepRole::head:
      if (rule == Rule::activation) return {flow.in_model(StepRole::head)};
      return {stack_output(trace, site.stack)};
    case StepRole::norm: return {site_of(slot_of(StepRole::head, Rule::activation), -1, site.stack)};
    default: return {};
  }
}

}  // namespace

std::vector<Site> flow_inputs(const Trace& trace, const Site& site) {
  const Flow flow(trace, site);
  const Stack stack = site.stack;
  if (site.part == Part::cross) return cross_inputs(trace, flow, site);
  switch (kind_of(site.slot)) {
    case StepKind::embed:
    case StepKind::head: return model_inputs(trace, flow, site);
    case StepKind::norm_embed: return {flow.in_model(StepKind::embed)};
    case StepKind::residual_in: return {block_output(trace, stack, site.layer - 1)};
    case StepKind::norm1: return {flow.post() ? flow.in_block(StepKind::residual_mid) : flow.entry()};
    case StepKind::qkv: return {flow.attention_input()};
    case StepKind::norm1_post: return {flow.in_block(StepKind::output)};
    case StepKind::residual_mid:
      return Flow::sum(flow.block().attention_skip, flow.entry(), flow.attention_result());
    case StepKind::norm_cross:
      return {flow.post() ? flow.in_block(StepKind::residual_cross) : flow.after_attention()};
    case StepKind::residual_cross:
      return Flow::sum(flow.block().cross_skip, flow.after_attention(), flow.cross_result());
    case StepKind::norm2:
      if (flow.post()) return {flow.in_block(StepKind::residual_post)};
      return {flow.parallel() ? flow.entry() : flow.after_cross()};
    case StepKind::mlp_up: return {flow.mlp_input()};
    case StepKind::norm2_post: return {flow.in_block(StepKind::mlp_down)};
    case StepKind::residual_post: return flow.last_sum();
    case StepKind::norm_final: return {block_output(trace, stack, trace.config().of(stack).n_layers() - 1)};
    case StepKind::projector: return {stack_output(trace, stack)};
    case StepKind::logits: return {head_rows(trace, stack)};
    default: return {};
  }
}

}  // namespace attnscope
