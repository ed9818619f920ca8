// Learning a small vocabulary from texts: byte-pair encoding (Sennrich et al. 2016) over bytes as GPT-2 has
// it, and a unigram model (Kudo 2018) of the pieces that it found, weighted by how often they occur. For
// demonstrations: not fast enough for large corpora.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace attnscope {

/// The `count` merges that join most, "a b" in byte letters, best first; ties by spelling. Fewer where no
/// pair occurs twice, or when `cancel` is set.
std::vector<std::string> learn_merges(std::span<const std::string_view> texts, int count,
                                      const std::atomic<bool>* cancel = nullptr);
/// The 256 bytes and what the first `count` merges make of them. Errors: merges that are no pairs.
Result<std::shared_ptr<const Tokenizer>> tokenizer_of_merges(const std::vector<std::string>& merges,
                                                             std::size_t count);
/// The same pieces as far as they are whole characters, and every character of the texts, each with the
/// logarithm of its share of the tokens when the merges cut these texts. Errors: as above.
Result<std::shared_ptr<const Tokenizer>> unigram_of_merges(std::span<const std::string_view> texts,
                                                           const std::vector<std::string>& merges,
                                                           std::size_t count);

}  // namespace attnscope
