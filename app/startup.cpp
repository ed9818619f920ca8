#include "app/startup.h"

#include "app/cursor.h"
#include "app/look/strings.h"
#include "app/widgets/navigation.h"
#include "core/arch/memory_limit.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

std::string clamped_note(const char* what, int asked, int count) {
  return format("There is no %s %d: the run has %d, counted from 0. Showing %s %d.", what, asked, count, what,
                count - 1);
}

}  // namespace

void open_asked(FrameState& state, const Options& options) {
  set_memory_limit(options.memory_limit);
  if (options.path.empty())
    state.open_shipped(kDefaultScene);
  else
    state.open(options.path);
}

Status apply_look(FrameState& state, const Options& options) {
  if (!options.language.empty()) state.set_language(options.language);
  if (!options.theme.empty()) state.set_theme(options.theme == "light" ? ThemeKind::light : ThemeKind::dark);
  if (!options.view.empty()) state.workspace.view = options.view;
  if (!options.animate) state.workspace.animate = false;
  return Done{};
}

Status apply_input(FrameState& state, const Options& options) {
  if (!options.text && options.ids.empty()) return Done{};
  return state.session.edit(tr("frame.input_given"), {}, [&](Document& document) -> Status {
    if (!document.sequences.empty() && !document.sequences.front().input.vectors.empty())
      return fail(Code::unsupported, "This scene takes vectors, not text or token ids.",
                  "Leave out --text and --ids.");
    if (options.text) return set_text(document, 0, *options.text);
    document.sequences.front() = sequence_from_ids(*document.opened, options.ids);
    return Done{};
  });
}

Status apply_cursor(FrameState& state, const RunResult& run, const Options& options,
                    std::vector<std::string>& notes) {
  Cursor& cursor = state.workspace.cursor;
  const int layers = run.document.model->config().n_layers();
  if (options.layer >= layers) notes.push_back(clamped_note("layer", options.layer, layers));
  if (options.layer >= 0) cursor.layer = options.layer;
  tidy_cursor(cursor, run);
  if (!options.step.empty()) {
    TRY(const Site site, parse_site(options.step));
    if (!run.trace(cursor.sequence).find(site))
      return fail(Code::not_found, format("This run has no step %s.", options.step.c_str()),
                  "attnscope-cli steps lists the names; the model decides which of them happen.");
    go_to_site(state.workspace, run, site);
  }
  const int heads = head_count(cursor, run);
  if (options.head >= heads) notes.push_back(clamped_note("head", options.head, heads));
  if (options.head >= 0) cursor.head = options.head;
  tidy_cursor(cursor, run);
  return Done{};
}

}  // namespace attnscope
