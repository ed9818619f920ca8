// The progress of learners, kept in one file per machine and written as CSV: per learner and page the answer,
// how many tries and hints it took, and whether it was right. A damaged
// file is not overwritten: it is an error.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

struct PageProgress {
  bool right = false;
  bool shown = false;  ///< "show me" was used
  int tries = 0, hints = 0;
  double score = 0;    ///< of the best guess, 0..1
  std::string answer;  ///< the last one
  std::string when;    ///< "2026-01-31 17:05", of the last one
  bool touched() const { return tries > 0 || shown; }
};

class Progress {
 public:
  /// "LESSON/PAGE" -> what was done there.
  using Pages = std::map<std::string, PageProgress>;

  /// Reads the file; none is no progress yet. Errors: it is there and cannot be read.
  static Result<Progress> load(const std::string& path);
  /// Writes it, whole or not at all; makes its folder.
  Status save(const std::string& path) const;

  /// Of one learner; the empty name is for learners without a name.
  Pages& of(const std::string& learner) { return learners_[learner]; }
  const PageProgress* find(const std::string& learner, const std::string& lesson,
                           const std::string& page) const;
  PageProgress& at(const std::string& learner, const std::string& lesson, const std::string& page) {
    return learners_[learner][lesson + "/" + page];
  }
  /// The page on which this learner left a lesson, by its id; empty where it was not open yet.
  std::string left_on(const std::string& learner, const std::string& lesson) const;
  void leave_on(const std::string& learner, const std::string& lesson, const std::string& page) {
    left_on_[learner][lesson] = page;
  }
  /// Pages of a lesson that were answered right by this learner.
  int right_in(const std::string& learner, const std::string& lesson) const;
  std::vector<std::string> learners() const;
  /// "learner,lesson,page,right,shown,tries,hints,score,answer,when" and a row each.
  std::string csv() const;

 private:
  std::map<std::string, Pages> learners_;
  std::map<std::string, std::map<std::string, std::string>> left_on_;  ///< learner, lesson -> page
};

/// The file of this person's machine; empty where there is no place for it.
std::string progress_path();

}  // namespace attnscope
