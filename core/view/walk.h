// A walk through a run: the figures of a view, one after the other, and the film that they make.
#pragma once

#include "core/export/film.h"
#include "core/export/page.h"
#include "core/view/view.h"

namespace attnscope {

/// What changes from picture to picture.
enum class Walk : std::uint8_t { pages, layers, heads, rows };
inline constexpr Named<Walk> kWalks[] = {
    {"pages", Walk::pages}, {"layers", Walk::layers}, {"heads", Walk::heads}, {"rows", Walk::rows}};

/// The walks that this view has with this run: those of more than one picture.
std::vector<Walk> walks_of(const ViewSpec& view, const ViewState& state);
/// The states of a walk, from the first page, block, head or row to the last. Errors: a walk that the view
/// does not have, with those that it has.
Result<std::vector<ViewState>> walked(const ViewSpec& view, const ViewState& state, Walk walk);

/// A picture of a film.
struct FilmFigure {
  figure::Figure figure;
  std::shared_ptr<const Trace> run;  ///< whose numbers it shows; null: of none
};
/// Each stands for `seconds`; from one to the next, cells of the same run that both show move. Errors: those
/// of page_of(); `text` is the size as it was given.
Result<std::vector<FilmFrame>> film_of(const std::vector<FilmFigure>& figures, PageSize size,
                                       const std::string& text, const PageStyle& style, double seconds);

}  // namespace attnscope
