// The panes of the calculator. Draws the results of core/calc; computes nothing itself.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

#include "app/widgets/controls.h"
#include "core/calc/counted.h"
#include "core/calc/machine.h"
#include "core/calc/sizes.h"
#include "core/calc/training.h"

namespace attnscope {

/// Data of the panes.
struct CalculatorScene {
  const Described& model;
  const Workload& work;
  const Calculation& calc;
  const Machine* machine = nullptr;  ///< null: not measured yet
  const Counted* counted = nullptr;  ///< null: no run was counted
  double tokens = 0, served = 0;     ///< number of tokens in training and serving
  float height = 0;                  ///< pixels that the list of weights may fill; 0: as many as it has
  /// The part whose weights come first where not all have room, and which a click on a part chooses; null:
  /// the largest comes first.
  std::optional<ParameterPart>* first = nullptr;
};

enum class CalculatorPane : std::uint8_t { parameters, cache, flops, training, slips };
constexpr Option<CalculatorPane> kCalculatorPanes[] = {{"parameters", CalculatorPane::parameters},
                                                       {"cache", CalculatorPane::cache},
                                                       {"flops", CalculatorPane::flops},
                                                       {"training", CalculatorPane::training},
                                                       {"slips", CalculatorPane::slips}};

void draw_calculator_parameters(const CalculatorScene& scene, float width);
void draw_calculator_cache(const CalculatorScene& scene, float width);
void draw_calculator_flops(const CalculatorScene& scene, float width);
void draw_calculator_training(const CalculatorScene& scene, float width);
/// Common misconceptions about such a model, and what the numbers include.
void draw_calculator_slips(const CalculatorScene& scene, float width);

/// The chosen one of these.
void draw_calculator_pane(CalculatorPane pane, const CalculatorScene& scene, float width);

/// Number with a metric prefix: "140 G", "2.04 T".
std::string with_prefix(double value);

}  // namespace attnscope
