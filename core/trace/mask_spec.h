// A mask written as text: "causal | *>image", "text>text & causal | action>*". Parsed once, resolved for a
// sequence whose lengths and named spans are given. Errors: empty text, unknown words and spans, matrices of
// another shape; each with the place in the text and what was expected.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/ops.h"
#include "core/trace/span.h"

namespace attnscope {

/// Terms:
///   model            the model's own mask
///   causal           a query sees itself and the keys before it
///   full, none       everything, nothing
///   window(n)        no key that is n or more positions back (keys after the query are not affected)
///   prefix(n)        every query sees the first n keys
///   a>b              queries of span a see keys of span b; * is any position; "quotes" around odd names
///   matrix([[1,0],[1,1]])  one row per query, 1 = sees
/// Operators, tightest first: ! not, & and, | or; parentheses group. Padding is masked whatever the text
/// is.
class MaskSpec {
 public:
  /// "model"
  MaskSpec();
  static Result<MaskSpec> parse(std::string_view text);
  /// An explicit mask [query, key] of 0 (masked) and 1. Errors: another rank, no cells, other values.
  static Result<MaskSpec> from_matrix(const Tensor& allowed);

  /// The text without blanks around it; parse(text()) gives the same mask.
  const std::string& text() const { return text_; }
  /// The spans that its terms name, each once.
  std::vector<std::string> span_names() const;
  bool is_model() const { return text_ == "model"; }
  bool operator==(const MaskSpec& other) const { return text_ == other.text_; }

  /// The mask [queries, keys] of a sequence; padding and switched cells are
  /// those of `own`. Conjunctions of causal, window and full keep the closed form, all else becomes a
  /// MaskRule. Errors: a span that is not among `spans`, a matrix that is not [queries, keys].
  Result<Mask> resolve(const Mask& own, std::int64_t queries, std::int64_t keys,
                       const std::vector<Span>& spans) const;

  struct Node;  ///< of the parsed text; defined in mask_node.h

 private:
  MaskSpec(std::string text, std::shared_ptr<const Node> root);
  std::string text_;
  std::shared_ptr<const Node> root_;
};

}  // namespace attnscope
