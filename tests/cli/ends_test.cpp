// attnscope-cli when it is ended from outside, when the disk is full, and when a model changes under it.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "core/arch/open.h"
#include "core/train/trainer.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
namespace fs = std::filesystem;

const std::string kSmall =
    " --layers 1 --heads 2 --d-model 16 --d-mlp 16 --batch 4 --held-out 10 --warmup 2 --schedule constant ";

// The program beside the test; its output goes to a file.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, std::string out) : out_(std::move(out)) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    for (const int stop : {SIGINT, SIGHUP}) ::signal(stop, SIG_DFL);  // ignored under nohup, or behind &
    const int file = ::open(out_.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(file, 1), ::dup2(file, 2);
    std::vector<char*> all{const_cast<char*>(ATTNSCOPE_CLI)};
    for (const std::string& argument : arguments) all.push_back(const_cast<char*>(argument.c_str()));
    all.push_back(nullptr);
    ::execv(all[0], all.data());
    ::_exit(127);
  }
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  void send(int signal) const { ::kill(pid_, signal); }
  std::string out() const { return read_text(out_); }
  pid_t pid() const { return pid_; }
  bool wait(const std::function<bool()>& condition) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    return condition();
  }
  /// Exit code, or 128 + the signal that killed it.
  int end() {
    int raw = 0;
    ::waitpid(std::exchange(pid_, -1), &raw, 0);
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  }

 private:
  std::string out_;
  pid_t pid_ = -1;
};

std::vector<std::string> words(const std::string& line) {
  std::istringstream text(line);
  return {std::istream_iterator<std::string>(text), {}};
}

TEST(CliEnds, ATrainingThatIsEndedKeepsModelAndCheckpoint) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TempFolder folder;
    const std::string out = folder / "m";
    Child train(words("train sorter --steps 100000 --out " + out + kSmall), folder / "out");
    ASSERT_TRUE(train.wait([&] { return fs::exists(out); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    train.send(signal);
    if (signal != SIGINT) train.send(signal);  // as a shell and its terminal do
    EXPECT_EQ(train.end(), 0) << train.out();
    EXPECT_NE(train.out().find("--resume goes on from here"), std::string::npos) << train.out();
    EXPECT_TRUE(fs::exists(out + "/model.safetensors"));
    const auto head = read_checkpoint_head(out + "/checkpoint.safetensors");
    ASSERT_TRUE(head) << head.error().text();
    const Ran on =
        cli("train sorter --quiet --resume --steps " + std::to_string(head->step + 2) + " --out " + out);
    EXPECT_EQ(on.exit_code, 0) << on.err;
  }
}

TEST(CliEnds, AQuestionOverDataThatIsStoppedAnswersOverThePromptsThatAreDone) {
  const TempFolder folder;
  const std::string question =
      "ablate model:storyteller --data task:storyteller --measure logit_diff --over head --json --limit "
      "1000000 --out ";
  Child ask(words(question + (folder / "a.json")), folder / "out");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  ask.send(SIGINT);
  EXPECT_EQ(ask.end(), 0) << ask.out();
  const Json answer = Json::parse(read_text(folder / "a.json"));
  const auto prompts = answer["run"]["data"]["prompts"].get<std::int64_t>();
  EXPECT_GT(prompts, 0);
  EXPECT_LT(prompts, 1000000);
  EXPECT_EQ(answer["run"]["data"]["limit"], prompts);
  EXPECT_NE(ask.out().find("over the first " + std::to_string(prompts) + " prompts"), std::string::npos)
      << ask.out();
  const Ran again = cli("rerun " + (folder / "a.json"));
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
}

// The place behind "written to", whose folder is taken away again.
std::string rescued_place(const std::string& text) {
  const std::size_t begin = text.find("written to /");
  if (begin == std::string::npos) return {};
  const std::size_t path = begin + std::string("written to ").size();
  return text.substr(path, text.find(" instead", path) - path);
}

TEST(CliEnds, AFullDiskAtTheEndOfATrainingLosesNothing) {
  const TempFolder folder;
  const std::string mount = "unshare -rm sh -c 'mount -t tmpfs -o size=8k none " + (folder / "") + " && ";
  if (std::system((mount + "true' 2>/dev/null").c_str()) != 0) GTEST_SKIP() << "no disk can be made here";
  const Ran ran =
      cli("train sorter --quiet --checkpoint-every 2 --steps 4" + kSmall + "--out " + (folder / "m"),
          "LC_ALL=C " + mount + "exec \"$@\"' sh");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("No space left"), std::string::npos) << ran.err;
  const std::string place = rescued_place(ran.err);
  ASSERT_TRUE(fs::exists(place + "/model.safetensors")) << ran.err;
  EXPECT_TRUE(fs::exists(place + "/card.json"));
  EXPECT_EQ(read_checkpoint_head(place + "/checkpoint.safetensors")->step, 4);
  fs::remove_all(place);
}

TEST(CliEnds, OutputThatDoesNotArriveIsNoSuccess) {
  const std::string gpt2 = model_path("gpt2");
  for (const std::string& arguments :
       {std::string("--help"), std::string("--version"), std::string("train --help"), "info " + gpt2,
        "info --json " + gpt2, std::string("steps --json"), std::string("steps"), std::string("train"),
        std::string("lesson list"), "generate --ids 1,2,3 --max-new-tokens 2 --json " + gpt2,
        std::string("lab")}) {
    const Ran ran = cli(arguments + " > /dev/full");
    EXPECT_EQ(ran.exit_code, 1) << arguments;
    EXPECT_EQ(ran.err.rfind("attnscope-cli: ", 0), 0u) << arguments << ran.err;
  }
}

TEST(CliEnds, ALimitOfFilesIsASentence) {
  const TempFolder folder;
  FILE* pipe = ::popen(
      ("(ulimit -f 4; TMPDIR=" + folder.path() + " HOME=" + folder.path() +
       " " ATTNSCOPE_CLI " train sorter --quiet --steps 2" + kSmall + "--out " + (folder / "m") + ") 2>&1")
          .c_str(),
      "r");
  std::string text;
  char block[1024];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) text.append(block, n);
  const int status = ::pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status << text;
  EXPECT_NE(text.find("File too large"), std::string::npos) << text;
  EXPECT_EQ(text.find("Assertion"), std::string::npos);
}

// A model of 96 MB that is mapped, all zeros: its file is mostly a hole.
TEST(CliEnds, AModelThatIsCutShortWhileItIsReadIsASentence) {
  const TempFolder folder;
  Json config = Json::parse(read_text(model_path("gpt2/config.json")));
  const auto golden = open_model(model_path("gpt2"));
  ASSERT_TRUE(golden);
  const std::int64_t words_count = 500000, width = config["n_embd"];
  config["vocab_size"] = words_count;
  fs::create_directory(folder / "m");
  std::ofstream(folder / "m/config.json") << config;
  std::string file = read_text(model_path("gpt2/model.safetensors"));
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  Json header = Json::parse(file.substr(8, length));
  Json& table = header["transformer.wte.weight"];
  const std::uint64_t end = file.size() - 8 - length;
  // The table of words moves behind everything else, and its old place is a tensor that nobody reads.
  header["transformer.h.0.attn.bias"] = table;
  table["shape"] = {words_count, width};
  table["data_offsets"] = {end, end + static_cast<std::uint64_t>(words_count * width * 4)};
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  length = text.size();
  const std::string path = folder / "m/model.safetensors";
  std::ofstream(path, std::ios::binary)
      << std::string(reinterpret_cast<const char*>(&length), 8) << text << file.substr(file.size() - end);
  fs::resize_file(path, 8 + length + table["data_offsets"][1].get<std::uint64_t>());
  Child info({"info", folder / "m", "--memory-limit", "1K"}, folder / "out");
  const std::string maps = "/proc/" + std::to_string(info.pid()) + "/maps";
  ASSERT_TRUE(info.wait([&] { return read_text(maps).find(path) != std::string::npos; })) << info.out();
  fs::resize_file(path, 4096);
  EXPECT_EQ(info.end(), 1) << info.out();
  EXPECT_NE(info.out().find("model.safetensors"), std::string::npos) << info.out();
}

}  // namespace
}  // namespace attnscope
