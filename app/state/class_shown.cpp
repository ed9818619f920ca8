#include "app/state/class_shown.h"

#include <filesystem>

#include "app/state/frame_state.h"

namespace attnscope {

void read_class_again(FrameState& state) {
  auto seen = read_class(state.class_shown.folder);
  if (!seen) return state.session.report(seen.error());
  if (auto left_out = not_read(*seen)) state.session.report(*std::move(left_out));
  state.class_shown.seen = std::make_shared<const ClassView>(*std::move(seen));
  state.class_shown.open = true;
}

void ask_class(FrameState& state) {
  FileQuestion question;
  question.title = "class.open";
  question.chosen = [&state](Session&, const std::string& path) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(path, ignored);
    state.class_shown.folder = folder ? path : std::filesystem::path(path).parent_path().string();
    read_class_again(state);
  };
  state.commands.ask_file(std::move(question));
}

}  // namespace attnscope
