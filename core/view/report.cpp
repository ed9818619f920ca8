#include "core/view/report.h"

#include <algorithm>

#include "core/base/markup.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/base/words.h"
#include "core/export/export.h"
#include "core/export/page.h"
#include "core/session/fingerprint.h"
#include "core/view/caption.h"
#include "core/view/proof.h"

namespace attnscope {
namespace {

constexpr const char* kReportSize = "900x560";
constexpr const char* kReportStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}"
    "h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}table{border-collapse:collapse}"
    "td,th{padding:.25rem .75rem;border-bottom:1px solid "
    "#d0d7de;text-align:left;font-variant-numeric:tabular-nums}"
    "svg{max-width:100%;height:auto}pre{overflow:auto;max-height:24rem;background:#f6f8fa;padding:.75rem;"
    "font-size:.8rem}.bad{color:#b42318;font-weight:600}.good{color:#1a7f37}figure{margin:1rem "
    "0}figcaption{color:#57606a;font-size:.9rem}summary{cursor:pointer}"
    "@media "
    "print{body{margin:0;max-width:none;padding:0;font-size:12px}h1{margin:0 0 .5rem}"
    "td,th{padding:.1rem .5rem}figure{margin:.5rem 0}pre{max-height:none;white-space:pre-wrap;font-size:6px}"
    "figure,tr,table{break-inside:avoid}h1{break-after:avoid}h2{break-after:avoid;margin-top:.8rem}}";

std::string tagged(const char* name, const std::string& text) {
  return "<" + std::string(name) + ">" + xml_text(text) + "</" + name + ">";
}
std::string table_row(const char* cell, const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (const std::string& one : cells) out += tagged(cell, one);
  return out + "</tr>";
}

std::string what_was_run(const Document& document) {
  std::string out = "<table>";
  const auto line = [&](const char* key, const std::string& text) {
    if (!text.empty()) out += table_row("td", {tr(key), text});
  };
  line("report.model", document.opened->title);
  line("report.fingerprint", model_fingerprint(*document.opened));
  for (const Sequence& sequence : document.sequences)
    line("report.text", sequence.text.empty() ? sequence.source_text : sequence.text);
  for (const auto& edit : document.edits)
    if (edit->enabled) line("report.edit", to_text(*edit));
  for (const auto& [place, note] : document.notes) line("report.note", place + ": " + note);
  line("report.version", exported_by());
  return out + "</table>";
}

// The SVG with its caption; or why there is none.
Result<std::string> figure_html(const ViewSpec& view, const ViewState& state, const Document& document) {
  TRY(figure::Figure figure, draw_view(view, state));
  const std::vector<Text> caption = caption_of(view, state, &document, 0, figure);
  PageStyle style;
  style.palette = &figure::palette(false);
  TRY(const PageSize size, parse_page_size(kReportSize));
  TRY(FigurePage page, page_of(figure, size, kReportSize, style));
  trim(page.drawing, style.letters->gap);
  const std::string words = join(in_words(caption), " ");
  std::string svg = figure::to_svg(page.drawing, {figure.title.str(), words, language(), {}, {}, {}});
  svg.erase(0, svg.find("<svg"));  // its XML declaration belongs to files of its own
  return "<figure>" + svg + tagged("figcaption", words) + "</figure>\n";
}

std::string answer_html(const ViewState& state) {
  const auto table = answer_table(state, answer_row(state), 10);
  if (!table) return {};
  std::string out = tagged("h2", answer_title(state, answer_row(state)).front().str()) + "<table>";
  if (state.before) out += table_row("th", {"", tr("report.now"), tr("report.before")});
  for (const figure::TableMark::Row& row : table->rows) {
    std::vector<std::string> cells{row.cells[0].str(), row.cells[1].str()};
    if (state.before) cells.push_back(row.before ? percent(*row.before).str() : "");
    out += table_row("td", cells);
  }
  return out + "</table>\n";
}

std::string proofs_html(const ViewState& state) {
  std::string out = tagged("h2", tr("report.proofs")) + tagged("p", tr("report.proofs.about")) + "<table>" +
                    table_row("th", {tr("report.proof"), tr("report.numbers"), tr("report.largest"),
                                     tr("report.allowed"), ""});
  for (const Proof& proof : proofs_of(*state.opened, state.run, answer_row(state)))
    out += "<tr>" + tagged("td", proof.what.str()) + tagged("td", std::to_string(proof.numbers)) +
           tagged("td", format("%.3g", proof.largest)) + tagged("td", format("%.3g", proof.allowed)) +
           "<td class=\"" + (proof.good() ? "good" : "bad") + "\">" +
           xml_text(tr(proof.good() ? "report.good" : "report.bad")) + "</td></tr>";
  out += "</table>\n";
  const std::string script = pattern_script(state);
  if (!script.empty())
    // Folded: pages of digits are for who asks for them, on paper, too.
    out += tagged("h2", tr("report.script")) + "<details>" + tagged("summary", tr("report.script.about")) +
           "<pre>" + xml_text(script) + "</pre></details>\n";
  return out;
}

}  // namespace

Result<std::string> report_html(const Document& document, const ViewState& state,
                                const std::vector<std::string>& views) {
  std::vector<std::string> figures;
  std::optional<Error> why;
  for (const std::string& id : views) {
    TRY(const ViewSpec* view, find_view(id));
    auto made = figure_html(*view, state, document);
    if (made)
      figures.push_back(*std::move(made));
    else
      why = made.error();
  }
  if (figures.empty() && why) return *why;
  // The first one stands on the first page, which the answer fills.
  const std::string first = figures.empty() ? std::string() : figures.front();
  if (!figures.empty()) figures.erase(figures.begin());
  const std::string more = figures.empty() ? "" : tagged("h2", tr("report.figures")) + join(figures, "");
  const std::string title = tr("report.title", {document.opened->title});
  return "<!DOCTYPE html>\n<html lang=\"" + language() + "\"><head><meta charset=\"utf-8\">" +
         tagged("title", title) + "<style>" + kReportStyle + "</style></head><body>\n" + tagged("h1", title) +
         what_was_run(document) + first + answer_html(state) + more + proofs_html(state) + "</body></html>\n";
}

}  // namespace attnscope
