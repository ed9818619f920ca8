// Which numbers a model has: one hash per weight over all its values, so that a session can tell which of
// them are others than when it was saved. Hashes of what lies in memory are kept for as long as the model
// lives, those of large files by the size and the times of the files. Refuses to be used against people who
// choose the numbers: it finds accidents and edits, it proves nothing.
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
/// but for what is remembered.
WeightPrints weight_prints(const OpenedModel& opened);
/// The same of the other files that were read of it (config, tokenizer), by the file's name. None of what is
/// shipped or in one file with the weights, and of no file that was written anew since.
WeightPrints file_prints(const OpenedModel& opened);
/// The names whose hashes differ, or that only one of the two has, in order.
std::vector<std::string> differing_weights(const WeightPrints& saved, const WeightPrints& now);

/// What sessions had before: 16 hexadecimal digits over names, sizes and a sample of at most 64 values of
/// every weight. Other values may have the same.
std::string sampled_fingerprint(const Model& model);

/// Hashes of models in large files, in a file of their own: asked for by what tells the state of the files
/// (path, size, times). A file that is damaged or cannot be written counts as empty.
class KeptPrints {
 public:
  explicit KeptPrints(std::string path) : path_(std::move(path)) {}
  /// Empty where nothing is known of these files in this state.
  WeightPrints find(const std::vector<ReadFile>& files) const;
  /// The newest few stay.
  void keep(const std::vector<ReadFile>& files, const WeightPrints& prints) const;

 private:
  nlohmann::json read() const;
  std::string path_;
};

}  // namespace attnscope
