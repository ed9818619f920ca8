// Exchanged parts of a model as text: "blocks.*.mlp.activation=relu".
#include "core/trace/exchange_text.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::int64_t kLargestBlock = 1'000'000;

struct PartRow {
  Exchange::Part part;
  std::string_view name;
  std::string_view branches;  ///< "attn mlp cross"; empty: the block itself
  std::string_view values;    ///< what it may be
  bool counts = false;        ///< or a whole number from 1 on
};
constexpr std::array<PartRow, 6> kParts{
    {{Exchange::Part::order, "order", "", "pre post parallel"},
     {Exchange::Part::skip, "skip", "attn cross mlp", "off"},
     {Exchange::Part::activation, "activation", "mlp", "relu gelu gelu_tanh silu swiglu geglu reglu"},
     {Exchange::Part::mask_order, "mask_order", "attn", "before after"},
     {Exchange::Part::scaling, "scaling", "attn cross", "off"},
     {Exchange::Part::kv_heads, "kv_heads", "attn", "swapped", true}}};

}  // namespace

std::vector<std::string> names_of_parts() {
  std::vector<std::string> out;
  for (const PartRow& row : kParts)
    for (const std::string& branch : split(row.branches, ' '))
      out.push_back(branch + (branch.empty() ? "" : ".") + std::string(row.name));
  return out;
}

namespace {

bool is_listed(std::string_view list, std::string_view word) {
  const std::vector<std::string> words = split(list, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::optional<Exchange> parse_part(std::string_view place) {
  Exchange out;
  const auto blocks = named_blocks(place);
  const auto stack = stack_of_name(place);
  if (!blocks || blocks->before != std::string(stack ? stack_prefix(*stack) : "") + "blocks.")
    return std::nullopt;
  out.stack = stack.value_or(Stack::single);
  if (blocks->which != Indices{}) {
    if (blocks->which.begin < 0 || blocks->which.end != blocks->which.begin + 1) return std::nullopt;
    out.layer = static_cast<int>(std::min<std::int64_t>(blocks->which.begin, kLargestBlock));
  }
  const std::vector<std::string> words = split(blocks->after, '.');  // "", "mlp", "activation"
  if (words.size() < 2 || words.size() > 3) return std::nullopt;
  if (words.size() == 3) out.branch = words[1];
  for (const PartRow& row : kParts) {
    const bool here = row.branches.empty() ? out.branch.empty() : is_listed(row.branches, out.branch);
    if (row.name != words.back() || !here) continue;
    out.part = row.part;
    return out;
  }
  return std::nullopt;
}

Result<Exchange> part_with_value(Exchange exchange, std::string_view value, std::string_view whole) {
  const PartRow& row = kParts[static_cast<std::size_t>(exchange.part)];
  const bool fits = is_listed(row.values, value) || (row.counts && parse_index(value).value_or(0) > 0);
  if (!fits)
    return bad_edit(whole,
                    Text::of(row.counts ? "error.trace.edit.takes_number" : "error.trace.edit.takes_one_of",
                             {row.name, join(split(row.values, ' '), ", ")}));
  exchange.value = std::string(value);
  return exchange;
}

std::string exchange_text(const Exchange& exchange) {
  std::string out(stack_prefix(exchange.stack));
  out += "blocks." + (exchange.layer < 0 ? std::string("*") : std::to_string(exchange.layer)) + ".";
  if (!exchange.branch.empty()) out += exchange.branch + ".";
  return out.append(kParts[static_cast<std::size_t>(exchange.part)].name) + "=" + exchange.value;
}

Error bad_edit(std::string_view text, const Text& problem) {
  return fail(Code::bad_format, "error.trace.edit", {in_quotes(text), problem});
}

}  // namespace attnscope
