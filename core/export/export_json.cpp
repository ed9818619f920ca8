// JSON: title, caption and every part with its names; null where a cell is masked.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/file_formats.h"
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

// The shortest digits that read back as the same float.
ordered_json json_value(float value) {
  if (!std::isfinite(value)) return nullptr;
  return ordered_json::parse(exact_text(value), nullptr, false);
}

ordered_json matrix_json(const FigureData& part) {
  ordered_json out = {{"rows", part.rows}, {"columns", part.columns}, {"values", ordered_json::array()}};
  if (part.of.size() == 1 && !part.of[0].empty()) out["place"] = part.of[0];
  if (part.of.size() > 1) out["places"] = part.of;
  for (std::int64_t row = 0; row < part.values.size(0); ++row) {
    ordered_json& line = out["values"].emplace_back(ordered_json::array());
    for (std::int64_t col = 0; col < part.values.size(1); ++col)
      line.push_back(part.masked[static_cast<std::size_t>(row * part.values.size(1) + col)]
                         ? ordered_json(nullptr)
                         : json_value(part.values.at(row, col)));
  }
  return out;
}
ordered_json table_json(const FigureData& part) {
  ordered_json out = {{"columns", part.columns}, {"cells", part.cells}, {"numbers", ordered_json::array()}};
  for (const auto& value : part.numbers)
    out["numbers"].push_back(value && std::isfinite(*value) ? ordered_json(*value) : ordered_json(nullptr));
  return out;
}
ordered_json plot_json(const FigureData& part) {
  ordered_json out = {{"x", part.x_title}, {"curves", ordered_json::array()}};
  for (std::size_t curve = 0; curve < part.curves.size(); ++curve)
    out["curves"].push_back({{"name", part.rows[curve]}, {"points", part.curves[curve]}});
  return out;
}

Status write_figure_json(const FigureToExport& what, AtomicFile& file, const std::string&) {
  ordered_json out = {{"format", kFigureFormat.name},
                      {"version", kFigureFormat.version},
                      {"made_by", exported_by()},
                      {"title", what.title}};
  if (!what.caption.empty()) out["caption"] = what.caption;
  out["parts"] = ordered_json::array();
  for (const FigureData& part : data_of(*what.figure)) {
    ordered_json one = {{"id", part.id}, {"title", part.title}};
    switch (part.kind) {
      case FigureData::Kind::matrix: one["kind"] = "matrix", one.update(matrix_json(part)); break;
      case FigureData::Kind::table: one["kind"] = "table", one.update(table_json(part)); break;
      case FigureData::Kind::plot: one["kind"] = "plot", one.update(plot_json(part)); break;
    }
    out["parts"].push_back(std::move(one));
  }
  if (ordered_json run = ordered_json::parse(what.run, nullptr, false); run.is_object())
    out["run"] = std::move(run);
  file.write(out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  return Done{};
}

}  // namespace

Exporter export_json() { return {"json", false, write_figure_json}; }

}  // namespace attnscope
