// attnscope: opens a Transformer in a window, or draws one picture of it.
#include <cstdio>

#include "app/shell/app.h"
#include "app/shell/bench_frames.h"
#include "app/shell/check_fit.h"
#include "core/base/caught.h"
#include "core/base/words.h"
#include "core/system/arguments.h"
#include "core/system/heap.h"
#include "core/system/named_files.h"
#include "core/system/output.h"
#include "core/system/signals.h"

namespace attnscope {
namespace {

int run(const CommandLine& line) {
  if (!line.run) {
    std::fputs(line.text.c_str(), line.status == 0 ? stdout : stderr);
    return line.status;
  }
  keep_known_files(true);
  if (line.options.check_fit) return check_fit(line.options);
  if (line.options.bench_frames) return bench_frames(line.options);
  if (!line.options.worksheet.empty()) return print_worksheet(line.options);
  const bool window = line.options.screenshot.empty() && line.options.export_path.empty() &&
                      line.options.save_session.empty();
  return window ? run_window(line.options) : take_screenshot(line.options);
}

}  // namespace
}  // namespace attnscope

int main(int count, char** arguments) {
  attnscope::share_heap_arenas();
  attnscope::survive_file_limits();
  int status = 1;
  const attnscope::Status done = attnscope::guarded(attnscope::Text::of("error.work.program"), [&] {
    (void)attnscope::set_language(attnscope::wanted_language(count, arguments));
    const attnscope::CommandLine line = attnscope::read_command_line(count, arguments);
    status = attnscope::run(line);
    if (status != 0) return;
    if (const attnscope::Status said = attnscope::finish_output(); !said)
      status = attnscope::complain(said.error());
  });
  return done ? status : attnscope::complain(done.error());
}
