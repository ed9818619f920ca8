#include "core/base/caught.h"

#include <exception>
#include <new>

#include "core/base/text.h"

namespace attnscope {

Error caught_error(const Text& what) {
  try {
    throw;
  } catch (const ErrorThrown& thrown) {
    return thrown.error;
  } catch (const std::bad_alloc&) {
    return fail(Code::no_memory, "error.work.memory", {what});
  } catch (const std::exception& error) {
    return fail(Code::unsupported, "error.work.failed_because", {what, in_quotes(error.what(), 200)});
  } catch (...) {
    return fail(Code::unsupported, "error.work.failed", {what});
  }
}

}  // namespace attnscope
