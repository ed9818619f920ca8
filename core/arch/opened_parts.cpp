// What an opened model has beside its weights: tokenizer, card, names of its outputs, the formats of its
// file.
#include "core/arch/opened_parts.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/arch/gguf_tokenizer.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"

namespace attnscope {

void count_formats(const TensorSource& source, OpenedModel& out) {
  std::map<std::string, StoredFormat> by_name;
  for (const TensorInfo& info : source.infos()) {
    StoredFormat& format = by_name[std::string(dtype_name(info.dtype))];
    ++format.tensors;
    format.bytes += info.bytes;
    out.file_bytes += info.bytes;
  }
  for (auto& [name, format] : by_name) {
    format.name = name;
    out.formats.push_back(format);
  }
  std::stable_sort(out.formats.begin(), out.formats.end(),
                   [](const StoredFormat& a, const StoredFormat& b) { return a.bytes > b.bytes; });
  if (!out.formats.empty()) out.dtype = out.formats.front().name;
}

void add_tokenizer(OpenedModel& out, bool is_there, const std::string& path) {
  if (!is_there) {
    out.notes.push_back(Text::of("note.no_tokenizer"));
    return;
  }
  auto tokenizer = open_any_tokenizer(path);
  if (tokenizer)
    out.tokenizer = *tokenizer;
  else
    out.notes.push_back(tokenizer.error().whole());
}

void add_output_names(OpenedModel& out, const nlohmann::json& config) {
  const ModelConfig& model = out.model->config();
  const auto labels = config.find("id2label");
  if (!model.head.first_row_only || labels == config.end() || !labels->is_object()) return;
  for (int output = 0; output < model.outputs(); ++output) {
    const auto name = labels->find(std::to_string(output));
    out.output_names.push_back(name != labels->end() && name->is_string() ? name->get<std::string>()
                                                                          : std::to_string(output));
  }
}

void add_card(OpenedModel& out, const Result<nlohmann::json>& file, const std::string& what) {
  auto card = file ? model_card_from_json(*file, what) : Result<ModelCard>(file.error());
  if (card)
    out.card = *std::move(card);
  else
    out.notes.push_back(card.error().whole());
}

OpenedModel with_texts(OpenedModel opened) {
  const int count = opened.model->config().vocab_size;
  if (opened.tokenizer && count > 0)
    opened.model = opened.model->with_texts(texts_of(opened.tokenizer, count));
  else if (opened.scene && !opened.scene->words.empty())
    opened.model = opened.model->with_texts(std::make_shared<const TokenTexts>(
        static_cast<int>(opened.scene->words.size()),
        [words = opened.scene->words](int id) { return words[static_cast<std::size_t>(id)]; }));
  if (opened.scene) opened.scene->model = opened.model;
  return opened;
}

std::string token_label(const OpenedModel& opened, int id) {
  if (opened.tokenizer) return opened.tokenizer->token_display(id);
  if (const auto at = opened.words.find(id); at != opened.words.end()) return at->second;
  const bool word = opened.scene && id >= 0 && id < static_cast<int>(opened.scene->words.size());
  return word ? opened.scene->words[static_cast<std::size_t>(id)] : format("<%d>", id);
}

std::string output_name(const OpenedModel& opened, int id) {
  if (opened.output_names.empty()) return token_label(opened, id);
  return id >= 0 && id < static_cast<int>(opened.output_names.size())
             ? opened.output_names[static_cast<std::size_t>(id)]
             : std::to_string(id);
}

namespace {

// Numbers that stand under another name already: a tied head, a table that encoder and decoder share.
bool counted_before(const Weights& weights, const std::string& name, const Tensor& tensor) {
  constexpr std::string_view kHead = "logits.weight";
  if (name == "enc.tok_embed.weight") return tensor.same_place(weights.get("dec.tok_embed.weight"));
  if (!ends_with(name, kHead)) return false;
  return tensor.same_place(weights.get(name.substr(0, name.size() - kHead.size()) + "tok_embed.weight"));
}

}  // namespace

WeightHealth weight_health(const Weights& weights) {
  std::vector<std::pair<std::string, Tensor>> counted;
  for (const auto& [name, tensor] : weights.all())
    if (!counted_before(weights, name, tensor)) counted.emplace_back(name, tensor);
  std::vector<Stats> found(counted.size());
  parallel_for(static_cast<std::int64_t>(counted.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      found[i] = stats(counted[i].second);
  });
  WeightHealth health;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Stats& s = found[i];
    if (s.nans > 0 && health.first.empty()) {
      std::vector<std::string> at;
      for (const std::int64_t index : s.first_nan) at.push_back(std::to_string(index));
      health.first = counted[i].first + "[" + join(at, ", ") + "]";
    }
    health.nans += s.nans;
    health.infs += s.infs;
  }
  return health;
}

}  // namespace attnscope
