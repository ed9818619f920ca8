#include "core/base/result.h"

#include "core/base/text.h"

namespace attnscope {

Error fail(Code code, std::string_view sentence, std::string_view hint) {
  return Error{code, printable(sentence, kMostOfSentence), printable(hint, kMostOfSentence)};
}

Error about(std::string_view path, const Error& error) {
  const std::string quoted = quoted_path(path), name = quoted.substr(1, quoted.size() - 2);
  if (error.sentence.find(name) != std::string::npos) return error;
  return fail(error.code, quoted + ": " + error.sentence, error.hint);
}

}  // namespace attnscope
