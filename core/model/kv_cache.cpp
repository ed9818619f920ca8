#include "core/model/kv_cache.h"

#include <algorithm>

namespace attnscope {

void KvCache::Rows::append(std::int64_t have, const Tensor& rows) {
  const std::int64_t heads = rows.size(0), count = rows.size(1), d_head = rows.size(2);
  if (have + count > capacity) {
    const std::int64_t wanted = std::max<std::int64_t>({64, have + count, capacity * 2});
    auto larger = std::make_shared_for_overwrite<float[]>(static_cast<std::size_t>(heads * wanted * d_head));
    for (std::int64_t head = 0; head < heads && have > 0; ++head)
      std::copy_n(memory.get() + head * capacity * d_head, have * d_head,
                  larger.get() + head * wanted * d_head);
    memory = std::move(larger);
    capacity = wanted;
  }
  for (std::int64_t head = 0; head < heads; ++head) {
    float* to = memory.get() + (head * capacity + have) * d_head;
    for (std::int64_t pos = 0; pos < count; ++pos)
      for (std::int64_t i = 0; i < d_head; ++i) *to++ = rows.at(head, pos, i);
  }
}

Tensor KvCache::Rows::view(std::int64_t count, std::int64_t heads, std::int64_t d_head) const {
  return Tensor::borrow(
      memory, memory.get(),
      std::vector<Dim>{
          {Axis::head, heads, capacity * d_head}, {Axis::key, count, d_head}, {Axis::d_head, d_head, 1}});
}

std::pair<Tensor, Tensor> KvCache::append(int layer, const Tensor& k, const Tensor& v) {
  Layer& at = layers_[static_cast<std::size_t>(layer)];
  at.width = k.size(0) * k.size(2);
  at.k.append(length_, k);
  at.v.append(length_, v);
  const std::int64_t total = length_ + k.size(1);
  return {at.k.view(total, k.size(0), k.size(2)), at.v.view(total, v.size(0), v.size(2))};
}

void KvCache::set_cross(int layer, Tensor k, Tensor v) {
  Layer& at = layers_[static_cast<std::size_t>(layer)];
  at.cross_k = std::move(k);
  at.cross_v = std::move(v);
}

std::pair<Tensor, Tensor> KvCache::cross(int layer) const {
  const Layer& at = layers_[static_cast<std::size_t>(layer)];
  return {at.cross_k, at.cross_v};
}

std::int64_t KvCache::bytes() const {
  std::int64_t total = 0;
  for (const Layer& layer : layers_)
    total += (2 * length_ * layer.width + layer.cross_k.count() + layer.cross_v.count()) *
             static_cast<std::int64_t>(sizeof(float));
  return total;
}

}  // namespace attnscope
