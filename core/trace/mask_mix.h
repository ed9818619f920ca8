// A mask as a list of terms joined by one operator: "causal & window(4)", "causal | image>image".
// Texts that need more (parentheses, "not", both operators) have no such form and stay as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

struct AttentionSpec;

struct MaskMix {
  std::vector<std::string> parts;  ///< terms of a MaskSpec, each once
  bool all = true;                 ///< joined by "and"; false: by "or"
  bool has(std::string_view part) const;
  bool operator==(const MaskMix&) const = default;
};

/// "causal & window(4)"; "model" where there are no parts.
std::string mask_text(const MaskMix& mix);
/// The rule that an attention has by itself, over its own tokens: "full", "causal & window(4)".
std::string mask_text(const AttentionSpec& spec);
/// Empty where the text is not of this form; no parts for "model".
std::optional<MaskMix> mask_mix(std::string_view text);
/// With the part added or taken away. The operator of an added part: a window narrows (and), all
/// else widens (or); where two or more stand there already, their operator stays. In an attention that looks
/// back only (`causal`) a window that would stand alone is joined with causal: by itself it hides no key
/// after the query.
MaskMix with_part(MaskMix mix, const std::string& part, bool causal = false);

}  // namespace attnscope
