#include "core/session/lecture.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/random_model.h"
#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/file_formats.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/json_number.h"
#include "core/session/session_model.h"
#include "core/system/atomic_file.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kMostLectureBytes = 256ull << 20;
constexpr std::string_view kLecturesFolder = "assets/lectures/";

// A string where the other language says nothing.
Json lecture_text_json(const LocalText& text) { return text.ko.empty() ? Json(text.en) : text_json(text); }

Result<Slide> slide_from(const Json& value, const std::string& path) {
  const Json none, &session = value.is_object() && value.contains("session") ? value["session"] : none;
  if (!session.is_object()) return damaged_session(path, Text::of("error.session.lecture.session"));
  Slide out{local_text(value, "title"), local_text(value, "note"), nullptr};
  TRY(const SessionFile file, session_from_json(session, path));
  Json kept = *file.all;
  place_session_models(kept, path, {});
  out.session = std::make_shared<const Json>(std::move(kept));
  return out;
}

}  // namespace

bool is_lecture_path(const std::string& path) { return path.ends_with(kLectureEnding); }

Result<Lecture> lecture_from_json(const Json& file, const std::string& path) {
  if (!file.is_object() || member_text(file, "format") != kLectureFormat.name)
    return fail(Code::bad_format, "error.session.lecture.none", {quoted_path(path)});
  if (!whole_at(file, "version", 1, kLectureFormat.version))
    return fail(Code::unsupported, "error.session.lecture.version",
                {quoted_path(path), kLectureFormat.version});
  const auto slides = file.find("slides");
  if (slides == file.end() || !slides->is_array())
    return damaged_session(path, Text::of("error.session.lecture.slides"));
  Lecture out{local_text(file, "title"), {}, path};
  for (const Json& value : *slides) {
    Result<Slide> slide = slide_from(value, path);
    if (!slide) {
      const Error& error = slide.error();
      return error.saying(Text::of("error.session.lecture.slide", {out.slides.size() + 1, error.what()}));
    }
    out.slides.push_back(*std::move(slide));
  }
  return out;
}

Json lecture_to_json(const Lecture& lecture, const std::string& path) {
  Json slides = Json::array();
  for (const Slide& slide : lecture.slides) {
    Json session = *slide.session;
    place_session_models(session, {}, path);
    slides.push_back({{"title", lecture_text_json(slide.title)}, {"session", std::move(session)}});
    if (!slide.note.en.empty() || !slide.note.ko.empty())
      slides.back()["note"] = lecture_text_json(slide.note);
  }
  return {{"format", kLectureFormat.name},
          {"version", kLectureFormat.version},
          {"title", lecture_text_json(lecture.title)},
          {"slides", std::move(slides)}};
}

Result<Lecture> read_lecture(const std::string& path) {
  TRY(const Json file, read_json_file(path, kMostLectureBytes));
  return lecture_from_json(file, path);
}

Status write_lecture(const std::string& path, const Lecture& lecture) {
  return write_file(
      path, lecture_to_json(lecture, path).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::vector<std::string> shipped_lectures() {
  std::vector<std::string> out;
  for (const std::string_view path : assets_under(std::string(kLecturesFolder)))
    if (path.ends_with(".json")) out.push_back(fs::path(path).stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

Result<Lecture> shipped_lecture(const std::string& name) {
  const std::string_view text = asset(std::string(kLecturesFolder) + name + ".json");
  if (text.empty())
    return fail(Code::not_found, "error.session.lecture.unknown",
                {in_quotes(name), join(shipped_lectures(), ", ")});
  TRY(const Json file, parse_json(text, name, TwiceKeys::refuse));
  return lecture_from_json(file, kLecturePrefix + name);
}

Result<SessionFile> slide_session(const Lecture& lecture, std::size_t slide) {
  if (slide >= lecture.slides.size())
    return fail(Code::out_of_range, "error.session.lecture.no_slide", {slide + 1, lecture.slides.size()});
  return session_from_json(*lecture.slides[slide].session, lecture.path);
}

Result<Document> slide_document(const SessionFile& session, const std::atomic<bool>* cancel) {
  const PathsIn named(session.path);
  TRY_OK(may_open_model(session));
  TRY(OpenedModel opened, open_session_model((*session.all)["model"], session.path, session.beside));
  return document_of(session, std::move(opened), cancel);
}

}  // namespace attnscope
