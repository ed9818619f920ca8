#include "core/session/asking.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/session/prompt_list.h"

namespace attnscope {
namespace {

constexpr std::array kQuestions{
    PlaceQuestion{"heads", "blocks.*.z", "head", false, false},
    PlaceQuestion{"parts", "blocks.*.attn.out,*blocks.*.cross.out,*blocks.*.mlp.out", "", false, false},
    PlaceQuestion{"neurons", "blocks.*.mlp.post", "d_mlp", false, false},
    PlaceQuestion{"positions", "blocks.*.resid_pre", "pos", false, true},
    PlaceQuestion{"heads_at", "blocks.*.z", "head,pos", false, true},
    PlaceQuestion{"residual", "blocks.*.resid_pre", "pos", true, true},
    PlaceQuestion{"attention", "blocks.*.attn.out", "pos", true, true},
    PlaceQuestion{"mlp", "blocks.*.mlp.out", "pos", true, true},
    PlaceQuestion{"heads", "blocks.*.z", "head", true, false},
    PlaceQuestion{"heads_at", "blocks.*.z", "head,pos", true, true},
    PlaceQuestion{"q", "blocks.*.split_q", "head", true, false},
    PlaceQuestion{"k", "blocks.*.split_k", "head", true, false},
    PlaceQuestion{"v", "blocks.*.split_v", "head", true, false},
    PlaceQuestion{"pattern", "blocks.*.pattern", "head", true, false},
};

// The stack that a person's text is read by.
Stack read_by(const Document& document) {
  const ModelConfig& config = document.model->config();
  return config.encoder() ? Stack::enc : config.stack;
}

}  // namespace

std::span<const PlaceQuestion> place_questions() { return kQuestions; }

DataKnockout::From knockout_from(AskHow how) {
  using From = DataKnockout::From;
  return how == AskHow::zero       ? From::itself
         : how == AskHow::mean     ? From::mean
         : how == AskHow::resample ? From::resample
                                   : From::mean_by_pos;
}

bool has_places(const ModelConfig& config, const PlaceQuestion& question) {
  if (!std::string_view(question.steps).starts_with("blocks.*.mlp")) return true;
  const auto has_mlp = [](const ModelConfig& of) {
    return std::any_of(of.blocks.begin(), of.blocks.end(),
                       [](const BlockSpec& block) { return block.mlp.kind != MlpSpec::Kind::none; });
  };
  return has_mlp(config) || std::any_of(config.encoders.begin(), config.encoders.end(), has_mlp);
}

const PlaceQuestion& Asking::question() const {
  const bool patch = settings.page == AskPage::patch;
  const std::string id = settings.page == AskPage::heads ? "heads"
                         : patch                         ? settings.patch
                                                         : settings.knock_out;
  const auto chosen = std::find_if(kQuestions.begin(), kQuestions.end(),
                                   [&](const PlaceQuestion& q) { return q.patch == patch && q.id == id; });
  const bool there = chosen != kQuestions.end() &&
                     (!run_ || !run_->document.model || has_places(run_->document.model->config(), *chosen));
  if (there) return *chosen;
  return *std::find_if(kQuestions.begin(), kQuestions.end(),
                       [&](const PlaceQuestion& q) { return q.patch == patch; });
}

Stack Asking::stack_of(const ModelConfig& config) const {
  if (config.of(settings.stack).stack == settings.stack) return settings.stack;
  // Two prompts differ in what the encoder reads.
  return settings.page == AskPage::patch && config.encoder() ? Stack::enc : config.stack;
}

std::string Asking::own_text(const Document& document) const {
  const auto at = static_cast<std::size_t>(sequence_);
  if (at >= document.sequences.size()) return {};
  const Sequence& sequence = document.sequences[at];
  return read_by(document) == Stack::enc ? sequence.source_text : sequence.text;
}

// After the document took the other prompt's text (or undo gave it back), the other prompt is the one before.
void Asking::follow_swap(const Document& document) {
  if (swapped_own_ == swapped_other_ || settings.other != own_text(document)) return;
  if (settings.other != swapped_own_ && settings.other != swapped_other_) return;
  settings.other = settings.other == swapped_own_ ? swapped_other_ : swapped_own_;
  settings.into_other = !settings.into_other;
}

bool Asking::belongs(const std::shared_ptr<const Edit>& edit) const {
  const auto in = [&](const Edits& edits) {
    return std::find(edits.begin(), edits.end(), edit) != edits.end();
  };
  return in(put_prompt_) ||
         std::any_of(put_.begin(), put_.end(), [&](const auto& put) { return in(put.second); });
}

Document Asking::asked_document(Document document) const {
  std::erase_if(document.edits, [&](const auto& edit) { return belongs(edit); });
  return document;
}

// Senders and receivers of the main stack; heads are gone over one by one.
void Asking::take_path(const ModelConfig& config, SweepRequest& out) const {
  const std::string blocks = std::string(stack_prefix(config.stack)) + "blocks.*.",
                    stack(stack_prefix(config.stack));
  if (settings.from == AskFrom::tokens) {
    out.steps = stack + "embed", out.over = {"pos"};
  } else if (settings.from == AskFrom::neurons) {
    out.steps = blocks + "mlp.post";
    out.over = {settings.group > 1 ? format("d_mlp:%d", settings.group) : std::string("d_mlp")};
  } else {
    out.steps = stack + "embed," + blocks + "attn.z," + blocks + "cross.z," + blocks + "mlp.out";
  }
  const std::string read(name_of_value(settings.to, kAskTos));
  PathQuestion path{blocks + "attn." + read, settings.path};
  if (settings.to == AskTo::q) path.to += "," + blocks + "cross.q";  // keys are those of the encoder
  if (settings.to == AskTo::rest) path.to = blocks + "mlp.out,logits";
  out.path = std::move(path);
}

void Asking::take_places(const ModelConfig& config, SweepRequest& out) const {
  if (settings.page == AskPage::links) return take_path(config, out);
  const PlaceQuestion& asked = question();
  out.steps = (asked.by_rows ? std::string(stack_prefix(stack_of(config))) : "*") + asked.steps;
  if (*asked.over) out.over = split(asked.over, ',');
  if (asked.over == std::string_view("d_mlp") && settings.group > 1)
    out.over = {format("d_mlp:%d", settings.group)};
}

Result<SweepRequest> Asking::made(const RunResult& run) const {
  const auto answer = measure.of(run);
  if (run.recorded() || !asks_sweep(settings.page)) return Error{};
  if (over_data_) return made_over_data(run);
  if (!answer || answer->sequence != sequence_ || !answer->measure) return Error{};
  const bool patch = settings.page == AskPage::patch;
  if (patch && settings.other.empty()) return Error{};
  SweepRequest out;
  out.model = run.document.model;
  out.run = run.traces.at(static_cast<std::size_t>(sequence_));
  out.edits = edits_for(run.document.edits, sequence_);
  std::erase_if(out.edits, [&](const auto& edit) { return asks_cells(settings.page) && belongs(edit); });
  out.measure = *answer->measure;
  take_places(out.run->config(), out);
  if (settings.how != AskHow::zero && !out.path) out.how = {EditOp::set, MeanOver{}};
  if (!patch) return out;
  Document other = run.document;
  TRY_OK(set_text(other, static_cast<std::size_t>(sequence_), settings.other, read_by(other)));
  out.other = out.model->completed(inputs_of(other).at(static_cast<std::size_t>(sequence_)));
  out.into_other = settings.into_other;
  return out;
}

// The run on screen is asked for its sizes alone: whichever prompt is looked at, the question is the same.
// Edits of one sequence of several are no edits of a prompt.
Result<SweepRequest> Asking::made_over_data(const RunResult& run) const {
  auto data = std::make_shared<DataAsked>();
  data->prompts = run.document.data.prompts;
  data->start = run.document;
  data->start.data = {};
  data->start.notes.clear();
  data->start.circuits.clear();
  std::erase_if(data->start.edits, [&](const auto& edit) {
    return (asks_cells(settings.page) && belongs(edit)) || (run.traces.size() > 1 && edit->sequence >= 0);
  });
  SweepRequest out;
  out.model = run.document.model;
  out.run = run.traces.at(static_cast<std::size_t>(sequence_));
  take_places(out.run->config(), out);
  DataQuestion& asked = data->question;
  TRY(asked.measure, data_measure(measure.text, *data->prompts));
  TRY_OK(check_data_measure(asked.measure));
  asked.at = measure.row, asked.steps = out.steps, asked.over = out.over;
  asked.path = out.path;
  if (settings.page == AskPage::patch) {
    const bool into_corrupt = settings.into_other != looks_at_corrupt(run.document);
    asked.patch = into_corrupt ? PatchInto::corrupt : PatchInto::clean;
    out.into_other = into_corrupt;
  }
  asked.how.seed = data->prompts->choice.seed;
  if (!out.path && asked.patch == PatchInto::none) asked.how.from = knockout_from(settings.how);
  out.data = std::move(data);
  return out;
}

bool Asking::asks_data(const RunResult& run) const {
  return settings.over != AskOver::prompt && run.document.data.prompts && !run.recorded() &&
         asks_sweep(settings.page);
}

// A prompt that is opened brings its other side as the other prompt. Not where a session has one of its own,
// nor where undo gives the two prompts of a patch their places back. Places go on into the same side when the
// document changes to the other one.
void Asking::take_other_side(const Document& document, std::int64_t prompt) {
  const bool corrupt = looks_at_corrupt(document), first = !side_.has_value();
  const Side now{prompt, corrupt}, before = side_.value_or(now);
  side_ = now;
  const bool turned = before.corrupt != corrupt;
  if (turned) {
    settings.into_other = !settings.into_other;
    if (corrupt) other_before_ = settings.other;
    if (prompt < 0) settings.other = other_before_;
  }
  if ((!first && before == now) || prompt < 0 || (first && !settings.other.empty())) return;
  const DataLine& line = document.data.prompts->lines[static_cast<std::size_t>(prompt)];
  const std::string text =
      corrupt ? prompt_text(*document.opened, line) : corrupt_text(*document.opened, line);
  if (text.empty() || (!turned && !settings.other.empty() && settings.other == own_text(document))) return;
  settings.other = text;
  if (settings.over == AskOver::prompt) settings.into_other = !corrupt;
}

// A prompt of the data set has its own answer: where no tokens are typed it is that which is measured.
void Asking::follow_prompt(const RunResult& run) {
  measure.of_prompt.clear();
  const std::int64_t at = prompt_looked_at(run.document);
  take_other_side(run.document, at);
  if (at < 0) return;
  const DataPrompts& prompts = *run.document.data.prompts;
  const auto text = data_measure(measure.text, prompts);
  if (!text || !check_data_measure(*text)) return;
  const auto own = measure_with_answer(*text, prompts.lines[static_cast<std::size_t>(at)]);
  if (own && *own != measure.text) measure.of_prompt = *own;
}

void Asking::follow(Workers& workers, const std::shared_ptr<const RunResult>& run, int sequence,
                    const std::shared_ptr<const RunResult>& pinned) {
  if (run && (run != followed_ || followed_text_ != measure.text)) {
    followed_ = run, followed_text_ = measure.text;
    follow_prompt(*run);
  }
  measure.follow(workers, run, sequence, pinned);
  if (!run || run->traces.empty() || !run->document.opened) return;
  sequence = run->nearest(sequence);
  const bool same_place = sequence == sequence_;
  sequence_ = sequence;
  follow_swap(run->document);
  const auto answer = measure.of(*run);
  if (same_place && run == run_ && answer == asked_measure_ && settings == asked_) return;
  if (!answer && same_place && run_) return;  // the measure of this run is on its way
  run_ = run;
  asked_measure_ = answer;
  asked_ = settings;
  over_data_ = asks_data(*run);
  request_ = made(*run);
  key_ = request_ ? request_->key() : 0;
  const auto newest = sweep().newest();
  if (newest && asks_sweep(settings.page) && !is_fresh(*newest)) sweep().stop();
  const auto data = over_data_ ? nullptr : data_sweep_.newest();  // of a data set that is gone
  if (data && data->request.data->prompts != run->document.data.prompts) data_sweep_.stop();
}

void Asking::start(Workers& workers) {
  if (!run_) return;
  if (can_go_on()) return sweep().go_on(workers);
  put_.clear();
  put_prompt_.clear();
  request_ = made(*run_);
  key_ = request_ ? request_->key() : 0;
  if (request_) sweep().start(workers, *request_);
}

bool Asking::can_go_on() const {
  const auto newest = sweep().newest();
  return newest && is_fresh(*newest) && newest->can_go_on();
}

void Asking::forget() {
  sweep_.stop();
  data_sweep_.stop();
  sweep_ = {}, data_sweep_ = {};
  put_.clear();
  put_prompt_.clear();
  prompt_->cancel();
  making_->cancel();
  ready_.reset();
  followed_.reset();
  side_.reset();
  request_ = Error{};
  run_.reset();
}

// Pairs, about: half of them have the sender behind its receiver.
double Asking::path_cells(const ModelConfig& config) const {
  double senders = 1, receivers = settings.to == AskTo::rest ? 1 : 0;
  for (const BlockSpec& block : config.blocks) {
    const double heads = block.attention.n_heads;
    senders += settings.from == AskFrom::neurons
                   ? std::ceil(block.mlp.d_mlp / static_cast<double>(settings.group))
               : settings.from == AskFrom::parts ? heads + 1
                                                 : 0;
    receivers += settings.to == AskTo::rest ? 1 : heads;
  }
  if (settings.from == AskFrom::tokens) senders = static_cast<double>(request_->run->rows(config.stack));
  return senders * receivers / (settings.from == AskFrom::tokens ? 1 : 2);
}

double Asking::effort() const {
  if (!request_) return 0;
  const ModelConfig& config = request_->run->config();
  const PlaceQuestion& asked = question();
  double cells = 0;
  for (const Stack stack : {Stack::enc, Stack::vision, config.stack}) {
    const ModelConfig& of = config.of(stack);
    if (of.stack != stack || (asked.by_rows && stack != stack_of(config))) continue;
    const std::string_view over = asked.over;
    for (const BlockSpec& block : of.blocks) {
      const double heads = block.attention.n_heads * (block.cross ? 2 : 1),
                   rows = static_cast<double>(request_->run->rows(stack));
      cells += over == "head"       ? heads
               : over == "pos"      ? rows
               : over == "head,pos" ? heads * rows
               : over == "d_mlp"    ? std::ceil(block.mlp.d_mlp / static_cast<double>(settings.group))
                                    : 3;
    }
  }
  if (request_->path) cells = path_cells(config);
  const double rows = static_cast<double>(std::max<std::int64_t>(1, request_->run->length)),
               prompts = request_->data ? static_cast<double>(request_->data->prompts->lines.size()) : 1;
  return cells * rows * prompts * static_cast<double>(request_->model->weights().parameter_count());
}

// The other prompt becomes the document's.
Status Asking::change_places(Document& document) {
  if (settings.other.empty()) return Done{};
  const std::string own = own_text(document);
  TRY_OK(set_text(document, static_cast<std::size_t>(sequence_), settings.other, read_by(document)));
  swapped_own_ = own;
  swapped_other_ = settings.other;
  return Done{};
}

}  // namespace attnscope
