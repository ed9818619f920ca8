#include "core/text/pipeline.h"

#include <algorithm>
#include <unordered_map>

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

struct PipelineTokenizer::Recorder {
  const SegmentationLimits& limits;
  Segmentation& out;

  void stretch(const Segment& segment) const {
    if (out.stretch_count++ < limits.words) out.stretches.push_back(segment);
  }
  // Room for the steps of one more word; null where there is none left.
  SegmentedWord* word(const Segment& segment, std::size_t first_token) const {
    if (out.word_count++ >= limits.words) return nullptr;
    out.words.push_back({segment.text, segment.added, {}, {}, first_token});
    out.words.back().steps.limit = limits.steps;
    return &out.words.back();
  }
  // The template has put `count` tokens in front.
  void shift(std::size_t count) const {
    for (SegmentedWord& word : out.words) word.first_token += count;
  }
};

// Takes the words of one text, one by one. Words that come again, as most do, are cut once.
class PipelineTokenizer::Run {
 public:
  Run(const Pipeline& parts, std::size_t bytes, const Recorder* recorder)
      : parts_(parts), bytes_(bytes), recorder_(recorder) {}

  Status take(const Segment& segment) {
    segment.added ? take_added(segment) : take_word(segment);
    return Done{};
  }
  PlacedTokens& placed() { return placed_; }

 private:
  static constexpr std::size_t kRemembered = 1 << 15, kLongest = 64;  // words; bytes of one

  void take_added(const Segment& segment) {
    const std::size_t first = placed_.tokens.size();
    const AddedToken& token = *parts_.added.at(*segment.added);
    const ByteSpan place = segment.text.span(0, segment.text.size());
    place_token({token.id, token.content, place.begin, place.end, token.special}, segment.text.text());
    if (SegmentedWord* record = recorder_ ? recorder_->word(segment, first) : nullptr)
      record->parts = {{*segment.added, 0, segment.text.size()}};
  }

  void take_word(const Segment& segment) {
    SegmentedWord* record = recorder_ ? recorder_->word(segment, placed_.tokens.size()) : nullptr;
    const std::vector<WordPart>& cut = cut_of(segment.text.text(), record ? &record->steps : nullptr);
    for (const WordPart& part : cut) place_part(segment, part);
    if (record) record->parts = cut;
  }

  const std::vector<WordPart>& cut_of(std::string_view word, WordSteps* steps) {
    const bool remembered = !steps && word.size() <= kLongest;
    if (const auto known = remembered ? known_.find(word) : known_.end(); known != known_.end())
      return known->second;
    cut_.clear();
    parts_.model->cut_word(word, cut_, steps);
    if (!remembered || known_.size() >= kRemembered) return cut_;
    return known_.emplace(word, std::vector<WordPart>(cut_)).first->second;
  }

  void place_part(const Segment& segment, const WordPart& part) {
    const ByteSpan place = segment.text.span(part.begin, part.end);
    const std::string_view spelling = part.as_written
                                          ? segment.text.text().substr(part.begin, part.end - part.begin)
                                          : parts_.model->vocabulary().spelling(part.id);
    const AddedToken* added = parts_.added.at(part.id);
    const bool special = added != nullptr && added->special;
    place_token({part.id, std::string(spelling), place.begin, place.end, special}, spelling);
  }

  // Reserves memory by the tokens per byte so far: while a list grows by doubling, both copies are in memory.
  void place_token(Token token, std::string_view matched) {
    constexpr std::size_t kEnough = 1024;  // tokens before the estimate is used
    const std::size_t count = placed_.tokens.size();
    if (count == placed_.tokens.capacity()) {
      const double done = static_cast<double>(std::max(token.end, std::int64_t{1}));
      const double foretold = 1.05 * static_cast<double>(count) * static_cast<double>(bytes_) / done;
      const std::size_t most =
          count < kEnough ? 2 * count : std::min(static_cast<std::size_t>(foretold), bytes_);
      placed_.tokens.reserve(std::max(most, count + count / 8 + 16));
      placed_.margins.reserve(placed_.tokens.capacity());
    }
    placed_.margins.push_back(margins_of(matched));
    placed_.tokens.push_back(std::move(token));
  }

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  const Pipeline& parts_;
  std::size_t bytes_;
  const Recorder* recorder_;
  PlacedTokens placed_;
  std::vector<WordPart> cut_;
  std::unordered_map<std::string, std::vector<WordPart>, Hash, std::equal_to<>> known_;
};

Result<Encoding> PipelineTokenizer::run(std::string_view text, bool add_special,
                                        const Recorder* recorder) const {
  if (text.size() > kMaxText) {
    return fail(Code::out_of_range, "error.text.long", {format_bytes(text.size()), format_bytes(kMaxText)});
  }
  Run run(parts_, text.size(), recorder);
  const WordSink words = [&](const Segment& word) { return run.take(word); };
  TRY_OK(parts_.added.cut(MappedText::of(text), parts_.normalizer, [&](const Segment& stretch) {
    if (recorder) recorder->stretch(stretch);
    return parts_.pre_tokenizer ? parts_.pre_tokenizer(stretch, words) : words(stretch);
  }));
  PlacedTokens& placed = run.placed();
  if (parts_.post_processor) parts_.post_processor(placed, add_special);
  if (recorder) recorder->shift(placed.in_front);
  return Encoding{std::move(placed.tokens)};
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
  return std::string(decoded(ids, skip_special).text());
}

// What the ids spell; id number i stands at [i, i + 1).
MappedText PipelineTokenizer::decoded(const std::vector<int>& ids, bool skip_special) const {
  std::vector<MappedText> spellings;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const AddedToken* added = parts_.added.at(ids[i]);
    if (skip_special && added != nullptr && added->special) continue;
    const auto place = static_cast<std::int32_t>(i);
    MappedText spelling = MappedText::at(lossy_utf8(token_text(ids[i])), {place, place + 1});
    if (spelling.empty()) continue;
    if (!parts_.decoder && !spellings.empty()) spelling.prepend(" ");
    spellings.push_back(std::move(spelling));
  }
  return joined(parts_.decoder ? parts_.decoder(std::move(spellings)) : std::move(spellings));
}

Spelling PipelineTokenizer::spell(const std::vector<int>& ids, bool skip_special) const {
  const MappedText text = decoded(ids, skip_special);
  Spelling out{std::string(text.text()), {}};
  constexpr std::int64_t kNowhere = -1;
  out.places.assign(ids.size(), {kNowhere, kNowhere});
  text.each_place([&](std::size_t begin, std::size_t end, ByteSpan place) {
    for (std::int32_t id = place.begin; id < place.end; ++id) {
      auto& [first, last] = out.places[static_cast<std::size_t>(id)];
      if (first == kNowhere) first = static_cast<std::int64_t>(begin);
      last = static_cast<std::int64_t>(end);
    }
  });
  std::int64_t done = 0;  // what spells nothing stands where the one before it ends
  for (auto& [first, last] : out.places) {
    if (first == kNowhere) first = last = done;
    done = last;
  }
  return out;
}

std::optional<int> PipelineTokenizer::unknown() const { return parts_.model->unknown(); }

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
