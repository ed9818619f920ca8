#include "app/cli/csv_text.h"

#include <algorithm>
#include <cmath>

#include "core/base/shortest.h"
#include "core/base/text.h"

namespace attnscope::cli {

std::vector<std::string> take_csv_record(std::string_view& text) {
  std::vector<std::string> out(1);
  bool inside = false;
  std::size_t i = 0;
  for (; i < text.size() && (inside || text[i] != '\n'); ++i) {
    const bool doubled = inside && text.substr(i, 2) == "\"\"";
    if (text[i] == '"' && !doubled)
      inside = !inside;
    else if (text[i] == ',' && !inside)
      out.emplace_back();
    else if (inside || text[i] != '\r')
      out.back() += text[i += doubled ? 1 : 0];
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return out;
}

std::string csv_with_column(std::string_view csv, const std::string& name, const std::string& text) {
  std::string out;
  bool inside = false;
  int records = 0;
  for (const char c : csv) {
    inside = inside != (c == '"');
    if (c == '\n' && !inside) {
      out += records == 0 ? "," + name : records == 1 ? "," + csv_quoted(text) : ",";
      ++records;
    }
    out += c;
  }
  return out;
}

std::string csv_with_run(std::string_view csv, const std::string& run) {
  return csv_with_column(csv, "run", run);
}

std::string csv_exact(double value) { return std::isnan(value) ? ",nan" : "," + shortest_text(value); }

std::string csv_number(double value) { return std::isnan(value) ? ",nan" : format(",%.9g", value); }

}  // namespace attnscope::cli
