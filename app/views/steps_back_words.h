// A gradient in words, in symbols, in shapes and in PyTorch, with this run's values in it. Text only.
#pragma once

#include <string>
#include <vector>

#include "app/views/steps_back_figure.h"
#include "app/views/steps_words.h"

namespace attnscope {

/// The table's sentence, mended where this model does it differently. `from`: of what this later step alone
/// sends back (GradientWish::from).
std::string gradient_sentence(const BackwardResult& grads, const Site& site, int from = -1);
/// "dA = dZ · Vᵀ"; of a weight "dW = xᵀ · dQ".
std::vector<Piece> gradient_formula(const BackwardResult& grads, const Site& site, const std::string& weight,
                                    int from = -1);
/// "(1, 5, 48) @ (48, 48) → (1, 5, 48)".
std::string gradient_shapes(const BackwardResult& grads, const GradientFigure& figure);
/// "q.grad  # after loss.backward(), with q.retain_grad()".
std::string gradient_torch(const BackwardResult& grads, const Site& site, const std::string& weight);
/// The cell under the pointer: its name, what it was computed from, its number. `row`, `col` of `operand`.
std::vector<Piece> gradient_spelled(const BackwardResult& grads, const GradientFigure& figure, int operand,
                                    std::int64_t row, std::int64_t col);
/// The operand is a step or a weight of the run, or the gradient of one: its cells have names.
bool has_cell_names(const Operand& operand);

}  // namespace attnscope
