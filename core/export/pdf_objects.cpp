#include "core/export/pdf_objects.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/deflate.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kMostPdfNumber = std::uint64_t{1} << 40;
constexpr std::string_view kPdfBlanks = " \t\r\n\f";
constexpr int kMostTried = 16;                 // embedded files that are looked into
constexpr std::size_t kMostDictionary = 4096;  // bytes of the dictionary of a stream

// The whole number behind a key: "/Size 12"; of a reference the object's number.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t from = text.find_first_not_of(kPdfBlanks, at + key.size());
  if (from == std::string_view::npos) return std::nullopt;
  const std::size_t end = text.find_first_not_of("0123456789", from);
  const auto out =
      parse_whole(text.substr(from, end == std::string_view::npos ? end : end - from), 0, kMostPdfNumber);
  return out ? std::optional(*out) : std::nullopt;
}

// What stands between << and the last >> of an object.
std::optional<std::string> dictionary_of(std::string_view pdf, std::uint64_t object) {
  const std::size_t at = pdf.rfind("\n" + std::to_string(object) + " 0 obj");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t from = pdf.find("<<", at), end = pdf.find("endobj", at);
  if (from == std::string_view::npos || end == std::string_view::npos || from > end) return std::nullopt;
  const std::size_t to = pdf.rfind(">>", end);
  if (to == std::string_view::npos || to < from) return std::nullopt;
  return std::string(pdf.substr(from + 2, to - from - 2));
}

class Update {
 public:
  Update(std::string pdf, std::uint64_t size) : pdf_(std::move(pdf)), next_(size) {
    if (!pdf_.ends_with('\n')) pdf_ += '\n';
  }
  std::uint64_t add(const std::string& body) { return put(next_++, body); }
  std::uint64_t put(std::uint64_t object, const std::string& body) {
    places_.emplace_back(object, pdf_.size());
    pdf_ += std::to_string(object) + " 0 obj\n" + body + "\nendobj\n";
    return object;
  }
  std::string finish(const std::string& trailer, std::uint64_t before) {
    const std::size_t xref = pdf_.size();
    pdf_ += "xref\n0 1\n0000000000 65535 f \n";
    for (const auto& [object, place] : places_)
      pdf_ += format("%llu 1\n%010llu 00000 n \n", static_cast<unsigned long long>(object),
                     static_cast<unsigned long long>(place));
    pdf_ += "trailer\n<< /Size " + std::to_string(next_) + trailer + " /Prev " + std::to_string(before) +
            " >>\nstartxref\n" + std::to_string(xref) + "\n%%EOF\n";
    return std::move(pdf_);
  }

 private:
  std::string pdf_;
  std::uint64_t next_;
  std::vector<std::pair<std::uint64_t, std::size_t>> places_;
};

}  // namespace

std::string with_embedded_file(std::string pdf, const std::string& name, std::string_view contents) {
  const std::string_view bytes(pdf);
  const std::size_t start = bytes.rfind("startxref"), trailer_at = bytes.rfind("trailer");
  if (start == std::string_view::npos || trailer_at == std::string_view::npos || trailer_at > start)
    return pdf;
  const std::string_view trailer = bytes.substr(trailer_at, start - trailer_at);
  const auto before = number_behind(bytes.substr(start), "startxref"), size = number_behind(trailer, "/Size"),
             root = number_behind(trailer, "/Root"), info = number_behind(trailer, "/Info");
  if (!before || !size || !root) return pdf;
  const auto catalog = dictionary_of(bytes, *root);
  if (!catalog || catalog->find("/Names") != std::string::npos) return pdf;
  Update update(std::move(pdf), *size);
  const std::string packed = zlib_packed(contents);
  const auto file =
      update.add("<< /Type /EmbeddedFile /Subtype /application#2Fjson /Filter /FlateDecode /Length " +
                 std::to_string(packed.size()) + " /Params << /Size " + std::to_string(contents.size()) +
                 " >> >>\nstream\n" + packed + "\nendstream");
  const std::string at = std::to_string(file) + " 0 R";
  const auto spec = update.add("<< /Type /Filespec /F (" + name + ") /UF (" + name + ") /EF << /F " + at +
                               " /UF " + at + " >> /AFRelationship /Source >>");
  const std::string spec_at = std::to_string(spec) + " 0 R";
  update.put(*root, "<<" + *catalog + " /Names << /EmbeddedFiles << /Names [(" + name + ") " + spec_at +
                        "] >> >> /AF [" + spec_at + "] >>");
  return update.finish(
      " /Root " + std::to_string(*root) + " 0 R" + (info ? " /Info " + std::to_string(*info) + " 0 R" : ""),
      *before);
}

std::optional<std::string> embedded_file(std::string_view pdf, std::string_view name, std::uint64_t most) {
  if (pdf.find(name) == std::string_view::npos) return std::nullopt;
  constexpr std::string_view kType = "/EmbeddedFile";
  int tried = 0;
  std::uint64_t left = most;
  for (std::size_t at = pdf.rfind(kType); at != std::string_view::npos && at > 0 && tried < kMostTried;
       at = pdf.rfind(kType, at - 1)) {
    const std::string_view behind = pdf.substr(at + kType.size(), kMostDictionary);
    if (behind.starts_with('s')) continue;  // "/EmbeddedFiles"
    ++tried;
    const std::size_t word = behind.find("stream");
    if (word == std::string_view::npos) continue;
    std::size_t from = at + kType.size() + word + std::string_view("stream").size();
    if (pdf.substr(from, 2) == "\r\n")
      from += 2;
    else if (pdf.substr(from, 1) == "\n")
      from += 1;
    // The stream ends by itself, and what stands behind it is ignored: /Length need not be right.
    if (auto contents = zlib_unpacked_of(pdf.substr(from), left); contents && contents->starts_with('{'))
      return contents;
  }
  return std::nullopt;
}

}  // namespace attnscope
