// Files of tensors, JSON and pictures: safetensors (one file, shards), GGUF (bytes, values of the head, parts
// of a split model), npy, npz, JSON, PNG and JPEG. What opens is read to its last value.
#include <sys/stat.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "core/arch/gguf_tokenizer.h"
#include "core/arch/open.h"
#include "core/arch/preprocess.h"
#include "core/base/text.h"
#include "core/export/carried.h"
#include "core/io/gguf.h"
#include "core/io/image.h"
#include "core/io/inflate.h"
#include "core/io/json_file.h"
#include "core/io/npy.h"
#include "core/io/png_file.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "core/io/zip.h"
#include "core/system/mapped_file.h"
#include "tests/fuzz/format.h"
#include "tests/fuzz/sources.h"
#include "tests/golden/gguf_writer.h"

namespace attnscope::fuzz {
namespace {

using nlohmann::json;

std::string formats_io_safetensors_of(const std::string& header, std::size_t bytes) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + header +
         std::string(bytes, '\x3c');
}

std::string many_types() {
  return formats_io_safetensors_of(
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"BF16","shape":[3,5],"data_offsets":[0,30]},)"
      R"("e":{"dtype":"F32","shape":[0,4],"data_offsets":[30,30]},"s":{"dtype":"F16","shape":[],"data_offsets":[30,32]},)"
      R"("d":{"dtype":"F64","shape":[1,2,1,2],"data_offsets":[32,64]},"m":{"dtype":"BOOL","shape":[9],"data_offsets":[64,73]},)"
      R"("i":{"dtype":"I16","shape":[2,2],"data_offsets":[73,81]},"x":{"dtype":"U8","shape":[1,1,1,1,7],"data_offsets":[81,88]},)"
      R"("y":{"dtype":"I32","shape":[2],"data_offsets":[88,96]},"z":{"dtype":"I64","shape":[2],"data_offsets":[96,112]},)"
      R"("q":{"dtype":"I8","shape":[2,4],"data_offsets":[112,120]}})",
      120);
}

// Matrices that are large enough to stay as they are.
std::string large_matrices() {
  return formats_io_safetensors_of(R"({"w":{"dtype":"BF16","shape":[33,32],"data_offsets":[0,2112]},)"
                                   R"("h":{"dtype":"F16","shape":[2,512],"data_offsets":[2112,4160]},)"
                                   R"("f":{"dtype":"F32","shape":[8,9],"data_offsets":[4160,4448]}})",
                                   4448);
}

std::vector<Files> safetensors_seeds() {
  return {{{"a.safetensors", large_matrices()}},
          {{"a.safetensors", many_types()}},
          {{"a.safetensors",
            formats_io_safetensors_of(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})", 16)}},
          {{"a.safetensors", formats_io_safetensors_of("{}", 0)}}};
}

bool read_safetensors(const Files& files) {
  const auto bytes = exact_bytes(only_file(files));
  std::vector<std::string> cut;
  const auto some = open_safetensors_bytes(bytes, *bytes, "a.safetensors", &cut);
  if (some) read_all(*some, bytes->size());
  const auto source = open_safetensors_bytes(bytes, *bytes, "a.safetensors");
  if (!source) return refused(source.error(), "a.safetensors");
  read_all(*source, bytes->size());
  return true;
}

// ---- shards ----
std::vector<Files> shard_seeds() {
  const auto shard = [](const std::string& name) {
    return formats_io_safetensors_of(
        R"({")" + name + R"(":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})", 16);
  };
  const std::string index =
      R"({"metadata":{"total_size":32},"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}})";
  return {{{"model.safetensors.index.json", index},
           {"m-1.safetensors", shard("a")},
           {"m-2.safetensors", shard("b")}},
          {{"model.safetensors", many_types()}},
          {{"model.safetensors.index.json", R"({"weight_map":{"w":"m.safetensors","h":"m.safetensors"}})"},
           {"m.safetensors", large_matrices()}},
          {{"other.safetensors", shard("a")}}};
}

std::vector<Files> shard_misses() { return {{{"pytorch_model.bin", "x"}}, {{"config.json", "{}"}}}; }

bool read_shards(const Files& files) {
  const auto source = open_safetensors_folder(on_disk(files));
  if (!source) return refused(source.error());
  read_all(*source, 1 << 16);
  return true;
}

// ---- GGUF ----
std::string gguf_of_every_type() {
  testing::GgufWriter writer;
  writer.text("general.architecture", "llama");
  writer.number("general.alignment", 32);
  writer.flag("f", true);
  writer.real("r", 0.5f);
  writer.entry("u8", 0, testing::GgufWriter::raw(std::uint8_t{200}));
  writer.entry("i8", 1, testing::GgufWriter::raw(std::int8_t{-3}));
  writer.entry("u16", 2, testing::GgufWriter::raw(std::uint16_t{1}));
  writer.entry("i16", 3, testing::GgufWriter::raw(std::int16_t{-1}));
  writer.entry("u64", 10, testing::GgufWriter::raw(std::uint64_t{1}));
  writer.entry("i64", 11, testing::GgufWriter::raw(std::int64_t{-1}));
  writer.entry("f64", 12, testing::GgufWriter::raw(0.25));
  writer.texts("tokens", {"a", "bc", "", "def"});
  writer.numbers<float>("scores", 6, {0.f, -1.f});
  writer.numbers<std::int32_t>("types", 5, {1, 3});
  writer.numbers<double>("doubles", 12, {1.0, 1e300});
  writer.numbers<std::uint8_t>("flags", 7, {0, 1});
  for (const auto& [type, bytes] :
       std::vector<std::pair<std::uint32_t, std::size_t>>{{2, 18}, {3, 20}, {6, 22}, {7, 24}, {8, 34}})
    writer.tensor("q" + std::to_string(type), {1, 32}, type, std::string(bytes, '\x3c'));
  for (const auto& [type, bytes] : std::vector<std::pair<std::uint32_t, std::size_t>>{
           {10, 84}, {11, 110}, {12, 144}, {13, 176}, {14, 210}})
    writer.tensor("k" + std::to_string(type), {256}, type, std::string(bytes, '\x35'));
  writer.floats("w", {2, 2}, {1, 2, 3, 4});
  writer.tensor("large", {16, 64}, 8, std::string(16 * 2 * 34, '\x3c'));
  writer.tensor("h", {2, 2}, 1, std::string(8, '\x3c'));
  writer.tensor("i", {3}, 26, std::string(12, '\1'));
  return writer.file();
}

std::vector<Files> gguf_seeds() {
  testing::GgufWriter nested;
  const auto raw = [](auto value) { return testing::GgufWriter::raw(value); };
  nested.entry("lists", 9,
               raw(std::uint32_t{9}) + raw(std::uint64_t{1}) + raw(std::uint32_t{4}) + raw(std::uint64_t{2}) +
                   raw(std::uint32_t{1}) + raw(std::uint32_t{2}));
  nested.version = 2;
  return {{{"a.gguf", gguf_of_every_type()}}, {{"a.gguf", nested.file()}}};
}

// What is refused by name: other versions, formats that are not expanded, numbers that contradict each other.
std::vector<Files> gguf_misses() {
  using Writer = testing::GgufWriter;
  std::vector<Files> out;
  const auto add = [&](const std::string& file) { out.push_back({{"a.gguf", file}}); };
  const auto with = [&](const auto& change) {
    Writer writer;
    change(writer);
    add(writer.file());
  };
  for (const std::uint32_t version : {1u, 4u, 0x02000000u}) with([&](Writer& w) { w.version = version; });
  add("FUGG" + Writer::raw(std::uint32_t{3}));
  with([](Writer& w) { w.extra_entries = 1u << 30; });
  with([](Writer& w) { w.extra_tensors = 1u << 30; });
  with([](Writer& w) { w.number("a", 1), w.number("a", 2); });
  with([](Writer& w) { w.number("general.alignment", 3); });
  for (const std::uint32_t type : {9u, 16u, 39u, 99u})
    with([&](Writer& w) { w.tensor("t", {32}, type, std::string(64, '\1')); });
  with([](Writer& w) { w.floats("t", {1}, {1}), w.floats("t", {1}, {1}); });
  with([](Writer& w) { w.tensor_at("t", {1}, 0, 0, "abcd"), w.tensor_at("u", {1}, 0, 0, "abcd"); });
  with([](Writer& w) { w.tensor_at("t", {1}, 0, 4, "abcd"); });
  with([](Writer& w) { w.tensor_at("t", {1 << 20}, 0, 0, "abcd"); });
  with([](Writer& w) { w.tensor("t", {33}, 8, std::string(68, '\1')); });
  with([](Writer& w) { w.tensor("t", {1, 1, 1, 1, 1}, 0, "abcd"); });
  with([](Writer& w) { w.tensor("t", {std::int64_t{1} << 40, std::int64_t{1} << 40}, 0, "abcd"); });
  with([](Writer& w) { w.tensor("t", {std::int64_t{1} << 59}, 28, "abcdefgh"); });
  return out;
}

void read_metadata(const Gguf& file) {
  for (const auto& [key, value] : file.metadata) {
    if (const auto texts = value.texts())
      for (const std::string_view word : *texts) use(static_cast<double>(word.size()));
    if (const auto numbers = value.numbers()) use(static_cast<double>(numbers->size()));
    use(value.number().value_or(0));
    use(static_cast<double>(value.integer().value_or(0)));
    use(value.flag().value_or(false) ? 1 : 0);
    use(static_cast<double>(value.text().value_or("").size() + value.count()));
  }
}

bool read_gguf(const Files& files) {
  const auto bytes = exact_bytes(only_file(files));
  const auto opened = open_gguf_bytes(bytes, *bytes, "a.gguf");
  if (!opened) return refused(opened.error(), "a.gguf");
  read_metadata(*opened);
  read_all(opened->tensors, bytes->size(), 4);
  return true;
}

// The blocks of real models, their bytes changed: every number that they may hold is expanded.
bool read_blocks(const Files& files) {
  const auto bytes = exact_bytes(only_file(files));
  const auto opened = open_gguf_bytes(bytes, *bytes, "blocks.gguf");
  if (!opened) return refused(opened.error(), "blocks.gguf");
  read_all(opened->tensors, bytes->size(), 4);
  return true;
}

std::vector<Files> split_seeds() {
  const auto part = [](std::uint16_t place, const std::string& tensor) {
    testing::GgufWriter writer;
    writer.text("general.architecture", "llama");
    writer.entry("split.no", 2, testing::GgufWriter::raw(place));
    writer.entry("split.count", 2, testing::GgufWriter::raw(std::uint16_t{2}));
    writer.entry("split.tensors.count", 5, testing::GgufWriter::raw(std::int32_t{2}));
    writer.floats(tensor, {2}, {1, 2});
    return writer.file();
  };
  return {{{"m-00001-of-00002.gguf", part(0, "a")}, {"m-00002-of-00002.gguf", part(1, "b")}},
          {{"m.gguf", gguf_of_every_type()}}};
}

std::vector<Files> split_misses() {
  const Files good = split_seeds().front();
  const std::string& first = good.begin()->second;
  return {{{"m.gguf", first}},
          {{"m-00003-of-00002.gguf", first}},
          {{"m-00001-of-00002.gguf", first}, {"m-00002-of-00002.gguf", first}}};
}

bool read_split(const Files& files) {
  if (files.empty()) return false;
  const auto opened = open_gguf(on_disk(files) + "/" + files.begin()->first);
  if (!opened) return refused(opened.error());
  read_metadata(*opened);
  read_all(opened->tensors, 1 << 16, 4);
  return true;
}

// ---- NumPy ----
std::vector<Files> npy_seeds() {
  std::vector<Files> out;
  for (const auto& [kind, bytes] : std::vector<std::pair<std::string, std::size_t>>{
           {"<f4", 4}, {"<f8", 8}, {"<f2", 2}, {"<i8", 8}, {"<i4", 4}, {"|u1", 1}, {"|b1", 1}})
    out.push_back({{"a.npy", npy_header(kind, {2, 3}) + std::string(6 * bytes, '\1')}});
  out.push_back({{"a.npy", npy_header("<f4", {}) + std::string(4, '\1')}});
  return out;
}

bool read_one_npy(const Files& files) {
  const std::string& text = only_file(files);
  const auto bytes = exact_bytes(text);
  const auto info = parse_npy(*bytes, bytes->size(), "a", "a.npy");
  const auto source = read_npy(on_disk(files) + "/a.npy");
  must(source.ok() <= info.ok(), "an array of the disk opens, but its bytes do not");
  if (!info) return refused(info.error(), "a.npy");
  must(info->offset + info->bytes <= text.size(), "an array longer than its file");
  if (!source) return refused(source.error(), "a.npy");
  read_all(*source, text.size());
  return true;
}

std::vector<Files> npz_seeds() {
  const Tensor matrix = Tensor::filled({{Axis::pos, 2}, {Axis::d_model, 3}}, 1);
  const std::string path = on_disk({}) + "/seed.npz";
  must(write_npz(path, {{"a", matrix}, {"b", matrix}}, {{"tokens", {1, 2, 3}, {3}}}).ok(), "npz seed");
  const Files members{{"a.npy", npy_header("<f4", {40, 40}) + std::string(6400, '\1')},
                      {"b.npy", npy_header("<f2", {2}) + std::string(4, '\2')},
                      {"c.npy", npy_header("<f4", {0}) + std::string()}};
  return {{{"a.npz", file_text(path)}}, {{"a.npz", zipped(members, true)}}};
}

// Zips that say what other programs make: encrypted, another method, members that lie, 64-bit numbers.
std::vector<Files> npz_misses() {
  const std::string npy = npy_header("<f4", {2}) + std::string(8, '\1');
  const std::string good = zipped({{"a.npy", npy}}), packed = zipped({{"a.npy", npy}}, true);
  const std::size_t central = good.find("PK\x01\x02"), packed_central = packed.find("PK\x01\x02");
  std::vector<Files> out;
  const auto with = [&](std::string file, std::size_t at, auto value) {
    std::memcpy(file.data() + at, &value, sizeof(value));
    out.push_back({{"a.npz", file}});
  };
  with(good, central + 8, std::uint16_t{1});
  with(good, central + 10, std::uint16_t{12});
  with(good, central + 20, std::uint32_t{3});
  with(good, central + 24, std::uint32_t{0xFFFFFFFF});
  with(good, central + 16, std::uint32_t{7});
  with(good, central + 42, std::uint32_t{1 << 20});
  with(good, 26, std::uint16_t{60000});
  with(packed, packed_central + 24, std::uint32_t{0x7FFFFFFF});
  with(packed, packed_central + 24, static_cast<std::uint32_t>(npy.size() + 1));
  with(packed, packed_central + 24, static_cast<std::uint32_t>(npy.size() - 1));
  out.push_back({{"a.npz", zipped({{"a", npy}, {"a.npy", npy}})}});
  // The record of 64-bit numbers and the locator in front of the last one; the line's own sizes in its extra
  // field.
  const std::size_t end = good.size() - zip::kEndBytes;
  const auto raw = [](auto value) { return testing::GgufWriter::raw(value); };
  const std::string extra = raw(std::uint16_t{1}) + raw(std::uint16_t{24}) + raw(std::uint64_t{npy.size()}) +
                            raw(std::uint64_t{npy.size()}) + raw(std::uint64_t{0});
  std::string line = good.substr(central, end - central);
  const auto put = [](std::string& text, std::size_t at, auto value) {
    std::memcpy(text.data() + at, &value, sizeof(value));
  };
  for (const std::size_t at : {20, 24, 42}) put(line, at, std::uint32_t{0xFFFFFFFF});
  put(line, 30, static_cast<std::uint16_t>(4 + extra.size()));
  const std::string other = raw(std::uint16_t{9}) + raw(std::uint16_t{0});
  const std::string directory = line + other + extra;
  const std::string end64 = raw(std::uint32_t{0x06064b50}) + std::string(28, '\0') + raw(std::uint64_t{1}) +
                            raw(std::uint64_t{directory.size()}) + raw(std::uint64_t{central});
  const std::string locator = raw(std::uint32_t{0x07064b50}) + raw(std::uint32_t{0}) +
                              raw(std::uint64_t{central + directory.size()}) + raw(std::uint32_t{1});
  out.push_back({{"a.npz", good.substr(0, central) + directory + end64 + locator +
                               zip::end_record(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)}});
  return out;
}

bool read_archive(const std::string& text, const char* what, std::size_t expands = 1) {
  const auto bytes = exact_bytes(text);
  const auto source = read_npz_bytes(bytes, *bytes, what);
  if (!source) return refused(source.error(), what);
  read_all(*source, text.size() * expands);
  return true;
}

bool read_one_npz(const Files& files) {
  const auto on_the_disk = read_npz(on_disk({{"a.npz", only_file(files)}}) + "/a.npz");
  const bool opened = read_archive(only_file(files), "a.npz", kMostDeflated);
  must(on_the_disk.ok() == opened, "a file and its bytes are not the same");
  return opened;
}

// The members are changed, and packed with the check sums that then are right.
bool read_members(const Files& files) {
  const bool deflated = files.size() % 2 == 0;
  return read_archive(zipped(files, deflated), "members.npz", deflated ? kMostDeflated : 1);
}

std::vector<Files> member_seeds() {
  Files all;
  int number = 0;
  for (const Files& one : npy_seeds()) all["m" + std::to_string(number++) + ".npy"] = only_file(one);
  return {all, {{"blocks.0.attn.q.npy", npy_header("<f4", {1, 2, 3, 2}) + std::string(48, '\1')}}};
}

// ---- figures with a session inside ----
std::vector<Files> figure_seeds() {
  const std::string session = R"({"format":"attnscope-session","version":1})";
  const std::string pdf =
      "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n "
      "\ntrailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n46\n%%EOF\n";
  return {{{"a.svg", "<svg><metadata>" + carried_in_svg(session) + "</metadata></svg>"}},
          {{"a.png", png_of({1, 1, false, {1, 2, 3}}, {{std::string(kCarriedName), session}})}},
          {{"a.pdf", carried_in_pdf(pdf, session)}}};
}

bool read_figure(const Files& files) {
  const auto session = carried_session(only_file(files), "a figure");
  return session ? true : refused(session.error(), "a figure");
}

// ---- JSON ----
std::vector<Files> json_seeds() {
  return {{{"text", "[]"}},
          {{"text", repository_file("tests/golden/models/llama3/config.json")}},
          {{"text", R"({"a":[1,2.5e3,-7,true,null,"\u00e9\ud83d\ude00\n"],"b":{"a":{},"c":[[],[[]]]}})"}}};
}

bool read_json_text(const Files& files) {
  const std::string& text = only_file(files);
  const auto twice = parse_json(text, "a.json", TwiceKeys::refuse), value = parse_json(text, "a.json");
  must(twice.ok() <= value.ok(), "a text with no key twice is refused for another reason");
  if (!twice) refused(twice.error(), "a.json");
  const auto on_the_disk = read_json_file(on_disk({{"a.json", text}}) + "/a.json");
  must(on_the_disk.ok() == value.ok(), "a file and its text are not the same");
  if (!value) return refused(value.error(), "a.json");
  must(value->dump(-1, ' ', true, json::error_handler_t::strict) == on_the_disk->dump(-1, ' ', true),
       "a file and its text differ");
  return true;
}

// ---- pictures ----
std::vector<Files> picture_seeds() {
  std::vector<Files> out;
  for (const char* name : {"rgba.png", "grey.png", "grey16.png", "palette.png", "bits.png", "rgb.png"})
    out.push_back({{"a.png", repository_file(std::string("tests/golden/pictures/") + name)}});
  for (const char* name : {"grey.jpg", "baseline.jpg", "progressive.jpg", "print.jpg"})
    out.push_back({{"a.jpg", repository_file(std::string("tests/golden/pictures/") + name)}});
  return out;
}

bool read_picture(const Files& files) {
  const auto picture = picture_from_bytes(only_file(files), "picture");
  if (!picture) return refused(picture.error(), "picture");
  must(picture->rgb && picture->rgb->size() == static_cast<std::size_t>(picture->width) *
                                                   static_cast<std::size_t>(picture->height) * 3,
       "a picture of another size than it says");
  Preprocessing how;
  how.width = how.height = 4;
  if (picture->width > 1000 || picture->height > 1000) return true;
  for (const auto filter :
       {Preprocessing::Filter::nearest, Preprocessing::Filter::bilinear, Preprocessing::Filter::bicubic}) {
    how.filter = filter;
    const Picture again = picture_of(preprocess(*picture, how), how);
    must(again.width == 4 && again.height == 4, "a picture of another size than the model's");
  }
  return true;
}

// ---- places ----
std::vector<Files> path_seeds() { return {{{"path", "a.json"}}, {{"path", "folder"}}}; }
std::vector<Files> path_misses() {
  return {{{"path", "/dev/null"}},
          {{"path", "nowhere/a"}},
          {{"path", "empty"}},
          {{"path", ""}},
          {{"path", "pipe"}}};
}

// Folders, devices, pipes and what is not there, under names that are none.
bool read_path(const Files& files) {
  const std::string folder = on_disk({{"a.json", "{}"}, {"empty", ""}});
  ::mkfifo((folder + "/pipe").c_str(), 0600);
  ::mkdir((folder + "/folder").c_str(), 0700);
  const std::string text = only_file(files).substr(0, 5000);
  const std::string path =
      text == "/dev/null" || text.find("..") != std::string::npos ? "/dev/null" : folder + "/" + text;
  const auto mapped = MappedFile::open(path);
  const auto whole = read_file(path, 1);
  if (!mapped) refused(mapped.error());
  if (!whole) refused(whole.error());
  const auto model = open_model(path);
  must(!model, "a model out of nothing");
  refused(model.error());
  if (const auto tokenizer = open_any_tokenizer(path); !tokenizer) refused(tokenizer.error());
  return mapped.ok() || path == folder + "/folder";
}

std::vector<Files> pixel_seeds() {
  const auto floats = [](std::vector<std::int64_t> shape) {
    return npy_header("<f4", shape) + std::string(3 * 4 * 4 * 4, '\1');
  };
  return {{{"a.npy", floats({3, 4, 4})}},
          {{"a.safetensors", formats_io_safetensors_of(
                                 R"({"p":{"dtype":"F32","shape":[3,4,4],"data_offsets":[0,192]}})", 192)}},
          {{"a.png", repository_file("tests/golden/pictures/rgb.png")}}};
}

bool read_pixels(const Files& files) {
  if (files.empty()) return false;
  Preprocessing how;
  how.width = how.height = 4;
  const auto pixels = open_pixels(on_disk(files) + "/" + files.begin()->first, how);
  if (!pixels) return refused(pixels.error());
  must(pixels->count() == 3 * 4 * 4, "pixels of another size");
  return true;
}

const std::vector<std::string> kHeaderWords = split(
    "\"F32\"|\"F8_E5M2\"|\"I64\"|\"BOOL\"|\"shape\":[|\"data_offsets\":[0,0]|"
    "\"__metadata__\":{\"a\":\"b\"},|\"a\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[0,2]},|"
    "[0,1152921504606846975]|F16|F64|I8|dtype|shape|data_offsets|__metadata__|\\ud800|"
    "18446744073709551615|../x.safetensors|model.safetensors",
    '|');
const std::vector<std::string> kGgufWords{"general.alignment",
                                          "split.count",
                                          "split.no",
                                          "GGUF",
                                          std::string("\x09\0\0\0", 4),
                                          std::string("\x08\0\0\0", 4),
                                          std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8)};
const std::vector<std::string> kNpyWords = split(
    "'descr': '>f4'~'fortran_order': True~'shape': (3,)~'<u8'~'|O'~(1L, 2)~'<c8'~\x93NUMPY\x02~"
    "PK\x05\x06~PK\x01\x02",
    '~');
const std::vector<std::string> kJsonWords{"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "\"",
                                          "null",
                                          "true",
                                          "-",
                                          "1e999",
                                          "\\u0000",
                                          "\\ud800",
                                          "\xFF",
                                          "\xED\xA0\x80",
                                          std::string(300, '['),
                                          "18446744073709551616",
                                          "\"a\":1,\"a\":2"};
const std::vector<std::string> kPictureWords =
    split("IHDR|PLTE|IDAT|IEND|tRNS|gAMA|acTL|\xFF\xD8|\xFF\xC4|\xFF\xDA|\xFF\xD9|\xFF\xC2", '|');

}  // namespace

std::vector<Format> formats_of_io() {
  const auto blocks = [] {
    return std::vector<Files>{{{"a.gguf", repository_file("tests/golden/gguf/blocks.gguf")}}};
  };
  return {{"safetensors", safetensors_seeds, read_safetensors, kHeaderWords},
          {"shards", shard_seeds, read_shards, kHeaderWords, shard_misses},
          {"gguf", gguf_seeds, read_gguf, kGgufWords, gguf_misses},
          {"gguf-blocks", blocks, read_blocks},
          {"gguf-split", split_seeds, read_split, kGgufWords, split_misses},
          {"npy", npy_seeds, read_one_npy, kNpyWords},
          {"npz", npz_seeds, read_one_npz, kNpyWords, npz_misses},
          {"npz-members", member_seeds, read_members, kNpyWords},
          {"json", json_seeds, read_json_text, kJsonWords},
          {"figure",
           figure_seeds,
           read_figure,
           {"attnscope-session:1:", ":attnscope-session", "iTXt", "/EmbeddedFile", "stream", "startxref"}},
          {"picture", picture_seeds, read_picture, kPictureWords},
          {"path",
           path_seeds,
           read_path,
           {"/", "//", ".json", ".gguf", ".npz", "folder", "\n", "\xFF", "~"},
           path_misses},
          {"pixels", pixel_seeds, read_pixels, kNpyWords}};
}

}  // namespace attnscope::fuzz
