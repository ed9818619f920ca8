// Past the trained length: two tiny models that learned on ten letters, each of which follows from the one
// two before it, read longer texts. At each position how much of the probability is on the two letters that
// may follow: 1 for a model that knows. ALiBi (Press et al. 2021) takes away for a distance, whatever the
// length; sines beyond the tenth were never seen.
#include <algorithm>
#include <cmath>

#include "core/lab/pieces.h"
#include "core/lab/tiny_training.h"

namespace attnscope {
namespace {

constexpr int kLongRead = 24;   // chains that are read
constexpr double kHolds = 0.1;  // lost on the way: less is called to hold
constexpr TinyPart kLengthParts[] = {TinyPart::alibi, TinyPart::sinusoidal, TinyPart::rope,
                                     TinyPart::no_positions};

const std::vector<std::string>& length_keys() {
  static const std::vector<std::string> keys{"lab.length.part.alibi", "lab.length.part.sinusoidal",
                                             "lab.length.part.rope", "lab.length.part.no_positions"};
  return keys;
}

// By position, the mean over the chains of the probability of both followers together.
Result<std::vector<double>> fitting(const Model& model, int length, const std::atomic<bool>& cancel) {
  std::vector<double> out(static_cast<std::size_t>(length), 0.0);
  for (int chain = 0; chain < kLongRead; ++chain) {
    TRY_OK(go_on(cancel));
    Input input;
    input.ids = tiny_chain(static_cast<std::uint64_t>(chain), length);
    TRY(const auto run, model.run(input));
    for (int at = 1; at < length; ++at) {  // from the second letter on one follows
      const std::vector<float> logits = run->logits_row(at).values();
      const auto most = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
      double all = 0, fit = 0;
      const auto may = tiny_followers(input.ids[static_cast<std::size_t>(std::max(0, at - 1))]);
      for (std::size_t letter = 0; letter < logits.size(); ++letter) {
        const double share = std::exp(static_cast<double>(logits[letter]) - most);
        all += share;
        if (static_cast<int>(letter) == may[0] || static_cast<int>(letter) == may[1]) fit += share;
      }
      out[static_cast<std::size_t>(at)] += fit / all / kLongRead;
    }
  }
  return out;
}

double mean_fit(const std::vector<double>& values, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t at = first; at < last; ++at) sum += values[at];
  return sum / static_cast<double>(last - first);
}

// What stands in the curve of one model: on the trained length, and on as many letters at the end.
struct LengthReading {
  Text name;
  std::vector<double> fits;
  double within() const { return mean_fit(fits, 1, kTinyChain); }
  double last() const { return mean_fit(fits, fits.size() - kTinyChain, fits.size()); }
  bool holds() const { return last() > within() - kHolds; }
};

Text length_notice(const LengthReading& a, const LengthReading& b, int length) {
  const bool swapped = b.holds() && !a.holds();
  const LengthReading &one = swapped ? b : a, &two = swapped ? a : b;
  const char* key = one.holds() && two.holds() ? "lab.length.notice.both"
                    : one.holds()              ? "lab.length.notice.one"
                                               : "lab.length.notice.none";
  return Text::of(key, {one.name, shown_share(one.within()), shown_share(one.last()), two.name,
                        shown_share(two.within()), shown_share(two.last()), length});
}

Result<LabPicture> compute_length(const LabValues& values, const std::atomic<bool>& cancel) {
  const int steps = static_cast<int>(values.whole("steps")),
            length = kTinyChain * static_cast<int>(values.whole("times"));
  LabPlot plot;
  plot.title = Text::of("lab.length.plot"), plot.x_title = Text::of("lab.length.position");
  plot.x_marks = {kTinyChain}, plot.y = {0, 1.02}, plot.x = {1, std::max(2, length)};
  LabTable table;
  table.title = Text::of("lab.length.table");
  table.header = {Text(), Text::of("lab.length.within"), Text::of("lab.length.last")};
  std::vector<LengthReading> read;
  for (const char* which : {"a", "b"}) {
    const auto part = static_cast<std::size_t>(values.choice(which));
    TRY(const auto run, tiny_run({TinyData::woven, kLengthParts[part], steps, 1e-2}, cancel));
    TRY(std::vector<double> fits, fitting(*run->model, length, cancel));
    LengthReading one{Text::of(std::string("lab.pair.") + which + "_is", {Text::of(length_keys()[part])}),
                      std::move(fits)};
    LabSeries curve{one.name, {}, read.empty() ? LabInk::blue : LabInk::red};
    for (std::size_t at = 1; at < one.fits.size(); ++at)
      curve.points.emplace_back(static_cast<double>(at + 1), one.fits[at]);
    plot.series.push_back(std::move(curve));
    table.rows.push_back(fact(one.name, {shown_share(one.within()), shown_share(one.last())}));
    read.push_back(std::move(one));
  }
  LabPicture out;
  out.pieces = {{plot, 2, true, 1}, in_full({table, 1})};
  out.formula = Text::of("lab.length.formula", {kTinyChain, length});
  out.notice = length > kTinyChain ? length_notice(read[0], read[1], length)
                                   : Text::of("lab.length.notice.short", {kTinyChain});
  return out;
}

}  // namespace

Lab lab_length();
Lab lab_length() {
  return {"lab.length",
          22,
          {whole_control("lab.length.times", 1, 12, 8), choice_control("lab.length.a", length_keys(), 0),
           choice_control("lab.length.b", length_keys(), 1), whole_control("lab.length.steps", 20, 300, 300)},
          compute_length,
          {"times", 1},
          {"times", 12}};
}

}  // namespace attnscope
