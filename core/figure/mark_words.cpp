// Lines of text: a title, a sentence, a formula or a note.
#include <algorithm>
#include <array>

#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

constexpr std::array<Give, 3> kWordsGives{Give::shorter_words, Give::shortest_words, Give::left_out};
constexpr float kAllWidth = 1e4f;
constexpr float kLongestWord = 140;  // pixels: longer ones are broken between letters

const WordsMark& words_in(const Part& part) { return std::get<WordsMark>(part.mark); }

std::string text_of(const Part& part, const Form& form) {
  const std::vector<Text>& forms = words_in(part).forms;
  if (forms.empty()) return {};
  const std::size_t at = form.has(Give::shortest_words) ? 2 : form.has(Give::shorter_words) ? 1 : 0;
  return forms[std::min(at, forms.size() - 1)].str();
}
float em_of(const WordsMark& words, const LetterSizes& look) {
  if (words.large) return look.lead;
  switch (words.as) {
    case WordsMark::As::title: return look.title;
    case WordsMark::As::note: return look.small;
    case WordsMark::As::sentence:
    case WordsMark::As::formula: break;
  }
  return look.body;
}
Face face_of(const WordsMark& words) {
  if (words.as == WordsMark::As::formula) return Face::mono;
  return words.as == WordsMark::As::title ? Face::bold : Face::sans;
}

SizeNeed words_width(const Part& part, const Form& form, const MarkContext& context) {
  const WordsMark& words = words_in(part);
  const float whole =
      context.measure.width(text_of(part, form), em_of(words, context.look), face_of(words)) + 1;
  // A formula becomes shorter before it takes a second line; one of a single form takes it where room lacks.
  const bool one_line = words.as == WordsMark::As::formula && !form.has(Give::shorter_words);
  return {one_line ? whole : std::min(whole, kLongestWord), whole,
          words.fills ? std::max(whole, kAllWidth) : whole};
}
SizeNeed words_height(const Part& part, const Form& form, float width, const MarkContext& context) {
  const WordsMark& words = words_in(part);
  const float em = em_of(words, context.look);
  const auto lines = context.measure.lines(text_of(part, form), em, face_of(words), width);
  const float height = static_cast<float>(lines.size()) * em * kLine;
  return {height, height, height};
}
void settle_words(PlacedPart&, const MarkContext&) {}
void draw_words(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const WordsMark& words = words_in(*placed.part);
  const float em = em_of(words, context.look);
  float y = placed.box.y;
  for (const std::string& line :
       context.measure.lines(text_of(*placed.part, placed.form), em, face_of(words), placed.box.w)) {
    out.text(line, placed.box.x, y + em * kAscent, em, face_of(words), out.colours().ink(words.ink),
             placed.box);
    y += em * kLine;
  }
}

}  // namespace

const MarkRules kWordsRules{kWordsGives, words_width, words_height, settle_words, draw_words};

}  // namespace attnscope::figure
