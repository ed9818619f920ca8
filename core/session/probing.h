// Linear probes on the residual stream of a model that a task of this program trained: the task's held-out
// texts are run, and probes are fitted per layer, at once or in the background. Errors: models of an
// unknown task, and labels that their texts do not have.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/arch/open.h"
#include "core/base/computed.h"
#include "core/io/named.h"
#include "core/lens/probe.h"

namespace attnscope {

/// token: the token of the row. position: the row's number. antecedent: the noun that a pronoun
/// stands for, read where it is the next token.
enum class Probed : std::uint8_t { token, position, antecedent };
inline constexpr int kProbedCount = 3, kProbeTexts = 240;
inline constexpr Named<Probed> kProbedNames[] = {
    {"token", Probed::token}, {"position", Probed::position}, {"antecedent", Probed::antecedent}};
std::string_view probed_name(Probed what);
/// Errors: the model's task is unknown, so there are no texts to probe it with.
Status check_probes(const OpenedModel& opened);
/// True where the task's texts have this label.
bool can_probe(const OpenedModel& opened, Probed what);

/// Fits to `texts` examples of the training split and tests on a third as many of the held-out one; the
/// same for the same seed; all of them run under `edits`. Errors: no such task, as probe_depths(); an edit
/// that cannot be carried out.
Result<ProbeAnswer> probe(const OpenedModel& opened, const std::shared_ptr<const Model>& model, Probed what,
                          int texts = kProbeTexts, const ProbeProgress& go_on = {}, const Edits& edits = {});

/// The same of runs of one's own, each with the label of the row `asked` where it is not the row's own
/// (token, position). Every fourth is held out. Errors: fewer than four, as probe_depths().
struct ProbedRun {
  std::shared_ptr<const Trace> trace;
  std::int64_t asked = 0;
  int label = 0;
};
Result<ProbeAnswer> probe_runs(const std::vector<ProbedRun>& runs, std::optional<Probed> of_row);

/// The results of the probes of a model so far.
struct ProbesAnswer {
  std::shared_ptr<const Model> model;
  std::array<ProbeAnswer, kProbedCount> found;  ///< by Probed; depth after depth
  std::array<bool, kProbedCount> asked{};       ///< the task's texts have this label
  float share = 0;                              ///< of the work
  bool done = false, stopped = false;
  std::optional<Error> error;
};

/// Probes that are fitted while one looks at them: one thing after the other, depth after depth. What is
/// known stays when it is stopped.
class AskedProbes {
 public:
  void start(Workers& workers, std::shared_ptr<const OpenedModel> opened, std::shared_ptr<const Model> model,
             int texts = kProbeTexts);
  void stop();
  bool running() const { return answer_.under_way(); }
  /// The same pointer while there is nothing new; null before the first start.
  std::shared_ptr<const ProbesAnswer> newest() const { return answer_.newest(); }

 private:
  using Progress = Computed<ProbesAnswer>::Progress;
  static void work(ProbesAnswer& answer, const OpenedModel& opened, int texts, const Progress& progress);
  Computed<ProbesAnswer> answer_;
};

}  // namespace attnscope
