// A text file as what shall be learned: chosen in the file browser, read in the background, told in one line.
// Refuses files that cannot be learned: what is wrong stands where the file's line stands.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/views/view.h"
#include "core/base/computed.h"

namespace attnscope {

/// The example that is watched, in words; `source` is what an encoder reads. Takes as long as making the
/// task's tokenizer. On any thread.
struct ExampleWords {
  std::string source, answer;
};
ExampleWords example_words(const Task& task);

class TrainingSource {
 public:
  /// A file was chosen, and no other task since.
  bool on() const { return on_; }
  void leave() { on_ = false; }
  /// Opens the file browser.
  void ask(const ViewContext& context);
  /// Takes what was chosen and read; true once for every file that can be learned.
  bool follow(const ViewContext& context);
  /// The file is read and can be learned.
  bool ready() const { return read_ && read_->settings; }
  const TrainingSettings& settings() const { return *read_->settings; }
  const std::string& example() const { return read_->example; }
  /// The file, its vocabulary, and what was found in it or what is wrong with it.
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
