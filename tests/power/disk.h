// What may lie on a disk after the power has gone. A recorded list of calls is carried out on a model of a
// disk that keeps what was flushed and nothing else: the bytes of a file since its last fsync may be there,
// may be missing, or may be torn; each new, renamed or removed name since its folder's last fsync may be as
// before or as after.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace attnscope::power {

/// Files by their path below a root; a path that ends with "/" is a folder.
using Tree = std::map<std::string, std::string>;

/// One recorded call: record/record.cpp says what the letters and fields are.
struct Call {
  char letter = 0;
  std::vector<std::string> fields;
};
std::vector<Call> read_calls(const std::string& log);

Tree tree_of(const std::string& root);
/// Makes the folder hold this and nothing else.
void put_tree(const std::string& root, const Tree& tree);

/// Every tree that the power can leave behind, each once, from before the first call to after the last one;
/// `marks`: how many marks (letter K) had passed, so that the newest state counts.
void after_power_cuts(const Tree& before, const std::vector<Call>& calls,
                      const std::function<void(const Tree&, int marks, const std::string& when)>& each);

}  // namespace attnscope::power
