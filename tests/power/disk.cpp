#include "tests/power/disk.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

namespace attnscope::power {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAllSubsets = 5;  // so many names that are not flushed: every subset of them
constexpr std::size_t kTailed = 12;     // more: of the last ones, with all before them

struct Node {
  bool folder = false;
  std::string now, safe;             // a file's bytes: as the program sees them, as they were flushed
  std::map<std::string, int> names;  // a folder's, as they were flushed
  std::map<std::string, int> seen;   // as the program sees them
};

// A change of names that is not flushed yet: `node` gets the new name and `old_node` the old one, or nobody
// does. Both happen, or neither.
struct Change {
  int from = -1;
  std::string old_name;
  int to = -1;
  std::string new_name;
  int node = -1, old_node = -1;
  void make(std::vector<std::map<std::string, int>*> names) const {
    if (from >= 0) {
      auto& old = *names[static_cast<std::size_t>(from)];
      old.erase(old_name);
      if (old_node >= 0) old[old_name] = old_node;
    }
    if (to >= 0) (*names[static_cast<std::size_t>(to)])[new_name] = node;
  }
};

class Disk {
 public:
  explicit Disk(const Tree& tree) {
    nodes_.push_back({true, {}, {}, {}, {}});
    for (const auto& [path, bytes] : tree) {
      const bool folder = path.back() == '/';
      const auto [at, name] = place(folder ? path.substr(0, path.size() - 1) : path);
      const int node = add(folder);
      nodes_[node].now = nodes_[node].safe = bytes;
      nodes_[at].names[name] = nodes_[at].seen[name] = node;
    }
  }

  void carry_out(const Call& call) {
    const auto field = [&](std::size_t i) { return call.fields.at(i); };
    switch (call.letter) {
      case 'C': make(field(0), false), open_[field(1)] = find(field(0)); break;
      case 'O': open_[field(1)] = find(field(0)); break;
      case 'M': make(field(0), true); break;
      case 'T': file(field(0)).now.resize(std::stoull(field(1))); break;
      case 'W': write(file(field(0)).now, std::stoull(field(1)), field(2)); break;
      case 'S': file(field(0)).safe = file(field(0)).now; break;
      case 'D': flush_names(field(0) == "." ? 0 : find(field(0))); break;
      case 'R': rename(field(0), field(1)); break;
      case 'E': exchange(field(0), field(1)); break;
      case 'L': link(field(0), field(1)); break;
      case 'U':
      case 'X': remove(field(0)); break;
      default: break;
    }
  }

  void each(const std::function<void(const Tree&)>& found) const {
    for (const std::vector<bool>& kept : subsets()) {
      std::vector<std::map<std::string, int>> names;
      for (const Node& node : nodes_) names.push_back(node.names);
      std::vector<std::map<std::string, int>*> pointers;
      for (auto& one : names) pointers.push_back(&one);
      for (std::size_t i = 0; i < changes_.size(); ++i) {
        if (!kept[i]) continue;
        changes_[i].make(pointers);
      }
      for (const int torn : {0, 1, 2, 3}) {
        Tree out;
        bool any = false;
        collect(names, 0, "", torn, any, out);
        found(out);
        if (!any) break;  // nothing on it is torn
      }
    }
  }

 private:
  int add(bool folder) {
    nodes_.push_back({folder, {}, {}, {}, {}});
    return static_cast<int>(nodes_.size()) - 1;
  }
  // The folder of a path, and the last part of it.
  std::pair<int, std::string> place(const std::string& path) const {
    int at = 0;
    std::size_t begin = 0;
    for (std::size_t slash; (slash = path.find('/', begin)) != std::string::npos; begin = slash + 1)
      at = nodes_[static_cast<std::size_t>(at)].seen.at(path.substr(begin, slash - begin));
    return {at, path.substr(begin)};
  }
  int find(const std::string& path) const {
    const auto [at, name] = place(path);
    return nodes_[static_cast<std::size_t>(at)].seen.at(name);
  }
  Node& file(const std::string& number) { return nodes_[static_cast<std::size_t>(open_.at(number))]; }
  void make(const std::string& path, bool folder) {
    const auto [at, name] = place(path);
    const int node = add(folder);
    nodes_[static_cast<std::size_t>(at)].seen[name] = node;
    changes_.push_back({-1, {}, at, name, node, -1});
  }
  void remove(const std::string& path) {
    const auto [at, name] = place(path);
    nodes_[static_cast<std::size_t>(at)].seen.erase(name);
    changes_.push_back({at, name, -1, {}, -1, -1});
  }
  // From or to elsewhere: gone, or one that nobody has seen the bytes of.
  void rename(const std::string& from, const std::string& to) {
    const auto before = from.empty() ? std::pair(-1, std::string()) : place(from);
    const auto after = to.empty() ? std::pair(-1, std::string()) : place(to);
    const int node = from.empty() ? add(false) : find(from);
    if (!from.empty()) nodes_[static_cast<std::size_t>(before.first)].seen.erase(before.second);
    if (!to.empty()) nodes_[static_cast<std::size_t>(after.first)].seen[after.second] = node;
    changes_.push_back({before.first, before.second, after.first, after.second, node, -1});
  }
  void exchange(const std::string& from, const std::string& to) {
    const auto before = place(from), after = place(to);
    const int one = find(from), other = find(to);
    nodes_[static_cast<std::size_t>(before.first)].seen[before.second] = other;
    nodes_[static_cast<std::size_t>(after.first)].seen[after.second] = one;
    changes_.push_back({before.first, before.second, after.first, after.second, one, other});
  }
  void link(const std::string& from, const std::string& to) {
    const auto after = place(to);
    const int node = find(from);
    nodes_[static_cast<std::size_t>(after.first)].seen[after.second] = node;
    changes_.push_back({-1, {}, after.first, after.second, node, -1});
  }
  static void write(std::string& bytes, std::size_t at, const std::string& data) {
    if (bytes.size() < at + data.size()) bytes.resize(at + data.size());
    std::memcpy(bytes.data() + at, data.data(), data.size());
  }
  void flush_names(int folder) {
    std::vector<Change> left;
    std::vector<std::map<std::string, int>*> pointers;
    for (Node& node : nodes_) pointers.push_back(&node.names);
    for (const Change& one : changes_)
      one.from == folder || one.to == folder ? one.make(pointers) : left.push_back(one);
    changes_ = std::move(left);
  }
  std::vector<std::vector<bool>> subsets() const {
    const std::size_t count = changes_.size();
    std::vector<std::vector<bool>> out;
    if (count <= kAllSubsets) {
      for (std::size_t bits = 0; bits < std::size_t{1} << count; ++bits) {
        std::vector<bool>& kept = out.emplace_back(count);
        for (std::size_t i = 0; i < count; ++i) kept[i] = bits >> i & 1;
      }
      return out;
    }
    for (std::size_t first = 0; first <= count; ++first) {  // a journal: those up to one
      std::vector<bool>& kept = out.emplace_back(count);
      std::fill(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(first), true);
    }
    for (std::size_t one = count - std::min(count, kTailed); one < count;
         ++one) {  // all but one, and one alone
      std::vector<bool> but(count, true), alone(count, false);
      but[one] = false, alone[one] = true;
      out.push_back(std::move(but));
      out.push_back(std::move(alone));
    }
    return out;
  }
  // torn 0: what was not flushed is there all the same; 1: missing; 2: half of it; 3: its length, but no
  // bytes.
  void collect(const std::vector<std::map<std::string, int>>& names, int at, const std::string& above,
               int torn, bool& any, Tree& out) const {
    for (const auto& [name, number] : names[static_cast<std::size_t>(at)]) {
      const Node& node = nodes_[static_cast<std::size_t>(number)];
      if (node.folder) {
        out[above + name + "/"];
        collect(names, number, above + name + "/", torn, any, out);
        continue;
      }
      std::string& bytes = out[above + name] = node.now;
      if (node.now == node.safe) continue;
      any = true;
      if (torn == 1) bytes = node.safe;
      if (torn == 2) bytes = node.now.substr(0, node.now.size() / 2);
      if (torn == 3) bytes = std::string(node.now.size(), '\0');
    }
  }

  std::vector<Node> nodes_;
  std::map<std::string, int> open_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Call> read_calls(const std::string& log) {
  std::ifstream file(log, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::map<char, int> fields{{'C', 2}, {'O', 2}, {'M', 1}, {'T', 2}, {'W', 3}, {'S', 1}, {'D', 1},
                                   {'R', 2}, {'E', 2}, {'L', 2}, {'U', 1}, {'X', 1}, {'F', 1}, {'K', 0}};
  std::vector<Call> out;
  for (std::size_t at = 0; at < bytes.size();) {
    Call& call = out.emplace_back();
    call.letter = bytes[at++];
    for (int i = 0; i < fields.at(call.letter); ++i) {
      std::uint64_t size = 0;
      std::memcpy(&size, bytes.data() + at, sizeof size);
      call.fields.push_back(bytes.substr(at + sizeof size, size));
      at += sizeof size + size;
    }
  }
  return out;
}

Tree tree_of(const std::string& root) {
  Tree out;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = entry.path().lexically_relative(root).string();
    if (entry.is_directory()) {
      out[path + "/"];
      continue;
    }
    std::ifstream file(entry.path(), std::ios::binary);
    out[path] = {std::istreambuf_iterator<char>(file), {}};
  }
  return out;
}

void put_tree(const std::string& root, const Tree& tree) {
  fs::create_directories(root);
  for (const auto& entry : fs::directory_iterator(root)) fs::remove_all(entry.path());
  for (const auto& [path, bytes] : tree) {
    if (path.back() == '/')
      fs::create_directories(fs::path(root) / path);
    else
      std::ofstream(fs::path(root) / path, std::ios::binary) << bytes;
  }
}

void after_power_cuts(const Tree& before, const std::vector<Call>& calls,
                      const std::function<void(const Tree&, int marks, const std::string& when)>& each) {
  Disk disk(before);
  std::set<std::pair<int, std::size_t>> known;
  int marks = 0;
  for (std::size_t i = 0; i <= calls.size(); ++i) {
    const std::string last = i == 0
                                 ? std::string("nothing")
                                 : std::string(1, calls[i - 1].letter) + " " +
                                       (calls[i - 1].fields.empty() ? std::string() : calls[i - 1].fields[0]);
    disk.each([&](const Tree& tree) {
      std::string all;
      for (const auto& [path, bytes] : tree) all += path + '\0' + std::to_string(bytes.size()) + '\0' + bytes;
      if (known.emplace(marks, std::hash<std::string>()(all)).second)
        each(tree, marks, "after call " + std::to_string(i) + " (" + last + ")");
    });
    if (i == calls.size()) break;
    disk.carry_out(calls[i]);
    marks += calls[i].letter == 'K';
  }
}

}  // namespace attnscope::power
