// Result<T>: a value or an Error, whose sentence and hint are keys of the tables of texts.
// User data (files, text, sizes) gives a Result; our own mistakes are CHECK and abort with file and line.
// No exceptions between rooms: an error is passed up as a value and handled once, where it is shown.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/keyed_text.h"

namespace attnscope {

enum class Code {
  not_found,
  bad_format,
  bad_shape,
  out_of_range,
  unsupported,
  cancelled,
  io_failed,
  no_memory
};

/// What happened and where, and what to do about it, as keys and arguments; translated when the sentence is
/// read, into the language of that moment.
struct Error {
  Code code = Code::bad_format;
  Text what;
  Text advice;  ///< empty where the tables have no hint for this error

  /// One sentence. It and the hint are made printable (core/base/text.h) and cut where they are longer than
  /// any sentence, so that no file can send escape sequences to a terminal; what comes from files and
  /// people is quoted with in_quotes().
  std::string sentence() const;
  /// What to do about it; may be empty.
  std::string hint() const;
  /// "sentence hint", for a terminal or a log line.
  std::string text() const;
  /// The same as keys, not yet translated.
  Text whole() const;
};

/// `key` is a key of the tables with its arguments; its hint is `key` + ".hint" with the same arguments,
/// where the tables have it.
Error fail(Code code, std::string_view key, std::vector<Text> arguments = {});

/// "where: sentence", with the hint of the error.
Error within(Text where, const Error& error);
/// The same error with the path of the file that it is about in front, in quotes; as it is where it names it
/// already.
Error about(std::string_view path, const Error& error);

/// Either a T or an Error. `if (!r) return r.error();` is the whole protocol.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}  // NOLINT(google-explicit-constructor): `return value;`
  Result(Error error)
      : held_(std::move(error)) {}  // NOLINT(google-explicit-constructor): `return fail(...);`

  explicit operator bool() const { return held_.index() == 0; }
  bool ok() const { return held_.index() == 0; }
  T& operator*() & { return std::get<0>(held_); }
  const T& operator*() const& { return std::get<0>(held_); }
  T&& operator*() && { return std::get<0>(std::move(held_)); }
  T* operator->() { return &std::get<0>(held_); }
  const T* operator->() const { return &std::get<0>(held_); }
  const Error& error() const { return std::get<1>(held_); }

 private:
  std::variant<T, Error> held_;
};

/// Result of an action that has nothing to return.
struct Done {};
using Status = Result<Done>;

namespace detail {
[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s\n", file, line, condition);
  std::abort();
}
}  // namespace detail

}  // namespace attnscope

/// Aborts with file (no folder: equal bytes) and line where our own invariant fails. Never for user data.
#define CHECK(condition) \
  ((condition) ? (void)0 : ::attnscope::detail::check_failed(#condition, __FILE_NAME__, __LINE__))

#define ATTNSCOPE_JOIN2(a, b) a##b
#define ATTNSCOPE_JOIN(a, b) ATTNSCOPE_JOIN2(a, b)
/// `TRY(auto file, open(path));` : take the value or return the error to the caller.
#define TRY(declaration, expression)                                                  \
  auto ATTNSCOPE_JOIN(try_, __LINE__) = (expression);                                 \
  if (!ATTNSCOPE_JOIN(try_, __LINE__)) return ATTNSCOPE_JOIN(try_, __LINE__).error(); \
  declaration = *std::move(ATTNSCOPE_JOIN(try_, __LINE__))
/// `TRY_OK(save(path));` : for Status, where there is no value to take.
#define TRY_OK(expression) \
  if (auto try_ok = (expression); !try_ok) return try_ok.error()
