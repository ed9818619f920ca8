// attnscope: opens a Transformer in a window, or draws one picture of it.
#include <cstdio>

#include "app/app.h"

int main(int count, char** arguments) {
  const attnscope::CommandLine line = attnscope::read_command_line(count, arguments);
  if (!line.run) {
    std::fputs(line.text.c_str(), line.status == 0 ? stdout : stderr);
    return line.status;
  }
  return line.options.screenshot.empty() ? attnscope::run_window(line.options)
                                         : attnscope::take_screenshot(line.options);
}
