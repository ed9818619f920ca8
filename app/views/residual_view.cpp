// The residual view: logit lens as a grid of parts x positions, the token list of the clicked cell, and the
// norms of all additions. Lens cells appear as they are computed.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/look/shade.h"
#include "app/views/residual_additions.h"
#include "app/views/residual_lens.h"
#include "app/views/residual_window.h"
#include "app/views/view.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr int kWordsListed = 10;
constexpr float kReadableWidth = 44.f, kReadableHeight = 17.f;  // units: minimum cell for a token
constexpr float kWidestWanted = 104.f, kWidestCell = 220.f, kTallestCell = 150.f, kNarrowSide = 460.f;

float list_line() { return text_size(fonts().mono_small, "0").y + scaled(4); }

const ModelConfig& config(const ViewContext& context) {
  return context.run.trace(context.workspace.cursor.sequence).config();
}

// The token of a row of the main stack.
std::string main_name(const ViewContext& context, std::int64_t pos) {
  return row_name(context.run, context.workspace.cursor.sequence, config(context).stack, pos);
}

// A row that stands for no token: nothing is read off it.
bool residual_pads(const ViewContext& context, std::int64_t pos) {
  return !context.run.trace(context.workspace.cursor.sequence).is_real(config(context).stack, pos);
}

class ResidualView : public View {
 public:
  ResidualView() : View({"residual", ViewGroup::inside, 0}) {}
  std::string unavailable(const RunResult& run) const override {
    if (!run.traces.empty() && has_additions(run.trace(0))) return "";
    return !run.traces.empty() && run.recorded() ? "residual.none.recorded" : "residual.none";
  }
  void keep(Choices& choices) override {
    choices.all(colour_, by_push_);
    choices.of("asked", asked_, -1, 1 << 24);
    choices.of("window", window_);
  }
  void draw(const ViewContext& context) override;
  void leave() override {
    now_.leave();
    before_.leave();
  }

 private:
  void follow(const ViewContext& context);
  int asked_token(const ViewContext& context);
  void reset_window(const ViewContext& context, ImVec2 room);
  void draw_grid(const ViewContext& context, ImVec2 at, ImVec2 room);
  void mark_edits(const ViewContext& context, MatrixPlot& plot) const;
  void draw_tokens(const ViewContext& context, const MatrixPlot& plot, const MatrixLayout& layout, ImVec2 at);
  void explain(const ViewContext& context, std::int64_t row, std::int64_t pos) const;
  std::string cell_number(float value) const {
    return number_text(value, colour_ == LensColour::rank && !difference_ ? 0 : 2);
  }
  void draw_side(const ViewContext& context, float width);
  void draw_list(const ViewContext& context, const LensList& list, std::size_t shown, float width);
  void draw_colours(const ViewContext& context, float width);
  void draw_parts(const ViewContext& context, ImVec2 at, ImVec2 room);

  std::int64_t row_count() const { return static_cast<std::int64_t>(now_.rows().size()); }
  // Screen rows go from the output down, lens rows from the embedding up.
  std::int64_t lens_index(std::int64_t screen_row) const { return row_count() - 1 - screen_row; }

  LensGrid now_, before_;
  bool difference_ = false;
  static constexpr Option<LensColour> kColours[] = {{"probability", LensColour::probability},
                                                    {"asked", LensColour::asked},
                                                    {"rank", LensColour::rank},
                                                    {"entropy", LensColour::entropy},
                                                    {"kl", LensColour::kl}};
  OneOf<LensColour> colour_{"colour", kColours, LensColour::probability, "residual.colour.", "###lens_"};
  int asked_ = -1;  // token chosen for the colouring; -1: the prediction at the current position
  int answer_ = -1;
  std::uint64_t answer_key_ = 0;
  std::uint64_t asked_of_ = 0;  // opened_version it belongs to
  static constexpr Option<bool> kBars[] = {{"push", true, "residual.by_push", "push"},
                                           {"length", false, "residual.by_length", "length"}};
  /// Bars: contribution to the logit, else the norm.
  OneOf<bool> by_push_{"by_push", kBars, true, "", "###residual_by_"};
  MatrixWindow window_;
  std::array<std::int64_t, 3> window_of_{};  // rows, positions, and room it was computed for
  std::int64_t row_ = -1, pos_ = 0;          // pinned cell; row as in the lens
  Site seen_step_;
  HeatStyle style_;
  Tensor values_;
  std::uint64_t values_key_ = 0;
  Computed<LensList> list_;
  Kept<Table> list_table_;
  float below_rows_ = 0;  // y of the end of the listed tokens
  float below_list_ = 0;  // height of all below them, in the frame before; 0: not known
  struct Books {
    std::vector<Addition> parts;
    std::optional<Pushes> pushes;  // contributions to the logit of `token`
    int token = -1;
  };
  Computed<Books> books_;
};

// The chosen token, else the prediction at this position; -1 without a lens.
int ResidualView::asked_token(const ViewContext& context) {
  if (asked_ >= 0) return asked_;
  const Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  const std::int64_t pos = main_row(cursor, trace);
  const std::uint64_t key = key_of(
      {context.run.version, static_cast<std::uint64_t>(cursor.sequence), static_cast<std::uint64_t>(pos)});
  if (key == answer_key_) return answer_;
  answer_key_ = key;
  const std::vector<LensRow> rows = lens_rows(trace);
  answer_ = rows.empty() ? -1 : lens_top(trace, rows.back(), pos, 1).front().token;
  return answer_;
}

void ResidualView::follow(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const std::uint64_t model = context.run.opened_version;
  if (asked_of_ != model) asked_of_ = model, asked_ = -1;
  const bool asks = colour_ == LensColour::asked || colour_ == LensColour::rank;
  const int asked = asks ? asked_token(context) : -1;
  now_.follow(model, context.run, cursor.sequence, context.workers(), asked);
  int asked_before = asked;  // the token with the same text in A's vocabulary
  if (asked >= 0 && context.before) {
    const Trace &trace = context.run.trace(cursor.sequence), &older = context.before->trace(cursor.sequence);
    const Alignment outputs = align_outputs(trace, older, {asked, asked + 1});
    asked_before = outputs.matches(asked) ? static_cast<int>(outputs.to_b.back()) : -1;
  }
  const bool comparable = context.workspace.show_difference && context.before && !now_.rows().empty() &&
                          (asked < 0 || asked_before >= 0) &&
                          lens_rows(context.before->trace(cursor.sequence)).size() == now_.rows().size();
  if (comparable) before_.follow(model, *context.before, cursor.sequence, context.workers(), asked_before);
  difference_ = comparable;
  const std::uint64_t key =
      key_of({now_.version(), comparable ? before_.version() : 0, static_cast<std::uint64_t>(colour_.value)});
  if (key != values_key_ && !now_.rows().empty()) {
    values_key_ = key;
    values_ = now_.values(colour_);
    if (comparable)
      values_ = lens_difference(
          values_, before_.values(colour_),
          align_rows(context.run.trace(cursor.sequence), context.before->trace(cursor.sequence),
                     context.run.trace(cursor.sequence).config().stack));
    values_ = without_padding(context.run.trace(cursor.sequence), std::move(values_));
    style_ = lens_style(values_, colour_, difference_);
  }
  if (row_ < 0 || row_ >= row_count()) row_ = row_count() - 1;
  if (!(cursor.step == seen_step_)) {
    seen_step_ = cursor.step;
    for (std::int64_t row = 0; row < row_count(); ++row)
      if (now_.rows()[static_cast<std::size_t>(row)].site == cursor.step) row_ = row;
  }
  pos_ = main_row(cursor, context.run.trace(cursor.sequence));
}

// If not all cells fit with whole tokens, shows the newest positions and the rows next to the output; the
// rest by panning.
void ResidualView::reset_window(const ViewContext& context, ImVec2 room) {
  const std::array of{row_count(), now_.positions(), std::lround(room.x / scaled(kReadableWidth))};
  if (std::exchange(window_of_, of) == of) return;
  float widest = scaled(kReadableWidth);  // widths of the input's tokens as an estimate
  for (std::int64_t pos = std::max<std::int64_t>(0, of[1] - 64); pos < of[1]; ++pos)
    widest = std::max(widest, text_size(fonts().mono_small, main_name(context, pos)).x + scaled(8));
  widest = std::min(widest, scaled(kWidestWanted));
  window_ = first_window(of[0], of[1], pos_, room.y / scaled(kReadableHeight), room.x / widest);
}

void ResidualView::draw_tokens(const ViewContext& context, const MatrixPlot& plot, const MatrixLayout& layout,
                               ImVec2 at) {
  const bool large = layout.cell.y >= scaled(28) && layout.cell.x >= scaled(60);
  ImFont* font = large && layout.cell.x >= scaled(110) && layout.cell.y >= scaled(40) ? fonts().title
                 : large                                                              ? fonts().mono
                                                                                      : fonts().mono_small;
  const float line = text_size(font, "X").y, pad = scaled(3);
  if (layout.cell.y < line || layout.cell.x < text_size(font, "ab").x + 2 * pad) return;
  ImFont* digits = fonts().mono_small;
  const float below = text_size(digits, "0").y;
  const bool numbers =
      layout.cell.y >= line + below + scaled(6) && layout.cell.x >= text_size(digits, "0.000").x;
  const Canvas canvas;
  const OpenedModel& opened = *context.run.document.opened;
  const ImVec2 p0(at.x + layout.cells0.x, at.y + layout.cells0.y),
      p1(at.x + layout.cells1.x, at.y + layout.cells1.y);
  canvas.push_clip(p0, p1);
  const auto row_end = std::min(row_count(), static_cast<std::int64_t>(std::ceil(layout.seen.row1)));
  const auto col_end = std::min(now_.positions(), static_cast<std::int64_t>(std::ceil(layout.seen.col1)));
  for (auto row = static_cast<std::int64_t>(layout.seen.row0); row < row_end; ++row) {
    for (auto col = static_cast<std::int64_t>(layout.seen.col0); col < col_end; ++col) {
      const LensCell& cell = now_.cell(lens_index(row), col);
      if (cell.token < 0 || is_masked(plot.values.at(row, col))) continue;
      const std::string label = output_name(opened, cell.token);
      note_text(label);
      ImFont* own = text_size(font, label).x > layout.cell.x - 2 * pad ? fonts().mono_small : font;
      const FittedText text = fitted_text(own, label, layout.cell.x - 2 * pad);
      const ImVec2 size(text.width, text_size(own, text.text).y),
          corner = layout.corner(static_cast<double>(row), static_cast<double>(col));
      const ImU32 ink = ink_on(heat_colour(plot.values.at(row, col), plot.style));
      const float high = size.y + (numbers ? below : 0), top = at.y + corner.y + (layout.cell.y - high) / 2;
      canvas.text(own, ImVec2(at.x + corner.x + (layout.cell.x - size.x) / 2, top), ink, text.text,
                  text.size);
      if (!numbers) continue;
      const std::string number = cell_number(plot.values.at(row, col));
      draw_text(canvas, digits,
                ImVec2(at.x + corner.x + (layout.cell.x - text_size(digits, number).x) / 2, top + size.y),
                ink, number);
    }
  }
  canvas.pop_clip();
}

void ResidualView::explain(const ViewContext& context, std::int64_t row, std::int64_t pos) const {
  const LensRow& lens = now_.rows()[static_cast<std::size_t>(row)];
  const LensCell& cell = now_.cell(row, pos);
  if (residual_pads(context, pos)) return ImGui::SetTooltip("%s", tr("place.padding"));
  if (cell.token < 0) return ImGui::SetTooltip("%s", tr("residual.pending"));
  const std::string text =
      tr("residual.cell.help",
         {output_name(*context.run.document.opened, cell.token), number_text(cell.probability, 4),
          lens_label(config(context), lens), std::to_string(pos), main_name(context, pos),
          number_text(cell.entropy, 3), number_text(cell.kl_to_final, 3), to_text(lens.site)});
  ImGui::SetTooltip("%s", text.c_str());
}

void ResidualView::mark_edits(const ViewContext& context, MatrixPlot& plot) const {
  for (std::int64_t row = 0; row < row_count(); ++row) {
    const Site site = now_.rows()[static_cast<std::size_t>(row)].site;
    for (const NumberEdit* edit :
         edits_of(context.run.document.edits, context.workspace.cursor.sequence, target_of({site, {}}))) {
      const AxisRange* range = range_on(edit->where, Axis::pos);
      plot.marks.push_back(edit_mark(lens_index(row), range ? range->begin : 0, 1,
                                     range ? range->end - range->begin : now_.positions()));
    }
  }
}

void ResidualView::draw_grid(const ViewContext& context, ImVec2 at, ImVec2 room) {
  Workspace& workspace = context.workspace;
  MatrixPlot plot;
  plot.key = "residual_lens";
  plot.values = values_;
  plot.style = style_;
  plot.show_numbers = false;
  plot.window = &window_;
  plot.selected_row = lens_index(row_);
  plot.selected_col = pos_;
  plot.rows.label_of = [&](std::int64_t row) {
    return lens_label(
        config(context),
        now_.rows()[static_cast<std::size_t>(std::clamp<std::int64_t>(lens_index(row), 0, row_count() - 1))]);
  };
  mark_edits(context, plot);
  plot.row_label_width = text_size(fonts().mono_small, "00 cross").x + scaled(12);
  const float width = room.x - plot.row_label_width - scaled(4);
  reset_window(context, ImVec2(width, room.y - scaled(24)));
  room.y -= more_height(window_);
  const bool all = window_.all();
  const double cols = all ? static_cast<double>(now_.positions()) : window_.col1 - window_.col0;
  const double rows = all ? static_cast<double>(row_count()) : window_.row1 - window_.row0;
  plot.cell.x = std::min(width / static_cast<float>(cols), scaled(kWidestCell));
  plot.cell.y = scaled(kReadableHeight);
  const auto name = [&](std::int64_t pos) {
    std::string label = main_name(context, pos);
    note_text(label);
    if (plot.cell.x < scaled(36)) return label;
    return std::string(middle_truncated(fonts().mono_small, label, plot.cell.x - scaled(6)));
  };
  plot.cols.label_of = std::ref(name);
  const float top = matrix_layout(plot, room).cells0.y;
  plot.cell.y = std::clamp((room.y - top - scaled(3)) / static_cast<float>(rows), 1.f, scaled(kTallestCell));
  const MatrixWindow before = window_;
  const MatrixEvent event = draw_matrix(context.painter, plot, at, room);
  const MatrixLayout layout = matrix_layout(plot, room);
  for (std::size_t row = 0; row < now_.rows().size(); ++row)
    tint_cells(layout, at, lens_index(static_cast<std::int64_t>(row)), shaded_rows(now_.rows()[row].site));
  now_.want(
      {static_cast<std::int64_t>(layout.seen.col0), static_cast<std::int64_t>(std::ceil(layout.seen.col1))});
  draw_tokens(context, plot, layout, at);
  if (!ImGui::IsMouseDown(0)) window_ = whole_cells(before, window_, row_count(), now_.positions());
  offer_more(window_, row_count(), now_.positions(), event.p0, event.p1);
  if (now_.older()) return veil(event.p0, event.p1);
  if (!event.hovered()) return;
  explain(context, lens_index(event.row), event.col);
  const Site& part = now_.rows()[static_cast<std::size_t>(lens_index(event.row))].site;
  offer_edit(context.workspace, {Cell{part, {{"pos", event.col}}}, {}, {}});
  const int token = now_.cell(lens_index(event.row), event.col).token;
  if (token >= 0 && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) workspace.measure_at = token;
  if (!event.clicked) return;
  row_ = lens_index(event.row), pos_ = workspace.cursor.query = event.col;
  go_to_site(workspace, context.run, now_.rows()[static_cast<std::size_t>(row_)].site);
  seen_step_ = workspace.cursor.step;
}

void ResidualView::draw_list(const ViewContext& context, const LensList& list, std::size_t shown,
                             float width) {
  const Table& table = list_table_.get(
      {values_key(std::span(list.top)), shown, static_cast<std::uint64_t>(list.answer.token),
       context.run.opened_version, std::bit_cast<std::uint32_t>(width)},
      [&] {
        return lens_list_table(*context.run.document.opened, list, shown, width, list_line() + scaled(1));
      });
  const TableEvent event = draw_table(table, ImGui::GetCursorScreenPos(), width, [&](int row) {
    compat::item_tooltip(tr("residual.token.help"));
    offer_measure(context.workspace, list.top[static_cast<std::size_t>(row)].token);
  });
  if (event.clicked >= 0) {
    asked_ = list.top[static_cast<std::size_t>(event.clicked)].token;
    if (colour_ != LensColour::rank) colour_ = LensColour::asked;
  }
  below_rows_ = ImGui::GetCursorScreenPos().y - list_line() - scaled(1);  // the last row is all other tokens
  ImGui::Dummy(ImVec2(1, scaled(3)));
  caption(kept_tr("residual.answer", {output_name(*context.run.document.opened, list.answer.token),
                                      std::to_string(list.answer.rank + 1), std::to_string(list.vocab),
                                      number_text(list.answer.probability, 3)}));
}

void ResidualView::draw_colours(const ViewContext& context, float width) {
  section_heading(tr("residual.colour_by"));
  const int asked = now_.asked() >= 0 ? now_.asked() : asked_;
  const std::string of = asked >= 0 ? output_name(*context.run.document.opened, asked)
                                    : std::string(tr("residual.colour.answer"));
  note_text(of);
  const FontScope face(fonts().small);
  choose_in_menu(colour_, width - scaled(8), {of});
  ImGui::Dummy(ImVec2(1, scaled(2)));
  const char* unit = difference_ ? "residual.legend.difference" : lens_unit(colour_);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float title = text_size(fonts().small, "X").y + scaled(6);
  draw_legend(style_, tr(unit), at, ImVec2(width - scaled(8), title + scaled(10)), false);
  ImGui::Dummy(ImVec2(width, title + scaled(28)));
}

void ResidualView::draw_side(const ViewContext& context, float width) {
  const Cursor& cursor = context.workspace.cursor;
  const LensRow row = now_.rows()[static_cast<std::size_t>(row_)], last = now_.rows().back();
  const auto trace = context.run.shared(cursor.sequence);
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(cursor.sequence)});
  const std::uint64_t key = key_of(
      {subject, context.run.version, static_cast<std::uint64_t>(row_), static_cast<std::uint64_t>(pos_)});
  const auto list = list_.get_or_before(
      subject, key, context.workers(),
      [=, pos = pos_](const std::atomic<bool>&) { return lens_list(*trace, row, last, pos, kWordsListed); });
  section_heading(tr("residual.most_likely"));
  const std::string label = main_name(context, pos_);
  caption(kept_tr("residual.at", {lens_label(config(context), row), std::to_string(pos_), label}));
  ImGui::Dummy(ImVec2(1, scaled(1)));
  if (residual_pads(context, pos_)) return draw_colours(context, width);
  // With little room, the list is shortened first.
  const float room = ImGui::GetContentRegionAvail().y -
                     std::max(below_list_, scaled(width > scaled(200) ? 176 : 204) + list_line());
  const auto shown = static_cast<std::size_t>(
      std::clamp(room / (list_line() + scaled(1)), 3.f, static_cast<float>(kWordsListed)));
  const ImVec2 top = ImGui::GetCursorScreenPos();
  if (list)
    draw_list(context, *list, shown, width);
  else
    caption(tr("residual.pending"));
  if (list && !list.fresh) veil(top, ImVec2(top.x + width, ImGui::GetCursorScreenPos().y));
  ImGui::Dummy(ImVec2(1, scaled(6)));
  draw_colours(context, width);
  below_list_ = list ? ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y - below_rows_ : 0.f;
}

void ResidualView::draw_parts(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const Cursor& cursor = context.workspace.cursor;
  const auto sequence = static_cast<std::size_t>(std::max(0, cursor.sequence));
  const auto trace = context.run.shared(cursor.sequence);
  const bool lens = !now_.rows().empty() && !residual_pads(context, pos_);
  const int asked = asked_of_ == context.run.opened_version ? asked_ : -1;
  const std::uint64_t subject =
      key_of({context.run.opened_version, sequence, static_cast<std::uint64_t>(pos_)});
  const std::uint64_t key = key_of({subject, context.run.version, static_cast<std::uint64_t>(asked)});
  const Made<Books> books =
      books_.get_or_before(subject, key, context.workers(), [=, pos = pos_](const std::atomic<bool>&) {
        Books out;
        out.parts = additions(*trace, pos);
        if (!lens) return out;
        out.token = asked >= 0 ? asked : lens_top(*trace, lens_rows(*trace).back(), pos, 1).front().token;
        if (auto sum = pushes(*trace, out.parts, pos, out.token)) out.pushes = *std::move(sum);
        return out;
      });
  ImGui::SetCursorScreenPos(at);
  if (!books) return caption(tr("residual.pending"));
  const Pushes* push = by_push_ && books->pushes ? &*books->pushes : nullptr;
  const std::string token = books->token >= 0 ? output_name(*context.run.document.opened, books->token) : "";
  section_heading(push ? kept_tr("residual.pushes", {token, std::to_string(pos_), main_name(context, pos_)})
                       : kept_tr("residual.parts", {std::to_string(pos_), main_name(context, pos_)}));
  if (books->pushes) {
    const FontScope face(fonts().small);
    const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(1)));
    const float x = at.x + room.x - chips_width(by_push_, 0) - scaled(9);
    const float end = ImGui::GetItemRectMax().x + scaled(8);
    ImVec2 corner = ImGui::GetCursorScreenPos();
    if (x > end) corner = ImVec2(x, at.y - scaled(2));
    ChipRow row(corner, 1e9f, {{7, 1}, 5});
    choose(row, by_push_);
  }
  if (push) {
    double sum = 0;
    for (const double one : push->of) sum += one;
    caption(kept_tr("residual.books",
                    {token, number_text(static_cast<float>(sum), 3), signed_number(push->bias),
                     signed_number(push->rest), number_text(static_cast<float>(push->total), 3)}));
  } else {
    caption(tr("residual.parts.legend"));
  }
  const float used = ImGui::GetCursorScreenPos().y - at.y;
  const AdditionEvent event = draw_additions(config(context), books->parts, push, ImVec2(at.x, at.y + used),
                                             ImVec2(room.x, room.y - used));
  if (!books.fresh) veil(at, ImVec2(at.x + room.x, at.y + room.y));
  if (event.bar < 0) return;
  const Site site = books->parts[static_cast<std::size_t>(event.bar)].site;
  offer_edit(context.workspace, {Cell{site, {{"pos", pos_}}}, {}, {}});
  if (event.clicked) go_to_site(context.workspace, context.run, site);
}

void ResidualView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  follow(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const bool lens = !now_.rows().empty(), beside = lens && room.x >= scaled(kNarrowSide);
  const float side = beside ? scaled(room.x > scaled(780) ? 216.f : 176.f) : 0.f;
  const float wide = room.x - scaled(14), left = wide - side - (beside ? scaled(18) : 0);
  view_heading(tr(lens ? "residual.title" : "residual.title.no_head"),
               tr(lens                     ? "residual.sentence"
                  : context.run.recorded() ? "residual.sentence.recorded"
                                           : "residual.sentence.no_head"),
               left);
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4), bottom = origin.y + room.y;
  const float parts = lens ? std::clamp(room.y * (beside ? 0.33f : 0.45f), scaled(132), scaled(300))
                           : room.y - (begin - origin.y);
  if (lens)
    draw_grid(context, ImVec2(origin.x, begin),
              ImVec2(left, std::max(scaled(60), bottom - parts - scaled(14) - begin)));
  if (beside) {
    ImGui::SetCursorScreenPos(ImVec2(origin.x + left + scaled(18), origin.y + scaled(2)));
    const ChildScope child("residual_side", ImVec2(side + scaled(10), room.y - scaled(2)));
    draw_side(context, side);
  }
  draw_parts(context, ImVec2(origin.x, bottom - parts), ImVec2(left, parts));
  if (!lens || beside) return;
  ImGui::SetCursorScreenPos(ImVec2(origin.x, bottom + scaled(14)));  // below the grid: scrolls
  draw_side(context, left);
}

}  // namespace

std::unique_ptr<View> make_residual_view();
std::unique_ptr<View> make_residual_view() { return std::make_unique<ResidualView>(); }

}  // namespace attnscope
