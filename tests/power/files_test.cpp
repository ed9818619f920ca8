// Files of their own that the power goes away from: the old one or the new one is there, whole.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/open.h"
#include "core/arch/save_edited.h"
#include "core/arch/save_model.h"
#include "core/arch/scene.h"
#include "core/export/export.h"
#include "core/io/control_vector.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "core/lesson/progress.h"
#include "core/session/circuit.h"
#include "core/session/lecture.h"
#include "core/session/training.h"
#include "core/system/named_files.h"
#include "tests/edits.h"
#include "tests/power/saved.h"
#include "tests/results.h"

namespace attnscope {
namespace {

using power::expect_kept;
using power::Saved;
using test::read_text;

namespace fs = std::filesystem;

// No file yet and three states of it, told apart by `found`.
template <class Write, class Found>
void expect_file_kept(const std::string& name, const Write& write, const Found& found) {
  Saved saved;
  saved.writes.push_back([](const std::string&) { return Done{}; });
  for (int i = 0; i < 3; ++i)
    saved.writes.push_back([=](const std::string& root) { return write(root + "/" + name, i); });
  saved.found = [=](const std::string& root) -> std::string {
    return fs::exists(root + "/" + name) ? found(root + "/" + name) : std::string("no file");
  };
  expect_kept(saved);
}

std::string size_and_sum(const std::string& bytes) {
  return std::to_string(bytes.size()) + ":" + std::to_string(std::hash<std::string>()(bytes));
}

TEST(PowerCut, Text) {
  expect_file_kept(
      "a.txt", [](const std::string& path, int i) { return write_file(path, std::string(3000 + i, 'x')); },
      [](const std::string& path) { return size_and_sum(read_text(path)); });
}

TEST(PowerCut, Scene) {
  const auto scene =
      scene_from_text(read_text(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/nine_steps.json"), "a");
  ASSERT_TRUE(scene) << scene.error().text();
  expect_file_kept(
      "a.json",
      [&](const std::string& path, int i) {
        Scene other = *scene;
        other.title.en = "scene " + std::to_string(i);
        return save_scene(other, path);
      },
      [](const std::string& path) {
        const auto read = scene_from_text(read_text(path), "a.json");
        return read ? read->title.en : read.error().text();
      });
}

TEST(PowerCut, ProgressOfLearners) {
  expect_file_kept(
      "new/folder/progress.json",
      [](const std::string& path, int i) {
        Progress progress;
        for (int page = 0; page <= i; ++page)
          progress.at("Ada", "softmax", std::to_string(page)) = {
              true, false, 1, 0, 1, "0.5", "2026-01-31 17:05"};
        return progress.save(path);
      },
      [](const std::string& path) {
        const auto read = Progress::load(path);
        return read ? read->csv() : read.error().text();
      });
}

TEST(PowerCut, ArraysInEveryForm) {
  for (const char* name : {"a.safetensors", "a.npz", "a.npy", "a.json"}) {
    SCOPED_TRACE(name);
    expect_file_kept(
        name,
        [](const std::string& path, int i) {
          return write_tensors(
              path,
              {{"w", Tensor::from(std::vector<float>(600, static_cast<float>(i)), {{Axis::none, 600}})}});
        },
        [](const std::string& path) { return size_and_sum(read_text(path)); });
  }
}

TEST(PowerCut, ExportedFigureOverAnOlderOne) {
  figure::PlotMark plot;
  plot.x_title = "x";
  plot.series = {{Text("curve"), {{0.1, 1.0 / 3}, {0.2, 2.0 / 3}}}};
  for (const Exporter* one : exporters()) {
    SCOPED_TRACE(one->id);
    const auto write = [&](const std::string& path, int i) -> Status {
      plot.series[0].points[0].second = 1.0 / (i + 2);
      figure::MatrixMark matrix;
      matrix.values =
          Tensor::from({1.f, 0.f, 0.1f, static_cast<float>(i)}, {{Axis::query, 2}, {Axis::key, 2}});
      matrix.of = "blocks.0.attn.pattern[head=0]";
      const figure::Figure drawn{Text("title"), figure::column({figure::leaf({"pattern", matrix, 2, {}, ""}),
                                                                figure::leaf({"curves", plot, 1, {}, ""})})};
      TRY(const FigurePage page, page_of(drawn, *parse_page_size("300x200"), "300x200", {}));
      const std::vector<FilmFrame> film = {{page.drawing, 50}, {page.drawing, 50}};
      return export_figure(*one, {&drawn, &page, "t", "c", "", 1, false, &film}, path);
    };
    expect_file_kept("a." + one->id, write,
                     [](const std::string& path) { return size_and_sum(read_text(path)); });
  }
}

TEST(PowerCut, CircuitAndSlidesAndControlVector) {
  expect_file_kept(
      "a.json",
      [](const std::string& path, int i) {
        Circuit circuit;
        circuit.model = "model " + std::to_string(i);
        circuit.tokens = {"a"};
        circuit.nodes = {{CircuitNode::Kind::embed, "E_0_0", "a", -1, 0, 0, {}, {}, {}, "", -1, -1}};
        return write_circuit(path, circuit);
      },
      [](const std::string& path) {
        const auto read = read_circuit(path);
        return read ? read->model : read.error().text();
      });
  expect_file_kept(
      "a.lecture.json",
      [](const std::string& path, int i) {
        Lecture lecture = *shipped_lecture(shipped_lectures().front());
        lecture.slides.resize(static_cast<std::size_t>(i + 1));
        return write_lecture(path, lecture);
      },
      [](const std::string& path) {
        const auto read = read_lecture(path);
        return read ? std::to_string(read->slides.size()) : read.error().text();
      });
}

TEST(PowerCut, ListOfFilesThatMayBeNamed) {
  Saved saved;
  for (int i = 0; i < 3; ++i)
    saved.writes.push_back([i](const std::string& root) -> Status {
      ::setenv("XDG_CONFIG_HOME", root.c_str(), 1);
      const std::string file = fs::path(root).parent_path().string() + "/" + std::to_string(i);
      test::write_text(file, "x");
      keep_known_files(true);
      know_file(file);
      keep_known_files(false);
      ::unsetenv("XDG_CONFIG_HOME");
      return Done{};
    });
  saved.found = [](const std::string& root) { return read_text(root + "/attnscope/known_files"); };
  expect_kept(saved);
}

TrainingSettings small_sorter() {
  TrainingSettings out = *training_settings("sorter");
  out.sizes.layers = 1, out.sizes.heads = 2;
  out.sizes.d_model = out.sizes.d_mlp = 16;
  out.recipe.steps = 40, out.recipe.batch = 2;
  return out;
}

std::string model_in(const std::string& folder) {
  if (!fs::exists(folder)) return "none";
  const auto opened = open_model(folder);
  if (!opened) return opened.error().text();
  std::string out = opened->family + " ";
  for (const auto& [name, tensor] : opened->model->weights().all())
    out += std::to_string(tensor.values().front()) + " ";
  return out + size_and_sum(read_text(folder + "/card.json"));
}

TEST(PowerCut, ModelOverAnOlderOne) {
  Training training;
  TrainingSettings settings = small_sorter();
  Saved saved;
  saved.writes.push_back([](const std::string&) { return Done{}; });
  for (int i = 0; i < 3; ++i)
    saved.writes.push_back([&, i](const std::string& root) -> Status {
      settings.sizes.layers = 1 + i;
      TRY_OK(training.start(settings, false));
      training.step_once();
      training.wait();
      training.export_model(root + "/model");
      training.wait();
      const auto outcome = training.outcome();
      return outcome && outcome->kind == TrainingOutcome::Kind::exported ? Status(Done{})
             : outcome                                                   ? Status(outcome->error)
                                                                         : fail(Code::io_failed, "none");
    });
  saved.found = [](const std::string& root) { return model_in(root + "/model"); };
  expect_kept(saved);
}

TEST(PowerCut, EditedModelInANewFolder) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/tiny_gpt.json");
  ASSERT_TRUE(opened) << opened.error().text();
  Saved saved;
  for (int i = 0; i < 2; ++i)
    saved.writes.push_back([&, i](const std::string& root) -> Status {
      if (i == 0) return Done{};
      TRY_OK(
          save_edited(root + "/edited", *opened, {testing::edit("blocks.0.attn.q.weight[in=0,out=1]=0.5")}));
      return Done{};
    });
  saved.found = [](const std::string& root) { return model_in(root + "/edited"); };
  expect_kept(saved);
}

TEST(PowerCut, KeptTrainingRun) {
  Training training;
  TrainingSettings settings = small_sorter();
  ASSERT_TRUE(training.start(settings, false));
  Saved saved;
  saved.writes.push_back([](const std::string&) { return Done{}; });
  for (int i = 0; i < 3; ++i)
    saved.writes.push_back([&](const std::string& root) -> Status {
      training.keep_in(root + "/training");
      training.step_once();
      training.wait();
      return training.settle();
    });
  saved.found = [](const std::string& root) {
    std::vector<int> steps;
    for (const KeptRun& run : kept_runs(root + "/training", "sorter")) steps.push_back(run.step);
    return steps.empty() ? "none" : "step " + std::to_string(*std::max_element(steps.begin(), steps.end()));
  };
  expect_kept(saved);
}

}  // namespace
}  // namespace attnscope
