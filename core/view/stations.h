// The stations of the view "steps": what happens to one token on its way through the model, in order. The
// film strip of a window lists them; each is a page of the view.
#pragma once

#include <string>
#include <vector>

#include "core/view/view.h"

namespace attnscope {

struct Station {
  std::string id;   ///< a page of the view: "words", "embed", "scores", "softmax", "values", "mlp", "word"
  Text name;        ///< short: "softmax"
  figure::Ink ink;  ///< of its kind of step
  Site site;        ///< the step whose numbers it shows
};
/// Those that the run has steps for, in order of execution.
std::vector<Station> stations(const ViewState& state);

}  // namespace attnscope
