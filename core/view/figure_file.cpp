#include "core/view/figure_file.h"

#include <filesystem>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/view/caption.h"

namespace attnscope {
namespace {

constexpr float kColumn = 320;  // units: narrower pages have the letters of a printed column

PageStyle page_style(const FileStyle& style, const PageSize& size) {
  PageStyle out;
  out.palette = style.paper ? &figure::paper_palette() : &figure::palette(style.dark);
  out.letters = style.letters                 ? style.letters
                : style.paper || size.printed ? &kPaperLetters
                : size.width < kColumn        ? &figure::kColumnLetters
                                              : &figure::kWindowLetters;
  return out;
}

// As it stands on the page.
figure::Figure dressed(const FigureForFile& what, const FileStyle& style) {
  figure::Figure out = what.figure;
  if (style.paper) out = for_print(std::move(out));
  if (style.caption) out = captioned(std::move(out), what.caption);
  return out;
}

// For readers who do not see the figure: its sentence and its caption.
std::string in_words(const FigureForFile& what) {
  std::vector<std::string> out = in_words(what.caption);
  const figure::Part* part = find_part(what.figure, "sentence");
  const auto* words = part ? std::get_if<figure::WordsMark>(&part->mark) : nullptr;
  if (words && !words->forms.empty()) out.insert(out.begin(), words->forms.front().str());
  return join(out, " ");
}

Result<std::vector<std::string>> write_one(const Exporter& exporter, const FigureForFile& made,
                                           const std::string& session, const FileStyle& style,
                                           const std::string& path) {
  FigureToExport what{&made.figure, nullptr,     made.figure.title.str(), in_words(made),
                      session,      style.scale, style.transparent};
  what.run = style.run;
  FigurePage page;
  figure::Figure figure;  // of the page
  if (exporter.picture) {
    TRY(const PageSize size, parse_page_size(style.size));
    figure = dressed(made, style);
    TRY(page, page_of(figure, size, style.size, page_style(style, size)));
    what.page = &page, what.figure = &figure;
  }
  TRY_OK(export_figure(exporter, what, path));
  return page.incomplete ? page.given_up : std::vector<std::string>();
}

Status write_film(const Exporter& exporter, const std::vector<FigureForFile>& figures, const FileStyle& style,
                  const std::string& path) {
  std::vector<FilmFigure> shown;
  for (const FigureForFile& one : figures) shown.push_back({dressed(one, style), one.run});
  TRY(const PageSize size, parse_page_size(style.size));
  TRY(const std::vector<FilmFrame> film,
      film_of(shown, size, style.size, page_style(style, size), style.seconds));
  FigureToExport what{&figures.front().figure,
                      nullptr,
                      figures.front().figure.title.str(),
                      in_words(figures.front()),
                      {},
                      style.scale,
                      false};
  what.film = &film;
  return export_figure(exporter, what, path);
}

}  // namespace

std::string walk_file(const std::string& path, std::size_t number) {
  const std::filesystem::path name(path);
  return (name.parent_path() / (name.stem().string() + format("-%03zu", number) + name.extension().string()))
      .string();
}

Result<std::vector<std::string>> write_figures(const Exporter& exporter,
                                               const std::vector<FigureForFile>& figures,
                                               const std::string& session, const FileStyle& style,
                                               const std::string& path) {
  if (exporter.moves && figures.size() < 2) return fail(Code::unsupported, "error.view.film", {exporter.id});
  if (figures.size() == 1) return write_one(exporter, figures.front(), session, style, path);
  std::vector<std::string> out;
  if (exporter.moves) {
    TRY_OK(write_film(exporter, figures, style, path));
    return out;
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    TRY(out, write_one(exporter, figures[i], {}, style, walk_file(path, i + 1)));
  }
  return out;
}

}  // namespace attnscope
