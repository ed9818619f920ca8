// Saved runs of a task: a chip resumes the newest, a list shows all and can delete them. Deleting needs a
// second click to confirm.
#pragma once

#include <string>
#include <vector>

#include "app/views/view.h"
#include "core/base/computed.h"

namespace attnscope {

class TrainingKept {
 public:
  /// Reads the saved runs for these settings in a background job.
  void follow(const ViewContext& context, const TrainingSettings& settings);
  /// Reads the saved runs again.
  void reopen() { ++asked_; }
  /// Two chips if there is a saved run.
  void draw(const ViewContext& context, ChipRow& row);

 private:
  struct Row {
    KeptRun run;
    int layers = 0, heads = 0, width = 0;  ///< 0: unknown
  };
  static std::vector<Row> rows_of(const std::string& folder, const TrainingSettings& settings);
  void draw_rows(const ViewContext& context, const std::vector<Row>& rows);
  void draw_list(const ViewContext& context, const std::vector<Row>& rows);
  void draw_remove(const ViewContext& context, const std::string& path, std::size_t number);

  Computed<std::vector<Row>> rows_;
  std::shared_ptr<const std::vector<Row>> shown_;
  std::uint64_t asked_ = 0;
  std::string removing_;  ///< path of the run waiting for confirmation
};

}  // namespace attnscope
