// Checkpoints: weights and both moments as tensors, reports as tables, the run itself as JSON in the file's
// metadata. Errors: checkpoints of other tasks and other sizes, and files that are no checkpoint.
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "core/train/recipe_json.h"
#include "core/train/report_table.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr const char* kKey = "attnscope_checkpoint";
constexpr const char* kCheckpointKinds[] = {"weight:", "m:", "v:"};
constexpr const char* kReports = "reports";
constexpr const char* kCheckpointHeldOut = "held_out";
constexpr const char* kEarlier = "earlier";
constexpr std::size_t kMostEarlier = 1024;
constexpr int kLastStep = 1'000'000'000;

Json head_of(const Trainer& trainer) {
  const TrainState& state = trainer.state();
  Json out{{"task", trainer.task().name()},
           {"sizes", sizes_to_json(trainer.sizes())},
           {"recipe", recipe_to_json(trainer.recipe())},
           {"seed", trainer.seed()},
           {"step", state.step},
           {"rate_factor", state.learning_rate_factor},
           {"layers", reported_layers(state.reports)}};
  if (const DataSource* data = trainer.task().source())
    out["data"] = {{"path", data->path}, {"vocabulary", data->vocabulary}, {"print", data->fingerprint}};
  return out;
}

struct Opened {
  std::shared_ptr<TensorSource> source;
  Json json;
  CheckpointHead head;
};

Result<Opened> open_checkpoint(const std::string& path) {
  Opened out;
  TRY(out.source, open_safetensors(path));
  const auto found = out.source->metadata().find(kKey);
  if (found == out.source->metadata().end())
    return fail(Code::bad_format, "error.train.checkpoint", {quoted_path(path)});
  TRY(out.json, parse_json(found->second, path));
  if (!out.json.is_object() || !out.json.contains("sizes") || !out.json.contains("recipe"))
    return fail(Code::bad_format, "error.train.checkpoint_history", {quoted_path(path)});
  CheckpointHead& head = out.head;
  TRY_OK(read_key(out.json, "task", path, head.task));
  TRY_OK(read_key(out.json, "seed", path, head.seed));
  TRY_OK(read_key(out.json, "step", path, head.step));
  TRY(head.sizes, sizes_from_json(out.json["sizes"], path));
  TRY(head.recipe, recipe_from_json(out.json["recipe"], path));
  if (const auto data = out.json.find("data"); data != out.json.end()) {
    TRY_OK(read_key(*data, "path", path, head.data.path));
    TRY_OK(read_key(*data, "vocabulary", path, head.data.vocabulary));
    TRY_OK(read_key(*data, "print", path, head.data.fingerprint));
  }
  if (head.step < 0 || head.step > kLastStep)
    return fail(Code::out_of_range, "error.train.checkpoint_step", {quoted_path(path), head.step});
  return out;
}

Error another_model(const std::string& path, const Text& why) {
  return fail(Code::bad_shape, "error.train.another_model", {quoted_path(path), why});
}

// Other lines would be held out, and other words stand behind the ids.
Status check_data(const std::string& path, const DataSource& before, const Task& task) {
  const DataSource* now = task.source();
  if (before.path.empty() || !now || now->fingerprint == before.fingerprint) return Done{};
  return fail(Code::bad_format, "error.train.other_data", {quoted_path(path), quoted_path(now->path)});
}

// A copy in memory of its own, so that the file may be replaced and every read gives the same bits.
Tensor checkpoint_copied(const Tensor& from, const Tensor& like) {
  const bool down = like.rank() == 2 && !like.contiguous();
  Shape shape;
  for (int d = 0; d < like.rank(); ++d) {
    const int own = down ? like.rank() - 1 - d : d;
    shape.emplace_back(like.axis(own), like.size(own));
  }
  Buffer out(shape);
  (down ? from.transpose() : from).read(out.data());
  const Tensor value = std::move(out).freeze();
  return down ? value.transpose() : value;
}

Result<Tensor> load_like(const Opened& opened, const std::string& path, const std::string& name,
                         const Tensor& like) {
  const TensorInfo* info = opened.source->find(name);
  if (!info) return another_model(path, Text::of("error.train.another_model.missing", {name}));
  if (info->shape != like.sizes())
    return another_model(
        path, Text::of("error.train.another_model.shape", {name, shape_text(info->shape), shape_text(like)}));
  TRY(const Tensor found, opened.source->load(name));
  return checkpoint_copied(found, like);
}

Result<NamedInts> table_named(const Opened& opened, const char* name) {
  NamedInts out{name, {}, opened.source->find(name)->shape};
  TRY(out.values, opened.source->load_ints(name));
  return out;
}

// The names behind "layers" in the head, which the columns of the reports go by.
Result<std::vector<std::string>> layers_in(const Json& head, const std::string& path) {
  const Json layers = head.value("layers", Json::array());
  std::vector<std::string> out;
  for (const Json& layer : layers)
    if (layer.is_string()) out.push_back(layer.get<std::string>());
  if (layers.is_array() && out.size() == layers.size()) return out;
  return fail(Code::bad_format, "error.train.checkpoint_layers", {quoted_path(path)});
}

// "at 120:NAME", a weight as it was after a step.
std::string name_at(int step, const std::string& name) { return "at " + std::to_string(step) + ":" + name; }

// The steps of the earlier models, each larger than the one before.
Result<std::vector<int>> earlier_in(const Opened& opened, const std::string& path) {
  const Json steps = opened.json.value(kEarlier, Json::array());
  std::vector<int> out;
  for (const Json& step : steps)
    if (step.is_number_unsigned() &&
        step.get<std::uint64_t>() < static_cast<std::uint64_t>(opened.head.step) &&
        (out.empty() || step.get<int>() > out.back()))
      out.push_back(step.get<int>());
  if (steps.is_array() && out.size() == steps.size() && out.size() <= kMostEarlier) return out;
  return fail(Code::bad_format, "error.train.checkpoint_earlier", {quoted_path(path)});
}

std::shared_ptr<const Model> with_weights(const Model& model, const std::map<std::string, Tensor>& weights) {
  return std::make_shared<const Model>(
      std::make_shared<const ModelConfig>(model.config()),
      std::make_shared<const Weights>(with_parameters(model.config(), model.weights(), weights)));
}

// Fills the reports of a state; returns how many tables there were.
Result<std::size_t> read_reports(const Opened& opened, const std::string& path, TrainState& state) {
  std::size_t tables = 0;
  if (opened.source->find(kReports)) {
    TRY(const NamedInts table, table_named(opened, kReports));
    TRY(const std::vector<std::string> layers, layers_in(opened.json, path));
    TRY(state.reports, reports_from_table(table, layers, path));
    ++tables;
  }
  if (opened.source->find(kCheckpointHeldOut)) {
    TRY(const NamedInts table, table_named(opened, kCheckpointHeldOut));
    TRY(state.held_out, held_out_from_table(table, path));
    ++tables;
  }
  return tables;
}

}  // namespace

Status save_checkpoint(const std::string& path, const Trainer& trainer,
                       const std::vector<EarlierModel>& earlier) {
  const TrainState& state = trainer.state();
  const Weights& weights = state.model->weights();
  std::vector<NamedTensor> tensors;
  for (const std::string& name : parameters(state.model->config(), weights)) {
    tensors.push_back({kCheckpointKinds[0] + name, weights.get(name)});
    const auto moments = state.adam.find(name);
    if (moments == state.adam.end()) continue;
    tensors.push_back({kCheckpointKinds[1] + name, moments->second.m});
    tensors.push_back({kCheckpointKinds[2] + name, moments->second.v});
  }
  Json json = head_of(trainer);
  for (const EarlierModel& one : earlier) {
    json[kEarlier].push_back(one.step);
    for (const std::string& name : parameters(one.model->config(), one.model->weights()))
      tensors.push_back({name_at(one.step, name), one.model->weights().get(name)});
  }
  const std::string head = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::vector<NamedInts> tables;
  if (!state.reports.empty())
    tables.push_back(reports_to_table(kReports, state.reports, reported_layers(state.reports)));
  if (!state.held_out.empty()) tables.push_back(held_out_to_table(kCheckpointHeldOut, state.held_out));
  return write_safetensors(path, tensors, tables, {{kKey, head}});
}

Result<CheckpointHead> read_checkpoint_head(const std::string& path) {
  const FilesRead mapped(0);  // its tensors are not read
  TRY(const Opened opened, open_checkpoint(path));
  return opened.head;
}

Result<TrainState> read_checkpoint(const std::string& path, const Trainer& trainer) {
  const FilesRead files;
  TRY(const Opened opened, open_checkpoint(path));
  if (opened.head.task != trainer.task().name())
    return another_model(path, Text::of("error.train.another_model.task",
                                        {in_quotes(opened.head.task), in_quotes(trainer.task().name())}));
  TRY_OK(check_data(path, opened.head.data, trainer.task()));
  const Model& model = *trainer.state().model;
  TrainState state;
  std::map<std::string, Tensor> weights;
  TRY(std::size_t expected, read_reports(opened, path, state));
  for (const std::string& name : parameters(model.config(), model.weights())) {
    const Tensor like = model.weights().get(name);
    TRY(weights[name], load_like(opened, path, kCheckpointKinds[0] + name, like));
    ++expected;
    if (!opened.source->find(kCheckpointKinds[1] + name)) continue;  // never had a gradient
    AdamState& moments = state.adam[name];
    TRY(moments.m, load_like(opened, path, kCheckpointKinds[1] + name, like));
    TRY(moments.v, load_like(opened, path, kCheckpointKinds[2] + name, like));
    expected += 2;
  }
  TRY(const std::vector<int> earlier, earlier_in(opened, path));
  expected += earlier.size() * weights.size();
  if (opened.source->infos().size() != expected)
    return another_model(
        path, Text::of("error.train.another_model.count", {opened.source->infos().size(), expected}));
  TRY_OK(intact(files.all()));
  state.model = with_weights(model, weights);
  state.step = opened.head.step;
  TRY_OK(read_key(opened.json, "rate_factor", path, state.learning_rate_factor));
  if (!(state.learning_rate_factor >= 0))
    return fail(Code::out_of_range, "error.train.checkpoint_rate",
                {quoted_path(path), format("%g", state.learning_rate_factor)});
  return state;
}

Result<std::vector<EarlierModel>> read_earlier(const std::string& path, const Trainer& trainer) {
  const FilesRead files;
  TRY(const Opened opened, open_checkpoint(path));
  TRY(const std::vector<int> steps, earlier_in(opened, path));
  const Model& model = *trainer.state().model;
  std::vector<EarlierModel> out;
  for (const int step : steps) {
    std::map<std::string, Tensor> weights;
    for (const std::string& name : parameters(model.config(), model.weights())) {
      TRY(weights[name], load_like(opened, path, name_at(step, name), model.weights().get(name)));
    }
    out.push_back({step, with_weights(model, weights)});
  }
  TRY_OK(intact(files.all()));
  return out;
}

}  // namespace attnscope
