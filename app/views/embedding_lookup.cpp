// The lookup page: a one-hot vector times the rows of the table, and the steps up to the sum of block 0.
#include <algorithm>

#include "app/look/kept_text.h"
#include "app/views/embedding_view.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {

namespace {

constexpr float kEmbeddingCellWidth = 50.f, kEmbeddingLeastRow = 17.f, kEmbeddingMostRow = 60.f;  // units

HeatStyle strip_style(const Tensor& values, bool log_scale) {
  HeatStyle style;
  style.map = Colormap::diverging;
  style.log_scale = log_scale;
  set_range(style, signed_range(values));
  return style;
}

}  // namespace

// The rows of the table around the token, as many as fit.
void EmbeddingView::take_words(const OpenedModel& opened) {
  words_ = one_hot_ = {};
  names_.clear();
  if (token_ < 0 || table_.empty() || token_ >= table_.size(0)) return;
  const std::int64_t count = std::min(wanted_words_, table_.size(0));
  first_word_ = std::clamp<std::int64_t>(token_ - count / 2, 0, table_.size(0) - count);
  words_ = table_.slice(0, first_word_, first_word_ + count).packed();
  std::vector<float> hot(static_cast<std::size_t>(count), 0.f);
  hot[static_cast<std::size_t>(token_ - first_word_)] = 1.f;
  one_hot_ = Tensor::from(std::move(hot), {{Axis::vocab, count}, {Axis::unit, 1}});
  for (std::int64_t id = first_word_; id < first_word_ + count; ++id)
    names_.push_back(std::to_string(id) + " " + token_label(opened, static_cast<int>(id)));
}

// One-hot vector beside the rows of the table around the token: the 1 selects its row.
void EmbeddingView::draw_table(const ViewContext& context, ImVec2 at, float labels, ImVec2 cell) {
  const std::int64_t count = words_.size(0);
  const float height = cell.y * static_cast<float>(count) + scaled(44), narrow = std::min(cell.x, scaled(44));
  MatrixPlot& hot = one_hot_plot_;
  hot.key = "embedding_one_hot";
  hot.values = one_hot_;
  hot.style.hi = 1;
  hot.digits = 0;
  hot.cell = ImVec2(narrow, cell.y);
  hot.row_label_width = labels - narrow - scaled(10);
  hot.col_label_height = text_size(fonts().small, "X").y + scaled(6);
  hot.cols.title = tr("embedding.one_hot");
  hot.cols.show_labels = false;
  hot.rows.label_of = [this](std::int64_t row) { return names_[static_cast<std::size_t>(row)]; };
  hot.selected_row = token_ - first_word_;
  hot.selected_col = 0;
  (void)draw_matrix(context.painter, hot, at, ImVec2(labels, height));
  MatrixPlot& plot = words_plot_;
  plot.key = "embedding_words";
  plot.values = words_.slice(1, first_, first_ + shown_);
  plot.style = strip_style(words_, context.workspace.log_scale);
  plot.cell = cell;
  plot.row_label_width = 0;
  plot.col_label_height = hot.col_label_height;
  plot.rows.show_labels = plot.cols.show_labels = false;
  plot.cols.title = kept_tr("embedding.table", {format_count(table_.size(0)), format_count(table_.size(1))});
  plot.cols.colour = theme().residual;
  plot.digits = 3;
  const MatrixMark here{token_ - first_word_, -1, theme().accent, 1, 1, 2.f};
  plot.lent_marks = {&here, 1};
  plot.place.weight = weight_;
  plot.place.first = {first_word_, first_};
  plot.place.row_axis = 0, plot.place.col_axis = 1;
  const DrawGroupScope group("matrix", weight_);
  const MatrixEvent event = draw_matrix(context.painter, plot, ImVec2(at.x + labels, at.y),
                                        ImVec2(cell.x * static_cast<float>(shown_) + scaled(4), height));
  if (!event.hovered()) return;
  Place place;
  place.weight = weight_;
  place.index = {first_word_ + event.row, first_ + event.col};
  ImGui::SetTooltip("%s", tr("embedding.cell.help", {weight_ + "[" + std::to_string(place.index[0]) + ", " +
                                                         std::to_string(place.index[1]) + "]",
                                                     number_text(plot.values.at(event.row, event.col), 6)})
                              .c_str());
  offer_edit(context.workspace, place);
}

void EmbeddingView::draw_strip(const ViewContext& context, const Strip& strip, ImVec2 at, float labels,
                               ImVec2 cell) {
  const Trace& run = trace(context);
  const DrawGroupScope group("matrix", strip.site);
  MatrixPlot& plot = strip_plot_;
  plot.key = strip.key;
  plot.values = strip.values.slice(1, first_, std::min(first_ + shown_, strip.values.size(1)));
  plot.style = strip_style(strip.values, context.workspace.log_scale);
  plot.cell = cell;
  plot.row_label_width = labels;
  plot.col_label_height = 0;
  plot.cols.show_labels = false;
  plot.rows.label_of = [&strip](std::int64_t) { return strip.label; };
  plot.rows.colour = strip.colour;
  plot.digits = 3;
  const MatrixMark sum{0, -1, theme().residual, 1, 1, 1.6f};
  plot.lent_marks = {&sum, strip.sum ? 1u : 0u};
  const MatrixEvent event =
      draw_matrix(context.painter, plot, at,
                  ImVec2(labels + cell.x * static_cast<float>(shown_) + scaled(4), cell.y + scaled(4)));
  if (!event.hovered()) return;
  const Cell here = cell_at(run, strip.site, {strip.row, first_ + event.col});
  ImGui::SetTooltip(
      "%s", tr("embedding.cell.help", {to_text(here), number_text(plot.values.at(0, event.col), 6)}).c_str());
  offer_edit(context.workspace, {here, {}, {}});
  if (!event.clicked) return;
  const std::int64_t query = row_;
  pin_cell(context.workspace, context.run, here);
  context.workspace.cursor.query = query;
}

void EmbeddingView::draw_lookup(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const std::vector<Strip>& rows = strips_.get({key_}, [&] { return strips(context); });
  float labels = 0;
  for (const Strip& strip : rows) labels = std::max(labels, text_size(fonts().mono_small, strip.label).x);
  for (const std::string& name : names_)
    labels = std::max(labels, text_size(fonts().mono_small, name).x + scaled(56));
  labels = std::min(labels + scaled(14), room.x * 0.4f);
  const float wide = room.x - labels - scaled(6), line = text_size(fonts().body, "X").y + scaled(4);
  shown_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(wide / scaled(kEmbeddingCellWidth)), 1, dims_);
  first_ = std::clamp<std::int64_t>(first_, 0, dims_ - shown_);
  float y = at.y;
  const float slider = shown_ < dims_ ? scaled(40) : 0, tail = slider + 2 * line + scaled(26);
  const float head = words_.empty() ? 0 : scaled(34);
  const float gaps = scaled(8) * static_cast<float>(rows.size()), all = room.y - head - gaps - tail;
  const auto fit = static_cast<std::int64_t>(all / scaled(kEmbeddingLeastRow)) - std::ssize(rows);
  if (const std::int64_t wanted = std::clamp<std::int64_t>(fit, 3, kWords); wanted != wanted_words_) {
    wanted_words_ = wanted;
    take_words(*context.run.document.opened);
  }
  const auto count =
      static_cast<float>(std::ssize(rows) + (words_.empty() ? std::int64_t{0} : words_.size(0)));
  const ImVec2 cell(
      std::min(wide / static_cast<float>(shown_), scaled(110)),
      std::clamp(all / std::max(1.f, count), scaled(kEmbeddingLeastRow), scaled(kEmbeddingMostRow)));
  if (!words_.empty()) {
    draw_table(context, ImVec2(at.x, y), labels, cell);
    y += head + cell.y * static_cast<float>(words_.size(0));
  }
  for (const Strip& strip : rows) {
    y += strip.sum ? scaled(10) : scaled(6);
    draw_strip(context, strip, ImVec2(at.x, y), labels, cell);
    y += cell.y;
  }
  if (slider > 0) {
    ImGui::SetCursorScreenPos(ImVec2(at.x + labels, y + scaled(6)));
    (void)slider_int(
        "###embedding_first",
        kept_tr("embedding.dimensions",
                {std::to_string(first_), std::to_string(first_ + shown_ - 1), std::to_string(dims_)}),
        first_, 0, dims_ - shown_, std::min(wide - scaled(8), scaled(320)), tr("embedding.dimensions.help"));
    y += slider + scaled(6);
  }
  const Trace& run = trace(context);
  ImGui::SetCursorScreenPos(ImVec2(at.x, y + scaled(12)));
  const FontScope face(room.y > scaled(560) ? fonts().body : fonts().small);
  figure_text(facts_.get({key_}, [&] { return facts(context); }), room.x);
  const ColourScope dim(ImGuiCol_Text, theme().text_dim);
  const HeadSpec& out = run.config().head;
  if (!run.weights().all().empty() && out.present && token_ >= 0 && stack_ == run.config().stack)
    figure_text(kept_tr(out.tied ? "embedding.tied" : "embedding.untied",
                        {format_count(table_.empty() ? 0 : table_.size(0)), format_count(dims_)}),
                room.x);
}

}  // namespace attnscope
