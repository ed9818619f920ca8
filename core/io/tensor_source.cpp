#include "core/io/tensor_source.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/tensor/encoded.h"

namespace attnscope {

static_assert(std::endian::native == std::endian::little, "files are little endian and are read as they lie");

namespace {

Error no_such_tensor(const std::string& what, std::string_view name, const std::vector<TensorInfo>& infos) {
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min<std::size_t>(infos.size(), 3); ++i)
    some.push_back(in_quotes(infos[i].name));
  const char* key = some.empty()                 ? "error.io.no_tensors"
                    : infos.size() > some.size() ? "error.io.no_tensor_of_many"
                                                 : "error.io.no_tensor";
  return fail(Code::not_found, key, {what, in_quotes(name), infos.size(), join(some, ", ")});
}

Error no_memory_for(const std::string& what, const TensorInfo& info) {
  return fail(Code::no_memory, "error.io.tensor_memory",
              {what, in_quotes(info.name), shape_text(info.shape)});
}

template <class T>
void append_ints(std::span<const std::byte> from, std::vector<std::int64_t>& to) {
  for (std::size_t at = 0; at + sizeof(T) <= from.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, from.data() + at, sizeof(T));
    to.push_back(static_cast<std::int64_t>(value));
  }
}

bool append_integers(DType type, std::span<const std::byte> from, std::vector<std::int64_t>& to) {
  switch (type) {
    case DType::i64: append_ints<std::int64_t>(from, to); return true;
    case DType::i32: append_ints<std::int32_t>(from, to); return true;
    case DType::i16: append_ints<std::int16_t>(from, to); return true;
    case DType::i8: append_ints<std::int8_t>(from, to); return true;
    case DType::u8:
    case DType::boolean: append_ints<std::uint8_t>(from, to); return true;
    default: return false;
  }
}

}  // namespace

std::int64_t value_count(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (std::int64_t size : shape) count *= size;
  return count;
}

BytesSource::BytesSource(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                         std::string what, std::vector<TensorInfo> infos,
                         std::map<std::string, std::string> metadata)
    : owner_(std::move(owner)),
      bytes_(bytes),
      what_(std::move(what)),
      infos_(std::move(infos)),
      metadata_(std::move(metadata)) {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const TensorInfo& info = infos_[i];
    CHECK(info.offset <= bytes_.size() && info.bytes <= bytes_.size() - info.offset);
    CHECK(info.bytes == static_cast<std::uint64_t>(storage_bytes(info.dtype, value_count(info.shape))));
    index_.emplace(info.name, i);
  }
}

const TensorInfo* BytesSource::find(std::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &infos_[it->second];
}

Result<Tensor> BytesSource::load(std::string_view name) const {
  const TensorInfo* info = find(name);
  if (!info) return no_such_tensor(what_, name, infos_);
  if (info->shape.size() > Tensor::kMaxRank)
    return fail(Code::unsupported, "error.io.tensor_rank",
                {what_, in_quotes(name), info->shape.size(), Tensor::kMaxRank});
  Shape shape;
  for (std::int64_t size : info->shape) shape.emplace_back(Axis::none, size);
  if (shape.empty()) shape.emplace_back(Axis::none, 1);
  const std::byte* data = bytes_.data() + info->offset;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0;
  if (info->dtype == DType::f32 && aligned)
    return Tensor::borrow(owner_, reinterpret_cast<const float*>(data), shape);
  return expanded(*info, shape);
}

Result<Tensor> BytesSource::load_encoded(std::string_view name) const {
  const TensorInfo* info = find(name);
  if (!info || info->shape.empty() || info->shape.size() > Tensor::kMaxRank || info->bytes == 0)
    return load(name);
  Shape shape;
  for (std::int64_t size : info->shape) shape.emplace_back(Axis::none, size);
  const std::int64_t width = info->shape.back();
  return Tensor::encoded(std::make_shared<Encoded>(owner_, bytes_.data() + info->offset, info->dtype,
                                                   value_count(info->shape) / width, width),
                         shape);
}

Result<Tensor> BytesSource::expanded(const TensorInfo& info, const Shape& shape) const {
  try {
    Buffer buffer(shape);
    const std::byte* from = bytes_.data() + info.offset;
    const std::int64_t values = block_values(info.dtype), bytes = dtype_bytes(info.dtype);
    parallel_for(buffer.count() / values, (1 << 16) / values, [&](std::int64_t begin, std::int64_t end) {
      expand(info.dtype, from + begin * bytes, (end - begin) * values, buffer.data() + begin * values);
    });
    return std::move(buffer).freeze();
  } catch (const std::bad_alloc&) {
    return no_memory_for(what_, info);
  }
}

Result<std::vector<std::int64_t>> BytesSource::load_ints(std::string_view name) const {
  const TensorInfo* info = find(name);
  if (!info) return no_such_tensor(what_, name, infos_);
  try {
    std::vector<std::int64_t> values;
    values.reserve(static_cast<std::size_t>(value_count(info->shape)));
    const auto bytes =
        bytes_.subspan(static_cast<std::size_t>(info->offset), static_cast<std::size_t>(info->bytes));
    if (append_integers(info->dtype, bytes, values)) return values;
  } catch (const std::bad_alloc&) {
    return no_memory_for(what_, *info);
  }
  return fail(Code::bad_format, "error.io.tensor_integers",
              {what_, in_quotes(name), dtype_name(info->dtype)});
}

JoinedSource::JoinedSource(std::vector<std::shared_ptr<TensorSource>> parts,
                           const std::map<std::string, std::size_t>& owners, std::string what)
    : parts_(std::move(parts)), what_(std::move(what)), owners_(owners.begin(), owners.end()) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    metadata_.insert(parts_[part]->metadata().begin(), parts_[part]->metadata().end());
    for (const TensorInfo& info : parts_[part]->infos())
      if (const auto it = owners_.find(info.name); it != owners_.end() && it->second == part)
        infos_.push_back(info);
  }
  CHECK(infos_.size() == owners_.size());
}

const TensorInfo* JoinedSource::find(std::string_view name) const {
  const auto it = owners_.find(name);
  return it == owners_.end() ? nullptr : parts_[it->second]->find(name);
}

Result<Tensor> JoinedSource::load(std::string_view name) const {
  const auto it = owners_.find(name);
  if (it == owners_.end()) return no_such_tensor(what_, name, infos_);
  return parts_[it->second]->load(name);
}

Result<Tensor> JoinedSource::load_encoded(std::string_view name) const {
  const auto it = owners_.find(name);
  if (it == owners_.end()) return no_such_tensor(what_, name, infos_);
  return parts_[it->second]->load_encoded(name);
}

Result<std::vector<std::int64_t>> JoinedSource::load_ints(std::string_view name) const {
  const auto it = owners_.find(name);
  if (it == owners_.end()) return no_such_tensor(what_, name, infos_);
  return parts_[it->second]->load_ints(name);
}

namespace {

// Matrices of the formats that `stay` tells stay as they are in the file.
class EncodedSource final : public TensorSource {
 public:
  EncodedSource(std::shared_ptr<TensorSource> inner, FormatTest stay)
      : inner_(std::move(inner)), stay_(std::move(stay)) {}

  const std::vector<TensorInfo>& infos() const override { return inner_->infos(); }
  const TensorInfo* find(std::string_view name) const override { return inner_->find(name); }
  Result<Tensor> load(std::string_view name) const override {
    constexpr std::int64_t kSmall = 1024;
    const TensorInfo* info = find(name);
    const bool stays = info && info->shape.size() == 2 && info->dtype != DType::f32 &&  // mapped as it is
                       stay_(info->dtype) && value_count(info->shape) >= kSmall;
    return stays ? inner_->load_encoded(name) : inner_->load(name);
  }
  Result<Tensor> load_encoded(std::string_view name) const override { return inner_->load_encoded(name); }
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override {
    return inner_->load_ints(name);
  }
  const std::map<std::string, std::string>& metadata() const override { return inner_->metadata(); }

 private:
  std::shared_ptr<TensorSource> inner_;
  FormatTest stay_;
};

}  // namespace

std::uint64_t expanded_bytes(const TensorSource& source) {
  std::uint64_t bytes = 0;
  for (const TensorInfo& info : source.infos())
    if (info.dtype != DType::f32)
      bytes += static_cast<std::uint64_t>(value_count(info.shape)) * sizeof(float);
  return bytes;
}

std::shared_ptr<TensorSource> within_limit(std::shared_ptr<TensorSource> source, std::uint64_t limit) {
  if (expanded_bytes(*source) <= limit) return source;
  return std::make_shared<EncodedSource>(std::move(source), [](DType) { return true; });
}

std::shared_ptr<TensorSource> with_formats_kept(std::shared_ptr<TensorSource> source, FormatTest stay) {
  const auto& infos = source->infos();
  const auto kept = [&](const TensorInfo& info) { return stay(info.dtype); };
  if (std::none_of(infos.begin(), infos.end(), kept)) return source;
  return std::make_shared<EncodedSource>(std::move(source), std::move(stay));
}

}  // namespace attnscope
