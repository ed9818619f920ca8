#include "core/base/markdown.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/trimmed.h"

namespace attnscope {
namespace {

constexpr std::string_view kMarkdownSigns = "|*<`\\";  // that a backslash keeps as they are

void add_plain(MarkdownText& out, char c) {
  if (out.empty() || out.back().style != MarkdownStyle::plain) out.push_back({MarkdownStyle::plain, {}});
  out.back().text += c;
}

// "[text](target)" at `at`; moves past it. False where there is none.
bool take_link(std::string_view text, std::size_t& at, MarkdownText& out) {
  const std::size_t close = text.find("](", at), end = text.find(')', at);
  if (close == std::string_view::npos || end == std::string_view::npos || end < close) return false;
  if (text.substr(at + 1, close - at - 1).find('[') != std::string_view::npos) return false;
  out.push_back({MarkdownStyle::link, std::string(text.substr(at + 1, close - at - 1)),
                 std::string(text.substr(close + 2, end - close - 2))});
  at = end + 1;
  return true;
}

struct Fence {
  std::string_view sign;
  MarkdownStyle style;
};
constexpr std::array<Fence, 3> kFences{
    {{"`", MarkdownStyle::code}, {"**", MarkdownStyle::bold}, {"*", MarkdownStyle::emphasis}}};

// What stands between two equal signs, which touch it: "a * b" is no emphasis.
bool take_fenced(std::string_view text, std::size_t& at, MarkdownText& out) {
  for (const Fence& fence : kFences) {
    if (!starts_with(text.substr(at), fence.sign)) continue;
    const std::size_t begin = at + fence.sign.size(), end = text.find(fence.sign, begin);
    if (end == std::string_view::npos || end == begin) continue;
    if (fence.style != MarkdownStyle::code && (text[begin] == ' ' || text[end - 1] == ' ')) continue;
    out.push_back({fence.style, std::string(text.substr(begin, end - begin))});
    at = end + fence.sign.size();
    return true;
  }
  return false;
}

// The cells of "| a | b |"; "\|" is no border.
std::vector<MarkdownText> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size())
      (cells.back() += line[i]) += line[i + 1], ++i;
    else if (line[i] == '|')
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  cells.pop_back();  // behind the last border
  std::vector<MarkdownText> out;
  for (const std::string& cell : cells) out.push_back(read_markdown_text(trimmed(cell)));
  return out;
}

bool is_rule(std::string_view line) { return line.find_first_not_of("|-: ") == std::string_view::npos; }

class MarkdownReader {
 public:
  void line(std::string_view raw) {
    if (starts_with(raw, "```")) return fence();
    if (fenced_) return void(out_.back().code += std::string(raw) + "\n");
    const std::string_view text = trimmed(raw);
    if (text.empty() || starts_with(text, "<!--") || starts_with(text, "![")) return close();
    if (text[0] == '#') return heading(text);
    if (text[0] == '|') return row(text);
    if (starts_with(text, "- ")) {
      close();
      open_ = MarkdownKind::item;
      words_ = text.substr(2);
      return;
    }
    if (!open_) open_ = MarkdownKind::paragraph;
    words_ += words_.empty() ? "" : " ";
    words_ += text;
  }
  std::vector<MarkdownBlock> finish() {
    close();
    return std::move(out_);
  }

 private:
  void fence() {
    close();
    fenced_ = !fenced_;
    if (fenced_) out_.push_back({MarkdownKind::code});
  }
  void heading(std::string_view text) {
    close();
    const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
    out_.push_back(
        {MarkdownKind::heading, static_cast<int>(level), read_markdown_text(trimmed(text.substr(level)))});
  }
  void row(std::string_view text) {
    close(true);
    if (is_rule(text)) return;
    if (!table_) out_.push_back({MarkdownKind::table});
    table_ = true;
    out_.back().rows.push_back(cells_of(text));
  }
  // Ends the paragraph, item or table that is open.
  void close(bool keeps_table = false) {
    if (open_) out_.push_back({*open_, 0, read_markdown_text(words_)});
    open_.reset();
    words_.clear();
    if (!keeps_table) table_ = false;
  }

  std::vector<MarkdownBlock> out_;
  std::optional<MarkdownKind> open_;
  std::string words_;
  bool fenced_ = false, table_ = false;
};

}  // namespace

MarkdownText read_markdown_text(std::string_view text) {
  MarkdownText out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\' && at + 1 < text.size() &&
        kMarkdownSigns.find(text[at + 1]) != std::string_view::npos) {
      add_plain(out, text[at + 1]);
      at += 2;
      continue;
    }
    if (text[at] == '[' && take_link(text, at, out)) continue;
    if (take_fenced(text, at, out)) continue;
    add_plain(out, text[at++]);
  }
  return out;
}

std::vector<MarkdownBlock> read_markdown(std::string_view text) {
  MarkdownReader reader;
  for (const std::string& line : split(text, '\n')) reader.line(line);
  return reader.finish();
}

std::string plain_text(const MarkdownText& text) {
  std::string out;
  for (const MarkdownSpan& span : text) out += span.text;
  return out;
}

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (kMarkdownSigns.find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace attnscope
