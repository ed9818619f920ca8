#include "core/lesson/progress.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/csv.h"
#include "core/base/file_formats.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/json_number.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;
constexpr std::uint64_t kProgressMostBytes = std::uint64_t{16} << 20;

PageProgress page_from(const Json& entry) {
  PageProgress page;
  if (!entry.is_object()) return page;
  const auto flag = [&](const char* key) {
    return entry.contains(key) && entry[key].is_boolean() && entry[key].get<bool>();
  };
  const auto count = [&](const char* key) {
    return entry.contains(key) && entry[key].is_number_unsigned() && entry[key].get<std::uint64_t>() < 1000000
               ? entry[key].get<int>()
               : 0;
  };
  const auto text = [&](const char* key) {
    return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : std::string();
  };
  page.right = flag("right");
  page.shown = flag("shown");
  page.tries = count("tries");
  page.hints = count("hints");
  page.score = entry.contains("score") && entry["score"].is_number() ? entry["score"].get<double>() : 0;
  page.answer = text("answer");
  page.when = text("when");
  return page;
}

Json to_json(const PageProgress& page) {
  return {{"right", page.right}, {"shown", page.shown},   {"tries", page.tries}, {"hints", page.hints},
          {"score", page.score}, {"answer", page.answer}, {"when", page.when}};
}

// Quoted where it must be; a sign that a spreadsheet would read as a formula stands behind an apostrophe.
std::string field(std::string text) {
  const bool formula = !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
  if (formula && !parse_real(text, -INFINITY, INFINITY)) text = "'" + text;
  return csv_field(text);
}

}  // namespace

Result<Progress> Progress::load(const std::string& path) {
  Progress out;
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return out;
  TRY(const Json all, read_json_file(path, kProgressMostBytes));
  const auto learners = all.is_object() ? all.find("learners") : all.end();
  if (!all.is_object() || learners == all.end() || !learners->is_object())
    return fail(Code::bad_format, "error.lesson.progress", {quoted_path(path)});
  if (all.contains("version") && !whole_at(all, "version", 1, kProgressFormat.version))
    return fail(Code::unsupported, "error.lesson.progress.newer",
                {quoted_path(path), kProgressFormat.version});
  for (const auto& [learner, pages] : learners->items()) {
    if (!pages.is_object()) return fail(Code::bad_format, "error.lesson.progress", {quoted_path(path)});
    for (const auto& [page, entry] : pages.items()) out.learners_[learner][page] = page_from(entry);
  }
  if (const auto left = all.find("left_on"); left != all.end() && left->is_object())
    for (const auto& [learner, lessons] : left->items())
      for (const auto& [lesson, page] : lessons.items())
        if (lessons.is_object() && page.is_string()) out.left_on_[learner][lesson] = page.get<std::string>();
  return out;
}

Status Progress::save(const std::string& path) const {
  if (path.empty()) return Done{};
  TRY_OK(make_folder(std::filesystem::path(path).parent_path().string()));
  Json learners = Json::object();
  for (const auto& [learner, pages] : learners_) {
    Json list = Json::object();
    for (const auto& [page, progress] : pages)
      if (progress.touched() || progress.hints > 0) list[page] = to_json(progress);
    learners[learner] = std::move(list);
  }
  Json all{{"format", kProgressFormat.name},
           {"version", kProgressFormat.version},
           {"learners", std::move(learners)}};
  if (!left_on_.empty()) all["left_on"] = left_on_;
  return write_file(path, all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

const PageProgress* Progress::find(const std::string& learner, const std::string& lesson,
                                   const std::string& page) const {
  const auto pages = learners_.find(learner);
  if (pages == learners_.end()) return nullptr;
  const auto found = pages->second.find(lesson + "/" + page);
  return found == pages->second.end() ? nullptr : &found->second;
}

std::string Progress::left_on(const std::string& learner, const std::string& lesson) const {
  const auto lessons = left_on_.find(learner);
  if (lessons == left_on_.end()) return {};
  const auto page = lessons->second.find(lesson);
  return page == lessons->second.end() ? std::string() : page->second;
}

int Progress::right_in(const std::string& learner, const std::string& lesson) const {
  const auto pages = learners_.find(learner);
  if (pages == learners_.end()) return 0;
  int count = 0;
  for (const auto& [page, progress] : pages->second)
    if (progress.right && starts_with(page, lesson + "/")) ++count;
  return count;
}

std::vector<std::string> Progress::learners() const {
  std::vector<std::string> out;
  for (const auto& [learner, pages] : learners_) out.push_back(learner);
  return out;
}

std::string Progress::csv() const {
  std::string out = "\xEF\xBB\xBF";  // spreadsheets take the rest as UTF-8 then, names in Hangul too
  out += "learner,lesson,page,right,shown,tries,hints,score,answer,when\n";
  for (const auto& [learner, pages] : learners_)
    for (const auto& [place, page] : pages) {
      const std::size_t slash = place.find('/');
      out += field(learner) + "," + field(place.substr(0, slash)) + "," +
             field(slash == std::string::npos ? std::string() : place.substr(slash + 1)) + "," +
             (page.right ? "1," : "0,") + (page.shown ? "1," : "0,") + std::to_string(page.tries) + "," +
             std::to_string(page.hints) + "," + format("%.3f", page.score) + "," + field(page.answer) + "," +
             page.when + "\n";
    }
  return out;
}

std::string progress_path() {
  const std::string folder = config_folder();
  return folder.empty() ? folder : folder + "/progress.json";
}

}  // namespace attnscope
