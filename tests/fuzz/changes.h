// How files are broken: bits, bytes, lengths, pieces from elsewhere; and, where a kind of file has parts, its
// parts, so that what comes out passes the first checks: values of a JSON tree, the header of safetensors,
// the chunks of a PNG.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/random.h"

namespace attnscope::fuzz {

/// What a change may take from elsewhere.
struct Pieces {
  const std::vector<std::string>& words;          ///< worth inserting
  const std::vector<const std::string*>& others;  ///< files of the same kind
};

/// Bits, bytes, cuts, repeats, whole numbers of 1 to 8 bytes, words, pieces of other files.
std::string change_bytes(std::string text, const Pieces& pieces, Random& random);
/// Values of the tree exchanged, taken away, doubled, renamed or made strange. What is no JSON: change_bytes.
std::string change_json(const std::string& text, const Pieces& pieces, Random& random);
/// The header as JSON or as text, with the length that then is right, or the whole.
std::string change_safetensors(const std::string& file, const Pieces& pieces, Random& random);
/// One chunk, with the check sum that then is right, or the whole.
std::string change_png(const std::string& file, const Pieces& pieces, Random& random);
/// By the ending of `name`.
std::string change_file(const std::string& name, const std::string& file, const Pieces& pieces,
                        Random& random);

}  // namespace attnscope::fuzz
