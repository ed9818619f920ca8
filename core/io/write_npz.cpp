// .npy and .npz writers: NumPy's own headers, and a stored zip around them.
#include "core/base/text.h"
#include "core/io/entries.h"
#include "core/io/inflate.h"
#include "core/io/npy.h"
#include "core/io/zip.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

std::span<const std::byte> as_bytes(const void* data, std::size_t bytes) {
  return {static_cast<const std::byte*>(data), bytes};
}

// The directory entries, complete but for the CRC. Errors: what the zip format cannot hold.
Result<std::vector<zip::Member>> plan(const std::string& path, const std::vector<Entry>& entries,
                                      const std::vector<std::string>& headers) {
  std::vector<zip::Member> members;
  std::uint64_t at = 0, directory = 0;
  bool fits = entries.size() < zip::kMaxMembers;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    zip::Member member{*entries[i].name + ".npy", 0, headers[i].size() + entries[i].bytes, at};
    fits = fits && member.name.size() < 0xFFFF && member.bytes < zip::kLimit;
    at += zip::kLocalBytes + member.name.size() + member.bytes;
    directory += zip::kCentralBytes + member.name.size();
    members.push_back(std::move(member));
  }
  if (!fits || at + directory >= zip::kLimit)
    return fail(Code::unsupported, "error.io.npz.limit",
                {entries.size(), format_bytes(at), quoted_path(path)});
  return members;
}

}  // namespace

Status put_npz(AtomicFile& file, const std::string& path, const std::vector<NamedTensor>& tensors,
               const std::vector<NamedInts>& ints) {
  TRY(const auto entries, make_entries(path, tensors, ints));
  std::vector<std::string> headers;
  for (const Entry& entry : entries) headers.push_back(npy_header(entry.ints ? "<i8" : "<f4", entry.shape));
  TRY(auto members, plan(path, entries, headers));
  const std::uint64_t begin = file.written();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    with_values(entries[i], [&](const void* data, std::size_t bytes) {
      members[i].crc =
          crc32_of(as_bytes(data, bytes), crc32_of(as_bytes(headers[i].data(), headers[i].size())));
      file.write(zip::local_header(members[i]));
      file.write(headers[i]);
      file.write(data, bytes);
    });
  }
  const std::uint64_t directory = file.written() - begin;
  for (const zip::Member& member : members) file.write(zip::central_header(member));
  file.write(zip::end_record(members.size(), file.written() - begin - directory, directory));
  return Done{};
}

Status write_npz(const std::string& path, const std::vector<NamedTensor>& tensors,
                 const std::vector<NamedInts>& ints) {
  TRY_OK(make_entries(path, tensors, ints));  // names are checked before a file is touched
  TRY(AtomicFile file, AtomicFile::create(path));
  TRY_OK(put_npz(file, path, tensors, ints));
  return file.commit();
}

Status put_npy(AtomicFile& file, const std::string& path, const Tensor& tensor) {
  TRY(const auto entries, make_entries(path, {{"array", tensor}}, {}));
  file.write(npy_header("<f4", tensor.sizes()));
  const Tensor packed = tensor.packed();
  file.write(packed.data(), static_cast<std::size_t>(entries[0].bytes));
  return Done{};
}

Status write_npy(const std::string& path, const Tensor& tensor) {
  TRY_OK(make_entries(path, {{"array", tensor}}, {}));
  TRY(AtomicFile file, AtomicFile::create(path));
  TRY_OK(put_npy(file, path, tensor));
  return file.commit();
}

}  // namespace attnscope
