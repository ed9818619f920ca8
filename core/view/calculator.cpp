#include "core/view/calculator.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/arch/presets.h"
#include "core/session/look_read.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

// session_look_read() takes no number of the size of a training set.
void read_tokens(const nlohmann::json& from, const char* key, double& to) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_number()) return;
  if (const auto value = found->get<double>(); value >= 0 && std::isfinite(value)) to = value;
}

Result<Described> calc_base(const CalcChosen& chosen, const OpenedModel& opened) {
  if (!chosen.file.empty()) {
    TRY(const std::string path, named_file(chosen.file));
    TRY(Described out, describe_config_file(path));
    out.title = std::filesystem::path(path).filename().string();
    return out;
  }
  if (!chosen.preset.empty()) return describe_preset(chosen.preset);
  if (!opened.recorded.empty()) return describe_preset(kFirstPreset);  // a recording has no sizes
  return describe_model(opened.title, opened.family, opened.model->config(), opened.model->weights());
}

}  // namespace

CalcChosen calc_chosen(const nlohmann::json& from) {
  CalcChosen out;
  session_look_read(from, "preset", out.preset);
  session_look_read(from, "file", out.file);
  session_look_read(from, "dtype", out.dtype);
  for (const std::string& name : size_names())
    session_look_read(from, ("size_" + name).c_str(), *size_named(out.sizes, name));
  session_look_read(from, "seq", out.seq);
  session_look_read(from, "batch", out.batch);
  read_tokens(from, "tokens", out.tokens);
  read_tokens(from, "served", out.served);
  session_look_read(from, "pane", out.pane);
  session_look_read(from, "beside", out.beside);
  session_look_read(from, "machine", out.machine);
  if (!is_preset(out.preset)) out.preset.clear();
  if (!is_preset(out.beside)) out.beside.clear();
  return out;
}

std::int64_t first_positions(const Described& model) {
  const std::int64_t most = model.config.position.max_positions;
  return most > 0 ? std::min(most, kFirstPositions) : kFirstPositions;
}

Workload calc_work(const CalcChosen& chosen, const Described& model) {
  Workload out;
  for (const Format& one : formats())
    if (one.name == chosen.dtype) out.dtype = out.cache = one;
  out.seq = chosen.seq > 0 ? chosen.seq : first_positions(model);
  out.batch = chosen.batch;
  return out;
}

Result<CalcShown> calc_shown(const CalcChosen& chosen, const OpenedModel& opened) {
  TRY(const Described base, calc_base(chosen, opened));
  Sizes sizes = sizes_of(base);
  CalcChosen asked = chosen;
  for (const std::string& name : size_names())
    if (const std::int64_t size = *size_named(asked.sizes, name); size > 0) *size_named(sizes, name) = size;
  CalcShown out;
  TRY(out.model, resized(base, sizes));
  out.work = calc_work(chosen, base);
  TRY(out.calc, calculate(out.model, out.work));
  return out;
}

Result<CalcShown> calc_beside(const CalcChosen& chosen, const Workload& work) {
  CalcShown out;
  TRY(out.model, describe_preset(chosen.beside));
  out.work = work;
  TRY(out.calc, calculate(out.model, work));
  return out;
}

std::optional<Machine> calc_machine(const CalcChosen& chosen) {
  if (chosen.machine == kThisMachine) return std::nullopt;
  const auto named = machine_named(chosen.machine);
  return named ? *named : *machine_named(kFirstMachine);
}

}  // namespace attnscope
