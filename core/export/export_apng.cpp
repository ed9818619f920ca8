// Animated PNG: a film in all its colours.
#include "core/export/export.h"

namespace attnscope {
namespace {

Status write_apng(const FigureToExport& what, AtomicFile& file, const std::string&) {
  AnimatedPng out;
  TRY_OK(each_change(*what.film, what.scale, [&](PngFrame&& part) { out.add(part); }));
  file.write(out.bytes(png_texts(what)));
  return Done{};
}

}  // namespace

Exporter export_apng() { return {"apng", true, write_apng, true}; }

}  // namespace attnscope
