// Linear probes (Alain & Bengio 2017): how well a label can be read off the residual stream by one linear
// map, layer by layer, on rows that the map was not fitted to. Ridge regression onto the classes has a closed
// form, so that a probe is a pure function of its rows. The baseline is the commonest class. Error: fewer
// than two classes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// Rows and the class of each.
struct ProbeRows {
  std::vector<float> features;  ///< [row, width], row-major
  std::vector<int> classes;     ///< one per row, 0 .. count-1
  std::int64_t width = 0;
  std::int64_t rows() const { return static_cast<std::int64_t>(classes.size()); }
  /// Appends a row.
  void add(const Tensor& row, int of_class);
};

/// One score per class: row * weights + offset.
struct LinearProbe {
  std::int64_t width = 0, classes = 0;
  std::vector<double> weights;  ///< [width, class]
  std::vector<double> offset;   ///< [class]
  /// The class with the largest score; the first of equal ones.
  int predict(const float* row) const;
};

/// Minimises sum |x W + b - y|^2 + lambda * rows * |W|^2 over rows, y being 1 at the row's class and 0
/// elsewhere; b is not punished. Errors: no rows, fewer than two classes.
Result<LinearProbe> fit_probe(const ProbeRows& rows, std::int64_t classes, double lambda);
/// Share of the rows whose class is predicted.
double accuracy(const LinearProbe& probe, const ProbeRows& rows);
/// Share of `rows` in the commonest class of `fitted`: the accuracy of always guessing it.
double guessing(const ProbeRows& fitted, const ProbeRows& rows);

/// A row of a run and its label.
struct ProbePlace {
  std::shared_ptr<const Trace> trace;
  std::int64_t row = 0;
  int label = 0;  ///< any numbers; those that occur in the rows to fit become the classes
};
struct ProbeDepth {
  Site site;            ///< what the probe reads: the stream before a block, or the output of the last one
  double fitted = 0;    ///< accuracy on the rows it was fitted to
  double held_out = 0;  ///< accuracy on held-out rows
};
struct ProbeAnswer {
  std::vector<ProbeDepth> depths;
  std::int64_t fitted_rows = 0, held_out_rows = 0, classes = 0;
  double guessing = 0;
};
/// Called with the share of the work that is done and the results so far; returns false to stop.
using ProbeProgress = std::function<bool(float share, const ProbeAnswer& known)>;
/// Over the depth of the main stack. Rows to hold out whose label never occurs among the others count as
/// wrong. Errors: no place, fewer than two classes, a run that lacks its stream, cancelled by `go_on`.
Result<ProbeAnswer> probe_depths(const std::vector<ProbePlace>& fit, const std::vector<ProbePlace>& held_out,
                                 double lambda, const ProbeProgress& go_on = {});

}  // namespace attnscope
