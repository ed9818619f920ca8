// The sizes of a described model that can be changed: everything else follows. Vision encoders stay as they
// are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/arch/described.h"

namespace attnscope {

struct Sizes {
  std::int64_t d_model = 1, layers = 1, heads = 1, kv_heads = 1, d_head = 1, d_ff = 0, vocab = 0;
  bool operator==(const Sizes&) const = default;
};
/// Of the last block, like which further ones are made; where blocks differ, a size that is changed is
/// changed in all, and the others stay.
Sizes sizes_of(const Described& described);

/// One of them by its name on the command line: "kv_heads", "d_ff"; null: there is none.
std::int64_t* size_named(Sizes& sizes, const std::string& name);
const std::vector<std::string>& size_names();
/// "kv_heads=8" set in `sizes`. A width that heads shared equally is shared equally again, and heads without
/// groups stay so. Errors: no such size, no whole number.
Status set_size(Sizes& sizes, const std::string& assignment);
void set_size(Sizes& sizes, const std::string& name, std::int64_t value);

/// The same model with other sizes, in all stacks of words. Errors: sizes below 1, heads that key/value heads
/// do not divide.
Result<Described> resized(const Described& described, const Sizes& sizes);

}  // namespace attnscope
