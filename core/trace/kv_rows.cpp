#include "core/trace/kv_rows.h"

#include <algorithm>

namespace attnscope {
namespace {

std::shared_ptr<float[]> memory_for(std::int64_t count) {
  return std::make_shared_for_overwrite<float[]>(static_cast<std::size_t>(count));
}

void copy_rows(const Tensor& from, float* to, std::int64_t head_step) {
  const Tensor rows = from.stride(2) == 1 ? from : from.packed();
  const std::int64_t width = rows.size(2);
  for (std::int64_t head = 0; head < rows.size(0); ++head)
    for (std::int64_t pos = 0; pos < rows.size(1); ++pos)
      std::copy_n(rows.data() + head * rows.stride(0) + pos * rows.stride(1), width,
                  to + head * head_step + pos * width);
}

}  // namespace

KvRows::KvRows(const Tensor& k, const Tensor& v, std::int64_t capacity)
    : k_(memory_for(k.size(0) * capacity * k.size(2))),
      v_(memory_for(v.size(0) * capacity * v.size(2))),
      heads_(k.size(0)),
      k_width_(k.size(2)),
      v_width_(v.size(2)),
      capacity_(capacity) {}

void KvRows::write(std::int64_t at, const Tensor& k, const Tensor& v) {
  copy_rows(k, k_.get() + at * k_width_, capacity_ * k_width_);
  copy_rows(v, v_.get() + at * v_width_, capacity_ * v_width_);
}

Tensor KvRows::view(const std::shared_ptr<float[]>& memory, std::int64_t count, std::int64_t width) const {
  return Tensor::borrow(
      memory, memory.get(),
      std::vector<Dim>{
          {Axis::head, heads_, capacity_ * width}, {Axis::key, count, width}, {Axis::d_head, width, 1}});
}

KvRows::Extended KvRows::extended(const std::shared_ptr<KvRows>& store, const Tensor& old_k,
                                  const Tensor& old_v, std::int64_t have, const Tensor& k, const Tensor& v) {
  const std::int64_t total = have + k.size(1);
  std::shared_ptr<KvRows> to = store;
  std::int64_t expected = have;
  const bool room = store && total <= store->capacity_;
  if (room && store->used_.compare_exchange_strong(expected, total)) {
    to->write(have, k, v);
  } else {
    to = std::shared_ptr<KvRows>(new KvRows(k, v, std::max<std::int64_t>(64, total + total / 2)));
    to->write(0, old_k.slice(1, 0, have), old_v.slice(1, 0, have));
    to->write(have, k, v);
    to->used_ = total;
  }
  return {to->view(to->k_, total, to->k_width_), to->view(to->v_, total, to->v_width_), to};
}

}  // namespace attnscope
