#include "core/text/pattern.h"

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <cctype>

#include "core/base/text.h"

namespace attnscope {

struct Pattern::Compiled {
  std::unique_ptr<icu::RegexPattern> pattern;
  std::string expression;
};

namespace {

constexpr int kTimeLimit = 5000;                   // ICU's units, about a millisecond each, per match
constexpr std::size_t kMaxExpression = 64 * 1024;  // bytes; the longest in use have about a thousand
constexpr int kMaxNesting = 100;  // ICU's compiler and the translator recurse into groups and sets

// Without ICU's joiners, and with the small digits and fractions that Oniguruma takes for letters.
constexpr const char* kWordCharacters =
    "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u00B2\\u00B3\\u00B9\\u00BC-\\u00BE";

icu::UnicodeString utf16_of(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
}

// Walks a text and its UTF-16 units side by side.
class UnitWalk {
 public:
  explicit UnitWalk(std::string_view text) : text_(text) {}
  /// The byte at which a unit starts; units never go back.
  std::size_t byte_of(std::int32_t unit) {
    while (unit_ < unit) unit_ += next_code_point(text_, byte_) > 0xFFFF ? 2 : 1;
    return byte_;
  }

 private:
  std::string_view text_;
  std::size_t byte_ = 0;
  std::int32_t unit_ = 0;
};

// Reads an expression atom by atom; `out` always ends with the atom read last, which starts at `atom`.
class Translator {
 public:
  explicit Translator(std::string_view source) : source_(source) {}

  std::string run() {
    while (at_ < source_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = source_[at_];
    if (c == '\\') {
      atom_ = out_.size();
      escape(false);
    } else if (c == '[') {
      atom_ = out_.size();
      set();
    } else if (c == '(') {
      open_.push_back(out_.size());
      group();
    } else if (c == ')') {
      atom_ = open_.empty() ? out_.size() : open_.back();
      if (!open_.empty()) open_.pop_back();
      copy(1);
    } else if (c == '{' && repeat()) {
      return;
    } else if (c == '*' || c == '+' || c == '?') {
      copy(1);
    } else {
      atom_ = out_.size();
      std::size_t next = at_;
      next_code_point(source_, next);
      copy(next - at_);
    }
  }

  void copy(std::size_t count) {
    count = std::min(count, source_.size() - at_);
    out_ += source_.substr(at_, count);
    at_ += count;
  }

  void escape(bool in_set) {
    const char kind = at_ + 1 < source_.size() ? source_[at_ + 1] : '\0';
    if (kind == 'h' || kind == 'H') {
      out_ += kind == 'H' ? "[^0-9a-fA-F]" : in_set ? "0-9a-fA-F" : "[0-9a-fA-F]";
      at_ += 2;
      return;
    }
    if (kind == 'w' || kind == 'W') {
      const std::string word = kWordCharacters;
      out_ += kind == 'W' ? "[^" + word + "]" : in_set ? word : "[" + word + "]";
      at_ += 2;
      return;
    }
    const bool braced = (kind == 'p' || kind == 'P' || kind == 'x' || kind == 'u' || kind == 'N') &&
                        at_ + 2 < source_.size() && source_[at_ + 2] == '{';
    const std::size_t close = braced ? source_.find('}', at_) : std::string_view::npos;
    copy(close == std::string_view::npos ? 2 : close - at_ + 1);
  }

  void set() {
    int depth = 0;
    do {
      const char c = source_[at_];
      if (c == '\\') {
        escape(true);
        continue;
      }
      if (depth > 0 && posix_class("[:punct:]", "\\p{P}\\p{S}")) continue;
      if (depth > 0 && posix_class("[:word:]", kWordCharacters)) continue;
      if (c == '[') ++depth;
      if (c == ']') --depth;
      copy(1);
    } while (depth > 0 && at_ < source_.size());
  }

  // Puts `content` where the class `name` stands.
  bool posix_class(std::string_view name, const char* content) {
    if (source_.substr(at_, name.size()) != name) return false;
    out_ += content;
    at_ += name.size();
    return true;
  }

  // "(?m" and "(?im:" of Ruby are "(?s" of ICU; everything else about groups is the same.
  void group() {
    copy(1);
    if (at_ >= source_.size() || source_[at_] != '?') return;
    copy(1);
    while (at_ < source_.size() &&
           (source_[at_] == 'i' || source_[at_] == 'm' || source_[at_] == 'x' || source_[at_] == '-')) {
      out_ += source_[at_] == 'm' ? 's' : source_[at_];
      ++at_;
    }
    while (at_ < source_.size() && std::string_view(":=!<>").find(source_[at_]) != std::string_view::npos)
      copy(1);
  }

  // x{n,m}+ is (x{n,m})+ in Ruby. False where the brace is no repeat count.
  bool repeat() {
    std::size_t close = at_ + 1;
    while (close < source_.size() &&
           (std::isdigit(static_cast<unsigned char>(source_[close])) || source_[close] == ','))
      ++close;
    if (close == at_ + 1 || close >= source_.size() || source_[close] != '}') return false;
    copy(close - at_ + 1);
    if (at_ < source_.size() && source_[at_] == '+') {
      out_.insert(atom_, "(?:");
      out_ += ")";
    }
    return true;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t atom_ = 0;  // where the atom that a quantifier would repeat starts in out_
  std::vector<std::size_t> open_;
  std::string out_;
};

int nesting_of(std::string_view expression) {
  int depth = 0, deepest = 0;
  for (const char c : expression) {
    if (c == '(' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == ')' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

Error too_hard(const std::string& expression) {
  return fail(Code::unsupported, "error.text.pattern.too_hard", {printable(expression, 80)});
}

}  // namespace

std::string icu_expression(std::string_view oniguruma) { return Translator(oniguruma).run(); }

Pattern Pattern::literal(std::string text) {
  Pattern out;
  out.literal_ = std::move(text);
  return out;
}

Result<Pattern> Pattern::regex(std::string_view expression) {
  if (expression.size() > kMaxExpression || nesting_of(expression) > kMaxNesting) {
    return fail(Code::unsupported, "error.text.pattern.large",
                {expression.size(), nesting_of(expression), kMaxExpression, kMaxNesting});
  }
  auto compiled = std::make_shared<Compiled>();
  compiled->expression = std::string(expression);
  UErrorCode status = U_ZERO_ERROR;
  UParseError where{};
  compiled->pattern.reset(icu::RegexPattern::compile(utf16_of(icu_expression(expression)),
                                                     UREGEX_MULTILINE | UREGEX_UNIX_LINES, where, status));
  if (U_FAILURE(status)) {
    return fail(Code::bad_format, "error.text.pattern", {in_quotes(compiled->expression), where.offset});
  }
  Pattern out;
  out.compiled_ = std::move(compiled);
  return out;
}

// A matcher of this thread: making one costs more than matching a word. It is lent, because the visitor of a
// match may use the same pattern.
class Pattern::Lent {
 public:
  explicit Lent(std::shared_ptr<const Compiled> pattern, UErrorCode& status) : pattern_(std::move(pattern)) {
    auto& idle = idle_here();
    const auto at =
        std::find_if(idle.begin(), idle.end(), [&](const Idle& one) { return one.pattern == pattern_; });
    if (at != idle.end()) {
      matcher_ = std::move(at->matcher);
      idle.erase(at);
      return;
    }
    matcher_.reset(pattern_->pattern->matcher(status));
    if (U_SUCCESS(status)) matcher_->setTimeLimit(kTimeLimit, status);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    constexpr std::size_t kMostIdle = 8;
    auto& idle = idle_here();
    if (!matcher_) return;
    if (idle.size() >= kMostIdle) idle.erase(idle.begin());
    idle.push_back({std::move(pattern_), std::move(matcher_)});
  }
  icu::RegexMatcher* operator->() { return matcher_.get(); }

 private:
  struct Idle {
    std::shared_ptr<const Compiled> pattern;
    std::unique_ptr<icu::RegexMatcher> matcher;
  };
  static std::vector<Idle>& idle_here() {
    thread_local std::vector<Idle> idle;
    return idle;
  }
  std::shared_ptr<const Compiled> pattern_;
  std::unique_ptr<icu::RegexMatcher> matcher_;
};

Status Pattern::each_literal(std::string_view text, const Visit& visit) const {
  std::size_t done = 0;
  for (std::size_t at = 0; !literal_.empty() && (at = text.find(literal_, done)) != std::string_view::npos;) {
    if (at > done) TRY_OK(visit({done, at, false}));
    done = at + literal_.size();
    TRY_OK(visit({at, done, true}));
  }
  return done < text.size() ? visit({done, text.size(), false}) : Status(Done{});
}

Status Pattern::each_match(std::string_view text, const Visit& visit) const {
  const icu::UnicodeString units = utf16_of(text);
  UErrorCode status = U_ZERO_ERROR;
  Lent matcher(compiled_, status);
  if (U_SUCCESS(status)) matcher->reset(units);
  UnitWalk walk(text);
  std::size_t done = 0;
  while (U_SUCCESS(status) && matcher->find(status)) {
    const std::size_t begin = walk.byte_of(matcher->start(status)), end = walk.byte_of(matcher->end(status));
    if (begin > done) TRY_OK(visit({done, begin, false}));
    if (begin >= done) TRY_OK(visit({begin, end, true}));
    done = std::max(done, end);
  }
  if (U_FAILURE(status)) return too_hard(compiled_->expression);
  return done < text.size() ? visit({done, text.size(), false}) : Status(Done{});
}

Status Pattern::each(std::string_view text, const Visit& visit) const {
  return compiled_ ? each_match(text, visit) : each_literal(text, visit);
}

Result<std::vector<Match>> Pattern::cut(std::string_view text) const {
  std::vector<Match> out;
  TRY_OK(each(text, [&](const Match& match) -> Status {
    out.push_back(match);
    return Done{};
  }));
  return out;
}

const Pattern& gpt2_words() {
  static const Pattern words =
      *Pattern::regex(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)");
  return words;
}

}  // namespace attnscope
