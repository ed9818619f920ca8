// A GGUF file in memory, written by a test: entries and tensors in the order of the calls. Counts, versions
// and places may be made to lie.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace attnscope::testing {

class GgufWriter {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::uint64_t extra_tensors = 0, extra_entries = 0;  ///< added to the counts of the head

  template <class T>
  static std::string raw(T value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  static std::string text_of(const std::string& text) {
    return raw(static_cast<std::uint64_t>(text.size())) + text;
  }

  /// An entry whose value is given as bytes.
  void entry(const std::string& key, std::uint32_t type, const std::string& value) {
    entries_ += text_of(key) + raw(type) + value;
    ++entry_count_;
  }
  void number(const std::string& key, std::uint32_t value) { entry(key, 4, raw(value)); }
  void real(const std::string& key, float value) { entry(key, 6, raw(value)); }
  void flag(const std::string& key, bool value) { entry(key, 7, std::string(1, value ? '\1' : '\0')); }
  void text(const std::string& key, const std::string& value) { entry(key, 8, text_of(value)); }
  void texts(const std::string& key, const std::vector<std::string>& values) {
    std::string bytes = raw(std::uint32_t{8}) + raw(static_cast<std::uint64_t>(values.size()));
    for (const std::string& value : values) bytes += text_of(value);
    entry(key, 9, bytes);
  }
  template <class T>
  void numbers(const std::string& key, std::uint32_t type, const std::vector<T>& values) {
    std::string bytes = raw(type) + raw(static_cast<std::uint64_t>(values.size()));
    for (const T value : values) bytes += raw(value);
    entry(key, 9, bytes);
  }

  /// `shape` row-major, as Hugging Face writes it; `type` the number of the format.
  void tensor(const std::string& name, const std::vector<std::int64_t>& shape, std::uint32_t type,
              const std::string& bytes) {
    tensor_at(name, shape, type, data_.size(), bytes);
  }
  /// The same with an offset of its own.
  void tensor_at(const std::string& name, const std::vector<std::int64_t>& shape, std::uint32_t type,
                 std::uint64_t offset, const std::string& bytes) {
    infos_ += text_of(name) + raw(static_cast<std::uint32_t>(shape.size()));
    for (std::size_t d = shape.size(); d-- > 0;) infos_ += raw(shape[d]);
    infos_ += raw(type) + raw(offset);
    ++tensor_count_;
    data_ += bytes;
    data_.resize((data_.size() + alignment - 1) / alignment * alignment, '\0');
  }
  void floats(const std::string& name, const std::vector<std::int64_t>& shape,
              const std::vector<float>& values) {
    tensor(name, shape, 0,
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
  }

  std::string file() const {
    std::string head = "GGUF" + raw(version) + raw(tensor_count_ + extra_tensors) +
                       raw(entry_count_ + extra_entries) + entries_ + infos_;
    if (tensor_count_ > 0) head.resize((head.size() + alignment - 1) / alignment * alignment, '\0');
    return head + data_;
  }

 private:
  std::string entries_, infos_, data_;
  std::uint64_t entry_count_ = 0, tensor_count_ = 0;
};

}  // namespace attnscope::testing
