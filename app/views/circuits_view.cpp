// Circuits: what the weights alone say of the heads. The figure is core/view's; a click on a score chooses
// the head that reads, one on a head of the table that head.
#include <algorithm>

#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/item_map.h"
#include "app/views/figure_page.h"
#include "app/widgets/number_field.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostDistance = 1 << 20;
// Units: where a figure's letters are larger than elsewhere (figure_box.cpp), its margin, and what stands
// beside its question.
constexpr float kFigureUsualWidth = 1260, kFigureUsualHeight = 480, kFigurePad = 14, kQuestionGap = 48,
                kLeastChoices = 260;

class CircuitsView final : public View {
 public:
  CircuitsView() : View({"circuits", ViewGroup::inside, 3}) {}
  std::string unavailable(const RunResult& run) const override {
    if (run.traces.empty() || run.recorded()) return "circuits_view.none.weights";
    return run.trace(0).config().n_layers() < 2 ? "circuits_view.none.block" : "";
  }
  void draw(const ViewContext& context) override;
  void keep(Choices& choices) override {
    choices.of("words", words_);
    choices.of("distance", distance_, -1, kMostDistance);
  }

 private:
  void draw_choices(const ViewContext& context, float width);
  void follow_click(const ViewContext& context) const;

  FigureArea page_{"circuits"};
  std::string words_;           // ViewState::words
  std::int64_t distance_ = -1;  // ViewState::distance
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

// Over which words the map of the head is, and how far back it looks where heads rotate.
void CircuitsView::draw_choices(const ViewContext& context, float width) {
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), scaled(3)));
  const Cursor& cursor = context.workspace.cursor;
  const ModelConfig& config = context.run.trace(cursor.sequence).config();
  const AttentionSpec& attention =
      config.attention_at({config.stack, std::clamp(cursor.layer, 0, config.n_layers() - 1), Part::attn,
                           slot_of(StepRole::pattern)});
  const float number = attention.position.rotates() ? scaled(70) : 0;
  ImGui::SetNextItemWidth(std::min(scaled(360), width - number - scaled(20)));
  (void)ImGui::InputTextWithHint("###circuits_words", tr("circuits_view.words"), &words_);
  note_item("circuits_words");
  compat::item_tooltip(tr("circuits_view.words.help"));
  if (number > 0) {
    ImGui::SameLine();
    ImGui::SetNextItemWidth(number);
    std::int64_t back = distance_ < 0 ? 1 : distance_;
    if (number_field("###circuits_distance", back, 0, kMostDistance,
                     {.help = tr("circuits_view.distance.help")})
            .changed)
      distance_ = back;
    note_item("circuits_distance");
  }
  Workspace& workspace = context.workspace;
  if (workspace.circuit_words != words_) workspace.circuit_words = words_;
  workspace.circuit_distance = distance_;
}

// Right of the question, on its line; above the figure where that is too narrow.
void CircuitsView::draw(const ViewContext& context) {
  const ImVec2 top = ImGui::GetCursorScreenPos(), all = ImGui::GetContentRegionAvail();
  const float zoom =
      std::max(1.f, std::min(all.x / scaled(kFigureUsualWidth), all.y / scaled(kFigureUsualHeight)));
  const float question =
      zoom * (text_size(fonts().title, tr("figure.circuits.question")).x + scaled(kQuestionGap));
  const bool beside = !context.workspace.presenting && all.x - question >= scaled(kLeastChoices);
  if (beside) ImGui::SetCursorScreenPos(ImVec2(top.x + question, top.y + scaled(kFigurePad)));
  draw_choices(context, beside ? all.x - question : all.x);
  if (beside) ImGui::SetCursorScreenPos(top);
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  hit_area("###circuits_figure", ImVec2(std::max(1.f, room.x), std::max(1.f, room.y)));
  follow_click(context);
  page_.draw(context, at, room);
}

}  // namespace

std::unique_ptr<View> make_circuits_view();
std::unique_ptr<View> make_circuits_view() { return std::make_unique<CircuitsView>(); }

}  // namespace attnscope
