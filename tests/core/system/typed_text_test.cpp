// A text as an option gives it: itself, a file's, or one that begins with an @.
#include "core/system/typed_text.h"

#include <fstream>

#include "tests/results.h"
#include "tests/temp_folder.h"

namespace attnscope::test {
namespace {

TEST(TypedText, AFileIsReadWithoutTheLineEndBehindIt) {
  const TempFolder folder;
  const auto of = [&](const std::string& contents) {
    std::ofstream(folder / "text", std::ios::binary) << contents;
    const auto text = typed_text("@" + (folder / "text"));
    return text ? *text : "none";
  };
  EXPECT_EQ(of("The cat\n"), "The cat");
  EXPECT_EQ(of("The cat\r\n"), "The cat");
  EXPECT_EQ(of("The cat\n\n"), "The cat\n");
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(*typed_text("The @cat"), "The @cat");
  EXPECT_EQ(*typed_text("@@cat"), "@cat");
  EXPECT_EQ(*typed_text(""), "");
  expect_error(typed_text("@" + (folder / "none")), Code::not_found, "none");
}

}  // namespace
}  // namespace attnscope::test
