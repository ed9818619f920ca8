#include "core/trace/mask_notation.h"

#include "core/base/csv.h"

namespace attnscope {
namespace {

// As the format spells it.
std::string spelled(MaskNotation notation, MaskFormat format, bool allowed) {
  if (notation == MaskNotation::ones) return allowed ? "1" : "0";
  if (notation == MaskNotation::hidden) return allowed ? "False" : "True";
  if (allowed) return format == MaskFormat::csv ? "0" : "0.0";
  return format == MaskFormat::numpy ? "-np.inf" : format == MaskFormat::pytorch ? "-torch.inf" : "-inf";
}

std::string type_of(MaskNotation notation, MaskFormat format) {
  const std::string room = format == MaskFormat::numpy ? "np." : "torch.";
  if (notation == MaskNotation::hidden) return format == MaskFormat::numpy ? "bool" : room + "bool";
  return room + (notation == MaskNotation::ones ? "int64" : "float32");
}

}  // namespace

const char* mask_sign(MaskNotation notation, bool allowed) {
  switch (notation) {
    case MaskNotation::ones: return allowed ? "1" : "0";
    case MaskNotation::hidden: return allowed ? "False" : "True";
    case MaskNotation::added: break;
  }
  return allowed ? "0" : "−∞";
}

Result<std::string> mask_as(const Mask& mask, std::int64_t queries, std::int64_t keys, MaskNotation notation,
                            MaskFormat format, const std::vector<std::string>& query_names,
                            const std::vector<std::string>& key_names) {
  if (queries * keys > kMostNoted)
    return fail(Code::out_of_range, "error.trace.mask.copy", {queries * keys, kMostNoted});
  const bool table = format == MaskFormat::csv;
  const bool named = table && !query_names.empty();
  std::string out;
  if (format == MaskFormat::numpy) out = "import numpy as np\nmask = np.array([";
  if (format == MaskFormat::pytorch) out = "import torch\nmask = torch.tensor([";
  if (named) {
    for (const std::string& name : key_names) out += "," + csv_quoted(name);
    out += "\n";
  }
  for (std::int64_t query = 0; query < queries; ++query) {
    if (named) out += csv_quoted(query_names[static_cast<std::size_t>(query)]) + ",";
    if (!table) out += query == 0 ? "[" : "\n    [";
    for (std::int64_t key = 0; key < keys; ++key) {
      if (key > 0) out += table ? "," : ", ";
      out += spelled(notation, format, mask.allowed(query, key));
    }
    out += table ? "\n" : query + 1 < queries ? "]," : "]";
  }
  if (!table) out += "], dtype=" + type_of(notation, format) + ")\n";
  return out;
}

}  // namespace attnscope
