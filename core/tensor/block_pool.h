// Memory of tensors. Blocks that are freed, but for small ones, are kept for the next one of about the same
// size: a run that is made anew, for an edit say, has the sizes of the one before, a step of training nearly
// so, and pages that the system gives out must be cleared first. What is kept is bounded; the oldest block
// goes first. Any thread.
#pragma once

#include <cstddef>
#include <memory>

namespace attnscope {

/// Room for `bytes`, from the border of a cache line on. Throws std::bad_alloc.
std::shared_ptr<void> tensor_memory(std::size_t bytes);

/// Bytes that are kept and not in use, and how many they may become. Under AddressSanitizer nothing is kept.
std::size_t kept_block_bytes();
void set_kept_block_limit(std::size_t bytes);

}  // namespace attnscope
