// CLI11 splits the arguments; what a value may be is decided here.
#include "app/shell/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "app/views/view.h"
#include "core/arch/memory_limit.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lab/lab.h"
#include "core/session/session_file.h"
#include "core/step/site.h"
#include "core/trace/mask_spec.h"

namespace attnscope {
namespace {

constexpr int kLeastSide = 320, kMostSide = 8192;

/// What CLI11 fills; turned into Options afterwards.
struct Raw {
  std::string size, ids, memory;
  bool no_animation = false;
};

Status read_size(const std::string& text, Options& options) {
  if (text.empty()) return Done{};
  const std::size_t by = text.find('x');
  const auto side = [&](std::string_view part, int& into) {
    const auto read = parse_whole(part, kLeastSide, kMostSide);
    if (read) into = static_cast<int>(*read);
    return read.ok();
  };
  if (by != std::string::npos && side(std::string_view(text).substr(0, by), options.width) &&
      side(std::string_view(text).substr(by + 1), options.height))
    return Done{};
  return fail(Code::bad_format, "error.app.window_size", {in_quotes(text), kLeastSide, kMostSide});
}

Status read_ids(const std::string& text, Options& options) {
  if (text.empty()) return Done{};
  for (const std::string& piece : split(text, ',')) {
    const auto id = parse_whole(piece, 0, std::numeric_limits<int>::max());
    if (!id) return fail(Code::bad_format, "error.app.token_id", {in_quotes(piece)});
    options.ids.push_back(static_cast<int>(*id));
  }
  return Done{};
}

Status one_of(const Text& what, const std::string& value, const std::vector<std::string>& known) {
  if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) return Done{};
  return fail(Code::not_found, "error.app.no_such", {what, in_quotes(value), join(known, ", ")});
}

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const ViewRow& row : view_table()) names.emplace_back(row.id);
  return names;
}

Status checked_mask(const std::string& text) {
  std::string_view spec = text;
  (void)take_mask_prefix(spec);
  TRY(const MaskSpec mask, MaskSpec::parse(spec));
  (void)mask;
  return Done{};
}

Status finish(const Raw& raw, Options& options) {
  TRY_OK(read_size(raw.size, options));
  TRY_OK(read_ids(raw.ids, options));
  TRY_OK(choose_memory_limit(raw.memory));
  if (!options.texts.empty() && !options.ids.empty())
    return fail(Code::unsupported, "error.app.text_and_ids");
  for (const std::string& mask : options.masks) TRY_OK(checked_mask(mask));
  if (!options.pad_side.empty() && options.pad_to < 0) options.pad_to = 0;
  if (!options.save_session.empty() && !is_session_path(options.save_session))
    options.save_session += kSessionEnding;
  TRY_OK(one_of(Text::of("error.app.no_such.view"), options.view, view_names()));
  TRY_OK(one_of(Text::of("error.app.no_such.padding_side"), options.pad_side, {"right", "left"}));
  TRY_OK(one_of(Text::of("error.app.no_such.theme"), options.theme, {"dark", "light"}));
  TRY_OK(one_of(Text::of("error.app.no_such.language"), options.language, languages()));
  if (!options.step.empty()) {
    TRY(const Site site, parse_site(options.step));
    options.step = to_text(site);
  }
  if (!options.lab.empty()) {
    TRY(const LabWish wish, parse_lab_wish(options.lab));
    (void)wish;
  }
  options.animate = !raw.no_animation;
  return Done{};
}

// A count, or a number of something that is counted from 0.
CLI::Validator counted(std::uint64_t least = 0) { return {whole_number(least, 1 << 24), ""}; }

void declare_input(CLI::App& cli, Raw& raw, Options& options) {
  const auto repeated = [&](const char* name, std::vector<std::string>& into, const char* help) {
    return cli.add_option(name, into, help)->allow_extra_args(false);
  };
  repeated("--text", options.texts,
           "the input text (the encoder's, where there is one); given again, a further sequence of the batch")
      ->type_name("T");
  cli.add_option("--ids", raw.ids, "the input as token ids")->type_name("1,2,3")->allow_extra_args(false);
  repeated("--decoder-text", options.decoder_texts,
           "what the decoder has written so far; without it the model answers --text itself")
      ->type_name("T");
  repeated(
      "--image", options.images,
      "what the model looks at: PNG or JPEG, or an .npy or .safetensors array [3, rows, columns] that is "
      "normalised already")
      ->type_name("FILE");
  repeated(
      "--mask", options.masks,
      "who sees whom: causal, full, window(4), prefix(3), text>image, joined by & | !; with enc:, vision: "
      "or cross: in front the mask of the encoder, the vision tower or cross-attention")
      ->type_name("SPEC");
  repeated(
      "--edit", options.edits,
      "change numbers, a weight or a part of the model: PLACE=V, PLACE+=V, PLACE*=V with V a number, mean, "
      "@pos:N or @FILE.npz")
      ->type_name("PLACE=V");
  cli.add_option("--pad-to", options.pad_to, "pad every sequence to this many tokens; 0: to the longest")
      ->type_name("N")
      ->transform(counted());
  cli.add_option("--pad-side", options.pad_side, "where the padding stands: right or left")
      ->type_name("SIDE");
}

void declare(CLI::App& cli, Raw& raw, Options& options) {
  cli.add_option(
      "MODEL_OR_SCENE", options.path,
      "a model folder (config.json), a GGUF file, a scene (JSON), or what is shipped as model:NAME or "
      "scene:NAME; none: the storyteller");
  cli.add_option("--screenshot", options.screenshot,
                 "write a PNG of the window here and exit, or as OUT.svg the figure on the stage with its "
                 "texts; needs no "
                 "display")
      ->type_name("OUT.png");
  cli.add_option("--save-session", options.save_session,
                 "write what is asked for as a session here and exit; attnscope opens it again")
      ->type_name("S.attnscope");
  declare_input(cli, raw, options);
  cli.add_option("--view", options.view, "the view on the stage: " + join(view_names(), ", "))
      ->type_name("ID");
  cli.add_option("--lab", options.lab, "the lab to show, with values of its controls: sqrt,d_k=64")
      ->type_name("NAME[,CONTROL=VALUE]");
  cli.add_option("--layer", options.layer, "the block to look at, from 0")
      ->type_name("N")
      ->transform(counted());
  cli.add_option("--head", options.head, "the head to look at, from 0")->type_name("N")->transform(counted());
  cli.add_option("--step", options.step, "the step to look at, for example blocks.0.attn.pattern")
      ->type_name("SITE");
  cli.add_option("--lesson", options.lesson, "open a lesson: its id (attnscope-cli lesson list), or a file")
      ->type_name("ID");
  cli.add_option("--page", options.page, "the page of the lesson, from 1")
      ->type_name("N")
      ->transform(counted(1));
  cli.add_option("--train", options.train,
                 "begin to train a small model on this task: sorter, storyteller, ... (attnscope-cli train "
                 "lists them)")
      ->type_name("TASK");
  cli.add_option("--train-steps", options.train_steps, "steps of --train; default: as the task's recipe says")
      ->type_name("N")
      ->transform(counted(1));
  cli.add_flag("--backward", options.backward, "walk back from the loss: the gradients of every step");
  cli.add_flag("--present", options.present, "the figure alone on the whole screen, large, as F5 does");
  cli.add_option("--size", raw.size, "size of the window in units")->type_name("WxH");
  cli.add_option("--scale", options.scale, "pixels per unit, 0.5 to 4")
      ->type_name("S")
      ->transform(CLI::Validator(real_number(0.5, 4), ""));
  cli.add_option("--theme", options.theme, "dark or light")->type_name("T");
  cli.add_option("--lang", options.language, "language: " + join(languages(), ", "))->type_name("L");
  cli.add_option(
         "--memory-limit", raw.memory,
         "most memory for expanded weights, beyond it matrices stay in the file (default: half of the "
         "memory, or ATTNSCOPE_MEMORY_LIMIT)")
      ->type_name("8G")
      ->check(CLI::Validator(memory_size, ""));
  cli.add_flag("--no-animation", raw.no_animation, "nothing moves by itself");
  cli.add_flag("--bench-frames", options.bench_frames,
               "measure how long frames of every view take, offscreen, and exit");
  cli.add_flag("--json", options.json, "what --bench-frames measures as JSON");
  cli.add_flag("--timing", options.timing, "tell on stderr how long the start took")
      ->envname("ATTNSCOPE_TIMING");
  cli.set_version_flag("--version", "attnscope 0.1.0");
}

}  // namespace

CommandLine read_command_line(int count, const char* const* arguments) {
  CommandLine out;
  Raw raw;
  CLI::App cli("Opens a Transformer and lets you step through every number in it.", "attnscope");
  declare(cli, raw, out.options);
  const auto refuse = [&](const std::string& text) {
    out.run = false;
    out.status = 2;
    out.text = "attnscope: " + text + "\n";
  };
  try {
    cli.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    out.run = false;
    out.text = cli.help();
  } catch (const CLI::CallForVersion&) {
    out.run = false;
    out.text = "attnscope 0.1.0\n";
  } catch (const CLI::ParseError& error) {
    std::string text = printable(error.what(), kMostOfSentence);
    while (!text.empty() && text.back() == '.') text.pop_back();
    refuse(text + ". See attnscope --help.");
  }
  if (!out.run) return out;
  for (const CLI::Option* option : cli.get_options()) {
    const auto& values = option->results();
    const bool text = option->get_name() == "--text" || option->get_name() == "--decoder-text";
    if (text || std::find(values.begin(), values.end(), "") == values.end()) continue;
    refuse(option->get_name() + ": it takes a value, found nothing. See attnscope --help.");
    return out;
  }
  if (Status status = finish(raw, out.options); !status) refuse(status.error().text());
  return out;
}

}  // namespace attnscope
