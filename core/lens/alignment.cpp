#include "core/lens/alignment.h"

#include <algorithm>
#include <limits>
#include <map>

namespace attnscope {
namespace {

constexpr std::size_t kAlignmentMostPairs = std::size_t{1} << 24;  // cells of the table of subsequences

// Two lists of ids of two vocabularies as numbers of what they spell, the same whichever list comes first;
// what spells nothing is like nothing else.
std::pair<std::vector<int>, std::vector<int>> alignment_by_text(const Trace& a, const std::vector<int>& x,
                                                                const Trace& b, const std::vector<int>& y) {
  std::map<std::string, int, std::less<>> numbers;
  const auto spelled = [](const Trace& trace, int id) {
    return std::string(bare_text(trace.config().texts->text(id)));
  };
  for (const int id : x) numbers[spelled(a, id)] = 0;
  for (const int id : y) numbers[spelled(b, id)] = 0;
  int next = 0, none = -1;
  for (auto& [text, number] : numbers) number = next++;
  const auto numbered = [&](const Trace& trace, const std::vector<int>& ids) {
    std::vector<int> out;
    for (const int id : ids) {
      const std::string text = spelled(trace, id);
      out.push_back(text.empty() ? none-- : numbers.find(text)->second);
    }
    return out;
  };
  std::vector<int> first = numbered(a, x);
  return {std::move(first), numbered(b, y)};
}

// Longest common subsequence of the middles; pairs in order.
std::vector<std::pair<std::size_t, std::size_t>> common(const std::vector<int>& a,
                                                        const std::vector<int>& b) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  const std::size_t n = a.size(), m = b.size();
  if (n == 0 || m == 0 || n * m > kAlignmentMostPairs) return out;
  std::vector<std::uint32_t> longest((n + 1) * (m + 1), 0);  // of what begins at (i, j)
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return longest[i * (m + 1) + j]; };
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    if (a[i] == b[j])
      out.emplace_back(i++, j++);
    else
      at(i + 1, j) >= at(i, j + 1) ? ++i : ++j;
  }
  return out;
}

// Tokens of both lists that are equal belong together, and those between them where there are as many. Of
// several longest subsequences always the same one, whichever list is `a`: that which comes first in the
// longer list.
Alignment by_common_tokens(const std::vector<int>& a, const std::vector<int>& b) {
  if (a.size() > b.size() || (a.size() == b.size() && a > b))
    return by_common_tokens(b, a).reversed(std::ssize(a));
  Alignment out{std::vector<std::int64_t>(a.size(), -1)};
  std::size_t front = 0, back = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (front < shorter && a[front] == b[front]) ++front;
  while (back < shorter - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  const auto middle = [&](const std::vector<int>& list) {
    return std::vector<int>(list.begin() + static_cast<std::ptrdiff_t>(front),
                            list.end() - static_cast<std::ptrdiff_t>(back));
  };
  std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 0}};  // borders: everything before is dealt with
  pairs.pop_back();
  for (auto [i, j] : common(middle(a), middle(b))) pairs.emplace_back(front + i, front + j);
  for (std::size_t i = 0; i < front; ++i) out.to_b[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < back; ++i)
    out.to_b[a.size() - 1 - i] = static_cast<std::int64_t>(b.size() - 1 - i);
  pairs.emplace_back(a.size() - back, b.size() - back);
  std::size_t from_a = front, from_b = front;
  for (const auto& [i, j] : pairs) {
    if (i - from_a == j - from_b)  // as many on both sides: they were exchanged one for one
      for (std::size_t k = 0; from_a + k < i; ++k)
        out.to_b[from_a + k] = static_cast<std::int64_t>(from_b + k);
    if (i < a.size() - back) out.to_b[i] = static_cast<std::int64_t>(j);
    from_a = i + 1, from_b = j + 1;
  }
  return out;
}

}  // namespace

bool Alignment::identity() const {
  for (std::size_t i = 0; i < to_b.size(); ++i)
    if (to_b[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

std::int64_t Alignment::matched() const {
  return std::count_if(to_b.begin(), to_b.end(), [](std::int64_t row) { return row >= 0; });
}

Alignment Alignment::reversed(std::int64_t rows) const {
  Alignment out{std::vector<std::int64_t>(static_cast<std::size_t>(rows), -1)};
  for (std::size_t i = 0; i < to_b.size(); ++i)
    if (to_b[i] >= 0 && to_b[i] < rows)
      out.to_b[static_cast<std::size_t>(to_b[i])] = static_cast<std::int64_t>(i);
  return out;
}

Alignment align(const std::vector<int>& a, const std::vector<int>& b) {
  if (a.size() != b.size()) return by_common_tokens(a, b);
  Alignment out;
  for (std::size_t i = 0; i < a.size(); ++i) out.to_b.push_back(static_cast<std::int64_t>(i));
  return out;
}

bool same_vocabulary(const Trace& a, const Trace& b) {
  return same_texts(a.config().texts.get(), b.config().texts.get());
}

Alignment align_outputs(const Trace& a, const Trace& b, Range range) {
  Alignment out;
  const ModelConfig &own = a.config(), &other = b.config();
  const bool classes = own.head.outputs > 0 || other.head.outputs > 0;  // no tokens
  const bool same = classes ? own.outputs() == other.outputs() : same_vocabulary(a, b);
  for (int id = 0; id < std::min<std::int64_t>(own.outputs(), range.end); ++id) {
    const int partner = id < range.begin ? -1
                        : same           ? id
                        : classes        ? -1
                                         : other.texts->find(own.texts->text(id));
    out.to_b.push_back(partner < other.outputs() ? partner : -1);
  }
  return out;
}

Alignment align_rows(const Trace& a, const Trace& b, Stack stack) {
  const std::vector<int>&x = a.ids_of(stack), &y = b.ids_of(stack);
  const std::int64_t rows_a = a.rows(stack), rows_b = b.rows(stack);
  const auto counts = [](const std::vector<int>& ids, std::int64_t rows) {
    return static_cast<std::int64_t>(ids.size()) == rows;
  };
  if (!x.empty() && !y.empty() && (counts(x, rows_a) || rows_a == 0) && (counts(y, rows_b) || rows_b == 0)) {
    if (same_vocabulary(a, b)) return align(x, y);
    const auto [first, second] = alignment_by_text(a, x, b, y);
    return by_common_tokens(first, second);
  }
  Alignment out{std::vector<std::int64_t>(static_cast<std::size_t>(rows_a), -1)};
  for (std::int64_t row = 0; row < std::min(rows_a, rows_b); ++row)
    out.to_b[static_cast<std::size_t>(row)] = row;
  return out;
}

Tensor aligned_plane(const Alignment* rows, Range row_range, const Alignment* cols, Range col_range,
                     float none, const std::function<Tensor(Range rows, Range cols)>& read) {
  const auto partner = [](const Alignment* map, std::int64_t at) {
    return !map ? at : map->matches(at) ? map->to_b[static_cast<std::size_t>(at)] : -1;
  };
  // The rectangle of b that holds all partners.
  const auto reach = [&](const Alignment* map, Range range) {
    Range out{0, 0};
    for (std::int64_t at = range.begin; at < range.end; ++at) {
      const std::int64_t other = partner(map, at);
      if (other < 0) continue;
      out = out.size() == 0 ? Range{other, other + 1}
                            : Range{std::min(out.begin, other), std::max(out.end, other + 1)};
    }
    return out;
  };
  const Range from_rows = reach(rows, row_range), from_cols = reach(cols, col_range);
  const Tensor from = from_rows.size() > 0 && from_cols.size() > 0 ? read(from_rows, from_cols) : Tensor();
  const auto axis = [&](int d) { return from.empty() ? Axis::none : from.axis(d); };
  Buffer out({{axis(0), row_range.size()}, {axis(1), col_range.size()}});
  float* at = out.data();
  for (std::int64_t row = row_range.begin; row < row_range.end; ++row) {
    const std::int64_t own_row = partner(rows, row);
    for (std::int64_t col = col_range.begin; col < col_range.end; ++col) {
      const std::int64_t own_col = partner(cols, col);
      const bool known = !from.empty() && own_row >= 0 && own_col >= 0;
      *at++ = known ? from.at(own_row - from_rows.begin, own_col - from_cols.begin) : none;
    }
  }
  return std::move(out).freeze();
}

Tensor aligned_slice(const Trace& a, const Trace& b, const Site& site, const Alignment& rows,
                     const Alignment& keys, std::int64_t head, Range row_range, Range col_range) {
  const Record *own = a.find(site), *other = b.find(site);
  if (!own || !other || own->axes != other->axes) return {};
  const std::size_t last = own->axes.size() - 1;
  const bool by_key = own->axes[last] == Axis::key;
  const bool by_text = own->axes[last] == Axis::vocab && !same_vocabulary(a, b);
  for (std::size_t d = 0; d < own->axes.size(); ++d) {
    const bool counted = own->axes[d] == Axis::pos || own->axes[d] == Axis::query ||
                         own->axes[d] == Axis::key || (by_text && own->axes[d] == Axis::vocab);
    if (!counted && own->shape[d] != other->shape[d]) return {};
  }
  if (rows.identity() && (!by_key || keys.identity()) && !by_text && own->shape == other->shape)
    return b.slice(site, head, row_range, col_range);
  const Tensor shown = a.slice(site, head, row_range, {0, 1});
  if (shown.empty()) return {};
  const std::int64_t first = std::max<std::int64_t>(0, row_range.begin),
                     from = std::max<std::int64_t>(0, col_range.begin);
  const Alignment outputs = by_text ? align_outputs(a, b, col_range) : Alignment();
  return aligned_plane(&rows, {first, first + shown.size(0)},
                       by_text  ? &outputs
                       : by_key ? &keys
                                : nullptr,
                       {from, std::max(from, std::min(own->shape[last], col_range.end))},
                       std::numeric_limits<float>::quiet_NaN(), [&](Range from_rows, Range from_cols) {
                         return b.slice(site, head, from_rows, from_cols);
                       });
}

}  // namespace attnscope
