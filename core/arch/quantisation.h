// Quantised weights, by config.json. One kind is read: LLM.int8 (Dettmers et al. 2022), whose
// matrices are whole numbers with one scale for each row beside them: w = int8 * SCB / 127. Every other
// method is an error (unsupported): its tensors would be taken for plain weights.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/io/tensor_source.h"

namespace attnscope {

/// Errors: a quantisation method that is not read here, with its name.
Status check_quantisation(const nlohmann::json& config, const std::string& what);
/// The same once the file is open. Errors: LLM.int8 without scales in the file.
Status check_quantised_tensors(const nlohmann::json& config, const TensorSource& source,
                               const std::string& what);

/// True for a matrix that holds whole numbers and has scales beside it. It lies [out, in] whatever the
/// family.
bool is_int8(const TensorSource& source, const std::string& name);
/// Such a matrix with its rows scaled. Errors: scales that do not fit, rows in another order.
Result<Tensor> load_int8(const TensorSource& source, const std::string& name);
/// A note for the person about such matrices; nothing where there are none.
std::optional<Text> int8_note(const TensorSource& source);

}  // namespace attnscope
