// What "mean" and "resample" stand for in an edit where there is a data set, as in
// "blocks.0.attn.z[head=2]=mean": the mean of the step over all prompts and their real positions, one vector
// for every row, or what the step holds in another prompt of the same length, drawn by a seed, at the rows
// that correspond. Both are of runs without the edits that are asked for, and are kept by value, with where
// they came from: "mean(stories.jsonl, 200)", "resample(stories.jsonl, seed 3, line 12)"; over the data set,
// where every prompt takes another one's, without the line. Errors: those of the prompts, with line and
// column; a prompt that no other has the length of.
#pragma once

#include <map>
#include <optional>

#include "core/lens/step_means.h"
#include "core/session/data_runs.h"

namespace attnscope {

/// The place of "PLACE=mean" or "PLACE=resample" as it is typed, and which; nothing for every other edit.
struct DataOperand {
  std::string place;
  bool resample = false;
};
std::optional<DataOperand> data_operand(const std::string& edit);

class DataEdits {
 public:
  /// Goes through the prompts of `data` for the means and lengths that these edits need, and leaves out those
  /// without a partner.
  static Result<std::shared_ptr<const DataEdits>> prepare(DataRuns& data,
                                                          const std::vector<std::string>& edits,
                                                          std::uint64_t seed,
                                                          const std::atomic<bool>* cancel = nullptr);

  /// Of the data set that a document holds, for an edit that asks for its values; null: it asks for none, or
  /// the document has no data set. Errors: also more than one waits for.
  static Result<std::shared_ptr<const DataEdits>> of_document(const Document& document,
                                                              const std::string& edit);

  /// For a prompt of the data set; null: for any other input, whose partner has as many rows.
  DataNumbers of(const DataLine* line) const;

 private:
  DataEdits(DataRuns plain, std::uint64_t seed) : plain_(std::move(plain)), seed_(seed) {}
  Status take_means(const std::string& steps, const std::atomic<bool>* cancel);
  Status draw_partners(DataRuns& data);
  Result<Frozen> mean(const Target& where) const;
  Result<Frozen> resampled(const Target& where, const Document& document, const DataLine* line) const;
  Result<std::size_t> partner(const Document& document, const DataLine* line) const;

  DataRuns plain_;  ///< of the same prompts, without the edits
  std::uint64_t seed_;
  StepMeans means_{false};
  std::shared_ptr<const Trace> first_;  ///< of the first prompt: axes and sizes of what was averaged
  std::vector<PromptLength> lengths_;   ///< of the prompts that stay
  std::vector<std::size_t> partners_;   ///< by prompt
  std::map<std::int64_t, std::size_t> place_of_line_;
};

}  // namespace attnscope
