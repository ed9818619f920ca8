#include "core/session/reference_check.h"

#include <algorithm>

#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

constexpr std::string_view kModelPrefix = "model:";
constexpr std::uint64_t kMostReferenceBytes = std::uint64_t{16} << 20;

// "model:sorter", "elsewhere/sorter" -> "sorter": what a reference calls the model.
std::string reference_name(const OpenedModel& opened) {
  if (starts_with(opened.path, kModelPrefix)) return opened.path.substr(kModelPrefix.size());
  const std::size_t end = opened.path.find_last_not_of('/');
  const std::string path = opened.path.substr(0, end == std::string::npos ? 0 : end + 1);
  return path.substr(path.rfind('/') + 1);
}

Result<TorchReference> reference_in(std::string_view text, const std::string& file,
                                    const OpenedModel& opened) {
  TRY(TorchReference out, read_torch_reference(text, file));
  if (const std::string name = reference_name(opened); out.model != name)
    return fail(Code::bad_format, "error.session.reference.other_model",
                {file, in_quotes(out.model), in_quotes(name)});
  return out;
}

Result<ModelCheck> checked(const std::string& model, const std::atomic<bool>* cancel) {
  TRY(OpenedModel opened, open_shipped(model));
  TRY(const TorchReference reference, reference_of(opened));
  const Document document = new_document(std::make_shared<const OpenedModel>(std::move(opened)), cancel);
  TRY_OK(check_input(reference, document));
  RunOptions options;
  options.cancel = cancel;
  TRY(const std::shared_ptr<const Trace> run, document.model->run(inputs_of(document).front(), options));
  return ModelCheck{model, reference.made_by, torch_differences(*run, reference, cancel), {}};
}

}  // namespace

Result<TorchReference> reference_of(const OpenedModel& opened) {
  const std::string name = reference_name(opened), file = "assets/references/" + name + ".json";
  const std::string_view text = starts_with(opened.path, kModelPrefix) ? asset(file) : std::string_view();
  if (text.data() == nullptr)
    return fail(Code::not_found, "error.session.reference.none",
                {in_quotes(opened.path), join(shipped_models(), ", ")});
  return reference_in(text, file, opened);
}

Result<TorchReference> reference_from(const std::string& path, const OpenedModel& opened) {
  TRY(const std::string text, read_file(path, kMostReferenceBytes));
  return reference_in(text, quoted_path(path), opened);
}

Status check_input(const TorchReference& reference, const Document& document) {
  if (document.sequences.size() != 1)
    return fail(Code::out_of_range, "error.session.reference.sequences", {document.sequences.size()});
  const Input& input = document.sequences.front().input;
  if (input.ids == reference.ids && input.source == reference.source) return Done{};
  return fail(Code::out_of_range, "error.session.reference.input", {reference.file});
}

ModelCheck check_model(const std::string& model, const std::atomic<bool>* cancel) {
  auto out = checked(model, cancel);
  return out ? *std::move(out) : ModelCheck{model, {}, {}, out.error()};
}

ModelChecks check_shipped_models(const std::atomic<bool>* cancel) {
  ModelChecks out;
  for (const std::string& model : shipped_models()) {
    if (cancel && *cancel) break;
    out.models.push_back(check_model(model, cancel));
  }
  return out;
}

std::int64_t ModelChecks::steps() const {
  std::int64_t sum = 0;
  for (const ModelCheck& one : models) sum += one.verdict().steps;
  return sum;
}

std::int64_t ModelChecks::equal() const {
  std::int64_t sum = 0;
  for (const ModelCheck& one : models) sum += one.verdict().equal;
  return sum;
}

const ModelCheck* ModelChecks::first_wrong() const {
  const auto found =
      std::find_if(models.begin(), models.end(), [](const ModelCheck& one) { return !one.good(); });
  return found == models.end() ? nullptr : &*found;
}

const ModelCheck* ModelChecks::worst() const {
  const ModelCheck* out = nullptr;
  double most = -1;
  for (const ModelCheck& one : models) {
    const StepDifference* worst = one.verdict().worst;
    if (worst && worst->error() > most) most = worst->error(), out = &one;
  }
  return out;
}

}  // namespace attnscope
