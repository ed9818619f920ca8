// Shares in percent, as the language writes them: 57 % in English, 57% in Korean.
#pragma once

#include <string>

#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {

/// `share` of 1 in percent, with `digits` behind the point, in the language of this moment.
inline std::string percent_text(double share, int digits = 1) {
  return tr("number.percent", {format("%.*f", digits, 100 * share)});
}

}  // namespace attnscope
