// Models so small that a lab trains them while it is open, on letters that the program makes: to copy five of
// them, to go on where each has two followers (no model can do better than ln 2 there), or to find things by
// their colour and by their shape. One of their parts differs from the usual. A run is the same for the same
// options, and is cached. For the labs alone: it is no Task and has no checkpoints.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/train/trainer.h"

namespace attnscope {

/// What differs from the usual tiny model: two blocks of Pre-LN, four heads with keys of their own,
/// learned positions, a causal mask, no smoothing.
enum class TinyPart : std::uint8_t {
  usual,
  post,
  no_norms,
  smoothing,
  two_keys,
  one_key,
  sinusoidal,
  rope,
  alibi,
  no_positions,
  full_mask,
  no_skip,
  untied
};
inline constexpr int kTinyParts = 13;
inline constexpr int kTinyChain = 10;  ///< letters of an example of followers and woven

/// followers: each letter follows from the one before; woven: from the one two before, two chains woven into
/// each other, so that what is read depends on where it stands; things: six of them, each with a colour and a
/// shape of its own, and twelve questions: the shape of a colour, the colour of a shape; deep: copying by a
/// model of six blocks, deep enough that a gradient without skip paths is lost on its way.
enum class TinyData : std::uint8_t { followers, copying, things, woven, deep };
inline bool tiny_copies(TinyData data) { return data == TinyData::copying || data == TinyData::deep; }
inline constexpr int kTinyThings = 6;

struct TinyOptions {
  TinyData data = TinyData::followers;
  TinyPart part = TinyPart::usual;
  int steps = 100;
  double rate = 3e-3;
  bool operator==(const TinyOptions&) const = default;
};
struct TinyRun {
  std::vector<StepReport> reports;
  std::shared_ptr<const Model> model;
  double loss = 0;        ///< of held-out examples, without smoothing, mean over the counted rows, nats
  double accuracy = 0;    ///< of the same rows
  double confidence = 0;  ///< mean probability of the likeliest letter of these rows
  double generated = 0;   ///< share of letters that fit when the model writes them itself; things: 0
};

/// Things are looked for by one block with heads of 2 numbers: enough to tell six colours apart, or six
/// shapes, but not both.
ModelConfig tiny_config(TinyPart part, TinyData data = TinyData::followers);
/// Trains it, or finds it in the cache. Errors: cancelled; a loss that is no number.
Result<std::shared_ptr<const TinyRun>> tiny_run(const TinyOptions& options, const std::atomic<bool>& cancel);
/// The same if it is in the cache already, else null.
std::shared_ptr<const TinyRun> tiny_run_known(const TinyOptions& options);
/// Mean plain loss of such a model on the first `count` held-out examples, nats per counted row.
double tiny_loss(const Model& model, TinyData data, int count);
/// The two letters that may follow one.
std::array<int, 2> tiny_followers(int letter);
/// Woven letters of any length, which no training has seen.
std::vector<int> tiny_chain(std::uint64_t number, int length);

}  // namespace attnscope
