#include "core/text/pipeline.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/text/byte_level.h"
#include "core/text/segmentation.h"

namespace attnscope {

namespace {

constexpr std::size_t kMaxText = std::size_t{256} << 20;  // bytes; places are kept as 32-bit numbers

// Vocabularies that are not byte-level write a space as U+2581.
std::string with_spaces(std::string spelling) {
  static const std::string mark = "▁";
  for (std::size_t at = 0; (at = spelling.find(mark, at)) != std::string::npos; ++at)
    spelling.replace(at, mark.size(), " ");
  return spelling;
}

std::optional<int> id_of(const Pipeline& parts, std::string_view spelling) {
  const auto added = parts.added.vocabulary().find(spelling);
  return added ? added : parts.model->vocabulary().find(spelling);
}

}  // namespace

std::optional<int> first_known(const Pipeline& parts, const std::vector<std::string>& spellings) {
  for (const std::string& spelling : spellings) {
    if (const auto id = id_of(parts, spelling)) return id;
  }
  return std::nullopt;
}

PipelineTokenizer::PipelineTokenizer(Pipeline parts) : parts_(std::move(parts)) {
  CHECK(parts_.model != nullptr);
}

PlacedToken PipelineTokenizer::added_token(const Segment& segment) const {
  const AddedToken& token = *parts_.added.at(*segment.added);
  const ByteSpan place = segment.text.span(0, segment.text.text().size());
  return {{token.id, token.content, place.begin, place.end, token.special}, segment.text.text()};
}

struct PipelineTokenizer::Recorder {
  const SegmentationLimits& limits;
  Segmentation& out;

  void stretches(const std::vector<Segment>& all) const {
    out.stretch_count = all.size();
    const auto kept = static_cast<std::ptrdiff_t>(std::min(all.size(), limits.words));
    out.stretches.assign(all.begin(), all.begin() + kept);
  }
  // Room for the steps of one more word; null where there is none left.
  SegmentedWord* word(const Segment& segment, std::size_t first_token) const {
    if (out.word_count++ >= limits.words) return nullptr;
    out.words.push_back({segment.text, segment.added, {}, {}, first_token});
    out.words.back().steps.limit = limits.steps;
    return &out.words.back();
  }
  // The template has put tokens in front, which match no text.
  void shift(const std::vector<PlacedToken>& tokens) const {
    const auto first = std::find_if(tokens.begin(), tokens.end(),
                                    [](const PlacedToken& token) { return !token.matched.empty(); });
    for (SegmentedWord& word : out.words)
      word.first_token += static_cast<std::size_t>(first - tokens.begin());
  }
};

void PipelineTokenizer::add_words(const Segment& segment, std::vector<PlacedToken>& out,
                                  const Recorder* recorder) const {
  std::vector<WordPart> cut;
  const std::string& word = segment.text.text();
  SegmentedWord* record = recorder ? recorder->word(segment, out.size()) : nullptr;
  parts_.model->cut_word(word, cut, record ? &record->steps : nullptr);
  for (const WordPart& part : cut) {
    const ByteSpan place = segment.text.span(part.begin, part.end);
    const std::string spelling = part.as_written ? word.substr(part.begin, part.end - part.begin)
                                                 : std::string(parts_.model->vocabulary().spelling(part.id));
    const AddedToken* added = parts_.added.at(part.id);
    out.push_back(
        {{part.id, spelling, place.begin, place.end, added != nullptr && added->special}, spelling});
  }
  if (record) record->parts = std::move(cut);
}

Result<Encoding> PipelineTokenizer::run(std::string_view text, bool add_special,
                                        const Recorder* recorder) const {
  if (text.size() > kMaxText) {
    return fail(Code::out_of_range, format("The text has %s.", format_bytes(text.size()).c_str()),
                format("At most %s can be cut into tokens at once.", format_bytes(kMaxText).c_str()));
  }
  TRY(auto segments, parts_.added.cut(MappedText::of(text), parts_.normalizer));
  if (recorder) recorder->stretches(segments);
  if (parts_.pre_tokenizer) TRY_OK(parts_.pre_tokenizer(segments));
  std::vector<PlacedToken> placed;
  for (const Segment& segment : segments) {
    if (!segment.added) {
      add_words(segment, placed, recorder);
      continue;
    }
    SegmentedWord* record = recorder ? recorder->word(segment, placed.size()) : nullptr;
    placed.push_back(added_token(segment));
    if (record) record->parts = {{*segment.added, 0, segment.text.text().size()}};
  }
  if (parts_.post_processor) parts_.post_processor(placed, add_special);
  if (recorder) recorder->shift(placed);
  Encoding encoding;
  encoding.tokens.reserve(placed.size());
  for (PlacedToken& token : placed) encoding.tokens.push_back(std::move(token.token));
  return encoding;
}

Result<Encoding> PipelineTokenizer::encode(std::string_view text, bool add_special) const {
  return run(text, add_special, nullptr);
}

Result<Encoding> PipelineTokenizer::encode_recorded(std::string_view text, bool add_special,
                                                    const SegmentationLimits& limits,
                                                    Segmentation& record) const {
  const Recorder recorder{limits, record};
  return run(text, add_special, &recorder);
}

std::string PipelineTokenizer::decode(const std::vector<int>& ids, bool skip_special) const {
  std::vector<std::string> spellings;
  for (const int id : ids) {
    const AddedToken* added = parts_.added.at(id);
    if (skip_special && added != nullptr && added->special) continue;
    std::string spelling = token_text(id);
    if (!spelling.empty()) spellings.push_back(std::move(spelling));
  }
  if (!parts_.decoder) return lossy_utf8(join(spellings, " "));
  return lossy_utf8(join(parts_.decoder(std::move(spellings)), ""));
}

int PipelineTokenizer::vocab_size() const {
  return std::max(parts_.model->vocabulary().size(), parts_.added.vocabulary().size());
}

std::string PipelineTokenizer::token_text(int id) const {
  if (const AddedToken* added = parts_.added.at(id)) return added->content;
  return std::string(parts_.model->vocabulary().spelling(id));
}

std::string PipelineTokenizer::token_display(int id) const {
  const AddedToken* added = parts_.added.at(id);
  if (added == nullptr && !parts_.model->vocabulary().has(id)) return format("<id %d>", id);
  if (added != nullptr) return display_bytes(added->content);
  return display_bytes(parts_.letters ? bytes_of_letters(token_text(id)) : with_spaces(token_text(id)));
}

std::optional<int> PipelineTokenizer::find(std::string_view vocab_spelling) const {
  return id_of(parts_, vocab_spelling);
}

}  // namespace attnscope
