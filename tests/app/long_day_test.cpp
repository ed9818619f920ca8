// A long day: random actions, clicks and keys without a pause. What the program keeps has a bound, so the
// memory in use is the same after every hour. It begins when each action has been there once, in the easy
// window and in the full one, and an hour has been lived through: before that, what is kept of a view, a lab
// or a model is missing because nobody was there, and not because it was given back.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

#include "app/state/actions.h"
#include "app/state/autosave.h"
#include "core/system/heap.h"
#include "core/tensor/block_pool.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr int kHour = 1200;  // one every three seconds

constexpr std::size_t kKeptBlocks = std::size_t{512} << 20;

struct Memory {
  double heap = 0, resident = 0;  ///< MB
};

// Without the freed blocks that are kept for the next run, whose number has a bound of its own.
Memory memory_now() {
  set_kept_block_limit(0);
  set_kept_block_limit(kKeptBlocks);
  ::malloc_trim(0);
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  const struct mallinfo2 heap = ::mallinfo2();
  return {static_cast<double>(heap.uordblks + heap.hblkhd) / 1e6,
          static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / 1e6};
}

int asked_number(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atoi(value) : otherwise;
}

class LongDay : public testing::FrameTest {
 protected:
  void SetUp() override {
    share_heap_arenas();  // as the program's main()
    for (const char* name : {"HOME", "XDG_CONFIG_HOME"}) ::setenv(name, folder_.path().c_str(), 1);
    before_ = fs::current_path();
    fs::current_path(folder_.path());
    FrameTest::SetUp();
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's own
  }
  void TearDown() override {
    FrameTest::TearDown();
    fs::current_path(before_);
    ::unsetenv("XDG_CONFIG_HOME");
  }

  std::size_t below(std::size_t count) {
    return count == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

  // An action of the tables with one of its arguments; nothing that ends the program or asks for a path.
  void act() {
    const Action& action = actions()[below(actions().size())];
    if (action.id == "file.quit" || action.takes == Takes::path || !is_possible(action, state())) return;
    std::string argument;
    if (action.takes != Takes::nothing) {
      const std::vector<Choice> all = choices(state(), action.takes);
      if (all.empty()) return;
      argument = all[below(all.size())].argument;
    }
    perform(state(), action.id, argument);
  }
  // Each action of the tables with each of its arguments, so that every view, lab, lesson, model and page of
  // the handbook has been there once: what is kept of them has a bound, and a morning is not measured without
  // it.
  void visit_everything() {
    for (const Action& action : actions()) {
      if (action.id == "file.quit" || action.takes == Takes::path) continue;
      std::vector<std::string> arguments;
      if (action.takes == Takes::nothing)
        arguments = {""};
      else
        for (const Choice& choice : choices(state(), action.takes)) arguments.push_back(choice.argument);
      for (const std::string& argument : arguments) {
        if (is_possible(action, state())) perform(state(), action.id, argument);
        settle();
        pass();
      }
    }
  }
  // What a frame of the program does besides drawing; nothing ends it, and trainings stay short.
  void pass() {
    autosave_.follow(state());
    state().leave = {};
    state().quit = false;
    if (session_->training().running()) session_->training().pause();
  }
  // Something on screen, but for the list of files: what lies on a disk is another test's.
  void click_something() {
    std::vector<std::string> all;
    for (const auto& [name, place] : noted_items())
      if (name.find("browser") == std::string::npos && place.p1.x > place.p0.x) all.push_back(name);
    if (all.empty()) return;
    const ItemRect place = noted_items().at(all[below(all.size())]);
    const auto part = [&] { return 0.1f + 0.8f * static_cast<float>(below(1000)) / 1000; };
    point_at(place.p0.x + (place.p1.x - place.p0.x) * part(),
             place.p0.y + (place.p1.y - place.p0.y) * part());
    frames(1);
    const int button = one_in(8) ? 1 : 0;
    compat::feed_mouse_button(ImGui::GetIO(), button, true);
    frames(1);
    compat::feed_mouse_button(ImGui::GetIO(), button, false);
    frames(1);
  }
  void press_something() {
    using compat::Key;
    constexpr Key kKeys[] = {Key::escape, Key::left, Key::right, Key::up, Key::down};
    key(kKeys[below(std::size(kKeys))]);
  }
  void live(int actions_done) {
    for (int i = 0; i < actions_done; ++i) {
      switch (below(4)) {
        case 0: act(); break;
        case 1: press_something(); break;
        default: click_something(); break;
      }
      frames(1);
      pass();
      if (one_in(20)) settle();
    }
  }
  // The same window as in the morning.
  Memory at_rest() {
    for (int i = 0; i < 6; ++i) key(compat::Key::escape);
    state().lessons.close(state());
    state().lecture.halt(state());
    session_->unpin();
    // The last training is kept, however long ago it was; they have several sizes.
    EXPECT_TRUE(session_->training().start(*training_settings("sorter"), false));
    while (session_->training().busy()) frames(1);
    // Works with changes are kept to be gone back to, a bounded number of them; all are alike now.
    for (int i = 0; i < 25; ++i) {
      open_default();
      const Status changed =
          session_->edit("mask", {}, [](Document& document) { return set_mask_text(document, "window(2)"); });
      EXPECT_TRUE(changed) << changed.error().sentence();
      settle();
    }
    open_default();
    workspace() = morning_;
    state().notices.clear();
    frames(300);
    // Dear ImGui gives back the buffers of windows that were not drawn for a minute.
    const float usual = std::exchange(ImGui::GetIO().DeltaTime, 1.f);
    frames(70);
    ImGui::GetIO().DeltaTime = usual;
    settle();
    return memory_now();
  }

  const testing::TempFolder folder_;
  fs::path before_;
  std::mt19937 random_{static_cast<unsigned>(asked_number("ATTNSCOPE_DAY_SEED", 1))};
  Autosave autosave_;
  Workspace morning_;
};

// ATTNSCOPE_DAY_HOURS: 8 is the day; a part of an hour is what every run of the tests lives through.
TEST_F(LongDay, EndsWithTheMemoryThatItBeganWith) {
  const int hours = asked_number("ATTNSCOPE_DAY_HOURS", 0);
  const int each = hours > 0 ? kHour : 150, count = hours > 0 ? hours : 3;
  open_default();
  morning_ = workspace();
  for (const Level level : {Level::easy, Level::full}) {
    if (hours == 0 || !open_shipped_or_skip(kDefaultModel)) break;
    workspace().level = level;
    visit_everything();
  }
  live(hours > 0 ? each : 2 * each);  // until what is kept from the first minutes is there
  const Memory morning = at_rest();
  std::printf("morning: heap %.1f MB, resident %.1f MB\n", morning.heap, morning.resident);
  std::fflush(stdout);
  Memory now = morning;
  for (int hour = 1; hour <= count; ++hour) {
    live(each);
    now = at_rest();
    std::printf("hour %d: heap %.1f MB, resident %.1f MB\n", hour, now.heap, now.resident);
    std::fflush(stdout);
  }
  // After minutes not every cache is as full as it gets: some 7 MB of the 30 that are in use then.
  const double slack = hours > 0 ? 0.05 : 0.25;
  EXPECT_LT(now.heap, morning.heap * (1 + slack)) << "MB in use";
  EXPECT_LT(now.resident, morning.resident * (1 + slack)) << "MB resident";
}

}  // namespace
}  // namespace attnscope
