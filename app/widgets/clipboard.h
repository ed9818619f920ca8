// Copying: what was copied is read back, so that nothing is called copied that is not.
#pragma once

#include <string>

namespace attnscope {

/// False where the system did not take it; refused_copy() then says so once.
bool copy_text(const std::string& text);
/// Whether a copy was refused since it was last asked; the frame tells it.
bool refused_copy();

}  // namespace attnscope
