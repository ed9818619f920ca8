// The grammar, loosest first: or; and; not; comparisons; + -; * /; unary -; ^; then numbers, 'texts', names,
// calls, places, parentheses. A name with a point in it or with a bracket behind it is a place.
#include "core/lesson/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/lesson/expression_node.h"

namespace attnscope {
namespace {

using ExpressionNode = Expression::Node;
using NodePtr = std::shared_ptr<const ExpressionNode>;
constexpr int kMostDepth = 64;
constexpr int kMostSigns = 400;  // + - and or ...: each is a level deeper in recursive evaluation

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_sign(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// The next sign belongs to the block of a name: "blocks.*", "blocks.-1", "blocks.0-2".
bool names_block(std::string_view name, char next) {
  const std::size_t dot = name.rfind('.');
  if (next != '*' && next != '-') return false;
  const bool begins = dot != std::string_view::npos && ends_with(name.substr(0, dot), "blocks");
  return begins && name.find_first_not_of("0123456789-", dot + 1) == std::string_view::npos;
}

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<NodePtr> whole() {
    TRY(NodePtr root, alternatives());
    skip();
    if (at_ < text_.size()) return refuse("error.lesson.expression.sign");
    return root;
  }

 private:
  Error refuse(const char* key) const {
    return fail(
        Code::bad_format, key,
        {in_quotes(text_, 160), static_cast<std::int64_t>(at_ + 1), in_quotes(text_.substr(at_, 12))});
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view sign) {
    skip();
    if (text_.substr(at_, sign.size()) != sign) return false;
    const bool word = is_name_start(sign.front());
    if (word && at_ + sign.size() < text_.size() && is_name_sign(text_[at_ + sign.size()])) return false;
    at_ += sign.size();
    return true;
  }
  static NodePtr made(ExpressionNode::Kind kind, std::string word, std::vector<NodePtr> below) {
    return std::make_shared<const ExpressionNode>(
        ExpressionNode{kind, 0, std::move(word), {}, std::move(below)});
  }

  using Level = Result<NodePtr> (ExpressionParser::*)();
  template <std::size_t N>
  Result<NodePtr> chain(Level below, const std::array<const char*, N>& signs) {
    TRY(NodePtr left, (this->*below)());
    for (bool more = true; more;) {
      more = false;
      for (const char* sign : signs) {
        if (!take(sign)) continue;
        if (++signs_ > kMostSigns) return refuse("error.lesson.expression.deep");
        TRY(NodePtr right, (this->*below)());
        left = made(ExpressionNode::Kind::binary, sign, {left, right});
        more = true;
        break;
      }
    }
    return left;
  }
  Result<NodePtr> alternatives() {
    if (++depth_ > kMostDepth) return refuse("error.lesson.expression.deep");
    auto out = chain(&ExpressionParser::both, std::array{"or"});
    --depth_;
    return out;
  }
  Result<NodePtr> both() { return chain(&ExpressionParser::inverted, std::array{"and"}); }
  Result<NodePtr> inverted() {
    if (!take("not")) return chain(&ExpressionParser::sum, std::array{"<=", ">=", "==", "!=", "<", ">"});
    TRY(NodePtr inner, chain(&ExpressionParser::sum, std::array{"<=", ">=", "==", "!=", "<", ">"}));
    return made(ExpressionNode::Kind::invert, "not", {inner});
  }
  Result<NodePtr> sum() { return chain(&ExpressionParser::product, std::array{"+", "-"}); }
  Result<NodePtr> product() { return chain(&ExpressionParser::signed_one, std::array{"*", "/"}); }
  Result<NodePtr> signed_one() {
    if (!take("-")) return power();
    TRY(NodePtr inner, power());
    return made(ExpressionNode::Kind::negate, "-", {inner});
  }
  Result<NodePtr> power() {
    TRY(NodePtr base, atom());
    if (!take("^")) return base;
    TRY(NodePtr exponent, atom());
    return made(ExpressionNode::Kind::binary, "^", {base, exponent});
  }

  Result<NodePtr> atom() {
    skip();
    if (take("(")) {
      TRY(NodePtr inner, alternatives());
      if (!take(")")) return refuse("error.lesson.expression.close");
      return inner;
    }
    if (at_ >= text_.size()) return refuse("error.lesson.expression.end");
    const char sign = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(sign)) != 0 || sign == '.') return number();
    if (sign == '\'') return quoted();
    if (is_name_start(sign)) return named();
    return refuse("error.lesson.expression.sign");
  }
  Result<NodePtr> number() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '.' ||
            text_[end] == 'e' || (text_[end] == '-' && text_[end - 1] == 'e')))
      ++end;
    const auto read = parse_real(text_.substr(at_, end - at_), -1e300, 1e300);
    if (!read) return refuse("error.lesson.expression.sign");
    at_ = end;
    return std::make_shared<const ExpressionNode>(
        ExpressionNode{ExpressionNode::Kind::number, *read, {}, {}, {}});
  }
  Result<NodePtr> quoted() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return refuse("error.lesson.expression.quote");
    const std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return made(ExpressionNode::Kind::text, word, {});
  }
  Result<NodePtr> named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_name_sign(text_[at_]) || text_[at_] == '{' ||
                                  names_block(text_.substr(begin, at_ - begin), text_[at_])))
      if (text_[at_] == '{') {
        at_ = std::min(text_.size(), text_.find('}', at_));
        if (at_ < text_.size()) ++at_;
      } else {
        ++at_;
      }
    const std::string_view name = text_.substr(begin, at_ - begin);
    const bool bracket = at_ < text_.size() && text_[at_] == '[';
    if (bracket || name.find('.') != std::string_view::npos || parse_site(name)) return place(begin);
    if (take("(")) return call(std::string(name));
    return made(ExpressionNode::Kind::variable, std::string(name), {});
  }
  Result<NodePtr> call(std::string name) {
    const ExpressionFunction* function = expression_function(name);
    if (!function)
      return fail(Code::not_found, "error.lesson.expression.function",
                  {in_quotes(text_, 160), in_quotes(name), expression_functions()});
    std::vector<NodePtr> arguments;
    if (!take(")")) {
      do {
        TRY(NodePtr argument, alternatives());
        arguments.push_back(std::move(argument));
      } while (take(","));
      if (!take(")")) return refuse("error.lesson.expression.close");
    }
    const int count = static_cast<int>(arguments.size());
    if (count < function->least || count > function->most)
      return fail(Code::bad_format, "error.lesson.expression.arguments",
                  {in_quotes(text_, 160), name, function->least, function->most, count});
    return made(ExpressionNode::Kind::call, std::move(name), std::move(arguments));
  }
  // From `begin` to the bracket that closes it; what stands in braces is computed.
  Result<NodePtr> place(std::size_t begin) {
    if (at_ < text_.size() && text_[at_] == '[') {
      int open = 0;
      do {
        open += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
        ++at_;
      } while (open > 0 && at_ < text_.size());
      if (open > 0) return refuse("error.lesson.expression.close");
    }
    return place_of(text_.substr(begin, at_ - begin));
  }

 public:
  static Result<NodePtr> place_of(std::string_view text) {
    ExpressionNode out{ExpressionNode::Kind::place, 0, {}, {}, {}};
    std::size_t from = 0;
    for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', from)) {
      const std::size_t close = text.find('}', open);
      if (close == std::string_view::npos)
        return fail(Code::bad_format, "error.lesson.expression.brace", {in_quotes(text, 160)});
      TRY(NodePtr inner, ExpressionParser(text.substr(open + 1, close - open - 1)).whole());
      out.pieces.emplace_back(text.substr(from, open - from));
      out.below.push_back(std::move(inner));
      from = close + 1;
    }
    out.pieces.emplace_back(text.substr(from));
    return std::make_shared<const ExpressionNode>(std::move(out));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0, signs_ = 0;
};

double applied(const std::string& sign, double a, double b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return a / b;
  if (sign == "^") return std::pow(a, b);
  if (sign == "<") return a < b ? 1 : 0;
  if (sign == ">") return a > b ? 1 : 0;
  if (sign == "<=") return a <= b ? 1 : 0;
  if (sign == ">=") return a >= b ? 1 : 0;
  if (sign == "==") return a == b ? 1 : 0;
  if (sign == "!=") return a != b ? 1 : 0;
  if (sign == "and") return a != 0 && b != 0 ? 1 : 0;
  return a != 0 || b != 0 ? 1 : 0;
}

// Number by number; one number goes with many.
Result<ExpressionValue> combined(const std::string& sign, const ExpressionValue& a,
                                 const ExpressionValue& b) {
  if (a.is_text || b.is_text) return fail(Code::bad_format, "error.lesson.expression.is_text");
  if (!a.scalar() && !b.scalar() && a.numbers.size() != b.numbers.size())
    return fail(
        Code::bad_shape, "error.lesson.expression.sizes",
        {sign, static_cast<std::int64_t>(a.numbers.size()), static_cast<std::int64_t>(b.numbers.size())});
  ExpressionValue out = a.scalar() ? b : a;
  for (std::size_t i = 0; i < out.numbers.size(); ++i)
    out.numbers[i] =
        applied(sign, a.scalar() ? a.number() : a.numbers[i], b.scalar() ? b.number() : b.numbers[i]);
  return out;
}

Result<ExpressionValue> computed(const ExpressionNode& node, const ExpressionScope& scope);

Result<std::string> place_text(const ExpressionNode& node, const ExpressionScope& scope) {
  std::string text;
  for (std::size_t i = 0; i < node.pieces.size(); ++i) {
    text += node.pieces[i];
    if (i >= node.below.size()) continue;
    TRY(const ExpressionValue index, computed(*node.below[i], scope));
    if (!index.scalar() || !std::isfinite(index.number()))
      return fail(Code::bad_shape, "error.lesson.expression.index", {in_quotes(text, 80)});
    text += std::to_string(std::llround(index.number()));
  }
  return text;
}

// without(place, x): x of the run in which the numbers of a place are 0.
Result<ExpressionValue> computed_without(const ExpressionNode& node, const ExpressionScope& scope) {
  TRY(const ExpressionValue place, computed(*node.below[0], scope));
  if (!place.is_text) return fail(Code::bad_format, "error.lesson.expression.takes", {"without"});
  TRY(const auto edit, parse_edit(place.text + "=0"));
  RunResult off = scope.run;
  put_edit(off.document, edit);
  TRY(off.traces, run_all(off.document, {}, {}));
  return computed(*node.below[1], {off, scope.before, scope.sequence, scope.variables, scope.waits});
}

Result<ExpressionValue> called(const ExpressionNode& node, const ExpressionScope& scope) {
  if (node.word == "without") return computed_without(node, scope);
  // before(x): x of the page as it was opened.
  const bool then = node.word == "before" && scope.before;
  const ExpressionScope old{then ? *scope.before : scope.run, scope.before, scope.sequence, scope.variables,
                            scope.waits};
  std::vector<ExpressionValue> arguments;
  for (const NodePtr& below : node.below) {
    TRY(ExpressionValue argument, computed(*below, old));
    arguments.push_back(std::move(argument));
  }
  return expression_function(node.word)->compute(arguments, old);
}

Result<ExpressionValue> computed(const ExpressionNode& node, const ExpressionScope& scope) {
  switch (node.kind) {
    case ExpressionNode::Kind::number: return ExpressionValue::of(node.number);
    case ExpressionNode::Kind::text: return ExpressionValue{{}, {}, node.word, true};
    case ExpressionNode::Kind::variable: {
      const auto found = scope.variables.find(node.word);
      if (found == scope.variables.end())
        return fail(Code::not_found, "error.lesson.expression.name", {in_quotes(node.word)});
      return ExpressionValue::of(found->second);
    }
    case ExpressionNode::Kind::place: {
      TRY(const std::string text, place_text(node, scope));
      return numbers_at(text, scope);
    }
    case ExpressionNode::Kind::negate: {
      TRY(const ExpressionValue inner, computed(*node.below[0], scope));
      return combined("-", ExpressionValue::of(0), inner);
    }
    case ExpressionNode::Kind::invert: {
      TRY(const ExpressionValue inner, computed(*node.below[0], scope));
      return combined("==", inner, ExpressionValue::of(0));
    }
    case ExpressionNode::Kind::binary: {
      TRY(const ExpressionValue left, computed(*node.below[0], scope));
      TRY(const ExpressionValue right, computed(*node.below[1], scope));
      return combined(node.word, left, right);
    }
    case ExpressionNode::Kind::call: return called(node, scope);
  }
  return ExpressionValue::of(0);
}

bool sums(const ExpressionNode& node) {
  constexpr std::array<std::string_view, 7> kPlain{"abs", "cos", "exp", "ln", "log", "sin", "sqrt"};
  const bool call = node.kind == ExpressionNode::Kind::call, place = node.kind == ExpressionNode::Kind::place;
  if (place || node.kind == ExpressionNode::Kind::variable || node.kind == ExpressionNode::Kind::text)
    return false;
  if (call && std::find(kPlain.begin(), kPlain.end(), node.word) == kPlain.end()) return false;
  return std::all_of(node.below.begin(), node.below.end(), [](const NodePtr& one) { return sums(*one); });
}

}  // namespace

bool Expression::is_sum() const { return root_ && sums(*root_); }

Result<Expression> Expression::parse(std::string_view text) {
  Expression out;
  out.text_ = std::string(text);
  TRY(out.root_, ExpressionParser(out.text_).whole());
  return out;
}

Result<ExpressionValue> Expression::value(const ExpressionScope& scope) const {
  if (!root_) return fail(Code::bad_format, "error.lesson.expression.none");
  return computed(*root_, scope);
}

Result<double> Expression::number(const ExpressionScope& scope) const {
  TRY(const ExpressionValue found, value(scope));
  if (found.is_text || !found.scalar())
    return fail(Code::bad_shape, "error.lesson.expression.one_number",
                {in_quotes(text_, 160), static_cast<std::int64_t>(found.numbers.size())});
  return found.number();
}

Result<std::string> filled_in(std::string_view text, const ExpressionScope& scope) {
  TRY(const NodePtr node, ExpressionParser::place_of(text));
  return place_text(*node, scope);
}

}  // namespace attnscope
