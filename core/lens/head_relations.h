// How well each head finds the other word of a relation (a verb's subject, an adjective's noun): the share of
// examples in which its largest weight from the one word lies on the other. Beside it stands what no grammar
// is needed for, the best single distance ("always two tokens back"); a head counts as one for the relation
// where it is better by a tenth (Voita et al. 2019, Clark et al. 2019).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/trace/relation.h"
#include "core/trace/trace.h"

namespace attnscope {

/// One head and one relation; both 0..1.
struct RelationHead {
  Site pattern;
  int head = 0;
  double accuracy = 0;  ///< share of examples in which the key with the largest weight is the right one
  double weight = 0;    ///< mean weight on the right key
};

struct RelationScore {
  std::string relation;
  Stack stack = Stack::single;
  std::int64_t count = 0;           ///< examples that have the relation
  std::int64_t offset = 0;          ///< the distance (key minus query) that is right most often
  double fixed = 0;                 ///< share of examples in which that distance is right, 0..1
  std::vector<RelationHead> heads;  ///< of the stack's self-attention, in order of execution

  /// The head with the largest accuracy, the first of equal ones. Null: there are no heads.
  const RelationHead* best() const;
  /// False where the distance alone is right so often that no head could be better by kRelationMargin.
  bool can_tell() const;
  /// True where the best head is better than the distance by kRelationMargin.
  bool found() const;
};
inline constexpr double kRelationMargin = 0.1;

/// Counts run after run. All runs are of one model.
class RelationMeter {
 public:
  /// Takes the relations of one run; a relation whose rows the run does not have is our mistake (CHECK).
  void add(const Trace& trace, const std::vector<WordRelation>& relations);
  /// In the order in which the relations came.
  std::vector<RelationScore> scores() const;

 private:
  struct Sum {
    RelationScore score;  ///< of each head the sums so far
    std::map<std::int64_t, std::int64_t> distances;
  };
  Sum& sum_of(const Trace& trace, const WordRelation& relation);
  std::vector<Sum> sums_;
};

}  // namespace attnscope
