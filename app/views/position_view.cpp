// The position view: how the open model knows where a token stands. Tables as surface and waves, rotations as
// dials. Refuses to hide that a model has no positions: the formula's values are then labelled as such.
#include "app/look/strings.h"
#include "app/views/position_rotary.h"
#include "app/views/position_table.h"
#include "app/widgets/pieces.h"

namespace attnscope {
namespace {

class PositionView : public View {
 public:
  const char* id() const override { return "position"; }
  int order() const override { return 3; }
  std::string unavailable(const RunResult& run) const override {
    if (run.traces.empty()) return "position.none";
    const Trace& trace = run.trace(0);
    const bool rotates = trace.config().position.kind == PositionSpec::Kind::rope;
    return rotates && !RotaryPage::possible(trace) ? "position.no_projection" : "";
  }
  void draw(const ViewContext& context) override {
    const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
    const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const float width = room.x - scaled(14);
    const PositionSpec::Kind kind = context.run.trace(0).config().position.kind;
    const std::string name = kind == PositionSpec::Kind::learned      ? "learned"
                             : kind == PositionSpec::Kind::sinusoidal ? "sinusoidal"
                             : kind == PositionSpec::Kind::rope       ? "rope"
                                                                      : "formula";
    view_heading(tr("position.title." + name), tr("position.sentence." + name), width);
    const float begin = ImGui::GetCursorScreenPos().y + scaled(4);
    const ImVec2 at(origin.x, begin), left(width, origin.y + room.y - begin);
    if (kind == PositionSpec::Kind::rope)
      rotary_.draw(context, at, left);
    else
      table_.draw(context, at, left);
  }

 private:
  TablePage table_;
  RotaryPage rotary_;
};

}  // namespace

std::unique_ptr<View> make_position_view();
std::unique_ptr<View> make_position_view() { return std::make_unique<PositionView>(); }

}  // namespace attnscope
