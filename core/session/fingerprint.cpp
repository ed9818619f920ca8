// Which numbers they are: 16 hexadecimal digits that other numbers do not have.
#include <algorithm>
#include <bit>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/session/session_file.h"

namespace attnscope {
namespace {

constexpr std::int64_t kSampled = 64;  // values of each weight

std::string text_of(const Hash& hash) {
  return format("%016llx", static_cast<unsigned long long>(hash.value()));
}

}  // namespace

std::string fingerprint(const Tensor& tensor) {
  Hash hash;
  for (const std::int64_t size : tensor.sizes()) hash.take(static_cast<std::uint64_t>(size));
  for (const float value : tensor.values()) hash.take(std::bit_cast<std::uint32_t>(value));
  return text_of(hash);
}

std::string fingerprint(const Model& model) {
  Hash hash;
  for (const auto& [name, tensor] : model.weights().all()) {
    hash.take(name);
    std::vector<std::int64_t> at(static_cast<std::size_t>(tensor.rank()), 0);
    for (const std::int64_t size : tensor.sizes()) hash.take(static_cast<std::uint64_t>(size));
    const std::int64_t count = tensor.count();
    for (std::int64_t i = 0; i < std::min(count, kSampled); ++i) {
      std::int64_t flat = count <= kSampled ? i : i * (count - 1) / (kSampled - 1);
      for (int d = tensor.rank(); d-- > 0; flat /= tensor.size(d))
        at[static_cast<std::size_t>(d)] = flat % tensor.size(d);
      hash.take(std::bit_cast<std::uint32_t>(tensor.at(at)));
    }
  }
  return text_of(hash);
}

}  // namespace attnscope
