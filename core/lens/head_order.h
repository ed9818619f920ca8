// The heads of a model in order of a statistic: entropy, largest weight, or the score of a role.
// A stable sort: heads that compare equal stay by block and number.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/io/named.h"
#include "core/lens/thumbnails.h"

namespace attnscope {

enum class HeadOrder : std::uint8_t { place, entropy, largest, previous, first, self, duplicate, induction };
inline constexpr int kHeadOrders = 8;
/// In files.
inline constexpr Named<HeadOrder> kHeadOrderNames[] = {
    {"place", HeadOrder::place},         {"entropy", HeadOrder::entropy},    {"largest", HeadOrder::largest},
    {"previous", HeadOrder::previous},   {"first", HeadOrder::first},        {"self", HeadOrder::self},
    {"duplicate", HeadOrder::duplicate}, {"induction", HeadOrder::induction}};
/// "place", "entropy", "largest", or the name of the role: the key of its text.
std::string_view head_order_name(HeadOrder order);

/// The sort key of a head: mean entropy of its rows (nats), mean of their largest weights, or the score of
/// the role; 0 for place.
double head_value(const HeadThumbnail& head, HeadOrder order);
/// False where no head of the run has it: a role without rows.
bool can_order(const Thumbnails& pictures, HeadOrder order);
/// Indices into pictures.heads; small entropy first, all else the largest first.
std::vector<std::size_t> ordered_heads(const Thumbnails& pictures, HeadOrder order);

}  // namespace attnscope
