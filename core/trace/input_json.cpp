#include "core/trace/input_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"

namespace attnscope {

using Json = nlohmann::json;

Result<std::vector<float>> numbers_from_json(const Json& value, std::vector<std::int64_t>& shape,
                                             const std::string& name) {
  std::vector<float> out;
  const auto bad = [&](const Text& why) {
    return fail(Code::bad_format, "error.trace.numbers", {name, why});
  };
  const auto take = [&](const Json& number) {
    const bool fits = number.is_number() && std::isfinite(number.get<float>());
    if (fits) out.push_back(number.get<float>());
    return fits;
  };
  if (!value.is_array() || value.empty()) return bad(Text::of("error.trace.numbers.no_list"));
  shape = {static_cast<std::int64_t>(value.size())};
  for (const Json& row : value) {
    if (!row.is_array()) {
      if (shape.size() != 1 || !take(row)) return bad(Text::of("error.trace.numbers.number"));
      continue;
    }
    if (shape.size() == 1) {
      if (!out.empty()) return bad(Text::of("error.trace.numbers.mixed"));
      shape.push_back(static_cast<std::int64_t>(row.size()));
    }
    if (static_cast<std::int64_t>(row.size()) != shape[1] || row.empty())
      return bad(Text::of("error.trace.numbers.unequal"));
    for (const Json& number : row)
      if (!take(number)) return bad(Text::of("error.trace.numbers.number"));
  }
  return out;
}

namespace {

template <class Number>
bool holds_whole(const Json& value) {
  if (value.is_number_unsigned()) return std::in_range<Number>(value.get<std::uint64_t>());
  return value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
}

// The whole numbers at `key`, or none where it is missing.
template <class Number>
Status read_list(const Json& object, const char* key, std::vector<Number>& out, const std::string& name) {
  const auto list = object.find(key);
  if (list == object.end()) return Done{};
  for (std::size_t i = 0; list->is_array() && i < list->size(); ++i) {
    if (!holds_whole<Number>((*list)[i])) break;
    out.push_back((*list)[i].get<Number>());
  }
  if (list->is_array() && out.size() == list->size()) return Done{};
  return fail(Code::bad_format, "error.trace.input.whole", {name, key});
}

// {"shape": [3, 8, 8], "values": [...]}
Status read_pixels(const Json& object, Tensor& pixels, const std::string& name) {
  const auto given = object.find("pixels");
  if (given == object.end()) return Done{};
  std::vector<std::int64_t> shape, flat;
  const bool whole = given->is_object() && given->contains("values");
  if (whole) TRY_OK(read_list(*given, "shape", shape, name + ": pixels"));
  const bool fits = shape.size() == 3 && *std::min_element(shape.begin(), shape.end()) > 0 &&
                    *std::max_element(shape.begin(), shape.end()) <= 4096;
  if (!whole || !fits) return fail(Code::bad_format, "error.trace.input.pixels", {name});
  TRY(std::vector<float> values, numbers_from_json((*given)["values"], flat, name + ": pixels"));
  if (static_cast<std::int64_t>(values.size()) != shape[0] * shape[1] * shape[2])
    return fail(Code::bad_shape, "error.trace.input.pixel_count", {name});
  pixels =
      Tensor::from(std::move(values), {{Axis::in, shape[0]}, {Axis::pos, shape[1]}, {Axis::dim, shape[2]}});
  return Done{};
}

Status read_spans(const Json& object, std::vector<Span>& spans, const std::string& name) {
  const auto list = object.find("spans");
  if (list == object.end()) return Done{};
  for (std::size_t i = 0; list->is_array() && i < list->size(); ++i) {
    const Json& span = (*list)[i];
    if (!span.is_array() || span.size() != 3 || !span[0].is_string() || !holds_whole<std::int64_t>(span[1]) ||
        !holds_whole<std::int64_t>(span[2]))
      break;
    spans.push_back({span[0].get<std::string>(), span[1].get<std::int64_t>(), span[2].get<std::int64_t>()});
  }
  if (list->is_array() && spans.size() == list->size()) return Done{};
  return fail(Code::bad_format, "error.trace.input.spans", {name});
}

Result<Input> read_input(const Json& sequence, const std::string& name) {
  Input input;
  if (!sequence.is_object()) return fail(Code::bad_format, "error.trace.input.no_object", {name});
  TRY_OK(read_list(sequence, "ids", input.ids, name));
  TRY_OK(read_list(sequence, "source", input.source, name));
  TRY_OK(read_list(sequence, "types", input.types, name));
  TRY_OK(read_list(sequence, "real", input.attention_mask, name));
  TRY_OK(read_list(sequence, "source_attention_mask", input.source_attention_mask, name));
  TRY_OK(read_pixels(sequence, input.pixels, name));
  TRY_OK(read_spans(sequence, input.spans, name));
  if (sequence.contains("vectors")) {
    std::vector<std::int64_t> shape;
    TRY(std::vector<float> flat, numbers_from_json(sequence["vectors"], shape, name));
    if (shape.size() != 2) return fail(Code::bad_shape, "error.trace.input.rows", {name});
    input.vectors = Tensor::from(std::move(flat), {{Axis::pos, shape[0]}, {Axis::d_model, shape[1]}});
  }
  if (!input.ids.empty() || !input.vectors.empty() || !input.pixels.empty()) return input;
  return fail(Code::bad_format, "error.trace.input.nothing", {name});
}

}  // namespace

Result<std::vector<Input>> inputs_from_json(const Json& object, const std::string& what) {
  std::vector<Input> inputs;
  const auto given = object.find("inputs");
  if (given == object.end() || !given->is_array() || given->empty())
    return fail(Code::bad_format, "error.trace.input.none", {what});
  for (const Json& sequence : *given) {
    TRY(inputs.emplace_back(), read_input(sequence, format("%s: inputs[%zu]", what.c_str(), inputs.size())));
  }
  return inputs;
}

Json input_to_json(const Input& input) {
  Json out = Json::object();
  if (!input.ids.empty()) out["ids"] = input.ids;
  if (!input.source.empty()) out["source"] = input.source;
  if (!input.types.empty()) out["types"] = input.types;
  if (!input.attention_mask.empty()) out["real"] = input.attention_mask;
  if (!input.source_attention_mask.empty()) out["source_attention_mask"] = input.source_attention_mask;
  for (const Span& span : input.spans) out["spans"].push_back({span.name, span.begin, span.end});
  if (!input.pixels.empty())
    out["pixels"] = {{"shape", input.pixels.sizes()}, {"values", input.pixels.values()}};
  return out;
}

}  // namespace attnscope
