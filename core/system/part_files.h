// The names of files and folders that are being written, and those that a program left behind when it ended
// in the middle. Such a file belongs to the process that made it as long as that lives: it holds a lock, and
// its name holds the process id. Files that a living process may still write are kept.
#pragma once

#include <string>

namespace attnscope {

/// ".attnscope-MACHINE-PID-NUMBER.part", another one with every call. MACHINE: this start of this system (or
/// its container), so that PID is unique together with it.
std::string new_part_name();
/// Whether a file or a folder has such a name.
bool is_part_file(const std::string& name);
/// Takes the lock of a file that was just made, until it is closed.
void lock_part(int fd);
/// Removes the files of dead processes from a folder, where that is certain: the lock is free, and their
/// process is gone or, where it ran elsewhere, they have not changed for a day. Looks at each folder once.
void remove_dead_parts(const std::string& folder);

}  // namespace attnscope
