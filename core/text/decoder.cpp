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

void flush_bytes(std::string& bytes, std::vector<std::string>& out) {
  if (bytes.empty()) return;
  if (is_valid_utf8(bytes)) {
    out.push_back(bytes);
  } else {
    out.insert(out.end(), bytes.size(), "\xEF\xBF\xBD");
  }
  bytes.clear();
}

// Every `wanted` in the text becomes `content`, from the left.
std::string replaced(std::string text, std::string_view wanted, std::string_view content) {
  if (wanted.empty() || text.find(wanted) == std::string::npos) return text;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find(wanted, done)) != std::string::npos; done = at + wanted.size()) {
    out.append(text, done, at - done);
    out += content;
  }
  return out.append(text, done);
}

// The spaces that cutting at signs has put in front of them.
std::string without_odd_spaces(std::string text) {
  static constexpr std::pair<const char*, const char*> kRules[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [wanted, content] : kRules) text = replaced(std::move(text), wanted, content);
  return text;
}

}  // namespace

Decoder byte_level_decoder() {
  return [](std::vector<std::string> spellings) {
    std::string bytes;
    for (const std::string& spelling : spellings) bytes += bytes_of_letters(spelling);
    return std::vector<std::string>{lossy_utf8(bytes)};
  };
}

Decoder byte_fallback_decoder() {
  return [](std::vector<std::string> spellings) {
    std::vector<std::string> out;
    std::string bytes;
    for (std::string& spelling : spellings) {
      if (const auto byte = byte_of_spelling(spelling)) {
        bytes.push_back(static_cast<char>(*byte));
        continue;
      }
      flush_bytes(bytes, out);
      out.push_back(std::move(spelling));
    }
    flush_bytes(bytes, out);
    return out;
  };
}

Decoder replace_decoder(Pattern pattern, std::string content) {
  return [pattern = std::move(pattern), content = std::move(content)](std::vector<std::string> spellings) {
    for (std::string& spelling : spellings) {
      const auto matches = pattern.cut(spelling);
      if (!matches) continue;  // too hard for the expression: the spelling is shown as it is
      std::string out;
      for (const Match& match : *matches) {
        out += match.matched ? content : spelling.substr(match.begin, match.end - match.begin);
      }
      spelling = std::move(out);
    }
    return spellings;
  };
}

Decoder strip_decoder(std::string content, int start, int stop) {
  return [content = std::move(content), start, stop](std::vector<std::string> spellings) {
    for (std::string& spelling : spellings) {
      for (int i = 0; i < start && starts_with(spelling, content); ++i) spelling.erase(0, content.size());
      for (int i = 0; i < stop && ends_with(spelling, content); ++i)
        spelling.resize(spelling.size() - content.size());
    }
    return spellings;
  };
}

Decoder fuse_decoder() {
  return [](std::vector<std::string> spellings) { return std::vector<std::string>{join(spellings, "")}; };
}

Decoder word_piece_decoder(std::string prefix, bool cleanup) {
  return [prefix = std::move(prefix), cleanup](std::vector<std::string> spellings) {
    for (std::size_t i = 0; i < spellings.size(); ++i) {
      std::string& spelling = spellings[i];
      if (i > 0 && starts_with(spelling, prefix)) {
        spelling.erase(0, prefix.size());
      } else if (i > 0) {
        spelling.insert(0, " ");
      }
      if (cleanup) spelling = without_odd_spaces(std::move(spelling));
    }
    return spellings;
  };
}

Decoder metaspace_decoder(std::string mark, bool drop_first) {
  return [mark = std::move(mark), drop_first](std::vector<std::string> spellings) {
    for (std::size_t i = 0; i < spellings.size(); ++i)
      spellings[i] = replaced(std::move(spellings[i]), mark, i == 0 && drop_first ? "" : " ");
    return spellings;
  };
}

Decoder suffix_decoder(std::string suffix) {
  return [suffix = std::move(suffix)](std::vector<std::string> spellings) {
    for (std::size_t i = 0; i < spellings.size(); ++i)
      spellings[i] = replaced(std::move(spellings[i]), suffix, i + 1 == spellings.size() ? "" : " ");
    return spellings;
  };
}

Decoder ctc_decoder(std::string pad, std::string delimiter, bool cleanup) {
  return [=](std::vector<std::string> spellings) {
    spellings.erase(std::unique(spellings.begin(), spellings.end()), spellings.end());
    for (std::string& spelling : spellings) {
      spelling = replaced(std::move(spelling), pad, "");
      if (cleanup) spelling = replaced(without_odd_spaces(std::move(spelling)), delimiter, " ");
    }
    std::erase(spellings, "");
    return spellings;
  };
}

Decoder decoder_sequence(std::vector<Decoder> parts) {
  return [parts = std::move(parts)](std::vector<std::string> spellings) {
    for (const Decoder& part : parts) spellings = part(std::move(spellings));
    return spellings;
  };
}

}  // namespace attnscope
