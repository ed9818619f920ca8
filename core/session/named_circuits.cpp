#include "core/session/named_circuits.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/session/session_model.h"

namespace attnscope {

using Json = nlohmann::json;

const NamedCircuit* circuit_named(const Document& document, const std::string& name) {
  const auto found = std::find_if(document.circuits.begin(), document.circuits.end(),
                                  [&](const NamedCircuit& one) { return one.name == name; });
  return found == document.circuits.end() ? nullptr : &*found;
}

Status put_circuit(Document& document, NamedCircuit circuit) {
  if (circuit.name.empty() || circuit.parts.empty())
    return fail(Code::out_of_range, "error.session.circuit_empty");
  for (NamedCircuit& one : document.circuits)
    if (one.name == circuit.name) {
      one = std::move(circuit);
      return Done{};
    }
  document.circuits.push_back(std::move(circuit));
  return Done{};
}

void drop_circuit(Document& document, const std::string& name) {
  std::erase_if(document.circuits, [&](const NamedCircuit& one) { return one.name == name; });
}

Json circuits_json(const Document& document) {
  Json out = Json::array();
  for (const NamedCircuit& one : document.circuits) {
    out.push_back({{"name", one.name}, {"parts", one.parts}});
    if (!one.measure.empty()) out.back()["measure"] = one.measure;
  }
  return out;
}

Status take_circuits(const Json& circuits, const std::string& path, Document& document) {
  const auto damaged = [&] { return damaged_session(path, Text::of("error.session.file.circuits")); };
  if (!circuits.is_array()) return damaged();
  for (const Json& one : circuits) {
    if (!one.is_object() || !one.contains("name") || !one["name"].is_string() || !one.contains("parts") ||
        !one["parts"].is_array() || (one.contains("measure") && !one["measure"].is_string()))
      return damaged();
    NamedCircuit circuit{one["name"].get<std::string>(), {}, one.value("measure", std::string())};
    for (const Json& part : one["parts"]) {
      if (!part.is_string()) return damaged();
      circuit.parts.push_back(part.get<std::string>());
    }
    if (!put_circuit(document, std::move(circuit))) return damaged();
  }
  return Done{};
}

}  // namespace attnscope
