#include "core/view/caption.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/version.h"
#include "core/figure/print.h"
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

// The colours of one matrix, in words; empty: it has none of its own.
Text scale_text(const figure::MatrixMark& matrix, const std::string& key, const Text& title) {
  const std::string most = figure::number_text(matrix.most, matrix.digits),
                    least = figure::number_text(-matrix.most, matrix.digits);
  const bool diverging = matrix.scale == figure::Scale::diverging;
  return Text::of(key + (diverging ? "diverging" : "share"),
                  diverging ? std::vector<Text>{least, most, title} : std::vector<Text>{most, title});
}

// A sentence where all matrices have the same colours, else one for each scale, by the first that has it.
std::vector<Text> scales_of(const figure::Figure& figure) {
  constexpr std::size_t kMostScales = 4;
  std::vector<Text> alone, named;
  std::vector<std::string> said;
  for (const figure::Part* part : parts_of(figure)) {
    const auto* matrix = std::get_if<figure::MatrixMark>(&part->mark);
    if (!matrix || matrix->scale == figure::Scale::open || !figure::one_scale(*matrix)) continue;
    const Text one = scale_text(*matrix, "figure.caption.", Text());
    if (std::find(said.begin(), said.end(), one.str()) != said.end()) continue;
    said.push_back(one.str());
    alone.push_back(one);
    named.push_back(part->title.empty() ? one
                                        : scale_text(*matrix, "figure.caption.of.", part->title.back()));
  }
  if (named.size() > kMostScales) named.resize(kMostScales);
  return alone.size() > 1 ? named : alone;
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
  for (Text& scale : scales_of(figure)) out.push_back(std::move(scale));
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
