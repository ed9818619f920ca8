// Named tensors in a file, whatever its format: what is there (infos) and one tensor at a time (load).
// float32 that lies 4-byte aligned in the mapped file is borrowed (no copy, the tensor keeps the file
// mapped); everything else is expanded into memory of its own, or stays as it is in the file where the whole
// would pass a limit (within_limit). Limit: load() takes at most four dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/dtype.h"
#include "core/tensor/tensor.h"

namespace attnscope {

/// One tensor of a file, as its header describes it after every check.
struct TensorInfo {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  ///< as in the file; empty for a single number
  std::uint64_t offset = 0;         ///< bytes from the start of the file it lies in
  std::uint64_t bytes = 0;
};

/// Number of values of a shape (1 for a single number).
std::int64_t value_count(const std::vector<std::int64_t>& shape);

class TensorSource {
 public:
  virtual ~TensorSource() = default;
  /// Every tensor, in the order of the data (shard by shard).
  virtual const std::vector<TensorInfo>& infos() const = 0;
  virtual const TensorInfo* find(std::string_view name) const = 0;
  /// float32 values, shape as in the file (a single number becomes (1)), axes Axis::none.
  /// Errors: not_found, unsupported (more than four dimensions), no_memory.
  virtual Result<Tensor> load(std::string_view name) const = 0;
  /// The same values, left as they are in the file and decoded on access (Tensor::encoded),
  /// where the source can do that.
  virtual Result<Tensor> load_encoded(std::string_view name) const { return load(name); }
  /// The values of an integer tensor (I64, I32, I16, I8, U8, BOOL) in row-major order, any number of
  /// dimensions.
  virtual Result<std::vector<std::int64_t>> load_ints(std::string_view name) const = 0;
  /// Free text of the file's header, empty when the format has none.
  virtual const std::map<std::string, std::string>& metadata() const = 0;
};

/// A source over bytes that `owner` keeps alive. The infos must have been checked against bytes.size().
class BytesSource final : public TensorSource {
 public:
  BytesSource(std::shared_ptr<const void> owner, std::span<const std::byte> bytes, std::string what,
              std::vector<TensorInfo> infos, std::map<std::string, std::string> metadata = {});

  const std::vector<TensorInfo>& infos() const override { return infos_; }
  const TensorInfo* find(std::string_view name) const override;
  Result<Tensor> load(std::string_view name) const override;
  Result<Tensor> load_encoded(std::string_view name) const override;
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override;
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }

 private:
  Result<Tensor> expanded(const TensorInfo& info, const Shape& shape) const;

  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
  std::string what_;
  std::vector<TensorInfo> infos_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

/// Several sources that together hold one model: each name in `owners` is loaded from the source at its
/// index, which must have it.
class JoinedSource final : public TensorSource {
 public:
  JoinedSource(std::vector<std::shared_ptr<TensorSource>> parts,
               const std::map<std::string, std::size_t>& owners, std::string what);

  const std::vector<TensorInfo>& infos() const override { return infos_; }
  const TensorInfo* find(std::string_view name) const override;
  Result<Tensor> load(std::string_view name) const override;
  Result<Tensor> load_encoded(std::string_view name) const override;
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override;
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }

 private:
  std::vector<std::shared_ptr<TensorSource>> parts_;
  std::string what_;
  std::vector<TensorInfo> infos_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, std::size_t, std::less<>> owners_;
};

/// Bytes that loading every tensor would take in memory: 4 for each value that is not float32 in the file.
std::uint64_t expanded_bytes(const TensorSource& source);

/// The source itself where everything may be expanded within `limit` bytes; otherwise one whose matrices stay
/// as they are in the file (load gives what load_encoded does). Small matrices, vectors and convolutions are
/// expanded in any case.
std::shared_ptr<TensorSource> within_limit(std::shared_ptr<TensorSource> source, std::uint64_t limit);
/// The same for matrices of the formats that `stay` is true for, whatever they would take.
using FormatTest = std::function<bool(DType)>;
std::shared_ptr<TensorSource> with_formats_kept(std::shared_ptr<TensorSource> source, FormatTest stay);

}  // namespace attnscope
