#include "core/session/history.h"

#include <atomic>
#include <set>

namespace attnscope {
namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// Bytes of one point beyond those that are in `seen` already.
class Bytes {
 public:
  std::size_t of(const Document& document) {
    std::size_t sum = sizeof(Document);
    if (document.opened && !document.opened->lora.empty() &&
        seen_.insert(number(document.opened.get())).second)  // each strength is a model of its own
      sum += static_cast<std::size_t>(document.opened->model->weights().parameter_count()) * sizeof(float);
    for (const Sequence& one : document.sequences) {
      sum += one.text.size() + one.source_text.size() + sizeof(Sequence);
      sum += (one.input.ids.size() + one.input.source.size() + one.input.types.size()) * sizeof(int);
      for (const auto* tokens : {&one.tokens, &one.source_tokens})
        for (const Token& token : *tokens) sum += sizeof(Token) + token.text.size();
      sum += of(one.input.vectors) + of(one.input.pixels);
      if (one.picture.rgb && seen_.insert(number(one.picture.rgb.get())).second)
        sum += one.picture.rgb->size();
    }
    for (const auto& edit : document.edits) {
      if (!seen_.insert(number(edit.get())).second) continue;
      sum += sizeof(Edit) + edit->note.size();
      if (const MaskEdit* mask = edit->mask()) sum += mask->cells.size() * sizeof(Mask::Cell);
      const NumberEdit* number = edit->number();
      if (const Frozen* frozen = number ? std::get_if<Frozen>(&number->value) : nullptr)
        sum += of(frozen->values);
    }
    return sum;
  }

 private:
  static std::uintptr_t number(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }
  std::size_t of(const Tensor& tensor) {
    if (tensor.empty() || !seen_.insert(tensor.address()).second) return 0;
    return static_cast<std::size_t>(tensor.count()) * sizeof(float);
  }
  std::set<std::uintptr_t> seen_;
};

}  // namespace

History::History(Document first, std::size_t most_bytes)
    : points_{{std::move(first), {}, {}, next_number(), 0}}, most_bytes_(most_bytes) {
  points_.front().version = points_.front().number;
}

void History::push(Document document, Text sentence, const std::string& gesture) {
  points_.resize(at_ + 1);
  Point& newest = points_.back();
  if (!gesture.empty() && gesture == newest.gesture) {
    newest.document = std::move(document);
    newest.sentence = std::move(sentence);
    newest.version = next_number();
    return;
  }
  newest.gesture.clear();
  const std::uint64_t number = next_number();
  points_.push_back({std::move(document), std::move(sentence), gesture, number, number});
  at_ = points_.size() - 1;
  keep_within_limit();
}

std::size_t History::bytes() const {
  Bytes bytes;
  std::size_t sum = 0;
  for (const Point& point : points_) sum += bytes.of(point.document);
  return sum;
}

// The newest point and the one before it stay whatever they hold.
void History::keep_within_limit() {
  Bytes bytes;
  std::size_t sum = 0, first = points_.size();
  while (first > 0 && (sum <= most_bytes_ || points_.size() - first < 2))
    sum += bytes.of(points_[--first].document);
  if (sum > most_bytes_ && points_.size() - first > 2) ++first;
  points_.erase(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(first));
  at_ = points_.size() - 1;
}

}  // namespace attnscope
