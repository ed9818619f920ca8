// The heap of the C library, shared by the threads of a program that runs all day.
#pragma once

namespace attnscope {

/// At most two arenas for all threads. glibc would give nearly each thread one of its own, and what is freed
/// in one is of no use to the others: after hours of use they hold a fifth more than is in use. Called before
/// the first thread is started; does nothing with other C libraries.
void share_heap_arenas();

}  // namespace attnscope
