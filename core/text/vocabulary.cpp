#include "core/text/vocabulary.h"

#include "core/base/text.h"

namespace attnscope {

namespace {

// A spelling as it is quoted in an error: short, and well-formed whatever the file holds.
std::string quoted(std::string_view spelling) {
  const std::string shown = valid_utf8(spelling.substr(0, 40));
  return "\"" + shown + (spelling.size() > 40 ? "..." : "") + "\"";
}

}  // namespace

Status Vocabulary::check(std::string_view spelling, std::int64_t id) const {
  if (id < 0 || id > kMaxTokenId) {
    return fail(Code::out_of_range, "error.text.id", {quoted(spelling), id, kMaxTokenId});
  }
  if (has(static_cast<int>(id)) && this->spelling(static_cast<int>(id)) != spelling) {
    return fail(Code::bad_format, "error.text.shared_id",
                {quoted(this->spelling(static_cast<int>(id))), quoted(spelling), id});
  }
  return Done{};
}

void Vocabulary::set(const std::string* spelling, std::int64_t id) {
  if (id >= size()) spellings_.resize(static_cast<std::size_t>(id) + 1, nullptr);
  spellings_[static_cast<std::size_t>(id)] = spelling;
}

Status Vocabulary::add(std::string_view spelling, std::int64_t id) {
  TRY_OK(check(spelling, id));
  const auto [entry, is_new] = ids_.try_emplace(std::string(spelling), static_cast<int>(id));
  if (!is_new && entry->second != id) {
    return fail(Code::bad_format, "error.text.two_ids", {quoted(spelling), entry->second, id});
  }
  set(&entry->first, id);
  return Done{};
}

Status Vocabulary::add_or_repeat(std::string_view spelling, std::int64_t id) {
  TRY_OK(check(spelling, id));
  const auto [entry, is_new] = ids_.insert_or_assign(std::string(spelling), static_cast<int>(id));
  set(&entry->first, id);
  return Done{};
}

std::optional<int> Vocabulary::find(std::string_view spelling) const {
  const auto entry = ids_.find(spelling);
  if (entry == ids_.end()) return std::nullopt;
  return entry->second;
}

std::string_view Vocabulary::spelling(int id) const {
  return has(id) ? std::string_view(*spellings_[static_cast<std::size_t>(id)]) : std::string_view();
}

ByteIds byte_ids_of(const Vocabulary& vocabulary) {
  ByteIds out;
  for (unsigned byte = 0; byte < 256; ++byte)
    out.push_back(vocabulary.find(format("<0x%02X>", byte)).value_or(-1));
  return out;
}

bool has_all(const ByteIds& ids, std::string_view bytes) {
  if (ids.empty()) return false;
  for (const char c : bytes) {
    if (ids[static_cast<unsigned char>(c)] < 0) return false;
  }
  return true;
}

}  // namespace attnscope
