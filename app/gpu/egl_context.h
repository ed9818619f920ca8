// An OpenGL context without a display, through EGL. Used by gl_context.cpp only.
#pragma once

#include <memory>

#include "app/gpu/gl_context.h"

namespace attnscope {

/// Tries the platform without surfaces, then each device. Needs libEGL.so.1 when it runs, not when it is
/// built.
Result<std::unique_ptr<GlContext>> make_egl(int width, int height);

}  // namespace attnscope
