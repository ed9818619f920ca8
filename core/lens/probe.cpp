#include "core/lens/probe.h"

#include <map>

#include "core/ops/ridge.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

// What a probe may read, from the input to what leaves the last block.
std::vector<Site> sites_of(const Trace& trace) {
  std::vector<Site> out;
  const Stack stack = trace.config().stack;
  for (int layer = 0; layer < trace.config().n_layers(); ++layer)
    out.push_back(block_output(trace, stack, layer - 1));
  out.push_back(block_output(trace, stack, trace.config().n_layers() - 1));
  return out;
}

Result<ProbeRows> rows_at(const std::vector<ProbePlace>& places, std::size_t depth,
                          const std::map<int, int>& classes) {
  ProbeRows out;
  for (const ProbePlace& place : places) {
    const Site site = sites_of(*place.trace)[depth];
    const Record* record = place.trace->find(site);
    if (!record || record->derived || place.row < 0 || place.row >= record->shape[0])
      return fail(Code::not_found, "error.lens.probe_row", {to_text(site), place.row});
    const auto known = classes.find(place.label);
    out.add(record->rows.range(place.row, place.row + 1).select(0, 0),
            known == classes.end() ? -1 : known->second);
  }
  return out;
}

}  // namespace

void ProbeRows::add(const Tensor& row, int of_class) {
  width = row.size(0);
  const std::vector<float> values = row.values();
  features.insert(features.end(), values.begin(), values.end());
  classes.push_back(of_class);
}

int LinearProbe::predict(const float* row) const {
  int best = 0;
  double most = 0;
  for (std::int64_t c = 0; c < classes; ++c) {
    double score = offset[static_cast<std::size_t>(c)];
    for (std::int64_t i = 0; i < width; ++i)
      score += static_cast<double>(row[i]) * weights[static_cast<std::size_t>(i * classes + c)];
    if (c == 0 || score > most) best = static_cast<int>(c), most = score;
  }
  return best;
}

Result<LinearProbe> fit_probe(const ProbeRows& rows, std::int64_t classes, double lambda) {
  if (rows.rows() == 0 || classes < 2) return fail(Code::out_of_range, "error.lens.probe_classes");
  std::vector<float> wanted(static_cast<std::size_t>(rows.rows() * classes), 0.f);
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    const int of_class = rows.classes[static_cast<std::size_t>(row)];
    if (of_class >= 0) wanted[static_cast<std::size_t>(row * classes + of_class)] = 1;
  }
  Ridge found = ridge(rows.features, wanted, rows.rows(), rows.width, classes,
                      lambda * static_cast<double>(rows.rows()));
  return LinearProbe{rows.width, classes, std::move(found.weights), std::move(found.offset)};
}

double accuracy(const LinearProbe& probe, const ProbeRows& rows) {
  std::int64_t right = 0;
  for (std::int64_t row = 0; row < rows.rows(); ++row)
    right +=
        probe.predict(rows.features.data() + row * rows.width) == rows.classes[static_cast<std::size_t>(row)];
  return rows.rows() == 0 ? 0 : static_cast<double>(right) / static_cast<double>(rows.rows());
}

double guessing(const ProbeRows& fitted, const ProbeRows& rows) {
  std::map<int, std::int64_t> counts;
  for (const int of_class : fitted.classes) ++counts[of_class];
  int best = -1;
  std::int64_t most = 0;
  for (const auto& [of_class, count] : counts)
    if (count > most) best = of_class, most = count;
  std::int64_t right = 0;
  for (const int of_class : rows.classes) right += of_class == best;
  return rows.rows() == 0 ? 0 : static_cast<double>(right) / static_cast<double>(rows.rows());
}

Result<ProbeAnswer> probe_depths(const std::vector<ProbePlace>& fit, const std::vector<ProbePlace>& held_out,
                                 double lambda, const ProbeProgress& go_on) {
  std::map<int, int> classes;
  for (const ProbePlace& place : fit) classes.emplace(place.label, 0);
  int next = 0;
  for (auto& [label, of_class] : classes) of_class = next++;
  if (fit.empty() || held_out.empty() || classes.size() < 2)
    return fail(Code::out_of_range, "error.lens.probe_classes");
  ProbeAnswer out;
  out.classes = next;
  out.fitted_rows = std::ssize(fit), out.held_out_rows = std::ssize(held_out);
  const std::vector<Site> sites = sites_of(*fit.front().trace);
  for (std::size_t depth = 0; depth < sites.size(); ++depth) {
    if (go_on && !go_on(static_cast<float>(depth) / static_cast<float>(sites.size()), out))
      return fail(Code::cancelled, "error.model.stopped");
    TRY(const ProbeRows known, rows_at(fit, depth, classes));
    TRY(const ProbeRows others, rows_at(held_out, depth, classes));
    TRY(const LinearProbe probe, fit_probe(known, out.classes, lambda));
    out.depths.push_back({sites[depth], accuracy(probe, known), accuracy(probe, others)});
    out.guessing = guessing(known, others);
  }
  return out;
}

}  // namespace attnscope
