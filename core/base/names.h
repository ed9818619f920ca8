// The names that lessons, sessions and tests may use: actions, views and items on screen, as listed in
// assets/names.json. A test of the window checks that the list is complete; the checker of lessons reads it
// here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// `items` may hold stars, each of which stands for any letters: "tab_*".
struct Names {
  std::vector<std::string> actions, views, items;
};
/// Those of the program.
const Names& names();
/// A view or an item of this name exists.
bool is_view(std::string_view name);
bool is_item(std::string_view name);
/// True where `text` matches `pattern`, in which a star stands for any letters, also none.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace attnscope
