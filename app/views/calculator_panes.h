// What the calculator shows of one calculation, a pane each. Refuses to compute: it draws what it is given.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/calc/counted.h"
#include "core/calc/machine.h"
#include "core/calc/sizes.h"
#include "core/calc/training.h"

namespace attnscope {

/// All that the panes draw.
struct CalculatorScene {
  const Described& model;
  const Workload& work;
  const Calculation& calc;
  const Machine* machine = nullptr;  ///< null: not measured yet
  const Counted* counted = nullptr;  ///< null: no run was counted
  double tokens = 0, served = 0;     ///< of training and serving
};

void draw_calculator_parameters(const CalculatorScene& scene, float width);
void draw_calculator_cache(const CalculatorScene& scene, float width);
void draw_calculator_flops(const CalculatorScene& scene, float width);
void draw_calculator_training(const CalculatorScene& scene, float width);
/// What is often said of such a model, and what the numbers count.
void draw_calculator_slips(const CalculatorScene& scene, float width);

/// "140 G", "2.04 T": a number with a letter for its thousands.
std::string with_prefix(double value);

}  // namespace attnscope
