#include "core/lens/step_differences.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/alignment.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 22;

// The axis of heads, of which Trace::slice takes one; past the end where a step has none.
std::size_t axis_of_heads(const Record& record) {
  return static_cast<std::size_t>(std::find(record.axes.begin(), record.axes.end(), Axis::head) -
                                  record.axes.begin());
}

// Where the second run has what the first one has at a place: rows and keys by their tokens, outputs by what
// they spell. Null: at the same place.
struct Partners {
  const Alignment *rows = nullptr, *cols = nullptr;
  bool matches(std::int64_t row, std::int64_t col) const {
    return (!rows || rows->matches(row)) && (!cols || cols->matches(col));
  }
};

// The largest difference of one plane of a step.
void take_plane(const Record& record, std::int64_t head, const Trace& a, const Trace& b,
                const Partners& partners, StepDifference& out) {
  std::vector<std::size_t> plane;  // its two axes
  const std::size_t heads = axis_of_heads(record);
  for (std::size_t d = 0; d < record.axes.size(); ++d)
    if (d != heads) plane.push_back(d);
  const std::int64_t rows = record.shape[plane[0]], cols = record.shape[plane[1]];
  const std::int64_t chunk = std::max<std::int64_t>(1, kMostAtOnce / std::max<std::int64_t>(1, cols));
  for (std::int64_t begin = 0; begin < rows; begin += chunk) {
    const Range some{begin, std::min(rows, begin + chunk)}, all{0, cols};
    const Tensor x = a.slice(record.site, head, some, all);
    const auto read = [&](Range these, Range those) { return b.slice(record.site, head, these, those); };
    const Tensor y = partners.rows || partners.cols
                         ? aligned_plane(partners.rows, some, partners.cols, all, 0.f, read)
                         : read(some, all);
    for (std::int64_t row = 0; row < some.size(); ++row)
      for (std::int64_t col = 0; col < cols; ++col) {
        const auto first = static_cast<double>(x.at(row, col)), second = static_cast<double>(y.at(row, col));
        const double d = number_difference(first, second);
        if (d <= out.max_abs || !partners.matches(begin + row, col)) continue;
        out.max_abs = d, out.first = first, out.second = second;
        out.at.clear();
        for (std::size_t axis = 0; axis < record.axes.size(); ++axis)
          out.at.push_back({std::string(axis_name(record.axes[axis])), axis == heads      ? head
                                                                       : axis == plane[0] ? begin + row
                                                                                          : col});
      }
  }
}

bool counts_tokens(Axis axis) { return is_row_axis(axis) || axis == Axis::key; }

// Sizes are the same, but for those that count tokens, or outputs of two vocabularies.
bool fits(const Record& record, const Record& other, bool same_words) {
  bool fits = other.axes.size() == record.axes.size();
  for (std::size_t d = 0; fits && d < record.axes.size(); ++d) {
    const Axis axis = record.axes[d];  // rows are positions or queries, as a recording could not know
    const bool same = other.axes[d] == axis || (is_row_axis(axis) && is_row_axis(other.axes[d]));
    fits = same &&
           (record.shape[d] == other.shape[d] || counts_tokens(axis) || (axis == Axis::vocab && !same_words));
  }
  return fits;
}

// The record holds all aligned rows (logits may have the last row alone).
bool reaches(const Alignment& own, std::int64_t rows, std::int64_t other_rows) {
  return std::ssize(own.to_b) == rows &&
         std::all_of(own.to_b.begin(), own.to_b.end(), [&](std::int64_t row) { return row < other_rows; });
}

void compare(const Record& record, const Trace& a, const Trace& b, StepDifference& out) {
  const Record* other = b.find(record.site);
  const bool same_words = same_vocabulary(a, b);
  if (!other) {
    out.why = Text::of("compare.lacks");
    return;
  }
  if (!fits(record, *other, same_words)) {
    out.why = Text::of("compare.shapes", {shape_text(record.shape), shape_text(other->shape)});
    return;
  }
  const std::size_t heads_axis = axis_of_heads(record);
  Alignment found[2];  // of the rows and columns of a plane
  Partners partners;
  for (std::size_t d = 0, plane = 0; d < record.axes.size(); ++d) {
    if (d == heads_axis) continue;
    const Axis axis = record.axes[d];
    Alignment& own = found[plane];
    if (counts_tokens(axis) && (!same_words || record.shape[d] != other->shape[d]))
      own = align_rows(a, b, rows_stack(record.site, axis));
    else if (axis == Axis::vocab && !same_words)
      own = align_outputs(a, b, {0, record.shape[d]});
    if (!own.to_b.empty()) {
      if (!reaches(own, record.shape[d], other->shape[d])) {
        out.why = Text::of("compare.shapes", {shape_text(record.shape), shape_text(other->shape)});
        return;
      }
      (plane == 0 ? partners.rows : partners.cols) = &own;
      if (own.matched() == 0) out.why = Text::of("compare.nothing_common");
      out.alone += record.shape[d] - own.matched();
    }
    ++plane;
  }
  if (!out.compared()) return;
  const std::int64_t heads = heads_axis < record.shape.size() ? record.shape[heads_axis] : 1;
  for (std::int64_t head = 0; head < heads; ++head) take_plane(record, head, a, b, partners, out);
}

}  // namespace

double number_difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::fabs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

std::string StepDifference::name() const {
  return (sequence > 0 ? "seq" + std::to_string(sequence) + "." : std::string()) + to_text(site);
}

std::string StepDifference::place() const {
  const std::string where = to_text(at);
  if (what.empty()) return where;
  return where.empty() ? what.str() : tr("compare.what.at", {what.str(), where});
}

std::vector<StepDifference> step_differences(const Traces& a, const Traces& b,
                                             const std::atomic<bool>* cancel) {
  std::vector<StepDifference> out;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    for (const Record& record : a[i]->records()) {
      if (cancel && *cancel) return out;
      out.emplace_back();
      out.back().sequence = static_cast<int>(i);
      out.back().site = record.site;
      compare(record, *a[i], *b[i], out.back());
    }
  return out;
}

std::optional<TokenDifference> first_token_difference(const Traces& a, const Traces& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!same_vocabulary(*a[i], *b[i])) continue;
    for (const Stack stack : {Stack::enc, a[i]->config().stack}) {
      const std::vector<int>&x = a[i]->ids_of(stack), &y = b[i]->ids_of(stack);
      if (x.empty() || y.empty() || x == y) continue;
      const std::size_t shorter = std::min(x.size(), y.size());
      std::size_t pos = 0;
      while (pos < shorter && x[pos] == y[pos]) ++pos;
      return TokenDifference{static_cast<int>(i), stack, static_cast<std::int64_t>(pos),
                             pos < x.size() ? x[pos] : -1, pos < y.size() ? y[pos] : -1};
    }
  }
  return std::nullopt;
}

const StepDifference* first_beyond(const std::vector<StepDifference>& all, double tolerance) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const StepDifference& one) {
    return one.compared() && one.error() > tolerance;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace attnscope
