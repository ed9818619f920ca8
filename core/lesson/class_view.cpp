#include "core/lesson/class_view.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/lesson/progress.h"
#include "core/session/data_fields.h"
#include "core/system/line_file.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostAnswerBytes = std::uintmax_t{16} << 20;
constexpr int kStuckTries = 2;
constexpr std::size_t kMostUnreadNamed = 3;  // files in one sentence
constexpr const char* kClassColumns[] = {"learner", "lesson", "page", "right", "shown", "tries", "when"};

using Pages = Progress::Pages;  // "lesson/page" -> what was done
using Learners = std::map<std::string, Pages>;

void put(Learners& all, const std::string& learner, const std::string& place, const PageProgress& page) {
  PageProgress& known = all[learner][place];
  if (known.when <= page.when) known = page;
}

// A cell that a spreadsheet would have read as a formula has an apostrophe in front.
std::string plain(const std::string& field) {
  return field.size() > 1 && field.front() == '\'' ? field.substr(1) : field;
}

Error no_learner(const fs::path& path) {
  return fail(Code::bad_format, "error.class.no_learner", {quoted_path(path.string())});
}

Status read_csv(const fs::path& path, Learners& out) {
  TRY(LineFile file, LineFile::open(path.string()));
  std::string record;
  std::vector<CsvField> fields;
  std::map<std::string, std::size_t> columns;
  for (;;) {
    TRY(const std::optional<std::string> line, file.next());
    if (!line) break;
    record += record.empty() ? *line : "\n" + *line;
    if (csv_goes_on(record)) continue;
    if (columns.empty() && starts_with(record, "\xEF\xBB\xBF")) record.erase(0, 3);
    fields.clear();
    if (csv_fields(record, fields)) return no_learner(path);
    record.clear();
    if (columns.empty()) {
      for (std::size_t i = 0; i < fields.size(); ++i) columns[fields[i].text] = i;
      for (const char* column : kClassColumns)
        if (!columns.contains(column)) return no_learner(path);
      continue;
    }
    if (fields.size() != columns.size()) return no_learner(path);
    const auto field = [&](const char* name) { return plain(fields[columns.at(name)].text); };
    PageProgress page;
    page.right = field("right") == "1", page.shown = field("shown") == "1", page.when = field("when");
    const auto tries = parse_real(field("tries"), 0, 1e6);
    if (!tries) return no_learner(path);
    page.tries = static_cast<int>(*tries);
    const std::string name = field("learner");
    put(out, name.empty() ? path.stem().string() : name, field("lesson") + "/" + field("page"), page);
  }
  return columns.empty() || !record.empty() ? Status(no_learner(path))
                                            : Status(Done{});  // it ends in a field
}

Status read_progress(const fs::path& path, Learners& out) {
  TRY(Progress progress, Progress::load(path.string()));
  for (const std::string& learner : progress.learners())
    for (const auto& [place, page] : progress.of(learner))
      put(out, learner.empty() ? path.stem().string() : learner, place, page);
  return Done{};
}

ClassMember member_of(const std::string& learner, const Pages& pages) {
  ClassMember out;
  out.learner = learner;
  for (const auto& [place, page] : pages) {
    ++out.tried;
    out.right += page.right ? 1 : 0;
    if (!page.right && page.tries >= kStuckTries) out.stuck.push_back(place);
    if (page.when < out.when) continue;
    const std::size_t slash = std::min(place.find('/'), place.size() - 1);
    out.when = page.when, out.lesson = place.substr(0, slash), out.page = place.substr(slash + 1);
  }
  return out;
}

std::vector<ClassPage> pages_of(const Learners& learners) {
  std::map<std::string, ClassPage> all;
  for (const auto& [learner, pages] : learners)
    for (const auto& [place, page] : pages) {
      const std::size_t slash = std::min(place.find('/'), place.size() - 1);
      ClassPage& one = all[place];
      one.lesson = place.substr(0, slash), one.page = place.substr(slash + 1);
      ++one.tried, one.right += page.right ? 1 : 0, one.tries += page.tries;
    }
  std::vector<ClassPage> out;
  for (auto& [place, page] : all) {
    page.tries /= page.tried;
    out.push_back(page);
  }
  std::stable_sort(out.begin(), out.end(), [](const ClassPage& a, const ClassPage& b) {
    const int first = a.right * b.tried, second = b.right * a.tried;
    return first != second ? first < second : a.tries > b.tries;  // where as many failed, who tried longer
  });
  return out;
}

}  // namespace

std::optional<Error> not_read(const ClassView& seen) {
  const std::size_t count = seen.unread_names.size();
  if (count == 0) return std::nullopt;
  if (count == 1) return seen.unread.front();
  const std::vector<std::string> named(
      seen.unread_names.begin(),
      seen.unread_names.begin() + static_cast<std::ptrdiff_t>(std::min(count, kMostUnreadNamed)));
  const std::string names = join(named, ", ");
  if (count <= kMostUnreadNamed) return fail(Code::bad_format, "error.class.unread", {names});
  return fail(Code::bad_format, "error.class.unread_more", {names, count - kMostUnreadNamed});
}

Result<ClassView> read_class(const std::string& folder) {
  std::error_code broken;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, broken), end; !broken && at != end; at.increment(broken)) {
    const std::string extension = lower(at->path().extension().string());
    if (extension == ".csv" || extension == ".json") files.push_back(at->path());
  }
  if (broken) return fail(Code::not_found, "error.class.no_folder", {quoted_path(folder)});
  std::sort(files.begin(), files.end());
  Learners learners;
  ClassView out;
  for (const fs::path& path : files) {
    const std::uintmax_t size = fs::file_size(path, broken);
    Learners one;
    Status read = broken || size > kMostAnswerBytes            ? Status(no_learner(path))
                  : lower(path.extension().string()) == ".csv" ? read_csv(path, one)
                                                               : read_progress(path, one);
    if (!read) {
      out.unread.push_back(read.error());
      out.unread_names.push_back(quoted_path(path.filename().string()));
      continue;
    }
    for (const auto& [learner, pages] : one)
      for (const auto& [place, page] : pages) put(learners, learner, place, page);
  }
  if (learners.empty())
    return out.unread.empty() ? fail(Code::not_found, "error.class.empty", {quoted_path(folder)})
                              : *not_read(out);
  for (const auto& [learner, pages] : learners) out.members.push_back(member_of(learner, pages));
  out.pages = pages_of(learners);
  return out;
}

}  // namespace attnscope
