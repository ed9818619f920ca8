// The KV cache: keys (rotated where the model rotates) and values of all positions seen so far, per layer.
// Rows are only ever appended, so a view of the first n rows never changes; growing moves to new memory and
// leaves old views to their owners.
#pragma once

#include <memory>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

class KvCache {
 public:
  explicit KvCache(int layers) : layers_(static_cast<std::size_t>(layers)) {}
  // Two copies would append to the same memory.
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;
  KvCache(KvCache&&) = default;
  KvCache& operator=(KvCache&&) = default;

  /// Positions held.
  std::int64_t length() const { return length_; }
  /// Bytes held for keys and values.
  std::int64_t bytes() const;
  /// Appends k and v [kv_head, pos, d_head] of one layer; returns all rows so far as views of the same shape.
  std::pair<Tensor, Tensor> append(int layer, const Tensor& k, const Tensor& v);
  /// Keys and values of cross-attention [kv_head, source, d_head]: made once, from the encoder's rows.
  bool has_cross(int layer) const { return !layers_[static_cast<std::size_t>(layer)].cross_k.empty(); }
  void set_cross(int layer, Tensor k, Tensor v);
  std::pair<Tensor, Tensor> cross(int layer) const;
  /// Called once per forward, after all layers.
  void advance(std::int64_t rows) { length_ += rows; }

 private:
  struct Rows {  // [kv_head, capacity, d_head]: a head's keys lie in one piece, for decoding reads them all
    std::shared_ptr<float[]> memory;
    std::int64_t capacity = 0;
    void append(std::int64_t have, const Tensor& rows);
    Tensor view(std::int64_t count, std::int64_t heads, std::int64_t d_head) const;
  };
  struct Layer {
    Rows k, v;
    std::int64_t width = 0;
    Tensor cross_k, cross_v;
  };
  std::vector<Layer> layers_;
  std::int64_t length_ = 0;
};

}  // namespace attnscope
