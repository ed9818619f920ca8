// The runs of a task that are kept on disk: the newest is gone on with by one click, all of them stand in a
// list where they can be removed. Refuses to remove one without asking once more.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/views/view.h"
#include "core/base/computed.h"

namespace attnscope {

class TrainingKept {
 public:
  /// Looks up what lies on the disk for these settings, in the background.
  void follow(const ViewContext& context, const TrainingSettings& settings);
  /// What lies on the disk is looked up again.
  void reopen() { ++asked_; }
  /// Two chips where there is a run; `place` is called with the width of each before it is drawn.
  void draw(const ViewContext& context, const std::function<void(float)>& place);

 private:
  struct Row {
    KeptRun run;
    int layers = 0, heads = 0, width = 0;  ///< 0: not known
  };
  static std::vector<Row> rows_of(const std::string& folder, const TrainingSettings& settings);
  void draw_rows(const ViewContext& context, const std::vector<Row>& rows);
  void draw_list(const ViewContext& context, const std::vector<Row>& rows);
  void draw_remove(const ViewContext& context, const std::string& path, std::size_t number);

  Computed<std::vector<Row>> rows_;
  std::shared_ptr<const std::vector<Row>> shown_;
  std::uint64_t asked_ = 0;
  std::string removing_;  ///< path of the run that was asked to be removed, once
};

}  // namespace attnscope
