// How the input of a run is written on the command line.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"
#include "core/io/npy.h"
#include "core/lens/watch.h"
#include "core/session/document.h"
#include "core/session/edit_values.h"
#include "core/system/typed_text.h"
#include "core/trace/editable.h"

namespace attnscope::cli {
namespace {

constexpr std::size_t kUnknownNamed = 20;

Result<std::vector<int>> parse_ids(const std::string& text, const char* option) {
  std::vector<int> ids;
  for (const std::string& part : split(text, ',')) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    const std::string word = first == std::string::npos ? "" : part.substr(first, last - first + 1);
    int id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
      return fail(Code::bad_format, "error.cli.ids", {in_quotes(text), option});
    }
    ids.push_back(id);
  }
  return ids;
}

Result<Sequence> encode(const OpenedModel& opened, const std::string& text) {
  const bool words = !opened.tokenizer && opened.scene && !opened.scene->words.empty();
  if (!opened.tokenizer && !words) {
    return fail(Code::unsupported,
                opened.notes.empty() ? "error.cli.no_tokenizer" : "error.cli.no_tokenizer_note",
                {in_quotes(opened.title), join(in_words(opened.notes), " ")});
  }
  TRY(Sequence sequence, sequence_from_text(opened, text));  // a scene's words are its vocabulary
  if (sequence.input.ids.empty())
    return fail(Code::out_of_range, text.empty() ? "error.cli.empty_text" : "error.cli.blank_text");
  return sequence;
}

// No token stands for a piece of the text: what is read all the same.
std::string told_of_blanks(const OpenedModel& opened, const std::string& text,
                           const std::vector<Token>& tokens, const std::vector<int>& ids) {
  for (const Token& token : tokens)
    if (token.end > token.begin) return {};
  if (tokens.empty()) return {};
  std::vector<std::string> own;
  for (const int id : ids) own.push_back(token_label(opened, id));
  return tr(text.empty() ? "cli.empty_text" : "cli.blank_text", {join(own, " ")});
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

Error too_many(const Text& what, std::size_t given, std::size_t sequences) {
  return fail(Code::out_of_range, "error.cli.too_many", {given, what, sequences});
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

}  // namespace

std::string told_of_unknown(const Tokenizer& tokenizer, const std::vector<std::string>& pieces) {
  if (pieces.empty()) return {};
  std::vector<std::string> some;
  for (const std::string& piece : pieces)
    if (some.size() < kUnknownNamed) some.push_back(in_quotes(piece, 40));
  if (pieces.size() > some.size()) some.emplace_back("...");
  return tr("cli.unknown_pieces",
            {std::to_string(pieces.size()), tokenizer.token_display(*tokenizer.unknown()), join(some, ", ")});
}

std::string prefix_of(std::size_t sequence) { return sequence == 0 ? "" : format("seq%zu.", sequence); }

void SequenceOptions::add_to(CLI::App& command, bool batch, const std::string& prefix) {
  command_ = &command;
  prefix_ = "--" + prefix;
  const auto repeated = [&](const char* name, std::vector<std::string>& into, const char* help) {
    return command.add_option(prefix_ + name, into, help)->allow_extra_args(false);
  };
  // --clean says the same as --clean-text.
  const std::string text = prefix.empty() ? "text" : "text,--" + prefix.substr(0, prefix.size() - 1);
  text_option_ = repeated(text.c_str(), texts_, tr("cli.input.text"));
  repeated("ids", ids_, tr("cli.input.ids"));
  decoder_option_ = repeated("decoder-text", decoder_texts_, tr("cli.input.decoder_text"));
  repeated("decoder-ids", decoder_ids_, tr("cli.input.decoder_ids"));
  repeated("image", images_, tr("cli.input.image"));
  repeated("spans", spans_, tr("cli.input.spans"));
  repeated("types", types_, tr("cli.input.types"));
  repeated("mask", masks_, tr("cli.input.mask"));
  repeated("edit", edits_, tr(kEditHelp));
  if (!batch) return;
  command.add_option(prefix_ + "pad-to", pad_to_, tr("cli.input.pad_to"))->transform(whole(1, 1 << 20));
  command.add_option(prefix_ + "pad-side", pad_side_, tr("cli.input.pad_side"))
      ->check(CLI::Validator(one_word_of({"right", "left"}), ""));
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
      TRY(const std::string typed, typed_text(texts[text++]));
      TRY(Sequence words, encode(opened, typed));
      if (opened.tokenizer) take_unknown(*opened.tokenizer, typed, words.tokens);
      std::vector<int> own = std::move(words.input.ids);
      if (decoder) own = as_decoder_input(std::move(own), opened.model->config());
      tell(told_of_blanks(opened, typed, words.tokens, own));
      out.push_back(std::move(own));
    } else if (option->check_name(prefix_ + ids_name)) {
      TRY(out.emplace_back(), parse_ids(ids[list++], (prefix_ + ids_name).c_str()));
    }
  }
  return out;
}

void SequenceOptions::tell(const std::string& sentence) const {
  if (!sentence.empty() && told_.insert(sentence).second)
    std::fprintf(stderr, "attnscope-cli: %s\n", sentence.c_str());
}

void SequenceOptions::take_unknown(const Tokenizer& tokenizer, const std::string& text,
                                   const std::vector<Token>& tokens) const {
  const std::vector<std::string> pieces = unknown_pieces(tokenizer, text, tokens);
  tell(told_of_unknown(tokenizer, pieces));
  for (const std::string& piece : pieces)
    if (std::find(unknown_.begin(), unknown_.end(), piece) == unknown_.end()) unknown_.push_back(piece);
}

Result<std::vector<Input>> SequenceOptions::read(const OpenedModel& opened) const {
  const ModelConfig& config = opened.model->config();
  TRY(const IdLists words, lists(opened, text_option_, "ids", texts_, ids_));
  const std::size_t count = config.patch.size > 0 ? std::max(words.size(), images_.size()) : words.size();
  std::vector<Input> inputs(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i < words.size())
      (config.encoder() ? inputs[i].source : inputs[i].ids) = with_image_places(words[i], config);
    if (config.encoder()) inputs[i].ids = {std::max(0, config.decoder_start)};
  }
  return with_the_rest(opened, std::move(inputs));
}

// Decoder inputs, images, parts, segments and padding, as the options say.
Result<std::vector<Input>> SequenceOptions::with_the_rest(const OpenedModel& opened,
                                                          std::vector<Input> inputs) const {
  const ModelConfig& config = opened.model->config();
  TRY(const IdLists answers, lists(opened, decoder_option_, "decoder-ids", decoder_texts_, decoder_ids_));
  const std::size_t count = inputs.size();
  if (!answers.empty() && !config.encoder()) return fail(Code::unsupported, "error.cli.no_decoder");
  if (!images_.empty() && !config.sees()) return fail(Code::unsupported, "error.cli.no_vision");
  if (answers.size() > count) return too_many(Text::of("error.cli.too_many.answers"), answers.size(), count);
  if (images_.size() > count) return too_many(Text::of("error.cli.too_many.images"), images_.size(), count);
  if (spans_.size() > count) return too_many(Text::of("error.cli.too_many.spans"), spans_.size(), count);
  if (types_.size() > count) return too_many(Text::of("error.cli.too_many.segments"), types_.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    Input& input = inputs[i];
    if (i < answers.size()) input.ids = answers[i];
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
    if (!input.vectors.empty()) return fail(Code::unsupported, "error.cli.pad_vectors");
    const auto longest = std::max(input.length(), static_cast<std::int64_t>(input.source.size()));
    if (longest > pad_to_) {
      return fail(Code::out_of_range, "error.cli.pad_to", {longest, pad_to_});
    }
    const bool across = config.encoder() != nullptr;
    input = padded(std::move(input), config, across ? 0 : pad_to_, across ? pad_to_ : 0, side);
  }
  return inputs;
}

Result<std::vector<Input>> SequenceOptions::read_or_own(const OpenedModel& opened) const {
  if (!empty()) return read(opened);
  if (opened.scene && !opened.scene->inputs.empty()) return with_the_rest(opened, opened.scene->inputs);
  const bool sees = opened.model->config().sees();
  return fail(Code::out_of_range, sees ? "error.cli.no_image" : "error.cli.no_input", {prefix_});
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
  if (const auto broken = run.edits.empty() ? std::nullopt : first_broken(*trace))
    std::fprintf(stderr, "attnscope-cli: %s\n", tr("cli.broken", {to_text(*broken)}).c_str());
  return trace;
}

Status check_runs(const OpenedModel& opened) {
  return opened.recorded.empty() ? Status(Done{}) : Status(fail(Code::unsupported, "error.trace.recording"));
}

Result<std::shared_ptr<const Trace>> SequenceOptions::run_one(const OpenedModel& opened) const {
  if (!opened.recorded.empty() && unused()) return opened.recorded.front();
  TRY_OK(check_runs(opened));
  TRY(const std::vector<Input> inputs, read_or_own(opened));
  if (inputs.size() > 1 && !empty())
    return fail(Code::out_of_range, "error.cli.one_sequence", {inputs.size()});
  TRY(const Edits edits, read_edits(opened));
  return run_under(opened, edits, inputs.front());
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
  // @run:N is sequence N without edits, @run:A the first.
  const EditNumbers numbers =
      named_numbers(opened, [&](const std::string& name) -> Result<std::shared_ptr<const Trace>> {
        TRY(const std::vector<Input> inputs, read_or_own(opened));
        const auto number =
            name.empty() || name == "A" ? Result<std::uint64_t>(0) : parse_whole(name, 0, inputs.size() - 1);
        if (!number) return fail(Code::not_found, "error.session.edit.no_run", {in_quotes(name)});
        return opened.model->run(inputs[*number]);
      });
  const EditRuns runs = [&]() -> Result<std::vector<std::shared_ptr<const Trace>>> {
    TRY(const std::vector<Input> inputs, read_or_own(opened));
    std::vector<std::shared_ptr<const Trace>> out;
    for (const Input& input : inputs) {
      TRY(out.emplace_back(), opened.model->run(input));
    }
    return out;
  };
  for (const std::string& text : edits_) {
    TRY(const Edits made, parse_edits(text, opened.model->config(), numbers, runs));
    edits.insert(edits.end(), made.begin(), made.end());
  }
  return edits;
}

}  // namespace attnscope::cli
