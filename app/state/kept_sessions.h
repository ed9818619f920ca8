// Session files in the config folder: autosaves of the running program (one per work and process), and
// sessions kept for the next start. Autosaves of a process that still runs on this machine are left
// alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attnscope {

/// Autosave path of a work (Session::work()) of this process; empty without a config folder.
std::string autosave_path(std::uint64_t work);
/// An unused file name for a session kept for the next start; contains `title`. Empty without a config
/// folder.
std::string new_kept_path(const std::string& title);
/// Where the list of slides lies while the program runs; empty without a config folder. An unused file name
/// for one that another list took the place of, and those that are there, newest first.
std::string lecture_path();
std::string new_lecture_path(const std::string& title);
std::vector<std::string> left_lectures();
/// True for a session kept for the next start, by this or an earlier version.
bool is_kept_session(const std::string& path);
/// All of them, newest first. Autosaves of processes that no longer run are renamed, and so kept,
/// first.
std::vector<std::string> kept_sessions();
/// These, and the last open session with a file of its own (empty: none), newest first.
std::vector<std::string> sessions_to_offer(const std::string& last);
/// Deletes kept sessions that are neither among the newest 20 nor younger than 30 days, with the files beside
/// them. Those in `spared` and those that cannot be read stay.
void prune_kept_sessions(const std::vector<std::string>& spared);
/// Deletes a session and the files beside it.
void remove_session(const std::string& path);
/// Renames a session and the files beside it; false on failure.
bool move_session(const std::string& from, const std::string& to);
/// Deletes the autosaves of this process.
void remove_autosaves();

}  // namespace attnscope
