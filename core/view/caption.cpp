#include "core/view/caption.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/version.h"
#include "core/trace/edit.h"
#include "core/view/ask_figures.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostLetters = 240;  // of a text or a list of edits

std::string text_read(const Document& document, std::size_t sequence) {
  if (document.sequences.empty()) return {};
  const Sequence& first = document.sequences[std::min(sequence, document.sequences.size() - 1)];
  return printable(first.source_text.empty() ? first.text : first.source_text, kMostLetters);
}

// All rows have the same colours.
bool one_scale(const figure::MatrixMark& matrix) {
  return std::all_of(matrix.own_rows.begin(), matrix.own_rows.end(), [&](const figure::MatrixMark::Row& row) {
    return row.scale == matrix.scale && row.most == matrix.most;
  });
}

// The matrix of the most colours, of those with a scale.
const figure::MatrixMark* coloured(const figure::Figure& figure) {
  const figure::MatrixMark* out = nullptr;
  for (const figure::Part* part : parts_of(figure)) {
    const auto* matrix = std::get_if<figure::MatrixMark>(&part->mark);
    if (!matrix || matrix->scale == figure::Scale::open || !one_scale(*matrix)) continue;
    if (!out || matrix->values.count() > out->values.count()) out = matrix;
  }
  return out;
}

}  // namespace

std::vector<Text> caption_of(const ViewSpec& view, const ViewState& state, const Document* document,
                             std::size_t sequence, const figure::Figure& figure) {
  std::vector<Text> out;
  if (document && document->opened && state.run) {
    out.push_back(Text::of("figure.caption.model", {document->opened->title}));
    const bool many = state.asked && state.asked->sweep && state.asked->sweep->over_data();
    if (const std::string text = text_read(*document, sequence); !text.empty() && !many)
      out.push_back(Text::of("figure.caption.text", {text}));
    if (view.heads && !state.asked)
      out.push_back(Text::of("figure.caption.head", {state.layer, state.head}));
    else if (view.block && !state.asked)
      out.push_back(Text::of("figure.caption.block", {state.layer}));
    std::vector<std::string> edits;
    for (const auto& edit : document->edits)
      if (edit->enabled) edits.push_back(to_text(*edit));
    if (!edits.empty())
      out.push_back(Text::of("figure.caption.edits", {printable(join(edits, "; "), kMostLetters)}));
  }
  if (const figure::MatrixMark* matrix = coloured(figure)) {
    const std::string most = figure::number_text(matrix->most, matrix->digits),
                      least = figure::number_text(-matrix->most, matrix->digits);
    if (matrix->scale == figure::Scale::diverging)
      out.push_back(Text::of("figure.caption.diverging", {least, most}));
    else
      out.push_back(Text::of("figure.caption.share", {most}));
  }
  out.push_back(Text::of("figure.caption.version", {version()}));
  return out;
}

figure::Figure captioned(figure::Figure figure, const std::vector<Text>& caption) {
  std::vector<figure::PartBox> all{std::move(figure.body)};
  const Text all_of_it(join(in_words(caption), " "));
  all.push_back(figure::leaf(
      {"caption", figure::WordsMark{figure::WordsMark::As::note, {all_of_it}, figure::Ink::dim}, 2, {}, ""}));
  figure.body = figure::column(std::move(all));
  return figure;
}

}  // namespace attnscope
