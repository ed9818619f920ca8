// Parses mask texts by recursive descent. Limit: 64 levels of nesting (texts come from untrusted files).
#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/trace/mask_node.h"

namespace attnscope {
namespace {

using Node = MaskSpec::Node;
using MaskParserKind = Node::Kind;

constexpr int kDeepest = 64;
constexpr std::int64_t kLargestCount = 1'000'000'000;
constexpr const char* kTerms = "error.trace.mask.term";

bool in_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '-' || c == '.' || byte >= 0x80;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Node> whole() {
    if (at_end()) return fail(Code::bad_format, "error.trace.mask.empty");
    TRY(Node root, operands(MaskParserKind::disjunction));
    if (!at_end()) return expected(Text::of("error.trace.mask.or_end"));
    return root;
  }

 private:
  bool at_end() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ == text_.size();
  }
  bool next_is(char c) { return !at_end() && text_[at_] == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  // What stands at the current place, for an error.
  Text found() {
    if (at_end()) return Text::of("error.trace.mask.ends");
    std::size_t end = at_;
    while (end < text_.size() && in_name(text_[end]) && end - at_ < 40) ++end;
    if (end == at_) next_code_point(text_, end);
    return Text::of("error.trace.mask.stands", {valid_utf8(text_.substr(at_, end - at_))});
  }

  Error expected(const Text& what) {
    const Text seen = found();
    return fail(Code::bad_format, "error.trace.mask",
                {in_quotes(text_, 80), seen, utf8_length(text_.substr(0, at_)) + 1, what});
  }

  // a | b | c of a & b & c of terms.
  Result<Node> operands(MaskParserKind kind) {
    const bool any = kind == MaskParserKind::disjunction;
    Node all;
    all.kind = kind;
    do {
      TRY(Node one, any ? operands(MaskParserKind::conjunction) : negated());
      all.children.push_back(std::move(one));
    } while (take(any ? '|' : '&'));
    if (all.children.size() > 1) return all;
    Node only = std::move(all.children.front());
    return only;
  }

  Result<Node> negated() {
    bool negated = false;
    while (take('!')) negated = !negated;
    TRY(Node inner, term());
    if (!negated) return inner;
    Node out;
    out.kind = MaskParserKind::negation;
    out.children.push_back(std::move(inner));
    return out;
  }

  Result<Node> term() {
    if (take('(')) return group();
    const std::size_t start = at_end() ? text_.size() : at_;
    const bool bare = !next_is('*') && !next_is('"');
    TRY(const std::string first, name(kTerms));
    if (take('>')) {
      TRY(const std::string second, name("error.trace.mask.name_or_any"));
      Node pair;
      pair.kind = MaskParserKind::pair;
      pair.query_span = first;
      pair.key_span = second;
      return pair;
    }
    if (!bare) return expected(Text::of("error.trace.mask.pair"));
    return word(first, start);
  }

  Result<Node> group() {
    if (++depth_ > kDeepest) return expected(Text::of("error.trace.mask.depth", {kDeepest}));
    TRY(Node inner, operands(MaskParserKind::disjunction));
    if (!take(')')) return expected(Text::of("error.trace.mask.closing"));
    --depth_;
    return inner;
  }

  // A span's name; empty for *.
  Result<std::string> name(const char* key) {
    if (take('*')) return std::string();
    if (next_is('"')) return quoted();
    if (at_end() || !in_name(text_[at_])) return expected(Text::of(key));
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<std::string> quoted() {
    const std::size_t begin = at_ + 1, end = text_.find('"', begin);
    if (end == std::string_view::npos || end == begin) {
      at_ = end == begin ? end : text_.size();
      return expected(Text::of(end == begin ? "error.trace.mask.name" : "error.trace.mask.quote"));
    }
    at_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }

  Result<Node> word(const std::string& name, std::size_t start) {
    Node out;
    const std::pair<const char*, MaskParserKind> plain[] = {{"model", MaskParserKind::model},
                                                            {"causal", MaskParserKind::causal},
                                                            {"full", MaskParserKind::full},
                                                            {"none", MaskParserKind::none}};
    for (const auto& [text, kind] : plain)
      if (name == text) {
        out.kind = kind;
        return out;
      }
    if (name == "matrix") return matrix();
    if (name == "window" || name == "prefix") {
      out.kind = name == "window" ? MaskParserKind::window : MaskParserKind::prefix;
      if (!take('(')) return expected(Text::of("error.trace.mask.count"));
      TRY(out.count, number(out.kind == MaskParserKind::window ? 1 : 0));
      if (!take(')')) return expected(Text::of("error.trace.mask.parenthesis"));
      return out;
    }
    at_ = start;
    return expected(Text::of(kTerms));
  }

  Result<std::int64_t> number(std::int64_t smallest) {
    const Text what = Text::of("error.trace.mask.number", {smallest, kLargestCount});
    if (at_end()) return expected(what);
    const std::size_t start = at_;
    std::int64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value <= kLargestCount)
      value = 10 * value + (text_[at_++] - '0');
    if (at_ > start && value >= smallest && value <= kLargestCount) return value;
    at_ = start;
    return expected(what);
  }

  Result<Node> matrix() {
    Node out;
    out.kind = MaskParserKind::matrix;
    if (!take('(') || !take('[')) return expected(Text::of("error.trace.mask.matrix"));
    do {
      if (!take('[')) return expected(Text::of("error.trace.mask.row"));
      const std::size_t before = out.cells.size();
      do {
        if (!next_is('0') && !next_is('1')) return expected(Text::of("error.trace.mask.zero_one"));
        out.cells.push_back(text_[at_++] == '1' ? 1 : 0);
      } while (take(','));
      const auto width = static_cast<std::int64_t>(out.cells.size() - before);
      if (out.rows > 0 && width != out.columns)
        return expected(Text::of("error.trace.mask.width", {out.columns, width}));
      out.columns = width;
      ++out.rows;
      if (!take(']')) return expected(Text::of("error.trace.mask.comma"));
    } while (take(','));
    if (!take(']') || !take(')')) return expected(Text::of("error.trace.mask.last_row"));
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<MaskSpec::Node> parse_mask(std::string_view text) { return Parser(text).whole(); }

}  // namespace attnscope
