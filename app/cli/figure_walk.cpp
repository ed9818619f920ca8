#include "app/cli/figure_walk.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/view/walk.h"

namespace attnscope::cli {
namespace {

constexpr const char* kModels = "models";
constexpr int kSweepStops = 21;

struct SweptEdit {
  std::string place;  ///< "blocks.1.attn.pattern[head=3]=", or with "+=", "*="
  double from = 0, to = 0;
};
Result<SweptEdit> parse_sweep(const std::string& text) {
  const std::size_t equals = text.rfind('='), dots = text.rfind("..");
  const Error wrong = fail(Code::bad_format, "error.cli.walk", {in_quotes(text)});
  if (equals == std::string::npos || dots == std::string::npos || dots < equals) return wrong;
  const auto number = [](std::string_view part) { return parse_real(part, -1e9, 1e9); };
  const auto from = number(std::string_view(text).substr(equals + 1, dots - equals - 1)),
             to = number(std::string_view(text).substr(dots + 2));
  if (!from || !to) return wrong;
  return SweptEdit{text.substr(0, equals + 1), *from, *to};
}

Result<std::vector<WalkStop>> sweep(const FigureSource& source, const FigureOptions& options) {
  TRY(const SweptEdit edit, parse_sweep(options.walk));
  std::vector<WalkStop> out;
  for (int i = 0; i < kSweepStops; ++i) {
    const double value = edit.from + (edit.to - edit.from) * i / (kSweepStops - 1);
    WalkStop stop{source, {}};
    Request request;
    request.edits = {edit.place + format("%.6g", value)};
    TRY_OK(apply_request(stop.source.document, request));
    TRY(stop.source.run,
        run_under(*source.opened, stop.source.document.edits, source.run->input, source.sequence));
    TRY(stop.state, figure_state(stop.source, options));
    out.push_back(std::move(stop));
  }
  return out;
}

Result<std::vector<WalkStop>> each_model(const FigureOptions& options) {
  if (options.models.size() < 2) return fail(Code::bad_format, "error.cli.walk_models");
  std::vector<WalkStop> out;
  for (const std::string& model : options.models) {
    FigureOptions one = options;
    one.models = {model};
    WalkStop stop;
    TRY(stop.source, figure_source(one));
    TRY(stop.state, figure_state(stop.source, one));
    out.push_back(std::move(stop));
  }
  return out;
}

}  // namespace

Result<std::vector<WalkStop>> walk_stops(const ViewSpec& view, const FigureOptions& options) {
  if (options.walk == kModels) return each_model(options);
  if (options.models.size() != 1) return fail(Code::bad_format, "error.cli.figure_model");
  FigureOptions at = options;
  TRY(const FigureSource source, figure_source(at));
  const auto walk = value_of_name(options.walk, kWalks);
  if (!walk) return sweep(source, at);
  TRY(const ViewState first, figure_state(source, at));
  TRY(std::vector<ViewState> states, walked(view, first, *walk));
  std::vector<WalkStop> out;
  for (ViewState& state : states) out.push_back({source, std::move(state)});
  return out;
}

}  // namespace attnscope::cli
