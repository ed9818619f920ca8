#include "app/file_browser.h"

namespace attnscope {

void FileBrowser::draw(FrameState&) {}

}  // namespace attnscope
