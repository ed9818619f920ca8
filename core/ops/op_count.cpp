#include "core/ops/op_count.h"

namespace attnscope {
namespace {

thread_local OpCount* current = nullptr;

}  // namespace

CountOps::CountOps(OpCount& to) : before_(current) { current = &to; }
CountOps::~CountOps() { current = before_; }

OpCount* op_count() { return current; }

}  // namespace attnscope
