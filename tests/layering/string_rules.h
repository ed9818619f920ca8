// The rules of the strings table: flat JSON files of texts, no key twice, and every tr("key") of the app has
// a text. It sees keys written as literals; a literal that is continued by `+` counts as the beginning of
// keys.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace attnscope::layering {

/// Where each key of the table was found, its text, and what is wrong with the files.
struct StringTable {
  std::map<std::string, std::string> file_of_key, text_of_key;
  std::vector<std::string> faults;
};

/// Adds one file's keys; anything but a flat object of texts, and a key met before, is a fault.
void add_strings(StringTable& table, const std::string& file, const std::string& json);

/// A key that a source asks for, at a line that counts from 1.
struct StringUse {
  std::string key;
  bool is_prefix = false;
  int line = 0;
};

/// Every tr("...") in a source outside // comments; the literal may stand on the next line.
std::vector<StringUse> string_uses(const std::string& text);

/// True where the table has the key, or a key that begins with it when only the beginning is written.
bool has_string(const StringTable& table, const StringUse& use);

/// The numbers of the arguments of a text: {0} or, with a particle, {0:을/를}. "{{" is a brace.
std::set<int> arguments_of(const std::string& text);

/// The literals of sources that may be keys, and those that may be the beginning of keys ("view.").
struct KeyUses {
  std::set<std::string> whole, beginnings;
};
/// Of all literals in a source outside // comments.
KeyUses key_uses(const std::string& text);
/// True where a literal is the key, or the key without one of the endings that code adds (".help"), or its
/// beginning.
bool is_used(const KeyUses& uses, const std::string& key);

}  // namespace attnscope::layering
