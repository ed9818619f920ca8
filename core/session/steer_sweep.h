// A measure over the strength of steering vectors: each vector alone and all of them together, strength by
// strength, each a run of its own. Strength 0 is the run without them.
#pragma once

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "core/model/measure.h"
#include "core/model/model.h"
#include "core/session/document.h"
#include "core/session/steering.h"

namespace attnscope {

/// One vector, or all of them, with one strength.
struct SteerCell {
  int block = -1;  ///< -1: all together
  std::string step;
  double strength = 0;
  Edits edits;
};
/// Vector by vector, strengths inside; all together last, where there are several.
std::vector<SteerCell> steer_cells(const std::vector<SteerVector>& vectors,
                                   const std::vector<double>& strengths);

/// By measure: that of the run first, then those of the cells. The run's own edits are carried out behind the
/// vector, as where --steer and --edit are given together. Errors: a place that the run does not have.
using SteerValues = std::vector<std::vector<double>>;
Result<SteerValues> steer_values(const Model& model, const std::vector<LogitMeasure>& measures,
                                 const std::shared_ptr<const Trace>& run, const std::vector<SteerCell>& cells,
                                 const std::atomic<bool>* cancel = nullptr);

/// What the edits of a sequence add to the stream behind blocks, in order, and the edits that are left.
struct AddedVectors {
  std::vector<SteerVector> vectors;
  Edits others;
};
AddedVectors added_vectors(const Document& document, int sequence);
/// The measure over the strengths of what a document's edits add to the stream: a single vector behind every
/// block in turn, several each at its block and all together.
struct SteerCurves {
  std::vector<SteerCell> cells;
  std::vector<double> values;  ///< of the run without vectors, then of each cell
  std::size_t strengths = 0;   ///< cells of a curve
  int own = -1;                ///< the block where a single vector stands
  bool together = false;       ///< the last curve is that of all
};
/// -2 to 2, by halves.
inline constexpr std::array kSteerStrengths{-2., -1.5, -1., -0.5, 0., 0.5, 1., 1.5, 2.};
/// Errors: those of a run; no edit adds a vector.
Result<SteerCurves> steer_curves(const Document& document, int sequence, const LogitMeasure& measure,
                                 const std::atomic<bool>* cancel = nullptr);
/// One vector behind every block, at the rows where it stands.
std::vector<SteerVector> at_every_block(const SteerVector& vector, const ModelConfig& config);

}  // namespace attnscope
