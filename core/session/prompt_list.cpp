#include "core/session/prompt_list.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/io/json_number.h"
#include "core/session/data_fields.h"
#include "core/session/session_file.h"
#include "core/session/session_model.h"
#include "core/system/named_files.h"
#include "core/train/task.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;  // of prompts that stand in the session itself

bool prompt_list_same_input(const Input& a, const Input& b) {
  return a.ids == b.ids && a.source == b.source && a.types == b.types;
}

void put_line_words(Json& out, const char* text, const char* ids,
                    const std::optional<Request::Words>& words) {
  if (words) out[words->ids ? ids : text] = words->text;
}

// As a line of .jsonl.
Json line_json(const DataLine& line) {
  Json out = Json::object();
  for (const auto& [name, value] : line.groups) out[name] = value;
  put_line_words(out, "text", "ids", line.words);
  put_line_words(out, "corrupt", "corrupt_ids", line.corrupt);
  put_line_words(out, "decoder", "decoder_ids", line.decoder);
  if (!line.answer.empty()) out["answer"] = line.answer;
  if (!line.wrong.empty()) out["wrong"] = line.wrong;
  return out;
}

Error damaged_list(const std::string& path) {
  return damaged_session(path, Text::of("error.session.file.data"));
}

Result<DataChoice> choice_from(const Json& list, const std::string& path) {
  DataChoice out;
  out.path = member_text(list, "path");
  if (out.path.empty()) return damaged_list(path);
  for (const Json& one : list.value("where", Json::array())) {
    if (!one.is_string()) return damaged_list(path);
    out.where.push_back(one);
  }
  const auto limit = whole_at(list, "limit", 0, std::int64_t{1} << 30),
             seed = whole_at(list, "seed", 0, std::int64_t{1} << 53);
  if (!limit || !seed) return damaged_list(path);
  out.limit = *limit, out.seed = static_cast<std::uint64_t>(*seed);
  return out;
}

Result<std::shared_ptr<const DataPrompts>> lines_from(const Json& list, const DataChoice& choice,
                                                      const std::string& path) {
  auto out = std::make_shared<DataPrompts>();
  out->choice = choice, out->hash = member_text(list, "hash");
  for (const Json& one : list["lines"]) {
    if (!one.is_array() || one.size() != 2 || !whole_in(one[0], 0, std::int64_t{1} << 53))
      return damaged_list(path);
    DataLine line;
    if (take_json_line(one[1].dump(), line) || check_data_line(line)) return damaged_list(path);
    line.line = one[0].get<std::int64_t>();
    line.columns.clear();  // those of the session's own text
    out->lines.push_back(std::move(line));
  }
  if (out->lines.empty()) return damaged_list(path);
  return std::shared_ptr<const DataPrompts>(std::move(out));
}

// A file that lies beside the session, or where it was.
Result<std::shared_ptr<const DataPrompts>> prompts_in_file(const Json& list, DataChoice choice) {
  const std::atomic<bool> goes_on{false};
  if (!choice.is_task()) {
    const std::string beside = member_text(list, "beside");
    auto found = beside.empty() ? named_file(choice.path) : named_file(beside);
    std::error_code ignored;
    if (!found || !fs::exists(*found, ignored)) found = named_file(choice.path);
    if (!found) return found.error();
    choice.path = *found;
  }
  return held_prompts(choice, goes_on);
}

}  // namespace

void put_prompts(Document& document, std::shared_ptr<const DataPrompts> prompts) {
  const bool own = prompt_looked_at(document) < 0;
  PromptList list;
  list.prompts = std::move(prompts);
  if (!own) list.own = document.data.own;
  document.data = std::move(list);
}

std::int64_t prompt_looked_at(const Document& document) {
  const PromptList& list = document.data;
  if (!list.prompts || list.opened < 0 || document.sequences.size() != 1) return -1;
  return prompt_list_same_input(document.sequences.front().input, list.as_opened) ? list.opened : -1;
}

Status open_prompt(Document& document, std::int64_t index, DataSide side) {
  const DataPrompts* prompts = prompts_of(document);
  if (!prompts || index < 0 || index >= std::ssize(prompts->lines)) return Done{};
  const DataLine& line = prompts->lines[static_cast<std::size_t>(index)];
  const auto at = [&](const Error& error) {
    return within(line.place(prompts->choice.path, prompt_fields(side)), error);
  };
  if (prompt_looked_at(document) < 0)
    document.data.own = std::make_shared<const std::vector<Sequence>>(document.sequences);
  const auto request = prompt_request(line, {}, side);
  if (!request) return at(request.error());
  if (const Status laid = lay_prompt(document, line, *request); !laid) return at(laid.error());
  document.data.opened = index;
  document.data.corrupt = side == DataSide::corrupt;
  document.data.as_opened = document.sequences.front().input;
  return Done{};
}

Status open_own_text(Document& document) {
  if (prompt_looked_at(document) < 0 || !document.data.own) return Done{};
  document.sequences = *document.data.own;
  document.data.opened = -1;
  document.data.corrupt = false;
  document.data.own.reset();
  return Done{};
}

namespace {

std::string words_text(const OpenedModel& opened, const std::optional<Request::Words>& of) {
  if (!of) return {};
  if (!of->ids) return of->text;
  const auto ids = parse_ids(of->text, "ids");
  if (!ids) return of->text;
  const ModelConfig& config = opened.model->config();
  const Sequence words = sequence_from_ids(opened, *ids, config.encoder() ? Stack::enc : config.stack);
  return words.text.empty() ? of->text : words.text;
}

}  // namespace

std::string prompt_text(const OpenedModel& opened, const DataLine& line) {
  return words_text(opened, line.words);
}

std::string corrupt_text(const OpenedModel& opened, const DataLine& line) {
  return words_text(opened, line.corrupt);
}

std::string data_name(const DataChoice& choice) {
  return choice.is_task() ? choice.path.substr(5) : fs::path(choice.path).filename().string();
}

std::optional<DataChoice> own_task_choice(const OpenedModel& opened) {
  if (!opened.card || opened.card->task.empty() || !opened.recorded.empty()) return std::nullopt;
  const auto task = find_task(opened.card->task);
  if (!task || !(*task)->prompt(0, 0)) return std::nullopt;
  return DataChoice{"task:" + opened.card->task, {}, kTaskPrompts, 0};
}

Json prompt_list_json(const PromptList& list, const std::string& path) {
  const DataPrompts& prompts = *list.prompts;
  const DataChoice& choice = prompts.choice;
  Json out = {{"path", choice.path},   {"where", choice.where}, {"limit", choice.limit},
              {"seed", choice.seed},   {"hash", prompts.hash},  {"prompts", prompts.lines.size()},
              {"opened", list.opened}, {"more", prompts.more}};
  if (list.corrupt) out["corrupt"] = true;
  if (!choice.is_task()) {
    std::error_code ignored;
    const fs::path beside =
        path.empty() ? fs::path() : fs::relative(choice.path, fs::absolute(path).parent_path(), ignored);
    if (!beside.empty()) out["beside"] = beside.string();
    std::size_t bytes = 0;
    Json lines = Json::array();
    for (const DataLine& line : prompts.lines) {
      lines.push_back({line.line, line_json(line)});
      bytes += lines.back().dump(-1, ' ', false, Json::error_handler_t::replace).size();
      if (bytes > kMostLineBytes) break;
    }
    if (bytes <= kMostLineBytes) out["lines"] = std::move(lines);
  }
  return out;
}

namespace {

// Those in the list itself, or in the file or task that it names.
Result<std::shared_ptr<const DataPrompts>> prompts_named(const Json& list, const DataChoice& choice,
                                                         const std::string& path) {
  if (!list.contains("lines")) return prompts_in_file(list, choice);
  if (!list["lines"].is_array()) return damaged_list(path);
  return lines_from(list, choice, path);
}

bool is_another(const Json& list, const DataPrompts& prompts) {
  return list.contains("hash") && prompts.hash != member_text(list, "hash");
}

}  // namespace

Status give_prompts(const Json& data, const std::string& path, Document& document) {
  Json list = data;
  if (data.is_string()) list = Json::object(), list["path"] = data;
  if (!list.is_object()) return damaged_list(path);
  for (const char* optional : {"limit", "seed"})
    if (!list.contains(optional)) list[optional] = 0;
  TRY(DataChoice choice, choice_from(list, path));
  const PathsIn reading(path);
  TRY(document.data.prompts, prompts_named(list, choice, path));
  if (is_another(list, *document.data.prompts))
    return fail(Code::io_failed, "error.system.changed", {quoted_path(choice.path)});
  return Done{};
}

Status take_prompt_list(const Json& list, const std::string& path, Document& document,
                        std::vector<Text>& warnings) {
  if (!list.is_object()) return damaged_list(path);
  TRY(const DataChoice choice, choice_from(list, path));
  const auto found = prompts_named(list, choice, path);
  if (!found && list.contains("lines")) return found.error();
  if (!found) {
    warnings.push_back(Text::of("note.session.data_gone", {data_name(choice), found.error().whole()}));
    return Done{};
  }
  document.data.prompts = *found;
  if (is_another(list, **found))
    warnings.push_back(Text::of("note.session.data_changed", {quoted_path(choice.path)}));
  const auto opened = whole_at(list, "opened", -1, std::ssize(document.data.prompts->lines) - 1);
  if (list.contains("opened") && !opened) return damaged_list(path);
  if (list.contains("own")) {
    Document own = document;
    TRY_OK(inputs_from_json(list["own"], path, own));
    document.data.own = std::make_shared<const std::vector<Sequence>>(std::move(own.sequences));
  }
  Document tried = document;
  const bool corrupt = list.contains("corrupt") && list["corrupt"] == true;
  if (opened.value_or(-1) < 0 || !open_prompt(tried, *opened, corrupt ? DataSide::corrupt : DataSide::clean))
    return Done{};
  document.data.opened = *opened, document.data.corrupt = corrupt;
  document.data.as_opened = tried.data.as_opened;
  return Done{};
}

}  // namespace attnscope
