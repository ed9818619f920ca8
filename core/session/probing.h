// What can be read off the residual stream of a model that a task of this program trained: its own held-out
// texts are run, and probes are fitted per layer, at once or while one looks at them. Refuses models whose
// task is not known, and things that their texts do not hold.
#pragma once

#include <array>
#include <optional>

#include "core/arch/open.h"
#include "core/base/computed.h"
#include "core/lens/probe.h"

namespace attnscope {

/// token: the one that stands at the row. position: the row's number. antecedent: the noun that a pronoun
/// stood for, read where it is to be said again.
enum class Probed : std::uint8_t { token, position, antecedent };
inline constexpr int kProbedCount = 3, kProbeTexts = 240;
/// "token", "position", "antecedent".
std::string_view probed_name(Probed what);
/// There are texts to probe the model with. Errors: its task is not known.
Status check_probes(const OpenedModel& opened);
/// The model's texts can be asked for it.
bool can_probe(const OpenedModel& opened, Probed what);

/// Fits to `texts` examples of the task's training split and asks a third as many of the held-out one; the
/// same for the same numbers. Errors: no such task, as probe_depths().
Result<ProbeAnswer> probe(const OpenedModel& opened, const std::shared_ptr<const Model>& model, Probed what,
                          int texts = kProbeTexts, const ProbeProgress& go_on = {});

/// What the probes of a model have found by now.
struct ProbesAnswer {
  std::shared_ptr<const Model> model;
  std::array<ProbeAnswer, kProbedCount> found;  ///< by Probed; depth after depth
  std::array<bool, kProbedCount> asked{};       ///< the model's texts can be asked for it
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
  /// The same pointer while nothing new is known; null before the first start.
  std::shared_ptr<const ProbesAnswer> newest() const { return answer_.newest(); }

 private:
  using Progress = Computed<ProbesAnswer>::Progress;
  static void work(ProbesAnswer& answer, const OpenedModel& opened, int texts, const Progress& progress);
  Computed<ProbesAnswer> answer_;
};

}  // namespace attnscope
