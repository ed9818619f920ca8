#include "core/session/session_arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/markup.h"
#include "core/base/text.h"
#include "core/io/json_number.h"
#include "core/session/session_file.h"
#include "core/session/session_model.h"
#include "core/text/charsmap.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

bool session_all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

std::int64_t session_count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const auto& [axis, size] : shape) count *= size;
  return count;
}

}  // namespace

const Json& array_table(const Json& file) {
  static const Json none = Json::object();
  const auto found = file.find("arrays");
  return found != file.end() && found->is_object() ? *found : none;
}

Json ArraysOut::word(const Tensor& tensor) {
  if (tensor.count() <= most_)
    if (const std::vector<float> values = tensor.values(); session_all_finite(values))
      return {{"shape", tensor.sizes()}, {"values", values}};
  const std::string name = "array-" + fingerprint(tensor);
  if (!std::exchange(known_[name], true)) put(name, tensor);
  return {{"array", name}};
}

void ArraysOut::put(const std::string& name, const Tensor& tensor) {
  if (embedded_ + tensor.count() > kMostEmbeddedNumbers) return tensors_.push_back({name, tensor});
  embedded_ += tensor.count();
  const std::vector<float> values = tensor.values();
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
  table_[name] = {{"shape", tensor.sizes()}, {"float32", base64({bytes, values.size() * sizeof(float)})}};
}

Result<Tensor> ArraysIn::find(const Json& word, const char* field) {
  if (word.is_object() && word.contains("array") && word["array"].is_string())
    return load(word["array"].get<std::string>());
  const Json none = Json::array();
  const Json& sizes = word.is_object() && word.contains("shape") ? word["shape"] : none;
  const Json& values = word.is_object() && word.contains("values") ? word["values"] : none;
  TRY(const Shape shape, shape_from(sizes, kMostInlineNumbers, field));
  std::vector<float> flat;
  for (const Json& value : values) {
    if (!value.is_number()) return damaged_session(path_, Text::of("error.session.file.number", {field}));
    flat.push_back(value.get<float>());
  }
  if (shape.empty() || flat.empty() || std::ssize(flat) != session_count_of(shape))
    return damaged_session(path_, Text::of("error.session.file.array", {field}));
  return Tensor::from(std::move(flat), shape);
}

Result<Shape> ArraysIn::shape_from(const Json& sizes, std::int64_t most, const std::string& field) const {
  Shape shape;
  for (const Json& size : sizes) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > static_cast<std::uint64_t>(most) ||
        shape.size() == Tensor::kMaxRank || session_count_of(shape) > most)
      return damaged_session(path_, Text::of("error.session.file.shape", {field}));
    shape.emplace_back(Axis::none, size.get<std::int64_t>());
  }
  return shape;
}

Result<Tensor> ArraysIn::embedded(const std::string& name, const Json& word) const {
  const Json none = Json::array();
  const Json sizes = word.is_object() && word.contains("shape") ? word["shape"] : none;
  TRY(const Shape shape, shape_from(sizes, kMostEmbeddedNumbers, name));
  const std::string text = member_text(word, "float32");
  const std::int64_t count = shape.empty() ? 0 : session_count_of(shape);
  const auto wanted = static_cast<std::size_t>(count) * sizeof(float);
  const Error damaged = damaged_session(path_, Text::of("error.session.file.array", {name}));
  if (count <= 0 || count > kMostEmbeddedNumbers || text.size() != (wanted + 2) / 3 * 4) return damaged;
  const Result<std::string> bytes = from_base64(text);
  if (!bytes || bytes->size() != wanted) return damaged;
  std::vector<float> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), bytes->data(), wanted);
  const Tensor tensor = Tensor::from(std::move(values), shape);
  if ("array-" + fingerprint(tensor) == name) return tensor;
  return fail(Code::bad_format, "error.session.file.other_numbers", {quoted_path(path_), in_quotes(name)});
}

// Arrays are named after their contents: others of the same name are found out.
Result<Tensor> ArraysIn::load(const std::string& name) {
  if (const auto found = table_.find(name); found != table_.end()) return embedded(name, *found);
  const std::string beside = beside_ + kArraysEnding;
  if (!file_) {
    TRY(file_, open_safetensors(beside));
  }
  const TensorInfo* info = file_->find(name);
  if (!info)
    return fail(Code::not_found, "error.session.file.no_array", {quoted_path(beside), in_quotes(name)});
  // Written as float32, which stays in the file; another type would be expanded to up to eight times its
  // size.
  if (info->dtype == DType::f32) {
    TRY(const Tensor tensor, file_->load(name));
    if ("array-" + fingerprint(tensor) == name) return tensor;
  }
  return fail(Code::bad_format, "error.session.file.other_numbers", {quoted_path(beside), in_quotes(name)});
}

}  // namespace attnscope
