// The way to a context without any display, through EGL. Only gl_context.cpp uses it.
#pragma once

#include <memory>

#include "app/gpu/gl_context.h"

namespace attnscope {

/// Tries the platform without surfaces, then each device. Needs libEGL.so.1 when it runs, not when it is
/// built.
Result<std::unique_ptr<GlContext>> make_egl(int width, int height);

}  // namespace attnscope
