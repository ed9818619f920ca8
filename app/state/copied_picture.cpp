#include "app/state/copied_picture.h"

#include <cstdlib>
#include <filesystem>

#include "app/state/shown_figure.h"
#include "core/base/no_copy.h"
#include "core/export/carried.h"
#include "core/system/mapped_file.h"
#include "core/system/process.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

// A folder of one's own, which goes with it.
struct OwnFolder : NoCopy {
  std::string path = (fs::temp_directory_path() / "attnscope-copy-XXXXXX").string();
  OwnFolder() {
    if (mkdtemp(path.data()) == nullptr) path.clear();
  }
  ~OwnFolder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
};

}  // namespace

Status picture_into_clipboard(const std::string& png) {
  const std::vector<std::string> x11{"xclip", "-selection", "clipboard", "-t", "image/png", "-i"};
  if (std::getenv("WAYLAND_DISPLAY") == nullptr) return run_with_input(x11, png);
  const Status copied = run_with_input({"wl-copy", "--type", "image/png"}, png);
  if (copied) return copied;
  // A compositor that is gone, or has no seat: the window itself is one of X11 (Xwayland), whose clipboard
  // may still work.
  const Status by_x11 = run_with_input(x11, png);
  return by_x11 || copied.error().code() == Code::not_found ? by_x11 : copied;
}

void copy_shown_figure(FrameState& state, float scale) {
  const auto folder = std::make_shared<const OwnFolder>();
  ExportRequest request;
  request.path = (fs::path(folder->path) / "figure.png").string();
  request.scale = scale, request.figure = true;
  const auto writer = shown_figure_writer(state, request);
  if (!writer) return state.notify(writer.error());
  state.write_in_background({}, [folder, path = request.path, write = *writer]() -> Status {
    TRY_OK(write());
    TRY(const std::string png, read_file(path, kMostFigureBytes));
    return picture_into_clipboard(png);
  });
}

}  // namespace attnscope
