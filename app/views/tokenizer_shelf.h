// Other vocabularies to tokenize the text with: a BPE and a unigram model, learned by background jobs from
// the texts of the program's own lessons.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/tokenizer_scene.h"
#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/text/tokenizer.h"

namespace attnscope {

class TokenizerShelf {
 public:
  /// Requests the chosen vocabulary; once per frame.
  void follow(const ViewContext& context, const std::string& text);
  /// The chosen vocabulary; null: the model's own, or it is still being learned.
  std::shared_ptr<const Tokenizer> chosen() const;
  /// Changes with every other choice.
  std::uint64_t version() const;
  /// True if all of them are shown side by side.
  bool beside() const { return choice_ == Choice::beside; }
  void draw_choice(float width);
  /// The text tokenized by each vocabulary, with the number of tokens.
  void draw_beside(const ViewContext& context, const std::string& text, ImVec2 at, float width);

  /// Chooses the merges, unless something was chosen: of a model that knows whole words there is no step to
  /// see.
  void begin_with_merges() {
    if (!chosen_by_hand_) choice_ = Choice::bpe;
  }

  void keep(Choices& choices) {
    chosen_by_hand_ = chosen_by_hand_ || choices.reads();
    choices.all(choice_, merges_);
  }

 private:
  enum class Choice : std::uint8_t { own, bpe, unigram, beside };
  static constexpr Option<Choice> kChoices[] = {
      {"own", Choice::own}, {"bpe", Choice::bpe}, {"unigram", Choice::unigram}, {"beside", Choice::beside}};
  struct Shelf {
    std::shared_ptr<const Tokenizer> bpe, unigram;
    int merges = 0;
  };
  struct Cut {
    std::string title;
    std::vector<std::string> names;
    std::int64_t vocabulary = 0;
  };
  bool chosen_by_hand_ = false;
  std::uint64_t opened_ = 0;  ///< RunResult::opened_version of the last follow()
  OneOf<Choice> choice_{"shelf", kChoices, Choice::own, "tokenizer.shelf.", "###tokenizer.shelf."};
  static constexpr std::int64_t kMostMerges = 1000;
  Ranged<std::int64_t> merges_{"merges", "tokenizer.shelf.merges", "###tokenizer_merges", 0, kMostMerges,
                               400};
  std::shared_ptr<const Shelf> made_;
  Computed<std::vector<std::string>> learned_;
  Computed<Shelf> shelves_;
  Computed<std::vector<Cut>> cuts_;
};

}  // namespace attnscope
