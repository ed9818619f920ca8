#include "app/cli/program.h"

#include "core/arch/memory_limit.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/about.h"
#include "core/system/arguments.h"

namespace attnscope::cli {

Program::Program() : app(tr("cli.title")) {
  app.name("attnscope-cli");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", tr("cli.help"));
  app.set_version_flag("--version", about_text(), tr("cli.version"));
  app.fallthrough();  // the limit may be before or after the command
  app.add_option("--memory-limit", memory_limit, tr("cli.memory_limit"))
      ->type_name("SIZE")
      ->check(CLI::Validator(memory_size, ""));
  app.add_option("--lora", lora, tr("cli.lora"))->type_name("DIR[:STRENGTH]");
  app.add_flag("--allow-outside", allow_outside, tr("cli.allow_outside"));
  app.add_option("--lang", language_, tr("cli.lang", {join(languages(), ", ")}))->type_name("L");
  add_steps(app, action);
  add_trace(app, action);
  add_generate(app, action);
  add_tokenize(app, action);
  add_info(app, action);
  add_calc(app, action);
  add_ask(app, action);
  add_heads(app, action);
  add_strongest(app, action);
  add_path(app, action);
  add_why(app, action);
  add_circuit(app, action);
  add_circuits(app, action);
  add_weights(app, action);
  add_probe(app, action);
  add_checkpoints(app, action);
  add_compare(app, action);
  add_rerun(app, action);
  add_direction(app, action);
  add_steer(app, action);
  add_save(app, action);
  add_bench(app, action);
  add_lab(app, action);
  add_train(app, action);
  add_lesson(app, action);
  add_figure(app, action);
  add_try(app, action);
  add_report(app, action);
  add_course(app, action);
  add_guide(app, action);
  add_serve(app, action);
  translate_help(app);
}

}  // namespace attnscope::cli
