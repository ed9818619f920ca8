// Where the list of slides lies while it is in no file of its own: in the config folder, and in sessions.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/state/frame_state.h"
#include "app/state/kept_sessions.h"
#include "app/state/lecture_player.h"
#include "core/base/caught.h"
#include "core/base/computed.h"
#include "core/io/json_file.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kKeepAfter = 1;  // seconds without a change
constexpr std::uint64_t kMostKeptBytes = 256ull << 20;

std::string kept_text(const Json& kept) {
  return kept.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Json LecturePlayer::kept() const {
  Json out = lecture_to_json(lecture_, {});
  if (!lecture_.path.empty()) out["path"] = lecture_.path;
  if (!file_.empty()) out["file"] = file_;
  if (changed_) out["changed"] = true;
  return out;
}

Json LecturePlayer::part() const {
  const bool shipped = lecture_.path.starts_with(kLecturePrefix);
  return lecture_.slides.empty() || (shipped && !changed_) ? Json() : kept();
}

void LecturePlayer::take_part(FrameState& state, const Json& part, const std::string& session, bool older) {
  if (part.is_null() || (older && !lecture_.slides.empty())) return;
  Result<Lecture> read = lecture_from_json(part, session);
  if (!read) return state.notify(read.error());
  if (lecture_to_json(*read, {}) == lecture_to_json(lecture_, {})) return;
  take(state, *std::move(read));
}

// Another program's list, or one that another took the place of, stays as a file beside it.
Status LecturePlayer::write_kept(const std::string& path, const std::string& text, std::uint64_t seen) {
  TRY_OK(make_folder(fs::path(path).parent_path().string()));
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    const Result<std::string> there = read_file(path, kMostKeptBytes);
    const std::string aside = new_lecture_path({});
    if (there && key_of(*there) != seen && !aside.empty()) fs::rename(path, aside, ignored);
  }
  return write_file(path, text);
}

void LecturePlayer::set_aside(FrameState& state) const {
  const std::string path = new_lecture_path(in_language(lecture_.title));
  if (kept_in_.empty() || path.empty()) return;
  Status written = make_folder(fs::path(path).parent_path().string());
  if (written) written = write_lecture(path, lecture_);
  if (written) return state.notify(Notice::Kind::info, Text::of("lecture.aside", {path}), {}, 12);
  state.notify(written.error());
}

void LecturePlayer::keep_in(FrameState& state, std::string path) {
  kept_in_ = std::move(path);
  std::error_code ignored;
  if (kept_in_.empty() || !fs::exists(kept_in_, ignored)) return;
  const Result<std::string> text = read_file(kept_in_, kMostKeptBytes);
  const Result<Json> file = text ? parse_json(*text, kept_in_) : Result<Json>(text.error());
  // Named by the file that its slides came from: what lies in the config folder may name any model.
  const bool named = file && file->is_object() && file->contains("path") && (*file)["path"].is_string();
  Result<Lecture> read =
      file ? lecture_from_json(*file, named ? (*file)["path"].get<std::string>() : std::string())
           : Result<Lecture>(file.error());
  if (!read) return state.notify(read.error());
  seen_ = key_of(*text);
  lecture_ = *std::move(read);
  file_ = file->value("file", "");
  changed_ = file->value("changed", false);
  kept_version_ = version_;
}

bool LecturePlayer::follow_keeping(FrameState& state, double now) {
  if (const auto written = writing_.take()) {
    if (*written) kept_version_ = writing_version_, told_ = false;
    if (!*written && !std::exchange(told_, true))
      state.notify(Notice::Kind::warning, Text::of("lecture.not_kept", {written->error().whole()}), {}, 0);
  }
  if (kept_in_.empty() || kept_version_ == version_) return false;
  if (changed_at_ < 0) changed_at_ = now;
  const double wait = told_ ? 30 * kKeepAfter : kKeepAfter;
  if (writing_.waits() || now - changed_at_ < wait) return true;
  changed_at_ = now;
  writing_version_ = version_;
  const std::uint64_t seen = seen_;
  std::string text = kept_text(kept());
  seen_ = key_of(text);
  writing_.begin(state.session.workers(),
                 [path = kept_in_, text = std::move(text), seen] { return write_kept(path, text, seen); });
  return true;
}

Status LecturePlayer::keep_now() {
  if (kept_in_.empty() || (kept_version_ == version_ && !writing_.waits())) return Done{};
  const std::string text = kept_text(kept());
  const Status written = write_kept(kept_in_, text, seen_);
  seen_ = key_of(text);
  if (written) kept_version_ = version_;
  return written;
}

}  // namespace attnscope
