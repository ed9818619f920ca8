// What a click in the easy window's picture does: on a word to the text, on a number its sum.
#include <algorithm>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/shell/easy_window.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "core/model/measure.h"
#include "core/view/cell_sum.h"

namespace attnscope {

// A click on an output appends it: where the model generates, and the answer is that of the last token.
bool EasyWindow::appends(const FrameState& state) const {
  return is_possible(*find_action("run.generate"), state) && !view_.compare &&
         answer_row(view_) == view_.run->length - 1 && prediction_row(*view_.run) == answer_row(view_);
}

void EasyWindow::append(FrameState& state, const FigureHands::Output& output) const {
  const figure::Part* part =
      box_.empty() ? nullptr : figure::find_part(*box_.on_screen().figure, output.part);
  const auto* table = part ? std::get_if<figure::TableMark>(&part->mark) : nullptr;
  if (!table || output.row < 0 || output.row >= std::ssize(table->rows)) return;
  const std::string name = table->rows[static_cast<std::size_t>(output.row)].cells.front().str();
  const std::int64_t row = answer_row(view_);
  const std::vector<NextToken> tokens = next_tokens(view_.run->logits_row(row), Sampling{});
  const auto named = std::find_if(tokens.begin(), tokens.end(), [&](const NextToken& token) {
    return answer_name(view_, row, token.id).str() == name;
  });
  if (named == tokens.end()) return;
  const int id = named->id;
  const auto sequence = static_cast<std::size_t>(state.workspace.cursor.sequence);
  const std::size_t where = view_.run->input.ids.size();
  state.commands.edit(Text::of("easy.append", {output_name(*view_.opened, id)}), {},
                      [=](Document& changed) { return insert_token(changed, sequence, where, id); });
}

// A word of a table of words may stand in the place of the looked-at token.
bool EasyWindow::replaces() const {
  const std::vector<int>& ids = view_.run->ids;
  return view_.place.stack == view_.run->config().stack && view_.opened->recorded.empty() &&
         view_.run->input.ids.size() == ids.size() && view_.row < std::ssize(ids);
}

void EasyWindow::replace(FrameState& state, const std::string& word) const {
  const OpenedModel& opened = *view_.opened;
  int id = 0;
  while (id < view_.run->config().vocab_size && token_label(opened, id) != word) ++id;
  if (id >= view_.run->config().vocab_size) return;
  const auto sequence = static_cast<std::size_t>(state.workspace.cursor.sequence);
  const auto pos = static_cast<std::size_t>(view_.row);
  state.commands.edit(Text::of("easy.replace", {token_label(opened, view_.run->ids[pos]), word}), {},
                      [=](Document& changed) { return replace_token(changed, sequence, pos, id); });
}

// Of a number of a row drawn large; a second click takes it away.
void EasyWindow::ask_for_sum(const FigureHands::Clicked& clicked) {
  const figure::Part* part = figure::find_part(*box_.on_screen().figure, clicked.part);
  const auto* matrix = part ? std::get_if<figure::MatrixMark>(&part->mark) : nullptr;
  const bool same = sum_ && sum_->cell.part == clicked.part && sum_->cell.row == clicked.row &&
                    sum_->cell.col == clicked.col;
  sum_.reset();
  if (matrix && !matrix->order.empty() && !same)
    sum_ = AskedSum{clicked, shown_, view_.page, view_.row, view_.layer, view_.head};
}

// Below the number that was clicked, as long as the picture shows it.
void EasyWindow::draw_sum() {
  if (!sum_) return;
  const bool here = sum_->view == shown_ && sum_->page == view_.page && sum_->row == view_.row &&
                    sum_->layer == view_.layer && sum_->head == view_.head;
  const auto cell =
      here && !box_.empty() ? box_.cell(sum_->cell.part, sum_->cell.row, sum_->cell.col) : std::nullopt;
  if (!cell) return sum_.reset();
  const std::string& said =
      sum_text_.get({box_.serial(), key_of(sum_->cell.part), static_cast<std::uint64_t>(sum_->cell.row),
                     static_cast<std::uint64_t>(sum_->cell.col)},
                    [&] {
                      std::string out = cell_sum(*view_.run, cell->matrix(), cell->row, cell->col);
                      note_text(out);
                      return out;
                    });
  if (said.empty()) return;
  const Canvas canvas;
  ImFont* face = fonts().reading;
  const ImVec2 size = text_size(face, said), screen = ImGui::GetIO().DisplaySize;
  const float pad = px(8), wide = size.x + 2 * pad, high = size.y + px(8);
  const float x =
      std::clamp((cell->p0.x + cell->p1.x - wide) / 2, px(4), std::max(px(4), screen.x - wide - px(4)));
  const ImVec2 p0(x, cell->p1.y + px(3)), p1(x + wide, cell->p1.y + px(3) + high);
  canvas.fill_rect(p0, p1, theme().panel_raised, px(5));
  canvas.rect(p0, p1, theme().accent, px(5));
  canvas.text(face, ImVec2(p0.x + pad, p0.y + px(4)), theme().text, said);
  note_item("cell_sum", ItemRect{p0, p1});
}

}  // namespace attnscope
