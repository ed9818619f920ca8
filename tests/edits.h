// Edits as tests write them.
#pragma once

#include "core/trace/edit.h"

namespace attnscope::testing {

inline std::shared_ptr<const Edit> edit(const char* text) { return *parse_edit(text); }
inline std::shared_ptr<const Edit> cells(std::vector<Mask::Cell> switched,
                                         AttentionKind of = AttentionKind::main) {
  return make_edit(MaskEdit{of, {}, std::move(switched)});
}
inline std::shared_ptr<const Edit> mask(const char* text, AttentionKind of = AttentionKind::main) {
  return make_edit(MaskEdit{of, *MaskSpec::parse(text), {}});
}

}  // namespace attnscope::testing
