// The position view: how the open model knows where a token stands. Tables as surface and waves, rotations as
// dials, biases as tables and curves. Refuses to hide that a model has no positions: the formula's values are
// then labelled as such.
#include "app/views/position_bias.h"
#include "app/views/position_rotary.h"
#include "app/views/position_table.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

class PositionView : public View {
 public:
  const char* id() const override { return "position"; }
  int order() const override { return 3; }
  std::string unavailable(const RunResult& run) const override {
    if (run.traces.empty()) return "position.none";
    const Trace& trace = run.trace(0);
    const Stack main = trace.config().stack;
    const bool rotates = trace.config().position.kind == PositionSpec::Kind::rope;
    return rotates && !has_stacks(trace.config()) && !RotaryPage::possible(trace, main)
               ? "position.no_projection"
               : "";
  }
  void draw(const ViewContext& context) override {
    const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
    const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const float width = room.x - scaled(14);
    const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
    const Stack stack = context.workspace.cursor.stack;
    const PositionSpec& spec = trace.config().of(stack).position;
    const bool biased = BiasPage::possible(trace, stack), rotates = RotaryPage::possible(trace, stack);
    const std::string name = name_of(spec, biased);
    const std::string offset = std::to_string(spec.offset);
    std::string sentence = tr("position.sentence." + name);
    if (spec.kind == PositionSpec::Kind::learned && spec.offset > 0)
      sentence = tr("position.sentence.learned_offset", {offset});
    std::string title = tr("position.title." + name);
    if (has_stacks(trace.config()))
      title = tr("position.title.of_stack", {title, stack_name(trace.config(), stack)});
    const float begin =
        places_heading(context.workspace, context.run, PlaceChips::stacks, title, sentence, width) +
        scaled(10);
    const ImVec2 at(origin.x, begin), left(width, origin.y + room.y - begin);
    if (biased)
      bias_.draw(context, at, left);
    else if (rotates)
      rotary_.draw(context, at, left);
    else
      table_.draw(context, at, left);
  }

 private:
  static std::string name_of(const PositionSpec& spec, bool biased) {
    switch (spec.kind) {
      case PositionSpec::Kind::learned: return "learned";
      case PositionSpec::Kind::sinusoidal: return spec.halves ? "halves" : "sinusoidal";
      case PositionSpec::Kind::rope: return "rope";
      case PositionSpec::Kind::alibi: return biased ? "alibi" : "formula";
      case PositionSpec::Kind::buckets: return biased ? "buckets" : "formula";
      case PositionSpec::Kind::none: break;
    }
    return "formula";
  }

  BiasPage bias_;
  TablePage table_;
  RotaryPage rotary_;
};

}  // namespace

std::unique_ptr<View> make_position_view();
std::unique_ptr<View> make_position_view() { return std::make_unique<PositionView>(); }

}  // namespace attnscope
