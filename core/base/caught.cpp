#include "core/base/caught.h"

#include <exception>
#include <new>

#include "core/base/text.h"

namespace attnscope {

Error caught_error(const std::string& what) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fail_words(Code::no_memory, "There was not enough memory for " + what + ".",
                      "Close other programs, or choose a smaller input.");
  } catch (const std::exception& error) {
    return fail_words(Code::unsupported,
                      "The program failed at " + what + ": " + in_quotes(error.what(), 200) + ".",
                      "What is open is kept. Please report this sentence.");
  } catch (...) {
    return fail_words(Code::unsupported, "The program failed at " + what + ".",
                      "What is open is kept. Please report this sentence.");
  }
}

}  // namespace attnscope
