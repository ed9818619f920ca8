#include "core/session/vector_name.h"

namespace attnscope {

std::string vector_name(const Input& input, std::int64_t pos) {
  for (const Span& span : input.spans)
    if (span.begin == pos && span.end == pos + 1 && !input.vectors.empty()) return span.name;
  return {};
}

}  // namespace attnscope
