// How strongly a head or a neuron acts at each position of a run: one number a row. Of a head the length of
// what it writes into the stream, or the largest weight on a key that is neither the first nor the row's own
// (both of those take weight where a head has nothing to do); of a neuron, or of any place that names one
// number in each row, that number.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/io/named.h"
#include "core/trace/trace.h"

namespace attnscope {

enum class StrengthBy : std::uint8_t { value, write, weight };
inline constexpr Named<StrengthBy> kStrengthBys[] = {
    {"value", StrengthBy::value}, {"write", StrengthBy::write}, {"weight", StrengthBy::weight}};

/// Whose strength: "blocks.1.attn.z[head=3]" by its write or its weight, "blocks.0.mlp.post[d_mlp=17]" by its
/// value.
struct StrengthPlace {
  Cell cell;
  StrengthBy by = StrengthBy::value;
  bool operator==(const StrengthPlace&) const = default;
};
/// Without `by`: a head by its write, another place by its value. Errors: a place with a position of its own;
/// a write or a weight of what is no head.
Result<StrengthPlace> strength_place(Cell cell, std::optional<StrengthBy> by);

/// The head, or the neuron, that a cell of a run belongs to: of "blocks.1.attn.pattern[head=3,query=4,key=2]"
/// it is blocks.1.attn.z[head=3]. Nothing where it belongs to none.
std::optional<Cell> acting_part(const Cell& cell);

struct Strengths {
  std::vector<float> values;       ///< of each row
  std::vector<bool> there;         ///< rows that have one: no padding; by weight, a further key to look at
  std::vector<std::int64_t> keys;  ///< by weight: the key that has it, -1: none; else empty
};
/// Errors: a step or an index that the run does not have, more than one number in a row.
Result<Strengths> strengths_of(const Trace& run, const StrengthPlace& place);

}  // namespace attnscope
