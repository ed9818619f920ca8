#include "core/arch/scene_edits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/io/quote.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostEdits = 1 << 16;
constexpr std::int64_t kMostPosition = 1 << 20;
constexpr std::array<const char*, 4> kMaskNames{"main", "encoder", "vision", "cross"};   // as MaskOf
constexpr std::array<const char*, 5> kEditNames{"set", "add", "scale", "zero", "mean"};  // as Edit::Kind

Error bad_edit(const std::string& what, const std::string& problem) {
  return fail(Code::bad_format, what + ": " + problem,
              "Save the scene from the window to see how edits are written.");
}

/// The list at `key`, empty where there is none.
Result<std::vector<json>> list_at(const json& object, const char* key, const std::string& what) {
  const auto found = object.find(key);
  if (found == object.end()) return std::vector<json>{};
  if (!found->is_array() || found->size() > kMostEdits)
    return bad_edit(what, format("\"%s\" is no list of up to %zu edits.", key, kMostEdits));
  return std::vector<json>(found->begin(), found->end());
}

std::string text_at(const json& object, const char* key, const char* fallback) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>()
                                                                           : fallback;
}

template <std::size_t count>
Result<int> place_of_name(const std::array<const char*, count>& names, const std::string& name,
                          const std::string& what) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const char* known) { return name == known; });
  if (found == names.end())
    return bad_edit(what, in_quotes(name, 40) + " is none of " +
                              join(std::vector<std::string>(names.begin(), names.end()), ", ") + ".");
  return static_cast<int>(found - names.begin());
}

Result<Mask::Cell> cell_from(const json& value, const std::string& what) {
  const auto whole = [&](std::size_t at) {
    return value[at].is_number_unsigned() && value[at].get<std::uint64_t>() <= std::uint64_t{kMostPosition};
  };
  if (!value.is_array() || value.size() != 3 || !whole(0) || !whole(1) || !whole(2) ||
      value[2].get<int>() > 1)
    return bad_edit(what, "a switched cell must be [query, key, 0 or 1].");
  return Mask::Cell{value[0].get<std::int64_t>(), value[1].get<std::int64_t>(), value[2].get<int>() == 1};
}

Result<SideMask> mask_from(const json& value, const std::string& what) {
  if (!value.is_object()) return bad_edit(what, "a mask must be an object.");
  SideMask out;
  TRY(const int of, place_of_name(kMaskNames, text_at(value, "of", "main"), what));
  out.of = static_cast<MaskOf>(of);
  TRY(out.spec, MaskSpec::parse(text_at(value, "spec", "model")));
  TRY(const std::vector<json> cells, list_at(value, "cells", what));
  for (const json& cell : cells) {
    TRY(Mask::Cell read, cell_from(cell, what));
    out.cells.push_back(read);
  }
  return out;
}

Result<Intervention> step_from(const json& value, const std::string& what) {
  if (!value.is_object()) return bad_edit(what, "an edited step must be an object.");
  Intervention out;
  TRY(out.where, parse_cell(text_at(value, "where", "")));
  const Slot slot = out.where.site.slot;
  if (slot == Slot::mask || slot == Slot::logits || slot == Slot::probs)
    return bad_edit(what, to_text(out.where.site) + " cannot be edited itself.");
  TRY(const int how, place_of_name(kEditNames, text_at(value, "how", "set"), what));
  out.how.kind = static_cast<Edit::Kind>(how);
  const json number = value.value("value", json(0.0)), enabled = value.value("enabled", json(true));
  if (!number.is_number() || !std::isfinite(number.get<float>()) || !enabled.is_boolean())
    return bad_edit(what, "\"value\" must be a number and \"enabled\" true or false.");
  out.how.value = number.get<float>();
  out.enabled = enabled.get<bool>();
  out.note = text_at(value, "note", "");
  return out;
}

json mask_json(const SideMask& mask) {
  json out{{"of", kMaskNames[static_cast<std::size_t>(mask.of)]}};
  if (!mask.spec.is_model()) out["spec"] = mask.spec.text();
  for (const Mask::Cell& cell : mask.cells)
    out["cells"].push_back({cell.query, cell.key, cell.allowed ? 1 : 0});
  return out;
}

json step_json(const Intervention& step) {
  json out{{"where", to_text(step.where)}, {"how", kEditNames[static_cast<std::size_t>(step.how.kind)]}};
  if (step.how.kind != Edit::Kind::zero && step.how.kind != Edit::Kind::mean) out["value"] = step.how.value;
  if (!step.enabled) out["enabled"] = false;
  if (!step.note.empty()) out["note"] = step.note;
  return out;
}

}  // namespace

RunOptions run_options(const SceneEdits& edits) {
  RunOptions out;
  out.interventions = edits.interventions;
  out.mask = edits.mask;
  out.mask_cells = edits.mask_cells;
  out.side_masks = edits.side_masks;
  return out;
}

Result<SceneEdits> edits_from_json(const json& object, const std::string& what) {
  SceneEdits out;
  const auto edits = object.find("edits");
  if (edits == object.end()) return out;
  const std::string place = what + ": edits";
  if (!edits->is_object()) return bad_edit(place, "they must be an object.");
  TRY(const std::vector<json> masks, list_at(*edits, "masks", place));
  for (const json& value : masks) {
    TRY(SideMask mask, mask_from(value, place));
    if (mask.of != MaskOf::main) {
      put_mask(out.side_masks, std::move(mask));
      continue;
    }
    out.mask = std::move(mask.spec);
    out.mask_cells = std::move(mask.cells);
  }
  TRY(const std::vector<json> steps, list_at(*edits, "steps", place));
  for (const json& value : steps) {
    TRY(Intervention step, step_from(value, place));
    out.interventions.push_back(std::move(step));
  }
  return out;
}

json edits_to_json(const SceneEdits& edits) {
  json out;
  if (!edits.mask.is_model() || !edits.mask_cells.empty())
    out["masks"].push_back(mask_json({MaskOf::main, edits.mask, edits.mask_cells}));
  for (const SideMask& mask : edits.side_masks) out["masks"].push_back(mask_json(mask));
  for (const Intervention& step : edits.interventions) out["steps"].push_back(step_json(step));
  return out;
}

}  // namespace attnscope
