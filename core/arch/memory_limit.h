// How much memory expanded weights may take: half of this machine's, the environment variable
// ATTNSCOPE_MEMORY_LIMIT, or a setting. Error: a text that is no amount of memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

/// "800M", "8G", "1.5 GB", "123456": bytes; K, M, G and T are powers of 1024. Errors have the text.
Result<std::int64_t> parse_size(std::string_view text);

/// Bytes that the weights of a model may take in memory once they are expanded to float32.
std::int64_t memory_limit();
/// From now on, for models opened later; negative: back to the default.
void set_memory_limit(std::int64_t bytes);
/// The same as it was written on the command line; where that is empty, checks that ATTNSCOPE_MEMORY_LIMIT
/// is an amount of memory. Error: one of them is not.
Status choose_memory_limit(const std::string& asked);
/// A validator for CLI11: the error for an amount of memory as a sentence; empty where it
/// is one.
std::string memory_size(std::string& text);

}  // namespace attnscope
