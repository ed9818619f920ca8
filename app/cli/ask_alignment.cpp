// Which rows of two runs stand for each other, as text and in the answer.
#include <nlohmann/json.hpp>

#include "app/cli/ask_options.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {
namespace {

// Aligned rows as ranges: "0-4 <- 0-4, 6-13 <- 5-12".
std::string runs_of_pairs(const Alignment& rows) {
  std::vector<std::string> out;
  const auto& to = rows.to_b;
  for (std::size_t i = 0, end = 0; i < to.size(); i = std::max(end, i + 1)) {
    if (to[i] < 0) continue;
    for (end = i + 1; end < to.size() && to[end] == to[end - 1] + 1;) ++end;
    const auto first = static_cast<std::int64_t>(i), last = static_cast<std::int64_t>(end);
    out.push_back(to_text(AxisRange{"", first, last}) + " <- " +
                  to_text(AxisRange{"", to[i], to[i] + last - first}));
  }
  return join(out, ", ");
}

// Rows of a run that are aligned with no row of the other.
std::vector<std::int64_t> rows_alone(const Alignment& rows) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < rows.to_b.size(); ++i)
    if (rows.to_b[i] < 0) out.push_back(static_cast<std::int64_t>(i));
  return out;
}

std::string in_text(const std::vector<std::int64_t>& rows) {
  std::vector<std::string> out;
  for (const std::int64_t row : rows) out.push_back(std::to_string(row));
  return out.empty() ? "-" : join(out, ", ");
}

}  // namespace

std::string note_alignment(const Donor& donor, const char* into, const char* from, AnswerTable& table) {
  nlohmann::json all = nlohmann::json::array();
  std::string lines;
  for (const auto& [stack, rows] : donor.partners()) {
    const std::int64_t count = donor.from().rows(stack);
    nlohmann::json pairs = nlohmann::json::array();
    for (std::size_t i = 0; i < rows.to_b.size(); ++i)
      if (rows.to_b[i] >= 0) pairs.push_back({i, rows.to_b[i]});
    const std::vector<std::int64_t> own = rows_alone(rows), other = rows_alone(rows.reversed(count));
    all.push_back({{"stack", stack_prefix(stack)},
                   {"into", into},
                   {"from", from},
                   {"pairs", std::move(pairs)},
                   {"alone_into", own},
                   {"alone_from", other}});
    if (rows.identity() && std::ssize(rows.to_b) == count) continue;
    lines += std::string(tr("cli.ask.aligned", {std::string(stack_prefix(stack)), into, from,
                                                runs_of_pairs(rows), in_text(own), in_text(other)})) +
             "\n";
  }
  table.alignment = all.dump();
  return lines;
}

}  // namespace attnscope::cli
