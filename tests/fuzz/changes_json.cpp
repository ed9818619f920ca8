// Changes of a JSON tree: nodes are found by walking down from the root, so that what stands at the top is
// changed as often as the thousands of entries of a vocabulary.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/fuzz/changes.h"

namespace attnscope::fuzz {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostNodes = 100'000;

Json strange_value(const Pieces& pieces, Random& random) {
  static const std::vector<Json> kValues{nullptr,
                                         true,
                                         false,
                                         0,
                                         1,
                                         2,
                                         3,
                                         7,
                                         -1,
                                         0.5,
                                         1e-30,
                                         1e9,
                                         1e300,
                                         -1e300,
                                         4096,
                                         65536,
                                         1000000,
                                         2147483647,
                                         2147483648u,
                                         -2147483649ll,
                                         9223372036854775807ll,
                                         18446744073709551615ull,
                                         "",
                                         "x",
                                         "\n\x1b[31m",
                                         "\xED\x95\x9C\xEA\xB8\x80",
                                         std::string(5000, 'w'),
                                         Json::array(),
                                         Json::object(),
                                         Json::array({1, 2}),
                                         Json::array({0, 0, 0, 0, 0}),
                                         Json::array({"a", 1}),
                                         Json::array({Json::array({1e30, 2})})};
  if (!pieces.words.empty() && random.one_in(3)) return random.pick(pieces.words);
  return random.pick(kValues);
}

Json& child(Json& node, std::size_t index) {
  if (node.is_array()) return node[index];
  auto at = node.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(index));
  return *at;
}

// A node and the one that holds it (null: the root was chosen).
struct Place {
  Json* parent = nullptr;
  std::size_t index = 0;
  Json* node = nullptr;
};

Place place_in(Json& root, Random& random) {
  Place place{nullptr, 0, &root};
  while (place.node->is_structured() && !place.node->empty() && !(place.parent && random.one_in(4))) {
    const std::size_t index = random.below(place.node->size());
    place = {place.node, index, &child(*place.node, index)};
  }
  return place;
}

void change_number(Json& node, Random& random) {
  const double value = node.is_number() ? node.get<double>() : 0;
  switch (random.below(7)) {
    case 0: node = value + 1; break;
    case 1: node = value - 1; break;
    case 2: node = -value; break;
    case 3: node = value * 2; break;
    case 4: node = value / 2; break;
    case 5: node = value * 1024; break;
    default: node = 0;
  }
  const double now = node.get<double>();
  if (now == static_cast<double>(static_cast<std::int32_t>(std::clamp(now, -2e9, 2e9))))
    node = static_cast<std::int32_t>(now);
}

void change_text(Json& node, const Pieces& pieces, Random& random) {
  static const std::vector<const std::string*> kNone;
  node = change_bytes(node.get<std::string>(), {pieces.words, kNone}, random);
}

void change_list(Json& list, const Pieces& pieces, Random& random) {
  const std::size_t at = random.below(list.size());
  switch (list.empty() ? 3 : random.below(5)) {
    case 0: list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), Json(list[at])); break;
    case 1: std::swap(list[at], list[random.below(list.size())]); break;
    case 2: list.erase(static_cast<std::size_t>(at)); break;
    case 3: list.push_back(strange_value(pieces, random)); break;
    default:
      for (std::size_t more = random.below(64); more > 0; --more) list.push_back(Json(list[at]));
  }
}

void change_table(Json& table, const Pieces& pieces, Random& random) {
  if (table.empty() || random.one_in(3)) {
    const std::string key = pieces.words.empty() ? "x" : random.pick(pieces.words);
    table[key] = strange_value(pieces, random);
    return;
  }
  auto at = table.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random.below(table.size())));
  if (random.one_in(2)) {
    table.erase(at);
    return;
  }
  Json value = *at;  // under another name
  std::string key = at.key();
  if (random.one_in(2)) table.erase(at);
  key = random.one_in(2) && !pieces.words.empty() ? random.pick(pieces.words) : key + "x";
  table[key] = std::move(value);
}

void change_in_kind(Json& node, const Pieces& pieces, Random& random) {
  if (node.is_number()) return change_number(node, random);
  if (node.is_boolean())
    node = !node.get<bool>();
  else if (node.is_string())
    change_text(node, pieces, random);
  else if (node.is_array())
    change_list(node, pieces, random);
  else if (node.is_object())
    change_table(node, pieces, random);
  else
    node = strange_value(pieces, random);
}

// A node of another file of the same kind, or of this one.
Json changes_json_taken(Json& root, const Pieces& pieces, Random& random) {
  if (pieces.others.empty() || random.one_in(2)) return *place_in(root, random).node;
  Json other = Json::parse(*random.pick(pieces.others), nullptr, false);
  return other.is_discarded() ? Json() : *place_in(other, random).node;
}

void change_tree(Json& root, const Pieces& pieces, Random& random) {
  const Place place = place_in(root, random);
  switch (random.below(8)) {
    case 0:
    case 1: *place.node = strange_value(pieces, random); break;
    case 2: {
      Json value = changes_json_taken(root, pieces, random);
      *place.node = std::move(value);
      break;
    }
    case 3:
      if (place.parent && place.parent->is_array()) {
        place.parent->erase(place.index);
      } else if (place.parent) {
        auto at = place.parent->begin();
        std::advance(at, static_cast<std::ptrdiff_t>(place.index));
        place.parent->erase(at);
      }
      break;
    default: change_in_kind(*place.node, pieces, random);
  }
}

}  // namespace

std::string change_json(const std::string& text, const Pieces& pieces, Random& random) {
  Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded()) return change_bytes(text, pieces, random);
  for (std::size_t changes = 1 + random.below(3); changes > 0 && root.size() < kMostNodes; --changes)
    change_tree(root, pieces, random);
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace attnscope::fuzz
