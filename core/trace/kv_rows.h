// The KV cache of one attention in memory that can grow: a run that adds positions to another one appends
// to it and shares what was there. Rows are only ever appended, by one owner at a time, so that a view of the
// first n never changes. Where another run has appended behind the same rows already, the rows are
// copied to memory of their own.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "core/tensor/tensor.h"

namespace attnscope {

class KvRows {
 public:
  struct Extended {
    Tensor k, v;  ///< [kv_head, key, d_head], the first `have` rows and the new ones
    std::shared_ptr<KvRows> store;
  };
  /// Puts `k` and `v` [kv_head, pos, d_head] behind the first `have` rows of old_k and old_v, which lie in
  /// `store` unless that is null.
  static Extended extended(const std::shared_ptr<KvRows>& store, const Tensor& old_k, const Tensor& old_v,
                           std::int64_t have, const Tensor& k, const Tensor& v);

 private:
  KvRows(const Tensor& k, const Tensor& v, std::int64_t capacity);
  void write(std::int64_t at, const Tensor& k, const Tensor& v);
  Tensor view(const std::shared_ptr<float[]>& memory, std::int64_t count, std::int64_t width) const;

  std::shared_ptr<float[]> k_, v_;  // [kv_head, capacity, d_head]: a head's rows lie in one piece
  std::int64_t heads_, k_width_, v_width_, capacity_;
  std::atomic<std::int64_t> used_{0};
};

}  // namespace attnscope
