#include "core/text/mapped_text.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

namespace {

// What may become of a text of n bytes: kGrowth * n + kMappedSlack bytes at once, and kVersions times as much
// in all versions together. Normal forms make three bytes of one, marks for spaces too.
constexpr std::size_t kGrowth = 4, kMappedSlack = std::size_t{1} << 20, kVersions = 8;

bool continues(std::string_view text, std::size_t at) {
  return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// The byte after the character at `at`; the text is well-formed.
std::size_t after_character(std::string_view text, std::size_t at) {
  if (at < text.size()) ++at;
  while (at < text.size() && continues(text, at)) ++at;
  return at;
}

}  // namespace

MappedText MappedText::of(std::string_view input) {
  MappedText out;
  Storage& made = out.own();
  made.limits = std::make_shared<Limits>(Limits{input.size(), kGrowth * input.size() + kMappedSlack, 0});
  made.limits->left = kVersions * made.limits->longest;
  if (is_valid_utf8(input)) {
    made.text = input;
    if (!input.empty()) made.runs.push_back({0, 0, kAsTyped});
    out.end_ = static_cast<std::uint32_t>(input.size());
    return out;
  }
  std::string character;
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t begin = at;
    character.clear();
    append_utf8(character, next_code_point(input, at));
    out.append(character, {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(at)});
  }
  return out;
}

MappedText MappedText::at(std::string_view text, ByteSpan place) {
  MappedText out;
  out.append(text, place);
  return out;
}

MappedText MappedText::fresh() const {
  MappedText out;
  if (data_) out.own().limits = data_->limits;
  return out;
}

// The storage, alone and whole.
MappedText::Storage& MappedText::own() {
  if (!data_) {
    data_ = std::make_shared<Storage>();
  } else if (data_.use_count() != 1 || begin_ != 0 || end_ != data_->text.size()) {
    MappedText copy = fresh();
    copy.append(*this, 0, size());
    *this = std::move(copy);
  }
  return *data_;
}

// Runs are about as long everywhere: searched from where the byte should be, in growing steps.
std::size_t MappedText::run_at(std::size_t byte) const {
  const std::vector<Run>& runs = data_->runs;
  std::size_t low = byte * runs.size() / data_->text.size(), high = low + 1, step = 1;
  for (; runs[low].at > byte; step *= 2) {
    high = low;
    low = low > step ? low - step : 0;
  }
  for (; high < runs.size() && runs[high].at <= byte; step *= 2) {
    low = high;
    high = std::min(runs.size(), high + step);
  }
  const auto after = std::upper_bound(runs.begin() + static_cast<std::ptrdiff_t>(low),
                                      runs.begin() + static_cast<std::ptrdiff_t>(high), byte,
                                      [](std::size_t at, const Run& run) { return at < run.at; });
  return static_cast<std::size_t>(after - runs.begin()) - 1;
}

ByteSpan MappedText::place_of(std::size_t byte) const {
  const Run& run = data_->runs[run_at(byte)];
  if (run.end != kAsTyped) return {run.begin, run.end};
  std::size_t first = byte;
  while (continues(data_->text, first)) --first;
  const std::size_t end = after_character(data_->text, first);
  return {run.begin + static_cast<std::int32_t>(first - run.at),
          run.begin + static_cast<std::int32_t>(end - run.at)};
}

// The end of the stretch at byte `at` of this text that stands where this byte stands.
std::size_t MappedText::end_of_place(std::size_t at) const {
  const std::size_t run = run_at(begin_ + at);
  const bool as_typed = data_->runs[run].end == kAsTyped, last = run + 1 == data_->runs.size();
  const std::size_t next = last ? data_->text.size() : data_->runs[run + 1].at;
  return (as_typed ? after_character(data_->text, begin_ + at) : next) - begin_;
}

ByteSpan MappedText::span(std::size_t begin, std::size_t end) const {
  if (empty()) return {};
  const std::size_t last = std::min(end, size());
  if (begin >= last) {
    const std::int32_t place = begin < size() ? place_of(begin_ + begin).begin : place_of(end_ - 1).end;
    return {place, place};
  }
  const ByteSpan first = place_of(begin_ + begin);
  return {first.begin, std::max(first.begin, place_of(begin_ + last - 1).end)};
}

MappedText MappedText::slice(std::size_t begin, std::size_t end) const {
  MappedText out = *this;
  out.begin_ = begin_ + static_cast<std::uint32_t>(std::min(begin, size()));
  out.end_ = std::max(out.begin_, begin_ + static_cast<std::uint32_t>(std::min(end, size())));
  return out;
}

// Opens a run at the end of the text, where the last one does not go on by itself.
void MappedText::add_run(Storage& to, std::int32_t begin, std::int32_t end) const {
  const auto at = static_cast<std::uint32_t>(to.text.size());
  if (!to.runs.empty()) {
    const Run& last = to.runs.back();
    const std::int32_t next =
        end == kAsTyped ? last.begin + static_cast<std::int32_t>(at - last.at) : last.begin;
    if (last.end == end && next == begin) return;
  }
  to.runs.push_back({at, begin, end});
}

// True where the last run stands at `place` as a whole, or can be changed to do so.
bool MappedText::one_more(Storage& to, ByteSpan place) const {
  if (to.runs.empty()) return false;
  Run& last = to.runs.back();
  const bool one_character = last.end == kAsTyped && after_character(to.text, last.at) == to.text.size() &&
                             last.begin + static_cast<std::int32_t>(to.text.size() - last.at) == place.end;
  if (one_character && last.begin == place.begin) last.end = place.end;
  return last.begin == place.begin && last.end == place.end;
}

void MappedText::append(std::string_view characters, ByteSpan place) {
  if (characters.empty()) return;
  Storage& to = own();
  const bool as_typed = place.end - place.begin == static_cast<std::int32_t>(characters.size()) &&
                        after_character(characters, 0) == characters.size();
  if (!one_more(to, place)) add_run(to, place.begin, as_typed ? kAsTyped : place.end);
  to.text += characters;
  end_ = static_cast<std::uint32_t>(to.text.size());
}

void MappedText::append(const MappedText& other, std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  Storage& to = own();
  const Storage& from = *other.data_;
  const std::size_t stop = other.begin_ + end;
  std::size_t at = other.begin_ + begin;
  for (std::size_t run = other.run_at(at); at < stop; ++run) {
    const Run& old = from.runs[run];
    const std::size_t next = run + 1 < from.runs.size() ? from.runs[run + 1].at : from.text.size();
    const std::size_t last = std::min(next, stop);
    const auto skipped = static_cast<std::int32_t>(at - old.at);
    add_run(to, old.end == kAsTyped ? old.begin + skipped : old.begin, old.end);
    to.text.append(from.text, at, last - at);
    at = last;
  }
  end_ = static_cast<std::uint32_t>(to.text.size());
}

void MappedText::append(const MappedText& old, std::size_t begin, std::size_t end,
                        const std::vector<Rewrite>& characters, int dropped) {
  const std::string_view text = old.text().substr(0, end);
  std::string utf8;
  std::size_t at = begin;  // the next byte of the old text
  for (; dropped > 0; --dropped) at = after_character(text, at);
  for (const Rewrite& next : characters) {
    const bool is_new = next.change > 0 || at >= end;
    const ByteSpan place = !is_new ? old.span(at, at + 1) : at > 0 ? old.span(at - 1, at) : old.span(0, 0);
    for (int gone = next.change; !is_new && gone <= 0; ++gone) at = after_character(text, at);
    utf8.clear();
    append_utf8(utf8, next.character);
    append(utf8, place);
  }
}

void MappedText::prepend(std::string_view prefix) {
  if (empty() || prefix.empty()) return;
  MappedText out = fresh();
  out.append(prefix, span(0, 1));
  out.append(*this, 0, size());
  *this = std::move(out);
}

Status MappedText::bounded() const {
  if (!data_ || !data_->limits || size() <= data_->limits->longest) return Done{};
  return fail(Code::out_of_range, "error.text.grows",
              {format_bytes(data_->limits->longest), format_bytes(data_->limits->typed)});
}

Status MappedText::become(MappedText next) {
  TRY_OK(next.bounded());
  if (Limits* limits = next.data_ ? next.data_->limits.get() : nullptr) {
    if (next.size() > limits->left)
      return fail(Code::out_of_range, "error.text.rewrites", {format_bytes(limits->typed)});
    limits->left -= next.size();
  }
  *this = std::move(next);
  return Done{};
}

}  // namespace attnscope
