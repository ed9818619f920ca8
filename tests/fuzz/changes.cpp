#include "tests/fuzz/changes.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/base/text.h"
#include "core/io/inflate.h"
#include "core/io/zip.h"

namespace attnscope::fuzz {
namespace {

constexpr std::size_t kMostBytes = 1 << 21;  // of a changed file

// Sizes, counts and offsets that readers stumble over.
std::uint64_t strange_number(std::size_t size, Random& random) {
  switch (random.below(7)) {
    case 0: return random.below(4);
    case 1: return ~std::uint64_t{0} - random.below(3);
    case 2: return (std::uint64_t{1} << random.below(64)) - random.below(2);
    case 3: return size + random.below(3) - 1;
    case 4: return random.next() >> random.below(64);
    case 5: return random.below(256);
    default: return random.below(2 * size + 2);
  }
}

void overwrite_number(std::string& text, std::size_t at, Random& random) {
  const std::uint64_t value = strange_number(text.size(), random);
  const std::size_t width = std::min<std::size_t>(std::size_t{1} << random.below(4), text.size() - at);
  std::memcpy(text.data() + at, &value, width);
}

// The next number that is written in digits becomes another.
void change_digits(std::string& text, std::size_t at, Random& random) {
  const std::size_t begin = text.find_first_of("0123456789", at);
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  if (random.one_in(2))
    text[begin + random.below(end - begin)] = static_cast<char>('0' + random.below(10));
  else
    text.replace(begin, end - begin, std::to_string(strange_number(text.size(), random)));
}

void change_once(std::string& text, const Pieces& pieces, Random& random) {
  const std::size_t at = random.below(text.size() + 1), left = text.size() - at;
  const std::size_t some = std::min(random.below(std::size_t{1} << (1 + random.below(8))), left);
  switch (random.below(12)) {
    case 0:
      if (left > 0) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
    case 1:
      if (left > 0) text[at] = static_cast<char>(random.below(256));
      break;
    case 2:
      if (random.one_in(3)) text.resize(at);
      break;
    case 3: text.erase(at, some); break;
    case 4: text.insert(at, text.substr(at, some)); break;
    case 5: text.insert(random.below(text.size() + 1), text.substr(at, some)); break;
    case 6:
      if (left > 0) overwrite_number(text, at, random);
      break;
    case 7: change_digits(text, at, random); break;
    case 8:
    case 9:
      if (!pieces.words.empty()) text.replace(at, random.one_in(2) ? 0 : some, random.pick(pieces.words));
      break;
    case 10:
      if (!pieces.others.empty()) {
        const std::string& other = *random.pick(pieces.others);
        text.replace(
            at, random.one_in(3) ? std::string::npos : some,
            other.substr(random.below(other.size() + 1), random.one_in(3) ? std::string::npos : some + 1));
      }
      break;
    default: text.insert(at, random.below(300), text.empty() ? '\0' : text[std::min(at, text.size() - 1)]);
  }
}

std::uint32_t big_endian(const std::string& text, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(text[at + i]);
  return out;
}
std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
  return out;
}

}  // namespace

std::string change_bytes(std::string text, const Pieces& pieces, Random& random) {
  for (std::size_t changes = std::size_t{1} << random.below(4); changes > 0 && text.size() < kMostBytes;
       --changes)
    change_once(text, pieces, random);
  text.resize(std::min(text.size(), kMostBytes));
  return text;
}

std::string change_safetensors(const std::string& file, const Pieces& pieces, Random& random) {
  std::uint64_t length = 0;
  if (file.size() < sizeof(length) || random.one_in(6)) return change_bytes(file, pieces, random);
  std::memcpy(&length, file.data(), sizeof(length));
  const std::size_t begin = sizeof(length);
  if (length > file.size() - begin) return change_bytes(file, pieces, random);
  const std::string header = file.substr(begin, length);
  const std::string changed =
      random.one_in(3) ? change_bytes(header, pieces, random) : change_json(header, pieces, random);
  std::uint64_t now = changed.size();
  if (random.one_in(16)) now = strange_number(file.size(), random);
  return std::string(reinterpret_cast<const char*>(&now), sizeof(now)) + changed +
         file.substr(begin + length);
}

std::string change_png(const std::string& file, const Pieces& pieces, Random& random) {
  constexpr std::size_t kHead = 8;
  std::vector<std::pair<std::size_t, std::uint32_t>> chunks;  // offset, bytes of data
  for (std::size_t at = kHead; at + 12 <= file.size();) {
    const std::uint32_t bytes = big_endian(file, at);
    if (bytes > file.size() - at - 12) break;
    chunks.emplace_back(at, bytes);
    at += std::size_t{12} + bytes;
  }
  if (chunks.empty() || random.one_in(4)) return change_bytes(file, pieces, random);
  const auto [at, bytes] = random.pick(chunks);
  std::string data = file.substr(at + 4, std::size_t{4} + bytes);  // its type in front
  if (random.one_in(8))
    data = change_bytes(data, pieces, random);
  else
    data = data.substr(0, 4) + change_bytes(data.substr(4), pieces, random);
  if (data.size() < 4) data.resize(4, 'x');
  std::string chunk = big_endian(static_cast<std::uint32_t>(data.size() - 4)) + data +
                      big_endian(crc32_of(std::as_bytes(std::span(data))));
  if (random.one_in(6)) chunk += chunk;
  const std::string rest = file.substr(at + 12 + bytes);
  return file.substr(0, at) + (random.one_in(16) ? "" : chunk) + rest;
}

std::string change_file(const std::string& name, const std::string& file, const Pieces& pieces,
                        Random& random) {
  if (ends_with(name, ".json") && !random.one_in(6)) return change_json(file, pieces, random);
  if (ends_with(name, ".safetensors")) return change_safetensors(file, pieces, random);
  if (ends_with(name, ".png")) return change_png(file, pieces, random);
  return change_bytes(file, pieces, random);
}

}  // namespace attnscope::fuzz
