#include "app/shell/bench_frames.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/gpu/gl_context.h"
#include "app/gpu/imgui_host.h"
#include "app/look/imgui_compat.h"
#include "app/look/item_map.h"
#include "app/shell/app.h"
#include "app/shell/picture.h"
#include "app/shell/startup.h"
#include "app/views/attention_common.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {

std::atomic<std::int64_t> allocations_counted{0};

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFrames = 90;          // per view and kind of measurement
constexpr float kPlaySpeed = 12.f;   // steps per second
constexpr std::size_t kChosen = 24;  // number of heads of a long input that are opened
constexpr std::int64_t kLong = 512;  // tokens; longer inputs are shown downsampled

constexpr double kMostMilliseconds = 10000;  // timeout for a map

enum class Doing { still, hover, scroll, play, map, tile };
constexpr const char* kDoings[] = {"still", "hover", "scroll", "play", "map", "tile"};

// Milliseconds that this thread has computed for: what else runs on the machine does not count.
double own_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Sample {
  double milliseconds = 0;
  double own = 0;  // of the thread that makes the frame
  std::int64_t vertices = 0, calls = 0, allocations = 0, pixels = 0;
};

/// Statistics over frames; counts are medians.
struct Measured {
  std::string view;
  Doing doing = Doing::hover;
  double p50 = 0, p95 = 0, worst = 0;
  double own_p50 = 0, own_p95 = 0;
  std::int64_t vertices = 0, calls = 0, allocations = 0, pixels = 0;
};

class Bench {
 public:
  Bench(Session& session, ImguiHost& host, Frame& frame) : session_(session), host_(host), frame_(frame) {}

  /// `only`: of this view alone; empty: of every view.
  std::vector<Measured> measure(const std::string& only) {
    std::vector<Measured> out;
    if (only.empty() || only == "attention") out = measure_maps();
    settle(session_, host_, frame_, 4);
    FrameState& state = frame_.state();
    for (const auto& view : state.views) {
      if (!only.empty() && view->id() != only) continue;
      if (const auto run = frame_.run(); !run || !view->unavailable(*run).empty()) continue;
      for (const Doing doing : {Doing::still, Doing::hover, Doing::scroll, Doing::play}) {
        state.workspace.view = view->id();
        state.workspace.animate =
            doing == Doing::play;  // a lab that moves its number by itself does not stand still
        out.push_back(measure(view->id(), doing));
      }
    }
    return out;
  }

 private:
  // Long input: time from choosing a head until its map is on the screen, the whole map and zoomed in at full
  // resolution, while the thumbnails of all heads are computed.
  std::vector<Measured> measure_maps() {
    (void)one_frame();
    const auto run = frame_.run();
    FrameState& state = frame_.state();
    if (!run || run->trace(0).length <= kLong || !has_attention(*run)) return {};
    state.workspace.view = "attention";
    for (int i = 0; i < 4; ++i) (void)one_frame();
    std::vector<Measured> out{summary("attention", Doing::map, choose_heads(*run))};
    if (const auto at = map_item()) {
      click((at->p0.x + at->p1.x) / 2, (at->p0.y + at->p1.y) / 2);
      if (const auto zoomed = map_item(); zoomed && zoomed->rows > kLong)  // zoomed in to single tokens
        out.push_back(summary("attention", Doing::tile, choose_heads(*run)));
    }
    return out;
  }

  std::vector<Sample> choose_heads(const RunResult& run) {
    Cursor& cursor = frame_.state().workspace.cursor;
    const auto patterns = patterns_of(run.trace(0), attention_places(run.trace(0)).front());
    std::vector<Sample> out;
    for (std::size_t i = 1; i <= kChosen; ++i) {
      const Record& pattern = *patterns[i * 7 % patterns.size()];
      cursor.stack = pattern.site.stack, cursor.part = pattern.site.part, cursor.layer = pattern.site.layer;
      cursor.head = static_cast<int>(i * 5 % static_cast<std::size_t>(pattern.shape[0]));
      Sample sum;
      do {
        const Sample frame = one_frame();
        sum.milliseconds += frame.milliseconds, sum.own += frame.own;
        sum.vertices = frame.vertices, sum.calls = frame.calls, sum.pixels += frame.pixels;
        sum.allocations += frame.allocations;
      } while (!map_item() && sum.milliseconds < kMostMilliseconds);
      out.push_back(sum);
    }
    return out;
  }

  // The item of the chosen head's map, once it is drawn.
  static std::optional<ItemRect> map_item() {
    const auto at = noted_items().find("matrix.attention.plane");
    return at == noted_items().end() ? std::nullopt : std::optional(at->second);
  }

  void click(float x, float y) {
    ImGuiIO& io = ImGui::GetIO();
    for (const bool down : {true, false}) {
      compat::feed_mouse_pos(io, x, y);
      compat::feed_mouse_button(io, 0, down);
      (void)one_frame();
    }
    compat::feed_mouse_pos(io, -1, -1);
    (void)one_frame();
  }

  Measured measure(const std::string& view, Doing doing) {
    Workspace& workspace = frame_.state().workspace;
    settle(session_, host_, frame_, 4);
    workspace.playing = doing == Doing::play;
    workspace.speed = kPlaySpeed;
    std::vector<Sample> samples;
    for (int i = 0; i < kFrames; ++i) {
      act(doing, i);
      samples.push_back(one_frame());
    }
    workspace.playing = false;
    compat::feed_mouse_pos(ImGui::GetIO(), -1, -1);
    return summary(view, doing, samples);
  }

  void act(Doing doing, int i) const {
    const FrameState& state = frame_.state();
    const ImVec2 min = state.stage_min, max = state.stage_max;
    const auto place = [](float from, float to, double share) {
      return from + (to - from) * static_cast<float>(share);
    };
    ImGuiIO& io = ImGui::GetIO();
    if (doing == Doing::play || doing == Doing::still) return compat::feed_mouse_pos(io, -1, -1);
    const double t = static_cast<double>(i) / kFrames * 6.283185307;
    const bool moves = doing == Doing::hover;
    compat::feed_mouse_pos(io, place(min.x, max.x, moves ? 0.5 + 0.4 * std::sin(3 * t) : 0.6),
                           place(min.y, max.y, moves ? 0.55 + 0.35 * std::cos(2 * t) : 0.6));
    if (doing == Doing::scroll) compat::feed_wheel(io, i / 10 % 2 == 0 ? 1.f : -1.f);
  }

  Sample one_frame() {
    finish_drawing();
    const std::int64_t allocations = allocations_counted;
    const auto begin = Clock::now();
    const double own = own_milliseconds();
    host_.new_frame();
    frame_.draw(host_.painter());
    host_.render();
    finish_drawing();
    Sample out;
    out.own = own_milliseconds() - own;
    out.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    out.allocations = allocations_counted - allocations;
    out.pixels = host_.pixels_drawn();
    const ImDrawData& drawn = *ImGui::GetDrawData();
    out.vertices = drawn.TotalVtxCount;
    for (int list = 0; list < drawn.CmdListsCount; ++list) out.calls += drawn.CmdLists[list]->CmdBuffer.Size;
    return out;
  }

  static Measured summary(const std::string& view, Doing doing, const std::vector<Sample>& samples) {
    const auto at = [&](auto member, double share) {
      std::vector<Sample> sorted = samples;
      std::sort(sorted.begin(), sorted.end(),
                [&](const Sample& a, const Sample& b) { return a.*member < b.*member; });
      return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)].*member;
    };
    Measured out;
    out.view = view, out.doing = doing;
    out.p50 = at(&Sample::milliseconds, 0.5), out.p95 = at(&Sample::milliseconds, 0.95);
    out.worst = at(&Sample::milliseconds, 1);
    out.own_p50 = at(&Sample::own, 0.5), out.own_p95 = at(&Sample::own, 0.95);
    out.vertices = at(&Sample::vertices, 0.5), out.calls = at(&Sample::calls, 0.5);
    out.allocations = at(&Sample::allocations, 0.5), out.pixels = at(&Sample::pixels, 0.5);
    return out;
  }

  Session& session_;
  ImguiHost& host_;
  Frame& frame_;
};

void print(const std::vector<Measured>& rows, bool json, const std::string& driver) {
  nlohmann::json all = nlohmann::json::array();
  if (!json) std::printf("%s\n", tr("bench.frames", {std::to_string(kFrames), driver}).c_str());
  if (!json)
    std::printf("%-10s %-7s %8s %8s %8s %8s %8s %9s %6s %7s %9s\n", "view", "doing", "p50 ms", "p95 ms",
                "worst", "own p50", "own p95", "vertices", "calls", "allocs", "pixels");
  for (const Measured& row : rows) {
    const char* doing = kDoings[static_cast<int>(row.doing)];
    all.push_back({{"view", row.view},
                   {"doing", doing},
                   {"p50_ms", row.p50},
                   {"p95_ms", row.p95},
                   {"worst_ms", row.worst},
                   {"own_p50_ms", row.own_p50},
                   {"own_p95_ms", row.own_p95},
                   {"vertices", row.vertices},
                   {"draw_calls", row.calls},
                   {"allocations", row.allocations},
                   {"pixels_drawn", row.pixels}});
    if (!json)
      std::printf("%-10s %-7s %8.2f %8.2f %8.2f %8.2f %8.2f %9lld %6lld %7lld %9lld\n", row.view.c_str(),
                  doing, row.p50, row.p95, row.worst, row.own_p50, row.own_p95,
                  static_cast<long long>(row.vertices), static_cast<long long>(row.calls),
                  static_cast<long long>(row.allocations), static_cast<long long>(row.pixels));
  }
  if (json)
    std::printf("%s\n",
                nlohmann::json{{"driver", driver}, {"frames", kFrames}, {"views", all}}.dump(1).c_str());
}

}  // namespace

int bench_frames(const Options& options) {
  Session session;
  Frame frame(session);
  FrameState& state = frame.state();
  if (const Status opened = open_and_wait(state, options); !opened) return complain(opened.error());
  auto screen = open_still_screen(options, ImVec2(kUsualWide, kUsualHigh));
  if (!screen) return complain(screen.error());
  if (Status status = apply_look(state, options); !status) return complain(status.error());
  print(Bench(session, *screen->host, frame).measure(options.view), options.json,
        screen->context->description);
  return 0;
}

}  // namespace attnscope
