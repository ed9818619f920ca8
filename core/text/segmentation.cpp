#include "core/text/segmentation.h"

#include <algorithm>

namespace attnscope {

Result<Segmentation> segment(const Tokenizer& tokenizer, std::string_view text,
                             const SegmentationLimits& limits, bool add_special) {
  Segmentation out;
  TRY(out.encoding, tokenizer.encode_recorded(text, add_special, limits, out));
  return out;
}

std::vector<WordPart> pieces_after(const SegmentedWord& word, std::size_t count) {
  const WordSteps& steps = word.steps;
  if (steps.kind != WordSteps::Kind::merges || steps.letters.empty()) return word.parts;
  std::vector<WordPart> pieces = steps.letters;
  std::vector<char> gone(pieces.size(), 0);
  for (std::size_t i = 0; i < std::min(count, steps.merges.size()); ++i) {
    const WordSteps::Merge& merge = steps.merges[i];
    WordPart& left = pieces[static_cast<std::size_t>(merge.left)];
    const WordPart& right = pieces[static_cast<std::size_t>(merge.right)];
    left.id = merge.id;
    left.end += right.end - right.begin;
    gone[static_cast<std::size_t>(merge.right)] = 1;
  }
  std::vector<WordPart> out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (gone[i] == 0) out.push_back(pieces[i]);
  }
  return out;
}

}  // namespace attnscope
