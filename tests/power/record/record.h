// What a program does to the files of one folder, written down in the order in which the system is asked: a
// library that stands before the system's own. Linked to a test, or loaded into a program with
// LD_PRELOAD, ATTNSCOPE_POWER_ROOT=FOLDER and ATTNSCOPE_POWER_LOG=FILE.
#pragma once

extern "C" {
/// From now on what happens below `root` (an absolute path without links) is appended to `log`.
void power_record(const char* root, const char* log);
/// A mark between two of the program's calls.
void power_mark();
void power_stop();
}
