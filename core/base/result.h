// Result<T>: a value or an Error, whose sentence and hint are keys of the tables of texts.
// User data (files, text, sizes) gives a Result; our own mistakes are CHECK and abort with file and line.
// No exceptions between rooms: an error is passed up as a value and handled once, where it is shown.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
/// read, into the language of that moment. All copies share one, so that passing one up costs a pointer.
class Error {
 public:
  Error();  ///< no sentence; Code::bad_format
  Error(Code code, Text what, Text advice);
  // Compiled once, not wherever an error is passed up.
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  Code code() const;
  const Text& what() const;
  const Text& advice() const;  ///< empty where the tables have no hint for this error
  /// The same with another sentence, or with something else to do about it.
  Error saying(Text what) const;
  Error advising(Text advice) const;

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

 private:
  struct Said;
  const Said& said() const;
  std::shared_ptr<const Said> said_;
};

/// `key` is a key of the tables with its arguments; its hint is `key` + ".hint" with the same arguments,
/// where the tables have it.
Error fail(Code code, std::string_view key, TextArguments arguments = {});
Error fail(Code code, std::string_view key, std::vector<Text> arguments);

/// "where: sentence", with the hint of the error.
Error within(const Text& where, const Error& error);
/// The same error with the path of the file that it is about in front, in quotes; as it is where it names it
/// already.
Error about(std::string_view path, const Error& error);

namespace detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace detail

/// Either a T or an Error. `if (!r) return r.error();` is the whole protocol. Reading what it does not hold
/// is a mistake of ours, and CHECKed. (std::variant would be the same, and takes the compiler longer.)
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): `return value;`
  Result(const Error& error) : error_(error) {}  // NOLINT(google-explicit-constructor)
  Result(Error&& error) noexcept : error_(std::move(error)) {}  // NOLINT: `return fail(...);`

  explicit operator bool() const { return value_.has_value(); }
  bool ok() const { return value_.has_value(); }
  T& operator*() & { return held(*this); }
  const T& operator*() const& { return held(*this); }
  T&& operator*() && { return std::move(held(*this)); }
  T* operator->() { return &held(*this); }
  const T* operator->() const { return &held(*this); }
  const Error& error() const {
    if (value_) detail::check_failed("an error is read", __FILE_NAME__, __LINE__);
    return error_;
  }

  // For TRY, which has looked.
  T&& taken() && { return std::move(*value_); }
  Error&& passed_up() && { return std::move(error_); }

 private:
  template <class Self>
  static auto& held(Self& self) {
    if (!self.value_) detail::check_failed("a value is read", __FILE_NAME__, __LINE__);
    return *self.value_;
  }
  std::optional<T> value_;
  Error error_;
};

/// Result of an action that has nothing to return.
struct Done {};
using Status = Result<Done>;

}  // namespace attnscope

/// Aborts with file (no folder: equal bytes) and line where our own invariant fails. Never for user data.
#define CHECK(condition) \
  ((condition) ? (void)0 : ::attnscope::detail::check_failed(#condition, __FILE_NAME__, __LINE__))

#define ATTNSCOPE_JOIN2(a, b) a##b
#define ATTNSCOPE_JOIN(a, b) ATTNSCOPE_JOIN2(a, b)
/// `TRY(auto file, open(path));` : take the value or return the error to the caller.
#define TRY(declaration, expression)                                                                 \
  auto ATTNSCOPE_JOIN(try_, __LINE__) = (expression);                                                \
  if (!ATTNSCOPE_JOIN(try_, __LINE__)) return std::move(ATTNSCOPE_JOIN(try_, __LINE__)).passed_up(); \
  declaration = std::move(ATTNSCOPE_JOIN(try_, __LINE__)).taken()
/// `TRY_OK(save(path));` : for Status, where there is no value to take.
#define TRY_OK(expression) \
  if (auto try_ok = (expression); !try_ok) return std::move(try_ok).passed_up()
