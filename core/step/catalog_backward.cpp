#include "core/step/catalog_backward.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/step/catalog.h"

namespace attnscope {
namespace {

using S = Slot;

// clang-format off
constexpr BackwardStep kBackwardRows[] = {
  {S::logits, "dL = (p − t) / n", "dW_U = yᵀ · dL"},
  {S::ln_head_out, "dy = dL · W_Uᵀ", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy"},
  {S::head_act, "da = norm′(dy)", ""},
  {S::head_pre, "dh = da ⊙ act′(h)", "dW = yᵀ · dh,  db = Σ dh"},
  {S::projected, "", "dW = xᵀ · dy,  db = Σ dy"},
  {S::ln_final_out, "dy = dL · W_Uᵀ", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy"},
  {S::resid_post, "", ""},
  {S::ln2_post_out, "dy = dx", "dγ = Σ dy ⊙ x̂"},
  {S::mlp_out, "dm = dx", "dW₂ = aᵀ · dm,  db₂ = Σ dm"},
  {S::mlp_post, "da = dm · W₂ᵀ", ""},
  {S::mlp_act, "da = dh ⊙ u", ""},
  {S::mlp_up, "du = dh ⊙ a", "dW_up = yᵀ · du,  db = Σ du"},
  {S::mlp_gate, "dg = da ⊙ act′(g)", "dW_gate = yᵀ · dg,  db = Σ dg"},
  {S::mlp_pre, "dh = da ⊙ act′(h)", "dW₁ = yᵀ · dh,  db₁ = Σ dh"},
  {S::ln2_out, "dy = Σ dh · W₁ᵀ", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy"},
  {S::resid_cross, "", ""},
  {S::ln_cross_out, "", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy"},
  {S::resid_mid, "", ""},
  {S::ln1_post_out, "dy = dx", "dγ = Σ dy ⊙ x̂"},
  {S::attn_out, "dO = dx", "dW_O = Zᵀ · dO,  db_O = Σ dO"},
  {S::concat, "dZ = dO · W_Oᵀ", ""},
  {S::z, "dZ[h, pos, i] = dZ[pos, h·d + i]", ""},
  {S::pattern, "dAₕ = dZₕ · Vₕᵀ", ""},
  {S::sinks, "ds = −p_sink · Σ A ⊙ dA", "dsink = Σ ds"},
  {S::masked, "dS = A ⊙ (dA − Σ A ⊙ dA)", ""},
  {S::biased, "", ""},
  {S::capped, "", ""},
  {S::scaled, "", ""},
  {S::scores, "dS = dS / √d_head", ""},
  {S::rot_k, "dKₕ = dSₕᵀ · Qₕ", ""},
  {S::rot_q, "dQₕ = dSₕ · Kₕ", ""},
  {S::k_norm, "dk = R(pos)ᵀ · dk′", "dγ = Σ dk ⊙ k̂"},
  {S::q_norm, "dq = R(pos)ᵀ · dq′", "dγ = Σ dq ⊙ q̂"},
  {S::split_v, "dVₕ = Aₕᵀ · dZₕ", ""},
  {S::split_k, "dKₕ = dSₕᵀ · Qₕ", ""},
  {S::split_q, "dQₕ = dSₕ · Kₕ", ""},
  {S::view_v, "dV[pos, h, i] = dV[h, pos, i]", ""},
  {S::view_k, "dK[pos, h, i] = dK[h, pos, i]", ""},
  {S::view_q, "dQ[pos, h, i] = dQ[h, pos, i]", ""},
  {S::v, "dV[pos, h·d + i] = dV[pos, h, i]", "dW_V = xᵀ · dV,  db_V = Σ dV"},
  {S::k, "dK[pos, h·d + i] = dK[pos, h, i]", "dW_K = xᵀ · dK,  db_K = Σ dK"},
  {S::q, "dQ[pos, h·d + i] = dQ[pos, h, i]", "dW_Q = xᵀ · dQ,  db_Q = Σ dQ"},
  {S::ln1_out, "dy = dQ · W_Qᵀ + dK · W_Kᵀ + dV · W_Vᵀ", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy"},
  {S::resid_pre, "", ""},
  {S::ln_embed_out, "dy = dx", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy"},
  {S::embed, "dx", ""},
  {S::type_embed, "dT = dx", ""},
  {S::pos_embed, "dP = dx", "dWₚ[pos] = dP[pos]"},
  {S::merged, "", ""},
  {S::tok_scaled, "dE = dx", ""},
  {S::tok_embed, "dE = dx", ""},
  {S::patch_embed, "dE = dx", "dWₚ = Pᵀ · dE,  db = Σ dE"},
  {S::patches, "dP = dE · Wₚᵀ", ""},
};

constexpr BackwardStep kThroughLayerNorm{S::ln1_out,
  "dx = (g − mean(g) − x̂ ⊙ mean(g ⊙ x̂)) / σ,  g = dy ⊙ γ", "", "layer_norm"};
constexpr BackwardStep kThroughRmsNorm{S::ln1_out,
  "dx = (g − x̂ ⊙ mean(g ⊙ x̂)) / σ,  g = dy ⊙ γ", "", "rms_norm"};

constexpr BackwardStep kThroughCap{S::scaled,
  "dS = dS′ ⊙ (1 − (S′ / c)²)", "", "cap"};
constexpr BackwardStep kThroughEmbedScale{S::tok_embed,
  "dE = dx · √d_model", "", "embed_scale"};

constexpr std::array<std::pair<Slot, std::string_view>, 11> kProducts{{
  {S::q, "dQ · W_Qᵀ"}, {S::k, "dK · W_Kᵀ"}, {S::v, "dV · W_Vᵀ"}, {S::attn_out, "dO · W_Oᵀ"},
  {S::mlp_pre, "dh · W₁ᵀ"}, {S::mlp_gate, "dg · W_gateᵀ"}, {S::mlp_up, "du · W_upᵀ"},
  {S::mlp_out, "dm · W₂ᵀ"}, {S::logits, "dL · W_Uᵀ"}, {S::head_pre, "dh · Wᵀ"}, {S::projected, "dy · Wᵀ"},
}};
// clang-format on

}  // namespace

std::string words_key(const BackwardStep& row) {
  const bool through = !row.through.empty();
  return (through ? "gradient.through." : "gradient.") +
         std::string(through ? row.through : step_of(row.slot).text);
}

const BackwardStep* backward_step(Slot slot) {
  const auto at = std::find_if(std::begin(kBackwardRows), std::end(kBackwardRows),
                               [&](const BackwardStep& row) { return row.slot == slot; });
  return at == std::end(kBackwardRows) ? nullptr : at;
}

const BackwardStep* backward_through(Slot site, Slot reader) {
  if (site == Slot::tok_embed && reader == Slot::tok_scaled) return &kThroughEmbedScale;
  if (!is_score_plane(site) || role_of(site) == StepRole::pattern) return nullptr;
  switch (step_of(reader).rule) {
    case Rule::cap: return &kThroughCap;
    case Rule::softmax: return backward_step(Slot::masked);
    case Rule::mask: return backward_step(Slot::biased);
    case Rule::sum: return backward_step(Slot::capped);
    case Rule::scale: return backward_step(Slot::scores);
    default: return nullptr;
  }
}

const BackwardStep& backward_through_norm(bool centred) {
  return centred ? kThroughLayerNorm : kThroughRmsNorm;
}

std::string_view backward_product(Slot reader) {
  const auto at =
      std::find_if(kProducts.begin(), kProducts.end(), [&](const auto& row) { return row.first == reader; });
  return at == kProducts.end() ? std::string_view() : at->second;
}

}  // namespace attnscope
