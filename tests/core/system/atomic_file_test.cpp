// Files that appear whole: what is left over by the dead is cleaned, what the living write is not; nothing
// waits.
#include "core/system/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "core/base/text.h"
#include "core/system/part_files.h"
#include "core/system/process.h"
#include "tests/results.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

// The folder's files of this name's ending.
std::size_t parts_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".part") ++count;
  return count;
}

// Runs `body` in a child that stays until it is killed; returns when it has been carried out.
template <class Body>
pid_t child_that_stays(const Body& body) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    (void)!::write(ends[1], "x", 1);
    for (;;) ::pause();
  }
  char read_one = 0;
  EXPECT_EQ(::read(ends[0], &read_one, 1), 1);
  ::close(ends[0]), ::close(ends[1]);
  return child;
}

void end(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(AtomicFile, PartsOfTheDeadAreCleanedAndThoseOfTheLivingAreNot) {
  const TempFolder folder;
  std::optional<AtomicFile> held;
  const auto begin = [&] {
    auto file = AtomicFile::create(folder / "a");
    if (file) held.emplace(*std::move(file));
  };
  const pid_t dead = child_that_stays(begin), living = child_that_stays(begin);
  end(dead);
  ASSERT_EQ(parts_in(folder.path()), 2u);
  ASSERT_TRUE(write_file(folder / "b", "text"));
  EXPECT_EQ(parts_in(folder.path()), 1u);
  end(living);
}

TEST(AtomicFile, PartsFromElsewhereStayForADay) {
  const TempFolder folder;
  const pid_t child = child_that_stays([] {});
  end(child);  // a number that no process has now
  const std::string elsewhere = folder / format(".attnscope-00000001-%d-0.part", static_cast<int>(child));
  const std::string earlier = folder / format(".attnscope-%d-7.part", static_cast<int>(child));
  const std::string locked = folder / format(".attnscope-00000002-%d-0.part", static_cast<int>(child));
  for (const std::string& path : {elsewhere, earlier, locked}) write_text(path, "half");
  remove_dead_parts(folder.path());
  EXPECT_EQ(parts_in(folder.path()), 3u) << "just written";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(25);
  for (const std::string& path : {elsewhere, earlier, locked}) fs::last_write_time(path, long_ago);
  const int lock = ::open(locked.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  remove_dead_parts(folder.path() + "/.");  // another spelling: a folder is looked at once
  EXPECT_EQ(parts_in(folder.path()), 1u);
  EXPECT_TRUE(fs::exists(locked));
  ::close(lock);
}

TEST(AtomicFile, WhatIsKeptForOneselfIsARegularFile) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_error(write_file(folder / "pipe", "text"), Code::io_failed, "not a regular file");
  expect_error(write_file("/dev/null", "text"), Code::io_failed, "not a regular file");
  expect_error(write_file(folder.path(), "text"), Code::io_failed, "is a folder");
  fs::create_symlink("loop", folder / "loop");
  ASSERT_TRUE(write_file(folder / "loop", "text"));
  EXPECT_EQ(read_text(folder / "loop"), "text");
}

TEST(AtomicFile, APipeIsWrittenWhereSomebodyReadsIt) {
  const TempFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error(AtomicFile::create(pipe), Code::io_failed, "a pipe that nobody reads");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  auto file = AtomicFile::create(pipe);
  ASSERT_TRUE(file) << file.error().text();
  file->write("text");
  ASSERT_TRUE(file->commit());
  char got[8] = {};
  EXPECT_EQ(::read(reader, got, sizeof got), 4);
  ::close(reader);
}

// /dev/stdout that leads to a file is not renamed over it: what was there, and what comes later, stays.
TEST(AtomicFile, WhatIsOpenAlreadyIsWrittenWhereItStands) {
  const TempFolder folder;
  const int fd = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string path = "/dev/fd/" + std::to_string(fd);
  EXPECT_TRUE(is_stream(path));
  EXPECT_TRUE(is_stream("/dev/stdout"));
  EXPECT_FALSE(is_stream(folder / "log"));
  ASSERT_EQ(::write(fd, "one ", 4), 4);
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file) << file.error().text();
  file->write("two ");
  ASSERT_TRUE(file->commit());
  ASSERT_EQ(::write(fd, "three", 5), 5);
  ::close(fd);
  EXPECT_EQ(read_text(folder / "log"), "one two three");
}

TEST(AtomicFile, AFileIsClaimedOnce) {
  const TempFolder folder;
  EXPECT_TRUE(*claim_file(folder / "a"));
  EXPECT_FALSE(*claim_file(folder / "a"));
  fs::create_symlink("loop", folder / "loop");
  EXPECT_FALSE(*claim_file(folder / "loop"));
  expect_error(claim_file(folder / "none/a"), Code::io_failed, "none/a");
}

TEST(Processes, OneThatEndedDoesNotRunThoughNobodyAskedForIt) {
  EXPECT_TRUE(process_runs(::getpid()));
  EXPECT_FALSE(process_runs(0));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  for (int i = 0; i < 500 && process_runs(child); ++i) ::usleep(2000);
  EXPECT_FALSE(process_runs(child)) << "it is a zombie";
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(process_runs(child));
}

}  // namespace
}  // namespace attnscope::test
