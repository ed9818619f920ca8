// The syntax tree of an expression, shared by its parser and its evaluation.
#pragma once

#include <string>
#include <vector>

#include "core/lesson/expression.h"

namespace attnscope {

struct Expression::Node {
  enum class Kind : std::uint8_t { number, text, variable, place, negate, invert, binary, call };
  Kind kind = Kind::number;
  double number = 0;
  std::string word;  ///< text, variable, function, operator; of a place nothing
  /// Of a place: `pieces` with the values of `below` between them. Of operators and calls: what they take.
  std::vector<std::string> pieces;
  std::vector<std::shared_ptr<const Node>> below;
};

/// What computes a function's value.
using ComputesExpression = Result<ExpressionValue>(const std::vector<ExpressionValue>& arguments,
                                                   const ExpressionScope& scope);

/// The number of arguments of a function.
struct ExpressionFunction {
  const char* name;
  int least, most;  ///< arguments
  ComputesExpression* compute;
};
/// Null: there is no function of that name.
const ExpressionFunction* expression_function(std::string_view name);
/// "a, b, c"
std::string expression_functions();
/// The gradient of the run's loss at one place, and that loss (expression_gradients.cpp).
ComputesExpression expression_gradient;
ComputesExpression expression_loss;

/// calc('llama-2-7b', 'total'): parameters of a preset by part (embedding, attention, mlp, norms,
/// unembedding), or its norm_eps. cache('llama-2-7b', 2048): bytes of its KV cache in bfloat16.
ComputesExpression expression_calc;
/// trained('pair,data=woven,b=full_mask,steps=300', 'b', 'accuracy'): what a model of that lab reached on
/// examples that were held out: loss, accuracy or generated. Errors: still_training() where the scope does
/// not wait and it is not trained yet.
ComputesExpression expression_trained;
/// grammar('grammar,relation=pronoun', 'head'): how often a relation is found in the texts of that lab, by
/// the best head (its mean weight there: 'weight') or by the best distance ('distance'), 0..1. Errors: a
/// relation that the model's texts do not have.
ComputesExpression expression_grammar;
/// drawn('surface,reach=0.2', 1, 2, 0.2): what that lab draws, computed anew: of its second piece (from 0), a
/// plot, the third curve at the point nearest to x = 0.2; of bars the value of one, without the last
/// argument. Errors: another kind of piece, one that is not there, a scope that does not wait.
ComputesExpression expression_drawn;
ComputesExpression expression_cache;

}  // namespace attnscope
