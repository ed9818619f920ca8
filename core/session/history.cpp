#include "core/session/history.h"

namespace attnscope {

void History::push(Document document, std::string sentence, const std::string& gesture) {
  points_.resize(at_ + 1);
  Point& newest = points_.back();
  if (!gesture.empty() && gesture == newest.gesture) {
    newest.document = std::move(document);
    newest.sentence = std::move(sentence);
    return;
  }
  newest.gesture.clear();
  points_.push_back({std::move(document), std::move(sentence), gesture});
  if (points_.size() > kMostPoints) points_.erase(points_.begin() + 1);
  at_ = points_.size() - 1;
}

}  // namespace attnscope
