#include "core/train/packing.h"

#include <algorithm>

namespace attnscope {
namespace {

constexpr std::int64_t kPackedRows = 96;   // at least in a run: products are fast from there on
constexpr std::int64_t kPackedShares = 4;  // runs come in so many, for as many threads

bool is_tokens_alone(const Input& input) {
  return !input.ids.empty() && input.vectors.empty() && input.source.empty() && input.pixels.empty() &&
         input.types.empty() && input.attention_mask.empty() && input.spans.empty();
}

void append_example(Example& to, const Example& next) {
  to.input.starts.push_back(to.input.length());
  to.input.ids.insert(to.input.ids.end(), next.input.ids.begin(), next.input.ids.end());
  to.targets.insert(to.targets.end(), next.targets.begin(), next.targets.end());
  to.notes.clear();
}

}  // namespace

bool can_pack(const ModelConfig& config) {
  if (!config.encoders.empty() || config.patch.size > 0 || config.vocab_size == 0) return false;
  if (config.head.first_row_only) return false;
  return std::all_of(config.blocks.begin(), config.blocks.end(), [](const BlockSpec& block) {
    return block.attention.mask.empty() && block.attention.position.rope.kind != RopeSpec::Kind::dynamic;
  });
}

std::vector<Example> packed_examples(std::vector<Example> examples) {
  std::int64_t rows = 0, before = 0, last = -1;
  for (const Example& example : examples) rows += example.input.length();
  const std::int64_t shares = rows / (kPackedRows * kPackedShares) * kPackedShares;
  std::vector<Example> out;
  for (Example& example : examples) {
    const std::int64_t own = example.input.length();
    const std::int64_t run =
        (before + own / 2) * std::max<std::int64_t>(1, shares) / std::max<std::int64_t>(1, rows);
    before += own;
    if (run == last && is_tokens_alone(example.input) && is_tokens_alone(out.back().input))
      append_example(out.back(), example);
    else
      out.push_back(std::move(example));
    last = run;
  }
  return out;
}

}  // namespace attnscope
