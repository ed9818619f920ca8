#include "app/panels/lesson/speaker.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/panels/lesson/lesson_ask.h"
#include "app/panels/lesson/slide_preview.h"
#include "app/state/controls.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/local_time.h"
#include "core/lesson/worksheet.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr ImGuiWindowFlags kWhole = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
constexpr float kPictureShare = 0.58f;  // of the width
constexpr float kSpeakerType = 19.f;    // pixels at 1280 x 720

// Font scale of the second window: the fonts are those of the presented window.
void own_type() {
  const float share = std::min(ImGui::GetIO().DisplaySize.x / 1280, ImGui::GetIO().DisplaySize.y / 720);
  ImGui::SetWindowFontScale(kSpeakerType * std::max(0.5f, share) / compat::font_size(fonts().reading));
}

std::string clock_text() {
  const std::string now = local_time(std::filesystem::file_time_type::clock::now());
  return now.size() > 5 ? now.substr(now.size() - 5) : now;
}

std::string since_text(const Presenter& presenter) {
  const auto past = std::chrono::steady_clock::now() - presenter.began;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(past).count();
  return format("%d:%02d", static_cast<int>(seconds / 60), static_cast<int>(seconds % 60));
}

void heading(const char* key) {
  gap(6);
  const WithFont face(fonts().body_bold);
  wrapped_text(tr(key), theme().text_dim);
}

void draw_time(const FrameState& state) {
  const WithFont face(fonts().mono_big);
  ImGui::TextUnformatted(clock_text().c_str());
  ImGui::SameLine(0, px(18));
  dim_text(since_text(state.presenter));
}

void draw_mirror(const Mirror& mirror, float width) {
  if (mirror.size.x <= 0 || mirror.size.y <= 0) return;
  const float scale = width / mirror.size.x;
  const ImVec2 p0 = ImGui::GetCursorScreenPos(), p1(p0.x + width, p0.y + mirror.size.y * scale);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddImage(mirror.picture, p0, p1, ImVec2(0, 1), ImVec2(1, 0));  // OpenGL's first row is at the bottom
  list->AddRect(p0, p1, theme().border);
  const bool inside = mirror.pointer.x >= 0 && mirror.pointer.y >= 0 && mirror.pointer.x < mirror.size.x &&
                      mirror.pointer.y < mirror.size.y;
  if (inside) {
    const ImVec2 at(p0.x + mirror.pointer.x * scale, p0.y + mirror.pointer.y * scale);
    list->AddCircleFilled(at, px(3), theme().warning);
    list->AddCircle(at, px(8), theme().warning, 0, px(2));
  }
  ImGui::Dummy(ImVec2(width, p1.y - p0.y));
}

// ---- notes of a lesson ------------------------------------------------------------------------------

void draw_lesson_notes(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const Lesson& lesson = player.lesson();
  const Page& page = player.page();
  dim_text(player.where());
  reading_text(page_words(lesson, page, "title"), theme().text, true);
  if (const std::string notes = page_notes(lesson, page); !notes.empty()) reading_text(notes, theme().text);
  if (page.ask.index() == 0) return;
  heading("speaker.asked");
  reading_text(page_words(lesson, page, "ask"), theme().text);
  if (const std::string answer = player.right_words(); !answer.empty())
    reading_text(tr("worksheet.answer", {answer}), theme().ok, true);
  for (const char* hint : {"hint1", "hint2"}) reading_text(page_words(lesson, page, hint), theme().text_dim);
}

void draw_next_page(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const auto next = static_cast<std::size_t>(player.page_index()) + 1;
  heading("speaker.next");
  if (next >= player.lesson().pages.size()) return dim_text(tr("speaker.last"));
  const Page& page = player.lesson().pages[next];
  reading_text(page_words(player.lesson(), page, "title"), theme().text, true);
  reading_text(page_words(player.lesson(), page, "text"), theme().text_dim);
  if (page.ask.index() > 0) reading_text(page_words(player.lesson(), page, "ask"), theme().text_dim);
}

// ---- notes of a lecture ----------------------------------------------------------------------------

// Of a picture that leaves room for its heading and title above it.
float next_width(float room) { return std::max(px(120), (room - px(60)) * 1280 / 720); }

void draw_slide_notes(const FrameState& state) {
  const LecturePlayer& player = state.lecture;
  dim_text(tr("lecture.walk.at",
              {player.title(), std::to_string(player.at() + 1), std::to_string(player.size())}));
  reading_text(player.slide_title(player.at()), theme().text, true);
  if (const std::string note = in_language(player.slide(player.at()).note); !note.empty())
    reading_text(note, theme().text);
}

void draw_next_slide(FrameState& state, float width) {
  LecturePlayer& player = state.lecture;
  const int next = player.at() + 1;
  heading("speaker.next");
  if (next >= static_cast<int>(player.size())) return dim_text(tr("speaker.last"));
  reading_text(player.slide_title(next), theme().text, true);
  if (!player.preview) player.preview = std::make_shared<SlidePreview>();
  if (!player.preview->draw(state, next, width))
    reading_text(in_language(player.slide(next).note), theme().text_dim);
}

// ---- notes of the steps ----------------------------------------------------------------------------

void draw_step_notes(FrameState& state) {
  const Site& site = state.workspace.cursor.step;
  const Step& step = step_of(site.slot);
  dim_text(to_text(site));
  reading_text(std::string(step_title(step)), theme().text, true);
  reading_text(std::string(step_sentence(step)), theme().text);
  const auto& notes = state.session.document().notes;
  if (const auto found = notes.find(to_text(site)); found != notes.end())
    reading_text(found->second, theme().accent);
}

void draw_next_step(FrameState& state) {
  heading("speaker.next");
  const int next = state.walked ? current_step(state.workspace, *state.walked) + 1 : 0;
  if (!state.walked || next >= static_cast<int>(state.walked->steps.size()))
    return dim_text(tr("speaker.last"));
  const Step& step = step_of(state.walked->steps[static_cast<std::size_t>(next)].main.slot);
  reading_text(std::string(step_title(step)), theme().text, true);
  reading_text(std::string(step_sentence(step)), theme().text_dim);
}

}  // namespace

void draw_speaker(FrameState& state, const Mirror& mirror) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(size);
  ImGui::Begin("###speaker", nullptr, kWhole);
  const bool lesson = state.lessons.open(), lecture = state.lecture.walking() && !lesson;
  const float left = ImGui::GetContentRegionAvail().x * kPictureShare;
  compat::begin_child("###speaker_left", ImVec2(left, 0), false);
  own_type();
  draw_mirror(mirror, ImGui::GetContentRegionAvail().x - px(8));
  if (lecture)
    draw_next_slide(state, std::min(ImGui::GetContentRegionAvail().x - px(8),
                                    next_width(ImGui::GetContentRegionAvail().y)));
  else
    lesson ? draw_next_page(state) : draw_next_step(state);
  ImGui::EndChild();
  ImGui::SameLine(0, px(12));
  compat::begin_child("###speaker_right", ImVec2(0, 0), false);
  own_type();
  draw_time(state);
  gap(6);
  if (lecture)
    draw_slide_notes(state);
  else if (lesson)
    draw_lesson_notes(state);
  else if (state.run)
    draw_step_notes(state);
  ImGui::EndChild();
  ImGui::End();
}

}  // namespace attnscope
