#include "core/step/catalog_backward.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/step/catalog.h"

namespace attnscope {
namespace {

using S = Slot;

// clang-format off
constexpr std::array<BackwardStep, 52> kRows{{
  {S::logits, "dL = (p − t) / n", "dW_U = yᵀ · dL",
   "The right word is pulled up, all others are pushed down; n rows share it.",
   "확률에서 정답을 빼고 세는 행의 수 n으로 나눕니다. 정답 단어는 올라가고 나머지는 내려갑니다."},
  {S::ln_head_out, "dy = dL · W_Uᵀ", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy",
   "The slopes of the scores go back through the unembedding.", "점수의 기울기가 출력 행렬을 거꾸로 지납니다."},
  {S::head_act, "da = norm′(dy)", "",
   "The slope goes back through the norm of the head.", "기울기가 헤드의 정규화를 거꾸로 지납니다."},
  {S::head_pre, "dh = da ⊙ act′(h)", "dW = yᵀ · dh,  db = Σ dh",
   "Each slope is multiplied by how steep the curve is at its number.", "기울기마다 그 자리에서 곡선이 얼마나 가파른지를 곱합니다."},
  {S::projected, "dy = rows of dx that stand for the image", "dW = xᵀ · dy,  db = Σ dy",
   "The rows of the image take their slopes from their places in the stream.", "이미지의 행은 스트림의 제자리에서 기울기를 받습니다."},
  {S::ln_final_out, "dy = dL · W_Uᵀ", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy",
   "The slopes of the scores go back through the unembedding: each row learns which direction would make its target likelier.",
   "점수의 기울기가 출력 행렬을 거꾸로 지납니다. 행마다 정답의 확률을 높이는 방향을 알게 됩니다."},
  {S::resid_post, "dx = Σ what later steps send back", "",
   "Every later step that read this stream sends its slope back; they are added up.", "이 스트림을 읽은 뒤 단계들이 보낸 기울기를 모두 더합니다."},
  {S::ln2_post_out, "dy = dx", "dγ = Σ dy ⊙ x̂",
   "The sum passes its slope on unchanged.", "덧셈은 기울기를 그대로 넘겨줍니다."},
  {S::mlp_out, "dm = dx", "dW₂ = aᵀ · dm,  db₂ = Σ dm",
   "The sum passes its slope on unchanged.", "덧셈은 기울기를 그대로 넘겨줍니다."},
  {S::mlp_post, "da = dm · W₂ᵀ", "",
   "The slope goes back through the down projection: one number per neuron.", "기울기가 축소 투영을 거꾸로 지나 뉴런마다 숫자 하나가 됩니다."},
  {S::mlp_act, "da = dh ⊙ u", "",
   "In a product each factor gets the slope times the other factor.", "곱에서는 각 항이 기울기 곱하기 다른 항을 받습니다."},
  {S::mlp_up, "du = dh ⊙ a", "dW_up = yᵀ · du,  db = Σ du",
   "In a product each factor gets the slope times the other factor.", "곱에서는 각 항이 기울기 곱하기 다른 항을 받습니다."},
  {S::mlp_gate, "dg = da ⊙ act′(g)", "dW_gate = yᵀ · dg,  db = Σ dg",
   "Each slope is multiplied by how steep the curve is at the gate.", "기울기마다 게이트에서 곡선이 얼마나 가파른지를 곱합니다."},
  {S::mlp_pre, "dh = da ⊙ act′(h)", "dW₁ = yᵀ · dh,  db₁ = Σ dh",
   "Each slope is multiplied by how steep the curve is at its number: a closed neuron passes nothing back.",
   "기울기마다 그 자리에서 곡선이 얼마나 가파른지를 곱합니다. 닫힌 뉴런은 아무것도 돌려보내지 않습니다."},
  {S::ln2_out, "dy = Σ dh · W₁ᵀ", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy",
   "The slopes of the neurons go back through the up projection.", "뉴런의 기울기가 확장 투영을 거꾸로 지납니다."},
  {S::resid_cross, "dx = Σ what later steps send back", "",
   "Every later step that read this stream sends its slope back; they are added up.", "이 스트림을 읽은 뒤 단계들이 보낸 기울기를 모두 더합니다."},
  {S::ln_cross_out, "dy = Σ what later steps send back", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy",
   "Every step that read the normed rows sends its slope back; they are added up.", "정규화된 행을 읽은 단계들이 보낸 기울기를 모두 더합니다."},
  {S::resid_mid, "dx = Σ what later steps send back", "",
   "Every later step that read this stream sends its slope back; they are added up.", "이 스트림을 읽은 뒤 단계들이 보낸 기울기를 모두 더합니다."},
  {S::ln1_post_out, "dy = dx", "dγ = Σ dy ⊙ x̂",
   "The sum passes its slope on unchanged.", "덧셈은 기울기를 그대로 넘겨줍니다."},
  {S::attn_out, "dO = dx", "dW_O = Zᵀ · dO,  db_O = Σ dO",
   "The sum passes its slope on unchanged: what the stream wants is what attention should have said.",
   "덧셈은 기울기를 그대로 넘겨줍니다. 스트림이 원하는 것이 곧 어텐션이 말했어야 할 것입니다."},
  {S::concat, "dZ = dO · W_Oᵀ", "",
   "The slope goes back through the output projection to the heads side by side.", "기울기가 출력 투영을 거꾸로 지나 나란히 놓인 헤드들로 갑니다."},
  {S::z, "dZ[h, pos, i] = dZ[pos, h·d + i]", "",
   "The columns are cut into heads again; no number changes.", "열을 다시 헤드별로 나눕니다. 숫자는 그대로입니다."},
  {S::pattern, "dAₕ = dZₕ · Vₕᵀ", "",
   "How much the loss would change if a query looked a little more at a key: its slope times that key's value.",
   "쿼리가 어떤 키를 조금 더 보면 손실이 얼마나 변하는지입니다. 기울기와 그 키의 값을 내적합니다."},
  {S::masked, "dS = A ⊙ (dA − Σ A ⊙ dA)", "",
   "Back through the softmax: a row's weights share one sum, so each score gets what its weight does better than the average.",
   "소프트맥스를 거꾸로 지납니다. 행의 가중치는 합이 1이므로 점수마다 평균보다 나은 만큼만 받습니다."},
  {S::biased, "dS where allowed, else 0", "",
   "Masked pairs weigh nothing, so nothing comes back through them.", "가려진 쌍은 가중치가 0이라 아무것도 돌아오지 않습니다."},
  {S::capped, "dS passes unchanged", "",
   "Adding the position bias changes no slope.", "위치 편향을 더하는 것은 기울기를 바꾸지 않습니다."},
  {S::scaled, "dS where allowed, else 0", "",
   "Masked pairs weigh nothing, so nothing comes back through them.", "가려진 쌍은 가중치가 0이라 아무것도 돌아오지 않습니다."},
  {S::scores, "dS = dS / √d_head", "",
   "What the scores were divided by, their slopes are divided by too.", "점수를 나눈 수로 기울기도 나눕니다."},
  {S::rot_k, "dKₕ = dSₕᵀ · Qₕ", "",
   "Each key hears from every query that looked at it, as much as the slope of their score.", "키는 자신을 본 모든 쿼리에게서 점수의 기울기만큼 받습니다."},
  {S::rot_q, "dQₕ = dSₕ · Kₕ", "",
   "Each query hears from every key it looked at, as much as the slope of their score.", "쿼리는 자신이 본 모든 키에게서 점수의 기울기만큼 받습니다."},
  {S::k_norm, "dk = R(pos)ᵀ · dk′", "dγ = Σ dk ⊙ k̂",
   "The rotation is turned back by the same angle.", "같은 각도만큼 반대로 돌립니다."},
  {S::q_norm, "dq = R(pos)ᵀ · dq′", "dγ = Σ dq ⊙ q̂",
   "The rotation is turned back by the same angle.", "같은 각도만큼 반대로 돌립니다."},
  {S::split_v, "dVₕ = Aₕᵀ · dZₕ", "",
   "Each key's value hears from every query that took of it, by the weight it took.", "키의 값은 자신을 가져간 모든 쿼리에게서 그 가중치만큼 받습니다."},
  {S::split_k, "dKₕ = dSₕᵀ · Qₕ", "",
   "Each key hears from every query that looked at it, as much as the slope of their score.", "키는 자신을 본 모든 쿼리에게서 점수의 기울기만큼 받습니다."},
  {S::split_q, "dQₕ = dSₕ · Kₕ", "",
   "Each query hears from every key it looked at, as much as the slope of their score.", "쿼리는 자신이 본 모든 키에게서 점수의 기울기만큼 받습니다."},
  {S::view_v, "dV[pos, h, i] = dV[h, pos, i]", "",
   "Heads go back behind the positions; no number changes.", "헤드를 다시 위치 뒤로 옮깁니다. 숫자는 그대로입니다."},
  {S::view_k, "dK[pos, h, i] = dK[h, pos, i]", "",
   "Heads go back behind the positions; no number changes.", "헤드를 다시 위치 뒤로 옮깁니다. 숫자는 그대로입니다."},
  {S::view_q, "dQ[pos, h, i] = dQ[h, pos, i]", "",
   "Heads go back behind the positions; no number changes.", "헤드를 다시 위치 뒤로 옮깁니다. 숫자는 그대로입니다."},
  {S::v, "dV[pos, h·d + i] = dV[pos, h, i]", "dW_V = xᵀ · dV,  db_V = Σ dV",
   "The heads are laid side by side again; with the rows that came in, this is what W_V learns.", "헤드를 다시 나란히 놓습니다. 들어온 행과 함께 W_V가 배울 것이 됩니다."},
  {S::k, "dK[pos, h·d + i] = dK[pos, h, i]", "dW_K = xᵀ · dK,  db_K = Σ dK",
   "The heads are laid side by side again; with the rows that came in, this is what W_K learns.", "헤드를 다시 나란히 놓습니다. 들어온 행과 함께 W_K가 배울 것이 됩니다."},
  {S::q, "dQ[pos, h·d + i] = dQ[pos, h, i]", "dW_Q = xᵀ · dQ,  db_Q = Σ dQ",
   "The heads are laid side by side again; with the rows that came in, this is what W_Q learns.", "헤드를 다시 나란히 놓습니다. 들어온 행과 함께 W_Q가 배울 것이 됩니다."},
  {S::ln1_out, "dy = dQ · W_Qᵀ + dK · W_Kᵀ + dV · W_Vᵀ", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy",
   "Q, K and V were made of the same rows: their slopes come back through their weights and are added.",
   "Q, K, V는 같은 행에서 만들어졌습니다. 기울기가 각 가중치를 거꾸로 지나 더해집니다."},
  {S::resid_pre, "dx = Σ what later steps send back", "",
   "Past attention the slope flows unchanged; through the norm comes what Q, K and V send.", "어텐션 옆으로는 기울기가 그대로 흐르고, 정규화를 지나 Q, K, V가 보낸 것이 옵니다."},
  {S::ln_embed_out, "dy = dx", "dγ = Σ dy ⊙ x̂,  dβ = Σ dy",
   "What comes back to the beginning of the first block.", "첫 블록의 처음으로 돌아온 기울기입니다."},
  {S::embed, "dx", "",
   "What comes back to the very beginning: how each number of each token should have been.", "맨 처음으로 돌아온 기울기입니다. 토큰의 숫자마다 어떻게 달랐어야 하는지입니다."},
  {S::type_embed, "dT = dx", "dWₜ[segment] = Σ dT of its rows",
   "The sum passes its slope on unchanged; each row of the table adds up its tokens.", "덧셈은 기울기를 그대로 넘겨줍니다. 표의 행마다 자기 토큰의 것을 더합니다."},
  {S::pos_embed, "dP = dx", "dWₚ[pos] = dP[pos]",
   "The sum passes its slope on unchanged; each position's row of the table learns from it.", "덧셈은 기울기를 그대로 넘겨줍니다. 위치마다 표의 행이 배웁니다."},
  {S::merged, "dx passes unchanged", "",
   "What comes back to the rows of words and image.", "단어와 이미지의 행으로 돌아온 기울기입니다."},
  {S::tok_scaled, "dE = dx", "",
   "The sum passes its slope on unchanged.", "덧셈은 기울기를 그대로 넘겨줍니다."},
  {S::tok_embed, "dE = dx", "dWₑ[token] = Σ dE of its rows",
   "The sum passes its slope on unchanged; each token's row of the table adds up the places where it stood.",
   "덧셈은 기울기를 그대로 넘겨줍니다. 토큰의 행마다 나온 자리의 것을 모두 더합니다."},
  {S::patch_embed, "dE = dx", "dWₚ = Pᵀ · dE,  db = Σ dE",
   "The sum passes its slope on unchanged.", "덧셈은 기울기를 그대로 넘겨줍니다."},
  {S::patches, "dP = dE · Wₚᵀ", "",
   "What comes back to the pixels: where the image matters for the answer.", "픽셀로 돌아온 기울기입니다. 이미지의 어디가 답에 중요한지입니다."},
}};

constexpr BackwardStep kThroughLayerNorm{S::ln1_out,
  "dx = (g − mean(g) − x̂ ⊙ mean(g ⊙ x̂)) / σ,  g = dy ⊙ γ", "",
  "Back through the norm: what would only shift or stretch a whole row is taken out, for the norm undoes it.",
  "정규화를 거꾸로 지납니다. 행 전체를 옮기거나 늘이기만 하는 몫은 정규화가 지우므로 빠집니다."};
constexpr BackwardStep kThroughRmsNorm{S::ln1_out,
  "dx = (g − x̂ ⊙ mean(g ⊙ x̂)) / σ,  g = dy ⊙ γ", "",
  "Back through the norm: what would only stretch a whole row is taken out, for the norm undoes it.",
  "정규화를 거꾸로 지납니다. 행 전체를 늘이기만 하는 몫은 정규화가 지우므로 빠집니다."};

constexpr BackwardStep kThroughCap{S::scaled,
  "dS = dS′ ⊙ (1 − (S′ / c)²)", "",
  "Back through the cap: a score near it hardly changes what leaves, so little comes back.",
  "상한을 거꾸로 지납니다. 상한에 가까운 점수는 결과를 거의 바꾸지 못하므로 돌아오는 것도 적습니다."};
constexpr BackwardStep kThroughEmbedScale{S::tok_embed,
  "dE = dx · √d_model", "",
  "What the embedding was multiplied by, its slope is multiplied by too.",
  "임베딩에 곱한 수를 기울기에도 곱합니다."};

constexpr std::array<std::pair<Slot, std::string_view>, 11> kProducts{{
  {S::q, "dQ · W_Qᵀ"}, {S::k, "dK · W_Kᵀ"}, {S::v, "dV · W_Vᵀ"}, {S::attn_out, "dO · W_Oᵀ"},
  {S::mlp_pre, "dh · W₁ᵀ"}, {S::mlp_gate, "dg · W_gateᵀ"}, {S::mlp_up, "du · W_upᵀ"},
  {S::mlp_out, "dm · W₂ᵀ"}, {S::logits, "dL · W_Uᵀ"}, {S::head_pre, "dh · Wᵀ"}, {S::projected, "dy · Wᵀ"},
}};
// clang-format on

}  // namespace

const BackwardStep* backward_step(Slot slot) {
  const auto at =
      std::find_if(kRows.begin(), kRows.end(), [&](const BackwardStep& row) { return row.slot == slot; });
  return at == kRows.end() ? nullptr : &*at;
}

const BackwardStep* backward_through(Slot site, Slot reader) {
  if (site == Slot::tok_embed && reader == Slot::tok_scaled) return &kThroughEmbedScale;
  if (site < Slot::scores || site >= Slot::pattern) return nullptr;
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
