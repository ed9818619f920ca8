// trained(): numbers that the two small models of the lab "pair" reached.
#include <atomic>

#include "core/lab/lab.h"
#include "core/lab/tiny_training.h"
#include "core/lesson/expression_node.h"

namespace attnscope {
namespace {

constexpr const char* kStillTraining = "error.lesson.training";

}  // namespace

bool still_training(const Error& error) { return error.what().key() == kStillTraining; }

Result<ExpressionValue> expression_trained(const std::vector<ExpressionValue>& of,
                                           const ExpressionScope& scope) {
  TRY(const LabRequest asked, parse_lab_request(of[0].text));
  const std::string &model = of[1].text, &what = of[2].text;
  if (asked.lab->id() != "pair" || (model != "a" && model != "b"))
    return fail(Code::bad_format, "error.lesson.expression.takes", {"trained"});
  const TinyOptions options{static_cast<TinyData>(asked.values.choice("data")),
                            static_cast<TinyPart>(asked.values.choice(model)),
                            static_cast<int>(asked.values.whole("steps")), asked.values.number("rate")};
  std::shared_ptr<const TinyRun> run = tiny_run_known(options);
  if (!run && !scope.waits) return fail(Code::cancelled, kStillTraining);
  if (!run) {
    const std::atomic<bool> cancel = false;
    TRY(run, tiny_run(options, cancel));
  }
  if (what == "loss") return ExpressionValue::of(run->loss);
  if (what == "accuracy") return ExpressionValue::of(run->accuracy);
  if (what == "generated") return ExpressionValue::of(run->generated);
  return fail(Code::bad_format, "error.lesson.expression.takes", {"trained"});
}

}  // namespace attnscope
