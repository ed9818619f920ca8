// The calculator's state: the model, its sizes and the chosen page. Choices and fields are drawn by
// calculator_fields.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/views/calculator_beside.h"
#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/view/calculator.h"

namespace attnscope {

class CalculatorView : public View {
 public:
  CalculatorView() : View({"calculator", ViewGroup::learn, 2, {.runs = false, .all = true}}) {}
  void keep(Choices& choices) override;
  void draw(const ViewContext& context) override;

 private:
  static constexpr std::int64_t kCalculatorMostPositions = std::int64_t{1} << 24, kMostSize = 1 << 24;
  static constexpr double kMostReal = 1e30;
  static constexpr float kCalculatorGap = 8.f;  ///< units between chips and fields
  CalcChosen chosen() const;
  void take_chosen();
  void take_open(const std::shared_ptr<const OpenedModel>& opened);
  void choose_file(const std::string& path);
  void follow(const ViewContext& context);
  void take(Described model);
  void choose_preset(const std::string& name);
  void recalculate();
  void draw_choices(const ViewContext& context, float width);
  void draw_fields(float width);
  /// A label at `at`: dragging it horizontally changes the value by `speed` per pixel.
  template <class T>
  bool drag_number(const Label& id, ImVec2 at, ImVec2 size, T& value, double speed, T least, T most);
  void draw_machine(const ViewContext& context, float width);
  void draw_machine_lines(const ViewContext& context, float width);
  /// Null: this one, which is being measured.
  std::optional<Machine> machine_shown(const ViewContext& context);
  void draw_pane(const ViewContext& context, float width);

  std::weak_ptr<const OpenedModel> followed_;
  CalculatorBeside beside_;
  std::optional<ParameterPart> first_;  ///< CalculatorScene::first
  std::string preset_, file_;           ///< path of a config.json; both empty: the open model
  std::shared_ptr<std::string> asked_file_ = std::make_shared<std::string>();  ///< path from the file browser
  std::optional<CalcChosen> restored_;                                         ///< from a session
  std::optional<Described> base_, model_;
  Sizes sizes_;
  Workload work_;
  std::optional<Calculation> calc_;
  bool older_ = false;  ///< it is of sizes before those that are typed
  std::optional<Error> error_, file_error_;
  double tokens_ = 0, served_ = 0;
  double dragged_ = 0;  ///< exact value of the number being dragged
  std::string machine_ = kFirstMachine;
  std::uint64_t measured_ = 0, counted_ = 0;  ///< number of requests; 0: never
  bool counts_ = false;                       ///< the newest count is of the open model
  Computed<std::optional<Machine>> measuring_;
  Computed<Result<Counted>> counting_;
  OneOf<CalculatorPane> pane_{"pane", kCalculatorPanes, CalculatorPane::parameters, "calculator.pane.",
                              "###calc_"};
};

}  // namespace attnscope
