// make_byte_level_bpe: a byte-level BPE from a vocabulary and merges, for files that are no tokenizer.json.
#include "core/base/text.h"
#include "core/text/pipeline.h"

namespace attnscope {

namespace {

using MadeTokenizer = Result<std::shared_ptr<const Tokenizer>>;

Result<Vocabulary> vocabulary_of(const std::vector<std::string>& spellings) {
  Vocabulary out;
  out.reserve(spellings.size());
  for (std::size_t id = 0; id < spellings.size(); ++id) {
    if (!spellings[id].empty()) TRY_OK(out.add_or_repeat(spellings[id], static_cast<std::int64_t>(id)));
  }
  return out;
}

Result<std::vector<Bpe::Merge>> merges_of(const std::vector<std::string>& lines) {
  std::vector<Bpe::Merge> out;
  out.reserve(lines.size());
  for (const std::string& line : lines) {
    const std::size_t space = line.find(' ', 1);
    if (line.empty() || space == std::string::npos || space + 1 >= line.size()) {
      return fail(Code::bad_format, "error.text.merge_form", {out.size(), printable(line, 40)});
    }
    out.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return out;
}

Status check_id(const Vocabulary& vocabulary, std::optional<int> id, const char* role) {
  if (!id || vocabulary.has(*id)) return Done{};
  return fail(Code::out_of_range, "error.text.special_id", {role, *id, vocabulary.size() - 1});
}

Result<AddedTokens> whole_tokens_of(const ByteLevelBpe& source, const Vocabulary& vocabulary) {
  std::vector<AddedToken> out;
  for (const auto& [ids, special] : {std::pair{&source.special, true}, std::pair{&source.added, false}}) {
    for (const int id : *ids) {
      TRY_OK(check_id(vocabulary, id, special ? "special" : "added"));
      AddedToken token;
      token.content = std::string(vocabulary.spelling(id));
      token.id = id;
      token.special = special;
      out.push_back(std::move(token));
    }
  }
  return AddedTokens::make(out, {});
}

Result<PreTokenizer> byte_level_bpe_words_of(const ByteLevelBpe& source) {
  if (source.patterns.empty()) return byte_level_pre_tokenizer(source.add_prefix_space, true);
  std::vector<PreTokenizer> parts;
  for (const std::string& pattern : source.patterns) {
    TRY(auto words, Pattern::regex(pattern));
    parts.push_back(split_pre_tokenizer(std::move(words), Delimiter::isolated, false));
  }
  parts.push_back(byte_level_pre_tokenizer(source.add_prefix_space, false));
  return pre_tokenizer_sequence(std::move(parts));
}

PostProcessor byte_level_bpe_template_of(const ByteLevelBpe& source, const Vocabulary& vocabulary) {
  const auto around = [&](bool wanted, std::optional<int> id) {
    std::vector<Token> out;
    if (wanted && id) out.push_back({*id, std::string(vocabulary.spelling(*id)), 0, 0, true});
    return out;
  };
  return template_post_processor(around(source.add_bos, source.bos), around(source.add_eos, source.eos));
}

MadeTokenizer byte_level_bpe_make(const ByteLevelBpe& source) {
  TRY(auto vocabulary, vocabulary_of(source.vocab));
  TRY(const auto merges, merges_of(source.merges));
  TRY_OK(check_id(vocabulary, source.bos, "begin"));
  TRY_OK(check_id(vocabulary, source.eos, "end"));
  Pipeline parts;
  TRY(parts.added, whole_tokens_of(source, vocabulary));
  TRY(parts.pre_tokenizer, byte_level_bpe_words_of(source));
  parts.post_processor = byte_level_bpe_template_of(source, vocabulary);
  BpeOptions options;
  options.ignore_merges = source.ignore_merges;
  TRY(auto model, Bpe::make(std::move(vocabulary), merges, options));
  parts.model = std::make_shared<Bpe>(std::move(model));
  parts.decoder = byte_level_decoder();
  parts.letters = true;
  parts.bos = source.bos;
  parts.eos = source.eos;
  return std::shared_ptr<const Tokenizer>(std::make_shared<PipelineTokenizer>(std::move(parts)));
}

}  // namespace

MadeTokenizer make_byte_level_bpe(const ByteLevelBpe& parts, const std::string& what) {
  auto made = byte_level_bpe_make(parts);
  if (!made) return within(what, made.error());
  return made;
}

}  // namespace attnscope
