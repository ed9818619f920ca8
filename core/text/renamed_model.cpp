#include "core/text/renamed_model.h"

#include "core/base/result.h"

namespace attnscope {

RenamedModel::RenamedModel(std::shared_ptr<const WordModel> inner, Vocabulary outer, int unknown,
                           const std::vector<std::pair<int, int>>& renamed)
    : inner_(std::move(inner)), outer_(std::move(outer)), unknown_(unknown) {
  const Vocabulary& pieces = inner_->vocabulary();
  for (int id = 0; id < pieces.size(); ++id)
    ids_.push_back(pieces.has(id) ? outer_.find(pieces.spelling(id)).value_or(-1) : -1);
  for (const auto& [from, to] : renamed) {
    CHECK(from >= 0 && from < pieces.size());
    ids_[static_cast<std::size_t>(from)] = to;
  }
}

int RenamedModel::outer_id(int inner) const { return inner < 0 ? -1 : ids_[static_cast<std::size_t>(inner)]; }

void RenamedModel::cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const {
  const std::size_t first = out.size();
  inner_->cut_word(word, out, steps);
  for (std::size_t i = first; i < out.size(); ++i) {
    const int id = outer_id(out[i].id);
    out[i].as_written = out[i].as_written || id < 0;
    out[i].id = id < 0 ? unknown_ : id;
  }
  if (!steps) return;
  for (WordPart& letter : steps->letters) letter.id = outer_id(letter.id);
  for (WordSteps::Merge& merge : steps->merges) merge.id = outer_id(merge.id);
  for (WordSteps::Candidate& candidate : steps->candidates) candidate.id = outer_id(candidate.id);
  for (WordSteps::Attempt& attempt : steps->attempts) attempt.id = outer_id(attempt.id);
}

}  // namespace attnscope
