#include "core/arch/source_cells.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/io/over_source.h"

namespace attnscope {
namespace {

constexpr std::int64_t kDigit = 1 << 20;  // below what float32 counts exactly

enum class Digit : std::uint8_t { tensor, high, low };

Shape plain_shape(const Tensor& like) {
  Shape out;
  for (const std::int64_t size : like.sizes()) out.emplace_back(Axis::none, size);
  return out;
}

// A file with other numbers in some of its tensors.
class ReplacedSource final : public OverSource {
 public:
  ReplacedSource(const TensorSource& inner, std::map<std::string, Tensor, std::less<>> replaced)
      : OverSource(inner), replaced_(std::move(replaced)) {}

  Result<Tensor> load(std::string_view name) const override {
    const auto found = replaced_.find(name);
    return found == replaced_.end() ? inner().load(name) : found->second;
  }

 private:
  std::map<std::string, Tensor, std::less<>> replaced_;
};

// A file of the same names and shapes whose numbers say where they stand.
class PlacesSource final : public OverSource {
 public:
  PlacesSource(const TensorSource& inner, Digit digit) : OverSource(inner), digit_(digit) {}

  Result<Tensor> load(std::string_view name) const override {
    TRY(const Tensor like, inner().load(name));
    const TensorInfo* info = find(name);
    std::vector<float> values(static_cast<std::size_t>(like.count()));
    const auto number = static_cast<float>(info - infos().data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      values[i] = digit_ == Digit::tensor
                      ? number
                      : static_cast<float>(digit_ == Digit::high ? at / kDigit : at % kDigit);
    }
    return Tensor::from(std::move(values), plain_shape(like));
  }

 private:
  Digit digit_;
};

bool same(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

bool equal_cells(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) return false;
  const std::vector<float> left = a.values(), right = b.values();
  return std::equal(left.begin(), left.end(), right.begin(), same);
}

// Weights that are another one than what is read.
Result<std::vector<std::string>> changed_names(const Weights& read, const Weights& now) {
  std::vector<std::string> out;
  for (const auto& [name, tensor] : now.all()) {
    const Tensor* before = read.find(name);
    if (!before || before->sizes() != tensor.sizes())
      return fail(Code::unsupported, "error.arch.save.added", {name});
    if (!equal_cells(*before, tensor)) out.push_back(name);
  }
  for (const auto& [name, tensor] : read.all())
    if (!now.find(name)) return fail(Code::unsupported, "error.arch.save.added", {name});
  return out;
}

// New numbers by tensor of the file, and which weight set them.
struct WrittenBack {
  std::vector<float> values;
  std::map<std::int64_t, std::string> by;
};

struct PlacesRead {
  Weights tensor, high, low;
};

Status take(const std::string& name, const Weights& read, const Weights& now, const PlacesRead& places,
            const TensorSource& source, std::map<std::size_t, WrittenBack>& out) {
  const std::vector<float> before = read.get(name).values(), after = now.get(name).values();
  const std::vector<float> tensors = places.tensor.get(name).values(), high = places.high.get(name).values(),
                           low = places.low.get(name).values();
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (same(before[i], after[i])) continue;
    const auto number = static_cast<std::size_t>(std::max(0.f, tensors[i]));
    const std::int64_t at = static_cast<std::int64_t>(high[i]) * kDigit + static_cast<std::int64_t>(low[i]);
    if (number >= source.infos().size() || at < 0 || at >= value_count(source.infos()[number].shape))
      return fail(Code::unsupported, "error.arch.save.computed", {name});
    WrittenBack& written = out[number];
    if (written.values.empty()) {
      TRY(const Tensor whole, source.load(source.infos()[number].name));
      written.values = whole.values();
    }
    const auto [setter, first] = written.by.emplace(at, name);
    float& value = written.values[static_cast<std::size_t>(at)];
    if (!first && !same(value, after[i]))
      return fail(Code::unsupported, "error.arch.save.shared",
                  {setter->second, name, in_quotes(source.infos()[number].name)});
    value = after[i];
  }
  return Done{};
}

bool holds_whole_numbers(const TensorInfo& info) {
  return info.dtype == DType::i64 || info.dtype == DType::i32 || info.dtype == DType::i16 ||
         info.dtype == DType::i8 || info.dtype == DType::u8 || info.dtype == DType::boolean;
}

}  // namespace

Result<FileTensors> tensors_with(const TensorSource& source, const Family& family, const ModelConfig& config,
                                 const Weights& now) {
  TRY(const Weights read, family.read_weights(config, source));
  TRY(const std::vector<std::string> names, changed_names(read, now));
  std::map<std::size_t, WrittenBack> written;
  if (!names.empty()) {
    PlacesRead places;
    TRY(places.tensor, family.read_weights(config, PlacesSource(source, Digit::tensor)));
    TRY(places.high, family.read_weights(config, PlacesSource(source, Digit::high)));
    TRY(places.low, family.read_weights(config, PlacesSource(source, Digit::low)));
    for (const std::string& name : names) TRY_OK(take(name, read, now, places, source, written));
  }
  FileTensors out;
  out.changed = std::ssize(names);
  std::map<std::string, Tensor, std::less<>> replaced;
  for (std::size_t i = 0; i < source.infos().size(); ++i) {
    const TensorInfo& info = source.infos()[i];
    if (holds_whole_numbers(info)) {
      TRY(std::vector<std::int64_t> ints, source.load_ints(info.name));
      out.ints.push_back({info.name, std::move(ints), info.shape});
      continue;
    }
    TRY(Tensor value, source.load(info.name));
    if (const auto found = written.find(i); found != written.end()) {
      value = Tensor::from(std::move(found->second.values), plain_shape(value));
      replaced.emplace(info.name, value);
    }
    out.tensors.push_back({info.name, std::move(value)});
  }
  TRY(const Weights again, family.read_weights(config, ReplacedSource(source, std::move(replaced))));
  TRY(const std::vector<std::string> wrong, changed_names(again, now));
  if (!wrong.empty()) return fail(Code::unsupported, "error.arch.save.computed", {wrong.front()});
  return out;
}

}  // namespace attnscope
