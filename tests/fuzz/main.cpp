// attnscope-fuzz: broken files of every format, read in this process.
//   attnscope-fuzz [--only FORMAT] [--seconds N | --runs N] [--workers N] [--seed N] [--out FOLDER]
//   attnscope-fuzz --only FORMAT --seed N --input N     one input again, with the sanitizers' words on the
//   screen attnscope-fuzz --only FORMAT --files FOLDER         the files of a folder as one input
//   attnscope-fuzz --list
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/thread_pool.h"
#include "tests/fuzz/campaign.h"
#include "tests/fuzz/limits.h"
#include "tests/temp_folder.h"

namespace attnscope::fuzz {
namespace {

int once(const Campaign& campaign, const Files& files) {
  for (const Format& format : all_formats(campaign.only)) {
    if (format.name != campaign.only) continue;
    set_thread_count(1);
    watch_limits();
    begin_input();
    const bool opened = format.read(files);
    end_input();
    std::puts(opened ? "opened" : ("refused: " + last_refusal()).c_str());
    return 0;
  }
  must(false, "give the whole name of a format");
  return 1;
}

int main_of(int count, char** values) {
  const testing::TempFolder temporary;  // of all workers, which may die
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  Campaign campaign;
  const char *input = nullptr, *folder = nullptr;
  for (int i = 1; i < count; ++i) {
    const std::string option = values[i];
    if (option == "--list") {
      for (const Format& format : all_formats("")) std::puts(format.name.c_str());
      return 0;
    }
    must(i + 1 < count, option + " needs a value");
    const char* value = values[++i];
    if (option == "--only")
      campaign.only = value;
    else if (option == "--seconds")
      campaign.seconds = std::atof(value);
    else if (option == "--runs")
      campaign.runs = std::strtoull(value, nullptr, 10);
    else if (option == "--workers")
      campaign.workers = std::atoi(value);
    else if (option == "--seed")
      campaign.seed = std::strtoull(value, nullptr, 10);
    else if (option == "--out")
      campaign.out = value;
    else if (option == "--input")
      input = value;
    else if (option == "--files")
      folder = value;
    else
      must(false, "there is no " + option);
  }
  if (folder) {
    Files files;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      std::ifstream in(file.path(), std::ios::binary);
      files[file.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
    }
    return once(campaign, files);
  }
  if (!input) return run(campaign) == 0 ? 0 : 1;
  for (const Format& format : all_formats(campaign.only))
    if (format.name == campaign.only)
      return once(campaign, input_of(format, campaign.seed, std::strtoull(input, nullptr, 10)));
  must(false, "give the whole name of a format");
  return 1;
}

}  // namespace
}  // namespace attnscope::fuzz

int main(int count, char** values) { return attnscope::fuzz::main_of(count, values); }
