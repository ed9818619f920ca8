// The model that ships beside the open one and learned the same task under another mask, kept as A.
#pragma once

#include <string>

#include "app/look/kept_text.h"
#include "app/widgets/commands.h"

namespace attnscope {

class Twin {
 public:
  /// True where there is one.
  bool exists(const Session& session) const { return !name(session).empty(); }
  /// A is its run of what is open.
  bool is_a(const Session& session) const;
  /// Runs it on what is open, keeps that as A and shows A, B and B - A; where it is A already, lets go of it.
  void toggle(const Session& session, Workspace& workspace, Commands& commands) const;
  /// Where it is A, and the inputs or edits have changed since, it runs on those of now. Once per frame.
  void follow(Session& session);

 private:
  const std::string& name(const Session& session) const;
  mutable Kept<std::string> name_;
  std::uint64_t followed_ = 0;  ///< History::version() that A is of; 0: not known
};

}  // namespace attnscope
