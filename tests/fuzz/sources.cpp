#include "tests/fuzz/sources.h"

#include <zlib.h>

#include <algorithm>
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

Tensor scale_of(const Tensor& tensor) {
  return tensor.scale_rows(std::vector<float>(static_cast<std::size_t>(tensor.size(0)), 2.f));
}

// Views of a matrix, numbers set by hand in it, rows in another order and scaled: the same whether its values
// are expanded or stay as the file stores them.
void change_matrix(const Tensor& tensor) {
  const std::int64_t rows = tensor.size(0), cols = tensor.size(1);
  const Tensor part = tensor.slice(0, rows / 2, rows).slice(1, cols / 3, cols);
  must(same_values(part.transpose().transpose().values(), part.values()), "a part that is transposed twice");
  use(static_cast<double>(tensor.transpose().packed().at(0, rows - 1)));
  use(static_cast<double>(tensor.select(1, cols - 1).packed().at(rows - 1)));
  const std::int64_t some = std::min<std::int64_t>(rows, 2);
  const std::vector<BoxEdit> changes{{{0, 0}, {some, 1}, BoxEdit::Kind::set, 2, {}},
                                     {{0, 0}, {1, 1}, BoxEdit::Kind::add, 1, {}},
                                     {{0, 0}, {1, 1}, BoxEdit::Kind::scale, 2, {}}};
  const Tensor set = tensor.with_cells(changes);
  must(set.at(0, 0) == 6 && (rows < 2 || set.at(1, 0) == 2), "values that were set and are not there");
  must(set.transpose().values().at(0) == 6, "a value that was set and is not there when transposed");
  if (set.is_encoded()) {
    must(set.set_by_hand().size() == static_cast<std::size_t>(some),
         "values set by hand that nobody knows of");
    must(set.set_by_hand_along(0)[0] == 1, "a row that was set by hand");
    must(tensor.same_bytes(tensor.with_cells({})), "other bytes where nothing was changed");
    use(set.same_bytes(scale_of(tensor)) ? 1 : 0);
    must(set.beneath().empty() || same_values(set.beneath().values(), tensor.values()), "what lies beneath");
  }
  std::vector<float> by(static_cast<std::size_t>(rows), 1.f);
  by.back() = 0.5f;
  const Tensor scaled = tensor.scale_rows(by), reversed = scaled.take_rows({rows - 1, 0});
  must(same_values(reversed.slice(0, 1, 2).values(), scaled.slice(0, 0, 1).values()), "rows that moved");
  use(static_cast<double>(scaled.at(rows - 1, cols - 1) + reversed.at(0, cols - 1)));
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
    const Tensor reversed = edited.take_rows({tensor.size(0) - 1, 0});
    must(reversed.at(1, 0) == 2, "rows in another order than was asked for");
    change_matrix(tensor);
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
      const auto stored = limited->load_encoded(info.name);
      must(stored && same_values(tensor->values(), stored->values()), "a tensor that is stored in two ways");
    } else {
      refused(tensor.error());
    }
    const auto whole = limited->load_ints(info.name);
    if (whole)
      must(whole->size() <= most, "more whole numbers than the file can hold");
    else
      refused(whole.error());
  }
  const char* none = "there is no such tensor";
  for (const auto& one : {source, limited})
    must(!one->load(none) && !one->find(none) && !one->load_ints(none) && !one->load_encoded(none),
         "an unknown tensor");
  use(static_cast<double>(expanded_bytes(*source) + limited->metadata().size()));
}

namespace {

std::string deflated_bytes(const std::string& contents) {
  z_stream stream{};
  must(::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
       "zlib");
  std::string out(::deflateBound(&stream, contents.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(contents.data()));  // it only reads
  stream.avail_in = static_cast<uInt>(contents.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  must(::deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

// Method 8 and the size of what lies in the file.
void say_deflated(std::string& header, std::size_t method_at, std::size_t size_at, std::uint32_t size) {
  header[method_at] = 8;
  std::memcpy(header.data() + size_at, &size, sizeof(size));
}

}  // namespace

std::string zipped(const Files& files, bool deflated) {
  std::string bytes, directory;
  for (const auto& [name, contents] : files) {
    const zip::Member member{name, crc32_of(std::as_bytes(std::span(contents))), contents.size(),
                             bytes.size()};
    const std::string stored = deflated ? deflated_bytes(contents) : contents;
    std::string local = zip::local_header(member), central = zip::central_header(member);
    if (deflated) {
      say_deflated(local, 8, 18, static_cast<std::uint32_t>(stored.size()));
      say_deflated(central, 10, 20, static_cast<std::uint32_t>(stored.size()));
    }
    bytes += local + stored;
    directory += central;
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
