// How the output view changes the text: a token appended, exchanged, generated; all that follows, replaced.
#include <algorithm>

#include "app/views/output_view.h"

namespace attnscope {

// Replaces the tokens after the current row by `ids`.
void OutputView::replace_rest(const ViewContext& context, const std::vector<int>& ids) {
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  const Document& document = context.session.document();
  if (sequence >= document.sequences.size()) return;
  const std::int64_t before = padding_of(document, sequence, Stack::single).before;
  std::vector<int> all = document.model->completed(document.sequences[sequence].input).ids;
  const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(0, pos_ + 1 - before));
  if (all.size() > kept) all.resize(kept);
  std::string words;
  for (const int id : ids)
    words += (words.empty() ? "" : " ") + output_name(*context.run.document.opened, id);
  all.insert(all.end(), ids.begin(), ids.end());
  lit_from_ = pos_ + 1;
  lit_sentence_ = Text::of("output.edit.append", {words});
  const std::vector<Span> spans = document.sequences[sequence].input.spans;
  at_ = At::last;
  context.commands.edit(lit_sentence_, {}, [=](Document& changed) {
    std::vector<Span> own = spans;
    for (Span& span : own)
      span.begin = std::min(span.begin, std::ssize(all)), span.end = std::min(span.end, std::ssize(all));
    return set_ids(changed, sequence, all, own);
  });
}

void OutputView::put_in_place(const ViewContext& context, int id, std::int64_t pos) {
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  const std::int64_t before = padding_of(context.session.document(), sequence, Stack::single).before;
  const auto where = static_cast<std::size_t>(std::max<std::int64_t>(0, pos - before));
  if (pos >= context.run.trace(context.workspace.cursor.sequence).length) return;
  context.commands.edit(
      Text::of("output.edit.put", {output_name(*context.run.document.opened, id), std::to_string(pos)}), {},
      [=](Document& document) { return replace_token(document, sequence, where, id); });
}

// Appends to the end of the text, whatever row is shown.
void OutputView::append(const ViewContext& context, int id) {
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  const Document& document = context.session.document();
  if (sequence >= document.sequences.size()) return;
  const std::size_t end = document.model->completed(document.sequences[sequence].input).ids.size();
  const std::int64_t before = padding_of(document, sequence, Stack::single).before;
  lit_from_ = static_cast<std::int64_t>(end) + before;
  lit_sentence_ = Text::of("output.edit.append", {output_name(*context.run.document.opened, id)});
  if (pos_ == prediction_row(context.run.trace(context.workspace.cursor.sequence))) at_ = At::last;
  context.commands.edit(lit_sentence_, {},
                        [=](Document& changed) { return insert_token(changed, sequence, end, id); });
}

void OutputView::generate(const ViewContext& context, int count, const Text& sentence) {
  const int sequence = context.workspace.cursor.sequence;
  lit_from_ = context.run.trace(sequence).length;
  lit_sentence_ = sentence;
  at_ = At::last;
  context.commands.act([=](Session& session) { session.generate(sequence, count, sentence); });
}

}  // namespace attnscope
