#include "app/cli/command.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/session/document.h"

namespace attnscope {
extern const std::pair<std::string_view, std::string_view> kAssets[];
}

namespace attnscope::cli {
namespace {

constexpr std::string_view kScene = "scene:";

Result<OpenedModel> open_shipped(const std::string& name) {
  const std::string wanted = "assets/scenes/" + name.substr(kScene.size()) + ".json";
  std::vector<std::string> known;
  for (const auto* asset = kAssets; !asset->first.empty(); ++asset) {
    const std::string_view path = asset->first;
    if (path == wanted) return open_scene_text(asset->second, name);
    if (!starts_with(path, "assets/scenes/") || !ends_with(path, ".json")) continue;
    known.push_back(std::string(kScene) + std::string(path.substr(14, path.size() - 14 - 5)));
  }
  return fail(Code::not_found, format("There is no shipped scene \"%s\".", name.c_str()),
              "Shipped scenes are " + join(known, ", ") + ".");
}

Result<std::vector<int>> parse_ids(const std::string& text) {
  std::vector<int> ids;
  for (const std::string& part : split(text, ',')) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    const std::string word = first == std::string::npos ? "" : part.substr(first, last - first + 1);
    int id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
      return fail(Code::bad_format, format("\"%s\" is not a list of token ids.", valid_utf8(text).c_str()),
                  "Write whole numbers with commas between: --ids 1,2,3.");
    }
    ids.push_back(id);
  }
  return ids;
}

Result<std::vector<int>> encode(const OpenedModel& opened, const std::string& text) {
  const bool words = !opened.tokenizer && opened.scene && !opened.scene->words.empty();
  if (!opened.tokenizer && !words) {
    return fail(Code::unsupported,
                format("%s has no tokenizer, so it cannot read text.", opened.title.c_str()),
                join(opened.notes, " ") + (opened.notes.empty() ? "" : " ") + "Give token ids with --ids.");
  }
  TRY(const Sequence sequence, sequence_from_text(opened, text));  // a scene's words are its vocabulary
  if (sequence.input.ids.empty())
    return fail(Code::out_of_range, "The text is empty: it has no token.", "Give at least one character.");
  return sequence.input.ids;
}

}  // namespace

Result<OpenedModel> open_named(const std::string& name) {
  return starts_with(name, kScene) ? open_shipped(name) : open_model(name);
}

void SequenceOptions::add_to(CLI::App& command) {
  command_ = &command;
  text_option_ =
      command.add_option("--text", texts_, "text of a sequence; may be repeated")->allow_extra_args(false);
  command.add_option("--ids", ids_, "token ids of a sequence, as 1,2,3; may be repeated")
      ->allow_extra_args(false);
}

Result<std::vector<std::vector<int>>> SequenceOptions::read(const OpenedModel& opened) const {
  std::vector<std::vector<int>> out;
  std::size_t text = 0, ids = 0;
  for (const CLI::Option* option : command_->parse_order()) {
    if (option == text_option_) {
      TRY(out.emplace_back(), encode(opened, texts_[text++]));
    } else if (option->check_name("--ids")) {
      TRY(out.emplace_back(), parse_ids(ids_[ids++]));
    }
  }
  return out;
}

void print_json(const nlohmann::json& value) {
  std::printf("%s\n", value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace attnscope::cli
