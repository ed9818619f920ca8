#include "tests/fuzz/sources.h"

#include <cstring>
#include <fstream>
#include <span>
#include <sstream>

#include "core/io/inflate.h"
#include "core/io/zip.h"

namespace attnscope::fuzz {
namespace {

// NaN is the same as NaN here.
bool same_values(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

void read_tensor(const Tensor& tensor, std::size_t most) {
  must(static_cast<std::size_t>(tensor.count()) <= most, "a tensor larger than its file can hold");
  double sum = 0;
  for (const float value : tensor.values()) sum += static_cast<double>(value);
  if (tensor.count() > 0 && tensor.rank() == 2) {
    sum += static_cast<double>(tensor.at(tensor.size(0) - 1, tensor.size(1) - 1));
    const Tensor cut = tensor.slice(1, tensor.size(1) / 3, tensor.size(1));
    for (const float value : cut.transpose().values()) sum += static_cast<double>(value);
    const Tensor edited = tensor.with_value({0, 0}, 2);
    must(edited.at(0, 0) == 2, "a value that was set and is not there");
    const Tensor turned = edited.take_rows({tensor.size(0) - 1, 0});
    must(turned.at(1, 0) == 2, "rows in another order than was asked for");
  }
  use(sum);
}

}  // namespace

void read_all(const std::shared_ptr<TensorSource>& source, std::size_t file_bytes,
              std::size_t values_per_byte) {
  const std::size_t most = file_bytes * values_per_byte;
  const auto limited = within_limit(source, 0);
  for (const TensorInfo& info : source->infos()) {
    must(info.bytes <= file_bytes && info.offset <= file_bytes - info.bytes,
         "a tensor beyond the end of its file");
    const auto tensor = source->load(info.name), encoded = limited->load(info.name);
    must(tensor.ok() == encoded.ok(), "a tensor that opens in one way only");
    if (tensor) {
      read_tensor(*tensor, most);
      read_tensor(*encoded, most);
      must(same_values(tensor->values(), encoded->values()), "a tensor that is expanded in two ways");
    } else {
      refused(tensor.error());
    }
    const auto whole = limited->load_ints(info.name);
    if (whole)
      must(whole->size() <= most, "more whole numbers than the file can hold");
    else
      refused(whole.error());
  }
  must(!source->load("there is no such tensor") && !limited->find("there is no such tensor"),
       "an unknown tensor");
  use(static_cast<double>(expanded_bytes(*source) + limited->metadata().size()));
}

std::string zipped(const Files& files) {
  std::string bytes, directory;
  for (const auto& [name, contents] : files) {
    const zip::Member member{name, crc32_of(std::as_bytes(std::span(contents))), contents.size(),
                             bytes.size()};
    bytes += zip::local_header(member) + contents;
    directory += zip::central_header(member);
  }
  return bytes + directory + zip::end_record(files.size(), directory.size(), bytes.size());
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  must(file.good(), "there is no " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace attnscope::fuzz
