// What is measured at every checkpoint of a series: measures of the logits, the loss of the text, the roles
// of all heads; over one input or over prompts. Command line and window ask by it. Errors: those of a
// measure; a checkpoint of other sizes than the ones before it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/base/spread.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The mean of -log p(next token) over the rows that have a next token, in nats.
inline constexpr const char* kLossMeasure = "loss";

/// One number at one checkpoint.
struct CurveValue {
  std::string measure;  ///< "loss", "logit_diff:A,B", a role ("induction")
  std::string at;       ///< of a role: the head, "blocks.0.attn.pattern[head=1]"; else empty
  int layer = -1, head = -1;
  double value = 0;
  double chance = std::numeric_limits<double>::quiet_NaN();  ///< of a role: of uniform attention
};
/// The measure of a run. Errors: measure_of's; a loss of a model that predicts no next token.
Result<CurveValue> curve_value(const OpenedModel& opened, const std::string& measure, std::int64_t at,
                               const Trace& run);
/// Every role of every head that the run has rows for.
std::vector<CurveValue> head_curve_values(const Trace& run);

/// The same over prompts: means by measure and place, in the order in which they first came.
class CurveMeans {
 public:
  struct Mean {
    CurveValue value;  ///< the mean
    Spread spread;
    Spread chance;
  };
  void add(const std::vector<CurveValue>& values);
  std::vector<Mean> means() const;

 private:
  std::vector<Mean> all_;
  std::map<std::string, std::size_t> index_;
};

/// Checkpoints of one training have one shape. Errors: another family, another size; the sentence has both.
Status same_training(const OpenedModel& first, const std::string& first_name, const OpenedModel& other);

}  // namespace attnscope
