// A data set: one prompt per line of a file (.jsonl, .csv, .txt), or the examples of a shipped model's own
// task. It is read line by line, so that a file may be larger than memory. Columns: `text` or `ids`, or
// `clean` and `corrupt` (`clean_ids`, `corrupt_ids`); `answer`, `wrong`; `decoder` (`decoder_ids`) for
// encoder-decoders; every further one is a group. Errors name file, line and column.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/request.h"

namespace CLI {
class App;
}

namespace attnscope {

/// One prompt of a data set.
struct DataLine {
  std::int64_t line = 0;                ///< in the file, from 1; of a task: the number of the example, from 1
  std::optional<Request::Words> words;  ///< of `text`, `ids`, `clean` or `clean_ids`; never a file's name
  std::optional<Request::Words> corrupt, decoder;
  Tensor pixels;              ///< of the picture that both are about [channel, height, width]; empty: none
  std::string answer, wrong;  ///< tokens as a measure names them; empty: none
  std::map<std::string, std::string> groups;
  std::map<std::string, std::int64_t, std::less<>> columns;  ///< where each field begins in the line, from 1

  /// "F.jsonl, line 3, column 9", where the first of these fields that it has begins; the line alone where it
  /// has none of them.
  Text place(const std::string& path, const std::vector<std::string>& fields = {}) const;
};

/// Which prompts of which data set.
struct DataChoice {
  std::string path;                ///< a file, or task:NAME (a task, or a shipped model that learned one)
  std::vector<std::string> where;  ///< "group=ioi": all of them hold
  std::int64_t limit = 0;          ///< at most so many of those; 0: all (of a task: kTaskPrompts)
  std::uint64_t seed = 0;          ///< of a task's examples

  bool is_task() const { return path.starts_with("task:"); }
};
inline constexpr std::int64_t kTaskPrompts = 200;
inline constexpr const char* kSessionData = "session";  ///< instead of a path: the one of the opened session
/// A path that names a data set by its ending, or "task:NAME".
bool is_data_path(const std::string& path);

/// One flag of a choice, as both programs take it.
struct DataFlag {
  const char *name, *type, *help;  ///< "--data"; its value; the key of its help
  const char* sample;              ///< a value that it takes
};
std::vector<DataFlag> data_flags();
/// Declares all of them.
void add_data_flags(CLI::App& app, DataChoice& choice);

/// Reads the lines of a data set that were chosen, in order.
class DataReader {
 public:
  class Source;
  struct Columns;
  /// Errors: no such file or task, a `where` without "=".
  static Result<DataReader> open(const DataChoice& choice);
  DataReader(DataReader&&) noexcept;
  DataReader& operator=(DataReader&&) noexcept;
  ~DataReader();

  /// The next prompt; null after the last. Errors: a line that is no object of JSON, a record of CSV with
  /// another number of fields than its header, an unknown field's type, a line that is too long; nothing was
  /// there at all, or nothing with the values of `where`: the sentence lists the columns or values that are.
  /// Of a task it ends after 5000 examples in a row without them.
  Result<std::optional<DataLine>> next();
  /// Prompts given so far.
  std::int64_t count() const;
  /// 16 hexadecimal digits over all bytes that were read so far.
  std::string fingerprint() const;
  /// The file can be read once only (a pipe).
  bool once() const;

 private:
  DataReader(std::unique_ptr<Source> source, DataChoice choice);
  std::unique_ptr<Source> source_;
  DataChoice choice_;
  std::vector<std::pair<std::string, std::string>> where_;
  std::unique_ptr<Columns> columns_;  // seen until the first prompt was given
  std::int64_t count_ = 0;
};

}  // namespace attnscope
