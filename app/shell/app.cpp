#include "app/shell/app.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "app/figure/svg.h"
#include "app/gpu/gl_context.h"
#include "app/gpu/imgui_host.h"
#include "app/gpu/side_window.h"
#include "app/look/fonts.h"
#include "app/panels/lesson/speaker.h"
#include "app/shell/easy_window.h"
#include "app/shell/picture.h"
#include "app/shell/presenter_sheet.h"
#include "app/shell/startup.h"
#include "app/shell/state_file.h"
#include "app/shell/worksheet.h"
#include "app/state/autosave.h"
#include "app/state/kept_sessions.h"
#include "app/state/session_look.h"
#include "app/state/workspace_file.h"
#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/system/atomic_file.h"
#include "core/system/signals.h"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSettleFrames = 4;       // frames until fonts and layout of a still picture are final
constexpr double kAfterglow = 0.45;    // seconds drawn after the last event, for animations
constexpr int kFramesAfterEvent = 3;   // the same in frames, when animations are off
constexpr double kBusyWait = 0.03;     // seconds between frames while a job runs
constexpr double kMovingWait = 0.004;  // limits the frame rate without vertical sync
constexpr double kTrainingWait = 0.1;  // while training: few frames, the cores are needed for it
constexpr double kBlinkWait = 0.25;    // blinking text cursor
constexpr double kIdleWait = 10.0;
constexpr double kClockWait = 0.5;  // clock in the presenter's window
constexpr double kFilesWait = 2.0;  // interval for checking whether open files have changed

// The easy window grows with its size, the panels show more.
float window_scale(const FrameState& state, float base, float width, float height) {
  return shows_easy(state) ? base * easy_scale(width / base, height / base) : base;
}

/// The event loop of the window.
class Loop {
 public:
  Loop(const Options& options, Session& session, GlContext& context, ImguiHost& host, Frame& frame)
      : options_(options), session_(session), context_(context), host_(host), frame_(frame) {}

  void run() {
    while (!is_over()) {
      const Status drawn = guarded(Text::of("fault.frame"), [this] { turn(); });
      drawing_ = false;
      if (drawn) continue;
      ImGui::EndFrame();  // if it was begun
      (void)guarded(Text::of("fault.frame"), [&] { session_.report(drawn.error()); });
    }
  }
  /// True while a frame is drawn; the state is inconsistent then.
  bool drawing() const { return drawing_; }

 private:
  // A training run that cannot be saved is reported once before the window closes.
  bool is_over() {
    FrameState& state = frame_.state();
    if (StopSignals::wanted()) return true;
    if (context_.lost()) {
      std::fprintf(stderr, "attnscope: %s\n", tr("error.gpu.lost"));
      return true;
    }
    if (!context_.should_close() && !state.quit && !state.leave.decided) return false;
    if (!may_leave(state)) return stay();
    const Status kept = std::exchange(warned_, true) ? Status(Done{}) : session_.training().settle();
    if (kept) return true;
    session_.report(kept.error());
    state.leave = {};
    return stay();
  }
  bool stay() {
    context_.request_close(false);
    frame_.state().quit = false;
    frames_left_ = kFramesAfterEvent;
    return false;
  }

  void turn() {
    drawing_ = true;
    draw();
    drawing_ = false;
    if (!first_drawn_) tell_start();
    wait();
    follow_opening();
  }

  void draw() {
    FrameState& state = frame_.state();
    const auto width = static_cast<float>(context_.width()), height = static_cast<float>(context_.height());
    const bool presented = state.presenter.on;
    host_.set_scale(presented ? presenter_scale(state, width, height)
                              : window_scale(state, base_scale(), width, height) * state.settings.zoom);
    state_file_.begin();
    const std::string spoken{std::string_view(language())};  // a copy: a click may change it
    host_.new_frame();
    frame_.draw(host_.painter());
    autosave_.follow(state);
    if (frame_.answered()) {
      ImGui::EndFrame();
      host_.new_frame();
      frame_.draw(host_.painter());
    }
    const bool other_scale = presented != state.presenter.on;  // the frame has the letters of the other one
    const bool other_language = language() != spoken;          // its letters are loaded before the next frame
    if (other_scale || other_language) wake_window();
    if (other_scale || other_language || state.lecture.changing(state)) {
      ImGui::EndFrame();
      if (!state.presenter.on) side_.reset();  // the notes go with what they are about
      return state_file_.end(frame_);
    }
    host_.set_lens(magnifier(state));
    host_.set_large_pointer(state.presenter.on);
    host_.render();
    show_notes();
    context_.swap();
    if (host_.painter().memory_full() && !std::exchange(told_memory_, true))
      state.notify(Notice::Kind::warning, Text::of("error.gpu.memory"), Text::of("error.gpu.memory.hint"), 0);
    state_file_.end(frame_);
    context_.set_full_screen(state.presenter.on);
    if (!state.presenter.on) note_size(state.settings);
    if (state.export_request) take_export();
    if (const auto sheet = std::exchange(state.sheet_request, std::nullopt))
      write_worksheet(*sheet, host_, state);
    const std::string title = session_.document().opened
                                  ? opened_title(*session_.document().opened) + " \u2013 attnscope"
                                  : "attnscope";
    if (title != title_) context_.set_title(title_ = title);
  }

  // The presenter notes' window, while presenting.
  void show_notes() {
    FrameState& state = frame_.state();
    if (!state.presenter.on) state.screens = screen_count();
    if (side_ && side_->should_close()) state.presenter.notes = false;
    if (!state.presenter.on || !state.presenter.notes) return side_.reset();
    if (!side_) {
      auto made = SideWindow::make(context_, host_, tr("speaker.title"));
      state.presenter.notes = made.ok();
      if (!made) return session_.report(made.error());
      side_ = *std::move(made);
    }
    side_->mirror();
    const Mirror mirror{compat::texture_id(side_->mirrored()), ImGui::GetIO().DisplaySize,
                        ImGui::IsMousePosValid() ? ImGui::GetIO().MousePos : ImVec2(-1, -1)};
    side_->show([&] { draw_speaker(state, mirror); });
  }

  void note_size(Settings& settings) const {
    const float scale = std::max(0.1f, context_.scale());
    settings.window_width = static_cast<int>(ImGui::GetIO().DisplaySize.x / scale);
    settings.window_height = static_cast<int>(ImGui::GetIO().DisplaySize.y / scale);
  }

  void take_export() {
    FrameState& state = frame_.state();
    const ExportRequest request = *state.export_request;
    state.export_request.reset();
    export_picture(request, host_, context_, frame_);
  }

  float base_scale() const { return options_.scale > 0.f ? options_.scale : context_.scale(); }

  // Sleeps until a frame is needed: an event, a job's result, or an animation.
  void wait() {
    const double since_event = std::chrono::duration<double>(Clock::now() - last_event_).count();
    const bool training = session_.training().running();
    const bool glowing = frame_.state().workspace.animate ? since_event < kAfterglow : frames_left_ > 0;
    const bool busy = !training && (session_.workers().any_busy() || frame_.moving());
    double seconds = kIdleWait;
    if (frame_.state().workspace.playing || frame_.state().workspace.moving || glowing || frames_left_ > 0 ||
        host_.keys_waiting())
      seconds = kMovingWait;
    else if (busy)
      seconds = kBusyWait;
    else if (ImGui::GetIO().WantTextInput)
      seconds = kBlinkWait;
    if (autosave_.waiting()) seconds = std::min(seconds, kFilesWait);
    if (side_) seconds = std::min(seconds, kClockWait);
    if (training) seconds = std::min(seconds, kTrainingWait);
    if (session_.watches_files()) seconds = std::min(seconds, kFilesWait);
    if (frames_left_ > 0) --frames_left_;
    const auto begin = Clock::now();
    context_.poll(seconds);
    const double slept = std::chrono::duration<double>(Clock::now() - begin).count();
    const bool woken = seconds > 0 && slept < seconds * 0.95;
    const bool held = ImGui::IsAnyMouseDown();
    // While training only user input counts as an event: the trainer wakes the loop all the time.
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    const bool event = training ? host_.keys_waiting() || moved.x != 0 || moved.y != 0 : woken;
    if (event || was_busy_ != busy || held) {
      last_event_ = Clock::now();
      frames_left_ = kFramesAfterEvent;
    }
    was_busy_ = busy;
  }

  // Applies the command line's input once the model is open, and its cursor after the first run.
  void follow_opening() {
    if (!input_given_ && session_.opened_version() > 0) {
      input_given_ = true;
      give_input_or_say(frame_.state(), options_);
      if (Status status = apply_training(frame_.state(), options_); !status) session_.report(status.error());
      return;
    }
    if (!input_given_ || cursor_given_ || session_.running() || session_.has_news()) return;
    if (!std::exchange(input_checked_, true)) return take_back_refused_input(frame_.state(), options_);
    if (!frame_.run()) return;
    cursor_given_ = true;
    std::vector<std::string> notes;
    if (Status status = apply_cursor(frame_.state(), *frame_.run(), options_, notes); !status)
      session_.report(status.error());
    for (const std::string& note : notes) frame_.state().notify(Notice::Kind::info, note);
  }

  void tell_start() {
    if (!session_.result() && session_.running()) return;
    first_drawn_ = true;
    if (!options_.timing) return;
    std::fprintf(stderr, "attnscope: first picture of a run after %.0f ms (%s)\n", milliseconds_since_exec(),
                 context_.description.c_str());
  }

  const Options& options_;
  Session& session_;
  GlContext& context_;
  ImguiHost& host_;
  Frame& frame_;
  std::unique_ptr<SideWindow> side_;
  StateFile state_file_;
  Autosave autosave_;
  std::string title_;
  Clock::time_point last_event_ = Clock::now();
  int frames_left_ = kFramesAfterEvent;
  bool first_drawn_ = false, was_busy_ = false, input_given_ = false, input_checked_ = false,
       cursor_given_ = false;
  bool warned_ = false;       ///< that the training run cannot be saved
  bool told_memory_ = false;  ///< that the graphics memory is full
  std::atomic<bool> drawing_{false};
};

Options with_defaults(Options options, const Settings& settings) {
  if (options.width == 0) options.width = settings.window_width;
  if (options.height == 0) options.height = settings.window_height;
  return options;
}

// Keeps unsaved work, however the program ends. `asked`: the user closed the program, and had the choice to
// save.
void keep_all(FrameState& state, bool asked) {
  if (const Status kept = keep_works(state, asked); !kept) (void)complain(kept.error());
  if (Status saved = save_workspace(workspace_path(), state.workspace, state.settings); !saved)
    (void)complain(saved.error());
  if (Status kept = state.session.training().close(); !kept) (void)complain(kept.error());
}

}  // namespace

int complain(const Error& error) {
  std::fprintf(stderr, "attnscope: %s\n", error.text().c_str());
  return 1;
}

int run_window(const Options& asked) {
  const StopSignals stop(wake_window);
  Session session([] { wake_window(); });
  Frame frame(session);
  FrameState& state = frame.state();
  const bool known = load_workspace(workspace_path(), state.workspace, state.settings);
  const bool plain = asked.lesson.empty() && asked.lecture.empty() && !asked.present;
  if (!known && plain) state.workspace.level = Level::easy;  // the first start
  apply_language(state, asked);
  prune_kept_sessions({asked.path, state.settings.unsaved});
  state.offers = sessions_to_offer(state.settings.unsaved);
  std::erase(state.offers, asked.path);
  session.training().keep_in(training_folder());
  state.lessons.keep_in(progress_path());
  state.lecture.keep_in(state, lecture_path());
  const Options options = with_defaults(asked, state.settings);
  open_asked(state, options);  // runs while the window is created
  auto context = make_window("attnscope", options.width, options.height);
  if (!context) return complain(context.error());
  state.apply_theme();
  auto host = ImguiHost::make(**context, options.scale);
  if (!host) return complain(host.error());
  if (!font_warning().empty()) std::fprintf(stderr, "attnscope: %s\n", font_warning().c_str());
  state.screens = screen_count();
  if (Status status = apply_look(state, options); !status) session.report(status.error());
  (*context)->on_drop = [&](const std::vector<std::string>& paths) {
    if (!paths.empty()) state.drop(paths.front());
  };
  Loop loop(options, session, **context, **host, frame);
  set_last_words([&, window_thread = std::this_thread::get_id()] {
    for (int i = 0; i < 200 && loop.drawing() && std::this_thread::get_id() != window_thread; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    keep_all(state, false);
  });
  loop.run();
  keep_all(state, !StopSignals::wanted() && !(*context)->lost());
  set_last_words({});
  return 0;
}

int print_worksheet(const Options& options) {
  if (!options.language.empty()) (void)set_language(options.language);
  auto context = make_offscreen(64, 64);
  if (!context) return complain(context.error());
  auto host = ImguiHost::make(**context, 1.f);
  if (!host) return complain(host.error());
  const auto html = drawn_worksheet({options.worksheet, options.lesson, options.answers}, **host);
  if (!html) return complain(html.error());
  const Status written = write_file(options.worksheet, *html);
  return written ? 0 : complain(written.error());
}

Status open_and_wait(FrameState& state, const Options& options) {
  Session& session = state.session;
  apply_language(state, options);
  open_asked(state, options);
  session.wait();
  if (session.error()) return *session.error();
  TRY_OK(apply_input(state, options));
  if (!options.bench_frames) TRY_OK(apply_training(state, options));
  session.training().wait();
  session.wait();
  if (const auto why = refused_input(session, options)) return *why;
  return Done{};
}

int take_screenshot(const Options& options) {
  Session session;
  Frame frame(session);
  FrameState& state = frame.state();
  hold_still(state.workspace);
  if (const Status opened = open_and_wait(state, options); !opened) return complain(opened.error());
  auto screen = open_still_screen(options, ImVec2(kUsualWide, kUsualHigh));
  if (!screen) return complain(screen.error());
  ImguiHost& host = *screen->host;
  if (Status status = apply_look(state, options); !status) return complain(status.error());
  const auto set_scale = [&] {  // depends on the current view and level
    const float scale = screen->scale, wide = screen->size.x * scale, high = screen->size.y * scale;
    host.set_scale(state.presenter.on ? presenter_scale(state, wide, high)
                                      : window_scale(state, scale, wide, high));
  };
  set_scale();
  state.workspace.animate = false;
  const auto frames = [&](int count) { draw_frames(count, host, frame); };
  frames(1);
  std::vector<std::string> notes;
  if (session.result())
    if (Status status = apply_cursor(state, *session.result(), options, notes); !status)
      return complain(status.error());
  for (const std::string& note : notes) std::fprintf(stderr, "attnscope: %s\n", note.c_str());
  state.workspace.motion = options.motion;
  state.workspace.motion_held = options.motion < 1;
  settle(session, host, frame, kSettleFrames);
  if (state.presenter.on) {
    set_scale();
    settle(session, host, frame, kSettleFrames);
  }
  if (session.mixed()) return complain(*session.mixed());
  if (!options.save_session.empty())
    if (Status saved = state.save_session_to(options.save_session); !saved) return complain(saved.error());
  if (!options.export_path.empty())
    if (Status written = write_export(options, host, *screen->context, frame); !written)
      return complain(written.error());
  if (options.screenshot.empty()) return 0;
  const Status written = is_svg_path(options.screenshot)
                             ? write_stage(options.screenshot, host, frame)
                             : write_window(options.screenshot, *screen->context, state);
  if (!written) return complain(written.error());
  return 0;
}

}  // namespace attnscope
