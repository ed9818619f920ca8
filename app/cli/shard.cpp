#include "app/cli/shard.h"

#include <algorithm>

#include "core/base/number.h"
#include "core/base/text.h"

namespace attnscope::cli {
namespace {

constexpr std::uint64_t kMostParts = std::uint64_t{1} << 24;  // as an answer has rows

}  // namespace

Result<Shard> Shard::parse(const std::string& text) {
  Shard out;
  if (text.empty()) return out;
  const auto refused = [&] { return fail(Code::bad_format, "error.cli.shard", {in_quotes(text)}); };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return refused();
  const auto parts = parse_whole(std::string_view(text).substr(slash + 1), 1, kMostParts);
  if (!parts) return refused();
  out.parts_ = static_cast<std::int64_t>(*parts);
  out.kept_.clear();
  for (const std::string& word : split(text.substr(0, slash), ',')) {
    const std::size_t dash = std::min(word.find('-', 1), word.size());
    const auto first = parse_whole(std::string_view(word).substr(0, dash), 1, *parts);
    const auto last = dash == word.size()
                          ? first
                          : parse_whole(std::string_view(word).substr(dash + 1), first ? *first : 1, *parts);
    if (!first || !last) return refused();
    out.kept_.emplace_back(static_cast<std::int64_t>(*first) - 1, static_cast<std::int64_t>(*last));
  }
  std::sort(out.kept_.begin(), out.kept_.end());
  for (std::size_t i = 1; i < out.kept_.size(); ++i)
    if (out.kept_[i].first < out.kept_[i - 1].second) return refused();
  if (out.kept_.empty()) return refused();
  return out;
}

std::string Shard::of_rows(const std::vector<std::int64_t>& rows, std::int64_t whole) {
  std::vector<std::string> out;
  for (std::size_t i = 0, end = 0; i < rows.size(); i = end) {
    for (end = i + 1; end < rows.size() && rows[end] == rows[end - 1] + 1;) ++end;
    const std::string first = std::to_string(rows[i] + 1);
    out.push_back(end == i + 1 ? first : first + "-" + std::to_string(rows[end - 1] + 1));
  }
  return join(out, ",") + "/" + std::to_string(whole);
}

std::vector<std::int64_t> Shard::rows(std::int64_t whole) const {
  std::vector<std::int64_t> out;
  for (std::int64_t round = 0; round < whole; round += parts_)
    for (const auto& [first, end] : kept_)
      for (std::int64_t i = round + first; i < std::min(round + end, whole); ++i) out.push_back(i);
  return out;
}

}  // namespace attnscope::cli
