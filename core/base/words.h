// Every text that a person reads, by key and language: tr("steps.title").
// The tables are flat JSON objects in assets/strings/<language>/*.json; all files of a language are merged.
// A key without text is returned itself and recorded, so that a test can fail on it. Thread-safe.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// The text of `key` in the current language, else in English, else the key. The pointer stays valid for as
/// long as the program runs.
const char* tr(std::string_view key);
/// The same with its placeholders replaced as filled() does.
std::string tr(std::string_view key, std::initializer_list<std::string_view> arguments);

/// `pattern` with {0}, {1} ... replaced by the arguments; "{{" is a brace; a number without argument stays.
/// A Korean particle may stand behind the number, {0:이/가}: the argument is followed by the form that fits
/// its last letter (core/base/particle.h); {0:~이/가} is that alone, {0:~cat/cats} one or many.
std::string filled(std::string_view pattern, std::span<const std::string_view> arguments);

/// True where the key has a text in the current language or in English.
bool has_string(std::string_view key);

/// "en" or "ko". An unknown language gives an Error that lists the known ones, and changes nothing.
Status set_language(std::string_view language);
const std::string& language();
/// The languages that have a folder of strings, English first.
std::vector<std::string> languages();

/// Adds one table; `file` is for the sentence of the Error. Keys that are there already are reported, not
/// replaced. `json`: one flat object of texts.
Status add_strings(std::string_view language, std::string_view file, std::string_view json);

/// Keys that tr() was called with and that have no text in any language, in the order of the calls.
std::vector<std::string> missing_keys();
/// What is wrong with the tables inside the program: no JSON, a key twice. Empty when all is well.
std::vector<std::string> string_faults();
/// Every text of the current language in one string: the fonts need its code points.
std::string all_texts();

}  // namespace attnscope
