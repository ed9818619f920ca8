#include "core/step/place.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/trimmed.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr std::string_view kBlocksWord = "blocks.";

bool is_rows_word(std::string_view axis) { return axis == "pos" || axis == "query"; }

std::string without_spaces(std::string_view text) { return std::string(trimmed(text, " ")); }

// The end of the word in quotes that begins at `begin`: behind the closing quote, or the end of the text.
std::size_t quote_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// At the signs that stand outside of quotes.
std::vector<std::string> split_outside_quotes(std::string_view text, char sign) {
  std::vector<std::string> out;
  std::size_t begin = 0, at = 0;
  while (at < text.size())
    if (text[at] == '"') {
      at = quote_end(text, at);
    } else if (text[at++] == sign) {
      out.emplace_back(text.substr(begin, at - 1 - begin));
      begin = at;
    }
  out.emplace_back(text.substr(begin));
  return out;
}

// A word as it stands behind token=, and back.
std::string written_word(const std::string& word) {
  const bool plain = word.find_first_of(",[]=\"\\\n\t") == std::string::npos && without_spaces(word) == word;
  if (plain) return word;
  std::string out = "\"";
  for (const char sign : word)
    if (sign == '\n' || sign == '\t')
      out.append("\\").push_back(sign == '\n' ? 'n' : 't');
    else
      out.append(sign == '"' || sign == '\\' ? "\\" : "").push_back(sign);
  return out + "\"";
}

std::optional<std::string> read_word(std::string_view text) {
  if (!starts_with(text, "\"")) return text.empty() ? std::nullopt : std::optional(std::string(text));
  if (text.size() < 3 || quote_end(text, 0) != text.size() || text.back() != '"') return std::nullopt;
  std::string out;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    const bool escaped = text[at] == '\\' && at + 2 < text.size();
    const char sign = escaped ? text[++at] : text[at];
    out += escaped && sign == 'n' ? '\n' : escaped && sign == 't' ? '\t' : sign;
  }
  return out;
}

// "head=1", "pos=2-5" or "token=cat"
std::optional<AxisRange> parse_range(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view axis = text.substr(0, std::min(equals, text.size()));
  const bool word = axis.find_first_not_of("abcdefghijklmnopqrstuvwxyz_*1") == std::string_view::npos;
  if (axis.empty() || !word || equals == std::string_view::npos) return std::nullopt;
  AxisRange out(std::string(axis), 0, 0);
  if (axis == "token") {
    const auto token = read_word(text.substr(equals + 1));
    if (!token) return std::nullopt;
    out.token = *token;
    return out;
  }
  const auto found = parse_indices(text.substr(equals + 1));
  if (!found) return std::nullopt;
  out.begin = found->begin, out.end = found->end;
  return out;
}

// "3" or "-3", at the beginning of `text`, which loses it.
std::optional<std::int64_t> take_index(std::string_view& text) {
  const bool minus = starts_with(text, "-");
  const std::size_t end = std::min(text.find('-', minus ? 1 : 0), text.size());
  const auto value = parse_index(text.substr(minus ? 1 : 0, end - (minus ? 1 : 0)));
  text.remove_prefix(end);
  if (!value || (minus && *value == 0)) return std::nullopt;
  return minus ? -*value : *value;
}

// By the name of a step, a weight or the input. `blocks`: how many the stack of that name has.
bool matches_name(const std::string& pattern, std::string_view name, std::int64_t blocks) {
  const auto asked = named_blocks(pattern);
  if (!asked || asked->which == Indices{}) return glob_match(pattern, name);
  const auto which = asked->which.absolute() ? asked->which : asked->which.of(blocks);
  const auto own = named_blocks(name);
  if (!which || !own || own->which.begin < which->begin || own->which.begin >= which->end) return false;
  return glob_match(asked->name(own->which.begin), name);
}

// By our name, or (patterns with "hook") by one of the aliases.
bool matches_site(const std::string& pattern, const Site& site, std::int64_t blocks) {
  const std::string text = to_text(site);
  if (matches_name(pattern, text, blocks)) return true;
  if (pattern.find("hook") == std::string::npos || site.part == Part::cross) return false;
  const Step& step = step_of(site.slot);
  const std::string before = text.substr(0, text.size() - step.text.size());
  for (const std::string& alias : split(step.aliases, ' '))
    if (!alias.empty() && matches_name(pattern, before + alias, blocks)) return true;
  return false;
}

bool names_values(std::string_view name) { return is_weight_name(name) || name == kInputName; }

}  // namespace

std::optional<Indices> Indices::of(std::int64_t size) const {
  const Indices out{begin < 0 ? begin + size : begin, end <= 0 ? end + size : end};
  return out.begin >= 0 && out.begin < out.end && out.end <= size ? std::optional(out) : std::nullopt;
}

std::optional<Indices> parse_indices(std::string_view text) {
  if (text == "*") return Indices{};
  const auto first = take_index(text);
  auto last = first;
  if (!text.empty()) {
    text.remove_prefix(1);
    last = take_index(text);
  }
  if (!first || !last || !text.empty()) return std::nullopt;
  if ((*first < 0) == (*last < 0) && *last < *first) return std::nullopt;
  return Indices{*first, *last + 1};
}

std::string to_text(const Indices& indices) {
  if (indices == Indices{}) return "*";
  return std::to_string(indices.begin) +
         (indices.end == indices.begin + 1 ? "" : "-" + std::to_string(indices.end - 1));
}

bool all_absolute(const std::vector<AxisRange>& at) {
  return std::all_of(at.begin(), at.end(), [](const AxisRange& range) { return range.absolute(); });
}

std::string to_text(const AxisRange& range) {
  return range.token.empty() ? to_text(range.indices()) : written_word(range.token);
}

std::string to_text(const std::vector<AxisRange>& at) {
  std::vector<std::string> parts;
  for (const AxisRange& range : at) parts.push_back(range.axis + "=" + to_text(range));
  return parts.empty() ? std::string() : "[" + join(parts, ",") + "]";
}

const AxisRange* range_on(const std::vector<AxisRange>& at, std::string_view axis) {
  for (const AxisRange& range : at)
    if (range.axis == axis || (is_rows_word(range.axis) && is_rows_word(axis))) return &range;
  return nullptr;
}

std::string to_text(const Cell& cell) { return to_text(cell.site) + to_text(cell.at); }

std::string to_text(const PlaceText& place) { return place.name + to_text(place.at); }

Result<PlaceText> parse_place(std::string_view text) {
  const std::size_t open = text.find('[');
  PlaceText out{std::string(text.substr(0, open)), {}};
  if (open == std::string_view::npos) return out;
  if (text.back() != ']') return fail(Code::bad_format, "error.step.brackets", {in_quotes(text)});
  for (const std::string& typed : split_outside_quotes(text.substr(open + 1, text.size() - open - 2), ',')) {
    const std::string part = without_spaces(typed);
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
  const std::size_t at = name.find(kBlocksWord);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at + kBlocksWord.size(), end = std::min(name.find('.', begin), name.size());
  const auto which = parse_indices(name.substr(begin, end - begin));
  if (!which) return std::nullopt;
  return NamedBlocks{std::string(name.substr(0, begin)), std::string(name.substr(end)), *which};
}

std::optional<std::vector<PlaceText>> one_per_block(const PlaceText& place, std::int64_t count) {
  const auto blocks = named_blocks(place.name);
  if (!blocks || blocks->which.one()) return std::vector{place};
  const auto which = blocks->which.of(count);
  if (!which) return std::nullopt;
  std::vector<PlaceText> out;
  for (std::int64_t block = which->begin; block < which->end; ++block)
    out.push_back({blocks->name(block), place.at});
  return out;
}

std::size_t place_end(std::string_view text, std::string_view stop) {
  std::size_t at = std::min(text.find_first_of(std::string(stop) + "["), text.size());
  if (at == text.size() || text[at] != '[') return at;
  while (at < text.size() && text[at] != ']') at = text[at] == '"' ? quote_end(text, at) : at + 1;
  return std::min(at + 1, text.size());
}

std::optional<Stack> stack_of_name(std::string_view name) {
  for (const Stack stack : {Stack::enc, Stack::dec, Stack::vision})
    if (starts_with(name, stack_prefix(stack))) return stack;
  return std::nullopt;
}

bool is_weight_name(std::string_view name) { return ends_with(name, ".weight") || ends_with(name, ".bias"); }

Result<Cell> parse_cell(std::string_view text) {
  TRY(PlaceText found, parse_place(text));
  TRY(const Site site, parse_site(found.name));
  for (const AxisRange& range : found.at) {
    if (!range.absolute()) return fail(Code::bad_format, "error.step.needs_run", {in_quotes(text)});
    if (range.end != range.begin + 1) return fail(Code::bad_format, "error.step.one_cell", {in_quotes(text)});
  }
  return Cell{site, std::move(found.at)};
}

namespace {

// One place of a selector. A plain name must exist; aliases become our names.
Result<PlaceText> selected_place(std::string_view text) {
  TRY(PlaceText found, parse_place(text));
  const auto blocks = named_blocks(found.name);
  const bool plain = found.name.find('*') == std::string::npos && (!blocks || blocks->which.one());
  if (!plain || found.name.empty() || names_values(found.name)) return found;
  TRY(const Site site, parse_site(found.name));
  found.name = to_text(site);
  return found;
}

}  // namespace

Result<Selector> Selector::parse(std::string_view text) {
  Selector selector;
  selector.text_ = std::string(text);
  for (std::size_t at = 0; at <= text.size();) {
    const std::string_view rest = text.substr(at);
    std::string_view part = rest.substr(0, rest.find(',', place_end(rest, ",")));
    at += part.size() + 1;
    const bool exclude = starts_with(part, "!");
    if (exclude) part.remove_prefix(1);
    TRY(PlaceText found, selected_place(part));
    if (found.name.empty()) return fail(Code::bad_format, "error.step.selector_empty", {in_quotes(text)});
    if (exclude && !found.at.empty())
      return fail(Code::bad_format, "error.step.selector_part", {in_quotes(part)});
    selector.globs_.push_back({std::move(found), exclude});
  }
  return selector;
}

template <class Matches>
std::vector<std::vector<AxisRange>> Selector::parts_where(bool all, const Matches& matches) const {
  std::vector<std::vector<AxisRange>> out;
  if (all && (globs_.empty() || globs_.front().exclude)) out.emplace_back();
  for (const auto& [place, exclude] : globs_) {
    if (!matches(place.name)) continue;
    if (exclude)
      out.clear();
    else if (std::find(out.begin(), out.end(), place.at) == out.end())
      out.push_back(place.at);
  }
  return out;
}

std::vector<std::vector<AxisRange>> Selector::parts(const Site& site, std::int64_t blocks) const {
  return parts_where(true, [&](const std::string& pattern) { return matches_site(pattern, site, blocks); });
}

std::vector<std::vector<AxisRange>> Selector::value_parts(std::string_view name, std::int64_t blocks) const {
  return parts_where(false, [&](const std::string& pattern) {
    return names_values(pattern) && matches_name(pattern, name, blocks);
  });
}

}  // namespace attnscope
