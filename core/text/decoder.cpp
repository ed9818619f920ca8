#include "core/text/decoder.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/text.h"
#include "core/text/byte_level.h"

namespace attnscope {

namespace {

std::optional<unsigned char> byte_of_spelling(std::string_view spelling) {
  if (spelling.size() != 6 || !starts_with(spelling, "<0x") || spelling[5] != '>') return std::nullopt;
  unsigned value = 0;
  const auto read = std::from_chars(spelling.data() + 3, spelling.data() + 5, value, 16);
  if (read.ec != std::errc() || read.ptr != spelling.data() + 5) return std::nullopt;
  return static_cast<unsigned char>(value);
}

// Bytes that may be no text yet, and the place of each.
struct PlacedBytes {
  std::string bytes;
  std::vector<ByteSpan> places;

  void add(char byte, ByteSpan place) {
    bytes.push_back(byte);
    places.push_back(place);
  }
  ByteSpan place(std::size_t begin, std::size_t end) const {
    return {places[begin].begin, places[end - 1].end};
  }
  // Characters where all of their bytes stand; each longest broken sequence is one U+FFFD.
  MappedText lossy() const {
    MappedText out;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t length = std::max<std::size_t>(sequence_length(bytes, at), 1);
      out.append(lossy_utf8(std::string_view(bytes).substr(at, length)), place(at, at + length));
      at += length;
    }
    return out;
  }
};

void flush_bytes(PlacedBytes& held, std::vector<MappedText>& out) {
  if (held.bytes.empty()) return;
  if (is_valid_utf8(held.bytes)) {
    out.push_back(held.lossy());
  } else {
    for (const ByteSpan& place : held.places) out.push_back(MappedText::at("\xEF\xBF\xBD", place));
  }
  held = {};
}

// Every match in the text becomes `content`, which stands where the match stood. A text that is too hard for
// an expression stays as it is.
MappedText replaced(const MappedText& text, const Pattern& wanted, std::string_view content) {
  MappedText out;
  const Status done = wanted.each(text.text(), [&](const Match& match) -> Status {
    if (match.matched)
      out.append(content, text.span(match.begin, match.end));
    else
      out.append(text, match.begin, match.end);
    return Done{};
  });
  return done ? out : text;
}

MappedText replaced(const MappedText& text, const std::string& wanted, std::string_view content) {
  if (wanted.empty() || text.text().find(wanted) == std::string_view::npos) return text;
  return replaced(text, Pattern::literal(wanted), content);
}

// The spaces that cutting at signs has put in front of them.
MappedText without_odd_spaces(MappedText text) {
  static constexpr std::pair<const char*, const char*> kRules[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [wanted, content] : kRules) text = replaced(text, wanted, content);
  return text;
}

}  // namespace

MappedText joined(const std::vector<MappedText>& parts) {
  MappedText out;
  for (const MappedText& part : parts) out.append(part, 0, part.size());
  return out;
}

Decoder byte_level_decoder() {
  return [](std::vector<MappedText> spellings) {
    PlacedBytes out;
    for (const MappedText& spelling : spellings) {
      const std::string_view letters = spelling.text();
      const std::string bytes = bytes_of_letters(letters);
      const bool as_written = bytes == letters;  // a byte for each byte; else one for each letter
      std::size_t at = 0;
      for (const char byte : bytes) {
        out.add(byte, spelling.span(at, at + 1));
        if (as_written)
          ++at;
        else
          next_code_point(letters, at);
      }
    }
    return std::vector<MappedText>{out.lossy()};
  };
}

Decoder byte_fallback_decoder() {
  return [](std::vector<MappedText> spellings) {
    std::vector<MappedText> out;
    PlacedBytes held;
    for (MappedText& spelling : spellings) {
      if (const auto byte = byte_of_spelling(spelling.text())) {
        held.add(static_cast<char>(*byte), spelling.span(0, spelling.size()));
        continue;
      }
      flush_bytes(held, out);
      out.push_back(std::move(spelling));
    }
    flush_bytes(held, out);
    return out;
  };
}

Decoder replace_decoder(Pattern pattern, std::string content) {
  return [pattern = std::move(pattern), content = std::move(content)](std::vector<MappedText> spellings) {
    for (MappedText& spelling : spellings) spelling = replaced(spelling, pattern, content);
    return spellings;
  };
}

Decoder strip_decoder(std::string content, int start, int stop) {
  return [content = std::move(content), start, stop](std::vector<MappedText> spellings) {
    for (MappedText& spelling : spellings) {
      const std::string_view text = spelling.text();
      std::size_t begin = 0, end = text.size();
      for (int i = 0; i < start && starts_with(text.substr(begin), content); ++i) begin += content.size();
      for (int i = 0; i < stop && ends_with(text.substr(begin, end - begin), content); ++i)
        end -= content.size();
      spelling = spelling.slice(begin, end);
    }
    return spellings;
  };
}

Decoder fuse_decoder() {
  return [](std::vector<MappedText> spellings) { return std::vector<MappedText>{joined(spellings)}; };
}

Decoder word_piece_decoder(std::string prefix, bool cleanup) {
  return [prefix = std::move(prefix), cleanup](std::vector<MappedText> spellings) {
    for (std::size_t i = 0; i < spellings.size(); ++i) {
      MappedText& spelling = spellings[i];
      if (i > 0 && starts_with(spelling.text(), prefix)) {
        spelling = spelling.slice(prefix.size(), spelling.size());
      } else if (i > 0) {
        spelling.prepend(" ");
      }
      if (cleanup) spelling = without_odd_spaces(std::move(spelling));
    }
    return spellings;
  };
}

Decoder metaspace_decoder(std::string mark, bool drop_first) {
  return [mark = std::move(mark), drop_first](std::vector<MappedText> spellings) {
    for (std::size_t i = 0; i < spellings.size(); ++i)
      spellings[i] = replaced(spellings[i], mark, i == 0 && drop_first ? "" : " ");
    return spellings;
  };
}

Decoder suffix_decoder(std::string suffix) {
  return [suffix = std::move(suffix)](std::vector<MappedText> spellings) {
    for (std::size_t i = 0; i < spellings.size(); ++i)
      spellings[i] = replaced(spellings[i], suffix, i + 1 == spellings.size() ? "" : " ");
    return spellings;
  };
}

Decoder ctc_decoder(std::string pad, std::string delimiter, bool cleanup) {
  return [=](std::vector<MappedText> spellings) {
    const auto alike = [](const MappedText& a, const MappedText& b) { return a.text() == b.text(); };
    spellings.erase(std::unique(spellings.begin(), spellings.end(), alike), spellings.end());
    for (MappedText& spelling : spellings) {
      spelling = replaced(spelling, pad, "");
      if (cleanup) spelling = replaced(without_odd_spaces(std::move(spelling)), delimiter, " ");
    }
    std::erase_if(spellings, [](const MappedText& spelling) { return spelling.empty(); });
    return spellings;
  };
}

Decoder decoder_sequence(std::vector<Decoder> parts) {
  return [parts = std::move(parts)](std::vector<MappedText> spellings) {
    for (const Decoder& part : parts) spellings = part(std::move(spellings));
    return spellings;
  };
}

}  // namespace attnscope
