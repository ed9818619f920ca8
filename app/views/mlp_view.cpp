// The MLP view of a block: the neurons that add most at a token in words, as core/view draws them; their
// numbers on all tokens, one of them as key and value vectors, gate times up in gated MLPs; the rows as
// scatter plots. Neurons are not interpreted: shown are the tokens they fire on, read and write.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <span>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/look/pointed.h"
#include "app/views/figure_page.h"
#include "app/views/mlp_clouds.h"
#include "app/views/mlp_stages.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "app/widgets/table.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/weight_parts.h"

namespace attnscope {
namespace {

constexpr float kMlpRow = 25.f;  // units: height of a readable neuron row
constexpr std::size_t kMostNeurons = 24, kMlpWords = 6;

enum class MlpPage : std::uint8_t { words, neurons, clouds };
constexpr Option<MlpPage> kMlpPages[] = {{"words", MlpPage::words, "words", "words_page"},
                                         {"neurons", MlpPage::neurons, "neurons", "neurons_page"},
                                         {"clouds", MlpPage::clouds, "clouds", "clouds_page"}};

class MlpView : public View {
 public:
  MlpView() : View({"mlp", ViewGroup::inside, 1}) {}
  std::string unavailable(const RunResult& run) const override {
    if (!run.traces.empty() && has_neurons(run.trace(0))) return "";
    return !run.traces.empty() && run.recorded() ? "mlp.none.recorded" : "mlp.none";
  }
  void keep(Choices& choices) override {
    choices.of(page_);
    if (bool clouds = false; choices.reads()) {  // as files of before have it
      choices.of("clouds", clouds);
      if (clouds) page_ = MlpPage::clouds;
    }
    choices.of("neuron", clicked_, -1, 1 << 24);
    keep_mlp_stage(choices, stage_);
    choices.of("window", window_);
  }
  void draw(const ViewContext& context) override;

 private:
  void follow(const ViewContext& context, std::size_t count);
  void draw_controls(const ViewContext& context, float width);
  void draw_in_words(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_neurons(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_one(const ViewContext& context, float width);
  void draw_words(const ViewContext& context, const char* title, const std::vector<NeuronToken>& words,
                  ImU32 colour, std::size_t count, float width);
  const std::string& share_text(const ViewContext& context) const;

  MlpPlace place_;
  OneOf<MlpPage> page_{"page", kMlpPages, MlpPage::words, "mlp.page.", "###mlp_"};
  FigureArea in_words_{"mlp", FigureArea::Shown::picture};
  std::int64_t pos_ = 0;
  std::int64_t neuron_ = -1, clicked_ = -1;  ///< shown: the clicked one, or the strongest
  std::vector<std::int64_t> cell_;           ///< index of the shown neuron's cell
  Slot stage_ = slot_of(StepRole::neurons);
  bool difference_ = false;
  std::uint64_t subject_ = 0;
  MatrixWindow window_;
  KeptRange range_;
  Computed<NeuronSheet> made_;
  Made<NeuronSheet> sheet_;
  Computed<NeuronWords> finding_;
  Made<NeuronWords> words_;
  MlpClouds clouds_;
  std::map<std::string_view, Kept<Table>> tables_;  ///< by string key of their title
  KeptText title_;
  std::uint64_t share_key_ = 0;
  std::int64_t mlp_parameters_ = 0, parameters_ = 0;
};

void MlpView::follow(const ViewContext& context, std::size_t count) {
  const Cursor& cursor = context.workspace.cursor;
  const auto trace = context.run.shared(cursor.sequence);
  place_ = {cursor.stack, cursor.layer};
  if (!has_neurons(*trace, place_)) {
    // The nearest recorded block, in this stack or another.
    int least = 1 << 20;
    for (const Record& record : trace->records()) {
      if (!record.site.is(StepRole::neurons)) continue;
      const int away =
          std::abs(record.site.layer - cursor.layer) + (record.site.stack == cursor.stack ? 0 : 4096);
      if (away < least) least = away, place_ = {record.site.stack, record.site.layer};
    }
  }
  if (!has_neurons(*trace, place_)) return;
  const std::int64_t rows = trace->find(place_.site(StepRole::neurons))->shape[0];
  pos_ = std::clamp<std::int64_t>(place_.stack == cursor.stack ? cursor.query : rows - 1, 0, rows - 1);
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(cursor.sequence),
              static_cast<std::uint64_t>(place_.stack), static_cast<std::uint64_t>(place_.layer)});
  if (subject != subject_) subject_ = subject, neuron_ = clicked_ = -1, window_ = {};
  if (clicked_ >= trace->find(place_.site(StepRole::neurons))->shape[1]) clicked_ = -1;
  // No difference if the older run's MLP has another number of neurons.
  std::shared_ptr<const Trace> older = context.older(cursor.sequence);
  const Record* was = older ? older->find(place_.site(StepRole::neurons)) : nullptr;
  if (!was || was->shape[1] != trace->find(place_.site(StepRole::neurons))->shape[1]) older = nullptr;
  difference_ = older != nullptr;
  const std::uint64_t key =
      key_of({subject, context.run.version, static_cast<std::uint64_t>(pos_), count,
              static_cast<std::uint64_t>(clicked_ + 1), older ? context.before->version : 0});
  sheet_ = made_.get_or_before(subject, key, context.workers(),
                               [=, place = place_, pos = pos_, neuron = clicked_](const std::atomic<bool>&) {
                                 return make_neuron_sheet(*trace, older.get(), place, pos, count, neuron);
                               });
  if (clicked_ >= 0)
    neuron_ = clicked_;
  else if (sheet_ && sheet_.fresh && !sheet_->top.empty())
    neuron_ = sheet_->top.front().index;
  if (sheet_ && std::find(sheet_->stages.begin(), sheet_->stages.end(), stage_) == sheet_->stages.end())
    stage_ = slot_of(StepRole::neurons);
  if (neuron_ >= 0)
    words_ = finding_.get_or_before(
        subject, key_of({subject, context.run.version, static_cast<std::uint64_t>(neuron_)}),
        context.workers(), [=, place = place_, neuron = neuron_](const std::atomic<bool>&) {
          return neuron_words(*trace, place, neuron, kMlpWords);
        });
  if (share_key_ != context.run.version) {
    share_key_ = context.run.version;
    mlp_parameters_ = parameters_ = 0;
    for (const auto& [part, amount] : parameters_by_part(trace->config(), trace->weights())) {
      parameters_ += amount;
      if (part == part_name(ParameterPart::mlp)) mlp_parameters_ += amount;
    }
  }
}

const std::string& MlpView::share_text(const ViewContext& context) const {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const BlockSpec& block = trace.config().of(place_.stack).blocks[static_cast<std::size_t>(place_.layer)];
  const std::string neurons = format_count(trace.find(place_.site(StepRole::neurons))->shape[1]);
  const std::string act(activation_name(block.mlp.activation));
  if (parameters_ == 0) return kept_tr("mlp.sentence.recorded", {neurons, act});
  const double share = 100.0 * static_cast<double>(mlp_parameters_) / static_cast<double>(parameters_);
  return kept_tr(block.mlp.kind == MlpSpec::Kind::gated ? "mlp.sentence.gated" : "mlp.sentence",
                 {neurons, act, number_text(static_cast<float>(share), 0)});
}

void MlpView::draw_controls(const ViewContext& context, float width) {
  ChipRow row;
  choose(row, page_);
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  ImGui::SameLine(0, scaled(16));
  if (page_ == MlpPage::neurons && sheet_)
    for (const Slot stage : sheet_->stages) {
      const std::string_view key = mlp_stage_key(stage);
      if (chip(Label(tr(key), "###mlp_stage_", key.substr(key.rfind('.') + 1)), stage_ == stage))
        stage_ = stage;
      ImGui::SameLine();
    }
  const int layers = trace.config().of(place_.stack).n_layers();
  if (layers < 2) return ImGui::NewLine();
  const float left = width - ImGui::GetCursorPosX();
  if (left < scaled(90)) return ImGui::NewLine();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - scaled(4));
  std::int64_t layer = place_.layer;
  if (slider_int("###mlp_layer", tr("mlp.block"), layer, 0, layers - 1,
                 std::min(left - scaled(4), scaled(170)), tr("mlp.block.help"))
          .changed)
    go_to_site(context.workspace, context.run,
               MlpPlace{place_.stack, static_cast<int>(layer)}.site(StepRole::neurons));
}

// A click on a neuron opens its numbers.
void MlpView::draw_in_words(const ViewContext& context, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  hit_area("###mlp_in_words", ImVec2(std::max(1.f, room.x), std::max(1.f, room.y)));
  const bool clicked = ImGui::IsItemClicked();
  in_words_.draw(context, at, room);
  const auto hit = clicked ? in_words_.box().table_row("neurons", ImGui::GetMousePos()) : std::nullopt;
  if (!hit || hit->row < 0) return;
  const auto& rows = std::get<figure::TableMark>(hit->part->mark).rows;
  const auto index = parse_index(rows[static_cast<std::size_t>(hit->row)].cells.front().str());
  if (!index) return;
  neuron_ = clicked_ = *index;
  page_ = MlpPage::neurons;
}

void MlpView::draw_neurons(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const auto found = std::find(sheet_->stages.begin(), sheet_->stages.end(), stage_);
  const Site site = place_.site(stage_);
  const DrawGroupScope group("matrix", site);
  MatrixPlot plot;
  plot.key = "mlp_neurons";
  plot.values = sheet_->values[static_cast<std::size_t>(found - sheet_->stages.begin())];
  plot.style.map = Colormap::diverging;
  plot.style.log_scale = context.workspace.log_scale;
  set_range(plot.style, range_.of(plot.values));
  plot.digits = 2;
  plot.masked_numbers = false;
  plot.window = &window_;
  plot.double_click_resets = false;
  plot.rows.title = tr(difference_ ? "mlp.axis.difference" : "mlp.axis.neuron");
  plot.rows.colour = theme().mlp;
  plot.rows.label_of = [this](std::int64_t row) {
    return std::to_string(sheet_->top[static_cast<std::size_t>(row)].index);
  };
  const int sequence = context.workspace.cursor.sequence;
  const auto name = [&](std::int64_t pos) { return row_name(context.run, sequence, place_.stack, pos); };
  plot.cols.label_of = std::ref(name);
  plot.row_label_width = text_size(fonts().mono_small, "00000").x + scaled(10);
  std::int64_t chosen = -1;
  for (std::size_t i = 0; i < sheet_->top.size(); ++i)
    if (sheet_->top[i].index == neuron_) chosen = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < sheet_->top.size(); ++i)
    if (neuron_pointed(place_.stack, place_.layer, sheet_->top[i].index))
      plot.lit_row = static_cast<std::int64_t>(i);
  for (std::int64_t pos = 0; pos < plot.values.size(1); ++pos)
    if (token_pointed(place_.stack, pos)) plot.lit_col = pos;
  plot.selected_row = chosen;
  plot.selected_col = pos_;
  const MatrixMark here{-1, pos_, with_alpha(theme().accent, 0.5f), 1, 1, 1.2f};
  plot.lent_marks = {&here, 1};
  fill_room(plot, room, ImVec2(scaled(92), scaled(46)));
  for (std::size_t i = 0; i < sheet_->top.size(); ++i)
    for (const NumberEdit* edit : edits_of(context.run.document.edits, sequence, target_of({site, {}}))) {
      const AxisRange* neurons = range_on(edit->where, Axis::d_mlp);
      const AxisRange* rows = range_on(edit->where, Axis::pos);
      const std::int64_t index = sheet_->top[i].index;
      if (neurons && (index < neurons->begin || index >= neurons->end)) continue;
      plot.marks.push_back(edit_mark(static_cast<std::int64_t>(i), rows ? rows->begin : 0, 1,
                                     rows ? rows->end - rows->begin : plot.values.size(1)));
    }
  const MatrixEvent event = draw_matrix(context.painter, plot, at, room);
  if (!sheet_.fresh) return veil(event.p0, event.p1);
  if (!event.hovered()) return;
  const Neuron& one = sheet_->top[static_cast<std::size_t>(event.row)];
  point_neuron(place_.stack, place_.layer, one.index);
  point_token(place_.stack, event.col);
  const Cell cell = cell_at(trace, site, {event.col, one.index});
  ImGui::SetTooltip("%s",
                    tr("mlp.cell.help", {to_text(cell), number_text(plot.values.at(event.row, event.col), 6),
                                         number_text(static_cast<float>(one.adds), 4)})
                        .c_str());
  offer_edit(context.workspace, {cell, {}, {}});
  if (!event.clicked) return;
  neuron_ = clicked_ = one.index;
  pin_cell(context.workspace, context.run, cell);
  context.workspace.cursor.query = event.col;
}

// Tokens with horizontal bars.
void MlpView::draw_words(const ViewContext& context, const char* title, const std::vector<NeuronToken>& words,
                         ImU32 colour, std::size_t count, float width) {
  if (words.empty()) return;
  {
    const FontScope face(fonts().small);
    const ColourScope ink(ImGuiCol_Text, colour);
    figure_text(middle_truncated(fonts().small, tr(title), width));
  }
  count = std::min(count, words.size());
  Table& table = tables_[title].get(
      {values_key(std::span(words)), count, context.run.opened_version, colour,
       std::bit_cast<std::uint32_t>(width)},
      [&] {
        Table made;
        made.columns = {
            {.width = width * 0.42f},
            bar_column(),
            {.kind = TableColumn::Kind::number, .width = text_size(fonts().mono_small, "-0.000").x}};
        made.words = made.digits = fonts().mono_small, made.row = text_size(made.words, "X").y + scaled(3);
        for (std::size_t i = 0; i < count; ++i) {
          const auto value = static_cast<double>(words[i].value);
          made.rows.push_back({{},
                               {{token_label(*context.run.document.opened, words[i].token)},
                                {.bar = std::fabs(value), .bar_ink = colour},
                                {significant(value, 2), theme().text_dim}}});
        }
        return made;
      });
  (void)draw_table(table, ImGui::GetCursorScreenPos(), width - scaled(4));
  ImGui::Dummy(ImVec2(1, scaled(4)));
}

void MlpView::draw_one(const ViewContext& context, float width) {
  if (neuron_ < 0) return;
  cell_ = {pos_, neuron_};
  const int sequence = context.workspace.cursor.sequence;
  section_heading(kept_tr("mlp.neuron", {std::to_string(neuron_)}));
  const std::string token = row_name(context.run, sequence, place_.stack, pos_);
  note_text(token);
  caption(middle_truncated(fonts().small, kept_tr("mlp.at", {std::to_string(pos_), token}), width));
  draw_mlp_gate(context, place_, cell_, width);
  if (!words_) return caption(tr("mlp.pending"));
  const NeuronWords& words = *words_;
  const float line = text_size(fonts().mono_small, "X").y + scaled(3);
  const float head = text_size(fonts().small, "X").y + scaled(4) + 3 * ImGui::GetStyle().ItemSpacing.y;
  const int lists = (words.reads.empty() ? 0 : 1) + (words.promotes.empty() ? 0 : 2);
  const float room = ImGui::GetContentRegionAvail().y;
  const auto fits = static_cast<std::size_t>(std::clamp(
      (room / static_cast<float>(std::max(1, lists)) - head) / line, 2.f, static_cast<float>(kMlpWords)));
  const ImVec2 top = ImGui::GetCursorScreenPos();
  draw_words(context, "mlp.reads", words.reads, theme().k, fits, width);
  draw_words(context, "mlp.promotes", words.promotes, theme().v, fits, width);
  draw_words(context, "mlp.suppresses", words.suppresses, theme().warning, fits, width);
  if (words.promotes.empty())
    caption(tr(context.run.recorded()                                       ? "mlp.no_words.recorded"
               : place_.stack != context.run.trace(sequence).config().stack ? "mlp.no_words.stack"
                                                                            : "mlp.no_words"));
  if (!words_.fresh) veil(top, ImVec2(top.x + width, ImGui::GetCursorScreenPos().y));
}

void MlpView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  const auto count = static_cast<std::size_t>(
      std::clamp((room.y - scaled(150)) / scaled(kMlpRow), 4.f, static_cast<float>(kMostNeurons)));
  follow(context, count);
  const int sequence = context.workspace.cursor.sequence;
  const Trace& trace = context.run.trace(sequence);
  if (!has_neurons(trace, place_)) return caption(tr("mlp.none"));
  const std::string& title =
      title_.get({context.run.opened_version, static_cast<std::uint64_t>(place_.stack),
                  static_cast<std::uint64_t>(place_.layer)},
                 [&] { return tr("mlp.title", {block_name(trace.config(), place_.stack, place_.layer)}); });
  const float below =
      places_heading(context.workspace, context.run, PlaceChips::stacks, title, share_text(context), width);
  ImGui::SetCursorScreenPos(ImVec2(origin.x, below + scaled(10)));
  draw_controls(context, width);
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4);
  const ImVec2 at(origin.x, begin), size(width, std::max(scaled(60), origin.y + room.y - begin));
  if (page_ == MlpPage::clouds) return clouds_.draw(context, place_, at, size);
  if (page_ == MlpPage::words) return draw_in_words(context, at, size);
  if (!sheet_ || sheet_->top.empty()) {
    ImGui::SetCursorScreenPos(at);
    return caption(tr("mlp.pending"));
  }
  const float side = std::clamp(width * 0.32f, scaled(190), scaled(300));
  draw_neurons(context, at, ImVec2(width - side - scaled(16), size.y));
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - side, at.y));
  const ChildScope child("mlp_neuron", ImVec2(side + scaled(8), size.y));
  draw_one(context, side);
}

}  // namespace

std::unique_ptr<View> make_mlp_view();
std::unique_ptr<View> make_mlp_view() { return std::make_unique<MlpView>(); }

}  // namespace attnscope
