#include "tests/fuzz/campaign.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "tests/fuzz/changes.h"
#include "tests/fuzz/limits.h"

namespace attnscope::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostFormats = 64;
constexpr int kMostFailures = 10;        // of a format; then it is left alone
constexpr double kTurn = 0.1;            // seconds that a format has before the next one's turn
constexpr double kMostStandstill = 120;  // seconds without an input's end: a worker that waits for ever
constexpr std::uint64_t kManyRuns = 200;
constexpr std::size_t kMostWords = 3000;                   // of a failure, on the screen
constexpr std::uint64_t kCorpus = std::uint64_t{1} << 63;  // numbers of inputs that once failed

struct Tally {
  std::atomic<std::uint64_t> next{0}, runs{0}, opened{0};
  std::atomic<int> failures{0};
};

// What workers and their watcher share.
struct Board {
  Tally formats[kMostFormats];
  struct Place {
    std::atomic<std::uint64_t> format{0}, number{0}, ended{0};
  } at[kMostFormats];  // of each worker
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Seeds (valid ones first) and inputs that once failed, made when they are first needed.
struct Ready {
  Format format;
  std::vector<Files> seeds, corpus;
  std::size_t valid = 0;

  void make() {
    seeds = format.seeds();
    valid = seeds.size();
    if (format.near_misses)
      for (Files& files : format.near_misses()) seeds.push_back(std::move(files));
    corpus = corpus_of(format.name);
  }
};

// Of four inputs three were valid once: what was refused before it was changed seldom opens.
Files changed(const std::vector<Files>& seeds, std::size_t valid, const Format& format, Random& random) {
  Files files = seeds[random.below(random.one_in(4) ? seeds.size() : valid)];
  for (std::size_t changes = random.one_in(6) ? 2 : 1; changes > 0; --changes) {
    auto file = files.begin();
    std::advance(file, static_cast<std::ptrdiff_t>(random.below(files.size())));
    std::vector<const std::string*> others;
    for (const Files& seed : seeds)
      if (const auto same = seed.find(file->first); same != seed.end()) others.push_back(&same->second);
    file->second = change_file(file->first, file->second, {format.words, others}, random);
    if (random.one_in(200)) files.erase(file);
    if (files.empty()) break;
  }
  return files;
}

Files ready_input(const Ready& ready, std::uint64_t seed, std::uint64_t number) {
  if (number >= kCorpus) return ready.corpus.at(number - kCorpus);
  if (number < ready.seeds.size()) return ready.seeds[number];
  Random random(seed, ready.format.name, number);
  return changed(ready.seeds, ready.valid, ready.format, random);
}

class Worker {
 public:
  Worker(const Campaign& campaign, std::vector<Format> formats, Board& board, int number)
      : campaign_(campaign), board_(board), place_(board.at[number]) {
    for (Format& format : formats) ready_.push_back({std::move(format), {}, {}, 0});
  }

  [[noreturn]] void work(Clock::time_point begin) {
    set_thread_count(1);
    watch_limits();
    if (campaign_.seconds > 0) {
      while (seconds_since(begin) < campaign_.seconds && turn(begin)) {
      }
    } else {
      while (turn(begin)) {
      }
    }
    write_lines();
    ::_exit(0);
  }

 private:
  // Every format in its turn; false when nothing is left to do.
  bool turn(Clock::time_point begin) {
    bool any = false;
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      Tally& tally = board_.formats[i];
      const Clock::time_point turn_begin = Clock::now();
      while (tally.failures < kMostFailures && seconds_since(turn_begin) < kTurn) {
        const std::uint64_t number = tally.next++;
        if (campaign_.seconds <= 0 && number >= campaign_.runs + corpus(i).size()) break;
        any = true;
        one(i, number < corpus(i).size() ? kCorpus + number : number - corpus(i).size());
      }
      if (campaign_.seconds > 0 && seconds_since(begin) >= campaign_.seconds) return false;
    }
    return any;
  }
  const std::vector<Files>& corpus(std::size_t i) {
    Ready& ready = ready_[i];
    if (ready.seeds.empty()) ready.make();
    return ready.corpus;
  }
  void one(std::size_t i, std::uint64_t number) {
    const Ready& ready = ready_[i];
    const Files files = ready_input(ready, campaign_.seed, number);
    place_.number = number;
    place_.format = i;
    begin_input();
    const bool opened = ready.format.read(files);
    end_input();
    must(opened || number >= ready.valid,
         "seed " + std::to_string(number) + " does not open: " + last_refusal());
    ++board_.formats[i].runs;
    board_.formats[i].opened += opened ? 1 : 0;
    ++place_.ended;
  }

  const Campaign& campaign_;
  Board& board_;
  Board::Place& place_;
  std::vector<Ready> ready_;
};

// Starts a worker whose words go to `log`.
pid_t start(const Campaign& campaign, Board& board, int number, const std::string& log,
            Clock::time_point begin) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const int to = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (to >= 0) ::dup2(to, STDERR_FILENO);
  Worker worker(campaign, all_formats(campaign.only), board, number);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(write_lines);
#endif
  worker.work(begin);
}

void write_files(const std::string& folder, const Files& files) {
  fs::create_directories(folder);
  for (const auto& [name, bytes] : files) std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Says what happened, and keeps the input: in a process of its own, because seeds are made anew for it.
void report(const Campaign& campaign, const Format& tried, std::uint64_t number, const std::string& words) {
  const unsigned long long seed = campaign.seed, input = number;
  std::string place;
  if (!campaign.out.empty()) {
    place = campaign.out + format("/failed/%s-%llx", tried.name.c_str(), input);
    const pid_t pid = ::fork();
    if (pid == 0) {
      set_thread_count(1);
      write_files(place, input_of(tried, campaign.seed, number));
      ::_exit(0);
    }
    ::waitpid(pid, nullptr, 0);
    std::ofstream(place + ".log") << words;
  }
  std::fprintf(stderr,
               "FAILED: %s, input %llu%s%s\n  again: attnscope-fuzz --only %s --seed %llu --input %llu\n%s\n",
               tried.name.c_str(), input, place.empty() ? "" : ": ", place.c_str(), tried.name.c_str(), seed,
               input, words.substr(0, kMostWords).c_str());
}

void print_table(const std::vector<Format>& formats, const Board& board, double seconds) {
  std::printf("%-24s %10s %8s %7s\n", "format", "inputs", "opened", "failed");
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const Tally& tally = board.formats[i];
    const double runs = static_cast<double>(std::max<std::uint64_t>(1, tally.runs));
    std::printf("%-24s %10llu %7.0f%% %7d\n", formats[i].name.c_str(),
                static_cast<unsigned long long>(tally.runs), 100 * static_cast<double>(tally.opened) / runs,
                tally.failures.load());
    all += tally.runs;
  }
  std::printf("%-24s %10llu inputs in %.0f s\n", "all", static_cast<unsigned long long>(all), seconds);
}

// Watches the workers until all have ended, and starts another one for each that died.
class Watcher {
 public:
  Watcher(const Campaign& campaign, std::vector<Format> formats)
      : campaign_(campaign),
        formats_(std::move(formats)),
        board_(*new (
            ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Board),
        workers_(static_cast<std::size_t>(campaign.workers)) {}

  int watch() {
    for (std::size_t i = 0; i < workers_.size(); ++i) begin_worker(i);
    while (std::any_of(workers_.begin(), workers_.end(), [](const State& s) { return s.pid > 0; })) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (std::size_t i = 0; i < workers_.size(); ++i)
        if (workers_[i].pid > 0) look_after(i);
    }
    print_table(formats_, board_, seconds_since(begin_));
    return failures_ + one_sided();
  }

 private:
  // Formats of which nothing was opened, or nothing was refused: they test one half of their reader.
  int one_sided() const {
    int count = 0;
    for (std::size_t i = 0; i < formats_.size(); ++i) {
      const std::uint64_t runs = board_.formats[i].runs, opened = board_.formats[i].opened;
      if (runs < kManyRuns || (opened > 0 && opened < runs)) continue;
      std::fprintf(stderr, "FAILED: %s: all inputs %s\n", formats_[i].name.c_str(),
                   opened > 0 ? "open" : "are refused");
      ++count;
    }
    return count;
  }

  struct State {
    pid_t pid = 0;
    std::uint64_t ended = 0;
    Clock::time_point since;
    std::string log;
  };

  void begin_worker(std::size_t i) {
    State& state = workers_[i];
    state.log = (campaign_.out.empty() ? fs::temp_directory_path().string() : campaign_.out) +
                format("/worker-%d-%zu.log", static_cast<int>(::getpid()), i);
    state.ended = board_.at[i].ended;
    state.since = Clock::now();
    state.pid = start(campaign_, board_, static_cast<int>(i), state.log, begin_);
  }
  void look_after(std::size_t i) {
    State& state = workers_[i];
    int status = 0;
    if (::waitpid(state.pid, &status, WNOHANG) == 0) {
      if (board_.at[i].ended != state.ended) {
        state.ended = board_.at[i].ended;
        state.since = Clock::now();
      } else if (seconds_since(state.since) > kMostStandstill) {
        ::kill(state.pid, SIGABRT);
      }
      return;
    }
    state.pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      fs::remove(state.log);
      return;
    }
    ++failures_;
    ++board_.formats[board_.at[i].format].failures;
    report(campaign_, formats_[board_.at[i].format], board_.at[i].number, text_of(state.log));
    begin_worker(i);
  }

  const Campaign& campaign_;
  std::vector<Format> formats_;
  Board& board_;
  std::vector<State> workers_;
  int failures_ = 0;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

std::vector<Files> corpus_of(const std::string& format) {
  const fs::path folder = fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/fuzz/corpus" / format;
  std::vector<Files> out;
  std::error_code none;
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(folder, none)) cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  for (const fs::path& one : cases) {
    Files& files = out.emplace_back();
    for (const auto& file : fs::directory_iterator(one)) files[file.path().filename()] = text_of(file.path());
  }
  return out;
}

Files input_of(const Format& format, std::uint64_t seed, std::uint64_t number) {
  Ready ready{format, {}, {}, 0};
  ready.make();
  return ready_input(ready, seed, number);
}

int run(const Campaign& campaign) {
  std::vector<Format> formats = all_formats(campaign.only);
  must(!formats.empty() && formats.size() <= kMostFormats, "no format is called " + campaign.only);
  if (!campaign.out.empty()) fs::create_directories(campaign.out);
  return Watcher(campaign, std::move(formats)).watch();
}

}  // namespace attnscope::fuzz
