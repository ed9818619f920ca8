// An OpenGL context without a display, through EGL. Used by gl_context.cpp only.
#pragma once

#include <memory>

#include "app/gpu/gl_context.h"

namespace attnscope {

/// Tries the surfaceless platform, then each device. libEGL.so.1 is needed at run time only, not to
/// build.
Result<std::unique_ptr<GlContext>> make_egl(int width, int height);

}  // namespace attnscope
