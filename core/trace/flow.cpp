#include "core/trace/flow.h"

#include <initializer_list>

namespace attnscope {
namespace {

// The inputs of the steps of one block of one stack.
class Flow {
 public:
  Flow(const Trace& trace, const Site& site) : trace_(trace), at_(site) {}

  Site in_block(Slot slot) const { return site_of(slot, at_.layer, at_.stack); }
  Site in_model(Slot slot) const { return site_of(slot, -1, at_.stack); }
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

  Site entry() const { return in_block(Slot::resid_pre); }
  Site attention_result() const { return first({in_block(Slot::ln1_post_out), in_block(Slot::attn_out)}); }
  Site cross_result() const { return cross_site(Slot::attn_out, at_.layer, at_.stack); }
  Site mlp_result() const { return first({in_block(Slot::ln2_post_out), in_block(Slot::mlp_out)}); }
  Site after_attention() const {
    if (parallel()) return entry();
    return post() ? first({in_block(Slot::ln1_out), in_block(Slot::resid_mid), entry()})
                  : first({in_block(Slot::resid_mid), entry()});
  }
  Site after_cross() const {
    const Site crossed = post() ? in_block(Slot::ln_cross_out) : in_block(Slot::resid_cross);
    return has(crossed) ? crossed : first({in_block(Slot::resid_cross), after_attention()});
  }
  Site mlp_input() const {
    const bool own = !post() && has(in_block(Slot::ln2_out));
    if (own) return in_block(Slot::ln2_out);
    if (parallel()) return first({in_block(Slot::ln1_out), entry()});
    return after_cross();
  }
  Site attention_input() const {
    if (!has(entry())) return block_output(trace_, at_.stack, at_.layer - 1);
    return !post() && has(in_block(Slot::ln1_out)) ? in_block(Slot::ln1_out) : entry();
  }
  Site cross_query_input() const {
    return !post() && has(in_block(Slot::ln_cross_out)) ? in_block(Slot::ln_cross_out) : after_attention();
  }

  std::vector<Site> embedding() const {
    std::vector<Site> sites;
    const Site words = first({in_model(Slot::patch_embed), in_model(Slot::merged), in_model(Slot::tok_scaled),
                              in_model(Slot::tok_embed)});
    for (const Site& site : {words, in_model(Slot::pos_embed), in_model(Slot::type_embed)})
      if (has(site)) sites.push_back(site);
    return sites;
  }

  // x and what a branch made of it; the latter alone where the skip path was cut.
  static std::vector<Site> sum(bool skip, const Site& x, const Site& made) {
    return skip ? std::vector{x, made} : std::vector{made};
  }
  std::vector<Site> last_sum() const {
    const bool made = has(in_block(Slot::mlp_out));
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
  const Site own = site_of(Slot::ln_head_out, -1, stack), act = site_of(Slot::head_act, -1, stack);
  if (trace.find(own)) return own;
  return trace.find(act) ? act : stack_output(trace, stack);
}

std::vector<Site> cross_inputs(const Trace& trace, const Flow& flow, const Site& site) {
  switch (site.slot) {
    case Slot::q: return {flow.cross_query_input()};
    case Slot::k:
    case Slot::v: return {stack_output(trace, Stack::enc)};
    default: return {};
  }
}

}  // namespace

Site block_output(const Trace& trace, Stack stack, int layer) {
  const Flow flow(trace, {stack, layer, Part::block, Slot::resid_pre});
  if (layer < 0) return flow.first({flow.in_model(Slot::ln_embed_out), flow.in_model(Slot::embed)});
  if (flow.post())
    return flow.first({flow.in_block(Slot::ln2_out), flow.in_block(Slot::resid_post), flow.after_cross()});
  return flow.first({flow.in_block(Slot::resid_post), flow.in_block(Slot::attn_out)});
}

Site stack_output(const Trace& trace, Stack stack) {
  const Site final = site_of(Slot::ln_final_out, -1, stack);
  return trace.find(final) ? final : block_output(trace, stack, trace.config().of(stack).n_layers() - 1);
}

std::vector<Site> flow_inputs(const Trace& trace, const Site& site) {
  const Flow flow(trace, site);
  const Stack stack = site.stack;
  if (site.part == Part::cross) return cross_inputs(trace, flow, site);
  switch (site.slot) {
    case Slot::embed: return flow.embedding();
    case Slot::tok_scaled: return {flow.in_model(Slot::tok_embed)};
    case Slot::patch_embed: return {flow.in_model(Slot::patches)};
    case Slot::ln_embed_scale:
    case Slot::ln_embed_out: return {flow.in_model(Slot::embed)};
    case Slot::resid_pre: return {block_output(trace, stack, site.layer - 1)};
    case Slot::ln1_scale:
    case Slot::ln1_out: return {flow.post() ? flow.in_block(Slot::resid_mid) : flow.entry()};
    case Slot::q:
    case Slot::k:
    case Slot::v: return {flow.attention_input()};
    case Slot::ln1_post_scale:
    case Slot::ln1_post_out: return {flow.in_block(Slot::attn_out)};
    case Slot::resid_mid:
      return Flow::sum(flow.block().attention_skip, flow.entry(), flow.attention_result());
    case Slot::ln_cross_scale:
    case Slot::ln_cross_out: return {flow.post() ? flow.in_block(Slot::resid_cross) : flow.after_attention()};
    case Slot::resid_cross:
      return Flow::sum(flow.block().cross_skip, flow.after_attention(), flow.cross_result());
    case Slot::ln2_scale:
    case Slot::ln2_out:
      if (flow.post()) return {flow.in_block(Slot::resid_post)};
      return {flow.parallel() ? flow.entry() : flow.after_cross()};
    case Slot::mlp_pre:
    case Slot::mlp_gate:
    case Slot::mlp_up: return {flow.mlp_input()};
    case Slot::ln2_post_scale:
    case Slot::ln2_post_out: return {flow.in_block(Slot::mlp_out)};
    case Slot::resid_post: return flow.last_sum();
    case Slot::ln_final_scale:
    case Slot::ln_final_out: return {block_output(trace, stack, trace.config().of(stack).n_layers() - 1)};
    case Slot::projected:
    case Slot::head_pre: return {stack_output(trace, stack)};
    case Slot::head_act: return {flow.in_model(Slot::head_pre)};
    case Slot::ln_head_scale:
    case Slot::ln_head_out: return {flow.in_model(Slot::head_act)};
    case Slot::logits: return {head_rows(trace, stack)};
    default: return {};
  }
}

}  // namespace attnscope
