#include "core/text/sentencepiece.h"

#include "core/base/text.h"
#include "core/text/unigram.h"
#include "core/text/wire_reader.h"

namespace attnscope {

namespace {

constexpr std::string_view kMark = "▁";

Result<ScoredPiece> read_piece(std::string_view bytes, std::size_t id) {
  ScoredPiece out;
  WireReader reader(bytes);
  while (!reader.done()) {
    TRY(const WireField field, reader.next());
    if (field.id == 1) out.spelling = std::string(field.bytes);
    if (field.id == 2) out.score = field.real();
    if (field.id == 3) out.kind = static_cast<PieceKind>(field.integer());
  }
  const int kind = static_cast<int>(out.kind);
  if (out.spelling.empty() || !is_valid_utf8(out.spelling) || kind < 1 || kind > 6) {
    const char* key = out.spelling.empty()           ? "error.text.piece_empty"
                      : !is_valid_utf8(out.spelling) ? "error.text.piece_utf8"
                                                     : "error.text.piece_kind";
    return fail(Code::bad_format, key, {id, kind});
  }
  return out;
}

Status read_trainer(std::string_view bytes, SentencePieceModel& out) {
  WireReader reader(bytes);
  while (!reader.done()) {
    TRY(const WireField field, reader.next());
    switch (field.id) {
      case 3: out.kind = static_cast<SentencePieceModel::Kind>(field.integer()); break;
      case 24: out.whitespace_as_suffix = field.flag(); break;
      case 35: out.byte_fallback = field.flag(); break;
      case 46: out.bos_piece = std::string(field.bytes); break;
      case 47: out.eos_piece = std::string(field.bytes); break;
      default: break;
    }
  }
  return Done{};
}

Status read_normalizer(std::string_view bytes, SentencePieceModel& out) {
  WireReader reader(bytes);
  while (!reader.done()) {
    TRY(const WireField field, reader.next());
    switch (field.id) {
      case 2: out.charsmap = std::string(field.bytes); break;
      case 3: out.add_dummy_prefix = field.flag(); break;
      case 4: out.remove_extra_whitespaces = field.flag(); break;
      case 5: out.escape_whitespaces = field.flag(); break;
      default: break;
    }
  }
  return Done{};
}

// tiktoken's files: "IQ== 0" in the first line.
bool looks_like_tiktoken(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, std::min<std::size_t>(bytes.find('\n'), 100));
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || space == 0 || space + 1 >= line.size()) return false;
  return from_base64(line.substr(0, space)).ok() &&
         line.find_first_not_of("0123456789\r", space + 1) == std::string_view::npos;
}

Status check_model(const SentencePieceModel& model) {
  if (model.pieces.empty()) {
    return fail(Code::bad_format, "error.text.no_pieces");
  }
  const int kind = static_cast<int>(model.kind);
  if (kind != 1 && kind != 2) {
    const char* key = kind == 3   ? "error.text.sentencepiece_word"
                      : kind == 4 ? "error.text.sentencepiece_character"
                                  : "error.text.sentencepiece_kind";
    return fail(Code::unsupported, key, {kind});
  }
  return Done{};
}

// ---- normalizer ---------------------------------------------------------------------------------------

struct Spaces {
  bool prefix, squeeze, suffix, start_only;
  std::string mark;  // what a space becomes
};

// One step through the text: what the bytes at `at` become, and where they end.
std::string_view next_stretch(std::string_view text, std::size_t& at, const Charsmap& table,
                              const ByteTrie& user) {
  const std::size_t begin = at;
  const std::size_t kept = user.longest(text.substr(at)).first;
  if (kept > 0) {
    at += kept;
    return text.substr(begin, kept);
  }
  if (const auto found = table.longest(text.substr(at))) {
    at += found->length;
    return found->replacement;
  }
  next_code_point(text, at);
  return text.substr(begin, at - begin);
}

// Appends a stretch, its spaces as marks; leading ones are dropped with `squeeze` where a space came before.
void append_stretch(MappedText& out, std::string_view stretch, ByteSpan place, const Spaces& spaces,
                    bool& after_space) {
  std::string utf8;
  for (std::size_t at = 0; at < stretch.size();) {
    const char32_t c = next_code_point(stretch, at);
    if (c == U' ' && after_space) continue;
    after_space = false;
    utf8.clear();
    append_utf8(utf8, c);
    out.append(c == U' ' ? std::string_view(spaces.mark) : std::string_view(utf8), place);
  }
  after_space = spaces.squeeze && (stretch.empty() ? after_space : stretch.back() == ' ');
}

MappedText without_last_marks(const MappedText& text, std::string_view mark) {
  std::size_t end = text.size();
  while (ends_with(text.text().substr(0, end), mark)) end -= mark.size();
  return text.slice(0, end);
}

Status normalize(MappedText& text, const Charsmap& table, const ByteTrie& user, const Spaces& spaces) {
  const std::string_view bytes = text.text();
  MappedText out = text.fresh();
  bool after_space = spaces.squeeze, only_spaces = true;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    const std::string_view stretch = next_stretch(bytes, at, table, user);
    only_spaces = only_spaces && spaces.squeeze && stretch == " ";
    append_stretch(out, stretch, text.span(begin, at), spaces, after_space);
    TRY_OK(out.bounded());
  }
  if (spaces.squeeze) out = without_last_marks(out, spaces.mark);
  const bool here = !spaces.start_only || text.span(0, bytes.size()).begin == 0;
  if (spaces.prefix && here && !only_spaces) {
    const std::size_t size = out.size();
    if (spaces.suffix || (size == 0 && !spaces.squeeze)) {
      out.append(spaces.mark, size > 0 ? out.span(size - 1, size) : text.span(0, bytes.size()));
    } else {
      out.prepend(spaces.mark);
    }
  }
  return text.become(std::move(out));
}

// ---- the rest of the pipeline -------------------------------------------------------------------------

ByteTrie user_pieces(const SentencePieceModel& model) {
  std::vector<ByteTrie::Entry> out;
  for (const ScoredPiece& piece : model.pieces) {
    if (piece.kind == PieceKind::user) out.emplace_back(piece.spelling, 0);
  }
  return ByteTrie(std::move(out));
}

std::optional<int> unknown_of(const SentencePieceModel& model) {
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].kind == PieceKind::unknown) return static_cast<int>(id);
  }
  return std::nullopt;
}

Result<std::shared_ptr<const WordModel>> unigram_of(const SentencePieceModel& model) {
  std::vector<UnigramPiece> pieces;
  for (const ScoredPiece& piece : model.pieces) {
    const bool user = piece.kind == PieceKind::user;
    pieces.push_back(
        {piece.spelling, static_cast<double>(piece.score), user || piece.kind == PieceKind::normal, user});
  }
  UnigramOptions options;
  if (const auto unknown = unknown_of(model)) options.unknown = *unknown;
  options.byte_fallback = model.byte_fallback;
  options.sentencepiece = true;
  TRY(auto made, Unigram::make(pieces, options));
  return std::shared_ptr<const WordModel>(std::make_shared<Unigram>(std::move(made)));
}

Result<std::shared_ptr<const WordModel>> bpe_of(const SentencePieceModel& model) {
  TRY(auto made, ScoredBpe::make(model.pieces, unknown_of(model), model.byte_fallback));
  return std::shared_ptr<const WordModel>(std::make_shared<ScoredBpe>(std::move(made)));
}

Result<AddedTokens> added_of(const SentencePieceModel& model, const SentencePieceOptions& options) {
  std::vector<AddedToken> out;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const PieceKind kind = model.pieces[id].kind;
    if (kind != PieceKind::control && kind != PieceKind::unknown) continue;
    AddedToken token;
    token.content = model.pieces[id].spelling;
    token.id = static_cast<int>(id);
    token.special = true;
    out.push_back(std::move(token));
  }
  out.insert(out.end(), options.added.begin(), options.added.end());
  return AddedTokens::make(out, {});
}

Decoder decoder_of(const SentencePieceModel& model) {
  constexpr int kAll = 1 << 20;
  const int strips = model.remove_extra_whitespaces ? kAll : model.add_dummy_prefix ? 1 : 0;
  return decoder_sequence({replace_decoder(Pattern::literal(std::string(kMark)), " "),
                           byte_fallback_decoder(), fuse_decoder(), strip_decoder(" ", strips, 0)});
}

}  // namespace

Result<SentencePieceModel> read_sentencepiece(std::string_view bytes) {
  if (looks_like_tiktoken(bytes)) {
    return fail(Code::unsupported, "error.text.tiktoken");
  }
  SentencePieceModel out;
  WireReader reader(bytes);
  while (!reader.done()) {
    TRY(const WireField field, reader.next());
    if (field.kind != WireField::Kind::bytes) continue;
    if (field.id == 1) {
      TRY(auto piece, read_piece(field.bytes, out.pieces.size()));
      out.pieces.push_back(std::move(piece));
    }
    if (field.id == 2) TRY_OK(read_trainer(field.bytes, out));
    if (field.id == 3) TRY_OK(read_normalizer(field.bytes, out));
  }
  TRY_OK(check_model(out));
  return out;
}

Result<Normalizer> sentencepiece_normalizer(const SentencePieceModel& model) {
  TRY(auto table, Charsmap::from_bytes(model.charsmap));
  const Spaces spaces{model.add_dummy_prefix, model.remove_extra_whitespaces, model.whitespace_as_suffix,
                      model.prefix_at_start_only, model.escape_whitespaces ? std::string(kMark) : " "};
  return Normalizer([table = std::move(table), user = user_pieces(model),
                     spaces](MappedText& text) -> Status { return normalize(text, table, user, spaces); });
}

Result<Pipeline> sentencepiece_parts(const SentencePieceModel& model, const SentencePieceOptions& options) {
  TRY_OK(check_model(model));
  Pipeline parts;
  TRY(parts.normalizer, sentencepiece_normalizer(model));
  TRY(parts.model, model.kind == SentencePieceModel::Kind::bpe ? bpe_of(model) : unigram_of(model));
  TRY(parts.added, added_of(model, options));
  parts.decoder = decoder_of(model);
  const auto control = [&](const std::string& spelling) {
    const auto id = parts.added.vocabulary().find(spelling);
    return id && parts.added.at(*id)->special ? id : std::nullopt;
  };
  parts.bos = control(model.bos_piece);
  parts.eos = control(model.eos_piece);
  const auto around = [](bool wanted, std::optional<int> id, const std::string& spelling) {
    std::vector<Token> out;
    if (wanted && id) out.push_back({*id, spelling, 0, 0, true});
    return out;
  };
  parts.post_processor = template_post_processor(around(options.add_bos, parts.bos, model.bos_piece),
                                                 around(options.add_eos, parts.eos, model.eos_piece));
  return parts;
}

}  // namespace attnscope
