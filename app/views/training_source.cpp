#include "app/views/training_source.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::size_t kExampleWords = 24;  // of the line shown
constexpr float kLeastPath = 220.f;        // units

// The first words of a line.
std::string opening(const std::string& line) {
  std::vector<std::string> words = split(line, ' ');
  if (words.size() <= kExampleWords) return line;
  words.resize(kExampleWords);
  return join(words, " ") + " …";
}

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

ExampleWords example_words(const Task& task) {
  const auto tokenizer = tokenizer_from_json(task.tokenizer().dump(), "tokenizer.json");
  if (!tokenizer) return {};
  const Input input = task.shown().input;
  const std::string source = input.source.empty() ? std::string() : (*tokenizer)->decode(input.source, true);
  return {source, (*tokenizer)->decode(input.ids, true)};
}

void TrainingSource::ask(const ViewContext& context) {
  context.commands.ask_file(
      {false, "training.data.title", {}, [chosen = chosen_](Session&, const std::string& path) {
         chosen->data = path;
       }});
}

void TrainingSource::ask_vocabulary(const ViewContext& context) {
  context.commands.ask_file(
      {false, "training.vocabulary.title", {}, [chosen = chosen_](Session&, const std::string& path) {
         chosen->vocabulary = path;
       }});
}

bool TrainingSource::follow(const ViewContext& context) {
  if (chosen_->data) {
    on_ = true;
    data_ = *std::exchange(chosen_->data, std::nullopt);
    vocabulary_.clear();
    ++asked_;
  }
  if (chosen_->vocabulary) {
    vocabulary_ = *std::exchange(chosen_->vocabulary, std::nullopt);
    ++asked_;
  }
  if (!on_) return false;
  const auto work = [data = data_, vocabulary = vocabulary_](const std::atomic<bool>&) {
    Read out{training_settings_of_file(data, vocabulary), {}};
    if (out.settings) out.example = opening(example_words(*out.settings->read).answer);
    return out;
  };
  read_ = reading_.get(asked_, context.workers(), work);
  if (!read_ || taken_ == asked_) return false;
  taken_ = asked_;
  if (read_->settings)
    note_text(read_->example);
  else
    note_text(read_->settings.error().text());
  return ready();
}

void TrainingSource::draw_vocabulary(const ViewContext& context) {
  const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(6), scaled(5)));
  ImGui::AlignTextToFramePadding();
  text_line(fonts().small, theme().text_dim, tr("training.vocabulary"));
  ImGui::SameLine(0, scaled(10));
  if (chip(Label(tr("training.vocabulary.own"), "###train_words_own"), vocabulary_.empty(),
           tr("training.vocabulary.own.help")) &&
      !vocabulary_.empty()) {
    vocabulary_.clear();
    ++asked_;
  }
  ImGui::SameLine();
  const std::string other =
      vocabulary_.empty() ? std::string(tr("training.vocabulary.file"))
                          : std::string(middle_truncated(fonts().body, name_of(vocabulary_), scaled(260)));
  if (chip(other + "###train_words_file", !vocabulary_.empty(), tr("training.vocabulary.file.help")))
    ask_vocabulary(context);
}

void TrainingSource::draw_found(float width) const {
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  if (!read_) {
    text_line(fonts().small, theme().text_dim, tr("training.data.reading"));
  } else if (!read_->settings) {
    const Error& error = read_->settings.error();
    text_line(fonts().body, theme().error, error.sentence());
    note_item("train_file_error");
    text_line(fonts().body, theme().text_dim, error.hint());
  } else {
    const DataSource& source = *read_->settings->read->source();
    text_line(fonts().small, theme().text_dim,
              tr("training.data.found", {format_count(source.lines), format_count(source.words),
                                         format_count(source.held_out), read_->example}));
    note_item("train_file_found");
  }
  ImGui::PopTextWrapPos();
}

void TrainingSource::draw(const ViewContext& context, float width) {
  note_text(data_);
  note_text(vocabulary_);
  const float left = ImGui::GetCursorPosX();
  ImGui::SameLine(0, scaled(12));  // beside the chip if there is room
  float room = left + width - ImGui::GetCursorPosX();
  if (room < scaled(kLeastPath)) {
    ImGui::NewLine();
    room = width;
  }
  ImGui::AlignTextToFramePadding();
  text_line(fonts().mono_small, theme().text, middle_truncated(fonts().mono_small, data_, room));
  note_item("train_file_path");
  draw_found(width);
  ImGui::Dummy(ImVec2(1, scaled(2)));
  draw_vocabulary(context);
}

}  // namespace attnscope
