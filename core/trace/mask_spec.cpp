#include "core/trace/mask_spec.h"

#include <algorithm>
#include <optional>

#include "core/base/listed.h"
#include "core/base/text.h"
#include "core/base/trimmed.h"
#include "core/trace/mask_node.h"

namespace attnscope {
namespace {

using Node = MaskSpec::Node;
using MaskSpecKind = Node::Kind;

// A parsed mask with the spans and the model's own mask that its terms refer to.
class SpecRule : public MaskRule {
 public:
  SpecRule(std::shared_ptr<const Node> root, Mask own, std::vector<Span> spans)
      : root_(std::move(root)), own_(std::move(own)), spans_(std::move(spans)) {
    own_.attention_mask = nullptr;  // padding and switched cells come after the rule
    own_.cells.clear();
  }

  bool allowed(std::int64_t query, std::int64_t key) const override {
    std::uint8_t verdict = 0;
    fill(*root_, query, key, key + 1, &verdict);
    return verdict != 0;
  }

  void allowed_row(std::int64_t query, std::int64_t begin, std::int64_t end,
                   std::uint8_t* out) const override {
    for (std::int64_t key = begin; key < end; key += kPiece)
      fill(*root_, query, key, std::min(end, key + kPiece), out + (key - begin));
  }

 private:
  static constexpr std::int64_t kPiece = 256;

  // out[0 .. end - begin) for one query, at most kPiece keys.
  void fill(const Node& node, std::int64_t query, std::int64_t begin, std::int64_t end,
            std::uint8_t* out) const {
    const auto each = [&](auto allows) {
      for (std::int64_t key = begin; key < end; ++key) out[key - begin] = allows(key) ? 1 : 0;
    };
    switch (node.kind) {
      case MaskSpecKind::model: return each([&](std::int64_t key) { return own_.allowed(query, key); });
      case MaskSpecKind::causal: return each([&](std::int64_t key) { return key <= query; });
      case MaskSpecKind::full: return each([](std::int64_t) { return true; });
      case MaskSpecKind::none: return each([](std::int64_t) { return false; });
      case MaskSpecKind::window: return each([&](std::int64_t key) { return key > query - node.count; });
      case MaskSpecKind::prefix: return each([&](std::int64_t key) { return key < node.count; });
      case MaskSpecKind::pair: return fill_pair(node, query, begin, end, out);
      case MaskSpecKind::matrix:
        return each([&](std::int64_t key) {
          return query >= 0 && query < node.rows && key >= 0 && key < node.columns &&
                 node.cells[static_cast<std::size_t>(query * node.columns + key)] != 0;
        });
      case MaskSpecKind::conjunction:
      case MaskSpecKind::disjunction:
      case MaskSpecKind::negation: return fill_operator(node, query, begin, end, out);
    }
  }

  void fill_operator(const Node& node, std::int64_t query, std::int64_t begin, std::int64_t end,
                     std::uint8_t* out) const {
    const std::int64_t count = end - begin;
    fill(node.children.front(), query, begin, end, out);
    if (node.kind == MaskSpecKind::negation)
      for (std::int64_t i = 0; i < count; ++i) out[i] ^= 1;
    for (std::size_t child = 1; child < node.children.size(); ++child) {
      std::uint8_t other[kPiece];
      fill(node.children[child], query, begin, end, other);
      const bool both = node.kind == MaskSpecKind::conjunction;
      for (std::int64_t i = 0; i < count; ++i)
        out[i] = static_cast<std::uint8_t>(both ? out[i] & other[i] : out[i] | other[i]);
    }
  }

  void fill_pair(const Node& node, std::int64_t query, std::int64_t begin, std::int64_t end,
                 std::uint8_t* out) const {
    const bool looks =
        node.query_span.empty() || std::any_of(spans_.begin(), spans_.end(), [&](const Span& s) {
          return s.name == node.query_span && query >= s.begin && query < s.end;
        });
    std::fill(out, out + (end - begin), static_cast<std::uint8_t>(looks && node.key_span.empty() ? 1 : 0));
    if (!looks || node.key_span.empty()) return;
    for (const Span& span : spans_) {
      if (span.name != node.key_span) continue;
      const std::int64_t from = std::clamp(span.begin, begin, end), to = std::clamp(span.end, from, end);
      std::fill(out + (from - begin), out + (to - begin), std::uint8_t{1});
    }
  }

  std::shared_ptr<const Node> root_;
  Mask own_;
  std::vector<Span> spans_;
};

// `mask` narrowed by causal, window and full; false where the node is anything else.
bool narrow(const Node& node, const Mask& own, Mask& mask) {
  const auto narrow_to = [&](bool causal, std::int64_t window) {
    mask.causal = mask.causal || causal;
    if (window > 0) mask.window = mask.window > 0 ? std::min(mask.window, window) : window;
    return true;
  };
  switch (node.kind) {
    case MaskSpecKind::full: return true;
    case MaskSpecKind::causal: return narrow_to(true, 0);
    case MaskSpecKind::window: return narrow_to(false, node.count);
    case MaskSpecKind::model: return !own.rule && narrow_to(own.causal, own.window);
    case MaskSpecKind::conjunction:
      return std::all_of(node.children.begin(), node.children.end(),
                         [&](const Node& child) { return narrow(child, own, mask); });
    default: return false;
  }
}

Text span_list(const std::vector<Span>& spans) {
  std::vector<std::string> names;
  for (const Span& span : spans)
    if (std::find(names.begin(), names.end(), span.name) == names.end()) names.push_back(span.name);
  return names.empty() ? Text::of("error.trace.mask.no_spans")
                       : Text::of("error.trace.mask.spans", {some_of(names, 12)});
}

// What does not fit the sequence.
std::optional<Error> misfit(const Node& node, std::int64_t queries, std::int64_t keys,
                            const std::vector<Span>& spans) {
  for (const std::string* name : {&node.query_span, &node.key_span})
    if (!name->empty() &&
        std::none_of(spans.begin(), spans.end(), [&](const Span& s) { return s.name == *name; }))
      return Error{Code::not_found, Text::of("error.trace.mask.span", {in_quotes(*name, 60)}),
                   span_list(spans)};
  if (node.kind == MaskSpecKind::matrix && (node.rows != queries || node.columns != keys))
    return fail(Code::bad_shape, "error.trace.mask.matrix_fit",
                {shape_text({node.rows, node.columns}), shape_text({queries, keys})});
  for (const Node& child : node.children)
    if (auto error = misfit(child, queries, keys, spans)) return error;
  return {};
}

void add_span_names(const Node& node, std::vector<std::string>& out) {
  for (const std::string* name : {&node.query_span, &node.key_span})
    if (!name->empty() && std::find(out.begin(), out.end(), *name) == out.end()) out.push_back(*name);
  for (const Node& child : node.children) add_span_names(child, out);
}

std::string matrix_text(const Node& node) {
  std::string out = "matrix([";
  for (std::int64_t row = 0; row < node.rows; ++row) {
    out += row > 0 ? ",[" : "[";
    for (std::int64_t column = 0; column < node.columns; ++column) {
      if (column > 0) out += ',';
      out += node.cells[static_cast<std::size_t>(row * node.columns + column)] != 0 ? '1' : '0';
    }
    out += ']';
  }
  return out + "])";
}

}  // namespace

MaskSpec::MaskSpec() : text_("model") {
  static const auto model = std::make_shared<const Node>();
  root_ = model;
}

MaskSpec::MaskSpec(std::string text, std::shared_ptr<const Node> root)
    : text_(std::move(text)), root_(std::move(root)) {}

Result<MaskSpec> MaskSpec::parse(std::string_view text) {
  const std::string whole(trimmed(text));
  TRY(Node root, parse_mask(whole));
  return MaskSpec(whole, std::make_shared<const Node>(std::move(root)));
}

Result<MaskSpec> MaskSpec::from_matrix(const Tensor& allowed) {
  if (allowed.rank() != 2 || allowed.count() == 0)
    return fail(Code::bad_shape, "error.trace.mask.matrix_shape", {shape_text(allowed)});
  Node node;
  node.kind = MaskSpecKind::matrix;
  node.rows = allowed.size(0);
  node.columns = allowed.size(1);
  for (std::int64_t row = 0; row < node.rows; ++row)
    for (std::int64_t column = 0; column < node.columns; ++column) {
      const float value = allowed.at(row, column);
      if (value != 0.f && value != 1.f)
        return fail(Code::bad_format, "error.trace.mask.matrix_value",
                    {format("%g", static_cast<double>(value)), row, column});
      node.cells.push_back(value != 0.f ? 1 : 0);
    }
  const std::string text = matrix_text(node);
  return MaskSpec(text, std::make_shared<const Node>(std::move(node)));
}

std::vector<std::string> MaskSpec::span_names() const {
  std::vector<std::string> out;
  if (root_) add_span_names(*root_, out);
  return out;
}

Result<Mask> MaskSpec::resolve(const Mask& own, std::int64_t queries, std::int64_t keys,
                               const std::vector<Span>& spans) const {
  if (auto error = misfit(*root_, queries, keys, spans)) return *error;
  if (root_->kind == MaskSpecKind::model) return own;
  Mask mask = own;
  mask.causal = false;
  mask.window = 0;
  mask.rule = nullptr;
  if (narrow(*root_, own, mask)) return mask;
  mask.causal = false;
  mask.window = 0;
  mask.rule = std::make_shared<SpecRule>(root_, own, spans);
  return mask;
}

}  // namespace attnscope
