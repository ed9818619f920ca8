// Whether another program still runs. Refuses to guess from its number alone where the system says more.
#pragma once

namespace attnscope {

/// False where no program has this number, or the one that had it has ended and nobody has asked for its
/// status yet.
bool process_runs(int process);

}  // namespace attnscope
