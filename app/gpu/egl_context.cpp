// libEGL is loaded with dlopen: a machine without it can still open a window. It is never unloaded, because
// drivers register exit handlers that must stay mapped until the program ends.
#include "app/gpu/egl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <glad/gl.h>

#include <array>
#include <string_view>

#include "app/gpu/offscreen.h"

namespace attnscope {
namespace {

/// Function pointers of EGL, resolved at run time.
struct Egl {
  PFNEGLGETPROCADDRESSPROC get_proc_address = nullptr;
  PFNEGLINITIALIZEPROC initialize = nullptr;
  PFNEGLTERMINATEPROC terminate = nullptr;
  PFNEGLCHOOSECONFIGPROC choose_config = nullptr;
  PFNEGLBINDAPIPROC bind_api = nullptr;
  PFNEGLCREATECONTEXTPROC create_context = nullptr;
  PFNEGLDESTROYCONTEXTPROC destroy_context = nullptr;
  PFNEGLMAKECURRENTPROC make_current = nullptr;
  PFNEGLQUERYSTRINGPROC query_string = nullptr;
  PFNEGLGETPLATFORMDISPLAYEXTPROC get_platform_display = nullptr;
  PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;
};

template <class Function>
void find(void* library, const Egl& egl, const char* name, Function& function) {
  void* symbol = dlsym(library, name);
  function = symbol != nullptr ? reinterpret_cast<Function>(symbol)
                               : reinterpret_cast<Function>(egl.get_proc_address(name));
}

Result<Egl> open_egl() {
  void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  Egl egl;
  if (library != nullptr) {
    egl.get_proc_address = reinterpret_cast<PFNEGLGETPROCADDRESSPROC>(dlsym(library, "eglGetProcAddress"));
  }
  if (egl.get_proc_address == nullptr) {
    return fail(Code::not_found, "error.gpu.no_egl");
  }
  find(library, egl, "eglInitialize", egl.initialize);
  find(library, egl, "eglTerminate", egl.terminate);
  find(library, egl, "eglChooseConfig", egl.choose_config);
  find(library, egl, "eglBindAPI", egl.bind_api);
  find(library, egl, "eglCreateContext", egl.create_context);
  find(library, egl, "eglDestroyContext", egl.destroy_context);
  find(library, egl, "eglMakeCurrent", egl.make_current);
  find(library, egl, "eglQueryString", egl.query_string);
  find(library, egl, "eglGetPlatformDisplayEXT", egl.get_platform_display);
  find(library, egl, "eglQueryDevicesEXT", egl.query_devices);
  const bool whole = egl.initialize && egl.terminate && egl.choose_config && egl.bind_api &&
                     egl.create_context && egl.destroy_context && egl.make_current && egl.query_string &&
                     egl.get_platform_display;
  if (!whole) return fail(Code::unsupported, "error.gpu.old_egl");
  return egl;
}

struct Candidate {
  EGLDisplay display;
  std::string name;
};

std::vector<Candidate> candidates(const Egl& egl) {
  const char* text = egl.query_string(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const std::string_view extensions = text != nullptr ? text : "";
  const auto has = [&](std::string_view name) { return extensions.find(name) != std::string_view::npos; };
  std::vector<Candidate> found;
  if (has("EGL_MESA_platform_surfaceless")) {
    found.push_back(
        {egl.get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr), "surfaceless"});
  }
  if (!has("EGL_EXT_platform_device") || egl.query_devices == nullptr) return found;
  std::array<EGLDeviceEXT, 16> devices{};
  EGLint count = 0;
  if (egl.query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_FALSE)
    return found;
  for (EGLint device = 0; device < count; ++device) {
    EGLDeviceEXT handle = devices[static_cast<std::size_t>(device)];
    found.push_back({egl.get_platform_display(EGL_PLATFORM_DEVICE_EXT, handle, nullptr),
                     "device " + std::to_string(device)});
  }
  return found;
}

/// A current OpenGL 3.3 core context of an initialised display; EGL_NO_CONTEXT on failure.
EGLContext make_current_context(const Egl& egl, EGLDisplay display) {
  egl.bind_api(EGL_OPENGL_API);
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  egl.choose_config(display, wanted, &config, 1, &count);
  if (count < 1) config = nullptr;  // EGL_KHR_no_config_context
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                            3,
                            EGL_CONTEXT_MINOR_VERSION,
                            3,
                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                            EGL_NONE};
  EGLContext context = egl.create_context(display, config, EGL_NO_CONTEXT, version);
  if (context == EGL_NO_CONTEXT) return context;
  if (egl.make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_FALSE &&
      gladLoadGL(reinterpret_cast<GLADloadfunc>(egl.get_proc_address)) != 0) {
    return context;
  }
  egl.make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  egl.destroy_context(display, context);
  return EGL_NO_CONTEXT;
}

class EglContext final : public GlContext {
 public:
  EglContext(const Egl& egl, EGLDisplay display, EGLContext context)
      : egl_(egl), display_(display), context_(context) {}
  ~EglContext() override {
    target_.reset();
    egl_.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl_.destroy_context(display_, context_);
    egl_.terminate(display_);
  }
  Status make_target(int width, int height) {
    TRY(target_, Offscreen::make(width, height));
    return Done{};
  }
  int width() const override { return target_->width(); }
  int height() const override { return target_->height(); }
  unsigned framebuffer() const override { return target_->framebuffer(); }
  Image read_pixels() const override { return target_->read(); }

 private:
  Egl egl_;
  EGLDisplay display_;
  EGLContext context_;
  std::unique_ptr<Offscreen> target_;
};

}  // namespace

Result<std::unique_ptr<GlContext>> make_egl(int width, int height) {
  TRY(const Egl egl, open_egl());
  std::string tried;
  for (const Candidate& candidate : candidates(egl)) {
    EGLint major = 0, minor = 0;
    if (candidate.display == EGL_NO_DISPLAY) continue;
    tried += (tried.empty() ? "" : ", ") + candidate.name;
    if (egl.initialize(candidate.display, &major, &minor) == EGL_FALSE) continue;
    EGLContext handle = make_current_context(egl, candidate.display);
    if (handle == EGL_NO_CONTEXT) {
      egl.terminate(candidate.display);
      continue;
    }
    auto context = std::make_unique<EglContext>(egl, candidate.display, handle);
    TRY_OK(context->make_target(width, height));
    context->description =
        "EGL " + candidate.name + ", " + reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return std::unique_ptr<GlContext>(std::move(context));
  }
  const Text seen = tried.empty() ? Text::of("error.gpu.nothing_to_try") : Text(tried);
  return fail(Code::unsupported, "error.gpu.egl_context", {seen});
}

}  // namespace attnscope
