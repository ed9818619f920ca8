// Sessions that the program keeps by itself, in the folder of settings: what is open while it runs
// (autosaves, a file for each work of each program), and what is left for the next start. Refuses to touch
// those of a program that still runs on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attnscope {

/// Where this program keeps a work (Session::work()) while it runs; empty where there is no folder for it.
std::string autosave_path(std::uint64_t work);
/// A name that is not taken, of a session that is left for the next start; `title` is part of it. Empty where
/// there is no folder for it.
std::string new_kept_path(const std::string& title);
/// It was left for the next start, by this or an earlier version.
bool is_kept_session(const std::string& path);
/// All of them, the newest first. What a program left that no longer runs is one from now on: its file gets
/// another name, which no autosave takes.
std::vector<std::string> kept_sessions();
/// Those, and the one of a file of its own that was open last (empty: none), the newest first.
std::vector<std::string> sessions_to_offer(const std::string& last);
/// A session and all that lies beside it.
void remove_session(const std::string& path);
/// The same under another name; false where that failed.
bool move_session(const std::string& from, const std::string& to);
/// What this program kept while it ran.
void remove_autosaves();

}  // namespace attnscope
