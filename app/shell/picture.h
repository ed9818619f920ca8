// Still pictures of the frame: draws until nothing changes any more; export of the window at
// another scale. Uses the same frame code as the window. PNG compression runs in a background
// job.
#pragma once

#include <memory>

#include "app/figure/display_list.h"
#include "app/gpu/gl_context.h"
#include "app/gpu/imgui_host.h"
#include "app/shell/frame.h"
#include "app/shell/options.h"

namespace attnscope {

/// What draws without a display.
struct StillScreen {
  float scale = 1;
  ImVec2 size{0, 0};  ///< units; times scale: pixels
  std::unique_ptr<GlContext> context;
  std::unique_ptr<ImguiHost> host;
};
/// Of the size and scale that options ask for, or of the usual size. Errors: no such context can be made.
Result<StillScreen> open_still_screen(const Options& options, ImVec2 usual);
/// No motion, and nothing that is shown for a while only.
void hold_still(Workspace& workspace);
/// Draws frames without presenting them.
void draw_frames(int count, ImguiHost& host, Frame& frame);
/// Draws until the session's jobs and fonts are ready, then `frames` more; timeout 20 s.
void settle(Session& session, ImguiHost& host, Frame& frame, int frames);
/// The figures that the stage draws in one more frame, as a list.
DisplayList stage_as_list(ImguiHost& host, Frame& frame);
/// SVG of the figures on the stage, recorded in one more frame. Errors: a view without a figure.
Result<std::string> stage_as_svg(ImguiHost& host, Frame& frame);
/// The SVG with the session inside, for a file at `path`.
std::string with_session(std::string svg, const FrameState& state, const std::string& path);
/// True for a path that ends in .svg.
bool is_svg_path(const std::string& path);
/// Draws the frame at request.scale (for a path that ends in .svg: the stage's figure), and writes the
/// picture in a background job; a notice reports the result.
void export_picture(const ExportRequest& request, ImguiHost& host, GlContext& context, Frame& frame);
/// Writes the stage as SVG with its session.
Status write_stage(const std::string& path, ImguiHost& host, Frame& frame);
/// Writes what is on the screen as PNG, with its session where no page of a lesson hides a part of it.
Status write_window(const std::string& path, const GlContext& context, const FrameState& state);
/// Writes what --export asks for of what was drawn last. Errors: a view without a figure; the file.
Status write_export(const Options& options, ImguiHost& host, const GlContext& context, Frame& frame);
/// Milliseconds since the system started this process.
double milliseconds_since_exec();

}  // namespace attnscope
