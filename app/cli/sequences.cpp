// How the input of a run is written on the command line.
#include <charconv>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/npy.h"
#include "core/session/document.h"
#include "core/trace/editable.h"

namespace attnscope::cli {
namespace {

Result<std::vector<int>> parse_ids(const std::string& text, const char* option) {
  std::vector<int> ids;
  for (const std::string& part : split(text, ',')) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    const std::string word = first == std::string::npos ? "" : part.substr(first, last - first + 1);
    int id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
      return fail_words(Code::bad_format, in_quotes(text) + " is not a list of whole numbers.",
                        format("Write them with commas between: %s 1,2,3.", option));
    }
    ids.push_back(id);
  }
  return ids;
}

Result<std::vector<int>> encode(const OpenedModel& opened, const std::string& text) {
  const bool words = !opened.tokenizer && opened.scene && !opened.scene->words.empty();
  if (!opened.tokenizer && !words) {
    return fail_words(
        Code::unsupported, in_quotes(opened.title) + " has no tokenizer, so it cannot read text.",
        join(opened.notes, " ") + (opened.notes.empty() ? "" : " ") + "Give token ids with --ids.");
  }
  TRY(const Sequence sequence, sequence_from_text(opened, text));  // a scene's words are its vocabulary
  if (sequence.input.ids.empty())
    return fail_words(Code::out_of_range, "The text is empty: it has no token.",
                      "Give at least one character.");
  return sequence.input.ids;
}

// What a decoder reads for a text: its start token, then the text without the end that the tokenizer adds.
std::vector<int> as_decoder_input(std::vector<int> ids, const ModelConfig& config) {
  if (!ids.empty() && ids.back() == config.eos) ids.pop_back();
  if (config.decoder_start >= 0) ids.insert(ids.begin(), config.decoder_start);
  return ids;
}

// Places for the image in front of the words, where the ids keep none.
std::vector<int> with_image_places(std::vector<int> ids, const ModelConfig& config) {
  const ModelConfig* vision = config.vision();
  if (!vision || std::find(ids.begin(), ids.end(), config.image_token) != ids.end()) return ids;
  ids.insert(ids.begin(), static_cast<std::size_t>(vision->patch.count()), config.image_token);
  return ids;
}

Error too_many(const char* what, std::size_t given, std::size_t sequences) {
  return fail_words(Code::out_of_range, format("There are %zu %s for %zu sequences.", given, what, sequences),
                    "Give at most one for each --text or --ids, in the same order.");
}

Result<Tensor> matrix_of(const std::string& path) {
  if (!ends_with(path, ".json")) {
    TRY(const std::shared_ptr<TensorSource> source, read_npy(path));
    return source->load(source->infos().front().name);
  }
  TRY(const nlohmann::json rows, read_json_file(path));
  const auto bad = [&] {
    return fail_words(Code::bad_format, quoted_path(path) + " is not a list of equally long rows of 0 and 1.",
                      "Write [[1, 0], [1, 1]]: one row per query.");
  };
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

}  // namespace

std::string prefix_of(std::size_t sequence) { return sequence == 0 ? "" : format("seq%zu.", sequence); }

void SequenceOptions::add_to(CLI::App& command, bool batch, const std::string& prefix) {
  command_ = &command;
  prefix_ = "--" + prefix;
  const auto repeated = [&](const char* name, std::vector<std::string>& into, const char* help) {
    return command.add_option(prefix_ + name, into, help)->allow_extra_args(false);
  };
  // --clean says the same as --clean-text.
  const std::string text = prefix.empty() ? "text" : "text,--" + prefix.substr(0, prefix.size() - 1);
  text_option_ = repeated(text.c_str(), texts_,
                          "text of a sequence (of the encoder, where there is one); may be repeated");
  repeated("ids", ids_, "token ids of a sequence, as 1,2,3; may be repeated");
  decoder_option_ = repeated("decoder-text", decoder_texts_,
                             "what the decoder has written so far, for encoder-decoders; may be repeated");
  repeated("decoder-ids", decoder_ids_, "the same as token ids, start token included; may be repeated");
  repeated("image", images_,
           "PNG or JPEG, or an .npy or .safetensors array [3, rows, columns] that is normalised already; "
           "may be repeated");
  repeated("spans", spans_, "names of parts of a sequence, as image=4,text=3,action=2; may be repeated");
  repeated("types", types_, "segment of each token, as 0,0,1; may be repeated");
  repeated(
      "mask", masks_,
      "who sees whom, instead of the model's own mask: causal, full, window(4), prefix(3), text>image, "
      "matrix([[1,0],[1,1]]), joined by & | !; or @FILE.npy, @FILE.json; with enc:, vision: or cross: in "
      "front the mask of the encoder, the vision tower or cross-attention; may be repeated");
  repeated("edit", edits_, kEditHelp);
  if (!batch) return;
  command.add_option(prefix_ + "pad-to", pad_to_, "pad every sequence to this many tokens")
      ->transform(whole(1, 1 << 20));
  command.add_option(prefix_ + "pad-side", pad_side_, "where the padding stands: right (default) or left")
      ->check(CLI::IsMember({"right", "left"}));
}

Result<SequenceOptions::IdLists> SequenceOptions::lists(const OpenedModel& opened,
                                                        const CLI::Option* text_option, const char* ids_name,
                                                        const std::vector<std::string>& texts,
                                                        const std::vector<std::string>& ids) const {
  IdLists out;
  std::size_t text = 0, list = 0;
  const bool decoder = text_option == decoder_option_;
  for (const CLI::Option* option : command_->parse_order()) {
    if (option == text_option) {
      TRY(std::vector<int> words, encode(opened, texts[text++]));
      out.push_back(decoder ? as_decoder_input(std::move(words), opened.model->config()) : std::move(words));
    } else if (option->check_name(prefix_ + ids_name)) {
      TRY(out.emplace_back(), parse_ids(ids[list++], (prefix_ + ids_name).c_str()));
    }
  }
  return out;
}

Result<std::vector<Input>> SequenceOptions::read(const OpenedModel& opened) const {
  const ModelConfig& config = opened.model->config();
  TRY(const IdLists words, lists(opened, text_option_, "ids", texts_, ids_));
  TRY(const IdLists answers, lists(opened, decoder_option_, "decoder-ids", decoder_texts_, decoder_ids_));
  const std::size_t count = config.patch.size > 0 ? std::max(words.size(), images_.size()) : words.size();
  if (!answers.empty() && !config.encoder())
    return fail_words(Code::unsupported, "This model has no decoder beside an encoder.",
                      "Give --text or --ids alone.");
  if (!images_.empty() && !config.sees())
    return fail_words(Code::unsupported, "This model does not look at images.", "Leave --image out.");
  if (answers.size() > count) return too_many("decoder inputs", answers.size(), count);
  if (images_.size() > count) return too_many("images", images_.size(), count);
  if (spans_.size() > count) return too_many("lists of spans", spans_.size(), count);
  if (types_.size() > count) return too_many("lists of segments", types_.size(), count);
  std::vector<Input> inputs(count);
  for (std::size_t i = 0; i < count; ++i) {
    Input& input = inputs[i];
    if (i < words.size()) (config.encoder() ? input.source : input.ids) = with_image_places(words[i], config);
    if (config.encoder())
      input.ids = i < answers.size() ? answers[i] : std::vector<int>{std::max(0, config.decoder_start)};
    if (i < images_.size()) {
      TRY(input.pixels, open_pixels(images_[i], opened.preprocessing));
    }
    if (i < spans_.size()) {
      TRY(input.spans, parse_spans(spans_[i], input.length()));
    }
    if (i < types_.size()) {
      TRY(input.types, parse_ids(types_[i], (prefix_ + "types").c_str()));
    }
    input = opened.model->completed(std::move(input));
  }
  return padded_all(std::move(inputs), config);
}

Result<std::vector<Input>> SequenceOptions::padded_all(std::vector<Input> inputs,
                                                       const ModelConfig& config) const {
  if (pad_to_ == 0) return inputs;
  const PadSide side = pad_side_ == "left" ? PadSide::left : PadSide::right;
  for (Input& input : inputs) {
    const auto longest = std::max(input.length(), static_cast<std::int64_t>(input.source.size()));
    if (longest > pad_to_) {
      return fail_words(Code::out_of_range,
                        format("A sequence has %lld tokens, more than the %lld of --pad-to.",
                               static_cast<long long>(longest), static_cast<long long>(pad_to_)),
                        "Give a larger --pad-to, or shorten the sequence.");
    }
    const bool across = config.encoder() != nullptr;
    input = padded(std::move(input), config, across ? 0 : pad_to_, across ? pad_to_ : 0, side);
  }
  return inputs;
}

Result<std::vector<Input>> SequenceOptions::read_or_own(const OpenedModel& opened) const {
  if (!empty()) return read(opened);
  if (opened.scene && !opened.scene->inputs.empty()) return opened.scene->inputs;
  const char* option = opened.model->config().sees() ? "image" : "text";
  return fail_words(
      Code::out_of_range, "There is no input.",
      format("Give %s%s%s; only scenes bring their own.", prefix_.c_str(), option,
             opened.model->config().sees() ? "" : format(" or %sids", prefix_.c_str()).c_str()));
}

Status check_reached(const Edits& unreached) {
  return unreached.empty() ? Status(Done{}) : Status(no_place(*unreached.front()));
}

Result<std::shared_ptr<const Trace>> run_under(const OpenedModel& opened, const Edits& edits,
                                               const Input& input, std::size_t sequence) {
  RunOptions run;
  run.edits = edits_for(edits, static_cast<int>(sequence));
  TRY(std::shared_ptr<const Trace> trace, opened.model->run(input, run));
  TRY_OK(check_reached(trace->unreached));
  return trace;
}

Result<Edits> SequenceOptions::read_edits(const OpenedModel& opened) const {
  Edits edits = opened.scene ? opened.scene->edits : Edits{};
  for (const std::string& text : masks_) {
    std::string_view rest = text;
    MaskEdit mask;
    mask.of = take_mask_prefix(rest);
    MaskSpec spec;
    if (rest.starts_with('@')) {
      const std::string path(rest.substr(1));
      TRY(const Tensor matrix, matrix_of(path));
      auto made = MaskSpec::from_matrix(matrix);
      if (!made) return about(path, made.error());
      spec = *std::move(made);
    } else {
      TRY(spec, MaskSpec::parse(rest));
    }
    mask.spec = std::move(spec);
    edits.push_back(make_edit(std::move(mask)));
  }
  for (const std::string& text : edits_) {
    TRY(auto edit, parse_edit(text));
    edits.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace attnscope::cli
