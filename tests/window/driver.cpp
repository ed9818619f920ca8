#include "tests/window/driver.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/views/view.h"
#include "tests/window/drop_source.h"

namespace attnscope::testing {
namespace {

constexpr double kStartSeconds = 60;  // a loaded machine, and the sanitizers

/// Starts a program; `files` are opened as its 0, 1 and 2. It ends with this process.
pid_t spawn(const std::vector<std::string>& arguments, const Environment& environment,
            const std::array<int, 3>& files) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int stop : {SIGINT, SIGHUP}) signal(stop, SIG_DFL);  // ignored under nohup, or behind &
  for (int i = 0; i < 3; ++i)
    if (files[static_cast<std::size_t>(i)] >= 0) dup2(files[static_cast<std::size_t>(i)], i);
  for (const auto& [name, value] : environment) {
    if (value.empty())
      unsetenv(name.c_str());
    else
      setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

int exit_status(int raw) { return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw); }

void end_process(pid_t process) {
  if (process <= 0) return;
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

}  // namespace

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

double now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

Finished run_program(const std::vector<std::string>& arguments, const Environment& environment,
                     const std::string& input) {
  const TempFolder folder;
  std::ofstream(folder / "in", std::ios::binary) << input;
  const int in = open((folder / "in").c_str(), O_RDONLY | O_CLOEXEC);
  const int out = open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int err = open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const pid_t process = spawn(arguments, environment, {in, out, err});
  for (const int file : {in, out, err}) close(file);
  int raw = 0;
  waitpid(process, &raw, 0);
  return {exit_status(raw), read_text(folder / "out"), read_text(folder / "err")};
}

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::stringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

TempFolder::TempFolder() {
  std::string name = (fs::temp_directory_path() / "attnscope-window-XXXXXX").string();
  if (mkdtemp(name.data())) path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Display::Display() {
  const char* chosen = std::getenv("ATTNSCOPE_TEST_DISPLAY");
  const char* given = std::getenv("DISPLAY");
  if (chosen)
    name = chosen;
  else if (in_path("Xvfb"))
    start_own();
  else if (given)
    name = given;
  else
    why = "There is no display: apt-get install xvfb.";
}

void Display::start_own() {
  int ends[2];
  if (pipe(ends) != 0) return;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  process_ = spawn({"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen", "0", "1920x1080x24",
                    "-nolisten", "tcp", "-noreset"},
                   {}, {null, null, null});
  close(ends[1]);
  close(null);
  // Up to the line's end: Xvfb writes it in two pieces, and would not survive a closed pipe.
  std::string text;
  pollfd ready{ends[0], POLLIN, 0};
  for (char c = 0; c != '\n' && poll(&ready, 1, 20000) > 0 && read(ends[0], &c, 1) == 1;) text += c;
  close(ends[0]);
  if (text.size() > 1)
    name = ":" + text.substr(0, text.size() - 1);
  else
    why = "Xvfb is installed but did not start.";
}

Display::~Display() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

bool Display::die() {
  if (process_ <= 0) return false;
  end_process(std::exchange(process_, -1));
  return true;
}

// ---- Window ---------------------------------------------------------------------------------------
Window::Window(const TempFolder& folder, const std::vector<std::string>& arguments)
    : state_path_(folder / "state.json"), stderr_path_(folder / "stderr.txt") {
  std::error_code ignored;
  fs::remove(state_path_, ignored);
  std::vector<std::string> all{ATTNSCOPE_PROGRAM};
  if (std::find(arguments.begin(), arguments.end(), "--level") == arguments.end())
    all.insert(all.end(), {"--level", "full"});  // the first start is easy
  all.insert(all.end(), arguments.begin(), arguments.end());
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int err = open(stderr_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  pid_ = spawn(all,
               {{"ATTNSCOPE_STATE", state_path_.string()},
                {"ATTNSCOPE_TIMING", "1"},
                {"XDG_CONFIG_HOME", (folder / "config").string()},
                {"HOME", folder.path().string()}},
               {null, null, err});
  close(null);
  close(err);
}

Window::~Window() {
  if (!ended()) end_process(pid_);
  end_process(clipboard_);
}

bool Window::ended() {
  if (status_ >= 0) return true;
  int raw = 0;
  if (waitpid(pid_, &raw, WNOHANG) != pid_) return false;
  status_ = exit_status(raw);
  return true;
}

const Json& Window::state() {
  std::error_code error;
  const auto written_at = fs::last_write_time(state_path_, error);
  if (!error && written_at != read_at_) {
    Json read = Json::parse(read_text(state_path_), nullptr, false);
    if (read.is_object()) {
      state_ = std::move(read);
      read_at_ = written_at;
    }
  }
  if (!state_.is_object()) state_ = {{"items", Json::object()}};
  return state_;
}

void Window::wait(const std::string& what, const std::function<bool(const Json&)>& condition,
                  double seconds) {
  for (const double end = now_ms() + seconds * 1000; now_ms() < end; sleep_ms(4)) {
    const bool over = ended();
    const Json& now = state();
    if (now.contains("version") && condition(now)) return;
    if (over) break;
  }
  throw std::runtime_error(
      (ended() ? "The program ended (status " + std::to_string(status_) + ") before: " : "Did not happen: ") +
      what);
}

void Window::settled() {
  wait("nothing computes in the background", [](const Json& now) { return now.at("busy") == false; });
}

void Window::find_window() {
  if (!window_id_.empty()) return;
  const Finished found =
      run_program({"xdotool", "search", "--sync", "--onlyvisible", "--name", "attnscope$"});
  window_id_ = found.out.substr(0, found.out.find('\n'));
  if (window_id_.empty()) throw std::runtime_error("xdotool finds no window: " + found.err);
  run_program({"xdotool", "windowfocus", window_id_});
}

void Window::act(const std::vector<std::string>& xdotool) {
  if (ended()) return;
  find_window();
  std::vector<std::string> all{"xdotool"};
  for (const std::string& word : xdotool) all.push_back(word == "WINDOW" ? window_id_ : word);
  const Finished done = run_program(all, {{"LC_ALL", "C.UTF-8"}});
  if (done.status != 0) throw std::runtime_error("xdotool: " + done.err);
}

void Window::type_and_click(const std::string& text, const std::string& item) {
  const std::vector<double> r = rect_of(item);
  const auto middle = [&](std::size_t d) { return std::to_string(static_cast<int>((r[d] + r[d + 2]) / 2)); };
  act({"type", "--delay", "0", text});
  act({"key", "Return", "mousemove", "--window", "WINDOW", middle(0), middle(1), "click", "1"});
}

void Window::paste(const std::string& text) {
  end_process(clipboard_);
  const TempFolder folder;
  std::ofstream(folder / "text", std::ios::binary) << text;
  const int in = open((folder / "text").c_str(), O_RDONLY | O_CLOEXEC);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  clipboard_ = spawn({"xclip", "-quiet", "-selection", "clipboard", "-i"}, {}, {in, null, null});
  close(in);
  close(null);
  for (const double end = now_ms() + 5000; now_ms() < end; sleep_ms(10))
    if (run_program({"timeout", "2", "xclip", "-selection", "clipboard", "-o"}).out == text) break;
  key("ctrl+v");
}

std::vector<double> Window::rect_of(const std::string& item) {
  std::vector<double> rect;
  double same_since = now_ms();
  wait("the item \"" + item + "\" is on screen and stands still", [&](const Json& now) {
    const auto at = now.at("items").find(item);
    if (at == now.at("items").end()) return false;
    const auto found = at->get<std::vector<double>>();
    if (found != rect) same_since = now_ms();
    rect = found;
    return now_ms() - same_since > 60;
  });
  return rect;
}

bool Window::seen(const std::function<bool(const Json& mouse)>& condition) {
  for (const double end = now_ms() + 2000; now_ms() < end && !ended(); sleep_ms(2))
    if (const Json& now = state(); now.contains("mouse") && condition(now.at("mouse"))) return true;
  return false;
}

// Again where the pointer came elsewhere: a window that has just opened may still find its place.
void Window::move_to(Point at) {
  for (int tries = 0; tries < 3; ++tries) {
    act({"mousemove", "--window", "WINDOW", std::to_string(at.x), std::to_string(at.y)});
    if (seen([&](const Json& mouse) { return mouse.at(0) == at.x && mouse.at(1) == at.y; })) return;
  }
}

void Window::press_at(Point at, const std::string& button) {
  move_to(at);
  act({"mousedown", button});
  seen([](const Json& mouse) { return mouse.at(2) == true; });
  act({"mouseup", button});
  seen([](const Json& mouse) { return mouse.at(2) == false; });
}

// A window that has just opened finds its place in its first frames, which may be long ones: where the item
// moved away under the pointer, again.
void Window::click(const std::string& item, double x, double y, const std::string& button) {
  for (int tries = 0;; ++tries) {
    const std::vector<double> r = rect_of(item);
    const Point at{static_cast<int>(r[0] + x * (r[2] - r[0])), static_cast<int>(r[1] + y * (r[3] - r[1]))};
    move_to(at);
    if (state().at("items").value(item, r) == r || tries == 3) return press_at(at, button);
  }
}

void Window::click_view(const std::string& id) {
  settled();
  for (const double end = now_ms() + 200; now_ms() < end;
       sleep_ms(10))  // items are those of the frame before
    if (state().at("items").contains("tab_" + id)) return click("tab_" + id);
  for (const auto& view : make_views())
    if (view->id() == id) {
      const std::string group = std::string("tabs_") + group_name(view->group());
      click(state().at("items").contains(group) ? group : "tab_more");
    }
  click("behind_" + id);
}

Window::Point Window::cell_of(const std::string& matrix, int row, int col) {
  const std::vector<double> r = rect_of(matrix);
  if (r.size() < 6) throw std::runtime_error(matrix + " is no matrix");
  return {static_cast<int>(r[0] + (col + 0.5) * (r[2] - r[0]) / r[5]),
          static_cast<int>(r[1] + (row + 0.5) * (r[3] - r[1]) / r[4])};
}

void Window::click_cell(const std::string& matrix, int row, int col) {
  press_at(cell_of(matrix, row, col), "1");
}
void Window::hover_cell(const std::string& matrix, int row, int col) { move_to(cell_of(matrix, row, col)); }

void Window::drag(const std::string& item, int dx, int dy) {
  const std::vector<double> r = rect_of(item);
  const int x = static_cast<int>((r[0] + r[2]) / 2), y = static_cast<int>((r[1] + r[3]) / 2);
  move_to({x, y});
  act({"mousedown", "1"});
  seen([](const Json& mouse) { return mouse.at(2) == true; });
  constexpr int kSteps = 5;
  for (int step = 1; step <= kSteps; ++step) move_to({x + dx * step / kSteps, y + dy * step / kSteps});
  act({"mouseup", "1"});
  seen([](const Json& mouse) { return mouse.at(2) == false; });
}

void Window::resize(int width, int height) {
  act({"windowsize", "WINDOW", std::to_string(width), std::to_string(height)});
}

void Window::drop(const fs::path& path) {
  find_window();
  const std::string wrong = drop_files(std::stoul(window_id_), {path.string()});
  if (!wrong.empty()) throw std::runtime_error("drop: " + wrong);
}

void Window::send(int signal) {
  if (!ended()) kill(pid_, signal);
}

double Window::cpu_ms() const {
  const std::string text = read_text("/proc/" + std::to_string(pid_) + "/stat");
  std::stringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

int Window::wait_for_end(double seconds) {
  for (const double end = now_ms() + seconds * 1000; now_ms() < end; sleep_ms(5))
    if (ended()) return status_;
  return -1;
}

std::string Window::report() {
  Json now = state();
  now.erase("steps");
  return "stderr:\n" + errors() + "\nstate:\n" + now.dump(1, ' ', false, Json::error_handler_t::replace);
}

// ---- WindowTest -----------------------------------------------------------------------------------
void WindowTest::SetUp() {
  for (const char* tool : {"xdotool", "xclip"})
    if (!in_path(tool)) GTEST_SKIP() << tool << " is not installed: apt-get install " << tool;
  display_ = std::make_unique<Display>();
  if (display_->name.empty()) GTEST_SKIP() << display_->why;
  setenv("DISPLAY", display_->name.c_str(), 1);
}

void WindowTest::TearDown() {
  if (HasFailure() && window_) std::fprintf(stderr, "%s\n", window_->report().c_str());
}

Window& WindowTest::start(const std::vector<std::string>& arguments) {
  window_.reset();
  window_ = std::make_unique<Window>(folder_, arguments);
  window_->wait(
      "the first run is on screen", [](const Json& now) { return now.at("version") > 0; }, kStartSeconds);
  return *window_;
}

}  // namespace attnscope::testing
