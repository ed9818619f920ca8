#include "core/session/series_curves.h"

#include "core/base/hash.h"
#include "core/session/probe_prompts.h"
#include "core/session/read_again.h"

namespace attnscope {
namespace {

// Probes of one checkpoint over the prompts of the document's data set.
Result<std::vector<CurveValue>> probe_values(const SeriesQuestion& question, const Document& fresh,
                                             const std::atomic<bool>* cancel) {
  std::vector<CurveValue> out;
  const auto& prompts = question.document.data.prompts;
  if (question.probe.empty() || !prompts) return out;
  Document start = fresh;
  start.data = {};
  DataRuns data(*prompts, std::move(start));
  TRY(const ProbeAnswer found, probe_prompts(data, question.probe, question.at, cancel));
  for (std::size_t depth = 0; depth < found.depths.size(); ++depth)
    out.push_back({kProbeMeasure, to_text(found.depths[depth].site), static_cast<int>(depth), -1,
                   found.depths[depth].held_out, found.guessing});
  return out;
}

Result<std::vector<CurveValue>> point_values(const SeriesQuestion& question, std::size_t member,
                                             const std::atomic<bool>* cancel) {
  // An adapter that is on what is open is on every checkpoint.
  TRY(OpenedModel model,
      open_model(question.series->members[member].path, {.lora = question.document.opened->lora}));
  TRY_OK(same_training(*question.document.opened, question.document.opened->title, model));
  Document fresh;
  fresh.opened = std::make_shared<const OpenedModel>(std::move(model));
  fresh.model = fresh.opened->model;
  const std::vector<Text> left_out = take_over(question.document, fresh, false);
  if (fresh.sequences.empty())
    return fail(Code::bad_shape, "error.session.series.input",
                {left_out.empty() ? Text() : left_out.front()});
  RunOptions options;
  options.edits = edits_for(fresh.edits, 0);
  options.cancel = cancel;
  TRY(const std::shared_ptr<const Trace> run, fresh.model->run(inputs_of(fresh).front(), options));
  std::vector<CurveValue> out;
  for (const std::string& measure : question.measures) {
    TRY(out.emplace_back(), curve_value(*fresh.opened, measure, question.at, *run));
  }
  const std::vector<CurveValue> heads = head_curve_values(*run);
  out.insert(out.end(), heads.begin(), heads.end());
  TRY(const std::vector<CurveValue> depths, probe_values(question, fresh, cancel));
  out.insert(out.end(), depths.begin(), depths.end());
  return out;
}

}  // namespace

std::uint64_t SeriesQuestion::key() const {
  std::string text = series->folder;
  for (const CheckpointMember& member : series->members) text += "\n" + member.name;
  for (const std::string& measure : measures) text += "\n" + measure;
  if (document.opened) text += "\n" + to_text(document.opened->lora);
  for (const auto& edit : document.edits)
    if (edit->enabled) text += "\n" + to_text(*edit);
  if (!document.sequences.empty()) {
    const Input& input = document.sequences.front().input;
    for (const auto* ids : {&input.ids, &input.source}) {
      text += "\n";
      for (const int id : *ids) text += std::to_string(id) + ",";
    }
  }
  text += "\n" + probe;
  const auto data = probe.empty() ? nullptr : document.data.prompts.get();
  return key_of({std::hash<std::string>{}(text), static_cast<std::uint64_t>(at),
                 reinterpret_cast<std::uintptr_t>(data)});
}

SeriesPoint series_point(const SeriesQuestion& question, std::size_t member,
                         const std::atomic<bool>* cancel) {
  SeriesPoint out;
  out.step = question.series->members[member].step;
  auto values = point_values(question, member, cancel);
  if (values)
    out.values = *std::move(values);
  else
    out.error = values.error();
  return out;
}

void AskedSeries::start(Workers& workers, SeriesQuestion question) {
  SeriesCurves first;
  first.key = question.key();
  first.series = question.series;
  first.measures = question.measures;
  answer_.put(first);
  const auto failed = [first](const Error& error) {
    SeriesCurves out = first;
    out.error = error;
    return out;
  };
  const auto work = [first,
                     question = std::move(question)](const Computed<SeriesCurves>::Progress& progress) {
    SeriesCurves out = first;
    const std::size_t count = question.series->members.size();
    for (std::size_t i = 0; i < count && !progress.cancel(); ++i) {
      SeriesPoint point = series_point(question, i, &progress.cancel());
      if (progress.cancel()) break;
      out.points.push_back(std::move(point));
      progress.share(static_cast<float>(i + 1) / static_cast<float>(count));
      out.done = i + 1 == count;
      if (!out.done) progress.show(out);
    }
    return out;
  };
  answer_.begin(workers, OrFailed{work, failed});
}

void AskedSeries::stop() {
  const auto known = newest();
  answer_.cancel();
  if (!known) return;
  SeriesCurves out = *known;
  out.stopped = !out.done;
  answer_.put(std::move(out));
}

}  // namespace attnscope
