// Training against PyTorch: the gradient of every weight, six losses of AdamW, and weights after them. The
// reference's tensors are opened as if they were a model, so that names and layouts need no table of their
// own.
#include "core/model/gradients.h"
#include "core/train/trainer.h"
#include "tests/golden/checkpoint.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using Runs = std::vector<std::shared_ptr<const Gradients>>;

constexpr double kSmoothing = 0.1;

// Models that the reference trained.
std::vector<std::string> trained_models() {
  std::vector<std::string> out;
  for (const std::string& name : kModels)
    if (std::filesystem::exists(model_path(name) + "/training.safetensors")) out.push_back(name);
  return out;
}

// The tensors of training.safetensors that begin with `prefix`, as a folder of the model beside them; what is
// missing keeps the model's own values where `keep` says so.
OpenedModel open_reference(const std::string& name, const std::string& prefix, bool keep,
                           const TempFolder& folder) {
  CheckpointFolder checkpoint(name);
  const auto training = *open_safetensors(model_path(name) + "/training.safetensors");
  std::vector<RawTensor> tensors;
  for (const TensorInfo& info : training->infos())
    if (starts_with(info.name, prefix))
      tensors.push_back({info.name.substr(prefix.size()), "F32", info.shape,
                         bytes_of(training->load(info.name)->values())});
  EXPECT_FALSE(tensors.empty()) << name << " has no " << prefix;
  for (RawTensor& own : checkpoint.tensors) {
    const auto same = [&](const RawTensor& tensor) { return tensor.name == own.name; };
    if (keep && std::none_of(tensors.begin(), tensors.end(), same)) tensors.push_back(own);
  }
  checkpoint.tensors = tensors;
  checkpoint.write(folder / name);
  return must_open(folder / name);
}

double training_largest(const Tensor& tensor) {
  double out = 0;
  for (const float value : tensor.values()) out = std::max(out, std::fabs(static_cast<double>(value)));
  return out;
}

// The first step of Adam follows the sign of a gradient alone: where rounding decides it, the reference's
// stands.
Tensor with_signs_of(const Tensor& gradient, const Tensor& wanted) {
  std::vector<float> values = gradient.values();
  const std::vector<float> others = wanted.values();
  const auto rounding = static_cast<float>(1e-5 * training_largest(wanted));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::fabs(values[i]) < rounding) values[i] = others[i];
  Shape shape;
  for (int d = 0; d < gradient.rank(); ++d) shape.emplace_back(gradient.axis(d), gradient.size(d));
  return Tensor::from(values, shape);
}

class Training : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path(GetParam()));
    reference_ = *open_safetensors(model_path(GetParam()) + "/training.safetensors");
    inputs_ = fixture(GetParam()).inputs;
    const auto labels = *reference_->load_ints("labels");
    const std::size_t width = labels.size() / inputs_.size();
    for (std::size_t sequence = 0; sequence < inputs_.size(); ++sequence) {
      const auto begin = labels.begin() + static_cast<std::ptrdiff_t>(sequence * width);
      targets_.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
      for (const int target : targets_.back()) counted_ += target >= 0 ? 1 : 0;
    }
  }

  Runs all_backward(const Model& model, double smoothing) const {
    Runs out;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      auto run = backward(must_run(model, inputs_[i]), {targets_[i], smoothing, 1.0 / counted_});
      EXPECT_TRUE(run) << (run ? "" : run.error().text());
      if (run) out.push_back(*run);
    }
    return out;
  }
  double mean_loss(const Runs& runs) const {
    double sum = 0;
    for (const auto& run : runs) sum += run->loss().smoothed;
    return sum / counted_;
  }
  bool has(const std::string& prefix) const {
    const auto& infos = reference_->infos();
    return std::any_of(infos.begin(), infos.end(),
                       [&](const TensorInfo& info) { return starts_with(info.name, prefix); });
  }
  double number(const std::string& name, std::int64_t index = 0) const {
    return static_cast<double>(reference_->load(name)->at(index));
  }

  OpenedModel opened_;
  std::shared_ptr<TensorSource> reference_;
  std::vector<Input> inputs_;
  std::vector<std::vector<int>> targets_;
  double counted_ = 0;
  TempFolder folder_;
};

TEST_P(Training, losses_with_and_without_smoothing) {
  EXPECT_NEAR(mean_loss(all_backward(*opened_.model, 0)), number("loss"), 1e-4);
  EXPECT_NEAR(mean_loss(all_backward(*opened_.model, kSmoothing)), number("loss_smoothed"), 1e-4);
}

TEST_P(Training, every_gradient_agrees) {
  const OpenedModel wanted = open_reference(GetParam(), "grad:", false, folder_);
  ASSERT_TRUE(wanted.model);
  const auto found = collect(all_backward(*opened_.model, kSmoothing));
  const Weights& weights = wanted.model->weights();
  double top = 0, worst = 0;
  for (const auto& [name, value] : weights.all()) top = std::max(top, training_largest(value));
  std::size_t compared = 0;
  for (const std::string& name : parameters(wanted.model->config(), weights)) {
    const auto mine = found.find(name);
    if (mine == found.end()) {
      EXPECT_EQ(training_largest(weights.get(name)), 0) << name << " has a gradient in the reference";
      continue;
    }
    // A bias of keys moves all scores of a query alike: its gradient is 0 but for rounding.
    const double scale = std::max(training_largest(weights.get(name)), 1e-3 * top);
    const double gap = max_abs_difference(mine->second, weights.get(name)) / scale;
    EXPECT_LE(gap, 1e-4) << GetParam() << " " << name;
    worst = std::max(worst, gap);
    ++compared;
  }
  EXPECT_GE(compared, 10u);
  RecordProperty("largest_relative_difference", std::to_string(worst));
}

TEST_P(Training, six_steps_of_adamw) {
  Recipe recipe;  // betas 0.9 and 0.98, epsilon 1e-9, decay 0.01
  const OpenedModel grads = open_reference(GetParam(), "grad:", false, folder_);
  std::shared_ptr<const Model> model = opened_.model;
  std::map<std::string, AdamState> moments;
  for (int step = 1; step <= 6; ++step) {
    const Runs runs = all_backward(*model, kSmoothing);
    EXPECT_NEAR(mean_loss(runs), number("losses", step - 1), 1e-4) << GetParam() << " before step " << step;
    std::map<std::string, Tensor> changed;
    for (const auto& [name, gradient] : collect(runs))
      if (const Tensor* wanted = grads.model->weights().find(name))  // a constant bias is not trained
        changed[name] =
            adamw(model->weights().get(name), step == 1 ? with_signs_of(gradient, *wanted) : gradient,
                  moments[name], recipe, 1e-3, step);
    auto next = Model::make(model->config(), with_parameters(model->config(), model->weights(), changed));
    ASSERT_TRUE(next);
    model = *next;
  }
  if (!has("after:")) return;  // two of them kept losses only
  const OpenedModel after = open_reference(GetParam(), "after:", true, folder_);
  std::size_t compared = 0;
  for (const auto& [name, value] : after.model->weights().all()) {
    if (max_abs_difference(value, opened_.model->weights().get(name)) == 0) continue;
    EXPECT_LE(max_abs_difference(model->weights().get(name), value), 1e-4) << GetParam() << " " << name;
    ++compared;
  }
  EXPECT_GE(compared, 4u);
}

INSTANTIATE_TEST_SUITE_P(Models, Training, ::testing::ValuesIn(trained_models()),
                         [](const auto& model) { return model.param; });

TEST(TrainingReference, all_of_them_are_here) {
  EXPECT_EQ(trained_models(), (std::vector<std::string>{"bart", "bert", "gemma", "gpt2", "llama", "marian",
                                                        "mistral", "qwen2", "t5"}));
}

}  // namespace
}  // namespace attnscope
