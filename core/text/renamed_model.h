// A vocabulary model whose pieces have other ids outside than inside: MarianMT keeps its ids in vocab.json
// beside the SentencePiece model, XLM-R shifts them. Pieces without an outer id are the unknown token.
#pragma once

#include <memory>
#include <vector>

#include "core/text/word_model.h"

namespace attnscope {

class RenamedModel final : public WordModel {
 public:
  /// Pieces are found by their spelling in `outer`; those in `renamed` (by inner id) have the id given there.
  RenamedModel(std::shared_ptr<const WordModel> inner, Vocabulary outer, int unknown,
               const std::vector<std::pair<int, int>>& renamed);

  void cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const override;
  const Vocabulary& vocabulary() const override { return outer_; }
  std::optional<int> unknown() const override { return unknown_; }

 private:
  int outer_id(int inner) const;

  std::shared_ptr<const WordModel> inner_;
  Vocabulary outer_;
  int unknown_ = 0;
  std::vector<int> ids_;  // by inner id; -1: the outer vocabulary lacks the piece
};

}  // namespace attnscope
