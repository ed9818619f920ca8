#include "core/session/steering.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/number.h"
#include "core/base/shortest.h"
#include "core/base/text.h"
#include "core/io/control_vector.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/ops/ops.h"
#include "core/session/fingerprint.h"
#include "core/step/catalog.h"
#include "core/step/place.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

constexpr double kMostStrength = 1e6;
constexpr std::string_view kRunArray = "run";

Result<std::vector<SteerVector>> of_gguf(const std::string& found, const std::string& path,
                                         const ModelConfig& config) {
  TRY(const ControlVector read, read_control_vector(found));
  std::vector<SteerVector> out;
  for (const auto& [block, values] : read.vectors)
    out.push_back({site_of(StepKind::residual_post, block, config.stack), values, path});
  return out;
}

// Arrays that are named by steps, each a vector of the stream's width or one row of it.
Result<std::vector<SteerVector>> of_arrays(const std::string& found, const std::string& path) {
  TRY(const std::shared_ptr<TensorSource> source,
      ends_with(found, ".npz") ? read_npz(found) : open_safetensors(found));
  std::vector<SteerVector> out;
  for (const TensorInfo& info : source->infos()) {
    if (info.name == kRunArray) continue;
    const auto where = parse_target(info.name);
    if (!where || where->kind != Target::Kind::step || !where->at.empty())
      return fail(Code::bad_format, "error.session.steer.name", {quoted_path(path), in_quotes(info.name)});
    if (info.shape.size() != 1)
      return fail(Code::bad_shape, "error.session.steer.vector", {quoted_path(path), in_quotes(info.name)});
    TRY(const Tensor values, source->load(info.name));
    out.push_back({where->site, values.packed(), path});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const SteerVector& a, const SteerVector& b) { return a.site.layer < b.site.layer; });
  return out;
}

}  // namespace

Result<SteerChoice> parse_steer(const std::string& text) {
  SteerChoice out{text, 1};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.find('/', colon) != std::string::npos) return out;
  const auto strength = parse_real(std::string_view(text).substr(colon + 1), -kMostStrength, kMostStrength);
  if (!strength || colon == 0)
    return fail(Code::bad_format, "error.session.steer.strength", {in_quotes(text)});
  out.path = text.substr(0, colon);
  out.strength = *strength;
  return out;
}

Result<std::vector<SteerVector>> read_steering(const std::string& path, const ModelConfig& config) {
  const bool gguf = ends_with(path, ".gguf");
  if (!gguf && !ends_with(path, ".npz") && !ends_with(path, ".safetensors"))
    return fail(Code::unsupported, "error.session.steer.file", {quoted_path(path)});
  TRY(const std::string found, named_file(path));
  TRY(std::vector<SteerVector> out, gguf ? of_gguf(found, path, config) : of_arrays(found, path));
  if (out.empty()) return fail(Code::bad_format, "error.session.steer.none", {quoted_path(path)});
  for (const SteerVector& one : out) {
    if (one.values.size(0) != config.d_model)
      return fail(Code::bad_shape, "error.session.steer.width",
                  {quoted_path(path), one.values.size(0), config.d_model});
    if (one.site.layer >= config.n_layers())
      return fail(Code::out_of_range, "error.session.steer.block",
                  {quoted_path(path), one.site.layer, config.n_layers() - 1});
  }
  return out;
}

std::shared_ptr<const Edit> steering_edit(const SteerVector& vector, double strength) {
  const auto factor = static_cast<float>(strength);
  Frozen added{factor == 1.f ? vector.values : scale(vector.values, factor), vector.from};
  if (factor != 1.f) added.origin = "dir:" + vector.from + "*" + shortest_text(factor);
  Target where;
  where.site = vector.site, where.at = vector.at;
  return make_edit(NumberEdit{std::move(where), EditOp::add, std::move(added)});
}

Result<Edits> steering_edits(const SteerChoice& choice, const ModelConfig& config) {
  TRY(const std::vector<SteerVector> vectors, read_steering(choice.path, config));
  Edits out;
  for (const SteerVector& vector : vectors) out.push_back(steering_edit(vector, choice.strength));
  return out;
}

namespace {

// What a file says that it was made of, as JSON; empty: nothing.
std::string told_in(const std::string& path) {
  if (ends_with(path, ".gguf")) {
    const auto vector = read_control_vector(path);
    return vector ? vector->run : std::string();
  }
  const auto source = ends_with(path, ".npz") ? read_npz(path) : open_safetensors(path);
  if (!source) return {};
  const auto& metadata = (*source)->metadata();
  if (const auto at = metadata.find(std::string(kRunArray)); at != metadata.end()) return at->second;
  const auto bytes = (*source)->find(kRunArray) ? (*source)->load_ints(std::string(kRunArray))
                                                : Result<std::vector<std::int64_t>>(Error{});
  std::string out;
  if (bytes)
    for (const std::int64_t byte : *bytes) out.push_back(static_cast<char>(byte));
  return out;
}

// "blocks.1.resid_post+=@dir:v.npz*0.5", "v.gguf:0.5" -> the name of the file; empty: none is named.
std::string file_named_in(const std::string& text) {
  for (const std::string_view ending : {".npz", ".safetensors", ".gguf"}) {
    const std::size_t at = text.find(ending);
    if (at == std::string::npos) continue;
    std::string out = text.substr(0, at + ending.size());
    if (const std::size_t sign = out.find("=@"); sign != std::string::npos) out.erase(0, sign + 2);
    if (starts_with(out, "dir:")) out.erase(0, 4);
    return starts_with(out, "@") ? out.substr(1) : out;
  }
  return {};
}

}  // namespace

std::vector<Text> other_models(const std::vector<std::string>& edits, const OpenedModel& opened) {
  std::vector<Text> out;
  std::vector<std::string> seen;
  for (const std::string& text : edits) {
    const std::string path = file_named_in(text);
    if (path.empty() || std::find(seen.begin(), seen.end(), path) != seen.end()) continue;
    seen.push_back(path);
    const auto found = named_file(path);
    const auto run = nlohmann::json::parse(found ? told_in(*found) : std::string(), nullptr, false);
    if (!run.is_object() || !run.contains("model") || !run["model"].is_object()) continue;
    const std::string print = run["model"].value("fingerprint", ""), title = run["model"].value("title", "");
    if (!print.empty() && print != model_fingerprint(opened))
      out.push_back(Text::of("note.steer.model", {quoted_path(path), title, print}));
  }
  return out;
}

}  // namespace attnscope
