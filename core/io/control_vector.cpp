#include "core/io/control_vector.h"

#include <bit>
#include <cstring>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/gguf.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

constexpr std::string_view kArchitecture = "controlvector";
constexpr std::string_view kDirection = "direction.";
constexpr std::string_view kRun = "attnscope.run";
constexpr std::uint64_t kAlignment = 32;  // of tensors, where the metadata say nothing
constexpr std::uint64_t kMostBlocks = 1 << 20;

static_assert(std::endian::native == std::endian::little);

// The bytes of a GGUF file's header.
class GgufHeader {
 public:
  template <class Number>
  void number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes_ += value;
  }
  void key(std::string_view name, GgufType type) {
    text(name);
    number(static_cast<std::uint32_t>(type));
  }
  void magic() { bytes_ += "GGUF"; }
  void pad() { bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment, '\0'); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::uint64_t padded(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Result<ControlVector> read_control_vector(const std::string& path) {
  TRY(const Gguf file, open_gguf(path));
  const GgufValue* architecture = file.find("general.architecture");
  if (!architecture || architecture->text() != kArchitecture)
    return fail(Code::bad_format, "error.io.control_vector.none", {quoted_path(path)});
  ControlVector out;
  if (const GgufValue* hint = file.find("controlvector.model_hint"))
    out.model_hint = std::string(hint->text().value_or(""));
  if (const GgufValue* run = file.find(kRun)) out.run = std::string(run->text().value_or(""));
  std::int64_t width = -1;
  for (const TensorInfo& info : file.tensors->infos()) {
    const std::string_view name = info.name;
    const auto block = name.starts_with(kDirection)
                           ? parse_whole(name.substr(kDirection.size()), 0, kMostBlocks)
                           : Result<std::uint64_t>(Error{});
    if (!block || info.shape.size() != 1)
      return fail(Code::bad_format, "error.io.control_vector.tensor", {quoted_path(path), in_quotes(name)});
    if (*block == 0) return fail(Code::bad_format, "error.io.control_vector.zero", {quoted_path(path)});
    if (width >= 0 && info.shape[0] != width)
      return fail(Code::bad_shape, "error.io.control_vector.widths",
                  {quoted_path(path), in_quotes(name), info.shape[0], width});
    width = info.shape[0];
    TRY(const Tensor values, file.tensors->load(info.name));
    out.vectors[static_cast<int>(*block)] = values.packed();
  }
  if (out.vectors.empty()) return fail(Code::bad_format, "error.io.control_vector.none", {quoted_path(path)});
  return out;
}

Status write_control_vector(const std::string& path, const ControlVector& vector) {
  CHECK(!vector.vectors.empty() && vector.vectors.begin()->first > 0);
  GgufHeader header;
  header.magic();
  header.number(std::uint32_t{3});
  header.number(static_cast<std::uint64_t>(vector.vectors.size()));
  header.number(std::uint64_t{vector.run.empty() ? 3u : 4u});
  header.key("general.architecture", GgufType::text);
  header.text(kArchitecture);
  header.key("controlvector.model_hint", GgufType::text);
  header.text(vector.model_hint);
  header.key("controlvector.layer_count", GgufType::i32);
  header.number(static_cast<std::int32_t>(vector.vectors.rbegin()->first));
  if (!vector.run.empty()) header.key(kRun, GgufType::text), header.text(vector.run);
  std::uint64_t at = 0;
  for (const auto& [block, values] : vector.vectors) {
    header.text(std::string(kDirection) + std::to_string(block));
    header.number(std::uint32_t{1});
    header.number(static_cast<std::uint64_t>(values.size(0)));
    header.number(std::uint32_t{0});  // F32
    header.number(at);
    at += padded(static_cast<std::uint64_t>(values.size(0)) * sizeof(float));
  }
  header.pad();
  TRY(AtomicFile file, AtomicFile::create(path));
  file.write(header.bytes());
  for (const auto& [block, values] : vector.vectors) {
    const std::vector<float> numbers = values.values();
    const std::uint64_t bytes = numbers.size() * sizeof(float);
    file.write(numbers.data(), bytes);
    file.write(std::string(padded(bytes) - bytes, '\0'));
  }
  return file.commit();
}

}  // namespace attnscope
