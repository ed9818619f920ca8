// The table of flags, and words to a Request and back.
#include "core/session/request.h"

#include <limits>

#include "core/base/text.h"
#include "core/base/trimmed.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using RequestWords = std::vector<Request::Words>;
using Texts = std::vector<std::string>;

constexpr std::uint64_t kLongestPadding = 1 << 20;

template <RequestWords Request::*list, bool ids>
Status take_words(Request& request, const std::string& value, const std::string& flag) {
  if (ids && !starts_with(value, "@"))
    TRY_OK(parse_ids(value, flag));  // a file is read when it is carried out
  (request.*list).push_back({value, ids});
  return Done{};
}

template <Texts Request::*list>
Status take_text(Request& request, const std::string& value, const std::string&) {
  (request.*list).push_back(value);
  return Done{};
}
template <Texts Request::*list>
Texts values_of_texts(const Request& request) {
  return request.*list;
}

Status take_mask(Request& request, const std::string& value, const std::string&) {
  std::string_view spec = value;
  (void)take_mask_prefix(spec);
  if (!starts_with(spec, "@")) TRY_OK(MaskSpec::parse(spec));
  request.masks.push_back(value);
  return Done{};
}

Status take_pad_to(Request& request, const std::string& value, const std::string&) {
  TRY(const std::uint64_t tokens, parse_whole(value, 0, kLongestPadding));
  request.pad_to = static_cast<std::int64_t>(tokens);
  return Done{};
}
Texts values_of_pad_to(const Request& request) {
  return request.pad_to ? Texts{std::to_string(*request.pad_to)} : Texts{};
}

Status take_pad_side(Request& request, const std::string& value, const std::string&) {
  request.pad_side = value == "left" ? PadSide::left : PadSide::right;
  return Done{};
}
Texts values_of_pad_side(const Request& request) {
  return request.pad_side ? Texts{*request.pad_side == PadSide::left ? "left" : "right"} : Texts{};
}

template <RequestWords Request::*list, bool ids>
RequestFlag words_flag(std::string_view name, std::string_view help) {
  return {name, ids ? "1,2,3" : "T", help, false, !ids, {}, take_words<list, ids>, nullptr};
}
template <Texts Request::*list>
RequestFlag texts_flag(std::string_view name, std::string_view type, std::string_view help) {
  return {name, type, help, false, false, {}, take_text<list>, values_of_texts<list>};
}

std::vector<RequestFlag> all_flags() {
  using R = Request;
  RequestFlag mask = texts_flag<&R::masks>("mask", "SPEC", "cli.input.mask");
  mask.take = take_mask;
  return {words_flag<&R::words, false>("text", "cli.input.text"),
          words_flag<&R::words, true>("ids", "cli.input.ids"),
          words_flag<&R::decoder_words, false>("decoder-text", "cli.input.decoder_text"),
          words_flag<&R::decoder_words, true>("decoder-ids", "cli.input.decoder_ids"),
          texts_flag<&R::images>("image", "FILE", "cli.input.image"),
          texts_flag<&R::spans>("spans", "NAME=N,...", "cli.input.spans"),
          texts_flag<&R::types>("types", "0,0,1", "cli.input.types"),
          std::move(mask),
          texts_flag<&R::edits>("edit", "PLACE=V", "cli.edit"),
          texts_flag<&R::steers>("steer", "FILE[:STRENGTH]", "cli.steer"),
          {"pad-to", "N", "cli.input.pad_to", true, false, whole_number(0, kLongestPadding), take_pad_to,
           values_of_pad_to},
          {"pad-side", "SIDE", "cli.input.pad_side", true, false, one_word_of({"right", "left"}),
           take_pad_side, values_of_pad_side}};
}

std::string flag_word(const RequestFlag& flag, const std::string& prefix) {
  return "--" + prefix + std::string(flag.name);
}

Result<const RequestFlag*> flag_named(const std::string& word, const std::string& prefix) {
  Texts known;
  for (const RequestFlag& flag : request_flags()) {
    if (flag_word(flag, prefix) == word) return &flag;
    known.push_back(flag_word(flag, prefix));
  }
  return fail(Code::bad_format, "error.session.request.flag", {in_quotes(word, 40), join(known, ", ")});
}

Status take_value(Request& request, const RequestFlag& flag, const std::string& name, std::string value) {
  if (value.empty() && !flag.takes_empty) return fail(Code::bad_format, "error.cli.no_value", {name});
  if (flag.check)
    if (const std::string wrong = flag.check(value); !wrong.empty())
      return fail(Code::bad_format, "error.session.request.value", {name, wrong});
  return flag.take(request, value, name);
}

// Words of both kinds in the order in which they were given.
void write_words(Texts& out, const RequestWords& all, const std::string& prefix, const char* text,
                 const char* ids) {
  for (const Request::Words& words : all) {
    out.push_back("--" + prefix + (words.ids ? ids : text));
    out.push_back(words.text);
  }
}

}  // namespace

Result<std::vector<int>> parse_ids(const std::string& text, const std::string& flag) {
  std::vector<int> ids;
  for (const std::string& part : split(text, ',')) {
    const std::string_view word = trimmed(part, " \t\r\n");
    const bool minus = starts_with(word, "-");
    const auto id = parse_index(word.substr(minus ? 1 : 0));
    if (!id || *id > std::numeric_limits<int>::max())
      return fail(Code::bad_format, "error.cli.ids", {in_quotes(text), flag});
    ids.push_back(static_cast<int>(minus ? -*id : *id));
  }
  return ids;
}

const std::vector<RequestFlag>& request_flags() {
  static const std::vector<RequestFlag> flags = all_flags();
  return flags;
}

std::vector<ValueFlag> request_value_flags(const std::string& prefix, bool batch) {
  std::vector<ValueFlag> out;
  for (const RequestFlag& flag : request_flags()) {
    if (flag.once && !batch) continue;
    std::string names = flag_word(flag, prefix);
    if (flag.name == "text" && !prefix.empty()) names += ",--" + prefix.substr(0, prefix.size() - 1);
    out.push_back({std::move(names), std::string(flag.type), tr(flag.help), flag.once, flag.check});
  }
  return out;
}

Result<Request> read_request(const std::vector<std::string>& words, const std::string& prefix) {
  Request out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    TRY(const RequestFlag* flag, flag_named(name, prefix));
    if (equals == std::string::npos && ++i >= words.size())
      return fail(Code::bad_format, "error.cli.no_value", {name});
    TRY_OK(
        take_value(out, *flag, name, equals == std::string::npos ? words[i] : words[i].substr(equals + 1)));
  }
  return out;
}

std::vector<std::string> request_words(const Request& request, const std::string& prefix) {
  Texts out;
  write_words(out, request.words, prefix, "text", "ids");
  write_words(out, request.decoder_words, prefix, "decoder-text", "decoder-ids");
  for (const RequestFlag& flag : request_flags())
    for (const std::string& value : flag.values ? flag.values(request) : Texts{}) {
      out.push_back(flag_word(flag, prefix));
      out.push_back(value);
    }
  return out;
}

}  // namespace attnscope
