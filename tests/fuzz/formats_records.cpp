// What people bring along beside models: data sets line by line, circuits, lists of slides; and pickles,
// which are not opened whatever is in them.
#include <nlohmann/json.hpp>

#include "core/arch/open.h"
#include "core/base/text.h"
#include "core/io/safetensors.h"
#include "core/session/circuit.h"
#include "core/session/data_set.h"
#include "core/session/lecture.h"
#include "tests/fuzz/format.h"
#include "tests/fuzz/sources.h"

namespace attnscope::fuzz {
namespace {

// ---- data sets ----

std::vector<Files> data_set_seeds() {
  return {{{"a.jsonl", R"({"text": "The cat sat", "answer": " on", "wrong": "#3", "group": "a", "weight": 2})"
                       "\n\n"
                       R"({"text": "A dog", "answer": " ran", "wrong": " flew", "pair": "The cat"})"
                       "\n"}},
          {{"a.csv", "text,answer,wrong,group\n\"The, \"\"cat\"\"\",on,x,a\r\nA dog,ran,\"fl\new\",b\n"}},
          {{"a.txt", "The cat sat on the mat\nA dog\n\n\xED\x95\x9C\xEA\xB8\x80\n"}},
          {{"a.jsonl", R"({"ids": [1, 2, 3], "answer": 4, "wrong": 5})"
                       "\n"}}};
}

std::vector<Files> data_set_misses() {
  return {{{"a.jsonl", "[1]\n"}},     {{"a.jsonl", "{\"text\": 3}\n"}}, {{"a.csv", "text,text\na,b\n"}},
          {{"a.csv", "text\na,b\n"}}, {{"a.csv", "\"text\n"}},          {{"a.txt", ""}}};
}

bool read_data_set(const Files& files) {
  if (files.empty()) return false;
  const std::string& name = files.begin()->first;
  auto reader = DataReader::open({on_disk(files) + "/" + name, {}, 0, 0});
  if (!reader) return refused(reader.error(), name);
  for (int i = 0; i < 1000; ++i) {
    const auto line = reader->next();
    if (!line) return refused(line.error(), name);
    if (!*line) break;
  }
  must(reader->fingerprint().size() == 16, "a data set without a fingerprint");
  return true;
}

// ---- circuits and slides ----

std::vector<Files> circuit_seeds() {
  Circuit circuit;
  circuit.model = "m", circuit.prompt = "a b", circuit.measure = "logit";
  circuit.tokens = {"a", "b"};
  circuit.layers = 2;
  circuit.scale = 1;
  circuit.nodes = {
      {CircuitNode::Kind::embed, "E_0_0", "a", -1, 0, 0, 1.0, {}, {}, "", -1, -1},
      {CircuitNode::Kind::head, "0_1_1", "head 0.1", 0, 1, 1, 0.5, 0.1, 0.2, "blocks.0.attn.z", 1, 1},
      {CircuitNode::Kind::output, "L_0_1", "b", 2, 0, 1, 2.0, {}, {}, "", -1, -1}};
  const std::string path = on_disk({}) + "/seed.json";
  must(write_circuit(path, circuit).ok(), "a circuit of the fuzzer");
  return {{{"a.json", file_text(path)}}};
}

bool read_one_circuit(const Files& files) {
  const std::string path = on_disk({{"a.json", only_file(files)}}) + "/a.json";
  const auto circuit = read_circuit(path);
  if (!circuit) return refused(circuit.error(), "a.json");
  use(static_cast<double>(pruned(*circuit, 0.1).nodes.size()));
  must(write_circuit(path, *circuit).ok() && read_circuit(path).ok(),
       "a circuit that is written in two ways");
  return true;
}

std::vector<Files> lecture_seeds() {
  std::vector<Files> out;
  for (const std::string& name : shipped_lectures())
    out.push_back({{"a.lecture.json", repository_file("assets/lectures/" + name + ".json")}});
  return out;
}

bool read_one_lecture(const Files& files) {
  const std::string path = on_disk({{"a.lecture.json", only_file(files)}}) + "/a.lecture.json";
  const auto lecture = read_lecture(path);
  if (!lecture) return refused(lecture.error(), "a.lecture.json");
  for (std::size_t i = 0; i < std::min<std::size_t>(lecture->slides.size(), 3); ++i)
    if (const auto session = slide_session(*lecture, i); !session) refused(session.error());
  must(write_lecture(path, *lecture).ok() && read_lecture(path).ok(), "slides that are written in two ways");
  return true;
}

// ---- pickles ----

// Protocol 2 with a call of os.system, and one that nests without end.
std::vector<Files> pickle_seeds() {
  std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::uint64_t length = header.size();
  const std::string whole =
      std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + std::string(4, '\0');
  return {{{"a.pt",
            "\x80\x02"
            "cposix\nsystem\nX\x04\0\0\0trueR."},
           {"model.safetensors", whole}},
          {{"a.bin", "\x80\x02" + std::string(4000, '(') + "."}, {"model.safetensors", whole}},
          {{"a.pth", "PK\x03\x04"}, {"model.safetensors", whole}}};
}

bool read_pickle(const Files& files) {
  const std::string folder = on_disk(files);
  for (const auto& [name, bytes] : files) {
    if (name == "model.safetensors") continue;
    const auto opened = open_model(folder + "/" + name);
    must(!opened, "a pickle was opened");
    refused(opened.error(), name);
  }
  const auto weights = open_safetensors_folder(folder);
  return weights.ok() || refused(weights.error());
}

}  // namespace

std::vector<Format> formats_of_records() {
  return {
      {"data-set",
       data_set_seeds,
       read_data_set,
       {"\"text\"", "\"answer\"", "\"wrong\"", "\"ids\"", "\"pair\"", "\"group\"", "null", "\"\"", "\r\n"},
       data_set_misses},
      {"circuit",
       circuit_seeds,
       read_one_circuit,
       {"\"nodes\"", "\"links\"", "\"node_id\"", "E_0_0", "null"}},
      {"lecture", lecture_seeds, read_one_lecture, {"\"slides\"", "\"session\"", "\"title\"", "null"}},
      {"pickle", pickle_seeds, read_pickle, {"cposix\nsystem\n", "R.", "PK\x03\x04"}}};
}

}  // namespace attnscope::fuzz
