#include "app/cli/prompt_runs.h"

#include "core/base/words.h"

namespace attnscope::cli {

Status PromptRuns::prepare() {
  TRY(with_[0], clean_.request());
  TRY(with_[1], corrupt_.request());
  for (const Request& request : with_)
    if (!request.empty() || !request.decoder_words.empty())
      return fail(Code::out_of_range, "error.cli.data_and_text");
  return check_runs(opened());
}

void PromptRuns::tell(const PromptRun& run) const {
  clean_.tell_of_texts(run.document, run.request);
  tell_of_broken(*run.trace);
}

}  // namespace attnscope::cli
