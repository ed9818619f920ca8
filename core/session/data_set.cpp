#include "core/session/data_set.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>

#include "core/arch/shipped.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"
#include "core/session/data_fields.h"
#include "core/system/line_file.h"
#include "core/train/task.h"

namespace attnscope {
namespace {

std::string sixteen_digits(const Hash& hash) {
  return format("%016llx", static_cast<unsigned long long>(hash.value()));
}

std::string numbers_text(const std::vector<int>& ids) {
  std::vector<std::string> out;
  for (const int id : ids) out.push_back(std::to_string(id));
  return join(out, ",");
}

constexpr std::array kDataEndings{".jsonl", ".ndjson", ".csv", ".txt"};

bool blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

}  // namespace

bool is_data_path(const std::string& path) {
  const std::string name = lower(path);
  return path.starts_with("task:") ||
         std::any_of(kDataEndings.begin(), kDataEndings.end(),
                     [&](const char* ending) { return ends_with(name, ending); });
}

std::vector<DataFlag> data_flags() {
  return {{"--data", "TEXT", "cli.data", "task:storyteller"},
          {"--where", "COLUMN=VALUE", "cli.data.where", "group=ioi"},
          {"--limit", "INT", "cli.data.limit", "7"},
          {"--seed", "UINT", "cli.data.seed", "3"}};
}

void add_data_flags(CLI::App& app, DataChoice& choice) {
  constexpr std::uint64_t kMostSeed = std::uint64_t{1} << 53;  // as JSON keeps whole numbers
  const auto whole = [](std::uint64_t least, std::uint64_t most) {
    return CLI::Validator(whole_number(least, most), "");
  };
  for (const DataFlag& flag : data_flags()) {
    const std::string_view name = flag.name;
    CLI::Option* const option =
        name == "--data"    ? app.add_option(flag.name, choice.path, tr(flag.help))
        : name == "--where" ? app.add_option(flag.name, choice.where, tr(flag.help))->allow_extra_args(false)
        : name == "--limit"
            ? app.add_option(flag.name, choice.limit, tr(flag.help))->transform(whole(1, 1u << 30))
            : app.add_option(flag.name, choice.seed, tr(flag.help))->transform(whole(0, kMostSeed));
    option->type_name(flag.type);
  }
}

Text DataLine::place(const std::string& path, const std::vector<std::string>& fields) const {
  if (path.starts_with("task:")) return Text::of("data.place.example", {path, line});
  for (const std::string& field : fields)
    if (const auto column = columns.find(field); column != columns.end())
      return Text::of("data.place.column", {quoted_path(path), line, column->second});
  return Text::of("data.place.line", {quoted_path(path), line});
}

class DataReader::Source {
 public:
  virtual ~Source() = default;
  /// Fills `line`; false after the last.
  virtual Result<bool> read(DataLine& line) = 0;
  virtual std::string fingerprint() const = 0;
  virtual bool once() const { return false; }
};

namespace {

class FileOfPrompts final : public DataReader::Source {
 public:
  FileOfPrompts(std::string path, LineFile file) : path_(std::move(path)), file_(std::move(file)) {
    if (path_.ends_with(".jsonl") || path_.ends_with(".ndjson")) form_ = Form::jsonl;
    if (path_.ends_with(".csv")) form_ = Form::csv;
    if (path_.ends_with(".txt")) form_ = Form::text;
  }

  Result<bool> read(DataLine& line) override {
    for (;;) {
      TRY(std::optional<std::string> text, file_.next());
      if (!text) return false;
      line = {};
      line.line = file_.line();
      if (blank(*text)) continue;
      if (form_ == Form::unknown) form_ = form_of(*text);
      if (form_ == Form::csv) TRY_OK(finish_record(*text));
      if (form_ == Form::csv && header_.empty()) {
        TRY_OK(take_header(*text));
        continue;
      }
      if (const auto problem = take(*text, line)) return wrong(*problem, line.line, *text);
      return true;
    }
  }
  std::string fingerprint() const override { return sixteen_digits(file_.hash()); }
  bool once() const override { return file_.once(); }

 private:
  enum class Form : std::uint8_t { unknown, jsonl, csv, text };

  // Of a file whose name does not say it, by its first line.
  static Form form_of(const std::string& first) {
    if (first.find_first_not_of(" \t") == first.find('{')) return Form::jsonl;
    std::vector<CsvField> fields;
    const bool header = !csv_fields(first, fields) &&
                        std::any_of(fields.begin(), fields.end(),
                                    [](const CsvField& field) { return names_prompt(field.text); });
    return header ? Form::csv : Form::text;
  }

  Status finish_record(std::string& record) {
    while (csv_goes_on(record)) {
      TRY(const std::optional<std::string> more, file_.next());
      if (!more) return Done{};
      record += "\n" + *more;
      if (record.size() > kLongestLine)
        return fail(Code::unsupported, "error.system.long_line",
                    {quoted_path(path_), file_.line(), static_cast<std::int64_t>(kLongestLine >> 20)});
    }
    return Done{};
  }

  // Fields of a header between semicolons or tabs.
  static bool divided_otherwise(const std::string& header) {
    return std::any_of(header.begin(), header.end(), [](char c) { return c == ';' || c == '\t'; });
  }

  Status take_header(const std::string& text) {
    std::vector<CsvField> fields;
    auto problem = csv_fields(text, fields);
    for (const CsvField& field : fields) {
      if (!problem && std::find(header_.begin(), header_.end(), field.text) != header_.end())
        problem = DataProblem{field.column, Text::of("data.wrong.column_twice", {in_quotes(field.text)})};
      header_.push_back(field.text);
    }
    if (!problem && std::none_of(header_.begin(), header_.end(), names_prompt))
      problem = DataProblem{
          1, Text::of(header_.size() == 1 && divided_otherwise(text) ? "data.wrong.not_commas"
                                                                     : "data.wrong.no_prompt_column")};
    return problem ? Status(wrong(*problem, file_.line(), text)) : Status(Done{});
  }

  std::optional<DataProblem> take(const std::string& text, DataLine& line) {
    if (form_ == Form::text) {
      if (!is_valid_utf8(text)) return DataProblem{1, Text::of("data.wrong.utf8")};
      line.words = Request::Words{text, false};
      line.columns["text"] = 1;
      return std::nullopt;
    }
    std::vector<CsvField> fields;
    auto problem = form_ == Form::jsonl ? take_json_line(text, line) : csv_fields(text, fields);
    if (!problem && form_ == Form::csv) problem = take_csv_line(header_, fields, line);
    return problem ? problem : check_data_line(line);
  }

  // A record of CSV may have several lines.
  Error wrong(const DataProblem& problem, std::int64_t first, const std::string& text) const {
    const auto before = std::string_view(text).substr(0, static_cast<std::size_t>(problem.column - 1));
    const std::size_t end = before.rfind('\n');
    const std::int64_t column =
        end == std::string_view::npos ? problem.column : problem.column - static_cast<std::int64_t>(end) - 1;
    return fail(
        Code::bad_format, "error.session.data.line",
        {quoted_path(path_), first + std::count(before.begin(), before.end(), '\n'), column, problem.what});
  }

  std::string path_;
  LineFile file_;
  Form form_ = Form::unknown;
  std::vector<std::string> header_;
};

class TaskPrompts final : public DataReader::Source {
 public:
  TaskPrompts(std::shared_ptr<const Task> task, std::uint64_t seed) : task_(std::move(task)), seed_(seed) {}

  Result<bool> read(DataLine& line) override {
    line = {};
    line.line = next_ + 1;
    const std::optional<TaskPrompt> made = task_->prompt(seed_, next_++);
    if (!made) return fail(Code::unsupported, "error.session.data.no_prompts", {std::string(task_->name())});
    const bool source = !made->input.source.empty();
    line.words = Request::Words{numbers_text(source ? made->input.source : made->input.ids), true};
    if (source) line.decoder = Request::Words{numbers_text(made->input.ids), true};
    if (!made->corrupt.empty()) line.corrupt = Request::Words{numbers_text(made->corrupt), true};
    line.answer = "#" + std::to_string(made->answer);
    if (made->wrong >= 0) line.wrong = "#" + std::to_string(made->wrong);
    line.groups = made->groups;
    line.pixels = made->input.pixels;
    for (const auto* words : {&line.words, &line.corrupt, &line.decoder})
      if (*words) hash_.take((*words)->text);
    hash_.take(line.answer + line.wrong);
    for (const float pixel : line.pixels.values())
      hash_.take(std::uint64_t{std::bit_cast<std::uint32_t>(pixel)});
    return true;
  }
  std::string fingerprint() const override { return sixteen_digits(hash_); }

 private:
  std::shared_ptr<const Task> task_;
  std::uint64_t seed_;
  std::int64_t next_ = 0;
  Hash hash_;
};

// The task of a name, or the one that the shipped model of that name has learned. Errors: find_task's.
Result<std::shared_ptr<const Task>> task_or_shipped(const std::string& name) {
  auto task = find_task(name);
  const ModelFiles files = task ? ModelFiles() : shipped_files(name);
  const auto card = files.find("card.json");
  if (card == files.end()) return task;
  TRY(const nlohmann::json told, parse_json(card->second, name));
  const auto learned = told.find("task");
  return learned != told.end() && learned->is_string() ? find_task(learned->get<std::string>()) : task;
}

const std::string* field_of(const DataLine& line, const std::string& name) {
  if (name == "answer") return &line.answer;
  if (name == "wrong") return &line.wrong;
  const auto found = line.groups.find(name);
  return found == line.groups.end() ? nullptr : &found->second;
}

}  // namespace

// The columns that were read, each with the first of its values.
struct DataReader::Columns {
  static constexpr std::size_t kMost = 12;
  std::map<std::string, std::set<std::string>> values;  // at most kMost + 1 each

  void take(const DataLine& line) {
    const auto add = [this](const std::string& column, const std::string& value) {
      if (std::set<std::string>& known = values[column]; known.size() <= kMost) known.insert(value);
    };
    for (const auto& [column, value] : line.groups) add(column, value);
    if (!line.answer.empty()) add("answer", line.answer);
    if (!line.wrong.empty()) add("wrong", line.wrong);
  }
  static std::string listed(std::vector<std::string> names) {
    if (names.size() > kMost) names.resize(kMost), names.emplace_back("\xE2\x80\xA6");
    return join(names, ", ");
  }
  // Why no prompt has what was asked.
  Error none(const DataChoice& choice, const std::vector<std::pair<std::string, std::string>>& where) const {
    const std::string data = choice.is_task() ? choice.path : quoted_path(choice.path);
    std::vector<std::string> columns;
    for (const auto& [column, of] : values) columns.push_back(column);
    for (const auto& [column, value] : where) {
      const auto found = values.find(column);
      if (found == values.end())
        return columns.empty()
                   ? fail(Code::not_found, "error.session.data.no_columns", {data, in_quotes(column)})
                   : fail(Code::not_found, "error.session.data.no_column",
                          {data, in_quotes(column), listed(columns)});
      if (!found->second.contains(value) && found->second.size() <= kMost)
        return fail(Code::not_found, "error.session.data.no_value",
                    {data, printable(column + "=" + value, 80), in_quotes(column),
                     listed({found->second.begin(), found->second.end()})});
    }
    return fail(Code::not_found, "error.session.data.none", {data, join(choice.where, ", ")});
  }
};

DataReader::DataReader(std::unique_ptr<Source> source, DataChoice choice)
    : source_(std::move(source)), choice_(std::move(choice)), columns_(std::make_unique<Columns>()) {}
DataReader::DataReader(DataReader&&) noexcept = default;
DataReader& DataReader::operator=(DataReader&&) noexcept = default;
DataReader::~DataReader() = default;

Result<DataReader> DataReader::open(const DataChoice& choice) {
  std::vector<std::pair<std::string, std::string>> where;
  for (const std::string& one : choice.where) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Code::bad_format, "error.session.data.where", {in_quotes(one)});
    where.emplace_back(one.substr(0, equals), one.substr(equals + 1));
  }
  std::unique_ptr<Source> source;
  DataChoice chosen = choice;
  if (choice.is_task()) {
    TRY(std::shared_ptr<const Task> task, task_or_shipped(choice.path.substr(5)));
    source = std::make_unique<TaskPrompts>(std::move(task), choice.seed);
    if (chosen.limit == 0) chosen.limit = kTaskPrompts;
  } else {
    TRY(LineFile file, LineFile::open(choice.path));
    source = std::make_unique<FileOfPrompts>(choice.path, std::move(file));
  }
  DataReader out(std::move(source), std::move(chosen));
  out.where_ = std::move(where);
  return out;
}

Result<std::optional<DataLine>> DataReader::next() {
  // Examples of a task in a row, none of which has what was asked: there is no end to draw to.
  constexpr std::int64_t kMostInVain = 5000, kEnoughForColumns = 50;
  DataLine line;
  for (std::int64_t in_vain = 0; choice_.limit == 0 || count_ < choice_.limit; ++in_vain) {
    if (choice_.is_task() && in_vain == kMostInVain) break;
    TRY(const bool more, source_->read(line));
    if (!more) break;
    const bool asked = std::all_of(where_.begin(), where_.end(), [&](const auto& one) {
      const std::string* field = field_of(line, one.first);
      return field && *field == one.second;
    });
    if (asked) {
      ++count_;
      return std::optional(std::move(line));
    }
    if (count_ == 0) columns_->take(line);
    const bool has_columns = std::all_of(
        where_.begin(), where_.end(), [&](const auto& one) { return columns_->values.contains(one.first); });
    if (choice_.is_task() && count_ == 0 && !has_columns && in_vain == kEnoughForColumns) break;
  }
  if (count_ == 0 && where_.empty())
    return fail(Code::not_found, "error.session.data.empty",
                {choice_.is_task() ? choice_.path : quoted_path(choice_.path)});
  if (count_ == 0) return columns_->none(choice_, where_);
  return std::optional<DataLine>();
}

std::int64_t DataReader::count() const { return count_; }
std::string DataReader::fingerprint() const { return source_->fingerprint(); }
bool DataReader::once() const { return source_->once(); }

}  // namespace attnscope
