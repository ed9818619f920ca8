// Files that somebody changes while they are open: a copy does not care, a mapping says so, and pages that
// vanish read zeros.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "core/system/mapped_file.h"
#include "tests/results.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSize = 64 * 1024;  // some pages

std::shared_ptr<const MappedFile> opened(const std::string& path, std::uint64_t most_copied) {
  const FilesRead files(most_copied);
  auto file = MappedFile::open(path);
  EXPECT_TRUE(file) << file.error().text();
  return *file;
}

// Writes into the file as it lies.
void overwrite(const std::string& path, const std::string& text) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file << text;
}

char last_byte(const MappedFile& file) { return static_cast<char>(file.bytes().back()); }

TEST(ChangedFile, ACopyStaysWhatItWas) {
  const TempFolder folder;
  write_text(folder / "a", std::string(kSize, 'x'));
  const auto file = opened(folder / "a", kMostCopied);
  EXPECT_TRUE(file->copied());
  overwrite(folder / "a", std::string(kSize, 'y'));
  fs::resize_file(folder / "a", 1);
  EXPECT_TRUE(file->intact());
  EXPECT_EQ(last_byte(*file), 'x');
  EXPECT_EQ(static_cast<char>(file->bytes().front()), 'x');
}

TEST(ChangedFile, AMappingThatWasCutShortReadsZerosAndSaysSo) {
  const TempFolder folder;
  write_text(folder / "a", std::string(kSize, 'x'));
  const auto file = opened(folder / "a", 0), other = opened(folder / "a", 0);
  EXPECT_FALSE(file->copied());
  EXPECT_EQ(last_byte(*file), 'x');
  EXPECT_TRUE(file->intact());
  fs::resize_file(folder / "a", 10);
  EXPECT_EQ(last_byte(*file), 0);  // would end the program otherwise
  EXPECT_EQ(last_byte(*other), 0);
  expect_error(file->intact(), Code::io_failed, "cut short");
  fs::resize_file(folder / "a", kSize);
  expect_error(file->intact(), Code::io_failed, "cut short");  // for good
}

TEST(ChangedFile, ASaveInPlaceIsFoundOutWhateverItsTimeSays) {
  const TempFolder folder;
  const std::string path = folder / "a";
  write_text(path, std::string(kSize, 'x'));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(path, long_ago);
  const auto file = opened(path, 0);
  const auto as_opened = stamp_of(path);
  overwrite(path, "y");
  expect_error(file->intact(), Code::io_failed, "was changed while it was open");
  fs::last_write_time(path, long_ago);  // cp -p, rsync --times
  expect_error(file->intact(), Code::io_failed, "was changed while it was open");
  EXPECT_TRUE(rewritten(*as_opened, *stamp_of(path)));
}

TEST(ChangedFile, RightsNamesAndReplacementsLeaveAMappingAlone) {
  const TempFolder folder;
  const std::string path = folder / "a";
  write_text(path, std::string(kSize, 'x'));
  const auto file = opened(path, 0);
  ::chmod(path.c_str(), 0400);
  EXPECT_TRUE(file->intact());
  fs::create_hard_link(path, folder / "b");
  EXPECT_TRUE(file->intact());
  fs::rename(path, folder / "c");
  EXPECT_TRUE(file->intact());
  write_text(path, "another");
  EXPECT_TRUE(file->intact());
  fs::remove(path);
  EXPECT_TRUE(file->intact());
  EXPECT_EQ(last_byte(*file), 'x');
}

TEST(ChangedFile, WhatWasReadIsNotedAndComparedLater) {
  const TempFolder folder;
  for (const char* name : {"a", "b", "c"}) write_text(folder / name, "text");
  FilesRead files;
  ASSERT_TRUE(MappedFile::open(folder / "a"));
  {
    const FilesRead inner;
    ASSERT_TRUE(read_file(folder / "c", 100));
    EXPECT_EQ(inner.all().size(), 1u);
  }
  ASSERT_TRUE(read_file(folder / "b", 100));
  ASSERT_EQ(files.all().size(), 2u);
  const ReadFile &a = files.all()[0], &b = files.all()[1];
  EXPECT_FALSE(a.newer() || b.newer());
  write_text(folder / "new", "text");
  fs::rename(folder / "new", folder / "a");
  EXPECT_TRUE(a.newer());
  fs::remove(folder / "b");
  EXPECT_FALSE(b.newer()) << "between the removal and the next file there is nothing to read";
  write_text(folder / "b", "texts");
  EXPECT_TRUE(b.newer());
  EXPECT_TRUE(intact(files.all())) << "both were copied";
}

TEST(ChangedFileDeathTest, ABusErrorElsewhereEndsTheProgram) {
  const TempFolder folder;
  write_text(folder / "a", std::string(kSize, 'x'));
  const auto file = opened(folder / "a", 0);
  EXPECT_DEATH(::raise(SIGBUS), "");
}

}  // namespace
}  // namespace attnscope::test
