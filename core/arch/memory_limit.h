// How much memory expanded weights may take: half of this machine's, what the environment variable
// ATTNSCOPE_MEMORY_LIMIT says, or what the person has set. Refuses sizes that are none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

/// "800M", "8G", "1.5 GB", "123456": bytes; K, M, G and T are powers of 1024. Errors say what was read.
Result<std::int64_t> parse_size(std::string_view text);

/// Bytes that the weights of a model may take in memory once they are expanded to float32.
std::int64_t memory_limit();
/// From now on, for models opened later; negative: back to the default.
void set_memory_limit(std::int64_t bytes);
/// The same as it was written on the command line; where that is empty, looks whether ATTNSCOPE_MEMORY_LIMIT
/// is an amount of memory. Error: one of them is not.
Status choose_memory_limit(const std::string& asked);
/// Says what is wrong with an amount of memory that was typed; empty where nothing is: a check for whoever
/// reads arguments.
std::string memory_size(std::string& text);

}  // namespace attnscope
