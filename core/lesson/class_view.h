// A class: who is where, read from a folder with the file of each learner (the CSV that the window writes, or
// a progress file). Nothing is written, and no network is used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// A learner, and where the newest answer was given.
struct ClassMember {
  std::string learner, lesson, page, when;
  int right = 0, tried = 0;        ///< pages
  std::vector<std::string> stuck;  ///< "lesson/page": tried twice or more, and not right without "show me"
};
/// A page that somebody tried.
struct ClassPage {
  std::string lesson, page;
  int tried = 0, right = 0;  ///< learners
  double tries = 0;          ///< of them, in the mean
};
struct ClassView {
  std::vector<ClassMember> members;       ///< by name
  std::vector<ClassPage> pages;           ///< those that fewest got right first
  std::vector<Error> unread;              ///< files that are none, each with its sentence
  std::vector<std::string> unread_names;  ///< their names, in the same order
};

/// Reads every .csv and .json of a folder. A learner without a name is called as the file; of one in several
/// files the newest answer to a page counts. Errors: no such folder, or no file of a learner in it.
Result<ClassView> read_class(const std::string& folder);
/// What could not be read in one sentence: of one file its own, of several the names of the first three and
/// how many more there are. Nothing where all were read.
std::optional<Error> not_read(const ClassView& seen);

}  // namespace attnscope
