// The Ask view: its pages and what they share. Sweeps are drawn by ask_sweep.cpp.
#pragma once

#include <memory>
#include <string>

#include "app/look/kept_text.h"
#include "app/views/ask_circuit.h"
#include "app/views/ask_graph.h"
#include "app/views/ask_grid.h"
#include "app/views/ask_heads.h"
#include "app/views/ask_links.h"
#include "app/views/ask_parts.h"
#include "app/views/ask_paths.h"
#include "app/views/ask_probes.h"
#include "app/views/ask_prompts.h"
#include "app/views/ask_steer.h"
#include "app/views/ask_texts.h"
#include "app/views/view.h"
#include "app/widgets/measure_field.h"

namespace attnscope {

class AskView : public View {
 public:
  AskView() : View({"ask", ViewGroup::ask, 0, {.runs = false}}) {}
  std::string unavailable(const RunResult& run) const override;
  void draw(const ViewContext& context) override;

 private:
  void draw_head(const ViewContext& context, const MeasureAnswer& answer, float width);
  static std::string prompts_measure(const ViewContext& context);
  static bool draw_circuit_head(const ViewContext& context, float width);
  static std::string result(const ViewContext& context, const std::string& measure);
  void draw_pages(const ViewContext& context, float width);
  void draw_questions(const ViewContext& context, float width);
  void draw_other(const ViewContext& context, float width);
  static void draw_start(const ViewContext& context, float right, float width);
  static void answer_at_once(const ViewContext& context);
  void draw_sweep(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_with_list(const ViewContext& context, const std::shared_ptr<const SweepAnswer>& answer,
                      std::size_t chosen, ImVec2 at, ImVec2 room);
  bool below(const ViewContext& context, const SweepAnswer& answer, ImVec2 room);
  static bool needs_start(const ViewContext& context);
  static const char* why_nothing(const ViewContext& context);

  MeasureField field_;
  AskGrid grid_;
  AskParts parts_;
  AskHeads heads_;
  AskPaths paths_;
  AskGraph graph_;
  AskProbes probes_;
  AskPrompts prompts_;
  AskLinks links_;
  AskTexts texts_;
  AskCircuit circuit_;
  AskSteer steer_;
  std::string other_;
  KeptText title_, words_, result_;
  bool typing_ = false;
};

}  // namespace attnscope
