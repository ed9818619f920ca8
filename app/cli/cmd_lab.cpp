// attnscope-cli lab: lists the labs, computes one, and prints its tables, curves and conclusion.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/control_text.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lab/lab.h"

namespace attnscope::cli {
namespace {

struct LabOptions {
  std::string name;
  std::vector<std::string> set;
  bool json = false;
};

// Infinities and NaN as text: JSON has no numbers for them.
nlohmann::json to_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

nlohmann::json to_json(const LabPlot& plot) {
  nlohmann::json series = nlohmann::json::array();
  for (const LabSeries& one : plot.series) {
    nlohmann::json points = nlohmann::json::array();
    for (const auto& [x, y] : one.points) points.push_back({to_json(x), to_json(y)});
    series.push_back({{"name", one.name.str()}, {"key", one.name.key()}, {"points", points}});
  }
  return {{"kind", "plot"}, {"title", plot.title.str()}, {"x", plot.x_title.str()}, {"series", series}};
}

nlohmann::json to_json(const LabMatrix& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::int64_t row = 0; row < matrix.values.size(0); ++row) {
    nlohmann::json cells = nlohmann::json::array();
    for (std::int64_t col = 0; col < matrix.values.size(1); ++col)
      cells.push_back(to_json(static_cast<double>(matrix.values.at(row, col))));
    rows.push_back(std::move(cells));
  }
  return {{"kind", "matrix"},
          {"title", matrix.title.str()},
          {"rows", in_words(matrix.row_labels)},
          {"columns", in_words(matrix.col_labels)},
          {"values", rows}};
}

nlohmann::json to_json(const LabBars& bars) {
  nlohmann::json rows = nlohmann::json::array();
  for (const LabBars::Bar& bar : bars.bars)
    rows.push_back({{"name", bar.name.str()}, {"value", to_json(bar.value)}});
  return {{"kind", "bars"}, {"title", bars.title.str()}, {"bars", rows}};
}

nlohmann::json to_json(const LabTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const std::vector<Text>& row : table.rows) rows.push_back(in_words(row));
  return {
      {"kind", "table"}, {"title", table.title.str()}, {"header", in_words(table.header)}, {"rows", rows}};
}

// Every number of a picture as a row of its own: which piece it is of, what it is called there, its value.
struct LabRows {
  nlohmann::json all = nlohmann::json::array();

  void add(const LabPiece& piece) {
    ++number_;
    std::visit([this](const auto& what) { rows_of(what); }, piece.what);
  }

 private:
  template <class Piece>
  nlohmann::json row_of(const Piece& piece) const {
    return {{"piece", number_}, {"title", piece.title.str()}};
  }
  void rows_of(const LabPlot& plot) {
    for (const LabSeries& one : plot.series)
      for (const auto& [x, y] : one.points) {
        nlohmann::json row = row_of(plot);
        row["name"] = one.name.str(), row["x"] = to_json(x), row["value"] = to_json(y);
        all.push_back(std::move(row));
      }
  }
  void rows_of(const LabMatrix& matrix) {
    const auto label = [](const std::vector<Text>& labels, std::int64_t i) {
      return i < std::ssize(labels) ? nlohmann::json(labels[static_cast<std::size_t>(i)].str())
                                    : nlohmann::json(i);
    };
    for (std::int64_t r = 0; r < matrix.values.size(0); ++r)
      for (std::int64_t c = 0; c < matrix.values.size(1); ++c) {
        nlohmann::json row = row_of(matrix);
        row["row"] = label(matrix.row_labels, r), row["column"] = label(matrix.col_labels, c);
        row["value"] = to_json(static_cast<double>(matrix.values.at(r, c)));
        all.push_back(std::move(row));
      }
  }
  void rows_of(const LabBars& bars) {
    for (const LabBars::Bar& bar : bars.bars) {
      nlohmann::json row = row_of(bars);
      row["name"] = bar.name.str(), row["value"] = to_json(bar.value);
      all.push_back(std::move(row));
    }
  }
  void rows_of(const LabTable& table) {
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
        nlohmann::json row = row_of(table);
        row["row"] = r, row["text"] = table.rows[r][c].str();
        row["column"] = c < table.header.size() ? nlohmann::json(table.header[c].str()) : nlohmann::json(c);
        all.push_back(std::move(row));
      }
  }

  int number_ = -1;
};

nlohmann::json controls_json(const Lab& lab, const LabValues& values) {
  nlohmann::json out = nlohmann::json::array();
  for (const LabControl& control : lab.controls) {
    nlohmann::json row = control_json(control);
    row["name"] = tr(control.key), row["value"] = value_text(control, values);
    out.push_back(std::move(row));
  }
  return out;
}

void print_row(const std::vector<Text>& row) { std::printf("  %s\n", join(in_words(row), "  |  ").c_str()); }

struct Printer {
  void operator()(const LabPlot& plot) const {
    std::printf("\n%s\n", plot.title.str().c_str());
    for (const LabSeries& one : plot.series) {
      if (one.points.empty()) continue;
      const auto &first = one.points.front(), &last = one.points.back();
      std::printf("  %s: %zu; (%.4g, %.4g) .. (%.4g, %.4g)\n", one.name.str().c_str(), one.points.size(),
                  first.first, first.second, last.first, last.second);
    }
  }
  void operator()(const LabMatrix& matrix) const {
    std::printf("\n%s\n", matrix.title.str().c_str());
    for (std::int64_t row = 0; row < matrix.values.size(0); ++row) {
      std::string line;
      for (std::int64_t col = 0; col < matrix.values.size(1); ++col)
        line += format(" %8.*f", matrix.digits, static_cast<double>(matrix.values.at(row, col)));
      std::printf("%s\n", line.c_str());
    }
  }
  void operator()(const LabBars& bars) const {
    std::printf("\n%s\n", bars.title.str().c_str());
    for (const LabBars::Bar& bar : bars.bars) print_row({bar.name, bar.shown});
  }
  void operator()(const LabTable& table) const {
    std::printf("\n%s\n", table.title.str().c_str());
    if (!table.header.empty()) print_row(table.header);
    for (const std::vector<Text>& row : table.rows) print_row(row);
  }
};

Status list_labs(bool json) {
  nlohmann::json all = nlohmann::json::array();
  for (const Lab& lab : labs()) {
    const std::string title = tr(lab.key + ".title"), sentence = tr(lab.key + ".sentence");
    if (json)
      all.push_back({{"id", lab.id()},
                     {"title", title},
                     {"sentence", sentence},
                     {"controls", controls_json(lab, initial_values(lab))}});
    else
      std::printf("%-12s %s\n             %s\n", lab.id().c_str(), title.c_str(), sentence.c_str());
  }
  if (json) print_json({{"rows", std::move(all)}, {"run", run_json()}});
  return Done{};
}

Status run_lab(const LabOptions& options) {
  if (options.name.empty()) {
    if (!options.set.empty()) return fail(Code::bad_format, "error.cli.lab_name");
    return list_labs(options.json);
  }
  TRY(const Lab* lab, find_lab(options.name));
  LabValues values = initial_values(*lab);
  for (const std::string& one : options.set) TRY_OK(set_value(*lab, values, one));
  TRY(const LabPicture picture, compute(*lab, values));
  if (options.json) {
    nlohmann::json pieces = nlohmann::json::array();
    LabRows rows;
    for (const LabPiece& piece : picture.pieces) {
      pieces.push_back(std::visit([](const auto& what) { return to_json(what); }, piece.what));
      rows.add(piece);
    }
    print_json({{"id", lab->id()},
                {"title", tr(lab->key + ".title")},
                {"controls", controls_json(*lab, values)},
                {"formula", picture.formula.str()},
                {"notice", picture.notice.str()},
                {"pieces", std::move(pieces)},
                {"rows", std::move(rows.all)},
                {"run", run_json()}});
    return Done{};
  }
  std::printf("%s\n%s\n\n", tr(lab->key + ".title"), tr(lab->key + ".sentence"));
  for (const LabControl& control : lab->controls)
    std::printf("  %s = %s   (%s)\n", control.id().c_str(), value_text(control, values).c_str(),
                range_text(control).c_str());
  for (const LabPiece& piece : picture.pieces) std::visit(Printer{}, piece.what);
  std::printf("\n%s\n%s\n", picture.formula.str().c_str(), picture.notice.str().c_str());
  return Done{};
}

}  // namespace

void add_lab(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "lab", tr("cli.lab"), run_lab);
  command->add_option("NAME", options->name, tr("cli.lab.name"));
  command->add_option("--set", options->set, tr("cli.lab.set"))->type_name("CONTROL=VALUE");
  command->add_flag("--json", options->json, tr("cli.json"));
}

}  // namespace attnscope::cli
