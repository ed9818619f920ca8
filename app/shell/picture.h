// Still pictures of the frame: drawing until nothing changes any more, and the export of the window at
// another scale. The same frame is drawn as on the screen. Refuses to block the window while a picture is
// compressed.
#pragma once

#include "app/figure/display_list.h"
#include "app/gpu/imgui_host.h"
#include "app/shell/frame.h"

namespace attnscope {

/// Draws frames without showing them.
void draw_frames(int count, ImguiHost& host, Frame& frame);
/// Draws until the session's jobs and the fonts are done, then `frames` more; gives up after 20 s.
void settle(Session& session, ImguiHost& host, Frame& frame, int frames);
/// What the stage draws in one more frame: its figures as a list.
DisplayList stage_as_list(ImguiHost& host, Frame& frame);
/// The figure of the stage as SVG: what its views draw in one more frame. Errors: a view without a figure.
Result<std::string> stage_as_svg(ImguiHost& host, Frame& frame);
/// A path that ends in .svg.
bool is_svg_path(const std::string& path);
/// Draws the frame at request.scale (a path that ends in .svg: the figure of the stage), and writes the
/// picture in the background; a notice says how it went.
void export_picture(const ExportRequest& request, ImguiHost& host, GlContext& context, Frame& frame);
/// Since the system started this process.
double milliseconds_since_exec();

}  // namespace attnscope
