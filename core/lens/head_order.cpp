#include "core/lens/head_order.h"

#include <algorithm>
#include <numeric>

namespace attnscope {
namespace {

bool is_role(HeadOrder order) { return order >= HeadOrder::previous; }
Role role_of(HeadOrder order) {
  return static_cast<Role>(static_cast<int>(order) - static_cast<int>(HeadOrder::previous));
}

}  // namespace

std::string_view head_order_name(HeadOrder order) {
  if (is_role(order)) return role_name(role_of(order));
  return order == HeadOrder::entropy ? "entropy" : order == HeadOrder::largest ? "largest" : "place";
}

double head_value(const HeadThumbnail& head, HeadOrder order) {
  if (is_role(order)) return head.roles.of(role_of(order)).score;
  return order == HeadOrder::entropy ? head.entropy : order == HeadOrder::largest ? head.largest : 0;
}

bool can_order(const Thumbnails& pictures, HeadOrder order) {
  return !is_role(order) ||
         std::any_of(pictures.heads.begin(), pictures.heads.end(),
                     [&](const HeadThumbnail& head) { return head.roles.of(role_of(order)).rows > 0; });
}

std::vector<std::size_t> ordered_heads(const Thumbnails& pictures, HeadOrder order) {
  std::vector<std::size_t> out(pictures.heads.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (order == HeadOrder::place) return out;
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    const double left = head_value(pictures.heads[a], order), right = head_value(pictures.heads[b], order);
    return order == HeadOrder::entropy ? left < right : left > right;
  });
  return out;
}

}  // namespace attnscope
