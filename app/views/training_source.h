// A text file as training data: chosen in the file browser, read by a background job, summarised on one line.
// Errors in the file are shown in place of the summary.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/views/view.h"
#include "core/base/computed.h"

namespace attnscope {

/// The fixed example as text; `source`: input of the encoder. Builds the task's tokenizer, so it is slow.
/// Thread-safe.
struct ExampleWords {
  std::string source, answer;
};
ExampleWords example_words(const Task& task);

class TrainingSource {
 public:
  /// True if a file was chosen, and no other task since.
  bool on() const { return on_; }
  void leave() { on_ = false; }
  /// Opens the file browser.
  void ask(const ViewContext& context);
  /// Takes the file once it has been read; true once for every usable file.
  bool follow(const ViewContext& context);
  /// True if the file was read and can be used.
  bool ready() const { return read_ && read_->settings; }
  const TrainingSettings& settings() const { return *read_->settings; }
  const std::string& example() const { return read_->example; }
  /// Draws the file, its vocabulary, and what was found in it or the error.
  void draw(const ViewContext& context, float width);

 private:
  struct Chosen {
    std::optional<std::string> data, vocabulary;
  };
  struct Read {
    Result<TrainingSettings> settings;
    std::string example;
  };
  void ask_vocabulary(const ViewContext& context);
  void draw_vocabulary(const ViewContext& context);
  void draw_found(float width) const;

  bool on_ = false;
  std::string data_, vocabulary_;
  std::uint64_t asked_ = 0, taken_ = 0;
  std::shared_ptr<Chosen> chosen_ = std::make_shared<Chosen>();
  Computed<Read> reading_;
  std::shared_ptr<const Read> read_;
};

}  // namespace attnscope
