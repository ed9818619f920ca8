#include "app/cli/rows_file.h"

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
  file.write(out.ends_with(".json")
                 ? answer.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                 : csv);
  return file.commit();
}

}  // namespace attnscope::cli
