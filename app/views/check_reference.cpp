#include "app/views/check_reference.h"

#include <algorithm>

#include "core/arch/open.h"
#include "core/base/text.h"
#include "core/lens/alignment.h"
#include "core/view/checked_rows.h"

namespace attnscope {
namespace {

// The text typed for a sequence.
std::string typed(const Document& document, std::size_t sequence) {
  if (sequence >= document.sequences.size()) return {};
  const Sequence& one = document.sequences[sequence];
  return document.model && document.model->config().encoder() ? one.source_text : one.text;
}

}  // namespace

Result<CheckReference> read_reference(const std::string& path) {
  TRY(OpenedModel opened, open_recording(path));
  return CheckReference{path.substr(path.rfind('/') + 1), std::move(opened.recorded), {}};
}

CheckReference pinned_reference(const RunResult& pinned, std::string name) {
  CheckReference out{std::move(name), pinned.traces, {}};
  for (std::size_t i = 0; i < pinned.traces.size(); ++i) out.texts.push_back(typed(pinned.document, i));
  return out;
}

CheckComparison compared(const Traces& mine, const Traces& theirs, const std::atomic<bool>& cancel) {
  CheckComparison out{step_differences(mine, theirs, &cancel), {}};
  for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()) && !cancel; ++i) {
    const Stack stack = mine[i]->config().stack;
    out.tokens.push_back(
        {align_rows(*mine[i], *theirs[i], stack).matched(), mine[i]->rows(stack), theirs[i]->rows(stack)});
  }
  return out;
}

bool other_tokens(const RunResult& run, const CheckReference& other) {
  for (std::size_t i = 0; i < std::min(other.traces.size(), run.traces.size()); ++i) {
    const Trace &mine = *run.traces[i], &theirs = *other.traces[i];
    if (!same_vocabulary(mine, theirs)) {
      if (i < other.texts.size() && other.texts[i] != typed(run.document, i)) return true;
      continue;
    }
    if (!theirs.ids.empty() && theirs.ids != mine.ids) return true;
    if (!theirs.input.source.empty() && theirs.input.source != mine.input.source) return true;
  }
  return other.traces.size() > run.traces.size();
}

void take_input(Commands& commands, const CheckReference& other) {
  commands.edit(
      Text::of("check.edit.input", {other.name}), {},
      [traces = other.traces, texts = other.texts](Document& document) -> Status {
        for (std::size_t i = 0; i < traces.size(); ++i) {
          if (i >= document.sequences.size()) TRY_OK(add_sequence(document, 0));
          const Trace& from = *traces[i];
          const ModelConfig& config = document.model->config();
          if (!same_texts(config.texts.get(), from.config().texts.get())) {
            TRY_OK(set_text(document, i, i < texts.size() ? texts[i] : "",
                            config.encoder() ? Stack::enc : config.stack));
            continue;
          }
          if (!from.input.source.empty())
            TRY_OK(set_spelled(
                document, i, sequence_from_ids(*document.opened, from.input.source, Stack::enc), Stack::enc));
          if (!from.ids.empty())
            TRY_OK(set_spelled(document, i, sequence_from_ids(*document.opened, from.ids), Stack::single));
        }
        return Done{};
      });
}

}  // namespace attnscope
