// Undo and redo of whole documents, each point with a sentence. Edits of one gesture (a drag, a burst of
// typing) share a point. Every point has a number of its own for as long as the program runs. Limit of
// bytes: beyond it the oldest points are dropped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/session/document.h"

namespace attnscope {

class History {
 public:
  explicit History(Document first = {}, std::size_t most_bytes = std::size_t{256} << 20);

  const Document& now() const { return points_[at_].document; }
  /// The newest point before this one, and none older than begin_here() said, whose document `holds` is true
  /// of; null where none is.
  template <class Holds>
  const Document* last_before(const Holds& holds) const {
    for (std::size_t i = at_; i-- > 0 && points_[i].number >= begun_;)
      if (holds(points_[i].document)) return &points_[i].document;
    return nullptr;
  }
  /// What was done to the document that last_before(holds) gives: the sentence of the point behind it; null
  /// where there is none.
  template <class Holds>
  const Text* change_of(const Holds& holds) const {
    for (std::size_t i = at_; i-- > 0 && points_[i].number >= begun_;)
      if (holds(points_[i].document)) return &points_[i + 1].sentence;
    return nullptr;
  }
  /// Changes count from this point on: what was before it is only undone.
  void begin_here() { begun_ = points_[at_].number; }
  /// Appends an undo point, or replaces the newest one when `gesture` is not empty and equal to its own.
  void push(Document document, Text sentence, const std::string& gesture);
  /// Ends the gesture: the next edit makes a point of its own.
  void close_gesture() { points_[at_].gesture.clear(); }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < points_.size(); }
  /// Changes the document of every point, without a point of its own.
  template <class Change>
  void amend(const Change& change) {
    for (Point& point : points_) change(point.document);
  }
  void undo() { at_ -= can_undo() ? 1 : 0; }
  void redo() { at_ += can_redo() ? 1 : 0; }
  /// The points that redo would bring back are gone.
  void drop_later() { points_.resize(at_ + 1); }
  /// The sentence of the change that undo would revert; empty when there is none.
  std::string undo_sentence() const { return can_undo() ? points_[at_].sentence.str() : std::string(); }
  std::string redo_sentence() const { return can_redo() ? points_[at_ + 1].sentence.str() : std::string(); }
  /// The number of the current point; edits of one gesture keep it.
  std::uint64_t point() const { return points_[at_].number; }
  /// The same for its document: another number after every edit, also of one gesture.
  std::uint64_t version() const { return points_[at_].version; }
  /// What all points hold, in bytes, tensors that they share counted once.
  std::size_t bytes() const;

 private:
  struct Point {
    Document document;
    Text sentence;
    std::string gesture;
    std::uint64_t number = 0, version = 0;
  };
  void keep_within_limit();

  std::uint64_t begun_ = 0;
  std::vector<Point> points_;
  std::size_t at_ = 0, most_bytes_;
};

}  // namespace attnscope
