// What an exported file shows and how: of the export dialog, of the command line, and as it was chosen last.
#pragma once

#include <cstdint>
#include <string>

namespace attnscope {

/// The figure alone (core/export), the stage or the window as they are on screen.
enum class ExportPart : std::uint8_t { figure, stage, window };

/// As chosen in the export dialog; kept with the settings for the next time.
struct ExportChoice {
  std::string form = "png";              ///< an exporter's id, or html: a report
  ExportPart part = ExportPart::window;  ///< of a PNG
  std::string size = "1280x720";         ///< of a figure: core/export/page.h
  int scale = 1;
  bool figure_alone = false;  ///< of the SVG of a view of the panels
  bool paper = false, caption = false, transparent = false;
};

}  // namespace attnscope
