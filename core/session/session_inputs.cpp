// The inputs of a session file: words or ids, arrays, pictures.
#include "core/session/session_inputs.h"

#include <algorithm>

#include "core/arch/edit_json.h"
#include "core/io/json_number.h"
#include "core/session/session_arrays.h"
#include "core/session/session_model.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

Result<std::vector<int>> ints_at(const Json& object, const char* field, const std::string& path) {
  std::vector<int> out;
  const auto found = object.find(field);
  if (found == object.end()) return out;
  if (!found->is_array()) return damaged_session(path, Text::of("error.session.file.whole", {field}));
  for (const Json& value : *found) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > 1 << 30)
      return damaged_session(path, Text::of("error.session.file.natural", {field}));
    out.push_back(value.get<int>());
  }
  return out;
}

}  // namespace

Json input_json(const Sequence& sequence, ArraysOut& arrays) {
  const Input& input = sequence.input;
  Json out = Json::object();
  if (!sequence.text.empty()) out["text"] = sequence.text;  // how the ids are written; they are what runs
  if (!sequence.source_text.empty()) out["source_text"] = sequence.source_text;
  if (!input.ids.empty()) out["ids"] = input.ids;
  if (!input.source.empty()) out["source"] = input.source;
  if (!input.types.empty()) out["types"] = input.types;
  if (!input.spans.empty()) out["spans"] = spans_text(input.spans);
  if (!input.vectors.empty()) out["vectors"] = arrays.word(input.vectors);
  if (!input.pixels.empty()) out["pixels"] = arrays.word(input.pixels);
  if (!sequence.picture.empty()) {
    const Picture& picture = sequence.picture;
    out["picture"] = {
        {"name", picture.name},
        {"rgb", arrays.word(Tensor::from(
                    {picture.rgb->begin(), picture.rgb->end()},
                    {{Axis::none, picture.height}, {Axis::none, picture.width}, {Axis::none, 3}}))}};
  }
  return out;
}

namespace {

Result<Picture> picture_from(const Json& value, ArraysIn& arrays, const std::string& path) {
  TRY(const Tensor rgb, arrays.find(value.value("rgb", Json()), "rgb"));
  if (rgb.rank() != 3 || rgb.size(2) != 3)
    return damaged_session(path, Text::of("error.session.file.picture"));
  auto bytes = std::make_shared<std::vector<std::uint8_t>>();
  for (const float level : rgb.values())
    bytes->push_back(static_cast<std::uint8_t>(std::clamp(level, 0.f, 255.f)));
  return Picture{static_cast<int>(rgb.size(1)), static_cast<int>(rgb.size(0)), std::move(bytes),
                 member_text(value, "name")};
}

// Ids as they were written; where the tokenizer reads the text otherwise, what they spell.
Sequence words_of(const OpenedModel& opened, const std::vector<int>& ids, const std::string& text, Stack of) {
  if (!text.empty())
    if (const auto words = spelled(opened, text, of); words)
      if (words->input.ids == ids) return *words;
  return sequence_from_ids(opened, ids, of);
}

// Written by hand, a text alone will do: the model's tokenizer spells it.
Result<Sequence> words_from(const OpenedModel& opened, const std::vector<int>& ids, const std::string& text,
                            Stack of) {
  if (ids.empty() && !text.empty()) return spelled(opened, text, of);
  Sequence out;
  if (!ids.empty()) out = words_of(opened, ids, text, of);
  out.input.ids = ids;
  return out;
}

Result<Sequence> sequence_from(const Json& value, const OpenedModel& opened, ArraysIn& arrays,
                               const std::string& path) {
  TRY(const std::vector<int> ids, ints_at(value, "ids", path));
  TRY(const std::vector<int> source, ints_at(value, "source", path));
  Sequence out;
  TRY(out, words_from(opened, ids, member_text(value, "text"), opened.model->config().stack));
  TRY(Sequence read, words_from(opened, source, member_text(value, "source_text"), Stack::enc));
  out.source_text = std::move(read.text);
  out.source_tokens = std::move(read.tokens);
  out.input.source = std::move(read.input.ids);
  TRY(out.input.types, ints_at(value, "types", path));
  if (value.contains("vectors")) {
    TRY(const Tensor vectors, arrays.find(value["vectors"], "vectors"));
    if (vectors.rank() != 2) return damaged_session(path, Text::of("error.session.file.vectors"));
    out.input.vectors = vectors.rename({Axis::pos, Axis::d_model});
  }
  if (value.contains("pixels")) {
    TRY(const Tensor pixels, arrays.find(value["pixels"], "pixels"));
    if (pixels.rank() != 3) return damaged_session(path, Text::of("error.session.file.pixels"));
    out.input.pixels = pixels;
  }
  if (value.contains("picture")) {
    TRY(out.picture, picture_from(value["picture"], arrays, path));
    if (out.input.pixels.empty()) out.input.pixels = preprocess(out.picture, opened.preprocessing);
  }
  if (const std::string spans = member_text(value, "spans"); !spans.empty()) {
    TRY(out.input.spans, parse_spans(spans, out.input.length()));
  }
  return out;
}

}  // namespace

Status take_inputs(const Json& inputs, const std::string& path, Document& document, ArraysIn& arrays) {
  if (!inputs.is_array() || inputs.empty())
    return damaged_session(path, Text::of("error.session.file.inputs"));
  std::vector<Sequence> sequences;
  for (const Json& value : inputs) {
    if (!value.is_object()) return damaged_session(path, Text::of("error.session.file.input_objects"));
    TRY(sequences.emplace_back(), sequence_from(value, *document.opened, arrays, path));
  }
  document.sequences = std::move(sequences);
  return Done{};
}

Result<Json> inputs_to_json(const Document& document) {
  ArraysOut arrays(kMostInlineNumbers);
  Json out = Json::array();
  for (Sequence sequence : document.sequences) {
    const Picture& picture = sequence.picture;  // its pixels follow from it
    if (!picture.empty() && picture.width * picture.height * 3 <= kMostInlineNumbers)
      sequence.input.pixels = {};
    else
      sequence.picture = {};
    out.push_back(input_json(sequence, arrays));
  }
  if (arrays.table().empty() && arrays.tensors().empty()) return out;
  return fail(Code::unsupported, "error.session.file.large_input", {kMostInlineNumbers});
}

Status inputs_from_json(const Json& inputs, const std::string& path, Document& document) {
  ArraysIn arrays(path, path);
  TRY_OK(take_inputs(inputs, path, document, arrays));
  for (const Input& input : inputs_of(document)) TRY_OK(document.model->accepts(input));
  return Done{};
}

}  // namespace attnscope
