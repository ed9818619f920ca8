#include "core/view/walk.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/view/figure_motion.h"

namespace attnscope {
namespace {

constexpr int kMotionHundredths = 5;

std::int64_t length_of(const ViewSpec& view, const ViewState& state, Walk walk) {
  const ModelConfig& config = state.run->config().of(state.place.stack);
  const Record* pattern = state.run->find(state.place.pattern(state.layer));
  switch (walk) {
    case Walk::pages: return std::ssize(pages_of(view, state));
    case Walk::layers: return view.block || view.heads ? config.n_layers() : 0;
    case Walk::heads: return view.heads && pattern && !pattern->shape.empty() ? pattern->shape[0] : 0;
    case Walk::rows: return state.run->rows(state.place.stack);
  }
  return 0;
}

// On the way from the figure before: in between pictures, until everything stands where it stays.
void add_motion(const FilmFigure& before, const FilmFigure& now, const figure::Drawing& from,
                const figure::Drawing& to, std::vector<FilmFrame>& film) {
  if (!now.run || before.run != now.run) return;
  FigureMotion motion;
  motion.leave({&before.figure, &from}, *before.run);
  motion.enter({&now.figure, &to}, *now.run);
  if (!motion.moves()) return;
  while (motion.step(kMotionHundredths / 100.f)) {
    FilmFrame frame{to, kMotionHundredths};
    for (std::size_t i = 1; i < to.shapes.size(); ++i) frame.drawing.shapes[i] = motion.at(i, to.shapes[i]);
    std::erase_if(frame.drawing.shapes, [](const figure::DrawnShape& shape) { return shape.alpha <= 0; });
    film.push_back(std::move(frame));
  }
}

}  // namespace

std::vector<Walk> walks_of(const ViewSpec& view, const ViewState& state) {
  std::vector<Walk> out;
  if (!state.run) return out;
  for (const Named<Walk>& one : kWalks)
    if (length_of(view, state, one.value) > 1) out.push_back(one.value);
  return out;
}

Result<std::vector<ViewState>> walked(const ViewSpec& view, const ViewState& state, Walk walk) {
  const std::vector<Walk> known = walks_of(view, state);
  if (std::find(known.begin(), known.end(), walk) == known.end()) {
    std::vector<std::string> names;
    for (const Walk one : known) names.emplace_back(name_of_value(one, kWalks));
    return fail(Code::unsupported, "error.view.walk",
                {view.id, std::string(name_of_value(walk, kWalks)), join(names, ", ")});
  }
  std::vector<ViewState> out(static_cast<std::size_t>(length_of(view, state, walk)), state);
  const std::vector<std::string> pages = pages_of(view, state);
  for (std::size_t i = 0; i < out.size(); ++i) switch (walk) {
      case Walk::pages: out[i].page = pages[i]; break;
      case Walk::layers: out[i].layer = static_cast<int>(i); break;
      case Walk::heads: out[i].head = static_cast<std::int64_t>(i); break;
      case Walk::rows: out[i].row = static_cast<std::int64_t>(i); break;
    }
  return out;
}

Result<std::vector<FilmFrame>> film_of(const std::vector<FilmFigure>& figures, PageSize size,
                                       const std::string& text, const PageStyle& style, double seconds) {
  std::vector<figure::Drawing> drawings;
  const auto draw_all = [&]() -> Status {
    drawings.clear();
    for (const FilmFigure& one : figures) {
      TRY(FigurePage page, page_of(one.figure, size, text, style));
      drawings.push_back(std::move(page.drawing));
    }
    return Done{};
  };
  TRY_OK(draw_all());
  if (size.height <= 0) {  // as tall as the tallest
    for (const figure::Drawing& one : drawings) size.height = std::max(size.height, one.height);
    TRY_OK(draw_all());
  }
  std::vector<FilmFrame> out;
  const int still =
      std::clamp(static_cast<int>(std::lround(seconds * 100)), kStillHundredths, kMostHundredths);
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    if (i > 0) add_motion(figures[i - 1], figures[i], drawings[i - 1], drawings[i], out);
    out.push_back({drawings[i], still});
  }
  return out;
}

}  // namespace attnscope
