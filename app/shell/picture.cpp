#include "app/shell/picture.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>

#include "app/figure/figure_text.h"
#include "app/figure/svg.h"
#include "app/gpu/image_file.h"
#include "app/look/fonts.h"
#include "app/state/copied_picture.h"
#include "app/state/shown_figure.h"
#include "app/widgets/clipboard.h"
#include "core/base/no_copy.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/carried.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

constexpr double kMostSeconds = 20.0;
constexpr int kExportFrames = 3;

Image cropped(const Image& image, ImVec2 min, ImVec2 max) {
  const int x0 = std::clamp(static_cast<int>(std::floor(min.x)), 0, image.width);
  const int y0 = std::clamp(static_cast<int>(std::floor(min.y)), 0, image.height);
  const int x1 = std::clamp(static_cast<int>(std::ceil(max.x)), x0, image.width);
  const int y1 = std::clamp(static_cast<int>(std::ceil(max.y)), y0, image.height);
  Image out{x1 - x0, y1 - y0, {}};
  for (int y = y0; y < y1 && x1 > x0; ++y)
    out.rgba.insert(out.rgba.end(), image.at(x0, y), image.at(x0, y) + 4 * (x1 - x0));
  return out;
}

// False on timeout.
bool wait_for_quiet(Session& session, ImguiHost& host, Frame& frame, int frames) {
  const auto begin = std::chrono::steady_clock::now();
  for (int quiet = 0; quiet < frames;) {
    draw_frames(1, host, frame);
    const bool busy = session.workers().any_busy() || session.has_news() || session.awaits_training() ||
                      (session.training().busy() && !session.training().running()) || fonts_pending();
    quiet = busy ? 0 : quiet + 1;
    if (busy) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kMostSeconds)
      return false;
  }
  return true;
}

}  // namespace

Result<StillScreen> open_still_screen(const Options& options, ImVec2 usual) {
  StillScreen out;
  if (options.scale > 0.f) out.scale = options.scale;
  out.size = ImVec2(options.width > 0 ? static_cast<float>(options.width) : usual.x,
                    options.height > 0 ? static_cast<float>(options.height) : usual.y);
  TRY(out.context,
      make_offscreen(static_cast<int>(out.size.x * out.scale), static_cast<int>(out.size.y * out.scale)));
  TRY(out.host, ImguiHost::make(*out.context, out.scale));
  return out;
}

void hold_still(Workspace& workspace) {
  workspace.animate = false;
  workspace.still = true;
}

void draw_frames(int count, ImguiHost& host, Frame& frame) {
  for (int i = 0; i < count; ++i) {
    host.new_frame();
    frame.draw(host.painter());
    host.render();
  }
}

void settle(Session& session, ImguiHost& host, Frame& frame, int frames) {
  if (!wait_for_quiet(session, host, frame, frames)) return;
  host.forget_letters();
  draw_frames(frames, host, frame);
}

namespace {

/// Title and description of the picture: model, view, input, edits.
SvgPage page_of(const FrameState& state, const RunResult& run, const DisplayList& list) {
  const std::string model = opened_title(*run.document.opened), view = tr("view." + state.workspace.view);
  std::string input, edits;
  for (const Sequence& sequence : run.document.sequences)
    input += (input.empty() ? "" : " | ") + (sequence.text.empty() ? sequence.source_text : sequence.text);
  for (const auto& edit : run.document.edits) edits += (edits.empty() ? "" : "; ") + to_text(*edit);
  SvgPage page;
  page.title = tr("figure.title", {model, view});
  page.description = edits.empty() ? tr("figure.about", {model, view, input})
                                   : tr("figure.about_edited", {model, view, input, edits});
  page.language = language();
  page.p0 = state.stage_min, page.p1 = state.stage_max;
  page.scale = ui_scale();
  page.ground = theme().ground;
  fit_page(page, list, 16 * ui_scale());
  return page;
}

bool shows_more_than_text(const DisplayList& list) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [](const DrawItem& item) { return item.kind != DrawItem::Kind::text; });
}

}  // namespace

std::string with_session(std::string svg, const FrameState& state, const std::string& path) {
  const std::string session = session_to_carry(state, path, {});
  constexpr std::string_view kTitleEnd = "</title>";
  const std::size_t at = svg.find(kTitleEnd);
  if (session.empty() || at == std::string::npos) return svg;
  return svg.insert(at + kTitleEnd.size(), "\n<metadata>" + carried_in_svg(session) + "</metadata>");
}

namespace {

std::vector<PngText> picture_texts(const FrameState& state, const std::string& path) {
  std::vector<PngText> out{{"Software", exported_by()}};
  if (why_hidden(state)) return out;  // a session would show what the page of the lesson hides
  const std::string session = session_to_carry(state, path, {});
  if (!session.empty()) out.push_back({std::string(kCarriedName), session});
  return out;
}

}  // namespace

bool is_svg_path(const std::string& path) { return ends_with(lower(path), ".svg"); }

DisplayList stage_as_list(ImguiHost& host, Frame& frame) {
  FrameState& state = frame.state();
  DisplayList list;
  state.recording = &list;
  host.new_frame();
  frame.draw(host.painter());
  ImGui::Render();
  state.recording = nullptr;
  return list;
}

Result<std::string> stage_as_svg(ImguiHost& host, Frame& frame) {
  FrameState& state = frame.state();
  const DisplayList list = stage_as_list(host, frame);
  const auto run = frame.run();
  if (!run || !run->document.opened || !shows_more_than_text(list))
    return fail(Code::unsupported, "error.app.no_figure", {in_quotes(tr("view." + state.workspace.view))});
  return to_svg(list, page_of(state, *run, list));
}

namespace {

// While it lives, the window has no notices: what was said of the last picture is not part of the next one.
class WithoutNotices : NoCopy {
 public:
  explicit WithoutNotices(FrameState& state) : state_(state) { held_.swap(state.notices); }
  ~WithoutNotices() { state_.notices.insert(state_.notices.begin(), held_.begin(), held_.end()); }

 private:
  FrameState& state_;
  std::vector<Notice> held_;
};

void copy_figure_text(ImguiHost& host, const GlContext& context, Frame& frame) {
  FrameState& state = frame.state();
  host.begin_picture(context.width(), context.height());  // without a mouse pointer
  draw_frames(kExportFrames, host, frame);
  const DisplayList list = stage_as_list(host, frame);
  host.end_picture();
  if (copy_text(figure_as_text(list))) state.notify(Notice::Kind::good, Text::of("export.copied"));
}

void export_stage_svg(const ExportRequest& request, ImguiHost& host, const GlContext& context, Frame& frame) {
  FrameState& state = frame.state();
  Result<std::string> text = [&] {
    const WithoutNotices clear(state);
    host.begin_picture(context.width(), context.height());
    draw_frames(kExportFrames, host, frame);
    Result<std::string> drawn = stage_as_svg(host, frame);
    host.end_picture();
    return drawn;
  }();
  if (text) return state.write_figure(request.path, with_session(*std::move(text), state, request.path));
  state.notify(text.error());
}

// The window, or its stage alone, at request.scale.
Result<Image> picture_of(const ExportRequest& request, ImguiHost& host, const GlContext& context,
                         Frame& frame) {
  const WithoutNotices clear(frame.state());
  const float usual = ui_scale();
  host.begin_picture(static_cast<int>(static_cast<float>(context.width()) * request.scale),
                     static_cast<int>(static_cast<float>(context.height()) * request.scale));
  host.set_scale(usual * request.scale);
  for (int i = 0; i < kExportFrames; ++i) {
    host.new_frame();
    frame.draw(host.painter());
    ImGui::Render();
  }
  Result<Image> picture = host.picture();
  const ImVec2 min = frame.state().stage_min, max = frame.state().stage_max;
  host.end_picture();
  host.set_scale(usual);
  if (picture && request.stage_only) return cropped(*picture, min, max);
  return picture;
}

}  // namespace

void export_picture(const ExportRequest& request, ImguiHost& host, GlContext& context, Frame& frame) {
  FrameState& state = frame.state();
  if (request.copies != CopyAs::nothing)
    if (const auto why = why_hidden(state)) return state.notify(*why);
  if (request.copies == CopyAs::text) return copy_figure_text(host, context, frame);
  if (request.copies == CopyAs::picture && has_figure(state)) return copy_shown_figure(state, request.scale);
  if (request.figure) return export_shown_figure(state, request);
  if (is_svg_path(request.path)) return export_stage_svg(request, host, context, frame);
  Result<Image> picture = picture_of(request, host, context, frame);
  if (!picture) return state.notify(picture.error());
  const auto image = std::make_shared<const Image>(*std::move(picture));
  const std::vector<PngText> texts = picture_texts(state, request.path);
  if (request.copies == CopyAs::nothing)
    return state.write_in_background(
        request.path, [path = request.path, image, texts] { return write_png(path, *image, texts); });
  state.write_in_background({}, [image, texts]() -> Status {
    TRY(const std::string png, encode_png(*image, texts));
    return picture_into_clipboard(png);
  });
}

Status write_stage(const std::string& path, ImguiHost& host, Frame& frame) {
  TRY(std::string text, stage_as_svg(host, frame));
  return write_svg(path, with_session(std::move(text), frame.state(), path));
}

Status write_window(const std::string& path, const GlContext& context, const FrameState& state) {
  return write_png(path, context.read_pixels(), picture_texts(state, path));
}

Status write_export(const Options& options, ImguiHost& host, const GlContext& context, Frame& frame) {
  const FrameState& state = frame.state();
  const std::string& path = options.export_path;
  if (options.export_part == ExportPart::window) return write_window(path, context, state);
  const bool stage_alone = options.export_walk.empty() && !has_figure(state) &&
                           (is_svg_path(path) || ends_with(lower(path), ".png"));
  if (options.export_part == ExportPart::stage || stage_alone)
    return is_svg_path(path)
               ? write_stage(path, host, frame)
               : write_png(path, cropped(context.read_pixels(), state.stage_min, state.stage_max),
                           picture_texts(state, path));
  ExportRequest request;
  request.path = path, request.walk = options.export_walk, request.figure = true;
  request.paper = options.paper, request.caption = options.caption, request.transparent = options.transparent;
  if (!options.export_size.empty()) request.size = options.export_size;
  if (options.export_scale > 0) request.scale = options.export_scale;
  TRY(const std::function<Status()> writer, shown_figure_writer(state, request));
  return writer();
}

double milliseconds_since_exec() {
  std::FILE* stat = std::fopen("/proc/self/stat", "r");
  if (!stat) return 0;
  char text[1024] = {};
  const std::size_t got = std::fread(text, 1, sizeof text - 1, stat);
  std::fclose(stat);
  text[got] = 0;
  const char* after_name = std::strrchr(text, ')');
  unsigned long long ticks = 0;  // field 22: start after boot, in clock ticks
  if (!after_name ||
      std::sscanf(after_name + 2,
                  "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                  &ticks) != 1)
    return 0;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const double now_ms = static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
  return now_ms - static_cast<double>(ticks) * 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace attnscope
