// The model of a tokenizer.json: BPE, Unigram, WordPiece or WordLevel. Old files have no "type": then it
// follows from the members.
#include "core/base/text.h"
#include "core/text/bpe.h"
#include "core/text/json_parts.h"
#include "core/text/unigram.h"
#include "core/text/word_piece.h"

namespace attnscope {

namespace {

using MadeModel = Result<std::shared_ptr<const WordModel>>;

template <class Model>
MadeModel shared(Result<Model> made) {
  if (!made) return made.error();
  return std::shared_ptr<const WordModel>(std::make_shared<Model>(*std::move(made)));
}

Result<Vocabulary> vocabulary_from(const JsonNode& model) {
  TRY(const auto node, model.object("vocab"));
  Vocabulary out;
  out.reserve(node.size());
  for (const auto& [spelling, id] : node.value().items()) {
    const JsonNode entry(id, node.path() + "[\"" + spelling.substr(0, 40) + "\"]");
    TRY(const auto number, entry.integer());
    TRY_OK(out.add(spelling, number));
  }
  return out;
}

Result<Bpe::Merge> merge_from(const JsonNode& node) {
  if (node.value().is_array() && node.size() == 2) {
    TRY(auto left, node.at(std::size_t{0}).text());
    TRY(auto right, node.at(std::size_t{1}).text());
    return Bpe::Merge{std::move(left), std::move(right)};
  }
  if (!node.value().is_string()) return node.wrong(Text::of("error.text.wanted.merge"));
  const std::vector<std::string> parts = split(node.value().get_ref<const std::string&>(), ' ');
  if (parts.size() != 2) return node.wrong(Text::of("error.text.wanted.two_tokens"));
  return Bpe::Merge{parts[0], parts[1]};
}

Result<std::vector<Bpe::Merge>> merges_from(const JsonNode& model) {
  TRY(const auto list, model.array("merges"));
  std::vector<Bpe::Merge> out;
  out.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& entry = list.value()[i];
    if (entry.is_string() && starts_with(entry.get_ref<const std::string&>(), "#version")) continue;
    TRY(auto merge, merge_from(list.at(i)));
    out.push_back(std::move(merge));
  }
  return out;
}

Result<BpeOptions> bpe_options_from(const JsonNode& model) {
  BpeOptions out;
  if (model.has("unk_token")) {
    TRY(out.unknown, model.text("unk_token"));
  }
  TRY(out.continuing_prefix, model.text("continuing_subword_prefix", ""));
  TRY(out.end_suffix, model.text("end_of_word_suffix", ""));
  TRY(out.fuse_unknown, model.flag("fuse_unk", false));
  TRY(out.byte_fallback, model.flag("byte_fallback", false));
  TRY(out.ignore_merges, model.flag("ignore_merges", false));
  return out;
}

MadeModel bpe_from(const JsonNode& model) {
  TRY(auto vocabulary, vocabulary_from(model));
  TRY(const auto merges, merges_from(model));
  TRY(const auto options, bpe_options_from(model));
  return shared(Bpe::make(std::move(vocabulary), merges, options));
}

Result<UnigramPiece> piece_from(const JsonNode& node) {
  UnigramPiece out;
  if (!node.value().is_array() || node.size() != 2) return node.wrong(Text::of("error.text.wanted.piece"));
  TRY(out.spelling, node.at(std::size_t{0}).text());
  if (!node.value()[1].is_number())
    return node.at(std::size_t{1}).wrong(Text::of("error.text.wanted.number"));
  out.score = node.value()[1].get<double>();
  return out;
}

MadeModel unigram_from(const JsonNode& model) {
  TRY(const auto list, model.array("vocab"));
  std::vector<UnigramPiece> pieces;
  for (std::size_t id = 0; id < list.size(); ++id) {
    TRY(auto piece, piece_from(list.at(id)));
    pieces.push_back(std::move(piece));
  }
  UnigramOptions options;
  if (model.has("unk_id")) {
    TRY(options.unknown, model.at("unk_id").integer());
  }
  TRY(options.byte_fallback, model.flag("byte_fallback", false));
  return shared(Unigram::make(pieces, options));
}

MadeModel word_piece_from(const JsonNode& model) {
  TRY(auto vocabulary, vocabulary_from(model));
  WordPieceOptions options;
  TRY(options.unknown, model.text("unk_token", "[UNK]"));
  TRY(options.continuing_prefix, model.text("continuing_subword_prefix", "##"));
  TRY(options.max_characters, model.integer("max_input_chars_per_word", 100));
  return shared(WordPiece::make(std::move(vocabulary), options));
}

MadeModel whole_words_from(const JsonNode& model) {
  TRY(auto vocabulary, vocabulary_from(model));
  TRY(const auto unknown, model.text("unk_token", "<unk>"));
  return shared(WholeWords::make(std::move(vocabulary), unknown));
}

// Files of the first versions have no "type".
std::string type_by_members(const JsonNode& model) {
  if (model.has("vocab") && model.at("vocab").value().is_array()) return "Unigram";
  if (model.has("merges") || !model.has("vocab")) return "BPE";
  return model.has("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
}

}  // namespace

MadeModel model_from(const JsonNode& node) {
  TRY(auto type, node.type());
  if (type.empty()) type = type_by_members(node);
  if (type == "BPE") return bpe_from(node);
  if (type == "Unigram") return unigram_from(node);
  if (type == "WordPiece") return word_piece_from(node);
  if (type == "WordLevel") return whole_words_from(node);
  return unknown_part(node, type, "BPE, Unigram, WordPiece, WordLevel");
}

}  // namespace attnscope
