#include "core/session/read_again.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/arch/shipped.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

bool read_again_same_input(const Input& a, const Input& b) {
  return a.ids == b.ids && a.vectors.same_place(b.vectors) && a.source == b.source &&
         a.pixels.same_place(b.pixels) && a.types == b.types && a.spans == b.spans;
}

// The inputs are those that lay in the file: the file's new ones take their place.
bool inputs_of_file(const Document& document) {
  if (!document.opened->recorded.empty()) return true;
  if (!document.opened->scene) return false;
  const std::vector<Input>& inputs = document.opened->scene->inputs;
  return std::equal(
      inputs.begin(), inputs.end(), document.sequences.begin(), document.sequences.end(),
      [](const Input& input, const Sequence& s) { return read_again_same_input(input, s.input); });
}

bool same_sizes(const Document& a, const Document& b) {
  const auto shapes = [](const Document& document) {
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> out;
    for (WeightShape& weight : expected_weights(document.model->config()))
      out.emplace_back(std::move(weight.name), std::move(weight.shape));
    return out;
  };
  return shapes(a) == shapes(b);
}

void take_sequences(const Document& before, Document& fresh, std::vector<Text>& left_out) {
  if (fresh.opened->recorded.empty()) fresh.padding = before.padding;
  fresh.data = before.data;
  if (inputs_of_file(before)) return;
  std::vector<Sequence> fitting;
  for (std::size_t i = 0; i < before.sequences.size(); ++i) {
    const Sequence& old = before.sequences[i];
    if (const Status fits = fresh.model->accepts(old.input); !fits) {
      left_out.push_back(Text::of("note.read_again.sequence", {i + 1, fits.error().whole()}));
      continue;
    }
    Sequence sequence = old.input.vectors.empty() ? sequence_from_ids(*fresh.opened, old.input.ids) : old;
    if (!old.input.source.empty()) {
      Sequence source = sequence_from_ids(*fresh.opened, old.input.source, Stack::enc);
      sequence.source_text = std::move(source.text);
      sequence.source_tokens = std::move(source.tokens);
    }
    sequence.input = old.input;
    sequence.picture = old.picture;
    fitting.push_back(std::move(sequence));
  }
  if (!fitting.empty()) fresh.sequences = std::move(fitting);
}

// Edits of steps, or of cells of steps, that no run of what was read has.
Edits without_place(const Document& document) {
  const std::vector<Input> inputs = inputs_of(document);
  Edits missing;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    RunOptions options;
    options.edits = edits_for(document.edits, static_cast<int>(i));
    const auto step = [](const auto& edit) {
      return edit->number() && edit->number()->where.kind == Target::Kind::step;
    };
    const Edits of_steps = [&] {
      Edits out;
      std::copy_if(options.edits.begin(), options.edits.end(), std::back_inserter(out), step);
      return out;
    }();
    std::erase_if(options.edits, step);
    const auto plain = document.model->run(inputs[i], options);
    if (!plain) continue;
    for (const auto& edit : of_steps)
      ((*plain)->find(edit->number()->where.site) ? options.edits : missing).push_back(edit);
    if (const auto run = document.model->run(inputs[i], options))
      missing.insert(missing.end(), (*run)->unreached.begin(), (*run)->unreached.end());
  }
  return missing;
}

void read_again_take_edits(const Document& before, Document& fresh, std::vector<Text>& left_out,
                           bool try_runs) {
  if (before.opened->scene && edits_to_json(before.edits) == edits_to_json(before.opened->scene->edits))
    return;
  fresh.edits = before.edits;
  const bool all = check_inputs(fresh).ok();
  if (!all) fresh.edits.clear();
  for (const auto& edit : all ? Edits{} : before.edits) {
    Document asked = fresh;
    asked.edits.push_back(edit);
    if (const Status taken = check_inputs(asked); taken)
      fresh = std::move(asked);
    else
      left_out.push_back(Text::of("note.read_again.edit_because", {to_text(*edit), taken.error().whole()}));
  }
  if (!try_runs || same_sizes(before, fresh)) return;
  for (const auto& edit : without_place(fresh))
    if (std::erase_if(fresh.edits, [&](const auto& one) { return same_edit(*one, *edit); }) > 0)
      left_out.push_back(Text::of("note.read_again.edit", {to_text(*edit)}));
}

}  // namespace

Status check_inputs(const Document& document) {
  const std::vector<Input> inputs = inputs_of(document);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    RunOptions options;
    options.edits = edits_for(document.edits, static_cast<int>(i));
    TRY_OK(document.model->accepts(inputs[i], options));
  }
  return Done{};
}

std::vector<Text> take_over(const Document& before, Document& fresh, bool try_runs) {
  std::vector<Text> left_out;
  fresh.sampling = before.sampling;
  fresh.notes = before.notes;
  fresh.circuits = before.circuits;
  take_sequences(before, fresh, left_out);
  if (!fresh.opened->recorded.empty()) return left_out;
  read_again_take_edits(before, fresh, left_out, try_runs);
  return left_out;
}

Result<History> read_again(const History& before, const std::atomic<bool>* cancel) {
  return read_instead(before, before.now().opened->path, cancel);
}

Result<History> read_instead(const History& before, const std::string& path,
                             const std::atomic<bool>* cancel) {
  OpenOptions options;
  options.lora = before.now().opened->lora;
  TRY(OpenedModel opened, open_shipped_or_path(path, options));
  auto shared = std::make_shared<const OpenedModel>(opened);
  const Document first = new_document(shared, cancel);
  Document now = first;
  std::vector<Text> left_out = take_over(before.now(), now);
  if (!left_out.empty()) {
    opened.notes.insert(opened.notes.end(), left_out.begin(), left_out.end());
    shared = std::make_shared<const OpenedModel>(std::move(opened));
  }
  // Undo points may have other adapters on the same model.
  std::map<std::string, std::shared_ptr<const OpenedModel>> adapted{{to_text(options.lora), shared}};
  const auto under_adapter = [&](const LoraChoice& lora) {
    std::shared_ptr<const OpenedModel>& one = adapted[to_text(lora)];
    if (one || (cancel && *cancel)) return one ? one : shared;
    auto read = open_shipped_or_path(path, {.lora = lora});
    return one = read ? std::make_shared<const OpenedModel>(*std::move(read)) : shared;
  };
  History out = before;
  out.close_gesture();
  out.amend([&](Document& document) {
    const bool is_now = &document == &out.now();
    Document fresh = is_now ? now : first;
    if (!is_now && !(cancel && *cancel)) take_over(document, fresh, false);
    fresh.opened = under_adapter(document.opened->lora);
    fresh.model = fresh.opened->model;
    document = std::move(fresh);
  });
  return out;
}

}  // namespace attnscope
