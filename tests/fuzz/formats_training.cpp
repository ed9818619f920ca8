// Training: checkpoints, cards and recipes, text files to learn from.
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/model_card.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/session/training_files.h"
#include "core/text/tokenizer.h"
#include "core/train/card.h"
#include "core/train/data_file.h"
#include "core/train/recipe_json.h"
#include "core/train/trainer.h"
#include "tests/fuzz/format.h"
#include "tests/fuzz/sources.h"

namespace attnscope::fuzz {
namespace {

using nlohmann::json;

TaskSizes small_sizes() {
  TaskSizes out;
  out.layers = out.heads = 1;
  out.d_model = out.d_mlp = 8;
  return out;
}

const Trainer& small_trainer() {
  static const Trainer trainer = [] {
    Recipe recipe;
    recipe.steps = 4;
    recipe.batch = 1;
    auto made = Trainer::make(*find_task("sorter"), small_sizes(), recipe, 3);
    must(made.ok(), "the fuzzer's trainer cannot be made");
    must(made->step().ok() && made->measure_held_out(1).ok() && made->step().ok(),
         "the fuzzer's trainer does not train");
    return *std::move(made);
  }();
  return trainer;
}

constexpr const char* kHead = "attnscope_checkpoint";

// The header of a safetensors file, and where its data begin.
json header_of(const std::string& file, std::size_t& data) {
  std::uint64_t length = 0;
  data = 0;
  if (file.size() < sizeof(length)) return {};
  std::memcpy(&length, file.data(), sizeof(length));
  if (length > file.size() - sizeof(length)) return {};
  data = sizeof(length) + length;
  return json::parse(file.substr(sizeof(length), length), nullptr, false);
}

json head_of(const std::string& file) {
  std::size_t data = 0;
  return json::parse(header_of(file, data)["__metadata__"][kHead].get<std::string>());
}

// The file with another head of the run in its metadata.
std::string with_head(const std::string& file, const std::string& head) {
  std::size_t data = 0;
  json header = header_of(file, data);
  if (!header.is_object()) return file;
  header["__metadata__"] = {{kHead, head}};
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text + file.substr(data);
}

std::vector<Files> checkpoint_seeds() {
  const std::string path = on_disk({}) + "/seed.safetensors";
  must(save_checkpoint(path, small_trainer()).ok(), "a checkpoint of the fuzzer");
  const std::string file = file_text(path);
  must(save_checkpoint(path, small_trainer(), {{0, small_trainer().state().model}}).ok(),
       "one with an earlier model");
  const std::string longer = file_text(path);
  return {{{"c.safetensors", file}},
          {{"c.safetensors", longer}, {"head.json", head_of(longer).dump()}},
          {{"c.safetensors", file}, {"head.json", head_of(file).dump()}}};
}

std::vector<Files> checkpoint_misses() {
  const Files good = checkpoint_seeds().back();
  std::vector<Files> out;
  const auto with = [&](const char* key, const json& value) {
    Files files = good;
    json head = json::parse(files["head.json"]);
    head[key] = value;
    files["head.json"] = head.dump();
    out.push_back(files);
  };
  with("data", {{"path", "/lines.txt"}, {"vocabulary", ""}, {"print", 7}});
  with("task", "translator");
  with("layers", 3);
  with("earlier", {0, 9});
  with("earlier", "0");
  with("rate_factor", -1);
  with("step", -1);
  with("sizes", {{"layers", 1}, {"heads", 2}, {"d_model", 16}, {"d_mlp", 8}});
  return out;
}

bool read_one_checkpoint(const Files& files) {
  const auto file = files.find("c.safetensors"), head_file = files.find("head.json");
  if (file == files.end()) return false;
  const std::string folder =
      on_disk({{"sorter.safetensors",
                head_file == files.end() ? file->second : with_head(file->second, head_file->second)},
               {"sorter-old.safetensors", file->second},
               {"sorter-.safetensors", "{}"}});
  const std::string path = folder + "/sorter.safetensors";
  const auto run = read_run(path);
  if (run) {
    const auto settings = training_settings(run->settings.task);
    must(settings.ok() || !run->settings.data.empty(), "a run of a task that there is not");
    TrainingSettings other = run->settings;
    other.recipe.batch = 1 << 20;
    for (const TrainingSettings& one : {run->settings, other})
      if (const Status fits = check_settings(one); !fits) refused(fits.error());
  } else {
    refused(run.error());
  }
  must(kept_runs(folder, "sorter").size() <= (run ? 1u : 0u), "a kept run that cannot be read");
  const auto next = claim_kept_path(folder, "sorter");
  must(next && *next == folder + "/sorter-2.safetensors", "a name that is taken");
  std::filesystem::remove(*next);  // it holds the place
  const auto head = read_checkpoint_head(path);
  if (!head) return refused(head.error());
  const auto state = read_checkpoint(path, small_trainer());
  if (!state) return refused(state.error());
  if (const auto earlier = read_earlier(path, small_trainer()); !earlier) refused(earlier.error());
  Trainer again = small_trainer();
  if (const auto resumed = again.resume(*state); !resumed) return refused(resumed.error());
  return true;
}

std::vector<Files> card_seeds() {
  const std::string folder = on_disk({});
  must(write_card(folder, make_card(small_trainer(), 1, 1)).ok() && read_card(folder).ok(),
       "a card of the fuzzer");
  std::vector<Files> out{{{"card.json", file_text(folder + "/card.json")}}};
  for (const char* name : {"pilot", "translator", "storyteller"})
    out.push_back({{"card.json", repository_file("assets/models/" + std::string(name) + "/card.json")}});
  return out;
}

bool read_one_card(const Files& files) {
  const auto object = parse_json(only_file(files), "card.json");
  if (!object) return refused(object.error(), "card.json");
  if (const auto model = model_card_from_json(*object, "card.json"); !model)
    refused(model.error(), "card.json");
  for (const char* key : {"recipe", "sizes"}) {
    const json part = object->is_object() && object->contains(key) ? (*object)[key] : json();
    if (const auto recipe = recipe_from_json(part, "card.json"))
      use(check_recipe(*recipe).ok() ? learning_rate(*recipe, 3) : 0);
    else
      refused(recipe.error(), "card.json");
    if (const auto sizes = sizes_from_json(part, "card.json"))
      for (const auto& task : tasks()) use(task->config(*sizes).ok() ? 1 : 0);
  }
  const auto card = card_from_json(*object, "card.json");
  if (!card) return refused(card.error(), "card.json");
  use(static_cast<double>(card_text(*card).size()));
  const auto again = card_from_json(card_to_json(*card), "again.json");
  must(again.ok(), "a card that was written does not open: " + (again ? "" : again.error().text()));
  return true;
}

std::vector<Files> data_seeds() {
  const std::string lines = "the cat sat on the mat\nthe dog sat\na b c d\nthe mat sat on the cat\n";
  return {{{"lines.txt", lines}},
          {{"lines.txt", "a b c\nb c d\nc d a\n"}, {"words.txt", "a\nb\nc\nd\n"}},
          {{"lines.txt", "\xED\x95\x9C \xEA\xB8\x80\r\n\xE3\x80\x80x \xC2\xA0y\r\n"}}};
}

std::vector<Files> data_misses() {
  std::string words;
  for (int i = 0; i < 300; ++i) words += "w ";
  return {{{"lines.txt", words + "\n" + words}},
          {{"lines.txt", "a b\n\na c\n"}},
          {{"lines.txt", "a\nb\n"}, {"words.txt", "a\na\n"}}};
}

bool read_data(const Files& files) {
  const auto part = [&](const char* name) {
    const auto at = files.find(name);
    return at == files.end() ? std::string() : at->second;
  };
  const bool words = files.find("words.txt") != files.end();
  const auto task = task_of_text(part("lines.txt"), "lines.txt", part("words.txt"), words ? "words.txt" : "");
  if (!task) return refused(task.error(), ".txt");
  const auto config = (*task)->config(small_sizes());
  if (!config) return refused(config.error());
  const std::string folder = on_disk(files);
  const auto settings = training_settings_of_file(folder + "/lines.txt", words ? folder + "/words.txt" : "");
  must(settings.ok() && settings->read->source() && check_settings(*settings).ok(),
       "a text that opens from memory only");
  TrainingSettings unread = *settings, endless = *settings;
  unread.read.reset();
  endless.recipe.steps = 1 << 30;
  must(task_of(unread).ok() && !check_settings(endless), "a task that is read in two ways");
  if (config->vocab_size < 100) use(static_cast<double>(trained_numbers(*config)));
  for (const std::string_view said :
       {(*task)->name(), (*task)->title(), (*task)->sentence(), (*task)->layout()})
    must(!said.empty(), "a task without words");
  must(!(*task)->shown().input.ids.empty() && (*task)->recipe().steps > 0, "a task without a first example");
  for (const Split split : {Split::train, Split::held_out})
    for (const std::int64_t number : {0, 1, 1000})
      for (const int id : (*task)->example(7, split, number).input.ids)
        must(id >= 0 && id < config->vocab_size, "an example with a word that is not in the vocabulary");
  const std::string vocabulary = (*task)->tokenizer().dump();
  const auto tokenizer = tokenizer_from_json(vocabulary, "task");
  must(tokenizer.ok(), "a task's tokenizer does not open: " + (tokenizer ? "" : tokenizer.error().text()));
  use(static_cast<double>((*tokenizer)->vocab_size()));
  return true;
}

const std::vector<std::string> kFormatsTrainingWords = split(
    "steps|batch|rate|schedule|cosine|constant|inverse_sqrt|warmup|smoothing|clip|beta1|layers|heads|"
    "kv_heads|d_model|order|pre|post|mask|prefix|causal|task|sorter|pilot|seed|step|rate_factor|data|"
    "path|vocabulary|print|reports|held_out|m:|v:|weight:|attnscope_checkpoint|sizes|recipe|measures|"
    "inputs|<end>|<unk>|\xC2\xA0|\r\n|\n",
    '|');

}  // namespace

std::vector<Format> formats_of_training() {
  return {{"checkpoint", checkpoint_seeds, read_one_checkpoint, kFormatsTrainingWords, checkpoint_misses},
          {"card", card_seeds, read_one_card, kFormatsTrainingWords},
          {"task-text", data_seeds, read_data, kFormatsTrainingWords, data_misses}};
}

}  // namespace attnscope::fuzz
