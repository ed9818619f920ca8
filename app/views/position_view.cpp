// The position view: position encodings of the open model. First its waves, as core/view draws them; then
// tables as heatmap, rotations as dials, biases as tables and curves; the sinusoidal formula with its
// settings, the model beyond its trained length, and two swapped tokens. For a model without position
// encodings the formula is shown, labelled as such.
#include <utility>

#include "app/views/figure_page.h"
#include "app/views/position_bias.h"
#include "app/views/position_length.h"
#include "app/views/position_order.h"
#include "app/views/position_rotary.h"
#include "app/views/position_table.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

class PositionView : public View {
 public:
  PositionView() : View({"position", ViewGroup::walk, 3}) {}
  std::string unavailable(const RunResult& run) const override {
    if (run.traces.empty()) return "position.none";
    const Trace& trace = run.trace(0);
    if (has_stacks(trace.config())) return "";
    bool rotates = false, possible = false;
    for (int layer = 0; layer < trace.config().n_layers(); ++layer) {
      rotates =
          rotates || trace.config().blocks[static_cast<std::size_t>(layer)].attention.position.rotates();
      possible = possible || RotaryPage::possible(trace, trace.config().stack, layer);
    }
    return rotates && !possible ? "position.no_projection" : "";
  }
  void keep(Choices& choices) override {
    choices.of(subject_);
    length_.keep(choices);
    order_.keep(choices);
    table_.keep(choices);
    rotary_.keep(choices);
  }
  void draw(const ViewContext& context) override {
    const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
    const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const float width = room.x - scaled(14);
    if (subject_ == Subject::order && !OrderPage::possible(context.run)) subject_ = Subject::model;
    const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
    const Stack stack = context.workspace.cursor.stack;
    const PositionSpec& spec = trace.config().of(stack).position;
    const int layer = std::clamp(context.workspace.cursor.layer, 0, trace.config().of(stack).n_layers() - 1);
    const bool biased = BiasPage::possible(trace, stack, layer),
               rotates = RotaryPage::possible(trace, stack, layer);
    const bool shows_table =
        subject_ == Subject::formula || (subject_ == Subject::model && !biased && !rotates);
    const std::string name = name_of(trace.config().of(stack), layer, biased);
    std::string_view sentence = tr(Label("position.sentence.", name));
    if (name == "alibi" && bias_.looks_ahead(context)) sentence = tr("position.sentence.alibi_ahead");
    if (subject_ == Subject::waves) sentence = {};  // the figure has its own
    if (subject_ == Subject::formula) sentence = tr("position.sentence.lab");
    if (subject_ == Subject::length) sentence = tr("position.sentence.length");
    if (subject_ == Subject::order) sentence = tr("position.sentence.order");
    if (subject_ == Subject::model && spec.kind == PositionSpec::Kind::learned && spec.offset > 0)
      sentence = kept_tr("position.sentence.learned_offset", {std::to_string(spec.offset)});
    std::string_view title = tr(Label("position.title.", name));
    if (subject_ == Subject::formula)
      title = tr("position.title.sinusoidal");
    else if (has_stacks(trace.config()))
      title = kept_tr("position.title.of_stack", {title, stack_name(trace.config(), stack)});
    const float begin =
        places_heading(context.workspace, context.run, PlaceChips::stacks, title, sentence, width) +
        scaled(10);
    const bool alone = context.workspace.told || context.workspace.presenting;  // the figure alone
    const float chips =
        alone ? 0 : draw_subjects(context, ImVec2(origin.x, begin), width, shows_table) + scaled(6);
    const ImVec2 at(origin.x, begin + chips), left(width, origin.y + room.y - begin - chips);
    if (subject_ == Subject::waves)
      waves_.draw(context, at, left);
    else if (subject_ == Subject::formula)
      table_.draw(context, true, at, left);
    else if (subject_ == Subject::length)
      length_.draw(context, at, left);
    else if (subject_ == Subject::order)
      order_.draw(context, at, left);
    else if (biased)
      bias_.draw(context, at, left);
    else if (rotates)
      rotary_.draw(context, at, left);
    else
      table_.draw(context, false, at, left);
  }

 private:
  enum class Subject { waves, model, formula, length, order };
  static constexpr Option<Subject> kSubjects[] = {{"waves", Subject::waves},
                                                  {"model", Subject::model},
                                                  {"formula", Subject::formula},
                                                  {"length", Subject::length},
                                                  {"order", Subject::order}};
  // Chips for the pages, and the menu of the table's own. Returns the height, pixels.
  float draw_subjects(const ViewContext& context, ImVec2 at, float width, bool shows_table) {
    ChipRow row(at, width, {{7, 4}});
    choose(row, subject_,
           [&](Subject one) { return one != Subject::order || OrderPage::possible(context.run); });
    if (shows_table) {
      row.part();
      table_.draw_menu(row, context, subject_ == Subject::formula);
    }
    return row.height();
  }
  // What this block does, or what was added to the embeddings where it does nothing itself.
  static std::string name_of(const ModelConfig& stack, int layer, bool biased) {
    using Kind = AttentionPosition::Kind;
    const Kind own = stack.blocks[static_cast<std::size_t>(layer)].attention.position.kind;
    if (own == Kind::rope) return "rope";
    if (own == Kind::alibi && biased) return "alibi";
    if (own == Kind::buckets && biased) return "buckets";
    if (stack.position.kind == PositionSpec::Kind::learned) return "learned";
    if (stack.position.kind == PositionSpec::Kind::sinusoidal)
      return stack.position.halves ? "halves" : "sinusoidal";
    return own == Kind::none && stack.has_positions() ? "other_blocks" : "formula";
  }

  // Files of before wrote 0 for the model.
  OneOf<Subject> subject_{"subject", kSubjects, Subject::waves, "position.subject.", "###position_of_",
                          nullptr,   -1};
  FigureArea waves_{"position", FigureArea::Shown::picture, "similar"};
  LengthPage length_;
  OrderPage order_;
  BiasPage bias_;
  TablePage table_;
  RotaryPage rotary_;
};

}  // namespace

std::unique_ptr<View> make_position_view();
std::unique_ptr<View> make_position_view() { return std::make_unique<PositionView>(); }

}  // namespace attnscope
