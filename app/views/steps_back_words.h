// Text for a gradient: sentence, formula, shapes and PyTorch code, with values of the run. Draws nothing.
#pragma once

#include <string>
#include <vector>

#include "app/views/steps_back_figure.h"
#include "app/views/steps_words.h"

namespace attnscope {

/// The sentence of the string table, adapted to this model. `from`: for the contribution of this later step
/// alone (GradientRequest::from).
std::string gradient_sentence(const BackwardResult& grads, const Site& site, int from = -1);
/// "dA = dZ · Vᵀ"; for a weight "dW = xᵀ · dQ".
std::vector<Piece> gradient_formula(const BackwardResult& grads, const Site& site, const std::string& weight,
                                    int from = -1);
/// "(1, 5, 48) @ (48, 48) → (1, 5, 48)".
std::string gradient_shapes(const BackwardResult& grads, const GradientFigure& figure);
/// "q.grad  # after loss.backward(), with q.retain_grad()".
std::string gradient_torch(const BackwardResult& grads, const Site& site, const std::string& weight);
/// The hovered cell: its name, how it was computed, its value. `row`, `col` of `operand`.
std::vector<Piece> gradient_spelled(const BackwardResult& grads, const GradientFigure& figure, int operand,
                                    std::int64_t row, std::int64_t col);
/// True if the operand is a step, a weight, or the gradient of one: then its cells have names.
bool has_cell_names(const Operand& operand);

}  // namespace attnscope
