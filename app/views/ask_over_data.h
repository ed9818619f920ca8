// What the pages of Ask over a data set have in common: its prompts, or the offer of the examples of the
// model's own task, and the document that every prompt is laid over. Kept between frames.
#pragma once

#include <memory>
#include <optional>

#include "app/views/view.h"
#include "core/session/data_runs.h"

namespace attnscope {

class OverData {
 public:
  /// The examples of the open model's own task; nothing where it has none that gives prompts.
  const std::optional<DataChoice>& own(const ViewContext& context);
  /// The prompts. Null: there is no data set; what to do about it was drawn. `chip_id`: of the offer.
  std::shared_ptr<const DataPrompts> prompts_or_offer(const ViewContext& context, const char* chip_id);
  /// The document of the run, without data set, notes, circuits and what holds for one sequence alone.
  const std::shared_ptr<const Document>& start(const ViewContext& context);
  /// Of its edits: the same for documents whose edits say the same. After start().
  std::uint64_t edits() const { return edits_; }

 private:
  std::uint64_t own_of_ = 0, start_of_ = 0, edits_ = 0;  ///< opened and run versions
  std::optional<DataChoice> own_;
  std::shared_ptr<const Document> start_;
};

}  // namespace attnscope
