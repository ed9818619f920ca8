// How models use a SentencePiece file: which tokens go around the text, which ids the pieces have. Source:
// the tokenizer classes of Hugging Face transformers. Errors: unsupported for classes that shift ids in ways
// of their own.
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/text/renamed_model.h"
#include "core/text/sentencepiece.h"
#include "core/text/tokenizer_files.h"

namespace attnscope {

namespace {

using Json = nlohmann::json;

AddedToken sentencepiece_files_special_token(const std::string& content, int id) {
  AddedToken out;
  out.content = content;
  out.id = id;
  out.special = true;
  return out;
}

PostProcessor sentencepiece_files_around(const Pipeline& parts, const std::vector<std::string>& before,
                                         const std::vector<std::string>& after) {
  const auto tokens = [&](const std::vector<std::string>& spellings) {
    std::vector<Token> out;
    for (const std::string& spelling : spellings) {
      if (const auto id = first_known(parts, {spelling})) out.push_back({*id, spelling, 0, 0, true});
    }
    return out;
  };
  return template_post_processor(tokens(before), tokens(after));
}

// T5 names its sentinels from the end of the vocabulary: <extra_id_0> is the last id.
std::vector<AddedToken> sentinels(std::size_t pieces, const TokenizerSettings& settings) {
  constexpr std::int64_t kMost = 10000;
  const std::int64_t count = std::clamp<std::int64_t>(settings.integer("extra_ids", 100), 0, kMost);
  std::vector<AddedToken> out;
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(sentencepiece_files_special_token(
        format("<extra_id_%lld>", static_cast<long long>(i)),
        static_cast<int>(static_cast<std::int64_t>(pieces) + count - 1 - i)));
  }
  return out;
}

// Special tokens of the new vocabulary replace the control pieces of the file.
Status rename(Pipeline& parts, Vocabulary outer, int unknown, const std::vector<AddedToken>& specials,
              const std::vector<std::pair<int, int>>& renamed) {
  TRY(parts.added, AddedTokens::make(specials, {}));
  parts.model = std::make_shared<RenamedModel>(parts.model, std::move(outer), unknown, renamed);
  parts.bos = first_known(parts, {"<s>"});
  parts.eos = first_known(parts, {"</s>"});
  return Done{};
}

// XLM-R: <s>, <pad>, </s>, <unk>, then the file's pieces from its fourth on, and <mask> at the end.
Status make_xlm_roberta(Pipeline& parts) {
  const Vocabulary& pieces = parts.model->vocabulary();
  static const char* const first[] = {"<s>", "<pad>", "</s>", "<unk>"};
  Vocabulary outer;
  std::vector<AddedToken> specials;
  for (int id = 0; id < 4; ++id) {
    TRY_OK(outer.add(first[id], id));
    specials.push_back(sentencepiece_files_special_token(first[id], id));
  }
  for (int id = 3; id < pieces.size(); ++id) TRY_OK(outer.add_or_repeat(pieces.spelling(id), id + 1));
  AddedToken mask = sentencepiece_files_special_token("<mask>", pieces.size() + 1);
  mask.lstrip = true;
  specials.push_back(mask);
  TRY_OK(rename(parts, std::move(outer), 3, specials, {}));
  parts.post_processor = sentencepiece_files_around(parts, {"<s>"}, {"</s>"});
  return Done{};
}

// MarianMT: ids are those of vocab.json; the target language is a token such as ">>fra<<" at the start.
Status make_marian(Pipeline& parts, const Json& vocab) {
  Vocabulary outer;
  std::vector<AddedToken> specials;
  for (const auto& [spelling, value] : vocab.items()) {
    if (!value.is_number_integer()) {
      return fail(Code::bad_format, "error.text.vocab_id", {printable(spelling, 60)});
    }
    const auto id = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX
                        ? std::int64_t{-1}
                        : value.get<std::int64_t>();
    TRY_OK(outer.add(spelling, id));
    const bool language = starts_with(spelling, ">>") && ends_with(spelling, "<<");
    const bool special = spelling == "<unk>" || spelling == "</s>" || spelling == "<pad>";
    if (language || special)
      specials.push_back(sentencepiece_files_special_token(spelling, static_cast<int>(id)));
  }
  const auto unknown = outer.find("<unk>");
  if (!unknown) return fail(Code::bad_format, "error.text.vocab_unk");
  TRY_OK(rename(parts, std::move(outer), *unknown, specials, {}));
  parts.post_processor = sentencepiece_files_around(parts, {}, {"</s>"});
  return Done{};
}

Status sentencepiece_files_check_class(const std::string& name) {
  static const std::set<std::string> kOthers = {
      "CamembertTokenizer", "MBartTokenizer",     "MBart50Tokenizer", "NllbTokenizer",  "XGLMTokenizer",
      "BarthezTokenizer",   "PLBartTokenizer",    "M2M100Tokenizer",  "XLNetTokenizer", "PegasusTokenizer",
      "BigBirdTokenizer",   "DebertaV2Tokenizer", "RemBertTokenizer", "CpmTokenizer",   "FNetTokenizer"};
  if (kOthers.count(name) == 0) return Done{};
  return fail(Code::unsupported, "error.text.class_ids", {name});
}

}  // namespace

Result<Pipeline> parts_of_sentencepiece(std::string_view bytes, const Json& vocab,
                                        const TokenizerSettings& settings) {
  const std::string name = settings.tokenizer_class();
  TRY_OK(sentencepiece_files_check_class(name));
  TRY(SentencePieceModel model, read_sentencepiece(bytes));
  model.prefix_at_start_only = !settings.flag("legacy", true);
  SentencePieceOptions options;
  const bool t5 = name == "T5Tokenizer";
  options.add_bos = settings.flag("add_bos_token", !t5);
  options.add_eos = settings.flag("add_eos_token", t5);
  options.added = settings.added_tokens();
  const bool listed = std::any_of(options.added.begin(), options.added.end(),
                                  [](const AddedToken& token) { return token.content == "<extra_id_0>"; });
  if (t5 && !listed) options.added = sentinels(model.pieces.size(), settings);
  TRY(Pipeline parts, sentencepiece_parts(model, options));
  if (vocab.is_object()) {
    TRY_OK(make_marian(parts, vocab));
  } else if (name == "XLMRobertaTokenizer") {
    TRY_OK(make_xlm_roberta(parts));
  } else if (name == "AlbertTokenizer") {
    parts.post_processor = sentencepiece_files_around(parts, {"[CLS]"}, {"[SEP]"});
  }
  return parts;
}

}  // namespace attnscope
