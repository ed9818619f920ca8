// attnscope: opens a Transformer in a window, or draws one picture of it.
#include <cstdio>

#include "app/shell/app.h"
#include "app/shell/bench_frames.h"
#include "core/base/caught.h"
#include "core/base/words.h"
#include "core/system/arguments.h"
#include "core/system/signals.h"

int main(int count, char** arguments) {
  attnscope::survive_file_limits();
  int status = 1;
  const attnscope::Status done = attnscope::guarded(attnscope::Text::of("error.work.program"), [&] {
    (void)attnscope::set_language(attnscope::wanted_language(count, arguments));
    const attnscope::CommandLine line = attnscope::read_command_line(count, arguments);
    if (!line.run) {
      std::fputs(line.text.c_str(), line.status == 0 ? stdout : stderr);
      status = line.status;
      return;
    }
    if (line.options.bench_frames) {
      status = attnscope::bench_frames(line.options);
      return;
    }
    if (!line.options.worksheet.empty()) {
      status = attnscope::print_worksheet(line.options);
      return;
    }
    const bool window = line.options.screenshot.empty() && line.options.save_session.empty();
    status = window ? attnscope::run_window(line.options) : attnscope::take_screenshot(line.options);
  });
  if (!done) std::fprintf(stderr, "attnscope: %s\n", done.error().text().c_str());
  return status;
}
