// A lecture: a list of slides, each a small session (session_file.h) with a title and a note for whoever
// speaks. A file of its own (*.lecture.json), and a part of session files, so that what was put together is
// kept with the work; those that travel with the program lie in assets/lectures. Errors: no lecture, a newer
// version, a damaged field, with the number of the slide.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/arch/scene.h"
#include "core/session/session_file.h"

namespace attnscope {

inline constexpr const char* kLectureEnding = ".lecture.json";
inline constexpr const char* kLecturePrefix = "lecture:";  ///< of the paths of shipped ones
bool is_lecture_path(const std::string& path);

struct Slide {
  LocalText title, note;
  std::shared_ptr<const nlohmann::json> session;  ///< as session_to_json writes it
  bool operator==(const Slide&) const = default;
};

struct Lecture {
  LocalText title;
  std::vector<Slide> slides;
  std::string path;  ///< the file it was read from or written to, "lecture:NAME", or empty
  bool operator==(const Lecture&) const = default;
};

/// `path`: of the file that it stands in, from which its models are looked for; empty: it stands in none.
Result<Lecture> lecture_from_json(const nlohmann::json& file, const std::string& path);
nlohmann::json lecture_to_json(const Lecture& lecture, const std::string& path);
Result<Lecture> read_lecture(const std::string& path);
/// Complete or not at all.
Status write_lecture(const std::string& path, const Lecture& lecture);
/// The names of those that travel with the program, in their order.
std::vector<std::string> shipped_lectures();
/// Errors: lists the names.
Result<Lecture> shipped_lecture(const std::string& name);

/// The session of a slide, to be opened. Errors: those of reading a session.
Result<SessionFile> slide_session(const Lecture& lecture, std::size_t slide);
/// What a slide's session opens with its inputs and edits. Errors: a model that is not there or may not be
/// read.
Result<Document> slide_document(const SessionFile& session, const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
