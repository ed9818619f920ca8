#include "tests/power/saved.h"

#include <algorithm>
#include <filesystem>

#include "tests/power/disk.h"
#include "tests/power/record/record.h"
#include "tests/temp_folder.h"

namespace attnscope::power {
namespace {

namespace fs = std::filesystem;

constexpr int kMostTold = 5;  // failures of one kind

}  // namespace

void expect_kept(const Saved& saved) {
  const testing::TempFolder folder;
  const std::string root = fs::canonical(folder.path()).string() + "/disk", log = folder / "log";
  fs::create_directory(root);
  std::vector<std::string> states;
  Tree before;
  for (std::size_t i = 0; i < saved.writes.size(); ++i) {
    if (i > 0) power_record(root.c_str(), log.c_str());
    const Status written = saved.writes[i](root);
    if (i > 0) power_mark(), power_stop();
    ASSERT_TRUE(written) << written.error().text();
    if (i == 0) before = tree_of(root);
    const Tree now = tree_of(root);
    states.push_back(saved.found(root));
    if (tree_of(root) != now) put_tree(root, now);  // looking may tidy up
    if (i > 0 && saved.same) {
      ASSERT_EQ(states[i], states[i - 1]);
    } else if (i > 0) {
      ASSERT_NE(states[i], states[i - 1]) << "two states that cannot be told apart";
    }
  }
  const std::vector<Call> calls = read_calls(log);
  int cuts = 0, lost = 0;
  for (const Call& call : calls)
    EXPECT_NE(call.letter, 'F') << call.fields[0] << " is written past core/system/atomic_file.h";
  after_power_cuts(before, calls, [&](const Tree& tree, int marks, const std::string& when) {
    ++cuts;
    put_tree(root, tree);
    const std::string found = saved.found(root);
    const auto from = states.begin() + marks, to = std::min(from + 2, states.end());
    if (std::find(from, to, found) != to || ++lost > kMostTold) return;
    std::string files;
    for (const auto& [path, bytes] : tree)
      files += "\n  " + path + ", " + std::to_string(bytes.size()) + " bytes";
    ADD_FAILURE() << when << ", " << marks << " saves had returned; found:\n" << found << "\nfiles:" << files;
  });
  EXPECT_EQ(lost, 0) << "of " << cuts << " power cuts";
  EXPECT_GT(cuts, 1) << "nothing was recorded";
  ::testing::Test::RecordProperty("cuts", cuts);
}

}  // namespace attnscope::power
