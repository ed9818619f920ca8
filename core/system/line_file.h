// A text file read line by line, so that it may be larger than memory; also from a pipe. Errors: no such
// file, a folder, a read that fails, a line that is longer than kLongestLine.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "core/base/hash.h"
#include "core/base/result.h"

namespace attnscope {

inline constexpr std::size_t kLongestLine = std::size_t{64} << 20;

class LineFile {
 public:
  static Result<LineFile> open(const std::string& path);

  /// The next line without its end ("\n" or "\r\n"); null after the last.
  Result<std::optional<std::string>> next();
  /// Of the line that next() gave, from 1.
  std::int64_t line() const { return line_; }
  /// Over all lines that were given.
  const Hash& hash() const { return hash_; }
  /// A pipe or a device: it can be read once.
  bool once() const { return once_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  LineFile(std::string path, std::FILE* file, bool once) : path_(std::move(path)), file_(file), once_(once) {}

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  bool once_ = false;
  std::int64_t line_ = 0;
  Hash hash_;
};

}  // namespace attnscope
