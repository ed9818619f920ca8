// Numbers of an edit that are named rather than written: "@run:A", what the same place holds in another run;
// "@dir:cat-mat*2", a direction: the difference of two tokens' unembeddings, "@dir:pos:3-1" of two positions
// of the run at hand, "@dir:run:A" of run A and the run at hand, "@dir:run:1-0" of two runs, "@dir:FILE.npz"
// or "@dir:@FILE" one of a file; a factor may stand behind. They are looked up when the edit is made and kept
// by value. Errors: unknown names, and places that the other run does not have.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/session/session.h"

namespace attnscope {

/// Runs by their names; the empty name is the run that is edited. Errors: there is none of that name.
using FindRun = std::function<Result<std::shared_ptr<const Trace>>(const std::string& name)>;

/// Of a sequence in the window: the run on the screen, and the pinned one as "A".
FindRun runs_on_screen(std::shared_ptr<const RunResult> here, std::shared_ptr<const RunResult> pinned,
                       int sequence);
/// For parse_edit(). `opened` and what `runs` needs outlive it.
EditNumbers named_numbers(const OpenedModel& opened, FindRun runs);
/// The cells of a place in another run, all axes kept; those of a whole step where nothing is named. Errors:
/// the run does not have it.
Result<Tensor> numbers_in(const Trace& trace, const Target& where);
/// "cat-mat*2", "pos:3-1": a row of the place's last axes. Errors: no such token, a place that is no step.
Result<Tensor> direction(const OpenedModel& opened, const FindRun& runs, const std::string& text,
                         const Target& where);

}  // namespace attnscope
