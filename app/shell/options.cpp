// CLI11 splits the arguments; their values are validated here.
#include "app/shell/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <utility>

#include "app/views/view.h"
#include "core/arch/memory_limit.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/export.h"
#include "core/lab/lab.h"
#include "core/session/about.h"
#include "core/session/session_file.h"
#include "core/step/site.h"
#include "core/system/arguments.h"
#include "core/system/named_files.h"
#include "core/trace/mask_spec.h"

namespace attnscope {
namespace {

constexpr int kOptionsLeastSide = 320, kOptionsMostSide = 8192;

/// Raw values from CLI11, converted to Options afterwards.
struct Raw {
  std::vector<ValueFlag> run_flags = request_value_flags();
  std::string size, memory, lora;
  bool no_animation = false, allow_outside = false, stage = false, window = false, figure = false;
};

Status read_size(const std::string& text, Options& options) {
  if (text.empty()) return Done{};
  const std::size_t by = text.find('x');
  const auto side = [&](std::string_view part, int& into) {
    const auto read = parse_whole(part, kOptionsLeastSide, kOptionsMostSide);
    if (read) into = static_cast<int>(*read);
    return read.ok();
  };
  if (by != std::string::npos && side(std::string_view(text).substr(0, by), options.width) &&
      side(std::string_view(text).substr(by + 1), options.height))
    return Done{};
  return fail(Code::bad_format, "error.app.window_size",
              {in_quotes(text), kOptionsLeastSide, kOptionsMostSide});
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

constexpr int kMostWindowScale = 4;

// A figure is drawn at its scale, whatever the window's is.
Status read_scale(Options& options) {
  const bool figure = !options.export_path.empty() && options.export_part == ExportPart::figure;
  if (figure) options.export_scale = std::exchange(options.scale, 0.f);
  if (options.scale <= static_cast<float>(kMostWindowScale)) return Done{};
  return fail(Code::out_of_range, "error.app.window_scale", {kMostWindowScale, kMostExportScale});
}

// A window's size is a page's as well; "8.5cm" is a page's alone.
Status read_export(const Raw& raw, Options& options) {
  const bool walks = !options.export_walk.empty();
  if (walks && (options.export_path.empty() || raw.window || raw.stage))
    return fail(Code::unsupported, "error.app.export_walk");
  if (options.export_path.empty()) return read_size(raw.size, options);
  options.export_part = raw.window ? ExportPart::window : raw.stage ? ExportPart::stage : ExportPart::figure;
  TRY(const Exporter* exporter, exporter_of_path(options.export_path));
  if (options.export_part != ExportPart::figure) {
    const bool stage_svg = exporter->id == "svg" && raw.stage;
    if (exporter->id != "png" && !stage_svg)
      return fail(Code::unsupported, "error.app.export_part", {exporter->id});
    return read_size(raw.size, options);
  }
  if (exporter->moves && !walks) return fail(Code::unsupported, "error.view.film", {exporter->id});
  options.export_size = !raw.size.empty() ? raw.size : options.paper ? kPaperSize : "";
  if (!options.export_size.empty()) TRY_OK(parse_page_size(options.export_size));
  return Done{};
}

Status finish(const Raw& raw, Options& options) {
  TRY_OK(read_export(raw, options));
  TRY_OK(read_scale(options));
  TRY_OK(choose_memory_limit(raw.memory));
  if (!raw.lora.empty()) {
    TRY(options.lora, parse_lora(raw.lora));
    if (!options.lesson.empty() || !options.lecture.empty())
      return fail(Code::unsupported, "error.app.lora_taught");
  }
  if (!options.save_session.empty() && !is_session_path(options.save_session))
    options.save_session += kSessionEnding;
  TRY_OK(one_of(Text::of("error.app.no_such.view"), options.view, view_names()));
  TRY_OK(one_of(Text::of("error.app.no_such.theme"), options.theme, {"dark", "light"}));
  TRY_OK(one_of(Text::of("error.app.no_such.level"), options.level, {"easy", "full"}));
  TRY_OK(one_of(Text::of("error.app.no_such.language"), options.language, languages()));
  if (!options.worksheet.empty() && options.lesson.empty())
    return fail(Code::unsupported, "error.app.worksheet_of");
  if (!options.step.empty()) {
    TRY(const Site site, parse_site(options.step));
    options.step = to_text(site);
  }
  if (!options.lab.empty()) {
    TRY(const LabRequest request, parse_lab_request(options.lab));
    (void)request;
  }
  TRY_OK(read_settings(options.settings));
  options.animate = !raw.no_animation;
  if (raw.allow_outside) allow_all_files();
  return Done{};
}

// Validator of a whole number from `least` to 2^24: a count or an index.
CLI::Validator counted(std::uint64_t least = 0) { return {whole_number(least, 1 << 24), ""}; }

void declare(CLI::App& cli, Raw& raw, Options& options) {
  const auto named = [&](const char* name, auto& into, const char* help, const char* type) {
    return cli.add_option(name, into, help)->type_name(type);
  };
  cli.set_help_flag("-h,--help", tr("cli.help"));
  cli.set_version_flag("--version", about_text(), tr("cli.version"));
  cli.add_option("MODEL_OR_SCENE", options.path, tr("options.model"));
  named("--screenshot", options.screenshot, tr("options.screenshot"), "OUT.png");
  named("--export", options.export_path, tr("options.export"), "OUT");
  cli.add_flag("--figure", raw.figure, tr("options.export_figure"));
  cli.add_flag("--stage", raw.stage, tr("options.export_stage"))->excludes("--figure");
  cli.add_flag("--window", raw.window, tr("options.export_window"))
      ->excludes("--figure")
      ->excludes("--stage");
  named("--walk", options.export_walk, tr("options.export_walk"), "WHAT")
      ->check(CLI::Validator(one_word_of({"pages", "layers", "heads", "rows"}), ""));
  cli.add_flag("--paper", options.paper, tr("cli.figure.paper"));
  cli.add_flag("--caption", options.caption, tr("cli.figure.caption"));
  cli.add_flag("--transparent", options.transparent, tr("cli.figure.transparent"));
  named("--session", options.path, tr("options.session"), "S.attnscope")->excludes("MODEL_OR_SCENE");
  named("--save-session", options.save_session, tr("options.save_session"), "S.attnscope");
  named("--beside", options.beside, tr("options.beside"), "MODEL");
  named("--lora", raw.lora, tr("options.lora"), "DIR[:STRENGTH]");
  add_value_flags(cli, raw.run_flags);
  add_data_flags(cli, options.data);
  named("--view", options.view, tr("options.view", {join(view_names(), ", ")}).c_str(), "ID");
  named("--lab", options.lab, tr("options.lab"), "NAME[,CONTROL=VALUE]");
  named("--set", options.settings, tr("options.set"), "VIEW.CONTROL=VALUE")->allow_extra_args(false);
  named("--layer", options.layer, tr("options.layer"), "N")->transform(counted());
  named("--head", options.head, tr("options.head"), "N")->transform(counted());
  named("--step", options.step, tr("options.step"), "SITE");
  named("--motion", options.motion, tr("options.motion"), "T")
      ->transform(CLI::Validator(real_number(0, 1), ""));
  named("--lesson", options.lesson, tr("options.lesson"), "ID");
  named("--lecture", options.lecture, tr("options.lecture"), "NAME");
  named("--page", options.page, tr("options.page"), "N")->transform(counted(1));
  named("--worksheet", options.worksheet, tr("options.worksheet"), "OUT.html");
  cli.add_flag("--answers", options.answers, tr("cli.lesson.answers"));
  named("--train", options.train, tr("options.train"), "TASK");
  named("--train-steps", options.train_steps, tr("options.train_steps"), "N")->transform(counted(1));
  cli.add_flag("--backward", options.backward, tr("options.backward"));
  cli.add_flag("--present", options.present, tr("options.present"));
  named("--size", raw.size, tr("options.size"), "WxH");
  named("--scale", options.scale, tr("options.scale"), "S")
      ->transform(CLI::Validator(real_number(0.5, kMostExportScale), ""));
  named("--theme", options.theme, tr("options.theme"), "T");
  named("--level", options.level, tr("options.level"), "L");
  named("--lang", options.language, tr("cli.lang", {join(languages(), ", ")}).c_str(), "L");
  named("--memory-limit", raw.memory, tr("cli.memory_limit"), "8G")->check(CLI::Validator(memory_size, ""));
  cli.add_flag("--allow-outside", raw.allow_outside, tr("cli.allow_outside"));
  cli.add_flag("--no-animation", raw.no_animation, tr("options.no_animation"));
  cli.add_flag("--bench-frames", options.bench_frames, tr("options.bench_frames"));
  cli.add_flag("--check-fit", options.check_fit, tr("options.check_fit"));
  cli.add_flag("--json", options.json, tr("options.json"));
  cli.add_flag("--timing", options.timing, tr("options.timing"))->envname("ATTNSCOPE_TIMING");
  translate_help(cli);
}

}  // namespace

std::string options_table() {
  Raw raw;
  Options options;
  CLI::App cli;
  declare(cli, raw, options);
  return flags_table(cli);
}

CommandLine read_command_line(int count, const char* const* arguments) {
  CommandLine out;
  Raw raw;
  CLI::App cli(tr("options.title"), "attnscope");
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
    out.text = about_text() + "\n";
  } catch (const CLI::ParseError& error) {
    refuse(tr("options.more", {sentence_of(cli, error)}));
  }
  if (!out.run) return out;
  for (const CLI::Option* option : cli.get_options()) {
    const auto& values = option->results();
    const bool text = option->get_name() == "--text" || option->get_name() == "--decoder-text";
    if (text || std::find(values.begin(), values.end(), "") == values.end()) continue;
    refuse(tr("options.more", {tr("error.cli.no_value", {option->get_name()})}));
    return out;
  }
  auto request = read_request(given_words(cli, raw.run_flags));
  Status status = request ? finish(raw, out.options) : Status(request.error());
  if (!status) refuse(status.error().text());
  if (request) out.options.request = *std::move(request);
  return out;
}

}  // namespace attnscope
