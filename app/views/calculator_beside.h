// The second model of the calculator: a preset, for as many positions, sequences and bytes a number as the
// first.
#pragma once

#include <optional>
#include <string>

#include "app/views/calculator_panes.h"
#include "app/views/choices.h"
#include "core/view/calculator.h"

namespace attnscope {

class CalculatorBeside {
 public:
  /// What the panes are told besides the workload.
  struct Told {
    double tokens = 0, served = 0;  ///< as CalculatorScene has them
    const std::string& machine;
    std::optional<ParameterPart>* first = nullptr;
  };
  bool shows() const { return !preset_.empty(); }
  void keep(Choices& choices);
  /// The menu of presets at the ImGui cursor.
  void draw_choice(float width);
  void draw(CalculatorPane pane, const Workload& work, const Told& told, float width);

 private:
  void follow(const Workload& work);

  std::string preset_ = kFirstPreset;  ///< empty: none
  std::string described_;              ///< the preset of model_
  std::optional<Described> model_;
  Workload work_;  ///< of calc_
  std::optional<Calculation> calc_;
  std::optional<Error> error_;
};

}  // namespace attnscope
