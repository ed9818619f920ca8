#include "core/step/catalog.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/result.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using S = Slot;
using P = Part;
using R = Rule;
using H = Hue;
using G = StepKind;
using W = StepRole;

// clang-format off
constexpr std::array<Step, kSlotCount> kCatalog{{
  {S::patches, "patches", P::model, R::copy, H::embed, G::patches, W::pixels, false, "pos in", "",
   "x = F.unfold(pixels, {patch}, stride={patch}).transpose(1, 2)", "pixels[channel,row,column]", ""},
  {S::patch_embed, "patch_embed", P::model, R::dot, H::embed, G::embed, W::patches, false, "pos d_model", "E[patch] = P[patch] · Wₚ + b",
   "x = patch_projection(x)", "patches[pos,:] patch_embed.weight[:,d_model] patch_embed.bias[d_model]", ""},
  {S::tok_embed, "tok_embed", P::model, R::lookup, H::embed, G::embed, W::words, false, "pos d_model", "E[pos] = Wₑ[token]",
   "tok = wte(input_ids)", "tok_embed.weight[token,d_model]", "hook_embed"},
  {S::tok_scaled, "tok_scaled", P::model, R::scale, H::embed, G::embed, W::words, false, "pos d_model", "E · c",
   "tok = tok * {embed_scale}", "tok_embed[pos,d_model]", ""},
  {S::merged, "merged", P::model, R::copy, H::embed, G::embed, W::merged, false, "pos d_model", "",
   "x = tok.masked_scatter(image_places, image_rows)", "vision.projected|tok_scaled|tok_embed[pos,d_model]", ""},
  {S::pos_embed, "pos_embed", P::model, R::lookup, H::embed, G::embed, W::position, false, "pos d_model", "P[pos] = Wₚ[pos]",
   "pos = wpe(position_ids)", "pos_embed.weight[pos,d_model]", "hook_pos_embed"},
  {S::type_embed, "type_embed", P::model, R::lookup, H::embed, G::embed, W::segment, false, "pos d_model", "T[pos] = Wₜ[segment]",
   "typ = wtype(token_type_ids)", "type_embed.weight[segment,d_model]", "hook_token_type_embed"},
  {S::embed, "embed", P::model, R::sum, H::embed, G::embed, W::embedding, false, "pos d_model", "x = E + P",
   "x = tok + pos", "patch_embed|merged|tok_scaled|tok_embed[pos,d_model] class_embed.weight[0,d_model] pos_embed[pos,d_model] type_embed[pos,d_model]", ""},
  {S::ln_embed_scale, "ln_embed.scale", P::model, R::norm_scale, H::norm, G::norm_embed, W::norm, false, "pos 1", "σ = √(var(x) + ε)",
   "scale = (x.var(-1, unbiased=False, keepdim=True) + {eps}).sqrt()", "embed[pos,:]", ""},
  {S::ln_embed_out, "ln_embed.out", P::model, R::norm, H::norm, G::norm_embed, W::norm, false, "pos d_model", "y = (x − μ) / σ · γ + β",
   "x = {norm}(x)", "embed[pos,:] ln_embed.scale[pos] ln_embed.weight[d_model] ln_embed.bias[d_model]", "embed.ln.hook_normalized"},
  {S::resid_pre, "resid_pre", P::block, R::copy, H::residual, G::residual_in, W::stream, false, "pos d_model", "x",
   "x = hidden_states", "ln_embed.out|embed|ln2.out@previous|ln_cross.out@previous|ln1.out@previous|resid_post@previous[pos,d_model]", "hook_resid_pre"},
  {S::ln1_scale, "ln1.scale", P::block, R::norm_scale, H::norm, G::norm1, W::norm, false, "pos 1", "σ = √(var(x) + ε)",
   "scale = (x.var(-1, unbiased=False, keepdim=True) + {eps}).sqrt()", "resid_pre|resid_mid[pos,:]", "ln1.hook_scale"},
  {S::ln1_out, "ln1.out", P::block, R::norm, H::norm, G::norm1, W::norm, false, "pos d_model", "y = (x − μ) / σ · γ + β",
   "y = {norm}(x)", "resid_pre|resid_mid[pos,:] ln1.scale[pos] ln1.weight[d_model] ln1.bias[d_model]", "ln1.hook_normalized"},
  {S::q, "attn.q", P::attn, R::dot, H::query, G::qkv, W::projection, false, "pos head*d_head", "Q = x · W_Q + b_Q",
   "q = W_query(x)", "ln1.out|ln_cross.out|resid_pre|resid_mid|embed[pos,:] attn.q.weight[:,out] attn.q.bias[out]", ""},
  {S::k, "attn.k", P::attn, R::dot, H::key, G::qkv, W::projection, false, "pos head*d_head", "K = x · W_K + b_K",
   "k = W_key(x)", "ln1.out|resid_pre|embed|enc.ln_final.out|enc.ln2.out|enc.resid_post[pos,:] attn.k.weight[:,out] attn.k.bias[out]", ""},
  {S::v, "attn.v", P::attn, R::dot, H::value, G::qkv, W::projection, false, "pos head*d_head", "V = x · W_V + b_V",
   "v = W_value(x)", "ln1.out|resid_pre|embed|enc.ln_final.out|enc.ln2.out|enc.resid_post[pos,:] attn.v.weight[:,out] attn.v.bias[out]", ""},
  {S::view_q, "attn.view_q", P::attn, R::copy, H::query, G::split, W::view, false, "pos head d_head", "Q[pos, h·d + i] → Q[pos, h, i]",
   "q = q.view(b, t, {n_heads}, {d_head})", "attn.q[pos,head*d_head]", ""},
  {S::view_k, "attn.view_k", P::attn, R::copy, H::key, G::split, W::view, false, "pos head d_head", "K[pos, h·d + i] → K[pos, h, i]",
   "k = k.view(b, t, {n_kv_heads}, {d_head})", "attn.k[pos,head*d_head]", ""},
  {S::view_v, "attn.view_v", P::attn, R::copy, H::value, G::split, W::view, false, "pos head d_head", "V[pos, h·d + i] → V[pos, h, i]",
   "v = v.view(b, t, {n_kv_heads}, {d_head})", "attn.v[pos,head*d_head]", ""},
  {S::split_q, "attn.split_q", P::attn, R::copy, H::query, G::transpose, W::split, false, "head pos d_head", "Q[pos, h, i] → Q[h, pos, i]",
   "q = q.transpose(1, 2)", "attn.view_q[pos,head,d_head]", "attn.hook_q"},
  {S::split_k, "attn.split_k", P::attn, R::copy, H::key, G::transpose, W::split, false, "head pos d_head", "K[pos, h, i] → K[h, pos, i]",
   "k = k.transpose(1, 2)", "attn.view_k[pos,head,d_head]", "attn.hook_k"},
  {S::split_v, "attn.split_v", P::attn, R::copy, H::value, G::transpose, W::split, false, "head pos d_head", "V[pos, h, i] → V[h, pos, i]",
   "v = v.transpose(1, 2)", "attn.view_v[pos,head,d_head]", "attn.hook_v"},
  {S::q_norm, "attn.q_norm", P::attn, R::norm, H::query, G::qk_norm, W::head_norm, false, "head pos d_head", "q ← q / σ · γ",
   "q = q_norm(q)", "attn.split_q[head,pos,:] attn.q_norm.weight[d_head]", ""},
  {S::k_norm, "attn.k_norm", P::attn, R::norm, H::key, G::qk_norm, W::head_norm, false, "head pos d_head", "k ← k / σ · γ",
   "k = k_norm(k)", "attn.split_k[head,pos,:] attn.k_norm.weight[d_head]", ""},
  {S::rot_q, "attn.rot_q", P::attn, R::rotate, H::query, G::rope, W::rotated, false, "head pos d_head", "q′ = R(pos) · q",
   "q = q * cos + rotate_half(q) * sin", "attn.q_norm|attn.split_q[head,pos,pair]", "attn.hook_rot_q"},
  {S::rot_k, "attn.rot_k", P::attn, R::rotate, H::key, G::rope, W::rotated, false, "head pos d_head", "k′ = R(pos) · k",
   "k = k * cos + rotate_half(k) * sin", "attn.k_norm|attn.split_k[head,pos,pair]", "attn.hook_rot_k"},
  {S::scores, "attn.scores", P::attn, R::dot, H::attention, G::scores, W::scores, true, "head query key", "Sₕ = Qₕ · Kₕᵀ",
   "scores = q @ k{repeat}.transpose(-2, -1)", "attn.rot_q|attn.q_norm|attn.split_q[head,query,:] attn.rot_k|attn.k_norm|attn.split_k[head,key,:]", ""},
  {S::scaled, "attn.scaled", P::attn, R::scale, H::attention, G::scale, W::scores, true, "head query key", "S / √d_head",
   "scores = scores * {scale}", "attn.scores|attn.masked[head,query,key]", ""},
  {S::capped, "attn.capped", P::attn, R::cap, H::attention, G::cap, W::scores, true, "head query key", "S ← c · tanh(S / c)",
   "scores = {cap} * torch.tanh(scores / {cap})", "attn.scaled[head,query,key]", ""},
  {S::biased, "attn.biased", P::attn, R::sum, H::attention, G::bias, W::scores, true, "head query key", "S ← S + B[key − query]",
   "scores = scores + position_bias", "attn.capped|attn.scaled[head,query,key] rel_bias.weight[bucket,head]", ""},
  {S::mask, "attn.mask", P::attn, R::mask_test, H::attention, G::mask, W::mask, true, "query key", "",
   "mask = torch.ones(t, t).tril().bool()", "", "", false},
  {S::masked, "attn.masked", P::attn, R::mask, H::attention, G::mask, W::scores, true, "head query key", "",
   "scores = scores.masked_fill(~mask, -torch.inf)", "attn.biased|attn.capped|attn.scaled|attn.scores[head,query,key] attn.mask[query,key]",
   "attn.hook_attn_scores"},
  {S::sinks, "attn.sinks", P::attn, R::lookup, H::attention, G::softmax, W::sinks, false, "head query 1", "s[h, query] = sink[h]",
   "sinks = self.sinks.view(1, -1, 1, 1).expand(b, -1, t, 1)", "attn.sinks.weight[head]", ""},
  {S::pattern, "attn.pattern", P::attn, R::softmax, H::attention, G::softmax, W::pattern, true, "head query key", "A = exp(S − max) / Σ exp(S − max)",
   "weights = torch.softmax(scores, dim=-1)", "attn.masked|attn.scaled[head,query,:] attn.sinks[head,query]", "attn.hook_pattern"},
  {S::z, "attn.z", P::attn, R::dot, H::value, G::values, W::head_out, false, "head query d_head", "Zₕ = Aₕ · Vₕ",
   "z = weights @ v{repeat}", "attn.pattern[head,query,:] attn.split_v[head,:,d_head]", "attn.hook_z"},
  {S::concat, "attn.concat", P::attn, R::copy, H::output, G::concat, W::concat, false, "query head*d_head", "Z[h, pos, i] → Z[pos, h·d + i]",
   "z = z.transpose(1, 2).contiguous().view(b, t, {n_heads} * {d_head})", "attn.z[head,query,d_head]", ""},
  {S::attn_out, "attn.out", P::attn, R::dot, H::output, G::output, W::branch, false, "query d_model", "O = Z · W_O + b_O",
   "out = out_proj(z)", "attn.concat[query,:] attn.out.weight[:,d_model] attn.out.bias[d_model]", "hook_attn_out"},
  {S::ln1_post_scale, "ln1_post.scale", P::block, R::norm_scale, H::norm, G::norm1_post, W::post_norm, false, "pos 1", "σ = √(mean(x²) + ε)",
   "scale = (out.pow(2).mean(-1, keepdim=True) + {eps}).sqrt()", "attn.out[pos,:]", "ln1_post.hook_scale"},
  {S::ln1_post_out, "ln1_post.out", P::block, R::norm, H::norm, G::norm1_post, W::post_norm, false, "pos d_model", "y = x / σ · γ",
   "out = {norm}(out)", "attn.out[pos,:] ln1_post.scale[pos] ln1_post.weight[d_model]", "ln1_post.hook_normalized"},
  {S::resid_mid, "resid_mid", P::block, R::sum, H::residual, G::residual_mid, W::stream, false, "pos d_model", "x ← x + O",
   "x = x + out", "resid_pre[pos,d_model] ln1_post.out|attn.out[pos,d_model]", "hook_resid_mid"},
  {S::ln_cross_scale, "ln_cross.scale", P::block, R::norm_scale, H::norm, G::norm_cross, W::norm, false, "pos 1", "σ = √(var(x) + ε)",
   "scale = (x.var(-1, unbiased=False, keepdim=True) + {eps}).sqrt()", "resid_mid|resid_cross[pos,:]", ""},
  {S::ln_cross_out, "ln_cross.out", P::block, R::norm, H::norm, G::norm_cross, W::norm, false, "pos d_model", "y = (x − μ) / σ · γ + β",
   "y = {norm}(x)", "resid_mid|resid_cross[pos,:] ln_cross.scale[pos] ln_cross.weight[d_model] ln_cross.bias[d_model]", ""},
  {S::resid_cross, "resid_cross", P::block, R::sum, H::residual, G::residual_cross, W::stream, false, "pos d_model", "x ← x + O",
   "x = x + out", "ln1.out|resid_mid[pos,d_model] cross.out[pos,d_model]", ""},
  {S::ln2_scale, "ln2.scale", P::block, R::norm_scale, H::norm, G::norm2, W::norm, false, "pos 1", "σ = √(var(x) + ε)",
   "scale = (x.var(-1, unbiased=False, keepdim=True) + {eps}).sqrt()", "resid_cross|resid_mid|resid_pre|resid_post[pos,:]", "ln2.hook_scale"},
  {S::ln2_out, "ln2.out", P::block, R::norm, H::norm, G::norm2, W::norm, false, "pos d_model", "y = (x − μ) / σ · γ + β",
   "y = {norm}(x)", "resid_cross|resid_mid|resid_pre|resid_post[pos,:] ln2.scale[pos] ln2.weight[d_model] ln2.bias[d_model]", "ln2.hook_normalized"},
  {S::mlp_pre, "mlp.pre", P::block, R::dot, H::mlp, G::mlp_up, W::hidden, false, "pos d_mlp", "h = y · W₁ + b₁",
   "h = fc1(y)", "ln2.out|ln_cross.out|ln1.out|resid_mid[pos,:] mlp.pre.weight[:,d_mlp] mlp.pre.bias[d_mlp]", "mlp.hook_pre"},
  {S::mlp_gate, "mlp.gate", P::block, R::dot, H::mlp, G::mlp_up, W::hidden, false, "pos d_mlp", "g = y · W_gate",
   "g = gate_proj(y)", "ln2.out|ln_cross.out|ln1.out|resid_mid[pos,:] mlp.gate.weight[:,d_mlp] mlp.gate.bias[d_mlp]", ""},
  {S::mlp_up, "mlp.up", P::block, R::dot, H::mlp, G::mlp_up, W::hidden, false, "pos d_mlp", "u = y · W_up",
   "u = up_proj(y)", "ln2.out|ln_cross.out|ln1.out|resid_mid[pos,:] mlp.up.weight[:,d_mlp] mlp.up.bias[d_mlp]", "mlp.hook_pre_linear"},
  {S::mlp_act, "mlp.act", P::block, R::activation, H::mlp, G::mlp_act, W::hidden, false, "pos d_mlp", "a = {act}(g)",
   "a = F.{act_torch}(g)", "mlp.gate[pos,d_mlp]", ""},
  {S::mlp_post, "mlp.post", P::block, R::activation, H::mlp, G::mlp_act, W::neurons, false, "pos d_mlp", "a = {act}(h)",
   "a = F.{act_torch}(h)", "mlp.pre|mlp.act[pos,d_mlp] mlp.up[pos,d_mlp]", "mlp.hook_post"},
  {S::mlp_out, "mlp.out", P::block, R::dot, H::mlp, G::mlp_down, W::branch, false, "pos d_model", "m = a · W₂ + b₂",
   "m = fc2(a)", "mlp.post[pos,:] mlp.out.weight[:,d_model] mlp.out.bias[d_model]", "hook_mlp_out"},
  {S::ln2_post_scale, "ln2_post.scale", P::block, R::norm_scale, H::norm, G::norm2_post, W::post_norm, false, "pos 1", "σ = √(mean(x²) + ε)",
   "scale = (m.pow(2).mean(-1, keepdim=True) + {eps}).sqrt()", "mlp.out[pos,:]", "ln2_post.hook_scale"},
  {S::ln2_post_out, "ln2_post.out", P::block, R::norm, H::norm, G::norm2_post, W::post_norm, false, "pos d_model", "y = x / σ · γ",
   "m = {norm}(m)", "mlp.out[pos,:] ln2_post.scale[pos] ln2_post.weight[d_model]", "ln2_post.hook_normalized"},
  {S::resid_post, "resid_post", P::block, R::sum, H::residual, G::residual_post, W::stream, false, "pos d_model", "x ← x + m",
   "x = x + m", "ln_cross.out|resid_cross|ln1.out|resid_mid|resid_pre[pos,d_model] ln2_post.out|mlp.out[pos,d_model] attn.out[pos,d_model]", "hook_resid_post"},
  {S::ln_final_scale, "ln_final.scale", P::model, R::norm_scale, H::norm, G::norm_final, W::norm, false, "pos 1", "σ = √(var(x) + ε)",
   "scale = (x.var(-1, unbiased=False, keepdim=True) + {eps}).sqrt()", "ln2.out@last|ln_cross.out@last|ln1.out@last|resid_post@last|embed[pos,:]", "ln_final.hook_scale"},
  {S::ln_final_out, "ln_final.out", P::model, R::norm, H::norm, G::norm_final, W::norm, false, "pos d_model", "y = (x − μ) / σ · γ + β",
   "y = {norm}(x)", "ln2.out@last|ln_cross.out@last|ln1.out@last|resid_post@last|embed[pos,:] ln_final.scale[pos] ln_final.weight[d_model] ln_final.bias[d_model]",
   "ln_final.hook_normalized"},
  {S::projected, "projected", P::model, R::dot, H::embed, G::projector, W::projector, false, "pos d_model", "y = x · W + b",
   "image_rows = projector(x)", "ln_final.out[pos,:] projected.weight[:,d_model] projected.bias[d_model]", ""},
  {S::head_pre, "head.pre", P::model, R::dot, H::logits, G::head, W::head, false, "pos d_model", "h = y · W + b",
   "h = dense(y)", "ln_final.out|ln2.out@last|ln_cross.out@last|ln1.out@last|resid_post@last[pos,:] head.pre.weight[:,d_model] head.pre.bias[d_model]", ""},
  {S::head_act, "head.act", P::model, R::activation, H::logits, G::head, W::head, false, "pos d_model", "a = {act}(h)",
   "a = F.{act_torch}(h)", "head.pre[pos,d_model]", ""},
  {S::ln_head_scale, "ln_head.scale", P::model, R::norm_scale, H::norm, G::head, W::norm, false, "pos 1", "σ = √(var(x) + ε)",
   "scale = (x.var(-1, unbiased=False, keepdim=True) + {eps}).sqrt()", "head.act[pos,:]", ""},
  {S::ln_head_out, "ln_head.out", P::model, R::norm, H::norm, G::head, W::norm, false, "pos d_model", "y = (x − μ) / σ · γ + β",
   "y = {norm}(a)", "head.act[pos,:] ln_head.scale[pos] ln_head.weight[d_model] ln_head.bias[d_model]", ""},
  {S::logits, "logits", P::model, R::dot, H::logits, G::logits, W::logits, true, "pos vocab", "L = y · W_U",
   "logits = lm_head(y)", "ln_head.out|ln_final.out|ln2.out@last|ln_cross.out@last|ln1.out@last|resid_post@last|embed[pos,:] logits.weight[:,vocab] logits.bias[vocab]", ""},
  {S::probs, "probs", P::model, R::softmax, H::logits, G::probs, W::probs, true, "pos vocab", "p = exp(L − max) / Σ exp(L − max)",
   "probs = torch.softmax(logits, dim=-1)", "logits[pos,:]", "", false},
}};
// clang-format on

}  // namespace

std::span<const Step> catalog() { return kCatalog; }

std::string_view step_title(const Step& step) { return tr("step." + std::string(step.text) + ".title"); }

std::string_view step_sentence(const Step& step) {
  return tr("step." + std::string(step.text) + ".sentence");
}

std::string_view step_formula(const Step& step) {
  return step.formula.empty() ? tr("step." + std::string(step.text) + ".formula") : step.formula;
}

const char* step_kind_name(StepKind kind) {
  static constexpr const char* kNames[] = {
      "patches",       "embed",          "norm_embed", "residual_in", "norm1",   "qkv",        "split",
      "transpose",     "qk_norm",        "rope",       "scores",      "scale",   "cap",        "bias",
      "mask",          "softmax",        "values",     "concat",      "output",  "norm1_post", "residual_mid",
      "norm_cross",    "residual_cross", "norm2",      "mlp_up",      "mlp_act", "mlp_down",   "norm2_post",
      "residual_post", "norm_final",     "projector",  "head",        "logits",  "probs"};
  return kNames[static_cast<std::size_t>(kind)];
}

const Step& step_of(Slot slot) { return kCatalog[static_cast<std::size_t>(slot)]; }

StepRole role_of(Slot slot) { return step_of(slot).role; }
StepKind kind_of(Slot slot) { return step_of(slot).kind; }
bool Site::is(StepRole role) const { return role_of(slot) == role; }
bool Site::is(StepRole role, Hue hue) const { return is(role) && step_of(slot).hue == hue; }
bool Site::is(StepKind kind) const { return kind_of(slot) == kind; }
Site Site::near(StepRole role) const { return with(slot_of(role)); }
Site Site::near(StepRole role, Hue hue) const { return with(slot_of(role, hue)); }

namespace {

template <class Fits>
Slot first_step(Fits fits) {
  const auto found = std::find_if(kCatalog.begin(), kCatalog.end(), fits);
  CHECK(found != kCatalog.end());
  return found->slot;
}

}  // namespace

Slot slot_of(StepRole role) {
  return first_step([role](const Step& step) { return step.role == role; });
}
Slot slot_of(StepRole role, Rule rule) {
  return first_step([=](const Step& step) { return step.role == role && step.rule == rule; });
}
Slot slot_of(StepRole role, Hue hue) {
  return first_step([=](const Step& step) { return step.role == role && step.hue == hue; });
}
Slot slot_of(StepKind kind) {
  const auto found = std::find_if(kCatalog.rbegin(), kCatalog.rend(),
                                  [kind](const Step& step) { return step.kind == kind; });
  CHECK(found != kCatalog.rend());
  return found->slot;
}

Site site_of(StepRole role, int layer, Stack stack) { return site_of(slot_of(role), layer, stack); }
Site site_of(StepKind kind, int layer, Stack stack) { return site_of(slot_of(kind), layer, stack); }
Site cross_site(StepRole role, int layer, Stack stack) { return cross_site(slot_of(role), layer, stack); }

bool makes_heads(Slot slot) {
  const StepRole role = role_of(slot);
  return role >= StepRole::projection && role <= StepRole::rotated;
}
bool is_score_plane(Slot slot) {
  const StepRole role = role_of(slot);
  return role >= StepRole::scores && role <= StepRole::pattern;
}
bool is_over_vocabulary(Slot slot) {
  return role_of(slot) == StepRole::logits || role_of(slot) == StepRole::probs;
}

Stack rows_stack(const Site& site, Axis axis) {
  if (site.part != Part::cross) return site.stack;
  const bool source = makes_heads(site.slot) && step_of(site.slot).hue != Hue::query;
  return axis == Axis::key || source ? Stack::enc : site.stack;
}

}  // namespace attnscope
