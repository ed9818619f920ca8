// The circuits that a document has: lists of parts under names, and how a session keeps them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/session/document.h"

namespace attnscope {

/// Null: the document has none of that name.
const NamedCircuit* circuit_named(const Document& document, const std::string& name);
/// Takes the place of the one with its name. Errors: no name, no parts.
Status put_circuit(Document& document, NamedCircuit circuit);
/// Does nothing where there is none of that name.
void drop_circuit(Document& document, const std::string& name);

/// [{"name", "parts": ["blocks.0.attn.z[head=2]", ...], "measure": "logit_diff"}]
nlohmann::json circuits_json(const Document& document);
/// Errors: a damaged field.
Status take_circuits(const nlohmann::json& circuits, const std::string& path, Document& document);

}  // namespace attnscope
