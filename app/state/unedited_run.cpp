#include "app/state/unedited_run.h"

#include <algorithm>

#include "app/gpu/gl_context.h"

namespace attnscope {
namespace {

std::uint64_t as_key(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// What the model reads, without edits.
std::uint64_t key_of_input(const Session& session, int sequence, const Input& input, std::uint64_t version) {
  Hash hash;
  hash.take(session.opened_version());
  hash.take(as_key(sequence));
  for (const int id : input.ids) hash.take(as_key(id));
  for (const int id : input.source) hash.take(as_key(id) + 1);
  if (input.ids.empty()) hash.take(version);
  return hash.value();
}

Document without_edits(const Document& document) {
  Document out = document;
  out.edits.clear();
  return out;
}

}  // namespace

std::shared_ptr<const Trace> UneditedRun::of(const Session& session, const RunResult& run, int sequence) {
  const auto& opened = run.document.opened;
  const bool edited = std::any_of(run.document.edits.begin(), run.document.edits.end(),
                                  [](const auto& edit) { return edit->enabled; });
  if (!edited || !opened->recorded.empty()) return nullptr;
  const Input& input = run.trace(sequence).input;
  const std::uint64_t key = key_of_input(session, sequence, input, run.version);
  if (!made_.asked(key))
    made_.begin(key, key, session.workers(),
                [plain = without_edits(run.document), at = static_cast<std::size_t>(sequence)](
                    const std::atomic<bool>& cancel) -> Result<std::shared_ptr<const Trace>> {
                  RunOptions options;
                  options.cancel = &cancel;
                  TRY(const auto runs, run_all(plain, options, {}));
                  wake_window();
                  return runs.at(at);
                });
  const auto made = made_.made(key, key);
  return made.fresh && made.value && *made.value ? **made.value : nullptr;
}

}  // namespace attnscope
