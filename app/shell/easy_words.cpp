// What a click on a word of the easy window's picture does to the text.
#include <algorithm>

#include "app/shell/easy_window.h"
#include "app/state/actions.h"
#include "core/model/measure.h"

namespace attnscope {

// A click on an output appends it: where the model generates, and the answer is that of the last token.
bool EasyWindow::appends(const FrameState& state) const {
  return is_possible(*find_action("run.generate"), state) && !view_.compare &&
         answer_row(view_) == view_.run->length - 1 && prediction_row(*view_.run) == answer_row(view_);
}

void EasyWindow::append(FrameState& state, std::int64_t output) const {
  const figure::Part* part = box_.empty() ? nullptr : figure::find_part(*box_.on_screen().figure, "answer");
  const auto* table = part ? std::get_if<figure::TableMark>(&part->mark) : nullptr;
  if (!table || output < 0 || output >= std::ssize(table->rows)) return;
  const std::string name = table->rows[static_cast<std::size_t>(output)].cells.front().str();
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

}  // namespace attnscope
