#include "core/system/mapped_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "tests/results.h"

namespace attnscope::test {
namespace {

TEST(MappedFile, ShowsTheBytes) {
  const TempFolder folder;
  write_text(folder / "a", "hello");
  const auto file = MappedFile::open(folder / "a");
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_EQ((*file)->size(), 5u);
  EXPECT_EQ(std::memcmp((*file)->bytes().data(), "hello", 5), 0);
  EXPECT_EQ(*read_file(folder / "a", 5), "hello");
}

TEST(MappedFile, EachFailureHasItsOwnSentence) {
  const TempFolder folder;
  write_text(folder / "empty", "");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_error(MappedFile::open(folder / "none"), Code::not_found, "There is no file");
  expect_error(MappedFile::open(folder / "none/deeper"), Code::not_found, "There is no file");
  expect_error(MappedFile::open(folder.path()), Code::io_failed, "is a folder");
  expect_error(MappedFile::open(folder / "empty"), Code::io_failed, "is empty");
  expect_error(MappedFile::open(folder / "pipe"), Code::io_failed, "not a regular file");
  expect_error(MappedFile::open("/dev/zero"), Code::io_failed, "not a regular file");
  expect_error(MappedFile::open(std::string("a\0b", 3)), Code::not_found, "There is no file");
  expect_error(MappedFile::open(std::string(5000, 'a')), Code::io_failed, "cannot be opened");
}

TEST(MappedFile, NoPermissionIsNamed) {
  const TempFolder folder;
  write_text(folder / "a", "hello");
  ::chmod((folder / "a").c_str(), 0);
  const bool root = ::geteuid() == 0;  // root may read everything, so the test is somebody else for a moment
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot give up root";
  const auto file = MappedFile::open(folder / "a");
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  expect_error(file, Code::io_failed, "may not be read");
}

}  // namespace
}  // namespace attnscope::test
