// safetensors: 8 bytes little-endian header length, a JSON header {name: {dtype, shape, data_offsets}}, the
// data. Every claim of the header is checked against the real file before anything is allocated or read.
// Refuses, like the format's own library: headers over 100 MB or not starting with '{', names given twice,
// unknown dtypes (named in the sentence), sizes that overflow, offsets out of range, overlaps, holes and
// trailing bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/io/tensor_source.h"

namespace attnscope {

/// Maps the file and checks its header; no tensor is read yet.
Result<std::shared_ptr<TensorSource>> open_safetensors(const std::string& path);

/// The weights of a model folder: model.safetensors, or the shards that model.safetensors.index.json names,
/// or the only *.safetensors file of the folder. Shards lie inside the folder; a missing one is named.
Result<std::shared_ptr<TensorSource>> open_safetensors_folder(const std::string& folder);

/// The same from memory that `owner` keeps alive; `what` names it in sentences.
Result<std::shared_ptr<TensorSource>> open_safetensors_bytes(std::shared_ptr<const void> owner,
                                                             std::span<const std::byte> bytes,
                                                             const std::string& what);

}  // namespace attnscope
