#include "core/session/document.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr const char* kFirstText = "The cat sat on the mat because it was tired";
constexpr int kFirstIds = 8;

Error no_sequence() {
  return fail(Code::out_of_range, "There is no such sequence.", "Choose one of the batch.");
}

Tensor with_cell(const Tensor& tensor, const std::vector<std::int64_t>& index, float value) {
  Intervention change;
  for (std::size_t d = 0; d < index.size(); ++d)
    change.where.at.push_back({std::string(axis_name(tensor.axis(static_cast<int>(d)))), index[d]});
  change.how = {Edit::Kind::set, value};
  return apply(change, tensor);
}

bool parse_int(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (c == ' ' || c == ',' || c == '\t' || c == '\n') {
      if (!pieces.back().empty()) pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

}  // namespace

Sequence sequence_from_ids(const OpenedModel& opened, std::vector<int> ids) {
  Sequence out;
  for (std::size_t pos = 0; pos < ids.size(); ++pos) {
    Token token;
    token.id = ids[pos];
    token.text = opened.tokenizer ? opened.tokenizer->token_text(ids[pos]) : token_label(opened, ids[pos]);
    token.begin = static_cast<std::int64_t>(out.text.size());
    if (opened.tokenizer) {
      // What the ids so far spell: a token may be a part of a character, which shows when the rest is there.
      const std::vector<int> so_far(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(pos) + 1);
      out.text = opened.tokenizer->decode(so_far, false);
    } else {
      out.text += (pos ? " " : "") +
                  (opened.scene && !opened.scene->words.empty() ? token.text : std::to_string(ids[pos]));
    }
    token.begin = std::min(token.begin, static_cast<std::int64_t>(out.text.size()));
    token.end = static_cast<std::int64_t>(out.text.size());
    out.tokens.push_back(std::move(token));
  }
  out.input.ids = std::move(ids);
  return out;
}

Result<Sequence> sequence_from_text(const OpenedModel& opened, const std::string& text) {
  if (opened.tokenizer) {
    TRY(Encoding encoding, opened.tokenizer->encode(text));
    Sequence out;
    out.input.ids = encoding.ids();
    out.text = text;
    out.tokens = std::move(encoding.tokens);
    return out;
  }
  std::vector<int> ids;
  for (const std::string& piece : pieces_of(text)) {
    int id = 0;
    const auto* words = opened.scene ? &opened.scene->words : nullptr;
    const auto word =
        words ? std::find(words->begin(), words->end(), piece) : std::vector<std::string>::const_iterator();
    if (words && word != words->end()) {
      id = static_cast<int>(word - words->begin());
    } else if (!parse_int(piece, id)) {
      if (words && !words->empty()) {
        return fail(Code::bad_format,
                    format("The word \"%s\" is not in the scene's vocabulary.", piece.c_str()),
                    "Its words are " + join(*words, ", ") + ".");
      }
      return fail(Code::bad_format, format("\"%s\" is not a token id.", piece.c_str()),
                  "This model has no tokenizer: type ids separated by blanks, for example 12 7 99.");
    }
    ids.push_back(id);
  }
  return sequence_from_ids(opened, std::move(ids));
}

std::string position_label(const OpenedModel& opened, const Sequence& sequence, std::int64_t pos) {
  if (pos < 0 || pos >= sequence.input.length()) return {};
  if (!sequence.input.vectors.empty()) return std::to_string(pos);
  return token_label(opened, sequence.input.ids[static_cast<std::size_t>(pos)]);
}

Document new_document(std::shared_ptr<const OpenedModel> opened) {
  Document document;
  document.model = opened->model;
  if (opened->scene) {
    for (const Input& input : opened->scene->inputs) {
      if (!input.vectors.empty())
        document.sequences.push_back({input, {}, {}});
      else
        document.sequences.push_back(sequence_from_ids(*opened, input.ids));
    }
  } else if (opened->tokenizer) {
    if (auto sequence = sequence_from_text(*opened, kFirstText))
      document.sequences.push_back(*std::move(sequence));
  }
  if (document.sequences.empty()) {
    std::vector<int> ids;
    for (int id = 0; id < std::min(kFirstIds, opened->model->config().vocab_size); ++id) ids.push_back(id);
    document.sequences.push_back(sequence_from_ids(*opened, std::move(ids)));
  }
  document.opened = std::move(opened);
  return document;
}

Status set_text(Document& document, std::size_t sequence, const std::string& text) {
  if (sequence >= document.sequences.size()) return no_sequence();
  TRY(document.sequences[sequence], sequence_from_text(*document.opened, text));
  return Done{};
}

Status replace_token(Document& document, std::size_t sequence, std::size_t pos, int id) {
  if (sequence >= document.sequences.size()) return no_sequence();
  std::vector<int> ids = document.sequences[sequence].input.ids;
  if (pos >= ids.size())
    return fail(Code::out_of_range, "There is no token at this position.", "Choose a token.");
  ids[pos] = id;
  document.sequences[sequence] = sequence_from_ids(*document.opened, std::move(ids));
  return Done{};
}

Status insert_token(Document& document, std::size_t sequence, std::size_t pos, int id) {
  if (sequence >= document.sequences.size()) return no_sequence();
  std::vector<int> ids = document.sequences[sequence].input.ids;
  ids.insert(ids.begin() + static_cast<std::ptrdiff_t>(std::min(pos, ids.size())), id);
  document.sequences[sequence] = sequence_from_ids(*document.opened, std::move(ids));
  return Done{};
}

Status delete_token(Document& document, std::size_t sequence, std::size_t pos) {
  if (sequence >= document.sequences.size()) return no_sequence();
  std::vector<int> ids = document.sequences[sequence].input.ids;
  if (pos >= ids.size())
    return fail(Code::out_of_range, "There is no token at this position.", "Choose a token.");
  ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(pos));
  document.sequences[sequence] = sequence_from_ids(*document.opened, std::move(ids));
  return Done{};
}

Status set_input_cell(Document& document, std::size_t sequence, std::int64_t pos, std::int64_t dim,
                      float value) {
  if (sequence >= document.sequences.size()) return no_sequence();
  Tensor& vectors = document.sequences[sequence].input.vectors;
  if (vectors.empty() || pos < 0 || pos >= vectors.size(0) || dim < 0 || dim >= vectors.size(1))
    return fail(Code::out_of_range, "There is no such input number.", "Choose a cell of the input.");
  vectors = with_cell(vectors, {pos, dim}, value);
  return Done{};
}

Status set_weight_cell(Document& document, const std::string& name, const std::vector<std::int64_t>& index,
                       float value) {
  const Tensor* weight = document.model ? document.model->weights().find(name) : nullptr;
  bool inside = weight && static_cast<int>(index.size()) == weight->rank();
  for (std::size_t d = 0; inside && d < index.size(); ++d)
    inside = index[d] >= 0 && index[d] < weight->size(static_cast<int>(d));
  if (!inside)
    return fail(Code::out_of_range, format("There is no such cell in %s.", name.c_str()),
                "Choose a cell of the weight.");
  document.model = document.model->with_weight(name, with_cell(*weight, index, value));
  return Done{};
}

void set_mask_cell(Document& document, std::int64_t query, std::int64_t key, bool allowed) {
  auto& cells = document.mask_cells;
  std::erase_if(cells, [&](const Mask::Cell& cell) { return cell.query == query && cell.key == key; });
  const AttentionSpec& spec = document.model->config().blocks.front().attention;
  Mask own;
  own.causal = spec.causal;
  own.window = spec.window;
  if (own.allowed(query, key) == allowed) return;
  const Mask::Cell cell{query, key, allowed};
  const auto order = [](const Mask::Cell& a, const Mask::Cell& b) {
    return std::pair(a.query, a.key) < std::pair(b.query, b.key);
  };
  cells.insert(std::upper_bound(cells.begin(), cells.end(), cell, order), cell);
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

bool all_vectors(const Document& document) {
  return !document.sequences.empty() &&
         std::all_of(document.sequences.begin(), document.sequences.end(),
                     [](const Sequence& s) { return !s.input.vectors.empty(); });
}

}  // namespace

Status add_position(Document& document) {
  if (!all_vectors(document) || !document.opened->scene)
    return fail(Code::unsupported, "Only a scene whose input is vectors grows by a row.",
                "Type the text instead.");
  std::uint64_t seed = document.opened->scene->seed;
  for (Sequence& sequence : document.sequences) {
    Tensor& vectors = sequence.input.vectors;
    if (vectors.size(0) >= kMostPositions)
      return fail(Code::out_of_range, "A scene has up to 4096 tokens.", "Open a model for longer inputs.");
    seed = seed * 31 + static_cast<std::uint64_t>(vectors.size(0)) + 1;
    vectors = with_rows(vectors, -1, normal_numbers(seed, vectors.size(1), 1.f));
  }
  return Done{};
}

Status delete_position(Document& document, std::int64_t pos) {
  if (!all_vectors(document))
    return fail(Code::unsupported, "The input is no list of vectors.", "Edit the text instead.");
  for (Sequence& sequence : document.sequences) {
    Tensor& vectors = sequence.input.vectors;
    if (pos < 0 || pos >= vectors.size(0) || vectors.size(0) < 2)
      return fail(Code::out_of_range, "This token cannot be taken away.",
                  "A sequence keeps at least one token.");
    vectors = with_rows(vectors, pos, {});
  }
  return Done{};
}

void set_intervention(Document& document, Intervention intervention) {
  const std::string place = to_text(intervention.where);
  for (Intervention& old : document.interventions) {
    if (to_text(old.where) != place) continue;
    old = std::move(intervention);
    return;
  }
  document.interventions.push_back(std::move(intervention));
}

Result<Scene> scene_of(const Document& document) {
  if (!document.opened || !document.opened->scene)
    return fail(Code::unsupported, "What is open is not a scene.", "Open or choose a scene first.");
  Scene scene = *document.opened->scene;
  scene.model = document.model;
  scene.inputs.clear();
  for (const Sequence& sequence : document.sequences) scene.inputs.push_back(sequence.input);
  return scene;
}

}  // namespace attnscope
