// A tokenizer made of parts, in the order text goes through them: added tokens, normalizer, words,
// vocabulary, template; and a decoder for the way back. Which parts there are is the file's business
// (tokenizer_json.cpp).
#pragma once

#include <memory>
#include <string>

#include "core/text/added_tokens.h"
#include "core/text/bpe.h"
#include "core/text/decoder.h"
#include "core/text/normalizer.h"
#include "core/text/post_processor.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/tokenizer.h"

namespace attnscope {

/// Every part but the model may be empty.
struct Pipeline {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::shared_ptr<const WordModel> model;
  PostProcessor post_processor;
  Decoder decoder;
  AddedTokens added;
  bool letters = false;  // spellings are letters of the byte-level alphabet
  std::optional<int> bos, eos;
};

class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(Pipeline parts);

  Result<Encoding> encode(std::string_view text, bool add_special = true) const override;
  Result<Encoding> encode_recorded(std::string_view text, bool add_special, const SegmentationLimits& limits,
                                   Segmentation& record) const override;
  std::string decode(const std::vector<int>& ids, bool skip_special = true) const override;
  Spelling spell(const std::vector<int>& ids, bool skip_special = true) const override;
  int vocab_size() const override;
  std::string token_text(int id) const override;
  std::string token_display(int id) const override;
  std::optional<int> find(std::string_view vocab_spelling) const override;
  std::optional<int> bos() const override { return parts_.bos; }
  std::optional<int> eos() const override { return parts_.eos; }
  std::optional<int> unknown() const override;

 private:
  struct Recorder;  // where the steps go, and how many
  class Run;        // one text on its way to tokens
  Result<Encoding> run(std::string_view text, bool add_special, const Recorder* recorder) const;
  MappedText decoded(const std::vector<int>& ids, bool skip_special) const;

  Pipeline parts_;
};

/// The id of the first of `spellings` that the parts have.
std::optional<int> first_known(const Pipeline& parts, const std::vector<std::string>& spellings);

}  // namespace attnscope
