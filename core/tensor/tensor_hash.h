// A hash of a tensor's sizes and of all its values: the same for the same numbers, however they lie in memory
// or in a file. Not cryptographic.
#pragma once

#include <cstdint>

#include "core/tensor/tensor.h"

namespace attnscope {

/// Reads every value once, on all threads; encoded ones are expanded in pieces. Each value counts with its
/// place in row-major order, so that a transposed view has the hash of its copy. One changed value always
/// gives another hash. The bits of the values count: 0 and -0 differ, and so do two NaN of other bits.
std::uint64_t hash_of(const Tensor& tensor);

}  // namespace attnscope
