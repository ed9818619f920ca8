#include "core/io/zip.h"

namespace attnscope {
namespace {

void put16(std::string& out, std::uint64_t value) {
  out += static_cast<char>(value & 0xFF);
  out += static_cast<char>((value >> 8) & 0xFF);
}

void put32(std::string& out, std::uint64_t value) {
  put16(out, value & 0xFFFF);
  put16(out, value >> 16);
}

// What local and central headers have in common: version needed ... length of the extra field.
void put_common(std::string& out, const zip::Member& member) {
  put16(out, 20);      // version needed: 2.0
  put16(out, 0x0800);  // names are UTF-8
  put16(out, 0);       // stored
  put16(out, 0);       // time: midnight
  put16(out, 0x0021);  // date: 1 January 1980, so that equal tensors make equal files
  put32(out, member.crc);
  put32(out, member.bytes);  // compressed
  put32(out, member.bytes);  // as it is
  put16(out, member.name.size());
  put16(out, 0);  // extra field
}

}  // namespace

namespace zip {

std::string local_header(const Member& member) {
  std::string out;
  put32(out, kLocal);
  put_common(out, member);
  return out + member.name;
}

std::string central_header(const Member& member) {
  std::string out;
  put32(out, kCentral);
  put16(out, 20);  // made by: version 2.0, FAT attributes
  put_common(out, member);
  put16(out, 0);  // comment
  put16(out, 0);  // disk
  put16(out, 0);  // internal attributes
  put32(out, 0);  // external attributes
  put32(out, member.offset);
  return out + member.name;
}

std::string end_record(std::size_t members, std::uint64_t directory_bytes, std::uint64_t directory_offset) {
  std::string out;
  put32(out, kEnd);
  put16(out, 0);  // this disk
  put16(out, 0);  // disk of the directory
  put16(out, members);
  put16(out, members);
  put32(out, directory_bytes);
  put32(out, directory_offset);
  put16(out, 0);  // comment
  return out;
}

}  // namespace zip
}  // namespace attnscope
