#include "app/cli/rows_file.h"

#include "app/cli/csv_text.h"
#include "core/base/text.h"
#include "core/system/atomic_file.h"

namespace attnscope::cli {

Status check_rows_path(const std::string& out) {
  if (out.empty() || is_stream(out) || out.ends_with(".csv") || out.ends_with(".json")) return Done{};
  return fail(Code::unsupported, "error.cli.rows_extension", {quoted_path(out)});
}

Status write_rows(const std::string& out, const nlohmann::json& answer, const std::string& csv) {
  TRY_OK(check_rows_path(out));
  if (out.empty()) return Done{};
  TRY(AtomicFile file, AtomicFile::create(out));
  const auto line = [](const nlohmann::json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  file.write(out.ends_with(".json")   ? line(answer, 1) + "\n"
             : answer.contains("run") ? csv_with_run(csv, line(answer["run"], -1))
                                      : csv);
  return file.commit();
}

}  // namespace attnscope::cli
