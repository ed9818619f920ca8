// A folder of checkpoints of one training: model folders or files whose names carry the step
// ("step1000", "checkpoint-500", "000100.safetensors", "epoch=3-step=1000.ckpt"), sorted by it. Nothing of
// them is opened here. Errors: no such folder, no checkpoint in it, two of one step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

struct CheckpointMember {
  std::int64_t step = 0;
  std::string name;  ///< "step1000"
  std::string path;
};

struct CheckpointSeries {
  std::string folder;
  std::vector<CheckpointMember> members;  ///< by step
  /// The index of the member at a path; -1 where it is none.
  int index_of(const std::string& path) const;
};

/// The step in the name of a folder or file: the number behind "step", else the only one behind a usual word
/// (checkpoint, ckpt, iter, epoch, model) or alone; "1k" is 1000. Null where it has none.
std::optional<std::int64_t> step_of_name(std::string_view name);

Result<CheckpointSeries> checkpoint_series(const std::string& folder);
/// The series that a path belongs to: that of its own folder where it is one of its checkpoints, else the one
/// in it. Null where there are fewer than two.
std::shared_ptr<const CheckpointSeries> series_around(const std::string& path);

/// A file that holds nothing but the weights of a checkpoint: its config lies beside it.
bool is_checkpoint_file(std::string_view file_name);

}  // namespace attnscope
