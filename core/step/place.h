// Places: which cells of a step, a weight or an input are meant. One grammar, used by --steps, --edit,
// watched numbers, breakpoints, measures, tables and lessons:
//
//   place   = name [ "[" part { "," part } "]" ]        "blocks.0-2.attn.z[head=1,pos=-1]"
//   name    = a step, a weight ("blocks.0.attn.q.weight"), or "input"; the block in it is any `indices`
//   part    = axis "=" indices | "token=" word          word: up to a comma, or quoted as JSON
//   indices = "*" | index [ "-" index ]                 "*" all, "2", "2-5" (both ends included)
//   index   = a whole number; negative ones count from the end, as in Python: -1 is the last
//
// Indices from the end and tokens become numbers where a run says how many rows there are
// (core/trace/place_cells.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/step/site.h"

namespace attnscope {

/// Indices begin .. end-1. A negative begin, and an end of 0 or below, count from the end: {-1, 0} is the
/// last one, {0, 0} all of them.
struct Indices {
  std::int64_t begin = 0, end = 0;
  /// True where it means the same whatever the size is.
  bool absolute() const { return begin >= 0 && end > 0; }
  bool one() const { return absolute() && end == begin + 1; }
  /// Counted from 0 among `size`; nothing where it is not inside of 0 .. size-1.
  std::optional<Indices> of(std::int64_t size) const;
  bool operator==(const Indices&) const = default;
};
/// "3", "8-15", "-1", "-3--1", "*". Nothing for other texts, and where the last comes before the first.
std::optional<Indices> parse_indices(std::string_view text);
std::string to_text(const Indices& indices);

/// Indices of the axis with that name; one index is what a cell has. The axis `token` has a word in place of
/// indices: the row of that token.
struct AxisRange {
  std::string axis;
  std::int64_t begin = 0, end = 0;  ///< as Indices
  std::string token = {};

  AxisRange() = default;
  AxisRange(std::string name, std::int64_t index) : axis(std::move(name)), begin(index), end(index + 1) {}
  AxisRange(std::string name, std::int64_t first, std::int64_t past)
      : axis(std::move(name)), begin(first), end(past) {}
  Indices indices() const { return {begin, end}; }
  bool absolute() const { return token.empty() && indices().absolute(); }
  bool operator==(const AxisRange&) const = default;
};
/// None of them counts from the end, or has a word.
bool all_absolute(const std::vector<AxisRange>& at);
/// "3", or "8-15".
std::string to_text(const AxisRange& range);
/// "[head=1,d_mlp=8-15]"; empty for none.
std::string to_text(const std::vector<AxisRange>& at);
/// Null where the axis is not named; `pos` and `query` name the same rows.
const AxisRange* range_on(const std::vector<AxisRange>& at, std::string_view axis);

/// A step with some coordinates fixed: "blocks.5.attn.pattern[head=3,query=7,key=2]". Axes not named mean
/// all.
struct Cell {
  Site site;
  std::vector<AxisRange> at;  ///< one index each
  bool operator==(const Cell&) const = default;
};
std::string to_text(const Cell& cell);
/// Errors: parse_place's; more than one index on an axis, or one that needs a run.
Result<Cell> parse_cell(std::string_view text);

/// The blocks in a name.
struct NamedBlocks {
  std::string before, after;  ///< "enc.blocks.", ".attn.q"
  Indices which;
  std::string name(std::int64_t block) const { return before + std::to_string(block) + after; }
};
std::optional<NamedBlocks> named_blocks(std::string_view name);

/// A place as people write it.
struct PlaceText {
  std::string name;  ///< what stands before the brackets
  std::vector<AxisRange> at;
  bool operator==(const PlaceText&) const = default;
};
/// Errors: brackets that are not closed, an axis without indices, or twice.
Result<PlaceText> parse_place(std::string_view text);
std::string to_text(const PlaceText& place);
/// One place for each of its blocks, of `count`; itself where it names none. Nothing where the model does not
/// have them.
std::optional<std::vector<PlaceText>> one_per_block(const PlaceText& place, std::int64_t count);
/// Where a place that `text` begins with ends: behind its bracket, or at the first of the signs in `stop`.
std::size_t place_end(std::string_view text, std::string_view stop);
/// The stack that a name begins with; nothing where it names none, which is the main one.
std::optional<Stack> stack_of_name(std::string_view name);
/// "blocks.0.attn.q.weight", "tok_embed.bias".
bool is_weight_name(std::string_view name);
/// What bare modules read: [pos, d_in].
inline constexpr std::string_view kInputName = "input";

/// A pattern over sites: comma-separated places in whose names `*` stands for any run of characters
/// ("*.pattern", "blocks.0-2.attn.*", "logits"); brackets ask for a part of what matches
/// ("blocks.*.attn.pattern[head=1,query=2-5]"), a leading "!" takes away. TransformerLens names work too, and
/// weights and the input by their names.
class Selector {
 public:
  /// Matches everything.
  Selector() = default;
  static Result<Selector> parse(std::string_view text);
  bool matches(const Site& site, std::int64_t blocks = 0) const { return !parts(site, blocks).empty(); }
  /// What is asked of a step, each part once: no indices for all of it. Empty where it does not match.
  /// `blocks` of the site's stack: blocks.-1 is the last of them.
  std::vector<std::vector<AxisRange>> parts(const Site& site, std::int64_t blocks = 0) const;
  /// The same of a weight, or of the input: patterns for steps do not match them.
  std::vector<std::vector<AxisRange>> value_parts(std::string_view name, std::int64_t blocks) const;
  const std::string& text() const { return text_; }

 private:
  struct Glob {
    PlaceText place;
    bool exclude = false;
  };
  // `all`: no pattern at all, or one that only takes away, begins with everything.
  template <class Matches>
  std::vector<std::vector<AxisRange>> parts_where(bool all, const Matches& matches) const;
  std::vector<Glob> globs_;
  std::string text_ = "*";
};

}  // namespace attnscope
