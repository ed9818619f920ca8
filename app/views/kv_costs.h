// Cost and saving of the KV cache: matmuls per token with and without it, and its bytes at long contexts for
// MHA, GQA and MQA. Counted in core/sample, calculated in core/calc.
#pragma once

#include <imgui.h>

#include "core/calc/cache.h"
#include "core/sample/cached_run.h"

namespace attnscope {

/// Curves over the tokens, and below them the counts up to step `at_step`.
void draw_kv_products(const CachedRun& run, std::size_t at_step, ImVec2 at, ImVec2 size);

/// A table with a bar in every cell: context lengths down, kinds of K/V sharing across. `now`: positions of
/// the run; `source`: those of the encoder.
void draw_kv_bytes(const Described& model, std::int64_t now, std::int64_t source, const Format& format,
                   ImVec2 at, ImVec2 size);

}  // namespace attnscope
