// Beside the linear twin's bars of tokens: the matrix of one of them, by its strongest directions, each with
// the words that it makes likelier. Limit: a matrix takes as many passes as the model is wide; of wide models
// the command that computes it is named instead.
#pragma once

#include <string>
#include <vector>

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/twin_directions.h"

namespace attnscope {

class AskTwinMatrix {
 public:
  /// The token at `pos` of the main stack's input, called `name`. `subject` and `key` of the run and the
  /// measure, as of Computed::get_or_before.
  void draw(const ViewContext& context, const std::shared_ptr<const Trace>& trace,
            const LogitMeasure& measure, std::uint64_t subject, std::uint64_t key, std::int64_t pos,
            const std::string& name, ImVec2 room);

 private:
  struct Shown {
    Result<TwinDirections> found = Error{};
    std::vector<std::string> words;  ///< of each direction
  };
  Computed<Shown> made_;
};

}  // namespace attnscope
