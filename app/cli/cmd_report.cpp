// attnscope-cli report: a session or a model as one HTML file, with figures and the proof sheet.
#include "app/cli/figure_options.h"
#include "app/cli/figure_source.h"
#include "core/base/words.h"
#include "core/system/atomic_file.h"
#include "core/view/opening_row.h"
#include "core/view/report.h"

namespace attnscope::cli {
namespace {

Status write_report(FigureOptions options, std::vector<std::string> views) {
  TRY(const FigureSource source, figure_source(options));
  TRY(ViewState state, figure_state(source, options));
  if (!options.given.contains("layer") && !options.given.contains("head") && !source.session) {
    look_at_first_try(state);
    look_at_last_edit(state, source.document.edits);
  }
  if (views.empty()) {
    views = {options.view};
    for (const char* more : {"attention", "residual", "output"})
      if (more != options.view) views.emplace_back(more);
  }
  TRY(const std::string html, report_html(source.document, state, views));
  if (options.out != "-" && options.out != "/dev/stdout") return write_file(options.out, html);
  std::fwrite(html.data(), 1, html.size(), stdout);
  return Done{};
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", tr("cli.report"));
  const auto options = std::make_shared<FigureOptions>();
  const auto views = std::make_shared<std::vector<std::string>>();
  command->add_option("MODEL|SESSION", options->models, tr("cli.report.model"))->required()->expected(1);
  options->text.add_to(*command, false);
  command->add_option("--view", *views, tr("cli.report.view"))->allow_extra_args(false);
  command->add_option("--level", options->level, tr("cli.figure.level"))->check(word_of({"easy", "full"}));
  command->add_option("--layer", options->layer, tr("cli.figure.layer"))->transform(whole(0, 1 << 30));
  command->add_option("--head", options->head, tr("cli.figure.head"))->transform(whole(0, 1 << 30));
  command->add_option("--row", options->row, tr("cli.figure.row"))->transform(whole(0, 1 << 30));
  command->add_option("-o,--out", options->out, tr("cli.report.out"))->type_name("OUT.html");
  command->callback([options, views, command, &action] {
    each_figure_option(*options, [&](const char* name, const auto&) {
      const std::string flag = "--" + std::string(name);
      if (command->get_option_no_throw(flag) && command->count(flag) > 0 && flag != "--view")
        options->given.insert(name);
    });
    action = [options, views] { return write_report(*options, *views); };
  });
}

}  // namespace attnscope::cli
