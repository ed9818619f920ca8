#include "core/session/about.h"

#include "core/base/version.h"
#include "core/base/words.h"
#include "core/ops/ops.h"

namespace attnscope {

std::string about_text() {
  const std::string number(version()), from(commit());
  return tr(from.empty() ? "about.version" : "about.version.commit", {number, kernel_name(), from});
}

}  // namespace attnscope
