#include "core/session/reference_check.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

constexpr std::string_view kModelPrefix = "model:";
constexpr std::uint64_t kMostReferenceBytes = std::uint64_t{16} << 20;

// "model:sorter", "elsewhere/sorter" -> "sorter": what a reference calls the model.
std::string reference_name(std::string path) {
  if (starts_with(path, kModelPrefix)) return path.substr(kModelPrefix.size());
  while (ends_with(path, "/")) path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

std::string reference_file(const std::string& path) {
  return "assets/references/" + reference_name(path) + ".json";
}

Result<TorchReference> reference_in(std::string_view text, const std::string& file,
                                    const OpenedModel& opened) {
  TRY(TorchReference out, read_torch_reference(text, file));
  if (const std::string name = reference_name(opened.path); out.model != name)
    return fail(Code::bad_format, "error.session.reference.other_model",
                {file, in_quotes(out.model), in_quotes(name)});
  return out;
}

// The document of a model that reads what its reference was made of.
Result<Document> document_of(const std::shared_ptr<const OpenedModel>& opened,
                             const TorchReference& reference, const std::atomic<bool>* cancel) {
  Document out = new_document(opened, cancel);
  TRY_OK(take_input(out, 0, reference));
  out.sequences.resize(1);
  return out;
}

Result<ModelCheck> checked(const std::string& model, const std::atomic<bool>* cancel) {
  TRY(OpenedModel opened, open_shipped(model));
  TRY(TorchReference reference, reference_of(opened));
  TRY(const Document document,
      document_of(std::make_shared<const OpenedModel>(std::move(opened)), reference, cancel));
  RunOptions options;
  options.cancel = cancel;
  TRY(const std::shared_ptr<const Trace> run, document.model->run(inputs_of(document).front(), options));
  const Sequence& read = document.sequences.front();
  std::vector<StepDifference> steps = torch_differences(*run, reference, cancel);
  return ModelCheck{model, std::move(reference), read.source_text.empty() ? read.text : read.source_text,
                    std::move(steps)};
}

Text model_title(const std::string& model) {
  const std::string key = "shipped." + reference_name(model);
  return has_string(key) ? Text::of(key) : Text(model);
}

std::string tolerance_text() { return format("%.0e", kReferenceTolerance); }

}  // namespace

bool has_reference(const OpenedModel& opened) {
  return starts_with(opened.path, kModelPrefix) && !opened.lora.acts() &&
         asset(reference_file(opened.path)).data() != nullptr;
}

Result<TorchReference> reference_of(const OpenedModel& opened) {
  if (opened.lora.acts())
    return fail(Code::not_found, "error.session.reference.adapted",
                {in_quotes(opened.path), in_quotes(lora_name(opened.lora))});
  if (!has_reference(opened))
    return fail(Code::not_found, "error.session.reference.none",
                {in_quotes(opened.path), join(shipped_models(), ", ")});
  const std::string file = reference_file(opened.path);
  return reference_in(asset(file), file, opened);
}

Result<TorchReference> reference_from(const std::string& path, const OpenedModel& opened) {
  TRY(const std::string text, read_file(path, kMostReferenceBytes));
  return reference_in(text, quoted_path(path), opened);
}

bool same_input(const TorchReference& reference, const Trace& run) {
  return run.ids == reference.ids && run.input.source == reference.source;
}

Status take_input(Document& document, std::size_t sequence, const TorchReference& reference) {
  const auto now = [&]() -> const Input& { return document.sequences[sequence].input; };
  if (now().source != reference.source)
    TRY_OK(set_spelled(document, sequence, sequence_from_ids(*document.opened, reference.source, Stack::enc),
                       Stack::enc));
  if (now().ids != reference.ids)
    TRY_OK(
        set_spelled(document, sequence, sequence_from_ids(*document.opened, reference.ids), Stack::single));
  return Done{};
}

ModelCheck check_model(const std::string& model, const std::atomic<bool>* cancel) {
  auto out = checked(model, cancel);
  return out ? *std::move(out) : ModelCheck{model, {}, {}, {}, out.error()};
}

RunCheck check_run(const OpenedModel& opened, const Trace& run, const std::atomic<bool>* cancel) {
  auto reference = reference_of(opened);
  if (!reference) return {ModelCheck{opened.path, {}, {}, {}, reference.error()}};
  if (!same_input(*reference, run)) return {check_model(opened.path, cancel), true};
  std::vector<StepDifference> steps = torch_differences(run, *reference, cancel);
  return {ModelCheck{opened.path, *std::move(reference), {}, std::move(steps)}};
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
    const TorchVerdict verdict = one.verdict();
    if (verdict.worst && verdict.worst->error() > most) most = verdict.worst->error(), out = &one;
  }
  return out;
}

Text ModelChecks::verdict() const {
  const ModelCheck* wrong = first_wrong();
  if (!wrong) return Text::of("check.shipped.all", {steps(), models.size(), tolerance_text()});
  if (wrong->error) return Text::of("check.shipped.error", {model_title(wrong->model), wrong->error->what()});
  const TorchVerdict verdict = wrong->verdict();
  const StepDifference& step = *verdict.first_wrong;
  const Text title = model_title(wrong->model);
  if (!step.compared())
    return Text::of("check.shipped.lacks",
                    {equal(), steps(), tolerance_text(), step.name(), title, step.why});
  return Text::of("check.shipped.first",
                  {equal(), steps(), tolerance_text(), step.name(), title, step.place(),
                   format("%.5g", step.first), format("%.5g", step.second)});
}

Text ModelChecks::details() const {
  std::set<std::string> made_by;
  for (const ModelCheck& one : models)
    if (!one.reference.made_by.empty()) made_by.insert(one.reference.made_by);
  const std::string makers = join({made_by.begin(), made_by.end()}, "; ");
  const ModelCheck* most = worst();
  if (!most) return {};
  const TorchVerdict verdict = most->verdict();
  return Text::of("check.shipped.worst", {format("%.2g", verdict.worst->error()), verdict.worst->name(),
                                          model_title(most->model), verdict.worst->place(), makers});
}

void ShippedCheck::follow(Workers& workers) {
  if (found_->asked(1)) return;
  found_->begin(1, 1, workers, [](const std::atomic<bool>& cancel) {
    static std::mutex mutex;
    static std::shared_ptr<const ModelChecks> known;
    const std::lock_guard lock(mutex);
    if (known) return known;
    auto made = std::make_shared<const ModelChecks>(check_shipped_models(&cancel));
    if (!cancel) known = made;
    return std::shared_ptr<const ModelChecks>(std::move(made));
  });
}

std::shared_ptr<const ModelChecks> ShippedCheck::newest() const {
  const auto found = found_->newest();
  return found ? *found : nullptr;
}

}  // namespace attnscope
