#include "core/step/site.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr std::string_view kStacks[] = {"", "enc.", "dec.", "vision."};

constexpr std::int64_t kMostIndex = std::int64_t{1} << 40;

std::optional<std::int64_t> parse_index(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMostIndex)
    return std::nullopt;
  return value;
}

// "head=1" or "pos=2-5"
std::optional<AxisRange> parse_range(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view axis = text.substr(0, std::min(equals, text.size()));
  const bool word = axis.find_first_not_of("abcdefghijklmnopqrstuvwxyz_*1") == std::string_view::npos;
  if (axis.empty() || !word || equals == std::string_view::npos) return std::nullopt;
  const std::string_view places = text.substr(equals + 1);
  const std::size_t dash = places.find('-');
  const auto first = parse_index(places.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_index(places.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return AxisRange{std::string(axis), *first, *last + 1};
}

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

// '*' stands for any run of characters. Goes back to the last star only, so that the time is pattern times
// text.
bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matches_text(const std::string& pattern, const Site& site, std::string_view text) {
  if (const auto range = named_blocks(pattern); range && range->last >= 0) {
    if (site.layer < range->first || site.layer > range->last) return false;
    return glob_match(range->before + std::to_string(site.layer) + range->after, text);
  }
  return glob_match(pattern, text);
}

// By our name, or (patterns with "hook") by one of the aliases.
bool matches_site(const std::string& pattern, const Site& site) {
  const std::string text = to_text(site);
  if (matches_text(pattern, site, text)) return true;
  if (pattern.find("hook") == std::string::npos || site.part == Part::cross) return false;
  const Step& step = step_of(site.slot);
  const std::string before = text.substr(0, text.size() - step.text.size());
  for (const std::string& alias : split(step.aliases, ' '))
    if (!alias.empty() && matches_text(pattern, site, before + alias)) return true;
  return false;
}

}  // namespace

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

std::string to_text(const std::vector<Coordinate>& at) {
  std::vector<std::string> parts;
  for (const Coordinate& c : at) parts.push_back(c.axis + "=" + std::to_string(c.index));
  return parts.empty() ? "" : "[" + join(parts, ",") + "]";
}

std::string to_text(const Cell& cell) { return to_text(cell.site) + to_text(cell.at); }

std::string to_text(const AxisRange& range) {
  return std::to_string(range.begin) +
         (range.end > range.begin + 1 ? "-" + std::to_string(range.end - 1) : "");
}

std::string to_text(const std::vector<AxisRange>& at) {
  std::vector<std::string> parts;
  for (const AxisRange& range : at) parts.push_back(range.axis + "=" + to_text(range));
  return parts.empty() ? std::string() : "[" + join(parts, ",") + "]";
}

Result<PlaceText> parse_place(std::string_view text) {
  const std::size_t open = text.find('[');
  PlaceText out{std::string(text.substr(0, open)), {}};
  if (open == std::string_view::npos) return out;
  if (text.back() != ']') return fail(Code::bad_format, "error.step.brackets", {in_quotes(text)});
  for (const std::string& typed : split(text.substr(open + 1, text.size() - open - 2), ',')) {
    const std::size_t first = typed.find_first_not_of(' '), last = typed.find_last_not_of(' ');
    const std::string part = first == std::string::npos ? "" : typed.substr(first, last - first + 1);
    auto range = parse_range(part);
    const auto same = [&](const AxisRange& other) { return other.axis == range->axis; };
    if (!range || std::any_of(out.at.begin(), out.at.end(), same))
      return fail(Code::bad_format, range ? "error.step.axis_twice" : "error.step.no_part",
                  {in_quotes(text), in_quotes(part, 40)});
    out.at.push_back(*std::move(range));
  }
  return out;
}

std::optional<NamedBlocks> named_blocks(std::string_view name) {
  const std::size_t at = name.find("blocks.");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at + 7, end = std::min(name.find('.', begin), name.size());
  const std::string_view field = name.substr(begin, end - begin);
  NamedBlocks out{std::string(name.substr(0, begin)), std::string(name.substr(end))};
  if (field == "*") return out;
  const std::size_t dash = field.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_index(field.substr(0, dash)), last = parse_index(field.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  out.first = *first, out.last = *last;
  return out;
}

namespace {

// At the commas that stand outside of brackets.
std::vector<std::string> split_selector(std::string_view text) {
  std::vector<std::string> parts{""};
  bool inside = false;
  for (const char c : text) {
    inside = c == '[' || (inside && c != ']');
    if (c == ',' && !inside)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

Result<Cell> parse_cell(std::string_view text) {
  TRY(const PlaceText found, parse_place(text));
  TRY(const Site site, parse_site(found.name));
  Cell out{site, {}};
  for (const AxisRange& range : found.at) {
    if (range.end != range.begin + 1) return fail(Code::bad_format, "error.step.one_cell", {in_quotes(text)});
    out.at.push_back({range.axis, range.begin});
  }
  return out;
}

Result<Selector> Selector::parse(std::string_view text) {
  Selector selector;
  selector.text_ = std::string(text);
  for (std::string& part : split_selector(text)) {
    Glob glob;
    glob.exclude = starts_with(part, "!");
    if (glob.exclude) part.erase(0, 1);
    TRY(PlaceText found, parse_place(part));
    if (found.name.empty()) {
      return fail(Code::bad_format, "error.step.selector_empty", {in_quotes(text)});
    }
    if (glob.exclude && !found.at.empty()) {
      return fail(Code::bad_format, "error.step.selector_part", {in_quotes(part)});
    }
    if (found.name.find('*') == std::string::npos && !named_blocks(found.name)) {
      TRY(const Site site, parse_site(found.name));  // a plain name must exist; aliases become our names
      found.name = to_text(site);
    }
    glob.pattern = std::move(found.name);
    glob.at = std::move(found.at);
    selector.globs_.push_back(std::move(glob));
  }
  return selector;
}

std::vector<std::vector<AxisRange>> Selector::parts(const Site& site) const {
  std::vector<std::vector<AxisRange>> out;
  if (globs_.empty() || globs_.front().exclude) out.emplace_back();
  for (const Glob& glob : globs_) {
    if (!matches_site(glob.pattern, site)) continue;
    if (glob.exclude)
      out.clear();
    else if (std::find(out.begin(), out.end(), glob.at) == out.end())
      out.push_back(glob.at);
  }
  return out;
}

}  // namespace attnscope
