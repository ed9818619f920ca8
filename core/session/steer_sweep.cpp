#include "core/session/steer_sweep.h"

#include "core/trace/editable.h"

namespace attnscope {

std::vector<SteerCell> steer_cells(const std::vector<SteerVector>& vectors,
                                   const std::vector<double>& strengths) {
  std::vector<SteerCell> out;
  for (const SteerVector& vector : vectors)
    for (const double strength : strengths)
      out.push_back({vector.site.layer, to_text(vector.site), strength, {steering_edit(vector, strength)}});
  if (vectors.size() < 2) return out;
  for (const double strength : strengths) {
    SteerCell all{-1, "all", strength, {}};
    for (const SteerVector& vector : vectors) all.edits.push_back(steering_edit(vector, strength));
    out.push_back(std::move(all));
  }
  return out;
}

Result<SteerValues> steer_values(const Model& model, const std::vector<LogitMeasure>& measures,
                                 const std::shared_ptr<const Trace>& run, const std::vector<SteerCell>& cells,
                                 const std::atomic<bool>* cancel) {
  SteerValues out(measures.size());
  const auto note = [&](const Trace& trace) -> Status {
    for (std::size_t i = 0; i < measures.size(); ++i) {
      TRY(out[i].emplace_back(), measured(measures[i], trace));
    }
    return Done{};
  };
  TRY_OK(note(*run));
  for (const SteerCell& cell : cells) {
    RunOptions options;
    options.edits = cell.edits;
    const Edits own = without_inputs(run->edits);
    options.edits.insert(options.edits.end(), own.begin(), own.end());
    options.base = run;
    options.keep = Keep::predictions;
    options.cancel = cancel;
    TRY(const std::shared_ptr<const Trace> steered, model.run(run->input, options));
    if (!steered->unreached.empty()) return no_place(*steered->unreached.front());
    TRY_OK(note(*steered));
  }
  return out;
}

AddedVectors added_vectors(const Document& document, int sequence) {
  AddedVectors out;
  for (const auto& edit : edits_for(document.edits, sequence)) {
    const NumberEdit* number = edit->number();
    const auto* frozen = number ? std::get_if<Frozen>(&number->value) : nullptr;
    const bool stream = frozen && number->op == EditOp::add && number->where.kind == Target::Kind::step &&
                        number->where.site.is(StepKind::residual_post) && number->where.site.layer >= 0;
    if (!stream) {
      out.others.push_back(edit);
      continue;
    }
    out.vectors.push_back({number->where.site, frozen->values, frozen->origin, number->where.at});
  }
  return out;
}

std::vector<SteerVector> at_every_block(const SteerVector& vector, const ModelConfig& config) {
  std::vector<SteerVector> out;
  for (int layer = 0; layer < config.of(vector.site.stack).n_layers(); ++layer) {
    out.push_back(vector);
    out.back().site.layer = layer;
  }
  return out;
}

Result<SteerCurves> steer_curves(const Document& document, int sequence, const LogitMeasure& measure,
                                 const std::atomic<bool>* cancel) {
  const AddedVectors added = added_vectors(document, sequence);
  if (added.vectors.empty()) return fail(Code::not_found, "error.session.steer.no_edit");
  const std::vector<Input> inputs = inputs_of(document);
  RunOptions options;
  options.edits = added.others;
  options.cancel = cancel;
  TRY(const auto run, document.model->run(inputs[static_cast<std::size_t>(sequence)], options));
  SteerCurves out;
  const bool one = added.vectors.size() == 1;
  const std::vector<double> strengths(kSteerStrengths.begin(), kSteerStrengths.end());
  const std::vector<SteerVector> vectors =
      one ? at_every_block(added.vectors.front(), document.model->config()) : added.vectors;
  out.cells = steer_cells(vectors, strengths);
  if (one) out.cells.resize(vectors.size() * strengths.size());  // never at all blocks together
  out.own = one ? added.vectors.front().site.layer : -1;
  out.together = !one;
  out.strengths = strengths.size();
  TRY(SteerValues values, steer_values(*document.model, {measure}, run, out.cells, cancel));
  out.values = std::move(values.front());
  return out;
}

}  // namespace attnscope
