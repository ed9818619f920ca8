#include "core/train/data_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/ops/backward.h"
#include "core/system/mapped_file.h"
#include "core/text/characters.h"
#include "core/train/held_out.h"
#include "core/train/random.h"
#include "core/train/task_sizes.h"
#include "core/train/word_tokenizer.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kMostTrainingBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostWords = 256;                // of one line
constexpr std::size_t kMostVocabulary = 50000;         // different words
constexpr int kDataFileEnd = 0, kDataFileUnknown = 1;  // "<end>" stands before and behind every line
const std::vector<std::string> kSpecial{"<end>", "<unk>"};

struct Line {
  std::size_t number = 0;  // in the file, from 1
  std::vector<std::string> words;
};

// Cut at white space of every kind, as the tokenizer cuts.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  bool inside = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    const bool gap = is_white_space(next_code_point(line, at));
    if (!gap && !inside) out.emplace_back();
    if (!gap) out.back() += line.substr(begin, at - begin);
    inside = !gap;
  }
  return out;
}

// Every line of a text has words; the line break behind the last one is no line.
Result<std::vector<Line>> lines_of(const std::string& text, const std::string& what) {
  if (!is_valid_utf8(text)) return fail(Code::bad_format, "error.train.data.utf8", {what});
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors open UTF-8 with it
  std::vector<std::string> rows = split(
      std::string_view(text).substr(starts_with(text, kByteOrderMark) ? kByteOrderMark.size() : 0), '\n');
  if (!rows.empty() && rows.back().empty()) rows.pop_back();
  if (rows.empty()) return fail(Code::bad_format, "error.train.data.empty", {what});
  std::vector<Line> out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    out.push_back({row + 1, words_of(rows[row])});
    if (out.back().words.empty())
      return fail(Code::bad_format, "error.train.data.empty_line", {what, row + 1});
    if (out.back().words.size() > kMostWords)
      return fail(Code::bad_format, "error.train.data.long_line",
                  {what, row + 1, out.back().words.size(), kMostWords});
  }
  return out;
}

bool is_special(const std::string& word) {
  return std::find(kSpecial.begin(), kSpecial.end(), word) != kSpecial.end();
}

// The tokenizer finds specials inside of words too.
bool holds_special(const std::string& word) {
  return std::any_of(kSpecial.begin(), kSpecial.end(),
                     [&](const std::string& special) { return word.find(special) != std::string::npos; });
}

Error kept_word(const std::string& what, std::size_t number, const std::string& word) {
  return fail(Code::bad_format, "error.train.data.kept_word", {what, number, in_quotes(word)});
}

// The specials, then the words in the order of the alphabet.
Result<std::vector<std::string>> list_of(const std::set<std::string>& words, const std::string& what) {
  if (words.size() > kMostVocabulary)
    return fail(Code::out_of_range, "error.train.data.vocabulary", {what, words.size(), kMostVocabulary});
  std::vector<std::string> out = kSpecial;
  for (const std::string& word : words)
    if (!is_special(word)) out.push_back(word);
  return out;
}

Result<std::vector<std::string>> vocabulary_of(const std::vector<Line>& lines, const std::string& what) {
  std::set<std::string> words;
  for (const Line& line : lines)
    for (const std::string& word : line.words) {
      if (holds_special(word)) return kept_word(what, line.number, word);
      words.insert(word);
    }
  return list_of(words, what);
}

Result<std::vector<std::string>> given_vocabulary(const std::string& text, const std::string& what) {
  TRY(const std::vector<Line> lines, lines_of(text, what));
  std::set<std::string> words;
  for (const Line& line : lines) {
    if (line.words.size() != 1)
      return fail(Code::bad_format, "error.train.data.one_word", {what, line.number, line.words.size()});
    const std::string& word = line.words.front();
    if (holds_special(word) && !is_special(word)) return kept_word(what, line.number, word);
    words.insert(word);
  }
  return list_of(words, what);
}

Example data_file_example_of(const std::vector<int>& ids) {
  Example out;
  out.input.ids = {kDataFileEnd};
  out.input.ids.insert(out.input.ids.end(), ids.begin(), ids.end());
  out.targets = ids;
  out.targets.push_back(kDataFileEnd);
  return out;
}

class DataLines final : public Task {
 public:
  DataLines(std::vector<std::string> words, std::vector<std::vector<int>> train,
            std::vector<std::vector<int>> held_out, DataSource source)
      : Task({"file", "Lines of a file", "Says the next word of the lines of a text file.", "gpt2"}),
        words_(std::move(words)),
        train_(std::move(train)),
        held_out_(std::move(held_out)),
        source_(std::move(source)) {
    source_.lines = static_cast<std::int64_t>(train_.size());
    source_.held_out = static_cast<std::int64_t>(held_out_.size());
    source_.words = static_cast<std::int64_t>(words_.size() - kSpecial.size());
    for (const auto* lines : {&train_, &held_out_})
      for (const std::vector<int>& line : *lines) longest_ = std::max(longest_, line.size());
  }

  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {2, 4, 0, 64, 256, "pre", ""}));
    ModelConfig out = usual_decoder(sizes, usual_block(sizes), static_cast<int>(words_.size()),
                                    static_cast<std::int64_t>(longest_) + 1);
    out.bos = out.eos = kDataFileEnd;
    return out;
  }

  nlohmann::json tokenizer() const override {
    WordTokenizer parts;
    parts.words = words_;
    parts.special = kSpecial;
    parts.unknown = kSpecial[kDataFileUnknown];
    parts.before = kSpecial[kDataFileEnd];
    nlohmann::json out = tokenizer_json(parts);
    out["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};  // as the lines were read
    out["model"]["type"] = "WordLevel";                    // whatever the words look like
    return out;
  }

  Recipe recipe() const override { return {}; }
  const DataSource* source() const override { return source_.path.empty() ? nullptr : &source_; }

  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    const auto& lines = split == Split::train ? train_ : held_out_;
    if (split == Split::held_out)  // one after the other: there may be few
      return data_file_example_of(lines[static_cast<std::size_t>(number) % lines.size()]);
    SplitMix64 random = random_of(seed, 0, static_cast<std::uint64_t>(number));
    return data_file_example_of(random.one_of(lines));
  }

  Example shown() const override { return data_file_example_of(train_.front()); }

  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override {
    RowsRight said;
    run_held_out(*this, model, seed, count, [&](const Example& example, const Trace& trace) {
      said.add(rows_right(trace, example.targets));
    });
    return {{"accuracy", "share of the words of held-out lines that are the most likely next word",
             said.share(), 0}};
  }

 private:
  std::vector<std::string> words_;
  std::vector<std::vector<int>> train_, held_out_;
  DataSource source_;
  std::size_t longest_ = 0;
};

Result<std::vector<std::vector<int>>> data_file_ids_of(const std::vector<Line>& lines, const WordIds& ids,
                                                       const std::string& what) {
  std::vector<std::vector<int>> out;
  for (const Line& line : lines) {
    out.emplace_back();
    for (const std::string& word : line.words) {
      if (!ids.has(word))
        return fail(Code::bad_format, "error.train.data.unknown_word", {what, line.number, in_quotes(word)});
      out.back().push_back(ids[word]);
    }
  }
  return out;
}

// Of both texts.
std::uint64_t fingerprint_of(const std::string& text, const std::string& vocabulary) {
  return fingerprint(format("%llx %llx", static_cast<unsigned long long>(fingerprint(text)),
                            static_cast<unsigned long long>(fingerprint(vocabulary))));
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

Result<std::shared_ptr<const Task>> task_of_lines(const std::string& text, const std::string& what,
                                                  const std::string& vocabulary,
                                                  const std::string& vocabulary_what, DataSource source) {
  TRY(const std::vector<Line> lines, lines_of(text, what));
  TRY(std::vector<std::string> words,
      vocabulary_what.empty() ? vocabulary_of(lines, what) : given_vocabulary(vocabulary, vocabulary_what));
  TRY(const auto all, data_file_ids_of(lines, WordIds(words), what));
  // The tenth of the different lines with the smallest fingerprints, one at least.
  std::map<std::uint64_t, std::vector<int>> different;
  for (const std::vector<int>& line : all) different[fingerprint(line)] = line;
  if (different.size() < 2) return fail(Code::bad_format, "error.train.data.one_line", {what});
  const std::size_t out = std::max<std::size_t>(1, different.size() / 10);
  std::vector<std::vector<int>> held_out, train;
  for (const auto& [print, line] : different)
    if (held_out.size() < out) held_out.push_back(line);
  const std::uint64_t border = std::next(different.begin(), static_cast<std::ptrdiff_t>(out))->first;
  for (const std::vector<int>& line : all)
    if (fingerprint(line) >= border) train.push_back(line);
  return std::shared_ptr<const Task>(std::make_shared<const DataLines>(
      std::move(words), std::move(train), std::move(held_out), std::move(source)));
}

}  // namespace

Result<std::shared_ptr<const Task>> task_of_text(const std::string& text, const std::string& what,
                                                 const std::string& vocabulary,
                                                 const std::string& vocabulary_what) {
  return task_of_lines(text, what, vocabulary, vocabulary_what, {});
}

Result<std::shared_ptr<const Task>> task_of_file(const std::string& path, const std::string& vocabulary) {
  TRY(const std::string text, read_file(path, kMostTrainingBytes));
  DataSource source;
  source.path = absolute(path);
  std::string words, words_what;
  if (!vocabulary.empty()) {
    TRY(words, read_file(vocabulary, kMostTrainingBytes));
    source.vocabulary = absolute(vocabulary);
    words_what = quoted_path(vocabulary);
  }
  source.fingerprint = fingerprint_of(text, words);
  return task_of_lines(text, quoted_path(path), words, words_what, std::move(source));
}

}  // namespace attnscope
