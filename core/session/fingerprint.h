// Identity of a model's numbers: one hash per weight over all its values, so that a session can detect which
// of them have changed since it was saved. Hashes of tensors in memory are cached for as long as the model
// lives, those of large files by the size and the times of the files. Not cryptographic: it detects
// accidents and edits, not a constructed collision.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/arch/open.h"

namespace attnscope {

/// 16 hexadecimal digits by the name of a weight; of a recording, by its sequence and step as well.
using WeightPrints = std::map<std::string, std::string>;

/// The hash of one tensor's sizes and of all its values, each with its place: the same whether they lie in
/// memory, transposed or encoded in a file. One changed value always gives another hash.
std::string print_of(const Tensor& tensor);
/// Those of all weights, and of the recorded numbers of a recording. Reads every value once (several GB/s),
/// but for what is cached.
WeightPrints weight_prints(const OpenedModel& opened);
/// The same of the other files that were read of it (config, tokenizer), by the file's name. None of what is
/// shipped or in one file with the weights, and of no file that was written anew since.
WeightPrints file_prints(const OpenedModel& opened);
/// 16 hexadecimal digits over both: one line for a file that was computed from the model.
std::string model_fingerprint(const OpenedModel& opened);
/// The names whose hashes differ, or that only one of the two has, in order.
std::vector<std::string> differing_weights(const WeightPrints& saved, const WeightPrints& now);

/// The format of older sessions: 16 hexadecimal digits over names, sizes and a sample of at most 64 values of
/// every weight. Different values may have the same.
std::string sampled_fingerprint(const Model& model);

/// Hashes of models in large files, cached in a file of their own, by the state of the model's files
/// (path, size, times). A file that is damaged or cannot be written counts as empty.
class KeptPrints {
 public:
  explicit KeptPrints(std::string path) : path_(std::move(path)) {}
  /// Empty where this state of these files is not in the cache.
  WeightPrints find(const std::vector<ReadFile>& files) const;
  /// Keeps the newest few.
  void keep(const std::vector<ReadFile>& files, const WeightPrints& prints) const;

 private:
  nlohmann::json read() const;
  std::string path_;
};

}  // namespace attnscope
