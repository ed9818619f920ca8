// Circuits: what the weights alone say of the heads. The figure is core/view's; a click on a score chooses
// the head that reads, one on a head of the table that head.
#include <algorithm>

#include "app/figure/figure_box.h"
#include "app/views/view.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/words.h"
#include "core/view/view.h"

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
  ViewState state_of(const ViewContext& context) const;
  void follow_click(const ViewContext& context) const;

  FigureBox box_;
  std::optional<Error> failed_;
  std::uint64_t key_ = 0;
};

ViewState CircuitsView::state_of(const ViewContext& context) const {
  const Cursor& cursor = context.workspace.cursor;
  ViewState out = first_state(*context.run.document.opened,
                              context.run.traces[static_cast<std::size_t>(std::clamp<int>(
                                  cursor.sequence, 0, static_cast<int>(context.run.traces.size()) - 1))]);
  out.place = cursor_place(cursor, *out.run);
  out.layer = cursor.layer, out.head = cursor.head;
  out.row = std::clamp<std::int64_t>(cursor.query, 0,
                                     std::max<std::int64_t>(0, out.run->rows(out.place.stack) - 1));
  return out;
}

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
  if (const auto row = box_.table_row("heads", mouse)) {
    const auto& table = std::get<figure::TableMark>(row->part->mark);
    return choose_head(cursor, table.rows[static_cast<std::size_t>(row->row)].cells.front().str());
  }
  const auto hit = box_.hit(mouse);
  if (hit && std::holds_alternative<figure::MatrixMark>(hit->part->mark) && hit->col >= 0)
    choose_head(cursor, hit->matrix().cols.labels[static_cast<std::size_t>(hit->col)].str());
}

void CircuitsView::draw(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const std::uint64_t key =
      key_of({context.run.version, static_cast<std::uint64_t>(cursor.sequence),
              static_cast<std::uint64_t>(cursor.stack), static_cast<std::uint64_t>(cursor.part),
              static_cast<std::uint64_t>(cursor.layer), static_cast<std::uint64_t>(cursor.head),
              static_cast<std::uint64_t>(cursor.query), key_of(language())});
  if (box_.stale(key, room, false) && (!failed_ || key_ != key)) {
    auto figure = draw_view(**find_view("circuits"), state_of(context));
    failed_.reset();
    key_ = key;
    if (!figure) {
      box_.clear();
      failed_ = figure.error();
    } else if (!box_.show(*std::move(figure), key, room, false)) {
      failed_ = fail(Code::out_of_range, "circuits_view.no_room");
    }
  }
  if (failed_) {
    ImGui::TextWrapped("%s", failed_->text().c_str());
    return;
  }
  ImGui::InvisibleButton("###circuits_figure", ImVec2(std::max(1.f, room.x), std::max(1.f, room.y)));
  follow_click(context);
  box_.draw(at);
}

}  // namespace

std::unique_ptr<View> make_circuits_view();
std::unique_ptr<View> make_circuits_view() { return std::make_unique<CircuitsView>(); }

}  // namespace attnscope
