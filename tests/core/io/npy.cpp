#include "core/io/npy.h"

#include <zlib.h>

#include <cstdlib>

#include "core/io/inflate.h"
#include "core/io/writers.h"
#include "core/io/zip.h"
#include "helpers.h"

namespace attnscope::test {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Result<std::shared_ptr<TensorSource>> open_zip(const std::string& text) {
  auto owner = std::make_shared<const std::string>(text);
  return read_npz_bytes(owner, bytes_of(*owner), "test.npz");
}

// A zip of one member, built here record by record.
std::string one_member_zip(const zip::Member& member, const std::string& contents) {
  const std::string local = zip::local_header(member) + contents, central = zip::central_header(member);
  return local + central + zip::end_record(1, central.size(), local.size());
}

std::string good_array() { return npy_header("<f4", {2}) + raw<float>({1, 2}); }

std::string good_zip() {
  const std::string array = good_array();
  return one_member_zip({"a.npy", crc32_of(bytes_of(array)), array.size(), 0}, array);
}

Result<TensorInfo> parse(const std::string& dictionary, const std::string& data) {
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  const std::string text =
      std::string("\x93NUMPY\x01\x00", 8) + raw<std::uint16_t>({length}) + dictionary + data;
  return parse_npy(bytes_of(text), text.size(), "a", "test.npy");
}

TEST(Npy, HeaderIsNumPysOwn) {
  const std::string header = npy_header("<f4", {2, 3});
  EXPECT_EQ(header.size(), 128u);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_NE(header.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  "), std::string::npos);
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(npy_header("<i8", {5}).find("'shape': (5,), }"), std::string::npos);
  EXPECT_NE(npy_header("<i8", {}).find("'shape': (), }"), std::string::npos);
}

TEST(Npy, ChecksumIsThatOfTheStandard) {
  EXPECT_EQ(crc32_of(bytes_of("123456789")), 0xCBF43926u);
  EXPECT_EQ(crc32_of(bytes_of("6789"), crc32_of(bytes_of("12345"))), 0xCBF43926u);
}

TEST(Npy, RefusesWhatItCannotShow) {
  const std::string ok = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  EXPECT_TRUE(parse(ok, std::string(8, '\0')));
  expect_error(parse(ok, std::string(7, '\0')), Code::bad_format, "needs 8 bytes of values, but has 7");
  expect_error(parse(ok, std::string(9, '\0')), Code::bad_format, "needs 8 bytes of values, but has 9");
  const auto with = [](const std::string& descr, const std::string& order, const std::string& shape) {
    return parse("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n",
                 "12345678");
  };
  EXPECT_TRUE(with("'<f4'", "False", "(1, 2)"));
  EXPECT_TRUE(with("'<f4'", "True", "(2,)"));
  expect_error(with("'<f4'", "True", "(1, 2)"), Code::unsupported, "Fortran order");
  expect_error(with("'>f4'", "False", "(2,)"), Code::unsupported, "number format");
  expect_error(with("'|O'", "False", "(1,)"), Code::unsupported, "number format");
  expect_error(with("'<f4'", "False", "(2, -1)"), Code::bad_format, "no usable shape");
  expect_error(with("'<f4'", "False", "(9999999999999999999999,)"), Code::bad_format, "no usable shape");
  expect_error(with("'<f4'", "False", "(4294967296, 4294967296, 4294967296)"), Code::bad_format,
               "no usable shape");
  expect_error(with("'<f4'", "False", "(0, 4294967296)"), Code::bad_format, "no usable shape");
  expect_error(with("'<f4'", "False", "2"), Code::bad_format, "no usable shape");
  expect_error(parse("{}", ""), Code::bad_format, "without descr, order or shape");
  expect_error(parse_npy(bytes_of("hello"), 5, "a", "test.npy"), Code::bad_format, "NumPy header");
}

TEST(Npz, LiesAreNamed) {
  ASSERT_TRUE(open_zip(good_zip()));
  const std::string array = good_array();
  const std::uint32_t crc = crc32_of(bytes_of(array));
  expect_error(open_zip("hello"), Code::bad_format, "no zip archive");
  expect_error(open_zip(good_zip() + "x"), Code::bad_format, "no zip archive");
  expect_error(open_zip(one_member_zip({"a.npy", crc + 1, array.size(), 0}, array)), Code::bad_format,
               "checksum");
  expect_error(open_zip(one_member_zip({"a.npy", crc, 100'000, 0}, array)), Code::bad_format,
               "larger than the file");
  expect_error(open_zip(one_member_zip({"a.npy", crc, array.size() + 60, 0}, array)), Code::bad_format,
               "checksum");
  expect_error(open_zip(one_member_zip({"a.npy", crc, array.size(), 7}, array)), Code::bad_format,
               "not where the directory");
  expect_error(open_zip(one_member_zip({"a.npy", crc, array.size(), 0xFFFFFFF0}, array)), Code::bad_format,
               "not where");
  expect_error(open_zip(one_member_zip({"a.npy", crc, 0xFFFFFFFF, 0}, array)), Code::bad_format,
               "breaks off after 0 of 1");
  std::string compressed = good_zip();
  compressed[compressed.rfind("PK\x01\x02") + 10] = 14;
  expect_error(open_zip(compressed), Code::unsupported, "member \"a.npy\" is compressed in the way 14");
}

// A zip of one deflated member, in the one way that needs no compressor: a single stored block.
std::string deflated_zip(const std::string& contents, std::uint32_t said_bytes) {
  const auto size = static_cast<std::uint16_t>(contents.size());
  const std::string block = "\x01" + raw<std::uint16_t>({size, static_cast<std::uint16_t>(~size)}) + contents;
  std::string text = one_member_zip({"a.npy", crc32_of(bytes_of(contents)), block.size(), 0}, block);
  const std::size_t line = text.rfind("PK\x01\x02");
  text[line + 10] = 8;
  return text.replace(line + 24, 4, raw<std::uint32_t>({said_bytes}));
}

// Raw deflate, as zip has it.
std::string deflated(const std::string& contents) {
  z_stream state{};
  EXPECT_EQ(::deflateInit2(&state, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&state, contents.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(contents.data()));
  state.avail_in = static_cast<uInt>(contents.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&state, Z_FINISH), Z_STREAM_END);
  out.resize(state.total_out);
  ::deflateEnd(&state);
  return out;
}

TEST(Npz, DeflatedMembersAreExpandedAndNoFurtherThanTheySay) {
  const std::string array = good_array();
  const auto size = static_cast<std::uint32_t>(array.size());
  const auto source = open_zip(deflated_zip(array, size));
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->load("a")->values(), (std::vector<float>{1, 2}));
  expect_error(open_zip(deflated_zip(array, size - 1)), Code::bad_format, "cannot be expanded");
  expect_error(open_zip(deflated_zip(array, size + 1)), Code::bad_format, "cannot be expanded");
  expect_error(open_zip(deflated_zip(array, 4'000'000'000)), Code::bad_format, "to more than it can");
  std::string broken = deflated_zip(array, size);
  broken[30 + 5] = 0x07;  // a kind of block that deflate does not have
  expect_error(open_zip(broken), Code::bad_format, "cannot be expanded");
  broken = deflated_zip(array, size);
  broken[broken.find("NUMPY")] = 'M';
  expect_error(open_zip(broken), Code::bad_format, "checksum");
}

// A member of 40 MB of zeros, which deflate to 40 KB.
std::string large_deflated_zip(const std::string& header) {
  const std::string contents = header + std::string(40 << 20, '\0');
  const std::string block = deflated(contents);
  std::string text = one_member_zip({"a.npy", crc32_of(bytes_of(contents)), block.size(), 0}, block);
  const std::size_t line = text.rfind("PK\x01\x02");
  text[line + 10] = 8;
  return text.replace(line + 24, 4, raw<std::uint32_t>({static_cast<std::uint32_t>(contents.size())}));
}

TEST(Npz, LargeDeflatedMembersAreExpandedOnlyWhenTheyAreLoaded) {
  expect_error(open_zip(large_deflated_zip(npy_header("<f4", {3}))), Code::bad_format,
               "needs 12 bytes of values, but has 41943040");
  expect_error(open_zip(large_deflated_zip("no header")), Code::bad_format, "NumPy header");
  std::string text = large_deflated_zip(npy_header("<f4", {10 << 20}));
  const auto good = open_zip(text);
  ASSERT_TRUE(good) << good.error().text();
  EXPECT_EQ((*good)->find("a")->shape, (std::vector<std::int64_t>{10 << 20}));
  EXPECT_EQ((*good)->load("a")->count(), 10 << 20);
  text[20'000] = static_cast<char>(text[20'000] ^ 0x55);
  const auto broken = open_zip(text);
  ASSERT_TRUE(broken) << broken.error().text();
  EXPECT_EQ((*broken)->load("a").error().code(), Code::bad_format);
}

// Sizes and offset of the member, and the directory, in the 64-bit form that archives over 4 GB have.
TEST(Npz, TheSixtyFourBitFormIsRead) {
  const std::string array = good_array();
  const std::uint64_t size = array.size();
  const zip::Member member{"a.npy", crc32_of(bytes_of(array)), size, 0};
  const std::string local = zip::local_header(member) + array;
  std::string line = zip::central_header({"a.npy", member.crc, zip::kLimit, zip::kLimit});
  line.replace(30, 2, raw<std::uint16_t>({28}));  // length of the extra field
  line += raw<std::uint16_t>({1, 24}) + raw<std::uint64_t>({size, size, 0});
  const std::string end64 = raw<std::uint32_t>({0x06064b50}) + raw<std::uint64_t>({44}) +
                            raw<std::uint16_t>({45, 45}) + raw<std::uint32_t>({0, 0}) +
                            raw<std::uint64_t>({1, 1, line.size(), local.size()});
  const std::string locator = raw<std::uint32_t>({0x07064b50, 0}) +
                              raw<std::uint64_t>({local.size() + line.size()}) + raw<std::uint32_t>({1});
  const std::string text =
      local + line + end64 + locator + zip::end_record(zip::kMaxMembers, zip::kLimit, zip::kLimit);
  const auto source = open_zip(text);
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->load("a")->values(), (std::vector<float>{1, 2}));
  for (std::size_t cut = 0; cut < text.size(); ++cut) EXPECT_FALSE(open_zip(text.substr(0, cut))) << cut;
}

TEST(Npz, TwoMembersOfOneNameAreRefused) {
  const std::string array = good_array();
  const zip::Member member{"a.npy", crc32_of(bytes_of(array)), array.size(), 0};
  const std::string local = zip::local_header(member) + array, line = zip::central_header(member);
  zip::Member again = member;
  again.offset = local.size();
  expect_error(open_zip(local + local + line + zip::central_header(again) +
                        zip::end_record(2, 2 * line.size(), 2 * local.size())),
               Code::bad_format, "two of its members");
}

TEST(Npz, EveryTruncationIsRefused) {
  const std::string whole = good_zip();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(open_zip(whole.substr(0, size))) << size;
}

// Runs a Python script; 77 says that it has no NumPy, 127 that there is no Python.
int python(const std::string& script) {
  const int status = std::system(("python3 - >/dev/null 2>&1 <<'END'\n" + script + "\nEND").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

TEST(Npz, PythonsZipModuleReadsIt) {
  const TempFolder folder;
  ASSERT_TRUE(write_npz(folder / "a.npz",
                        {{"blocks.0.q", Tensor::filled({{Axis::pos, 300}, {Axis::d_model, 7}}, 0.5f)}},
                        {{"tokens", {1, 2}, {2}}}));
  const int code = python("import zipfile, sys\nz = zipfile.ZipFile('" + folder / "a.npz" +
                          "')\nsys.exit(0 if z.testzip() is None and z.namelist() == ['tokens.npy', "
                          "'blocks.0.q.npy'] and z.read('blocks.0.q.npy')[-4:] == b'\\0\\0\\0?' else 1)");
  if (code == 127) GTEST_SKIP() << "no python3";
  EXPECT_EQ(code, 0);
}

// Compressed by Python's own module, as numpy.savez_compressed does it.
TEST(Npz, CompressedByPythonIsRead) {
  const TempFolder folder;
  Buffer long_one({{Axis::pos, 300}, {Axis::d_model, 700}});
  for (std::int64_t i = 0; i < long_one.count(); ++i) long_one.data()[i] = static_cast<float>(i % 97);
  const Tensor values = std::move(long_one).freeze();
  ASSERT_TRUE(write_npz(folder / "a.npz", {{"blocks.0.q", values}}, {{"tokens", {1, 2}, {2}}}));
  const int code = python("import zipfile\nd = '" + folder.path() +
                          "/'\na = zipfile.ZipFile(d + 'a.npz')\n"
                          "b = zipfile.ZipFile(d + 'b.npz', 'w', zipfile.ZIP_DEFLATED)\n"
                          "for name in a.namelist():\n"
                          "  with b.open(name, 'w', force_zip64=True) as f: f.write(a.read(name))\n"
                          "b.close()");
  if (code == 127) GTEST_SKIP() << "no python3";
  ASSERT_EQ(code, 0);
  EXPECT_LT(std::filesystem::file_size(folder / "b.npz"), std::filesystem::file_size(folder / "a.npz") / 4);
  const auto source = read_npz(folder / "b.npz");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->load("blocks.0.q")->values(), values.values());
  EXPECT_EQ(*(*source)->load_ints("tokens"), (std::vector<std::int64_t>{1, 2}));
}

TEST(Npz, NumPyReadsOursAndWeReadNumPys) {
  const TempFolder folder;
  const Tensor matrix = Tensor::from({1, 2, 3, 4, 5, 6}, {{Axis::pos, 2}, {Axis::d_model, 3}});
  ASSERT_TRUE(write_npz(folder / "a.npz", {{"m", matrix}, {"t", matrix.transpose()}}, {{"i", {7, -8}, {2}}}));
  ASSERT_TRUE(write_npy(folder / "a.npy", matrix));
  const int code = python(
      "try:\n  import numpy as np\nexcept ImportError:\n  raise SystemExit(77)\n"
      "d = '" +
      folder.path() +
      "/'\n"
      "a = np.load(d + 'a.npz')\n"
      "m = np.arange(1, 7, dtype='<f4').reshape(2, 3)\n"
      "assert a['m'].dtype == m.dtype and (a['m'] == m).all() and (a['t'] == m.T).all()\n"
      "assert a['i'].dtype == np.int64 and (a['i'] == [7, -8]).all()\n"
      "assert (np.load(d + 'a.npy') == m).all()\n"
      "np.savez(d + 'b.npz', m=m, h=m.astype('f2'), i=np.array([7, -8]), s=np.float64(2.5))\n"
      "np.savez_compressed(d + 'c.npz', m=m)");
  if (code == 77 || code == 127) GTEST_SKIP() << "no python3 with NumPy";
  ASSERT_EQ(code, 0);
  const auto theirs = read_npz(folder / "b.npz");
  ASSERT_TRUE(theirs) << theirs.error().text();
  EXPECT_EQ((*theirs)->load("m")->values(), matrix.values());
  EXPECT_EQ((*theirs)->load("h")->values(), matrix.values());
  EXPECT_EQ(*(*theirs)->load_ints("i"), (std::vector<std::int64_t>{7, -8}));
  EXPECT_EQ((*theirs)->load("s")->at(0), 2.5f);
  const auto compressed = read_npz(folder / "c.npz");
  ASSERT_TRUE(compressed) << compressed.error().text();
  EXPECT_EQ((*compressed)->load("m")->values(), matrix.values());
}

}  // namespace
}  // namespace attnscope::test
