#include "core/session/document.h"

#include <algorithm>

#include "core/session/typed_words.h"
#include "core/trace/inside.h"
#include "core/trace/longest_input.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostPadded = 4096;  // where the model itself has no limit

Error no_sequence() { return fail(Code::out_of_range, "error.session.no_sequence"); }

}  // namespace

std::string position_label(const OpenedModel& opened, const Sequence& sequence, std::int64_t pos) {
  if (pos < 0 || pos >= sequence.input.length()) return {};
  if (const std::string name = vector_name(sequence.input, pos); !name.empty()) return name;
  if (!sequence.input.vectors.empty()) return std::to_string(pos);
  const TypedWords typed = typed_words(opened, sequence, Stack::single);
  if (const auto word = typed.find(pos); word != typed.end()) return word->second;
  return token_label(opened, sequence.input.ids[static_cast<std::size_t>(pos)]);
}

std::string row_label(const OpenedModel& opened, const Trace& trace, Stack stack, std::int64_t row) {
  const ModelConfig& config = trace.config();
  if (row < 0 || row >= std::max(trace.rows(stack), trace.length)) return {};
  if (config.of(stack).patch.size > 0) return patch_label(config.of(stack).patch, row);
  if (const std::string name = vector_name(trace.input, row); !name.empty()) return name;
  const std::vector<int>& ids = trace.ids_of(stack);
  if (row >= static_cast<std::int64_t>(ids.size())) return std::to_string(row);
  if (!trace.is_real(stack, row)) return "PAD";  // whatever token stands there
  const TypedWords& typed =
      stack == Stack::enc && config.encoder() ? trace.input.source_typed : trace.input.typed;
  if (const auto word = typed.find(row); word != typed.end()) return word->second;
  const int id = ids[static_cast<std::size_t>(row)];
  if (stack != config.stack || !config.vision() || id != config.image_token) return token_label(opened, id);
  const auto before = std::count(ids.begin(), ids.begin() + row, config.image_token);
  return patch_label(config.vision()->patch, before);
}

namespace {

// How many tokens the sequences have where they run padded.
std::int64_t padded_length(const Document& document, Stack of) {
  if (of != Stack::enc && !document.padding.decoder && document.model->config().encoder()) return 0;
  std::int64_t longest = document.padding.to;
  for (const Sequence& sequence : document.sequences)
    longest = std::max(longest, of == Stack::enc ? static_cast<std::int64_t>(sequence.input.source.size())
                                                 : sequence.input.length());
  return longest;
}

}  // namespace

std::vector<Input> inputs_of(const Document& document) {
  std::vector<Input> inputs;
  const ModelConfig& config = document.model->config();
  const std::int64_t length = padded_length(document, config.stack);
  const std::int64_t source_length = padded_length(document, Stack::enc);
  for (const Sequence& sequence : document.sequences) {
    const Input input = document.model->completed(sequence.input);
    inputs.push_back(document.padding.on ? padded(input, config, length, source_length, document.padding.side)
                                         : input);
    if (document.opened) name_typed(document, inputs.size() - 1, inputs.back());
  }
  return inputs;
}

PadCounts padding_of(const Document& document, std::size_t sequence, Stack of) {
  if (!document.padding.on || sequence >= document.sequences.size()) return {};
  const Input& input = document.sequences[sequence].input;
  const std::vector<int>& ids = of == Stack::enc ? input.source : input.ids;
  if (ids.empty()) return {};
  const std::int64_t missing =
      std::max<std::int64_t>(0, padded_length(document, of) - static_cast<std::int64_t>(ids.size()));
  return document.padding.side == PadSide::left ? PadCounts{missing, 0} : PadCounts{0, missing};
}

namespace {

// The ids of one side of a sequence changed: spells them anew, and keeps all else.
void take_ids(Document& document, std::size_t at, Sequence spelled, Stack of) {
  Sequence& sequence = document.sequences[at];
  if (of == Stack::enc) {
    sequence.input.source = std::move(spelled.input.ids);
    sequence.source_text = std::move(spelled.text);
    sequence.source_tokens = std::move(spelled.tokens);
    return;
  }
  const bool same_length = sequence.input.ids.size() == spelled.input.ids.size();
  sequence.input.ids = std::move(spelled.input.ids);
  sequence.text = std::move(spelled.text);
  sequence.tokens = std::move(spelled.tokens);
  if (same_length) return;
  sequence.input.types.clear();  // they counted the old tokens
  sequence.input.spans.clear();
}

std::vector<int> ids_at(const Document& document, std::size_t sequence, Stack of) {
  const Input& input = document.sequences[sequence].input;
  return of == Stack::enc ? input.source : input.ids;
}

// `moved`: words that the vocabulary does not know and that stay, at their new places.
Status put_ids(Document& document, std::size_t sequence, std::vector<int> ids, Stack of,
               const TypedWords& moved = {}) {
  Sequence spelled = sequence_from_ids(*document.opened, std::move(ids), of);
  write_typed(*document.opened, spelled, moved);
  take_ids(document, sequence, std::move(spelled), of);
  return Done{};
}

// The same with one token more (`by` = 1) or less (-1) at `pos`: segments and named parts move along.
Status put_ids_moved(Document& document, std::size_t sequence, std::vector<int> ids, Stack of,
                     std::size_t pos, int by) {
  std::vector<int> types = document.sequences[sequence].input.types;
  std::vector<Span> spans = document.sequences[sequence].input.spans;
  const TypedWords moved =
      moved_words(typed_words(*document.opened, document.sequences[sequence], of), pos, by);
  TRY_OK(put_ids(document, sequence, std::move(ids), of, moved));
  if (of == Stack::enc) return Done{};
  const auto at = static_cast<std::ptrdiff_t>(pos);
  if (!types.empty() && by > 0) types.insert(types.begin() + at, types[pos > 0 ? pos - 1 : 0]);
  if (!types.empty() && by < 0) types.erase(types.begin() + at);
  for (Span& span : spans) {
    const auto place = static_cast<std::int64_t>(pos);
    if (span.begin > place || (by > 0 && span.begin == place && place > 0)) span.begin += by;
    if (span.end > place) span.end += by;
  }
  std::erase_if(spans, [](const Span& span) { return span.end <= span.begin; });
  document.sequences[sequence].input.types = std::move(types);
  document.sequences[sequence].input.spans = std::move(spans);
  return Done{};
}

Error document_no_token() { return fail(Code::out_of_range, "error.session.no_token"); }

}  // namespace

Status set_text(Document& document, std::size_t sequence, const std::string& text, Stack of) {
  if (sequence >= document.sequences.size()) return no_sequence();
  TRY(Sequence words, spelled(*document.opened, text, of));
  return set_spelled(document, sequence, std::move(words), of);
}

Status set_spelled(Document& document, std::size_t sequence, Sequence words, Stack of) {
  if (sequence >= document.sequences.size()) return no_sequence();
  take_ids(document, sequence, std::move(words), of);
  return Done{};
}

Status replace_token(Document& document, std::size_t sequence, std::size_t pos, int id, Stack of) {
  if (sequence >= document.sequences.size()) return no_sequence();
  std::vector<int> ids = ids_at(document, sequence, of);
  if (pos >= ids.size()) return document_no_token();
  ids[pos] = id;
  TypedWords kept = typed_words(*document.opened, document.sequences[sequence], of);
  kept.erase(static_cast<std::int64_t>(pos));
  return put_ids(document, sequence, std::move(ids), of, kept);
}

Status insert_token(Document& document, std::size_t sequence, std::size_t pos, int id, Stack of) {
  if (sequence >= document.sequences.size()) return no_sequence();
  std::vector<int> ids = ids_at(document, sequence, of);
  pos = std::min(pos, ids.size());
  ids.insert(ids.begin() + static_cast<std::ptrdiff_t>(pos), id);
  return put_ids_moved(document, sequence, std::move(ids), of, pos, 1);
}

Status delete_token(Document& document, std::size_t sequence, std::size_t pos, Stack of) {
  if (sequence >= document.sequences.size()) return no_sequence();
  std::vector<int> ids = ids_at(document, sequence, of);
  if (pos >= ids.size()) return document_no_token();
  ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(pos));
  return put_ids_moved(document, sequence, std::move(ids), of, pos, -1);
}

Status set_type(Document& document, std::size_t sequence, std::size_t pos, int type, bool and_after) {
  if (sequence >= document.sequences.size()) return no_sequence();
  Input& input = document.sequences[sequence].input;
  const int known = document.model->config().type_vocab;
  if (pos >= input.ids.size()) return document_no_token();
  if (type < 0 || type >= known)
    return fail(Code::out_of_range, known > 0 ? "error.session.segment" : "error.session.no_segments",
                {type, known - 1});
  input.types.resize(input.ids.size(), 0);
  const auto at = input.types.begin() + static_cast<std::ptrdiff_t>(pos);
  std::fill(at, and_after ? input.types.end() : at + 1, type);
  return Done{};
}

Status set_ids(Document& document, std::size_t sequence, std::vector<int> ids, std::vector<Span> spans) {
  if (sequence >= document.sequences.size()) return no_sequence();
  TRY_OK(put_ids(document, sequence, std::move(ids), Stack::single));
  document.sequences[sequence].input.spans = std::move(spans);
  return Done{};
}

Status set_picture(Document& document, std::size_t sequence, Picture picture) {
  if (sequence >= document.sequences.size()) return no_sequence();
  if (!document.model->config().sees()) return fail(Code::unsupported, "error.session.no_pictures");
  if (picture.empty()) return fail(Code::bad_format, "error.session.empty_picture");
  Sequence& changed = document.sequences[sequence];
  changed.input.pixels = preprocess(picture, document.opened->preprocessing);
  changed.picture = std::move(picture);
  return Done{};
}

Status set_pixels(Document& document, std::size_t sequence, Tensor pixels) {
  if (sequence >= document.sequences.size()) return no_sequence();
  if (!document.model->config().sees()) return fail(Code::unsupported, "error.session.no_pictures");
  const ModelConfig& config = document.model->config();
  const PatchSpec& patch = image_patches(config);
  const std::vector<std::int64_t> wanted{patch.channels, std::int64_t{patch.rows} * patch.size,
                                         std::int64_t{patch.cols} * patch.size};
  if (pixels.sizes() != wanted) {
    return fail(Code::bad_shape, "error.session.pixels", {shape_text(pixels), shape_text(wanted)});
  }
  Sequence& changed = document.sequences[sequence];
  changed.picture = picture_of(pixels, document.opened->preprocessing);
  changed.input.pixels = std::move(pixels);
  return Done{};
}

Status add_sequence(Document& document, std::size_t like) {
  if (like >= document.sequences.size()) return no_sequence();
  if (document.sequences.size() >= kMostDocumentSequences) {
    return fail(Code::out_of_range, "error.session.batch_full", {kMostDocumentSequences});
  }
  document.sequences.insert(document.sequences.begin() + static_cast<std::ptrdiff_t>(like) + 1,
                            Sequence(document.sequences[like]));
  return Done{};
}

Status delete_sequence(Document& document, std::size_t sequence) {
  if (sequence >= document.sequences.size()) return no_sequence();
  if (document.sequences.size() == 1) return fail(Code::out_of_range, "error.session.batch_last");
  document.sequences.erase(document.sequences.begin() + static_cast<std::ptrdiff_t>(sequence));
  return Done{};
}

Status set_padding(Document& document, const Padding& padding) {
  const std::int64_t known = longest_input(document.model->config());
  const std::int64_t most = known > 0 ? known : kMostPadded;
  if (padding.to < 0 || padding.to > most) {
    return fail(Code::out_of_range, "error.session.padding", {padding.to, most});
  }
  document.padding = padding;
  return Done{};
}

Status set_spans(Document& document, std::size_t sequence, const std::string& text) {
  if (sequence >= document.sequences.size()) return no_sequence();
  Input& input = document.sequences[sequence].input;
  TRY(input.spans, parse_spans(text, input.length()));
  return Done{};
}

Status set_input_cell(Document& document, std::size_t sequence, std::int64_t pos, std::int64_t dim,
                      float value) {
  if (sequence >= document.sequences.size()) return no_sequence();
  const Tensor& vectors = document.sequences[sequence].input.vectors;
  if (vectors.empty() || pos < 0 || pos >= vectors.size(0) || dim < 0 || dim >= vectors.size(1))
    return fail(Code::out_of_range, "error.session.no_input");
  Target where{Target::Kind::input, {}, {}, {}};
  where.at = {{std::string(axis_name(vectors.axis(0))), pos, pos + 1},
              {std::string(axis_name(vectors.axis(1))), dim, dim + 1}};
  put_edit(document, make_edit(NumberEdit{std::move(where), EditOp::set, value}, static_cast<int>(sequence)));
  return Done{};
}

Status set_weight_cell(Document& document, const std::string& name, const std::vector<std::int64_t>& index,
                       float value) {
  const Tensor* weight = document.model ? document.model->weights().find(name) : nullptr;
  if (!weight || !is_cell(index, weight->sizes()))
    return fail(Code::out_of_range, "error.session.no_weight_cell", {name});
  const WeightCell kept = kept_weight(document.model->config(), name, index);
  const Tensor table = document.model->weights().get(kept.name);
  std::vector<AxisRange> at;
  for (std::size_t d = 0; d < index.size(); ++d)
    at.push_back({std::string(axis_name(table.axis(static_cast<int>(d)))), kept.index[d], kept.index[d] + 1});
  put_edit(document, set_to(weight_target(kept.name, std::move(at)), value));
  return Done{};
}

Status resize_scene(Document& document, const SceneSizes& sizes, std::uint64_t seed) {
  TRY(Scene scene, scene_of(document));
  TRY(Scene changed, resized(scene, sizes, seed));
  OpenedModel opened = *document.opened;
  opened.model = changed.model;
  opened.scene = std::move(changed);
  Document fresh = new_document(std::make_shared<const OpenedModel>(std::move(opened)));
  fresh.sampling = document.sampling;
  document = std::move(fresh);
  return Done{};
}

namespace {

constexpr std::int64_t kMostPositions = 4096;  // as in resized()

// The rows of `vectors` without `left_out` (-1: all of them), and `added` behind them.
Tensor with_rows(const Tensor& vectors, std::int64_t left_out, const std::vector<float>& added) {
  std::vector<float> values;
  for (std::int64_t pos = 0; pos < vectors.size(0); ++pos)
    for (std::int64_t dim = 0; pos != left_out && dim < vectors.size(1); ++dim)
      values.push_back(vectors.at(pos, dim));
  values.insert(values.end(), added.begin(), added.end());
  const auto rows = static_cast<std::int64_t>(values.size()) / vectors.size(1);
  return Tensor::from(std::move(values),
                      {{vectors.axis(0), rows}, {vectors.axis(1), vectors.size(1)}});  // [pos, d_in]
}

// Edits of single numbers of the inputs become numbers of the inputs: rows are about to move.
void settle_inputs(Document& document) {
  for (const auto& edit : document.edits) {
    const NumberEdit* number = edit->enabled ? edit->number() : nullptr;
    if (!number || number->where.kind != Target::Kind::input) continue;
    for (std::size_t at = 0; at < document.sequences.size(); ++at) {
      if (edit->sequence >= 0 && edit->sequence != static_cast<int>(at)) continue;
      Tensor& vectors = document.sequences[at].input.vectors;
      if (const auto applied = apply(*number, vectors, {})) vectors = applied->value;
    }
  }
  std::erase_if(document.edits, [](const auto& edit) {
    return edit->number() && edit->number()->where.kind == Target::Kind::input;
  });
}

bool all_vectors(const Document& document) {
  return !document.sequences.empty() &&
         std::all_of(document.sequences.begin(), document.sequences.end(),
                     [](const Sequence& s) { return !s.input.vectors.empty(); });
}

}  // namespace

Status add_position(Document& document) {
  if (!all_vectors(document) || !document.opened->scene)
    return fail(Code::unsupported, "error.session.no_rows");
  settle_inputs(document);
  std::uint64_t seed = document.opened->scene->seed;
  for (Sequence& sequence : document.sequences) {
    Tensor& vectors = sequence.input.vectors;
    if (vectors.size(0) >= kMostPositions) return fail(Code::out_of_range, "error.session.scene_full");
    seed = seed * 31 + static_cast<std::uint64_t>(vectors.size(0)) + 1;
    vectors = with_rows(vectors, -1, normal_numbers(seed, vectors.size(1), 1.f));
  }
  return Done{};
}

Status delete_position(Document& document, std::int64_t pos) {
  if (!all_vectors(document)) return fail(Code::unsupported, "error.session.no_vectors");
  settle_inputs(document);
  for (Sequence& sequence : document.sequences) {
    Tensor& vectors = sequence.input.vectors;
    if (pos < 0 || pos >= vectors.size(0) || vectors.size(0) < 2)
      return fail(Code::out_of_range, "error.session.last_token");
    vectors = with_rows(vectors, pos, {});
  }
  return Done{};
}

Result<Scene> scene_of(const Document& document) {
  if (!document.opened || !document.opened->scene) return fail(Code::unsupported, "error.session.no_scene");
  Scene scene = *document.opened->scene;
  scene.model = document.model;
  scene.inputs.clear();
  for (const Sequence& sequence : document.sequences) scene.inputs.push_back(sequence.input);
  scene.edits = document.edits;
  return scene;
}

}  // namespace attnscope
