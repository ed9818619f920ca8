#include "core/arch/edit_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/io/json_number.h"
#include "core/step/catalog.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostEdits = 1 << 16;
constexpr std::size_t kEditJsonMostNumbers = 1 << 24;
constexpr std::int64_t kMostPosition = 1 << 20;
constexpr std::array<const char*, 4> kMaskNames{"main", "encoder", "vision", "cross"};  // as AttentionKind
constexpr std::array<const char*, 3> kOpNames{"set", "add", "scale"};                   // as EditOp

Error bad_edit_entry(const std::string& what, const Text& problem) {
  return fail(Code::bad_format, "error.arch.edit", {what, problem});
}

/// The list at `key`, empty where there is none.
Result<std::vector<Json>> list_at(const Json& object, const char* key, const std::string& what) {
  const auto found = object.find(key);
  if (found == object.end()) return std::vector<Json>{};
  if (!found->is_array() || found->size() > kMostEdits)
    return bad_edit_entry(what, Text::of("error.arch.edit.list", {key, kMostEdits}));
  return std::vector<Json>(found->begin(), found->end());
}

template <std::size_t count>
Result<int> place_of_name(const std::array<const char*, count>& names, const std::string& name,
                          const std::string& what) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const char* known) { return name == known; });
  if (found == names.end())
    return bad_edit_entry(what, Text::of("error.arch.edit.name",
                                         {in_quotes(name, 40),
                                          join(std::vector<std::string>(names.begin(), names.end()), ", ")}));
  return static_cast<int>(found - names.begin());
}

// ---- masks ----------------------------------------------------------------------------------------

Result<Mask::Cell> cell_from(const Json& value, const std::string& what) {
  const auto whole = [&](std::size_t at) {
    return value[at].is_number_unsigned() && value[at].get<std::uint64_t>() <= std::uint64_t{kMostPosition};
  };
  if (!value.is_array() || value.size() != 3 || !whole(0) || !whole(1) || !whole(2) ||
      value[2].get<int>() > 1)
    return bad_edit_entry(what, Text::of("error.arch.edit.cell"));
  return Mask::Cell{value[0].get<std::int64_t>(), value[1].get<std::int64_t>(), value[2].get<int>() == 1};
}

Result<MaskEdit> mask_from(const Json& value, const std::string& of, const std::string& what) {
  MaskEdit out;
  TRY(const int kind, place_of_name(kMaskNames, of, what));
  out.of = static_cast<AttentionKind>(kind);
  if (value.contains("spec")) {
    TRY(out.spec, MaskSpec::parse(member_text(value, "spec")));
  }
  TRY(const std::vector<Json> cells, list_at(value, "cells", what));
  for (const Json& cell : cells) {
    TRY(Mask::Cell read, cell_from(cell, what));
    out.cells.push_back(read);
  }
  return out;
}

Json mask_json(const MaskEdit& mask) {
  Json out{{"mask", kMaskNames[static_cast<std::size_t>(mask.of)]}};
  if (mask.spec) out["spec"] = mask.spec->text();
  for (const Mask::Cell& cell : mask.cells)
    out["cells"].push_back({cell.query, cell.key, cell.allowed ? 1 : 0});
  return out;
}

// ---- frozen numbers -------------------------------------------------------------------------------

Result<Tensor> numbers_from(const Json& value, const std::string& what, const FindNumbers& find) {
  const auto numbers = value.find("values");
  if (numbers == value.end()) return bad_edit_entry(what, Text::of("error.arch.edit.no_values"));
  if (!numbers->is_array()) {
    if (!find) return bad_edit_entry(what, Text::of("error.arch.edit.values_list"));
    return find(*numbers);
  }
  if (numbers->empty() || numbers->size() > kEditJsonMostNumbers)
    return bad_edit_entry(what, Text::of("error.arch.edit.values_count", {kEditJsonMostNumbers}));
  std::vector<float> flat;
  for (const Json& number : *numbers) {
    if (!number.is_number() || !std::isfinite(number.get<float>()))
      return bad_edit_entry(what, Text::of("error.arch.edit.values_number"));
    flat.push_back(number.get<float>());
  }
  Shape shape;
  std::int64_t count = 1;
  TRY(const std::vector<Json> sizes, list_at(value, "shape", what));
  for (const Json& size : sizes) {
    const bool fits = size.is_number_unsigned() && size.get<std::uint64_t>() > 0 &&
                      size.get<std::uint64_t>() <= kEditJsonMostNumbers;
    if (!fits || shape.size() >= Tensor::kMaxRank)
      return bad_edit_entry(what, Text::of("error.arch.edit.shape"));
    shape.emplace_back(Axis::none, size.get<std::int64_t>());
    count = std::min<std::int64_t>(count * shape.back().second, std::int64_t{1} << 40);
  }
  if (shape.empty()) shape.emplace_back(Axis::none, count = static_cast<std::int64_t>(flat.size()));
  if (count != static_cast<std::int64_t>(flat.size()))
    return bad_edit_entry(what, Text::of("error.arch.edit.shape_count", {flat.size(), count}));
  return Tensor::from(std::move(flat), shape);
}

Result<NumberEdit> frozen_from(const Json& value, const std::string& what, const FindNumbers& find) {
  NumberEdit out;
  TRY(out.where, parse_target(member_text(value, "place")));
  TRY(const int op, place_of_name(kOpNames, member_text(value, "op", "set"), what));
  out.op = static_cast<EditOp>(op);
  TRY(Tensor numbers, numbers_from(value, what, find));
  out.value = Frozen{std::move(numbers), member_text(value, "origin")};
  return out;
}

Json frozen_json(const NumberEdit& edit, const Frozen& frozen, const KeepNumbers& keep) {
  Json out{{"place", to_text(edit.where)}, {"op", kOpNames[static_cast<std::size_t>(edit.op)]}};
  if (!frozen.origin.empty()) out["origin"] = frozen.origin;
  if (keep) {
    out["values"] = keep(frozen.values);
  } else {
    out["shape"] = frozen.values.sizes();
    out["values"] = frozen.values.values();
  }
  return out;
}

// ---- one edit -------------------------------------------------------------------------------------

Result<std::shared_ptr<const Edit>> edit_from(const Json& value, const std::string& what,
                                              const FindNumbers& find) {
  if (value.is_string()) return parse_edit(value.get<std::string>());
  if (!value.is_object()) return bad_edit_entry(what, Text::of("error.arch.edit.kind"));
  Edit out;
  if (value.contains("mask")) {
    TRY(out.what, mask_from(value, member_text(value, "mask"), what));
  } else if (value.contains("place")) {
    TRY(out.what, frozen_from(value, what, find));
  } else {
    TRY(const auto edit, parse_edit(member_text(value, "edit")));
    out.what = edit->what;
  }
  const Json enabled = value.value("enabled", Json(true)), sequence = value.value("sequence", Json(-1));
  if (!enabled.is_boolean()) return bad_edit_entry(what, Text::of("error.arch.edit.enabled"));
  if (!whole_in(sequence, -1, kMostPosition))
    return bad_edit_entry(what, Text::of("error.arch.edit.sequence"));
  out.enabled = enabled.get<bool>();
  out.sequence = sequence.get<int>();
  out.note = member_text(value, "note");
  return std::make_shared<const Edit>(std::move(out));
}

Json edit_json(const Edit& edit, const KeepNumbers& keep) {
  const NumberEdit* number = edit.number();
  const Frozen* frozen = number ? std::get_if<Frozen>(&number->value) : nullptr;
  const bool plain = edit.enabled && edit.note.empty() && edit.sequence < 0;
  if (plain && !frozen && !edit.mask()) return to_text(edit);
  Json out = edit.mask() ? mask_json(*edit.mask())
             : frozen    ? frozen_json(*number, *frozen, keep)
                         : Json{{"edit", to_text(edit)}};
  if (!edit.enabled) out["enabled"] = false;
  if (!edit.note.empty()) out["note"] = edit.note;
  if (edit.sequence >= 0) out["sequence"] = edit.sequence;
  return out;
}

// ---- the older form -------------------------------------------------------------------------------

Result<std::shared_ptr<const Edit>> older_step(const Json& value, const std::string& what) {
  constexpr std::array<const char*, 5> kinds{"set", "add", "scale", "zero", "mean"};
  if (!value.is_object()) return bad_edit_entry(what, Text::of("error.arch.edit.step"));
  Edit out;
  NumberEdit number;
  TRY(number.where, parse_target(member_text(value, "where")));
  TRY(const int how, place_of_name(kinds, member_text(value, "how", "set"), what));
  const Json amount = value.value("value", Json(0.0)), enabled = value.value("enabled", Json(true));
  if (!amount.is_number() || !std::isfinite(amount.get<float>()) || !enabled.is_boolean())
    return bad_edit_entry(what, Text::of("error.arch.edit.value"));
  number.op = how == 1 ? EditOp::add : how == 2 ? EditOp::scale : EditOp::set;
  number.value = how == 3 ? 0.f : amount.get<float>();
  if (how == 4) number.value = MeanOver{};
  out.what = std::move(number);
  out.enabled = enabled.get<bool>();
  out.note = member_text(value, "note");
  return std::make_shared<const Edit>(std::move(out));
}

Result<Edits> older_edits(const Json& edits, const std::string& what) {
  Edits out;
  TRY(const std::vector<Json> masks, list_at(edits, "masks", what));
  for (const Json& value : masks) {
    if (!value.is_object()) return bad_edit_entry(what, Text::of("error.arch.edit.mask"));
    TRY(MaskEdit mask, mask_from(value, member_text(value, "of", "main"), what));
    out.push_back(make_edit(std::move(mask)));
  }
  TRY(const std::vector<Json> steps, list_at(edits, "steps", what));
  for (const Json& value : steps) {
    TRY(auto step, older_step(value, what));
    out.push_back(std::move(step));
  }
  return out;
}

// Edits that no run could carry out are errors when they are read.
Status check_editable(const Edits& edits, const std::string& what) {
  for (const auto& edit : edits) {
    const NumberEdit* number = edit->number();
    if (number && number->where.kind == Target::Kind::step && !step_of(number->where.site.slot).editable)
      return bad_edit_entry(what, Text::of("error.arch.edit.fixed", {to_text(number->where.site)}));
  }
  return Done{};
}

}  // namespace

Result<Edits> edits_from_json(const Json& object, const std::string& what, const FindNumbers& find) {
  const PathsIn named(PathsIn::now().value_or(""));  // what stands in a file is never taken for typed
  const auto edits = object.find("edits");
  const std::string place = what + ": edits";
  Edits out;
  if (edits == object.end() || edits->is_null()) return out;
  if (edits->is_object()) {
    TRY(out, older_edits(*edits, place));
  } else {
    TRY(const std::vector<Json> list, list_at(object, "edits", what));
    for (const Json& value : list) {
      TRY(auto edit, edit_from(value, place, find));
      out.push_back(std::move(edit));
    }
  }
  TRY_OK(check_editable(out, place));
  return out;
}

Json edits_to_json(const Edits& edits, const KeepNumbers& keep) {
  Json out;
  for (const auto& edit : edits) out.push_back(edit_json(*edit, keep));
  return out;
}

}  // namespace attnscope
