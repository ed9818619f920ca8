// A Request laid over a document.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/npy.h"
#include "core/session/edit_values.h"
#include "core/session/request.h"
#include "core/session/steering.h"
#include "core/system/typed_text.h"

namespace attnscope {
namespace {

using Runs = std::vector<std::shared_ptr<const Trace>>;

Error no_tokenizer(const OpenedModel& opened) {
  return fail(Code::unsupported,
              opened.notes.empty() ? "error.cli.no_tokenizer" : "error.cli.no_tokenizer_note",
              {in_quotes(opened.title), join(in_words(opened.notes), " ")});
}

// Ids as they were given, behind places for the image where they keep none.
Sequence given_ids(const OpenedModel& opened, std::vector<int> ids, Stack of) {
  const ModelConfig& config = opened.model->config();
  const bool placed = std::find(ids.begin(), ids.end(), config.image_token) != ids.end();
  if (of != Stack::enc && config.vision() && !placed)
    ids.insert(ids.begin(), static_cast<std::size_t>(config.vision()->patch.count()), config.image_token);
  return sequence_from_ids(opened, std::move(ids), of);
}

// What a stack reads of some words.
Result<Sequence> given_words(const OpenedModel& opened, const Request::Words& words, Stack of,
                             const std::string& flag) {
  if (words.ids) {
    TRY(const std::string text, typed_or_file(words.text));
    TRY(std::vector<int> ids, parse_ids(text, flag));
    return given_ids(opened, std::move(ids), of);
  }
  TRY(const std::string text, typed_text(words.text));
  auto out = spelled(opened, text, of);
  const bool vocabulary = opened.tokenizer || (opened.scene && !opened.scene->words.empty());
  if (!out && !vocabulary) return no_tokenizer(opened);
  if (out && out->input.ids.empty())
    return fail(Code::out_of_range, text.empty() ? "error.cli.empty_text" : "error.cli.blank_text");
  return out;
}

// What the words of a model's encoder are laid beside: its decoder's first token alone.
Sequence beginning_of_answer(const OpenedModel& opened) {
  return sequence_from_ids(opened, {std::max(0, opened.model->config().decoder_start)});
}

Status put_words(Document& document, const Request& request, const std::string& flags) {
  const OpenedModel& opened = *document.opened;
  const ModelConfig& config = document.model->config();
  const bool sees_alone = config.patch.size > 0;
  const std::size_t count =
      std::max(request.words.size(), sees_alone ? request.images.size() : std::size_t{0});
  if (count == 0) return Done{};
  const std::vector<Sequence> before = std::exchange(document.sequences, {});
  for (std::size_t i = 0; i < count; ++i) {
    Sequence out;
    if (config.encoder()) out = beginning_of_answer(opened);
    if (i < request.words.size()) {
      TRY(Sequence words,
          given_words(opened, request.words[i], config.encoder() ? Stack::enc : config.stack, flags + "ids"));
      if (config.encoder()) {
        out.input.source = std::move(words.input.ids);
        out.source_text = std::move(words.text), out.source_tokens = std::move(words.tokens);
      } else {
        out = std::move(words);
      }
    }
    if (!before.empty()) {  // what it looks at stays
      const Sequence& own = before[std::min(i, before.size() - 1)];
      out.picture = own.picture, out.input.pixels = own.input.pixels;
    }
    document.sequences.push_back(std::move(out));
  }
  return Done{};
}

Status put_decoder_words(Document& document, const Request& request, const std::string& flags) {
  if (request.decoder_words.empty()) return Done{};
  const Stack of = document.model->config().stack;
  for (std::size_t i = 0; i < request.decoder_words.size(); ++i) {
    TRY(Sequence words, given_words(*document.opened, request.decoder_words[i], of, flags + "decoder-ids"));
    TRY_OK(set_spelled(document, i, std::move(words), of));
  }
  return Done{};
}

Status put_image(Document& document, std::size_t sequence, const std::string& path) {
  if (ends_with(path, ".npy") || ends_with(path, ".safetensors")) {
    TRY(Tensor pixels, open_pixels(path, document.opened->preprocessing));
    return set_pixels(document, sequence, std::move(pixels));
  }
  TRY(Picture picture, open_picture(path));
  return set_picture(document, sequence, std::move(picture));
}

Status check_counts(const Document& document, const Request& request) {
  const ModelConfig& config = document.model->config();
  if (!request.decoder_words.empty() && !config.encoder())
    return fail(Code::unsupported, "error.cli.no_decoder");
  if (!request.images.empty() && !config.sees()) return fail(Code::unsupported, "error.cli.no_vision");
  const std::size_t count = document.sequences.size();
  const std::pair<std::size_t, const char*> given[] = {
      {request.decoder_words.size(), "error.cli.too_many.answers"},
      {request.images.size(), "error.cli.too_many.images"},
      {request.spans.size(), "error.cli.too_many.spans"},
      {request.types.size(), "error.cli.too_many.segments"}};
  for (const auto& [number, what] : given)
    if (number > count)
      return fail(Code::out_of_range, "error.cli.too_many", {number, Text::of(what), count});
  return Done{};
}

Status put_padding(Document& document, const Request& request) {
  if (!request.pad_to && !request.pad_side) return Done{};
  if (!request.pad_to && document.sequences.size() < 2) return fail(Code::out_of_range, "error.cli.pad_side");
  const std::int64_t to = request.pad_to.value_or(0);
  for (const Sequence& sequence : document.sequences) {
    const Input& input = sequence.input;
    if (!input.vectors.empty()) return fail(Code::unsupported, "error.cli.pad_vectors");
    const auto longest = std::max(input.length(), static_cast<std::int64_t>(input.source.size()));
    if (to > 0 && longest > to) return fail(Code::out_of_range, "error.cli.pad_to", {longest, to});
  }
  const bool decoder = document.model->config().encoder() == nullptr;
  return set_padding(document, {true, request.pad_side.value_or(PadSide::right), to, decoder});
}

Result<Tensor> matrix_of(const std::string& path) {
  if (!ends_with(path, ".json")) {
    TRY(const std::shared_ptr<TensorSource> source, read_npy(path));
    return source->load(source->infos().front().name);
  }
  TRY(const nlohmann::json rows, read_json_file(path));
  const auto bad = [&] { return fail(Code::bad_format, "error.cli.mask_matrix", {quoted_path(path)}); };
  std::vector<float> values;
  if (!rows.is_array() || rows.empty()) return bad();
  for (const nlohmann::json& row : rows) {
    if (!row.is_array() || row.empty() || row.size() != rows[0].size()) return bad();
    for (const nlohmann::json& cell : row) {
      if (!cell.is_number()) return bad();
      values.push_back(cell.get<float>());
    }
  }
  return Tensor::from(std::move(values), {{Axis::query, static_cast<std::int64_t>(rows.size())},
                                          {Axis::key, static_cast<std::int64_t>(rows[0].size())}});
}

Status put_mask_text(Document& document, std::string_view text) {
  const AttentionKind of = take_mask_prefix(text);
  if (!text.starts_with('@')) return set_mask_text(document, std::string(text), of);
  const std::string path(text.substr(1));
  TRY(const Tensor matrix, matrix_of(path));
  const auto mask = MaskSpec::from_matrix(matrix);
  if (!mask) return about(path, mask.error());
  return set_mask_text(document, mask->text(), of);
}

// The runs of the sequences without edits: "@run:N" is sequence N, "@run:A" the first.
Result<std::shared_ptr<const Trace>> run_named(const Document& document, const std::string& name) {
  const std::vector<Input> inputs = inputs_of(document);
  const auto number =
      name.empty() || name == "A" ? Result<std::uint64_t>(0) : parse_whole(name, 0, inputs.size() - 1);
  if (!number || inputs.empty()) return fail(Code::not_found, "error.session.edit.no_run", {in_quotes(name)});
  return document.model->run(inputs[*number]);
}

Result<Runs> all_runs(const Document& document) {
  Runs out;
  for (const Input& input : inputs_of(document)) {
    TRY(out.emplace_back(), document.model->run(input));
  }
  return out;
}

}  // namespace

// Numbers of a data set are told where they came from once they are read.
Result<Edits> edits_of_text(const std::string& text, const Document& document, const EditNumbers& named,
                            const EditRuns& runs, const DataNumbers& data) {
  std::vector<std::string> origins;
  const EditNumbers numbers = [&](const std::string& name, const Target& where) -> Result<Tensor> {
    if (name != "mean" && name != "resample") return named(name, where);
    if (!data || where.kind != Target::Kind::step)
      return fail(Code::not_found, "error.session.edit.no_data", {in_quotes(text)});
    TRY(Frozen found, data(name, where, document));
    origins.push_back(std::move(found.origin));
    return std::move(found.values);
  };
  TRY(const Edits made, parse_edits(text, document.model->config(), numbers, runs));
  if (origins.size() != made.size()) return made;
  Edits out;
  for (std::size_t i = 0; i < made.size(); ++i) {
    Edit edit = *made[i];
    std::get<Frozen>(std::get<NumberEdit>(edit.what).value).origin = origins[i];
    out.push_back(std::make_shared<const Edit>(std::move(edit)));
  }
  return out;
}

namespace {

Status put_edits(Document& document, const Request& request, const DataNumbers& data) {
  for (const std::string& text : request.steers) {
    TRY(const SteerChoice choice, parse_steer(text));
    TRY(const Edits made, steering_edits(choice, document.model->config()));
    document.edits.insert(document.edits.end(), made.begin(), made.end());
  }
  const EditNumbers numbers =
      named_numbers(*document.opened, [&](const std::string& name) { return run_named(document, name); });
  for (const std::string& text : request.edits) {
    TRY(const Edits made, edits_of_text(
                              text, document, numbers, [&] { return all_runs(document); }, data));
    document.edits.insert(document.edits.end(), made.begin(), made.end());
  }
  return Done{};
}

}  // namespace

Status apply_request(Document& document, const Request& request, const std::string& prefix,
                     const DataNumbers& data) {
  const std::string flags = "--" + prefix;
  TRY_OK(put_words(document, request, flags));
  TRY_OK(check_counts(document, request));
  TRY_OK(put_decoder_words(document, request, flags));
  for (std::size_t i = 0; i < request.images.size(); ++i) TRY_OK(put_image(document, i, request.images[i]));
  for (std::size_t i = 0; i < request.spans.size(); ++i) TRY_OK(set_spans(document, i, request.spans[i]));
  for (std::size_t i = 0; i < request.types.size(); ++i) {
    TRY(document.sequences[i].input.types, parse_ids(request.types[i], flags + "types"));
  }
  TRY_OK(put_padding(document, request));
  for (const std::string& mask : request.masks) TRY_OK(put_mask_text(document, mask));
  return put_edits(document, request, data);
}

Document blank_document(const OpenedModel& opened) {
  Document out;
  out.opened = std::shared_ptr<const OpenedModel>(std::shared_ptr<const OpenedModel>(), &opened);
  out.model = opened.model;
  if (opened.scene) {
    for (const Input& input : opened.scene->inputs) out.sequences.push_back({input, {}, {}, {}, {}, {}});
    out.edits = opened.scene->edits;
  }
  return out;
}

Result<Document> requested_document(const OpenedModel& opened, const Request& request,
                                    const std::string& prefix) {
  Document out = blank_document(opened);
  if (request.empty() && out.sequences.empty())
    return fail(Code::out_of_range,
                opened.model->config().sees() ? "error.cli.no_image" : "error.cli.no_input", {"--" + prefix});
  TRY_OK(apply_request(out, request, prefix));
  return out;
}

}  // namespace attnscope
