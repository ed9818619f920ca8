#include "app/export_dialog.h"

namespace attnscope {

void ExportDialog::draw(FrameState&) {}

}  // namespace attnscope
