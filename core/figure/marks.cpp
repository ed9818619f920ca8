#include "core/figure/marks.h"

#include <algorithm>

namespace attnscope::figure {

const MarkRules& rules_of(const Mark& mark) {
  if (std::holds_alternative<MatrixMark>(mark)) return kMatrixRules;
  if (std::holds_alternative<TableMark>(mark)) return kTableRules;
  if (std::holds_alternative<PlotMark>(mark)) return kPlotRules;
  if (std::holds_alternative<TrackMark>(mark)) return kTrackRules;
  if (std::holds_alternative<TriangleMark>(mark)) return kTriangleRules;
  if (std::holds_alternative<StairsMark>(mark)) return kStairsRules;
  return kWordsRules;
}

std::string title_of(const Part& part, const Form& form) {
  if (part.title.empty()) return {};
  const std::size_t at = form.has(Give::shorter_words) ? 1 : 0;
  return part.title[std::min(at, part.title.size() - 1)].str();
}

void draw_title(const PlacedPart& placed, Drawing& out, const LetterSizes& look) {
  if (const std::string title = title_of(*placed.part, placed.form); !title.empty())
    out.text(title, placed.box.x, placed.box.y + look.body * kAscent, look.body, Face::bold,
             out.colours().ink(Ink::text), placed.box);
}

float title_height(const Part& part, const Form&, const LetterSizes& look) {
  return part.title.empty() ? 0 : look.body * kLine + 4;
}

float widest(const std::vector<Text>& texts, float em, Face face, const MarkContext& context) {
  const float of_one_pixel = context.once(&texts, 100 + static_cast<int>(face), [&] {
    float out = 0;
    for (const Text& text : texts) out = std::max(out, context.measure.width(text.str(), 1, face));
    return out;
  });
  return of_one_pixel * em;
}

}  // namespace attnscope::figure
