// Circuits: what the weights alone say of the heads. The figure is core/view's; a click on a score chooses
// the head that reads, one on a head of the table that head.
#include <algorithm>

#include "app/views/figure_page.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

class CircuitsView final : public View {
 public:
  const char* id() const override { return "circuits"; }
  ViewGroup group() const override { return ViewGroup::inside; }
  int order() const override { return 3; }
  std::string unavailable(const RunResult& run) const override {
    if (run.traces.empty() || run.recorded()) return "circuits_view.none.weights";
    return run.trace(0).config().n_layers() < 2 ? "circuits_view.none.block" : "";
  }
  void draw(const ViewContext& context) override;

 private:
  void follow_click(const ViewContext& context) const;

  FigurePage page_{"circuits"};
};

// "1.3": the head of a row or column name.
void choose_head(Cursor& cursor, const std::string& name) {
  const std::size_t dot = name.find('.');
  const auto block = parse_index(name.substr(0, dot)),
             head = parse_index(dot == std::string::npos ? "" : name.substr(dot + 1));
  if (!block || !head) return;
  cursor.layer = static_cast<int>(*block), cursor.head = static_cast<int>(*head);
  if (cursor.step.layer >= 0) cursor.step.layer = cursor.layer;
}

void CircuitsView::follow_click(const ViewContext& context) const {
  if (!ImGui::IsItemClicked()) return;
  Cursor& cursor = context.workspace.cursor;
  const ImVec2 mouse = ImGui::GetMousePos();
  if (const auto row = page_.box().table_row("heads", mouse)) {
    const auto& table = std::get<figure::TableMark>(row->part->mark);
    return choose_head(cursor, table.rows[static_cast<std::size_t>(row->row)].cells.front().str());
  }
  const auto hit = page_.box().hit(mouse);
  if (hit && std::holds_alternative<figure::MatrixMark>(hit->part->mark) && hit->col >= 0)
    choose_head(cursor, hit->matrix().cols.labels[static_cast<std::size_t>(hit->col)].str());
}

void CircuitsView::draw(const ViewContext& context) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  ImGui::InvisibleButton("###circuits_figure", ImVec2(std::max(1.f, room.x), std::max(1.f, room.y)));
  follow_click(context);
  page_.draw(context, at, room);
}

}  // namespace

std::unique_ptr<View> make_circuits_view();
std::unique_ptr<View> make_circuits_view() { return std::make_unique<CircuitsView>(); }

}  // namespace attnscope
