#include "core/text/normalizer.h"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/text/byte_level.h"
#include "core/text/characters.h"

namespace attnscope {

namespace {

const icu::Normalizer2& icu_form(UnicodeForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const bool compatible = form == UnicodeForm::nfkc || form == UnicodeForm::nfkd;
  const icu::Normalizer2* found =
      compatible ? icu::Normalizer2::getNFKCInstance(status) : icu::Normalizer2::getNFCInstance(status);
  CHECK(U_SUCCESS(status) && found != nullptr);
  return *found;
}

int combining_class(char32_t c) { return u_getCombiningClass(static_cast<UChar32>(c)); }

std::vector<Rewrite> unchanged(std::string_view text) {
  std::vector<Rewrite> out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) out.push_back({next_code_point(text, at), 0});
  return out;
}

// Full decomposition, marks in canonical order: the first part replaces the character, the others are new.
std::vector<Rewrite> decompose(std::string_view text, const icu::Normalizer2& form) {
  std::vector<Rewrite> out;
  out.reserve(text.size());
  icu::UnicodeString parts;
  for (const Rewrite& next : unchanged(text)) {
    if (!form.getDecomposition(static_cast<UChar32>(next.character), parts)) {
      out.push_back(next);
      continue;
    }
    for (int unit = 0; unit < parts.length(); unit = parts.moveIndex32(unit, 1)) {
      out.push_back({static_cast<char32_t>(parts.char32At(unit)), unit > 0 ? 1 : 0});
    }
  }
  const auto is_starter = [](const Rewrite& next) { return combining_class(next.character) == 0; };
  for (auto first = out.begin(); first != out.end();) {
    first = std::find_if_not(first, out.end(), is_starter);
    const auto last = std::find_if(first, out.end(), is_starter);
    std::stable_sort(first, last, [](const Rewrite& a, const Rewrite& b) {
      return combining_class(a.character) < combining_class(b.character);
    });
    first = last;
  }
  return out;
}

// Canonical composition of a decomposed text. A part that is swallowed counts against the change of its
// starter.
std::vector<Rewrite> compose(const std::vector<Rewrite>& parts, const icu::Normalizer2& form) {
  std::vector<Rewrite> out;
  out.reserve(parts.size());
  std::ptrdiff_t starter = -1;  // index in `out` of the character that may swallow the next one
  int last_class = -1;          // of the characters kept since the starter; -1 = none
  for (const Rewrite& next : parts) {
    const int own_class = combining_class(next.character);
    const bool blocked = starter < 0 || last_class >= own_class;
    UChar32 composed = -1;
    if (!blocked) {
      composed = form.composePair(static_cast<UChar32>(out[static_cast<std::size_t>(starter)].character),
                                  static_cast<UChar32>(next.character));
    }
    if (composed >= 0) {
      Rewrite& whole = out[static_cast<std::size_t>(starter)];
      whole = {static_cast<char32_t>(composed), whole.change + next.change - 1};
      continue;
    }
    out.push_back(next);
    last_class = own_class;
    if (own_class == 0) {
      starter = static_cast<std::ptrdiff_t>(out.size()) - 1;
      last_class = -1;
    }
  }
  return out;
}

// Bytes [begin, end) without the white space at the ends.
std::pair<std::size_t, std::size_t> stripped(std::string_view text, bool left, bool right) {
  std::size_t first = text.size(), last = 0;  // first byte and end of what is not white space
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (is_white_space(next_code_point(text, at))) continue;
    first = std::min(first, begin);
    last = at;
  }
  if (last == 0) return {0, left || right ? 0 : text.size()};
  return {left ? first : 0, right ? last : text.size()};
}

}  // namespace

Status rewrite_blocks(MappedText& text, BlockStart starts, const RewriteBlock& rewrite) {
  constexpr std::size_t kBlock = 4096;  // bytes, and on to where one may begin
  const std::string_view bytes = text.text();
  MappedText out = text.fresh();
  std::vector<Rewrite> characters;
  for (std::size_t begin = 0, end = 0; begin < bytes.size(); begin = end) {
    for (std::size_t next = begin; next < bytes.size();) {
      const char32_t c = next_code_point(bytes, next);
      if (end >= begin + kBlock && starts(c)) break;
      end = next;
    }
    characters.clear();
    const int dropped = rewrite(bytes.substr(begin, end - begin), characters);
    out.append(text, begin, end, characters, dropped);
    TRY_OK(out.bounded());
  }
  return text.become(std::move(out));
}

namespace {

template <UnicodeForm form>
bool begins_block(char32_t c) {
  return icu_form(form).hasBoundaryBefore(static_cast<UChar32>(c));
}

template <UnicodeForm form>
Normalizer normal_form() {
  return [](MappedText& text) -> Status {
    const icu::Normalizer2& rules = icu_form(form);
    constexpr bool kComposes = form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
    UErrorCode status = U_ZERO_ERROR;
    const icu::StringPiece bytes(text.text().data(), static_cast<int>(text.size()));
    if (kComposes && rules.isNormalizedUTF8(bytes, status) && U_SUCCESS(status)) return Done{};
    return rewrite_blocks(text, begins_block<form>, [&](std::string_view block, std::vector<Rewrite>& out) {
      out = decompose(block, rules);
      if (kComposes) out = compose(out, rules);
      return 0;
    });
  };
}

}  // namespace

Normalizer unicode_normalizer(UnicodeForm form) {
  switch (form) {
    case UnicodeForm::nfc: return normal_form<UnicodeForm::nfc>();
    case UnicodeForm::nfd: return normal_form<UnicodeForm::nfd>();
    case UnicodeForm::nfkc: return normal_form<UnicodeForm::nfkc>();
    case UnicodeForm::nfkd: return normal_form<UnicodeForm::nfkd>();
  }
  return {};
}

Normalizer lowercase_normalizer() {
  return [](MappedText& text) -> Status {
    return rewrite_blocks(text, any_character, [](std::string_view block, std::vector<Rewrite>& out) {
      icu::UnicodeString lower;
      for (std::size_t at = 0; at < block.size();) {
        lower.setTo(static_cast<UChar32>(next_code_point(block, at))).toLower(icu::Locale::getRoot());
        for (int unit = 0; unit < lower.length(); unit = lower.moveIndex32(unit, 1))
          out.push_back({static_cast<char32_t>(lower.char32At(unit)), unit > 0 ? 1 : 0});
      }
      return 0;
    });
  };
}

Normalizer prepend_normalizer(std::string prefix) {
  return [prefix = std::move(prefix)](MappedText& text) -> Status {
    MappedText out = text;
    out.prepend(prefix);
    return text.become(std::move(out));
  };
}

Normalizer replace_normalizer(Pattern pattern, std::string content) {
  return [pattern = std::move(pattern), content = std::move(content)](MappedText& text) -> Status {
    MappedText out = text.fresh();
    TRY_OK(pattern.each(text.text(), [&](const Match& match) {
      const std::size_t last = match.end > match.begin ? match.end - 1 : match.begin;
      if (match.matched)
        out.append(content, text.span(last, match.end));
      else
        out.append(text, match.begin, match.end);
      return out.bounded();
    }));
    return text.become(std::move(out));
  };
}

Normalizer strip_normalizer(bool left, bool right) {
  return [left, right](MappedText& text) -> Status {
    const auto [begin, end] = stripped(text.text(), left, right);
    text = text.slice(begin, end);
    return Done{};
  };
}

Normalizer byte_level_normalizer() {
  return [](MappedText& text) -> Status {
    MappedText out = text.fresh();
    const std::string_view bytes = text.text();
    for (std::size_t at = 0; at < bytes.size(); ++at)
      out.append(byte_letter(static_cast<unsigned char>(bytes[at])), text.span(at, at + 1));
    return text.become(std::move(out));
  };
}

Normalizer normalizer_sequence(std::vector<Normalizer> parts) {
  return [parts = std::move(parts)](MappedText& text) -> Status {
    for (const Normalizer& part : parts) TRY_OK(part(text));
    return Done{};
  };
}

}  // namespace attnscope
