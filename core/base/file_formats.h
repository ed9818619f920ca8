// The formats of attnscope's own files, at version 1.0 all together: what stands in the field "format" of
// each, and the largest whole number that this program reads in its field "version". That number grows only
// where earlier programs could not read the file; a field that they may pass over is added without. What is
// promised about each stands in the handbook (assets/guide/en/files.md); a test compares the two, and what is
// written.
#pragma once

#include <string_view>

namespace attnscope {

struct FileFormat {
  const char* name;
  int version;
};

/// A session writes the least number that holds it. 1: arrays of many numbers lie in a file beside it; 2:
/// arrays stand in it; 3: so does a model that trains (its parts); 4: files beside it under the other
/// beginning.
inline constexpr FileFormat kSessionFormat{"attnscope-session", 4};
inline constexpr FileFormat kLectureFormat{"attnscope-lecture", 1};
inline constexpr FileFormat kSceneFormat{"attnscope-scene", 1};
inline constexpr FileFormat kLessonFormat{"attnscope-lesson", 1};
inline constexpr FileFormat kProgressFormat{"attnscope-progress", 1};  ///< answers of learners
inline constexpr FileFormat kRecordFormat{"attnscope-trace",
                                          1};  ///< metadata of arrays; record.py, record_llama.cpp
inline constexpr FileFormat kReferenceFormat{"attnscope-reference", 1};  ///< PyTorch's numbers; references.py
inline constexpr FileFormat kFigureFormat{"attnscope-figure", 1};        ///< a figure as JSON; written only
inline constexpr FileFormat kGraphFormat{"attnscope-graph", 1};  ///< a circuit, "schema_version" of its kind
inline constexpr FileFormat kFileFormats[] = {kSessionFormat,   kLectureFormat,  kSceneFormat,
                                              kLessonFormat,    kProgressFormat, kRecordFormat,
                                              kReferenceFormat, kFigureFormat,   kGraphFormat};

}  // namespace attnscope
