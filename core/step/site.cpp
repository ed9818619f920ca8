#include "core/step/site.h"

#include <algorithm>
#include <optional>

#include "core/base/nearest.h"
#include "core/base/read_all.h"
#include "core/base/text.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr std::string_view kStacks[] = {"", "enc.", "dec.", "vision."};

bool has_alias(const Step& step, std::string_view name) {
  for (const std::string& alias : split(step.aliases, ' '))
    if (!alias.empty() && alias == name) return true;
  return false;
}

// Finds the row for the text inside a block or model; cross-attention uses attn's rows.
const Step* find_step(std::string_view text, bool in_block) {
  for (const Step& step : catalog()) {
    if ((step.part != Part::model) != in_block) continue;
    if (step.text == text || has_alias(step, text)) return &step;
  }
  return nullptr;
}

// The names that come nearest stand in the same block and stack.
Error unknown_site(std::string_view text) {
  std::string block = "blocks.0.";
  for (const std::string_view stack : kStacks) {
    const std::size_t digits = stack.size() + std::string_view("blocks.").size();
    if (!starts_with(text, stack) || !starts_with(text.substr(stack.size()), "blocks.")) continue;
    const std::size_t dot = std::min(text.find_first_not_of("0123456789", digits), text.size());
    block = dot > digits && dot - digits <= 6 ? std::string(text.substr(0, dot)) + "."
                                              : std::string(stack) + block;
  }
  std::vector<std::string> known;
  for (const Step& step : catalog())
    known.push_back((step.part == Part::model ? std::string() : block) + std::string(step.text));
  return fail(Code::not_found, "error.step.no_step",
              {in_quotes(text), join(nearest_names(text, std::move(known)), ", ")});
}

}  // namespace

std::optional<std::int64_t> parse_index(std::string_view text) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  std::int64_t value = 0;
  const bool read = read_all(text, value) && value >= 0 && value <= kLargest;
  return read ? std::optional(value) : std::nullopt;
}

Site site_of(Slot slot, int layer, Stack stack) { return {stack, layer, step_of(slot).part, slot}; }

Site cross_site(Slot slot, int layer, Stack stack) {
  const Part part = step_of(slot).part;
  return {stack, layer, part == Part::attn ? Part::cross : part, slot};
}

std::string_view stack_prefix(Stack stack) { return kStacks[static_cast<std::size_t>(stack)]; }

std::string to_text(const Site& site) {
  std::string out(kStacks[static_cast<std::size_t>(site.stack)]);
  if (site.layer >= 0) out += "blocks." + std::to_string(site.layer) + ".";
  std::string_view text = step_of(site.slot).text;
  if (site.part == Part::cross) {
    out += "cross";
    text.remove_prefix(std::string_view("attn").size());
  }
  return out.append(text);
}

Result<Site> parse_site(std::string_view whole) {
  std::string_view text = whole;
  Site site;
  for (const Stack stack : {Stack::enc, Stack::dec, Stack::vision}) {
    const std::string_view prefix = kStacks[static_cast<std::size_t>(stack)];
    if (!starts_with(text, prefix)) continue;
    site.stack = stack;
    text.remove_prefix(prefix.size());
    break;
  }
  if (starts_with(text, "blocks.")) {
    text.remove_prefix(7);
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) return unknown_site(whole);
    const auto layer = parse_index(text.substr(0, dot));
    if (!layer || *layer > 1'000'000) return unknown_site(whole);
    site.layer = static_cast<int>(*layer);
    text.remove_prefix(dot + 1);
  }
  std::string own(text);
  const bool cross = starts_with(text, "cross.");
  if (cross) own = "attn." + own.substr(6);
  const Step* step = find_step(own, site.layer >= 0);
  if (!step) return unknown_site(whole);
  site.slot = step->slot;
  site.part = cross ? Part::cross : step->part;
  return site;
}

}  // namespace attnscope
