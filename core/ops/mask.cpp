#include "core/ops/mask.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

using Cells = std::vector<Mask::Cell>;

// First cell at or after (query, key).
Cells::const_iterator first_cell(const Cells& cells, std::int64_t query, std::int64_t key) {
  return std::lower_bound(
      cells.begin(), cells.end(), std::pair(query, key),
      [](const Mask::Cell& cell, const auto& at) { return std::pair(cell.query, cell.key) < at; });
}

bool closed_form_allows(const Mask& mask, std::int64_t query, std::int64_t key) {
  return !(mask.causal && key > query) && !(mask.window > 0 && key <= query - mask.window);
}

// All keys that stand in the row's own sequence.
KeySpan own_sequence(const Mask& mask, std::int64_t query, std::int64_t keys) {
  if (!mask.sequences) return {0, keys};
  const KeySpan own = (*mask.sequences)[static_cast<std::size_t>(query)];
  return {own.begin, std::min(own.end, keys)};
}

bool is_padding(const Mask& mask, std::int64_t key) {
  return mask.attention_mask && key >= 0 && key < static_cast<std::int64_t>(mask.attention_mask->size()) &&
         (*mask.attention_mask)[static_cast<std::size_t>(key)] == 0;
}

// The span without the padding at its two ends.
KeySpan without_padding(const Mask& mask, KeySpan span) {
  while (span.begin < span.end && is_padding(mask, span.begin)) ++span.begin;
  while (span.begin < span.end && is_padding(mask, span.end - 1)) --span.end;
  return span;
}

// fill_masked for the cells that a rule masks.
void fill_ruled_out(const MaskRule& rule, std::int64_t query, std::int64_t key_begin, std::int64_t key_end,
                    float value, float* row) {
  constexpr std::int64_t kPiece = 256;
  std::uint8_t allowed[kPiece];
  for (std::int64_t key = key_begin; key < key_end; key += kPiece) {
    const std::int64_t end = std::min(key_end, key + kPiece);
    rule.allowed_row(query, key, end, allowed);
    for (std::int64_t i = key; i < end; ++i)
      row[i - key_begin] = allowed[i - key] != 0 ? row[i - key_begin] : value;
  }
}

}  // namespace

bool Mask::allowed(std::int64_t query_pos, std::int64_t key_pos) const {
  bool verdict = rule ? rule->allowed(query_pos, key_pos) : closed_form_allows(*this, query_pos, key_pos);
  const KeySpan own = own_sequence(*this, query_pos, key_pos + 1);
  verdict = verdict && key_pos >= own.begin && key_pos < own.end && !is_padding(*this, key_pos);
  for (auto cell = first_cell(cells, query_pos, key_pos);
       cell != cells.end() && cell->query == query_pos && cell->key == key_pos; ++cell)
    verdict = cell->allowed;
  return verdict;
}

void MaskRule::allowed_row(std::int64_t query_pos, std::int64_t key_begin, std::int64_t key_end,
                           std::uint8_t* out) const {
  for (std::int64_t key = key_begin; key < key_end; ++key)
    out[key - key_begin] = allowed(query_pos, key) ? 1 : 0;
}

KeySpan closed_form_span(const Mask& mask, std::int64_t query_pos, std::int64_t keys) {
  KeySpan span = own_sequence(mask, query_pos, keys);
  if (mask.window > 0) span.begin = std::max(span.begin, query_pos - mask.window + 1);
  if (mask.causal) span.end = std::min(span.end, query_pos + 1);
  return span;
}

KeySpan reachable_span(const Mask& mask, std::int64_t query_begin, std::int64_t query_end,
                       std::int64_t keys) {
  KeySpan span{own_sequence(mask, query_begin, keys).begin, own_sequence(mask, query_end - 1, keys).end};
  if (!mask.rule)
    span = {closed_form_span(mask, query_begin, keys).begin, closed_form_span(mask, query_end - 1, keys).end};
  if (mask.attention_mask) span = without_padding(mask, span);
  for (auto cell = first_cell(mask.cells, query_begin, 0);
       cell != mask.cells.end() && cell->query < query_end; ++cell) {
    if (!cell->allowed || cell->key < 0 || cell->key >= keys) continue;
    span.begin = std::min(span.begin, cell->key);
    span.end = std::max(span.end, cell->key + 1);
  }
  return span;
}

void fill_masked(const Mask& mask, std::int64_t query_pos, std::int64_t key_begin, std::int64_t key_end,
                 float value, float* row) {
  const auto cell = first_cell(mask.cells, query_pos, key_begin);
  if (cell != mask.cells.end() && cell->query == query_pos && cell->key < key_end) {
    for (std::int64_t key = key_begin; key < key_end; ++key)
      if (!mask.allowed(query_pos, key)) row[key - key_begin] = value;
    return;
  }
  if (mask.attention_mask)
    for (std::int64_t key = key_begin; key < key_end; ++key)
      if (is_padding(mask, key)) row[key - key_begin] = value;
  if (mask.rule) fill_ruled_out(*mask.rule, query_pos, key_begin, key_end, value, row);
  const KeySpan span =
      mask.rule ? own_sequence(mask, query_pos, key_end) : closed_form_span(mask, query_pos, key_end);
  const std::int64_t begin = std::clamp(span.begin, key_begin, key_end);
  const std::int64_t end = std::clamp(span.end, begin, key_end);
  std::fill(row, row + (begin - key_begin), value);
  std::fill(row + (end - key_begin), row + (key_end - key_begin), value);
}

}  // namespace attnscope
