// The first input of a freshly opened model: its scene's inputs, a first sentence, the model's answer to it,
// or a first picture. Where a tokenizer cannot encode the sentence, ids are used.
#include <algorithm>

#include "core/session/document.h"
#include "core/session/prompt_list.h"
#include "core/trace/longest_input.h"

namespace attnscope {
namespace {

constexpr int kFirstIds = 8;
constexpr int kFirstAnswer = 8;

// The first words of a stack: its tokenizer's reading of kFirstText where it has room for that, or its first
// ids.
Sequence first_words(const OpenedModel& opened, const ModelConfig& stack, Stack of = Stack::single) {
  const std::int64_t most = longest_input(stack);
  if (opened.tokenizer)
    if (auto sequence = sequence_from_text(opened, kFirstText);
        sequence && (most == 0 || std::ssize(sequence->input.ids) <= most))
      return *std::move(sequence);
  std::vector<int> ids;
  for (int id = 0; id < std::min(kFirstIds, stack.vocab_size); ++id) ids.push_back(id);
  return sequence_from_ids(opened, std::move(ids), of);
}

// Words for the encoder, and what the model answers for the decoder.
Sequence first_translation(const OpenedModel& opened, const std::atomic<bool>* cancel) {
  const ModelConfig& config = opened.model->config();
  const Sequence words = first_words(opened, *config.encoder(), Stack::enc);
  Input input;
  input.source = words.input.ids;
  std::vector<int> ids{std::max(0, config.decoder_start)};
  input.ids = ids;
  RunOptions options;
  options.cancel = cancel;
  if (const auto answer = generate(*opened.model, input, kFirstAnswer, {0.f, 0, 1.f, 0}, options))
    ids.insert(ids.end(), answer->ids.begin(), answer->ids.end());
  Sequence out = sequence_from_ids(opened, ids);
  out.input.source = words.input.ids;
  out.source_text = words.text;
  out.source_tokens = words.tokens;
  return out;
}

// A picture to begin with: a sun over a field, drawn at the model's size.
Picture first_picture(int width, int height) {
  auto rgb = std::make_shared<std::vector<std::uint8_t>>();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double u = (x + 0.5) / width - 0.68, v = (y + 0.5) / height - 0.3;
      const bool sun = u * u + v * v<0.03, field = (y + 0.5) / height> 0.66;
      const std::uint8_t colour[3][3] = {{250, 205, 70}, {88, 150, 74}, {120, 178, 224}};
      const auto& pixel = colour[sun ? 0 : field ? 1 : 2];
      rgb->insert(rgb->end(), pixel, pixel + 3);
    }
  return {width, height, std::move(rgb), {}};
}

Sequence first_sight(const OpenedModel& opened) {
  const ModelConfig& config = opened.model->config();
  Sequence out;
  if (const ModelConfig* encoder = config.vision()) {
    std::vector<int> ids(static_cast<std::size_t>(encoder->patch.count()), config.image_token);
    const Sequence words = first_words(opened, config);
    ids.insert(ids.end(), words.input.ids.begin(), words.input.ids.end());
    out = sequence_from_ids(opened, std::move(ids));
  }
  out.picture = first_picture(opened.preprocessing.width, opened.preprocessing.height);
  out.input.pixels = preprocess(out.picture, opened.preprocessing);
  return out;
}

// An input that a scene or a card holds, with its spelling.
Sequence sequence_of(const OpenedModel& opened, const Input& input) {
  Sequence out = input.vectors.empty() ? sequence_from_ids(opened, input.ids) : Sequence{};
  if (!input.source.empty()) {
    Sequence source = sequence_from_ids(opened, input.source, Stack::enc);
    out.source_text = std::move(source.text);
    out.source_tokens = std::move(source.tokens);
  }
  out.input = input;
  return out;
}

// A scene that has the word PAD, and sentences of different lengths, is about padding.
bool begins_padded(const Scene& scene) {
  const bool pads = std::find(scene.words.begin(), scene.words.end(), "PAD") != scene.words.end();
  return pads && std::any_of(scene.inputs.begin(), scene.inputs.end(), [&](const Input& input) {
           return input.length() != scene.inputs.front().length();
         });
}

// The data set of a scene; one that is not there becomes a warning of the model.
void take_scene_data(Document& document) {
  const OpenedModel& opened = *document.opened;
  const Status taken = give_prompts(*opened.scene->data, opened.path, document);
  if (taken) return;
  auto told = std::make_shared<OpenedModel>(opened);
  told->warnings.push_back(taken.error().whole());
  document.opened = std::move(told);
}

}  // namespace

Document new_document(std::shared_ptr<const OpenedModel> opened, const std::atomic<bool>* cancel) {
  Document document;
  document.model = opened->model;
  const ModelConfig& config = opened->model->config();
  if (!opened->recorded.empty()) {
    for (const auto& trace : opened->recorded) {
      Sequence sequence = sequence_from_ids(*opened, trace->ids);
      sequence.input = trace->input;
      document.sequences.push_back(std::move(sequence));
    }
  } else if (opened->scene) {
    for (const Input& input : opened->scene->inputs)
      document.sequences.push_back(sequence_of(*opened, input));
    document.edits = opened->scene->edits;
    document.padding.on = begins_padded(*opened->scene);
  } else if (opened->card && !opened->card->inputs.empty()) {
    for (const Input& input : opened->card->inputs) document.sequences.push_back(sequence_of(*opened, input));
  } else if (config.encoder()) {
    document.sequences.push_back(first_translation(*opened, cancel));
  } else if (config.sees()) {
    document.sequences.push_back(first_sight(*opened));
  } else {
    document.sequences.push_back(first_words(*opened, config));
  }
  document.opened = std::move(opened);
  if (document.opened->scene && document.opened->scene->data) take_scene_data(document);
  return document;
}

}  // namespace attnscope
