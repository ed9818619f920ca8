// The arrays of a session file: small ones stand where they are used, large ones once each in a table of the
// file, as base64 of their float32 bytes (little endian), more than a file takes in a safetensors file beside
// it (as all large ones of earlier versions). Their names are hashes of their contents, so that damage is
// detected. Errors: shapes and texts that do not fit each other, before anything is allocated for them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "core/tensor/tensor.h"

namespace attnscope {

inline constexpr std::int64_t kInlineNumbers = 256;            ///< that stand where they are used
inline constexpr std::int64_t kMostInlineNumbers = 1 << 14;    ///< the same where there is no table
inline constexpr std::int64_t kMostEmbeddedNumbers = 1 << 25;  ///< of all arrays of a file's table

/// The file of arrays that may lie beside a session.
inline constexpr const char* kArraysEnding = ".safetensors";
/// The table of large arrays of a session file; an empty object where it has none.
const nlohmann::json& array_table(const nlohmann::json& file);

/// Arrays as they are written.
class ArraysOut {
 public:
  explicit ArraysOut(std::int64_t most_inline = kInlineNumbers) : most_(most_inline) {}
  /// What stands for the array in the file.
  nlohmann::json word(const Tensor& tensor);
  /// In the file itself; an object.
  const nlohmann::json& table() const { return table_; }
  /// In the file beside it.
  const std::vector<NamedTensor>& tensors() const { return tensors_; }

 private:
  void put(const std::string& name, const Tensor& tensor);

  std::int64_t most_, embedded_ = 0;
  nlohmann::json table_ = nlohmann::json::object();
  std::vector<NamedTensor> tensors_;
  std::map<std::string, bool> known_;
};

/// Arrays as they are read. `table` (array_table() of the file) must outlive it.
class ArraysIn {
 public:
  /// `beside`: what the name of the file of arrays begins with.
  ArraysIn(std::string path, std::string beside,
           const nlohmann::json& table = array_table(nlohmann::json::object()))
      : path_(std::move(path)), beside_(std::move(beside)), table_(table) {}
  /// The array that `word` stands for; `field` is named in errors: no array, one that is missing, other
  /// numbers than were saved.
  Result<Tensor> find(const nlohmann::json& word, const char* field);

 private:
  Result<Shape> shape_from(const nlohmann::json& sizes, std::int64_t most, const std::string& field) const;
  Result<Tensor> embedded(const std::string& name, const nlohmann::json& word) const;
  Result<Tensor> load(const std::string& name);

  std::string path_, beside_;
  const nlohmann::json& table_;
  std::shared_ptr<TensorSource> file_;
};

}  // namespace attnscope
