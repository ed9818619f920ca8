// safetensors: 8 bytes little-endian header length, a JSON header {name: {dtype, shape, data_offsets}}, the
// data. Every size and offset of the header is checked against the file before anything is allocated or read.
// Errors, as in the format's own library: headers over 100 MB or not starting with '{', names given twice,
// unknown dtypes (the error has the name), sizes that overflow, offsets out of range, overlaps, holes and
// trailing bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/tensor_source.h"

namespace attnscope {

/// Maps the file and checks its header; no tensor is read yet. With `cut`, a file may end before its data
/// does, as one that was cut off while it was written: the tensors that are not whole are not in the source,
/// their names are in `cut`.
Result<std::shared_ptr<TensorSource>> open_safetensors(const std::string& path,
                                                       std::vector<std::string>* cut = nullptr);

/// The weights of a model folder: model.safetensors, or the shards listed in model.safetensors.index.json,
/// or the only *.safetensors file of the folder. Shards must lie in the folder; errors name a missing one.
Result<std::shared_ptr<TensorSource>> open_safetensors_folder(const std::string& folder);

/// The same from memory that `owner` keeps alive; `what` is its name in errors.
Result<std::shared_ptr<TensorSource>> open_safetensors_bytes(std::shared_ptr<const void> owner,
                                                             std::span<const std::byte> bytes,
                                                             const std::string& what,
                                                             std::vector<std::string>* cut = nullptr);

}  // namespace attnscope
