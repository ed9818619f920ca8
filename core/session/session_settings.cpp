#include "core/session/session_settings.h"

#include "core/io/json_number.h"
#include "core/session/session_parts.h"
#include "core/step/place.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

Json padding_json(const Padding& padding) {
  Json out = {
      {"on", padding.on}, {"side", padding.side == PadSide::left ? "left" : "right"}, {"to", padding.to}};
  if (!padding.decoder) out["decoder"] = false;
  return out;
}

Json sampling_json(const Sampling& sampling) {
  return {{"temperature", sampling.temperature},
          {"top_k", sampling.top_k},
          {"top_p", sampling.top_p},
          {"seed", sampling.seed},
          {"min_p", sampling.min_p},
          {"repetition_penalty", sampling.repetition_penalty}};
}

// A field of "padding" or "sampling" that must be there.
Result<std::int64_t> whole_setting(const Json& of, const char* name, const char* field, std::int64_t most,
                                   const std::string& path) {
  if (const auto number = whole_at(of, field, 0, most)) return *number;
  return damaged_session(
      path, Text::of("error.session.file.whole_setting", {std::string(name) + "." + field, most}));
}

Result<Padding> padding_from(const Json& padding, const std::string& path) {
  constexpr std::int64_t kMostColumns = 1 << 20;
  Padding out;
  const Json none, &on = padding.is_object() && padding.contains("on") ? padding["on"] : none;
  const std::string side = member_text(padding, "side");
  if (!on.is_boolean()) return damaged_session(path, Text::of("error.session.file.padding"));
  if (side != "left" && side != "right") return damaged_session(path, Text::of("error.session.file.side"));
  out.on = on.get<bool>();
  out.side = side == "left" ? PadSide::left : PadSide::right;
  TRY(out.to, whole_setting(padding, "padding", "to", kMostColumns, path));
  out.decoder = !padding.contains("decoder") || padding["decoder"] != Json(false);
  return out;
}

Status take_sampling(const Json& sampling, const std::string& path, Sampling& out) {
  const auto real = [&](const char* field, float& to, bool younger) {
    const auto found = sampling.is_object() ? sampling.find(field) : sampling.end();
    if (!sampling.is_object() || found == sampling.end()) return younger;
    if (!found->is_number()) return false;
    to = found->get<float>();
    return true;
  };
  const bool complete = real("temperature", out.temperature, false) && real("top_p", out.top_p, false) &&
                        real("min_p", out.min_p, true) &&
                        real("repetition_penalty", out.repetition_penalty, true);
  const Json none, &seed = sampling.is_object() && sampling.contains("seed") ? sampling["seed"] : none;
  if (!complete || !seed.is_number_unsigned())
    return damaged_session(path, Text::of("error.session.file.padding"));
  out.seed = seed.get<std::uint64_t>();
  TRY(const std::int64_t top_k, whole_setting(sampling, "sampling", "top_k", 1 << 30, path));
  out.top_k = static_cast<int>(top_k);
  return check_sampling(out);
}

}  // namespace

void put_settings(Json& file, const Document& document) {
  file["padding"] = padding_json(document.padding);
  file["sampling"] = sampling_json(document.sampling);
}

Status settings_from(const Json& file, const std::string& path, Document& document) {
  if (file.contains("padding")) {
    TRY(document.padding, padding_from(file["padding"], path));
  }
  return file.contains("sampling") ? take_sampling(file["sampling"], path, document.sampling)
                                   : check_sampling(document.sampling);
}

Status notes_from(const Json& file, const std::string& path, Document& document) {
  const auto notes = file.find("notes");
  if (notes == file.end()) return Done{};
  if (!notes->is_object()) return damaged_session(path, Text::of("error.session.file.notes"));
  for (const auto& [place, words] : notes->items()) {
    if (!words.is_string() || !parse_cell(place))
      return damaged_session(path, Text::of("error.session.file.notes"));
    document.notes[place] = words.get<std::string>();
  }
  return Done{};
}

}  // namespace attnscope
