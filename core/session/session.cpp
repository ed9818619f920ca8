#include "core/session/session.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "core/base/caught.h"
#include "core/session/asked_measure.h"
#include "core/session/prompt_list.h"
#include "core/session/training_arm.h"
#include "core/session/typed_words.h"

namespace attnscope {
namespace {

// Words that the vocabulary does not know are read alike; their names are not.
bool same_names(const Document& a, const Document& b) {
  if (!a.opened || !a.opened->tokenizer || !a.opened->tokenizer->unknown()) return true;
  return std::equal(a.sequences.begin(), a.sequences.end(), b.sequences.begin(), b.sequences.end(),
                    [&](const Sequence& first, const Sequence& second) {
                      return typed_words(*a.opened, first, Stack::single) ==
                                 typed_words(*a.opened, second, Stack::single) &&
                             typed_words(*a.opened, first, Stack::enc) ==
                                 typed_words(*a.opened, second, Stack::enc);
                    });
}

}  // namespace

bool same_computation(const Document& a, const Document& b) {
  const auto same = [](const auto& x, const auto& y) { return x == y || same_edit(*x, *y); };
  return a.model == b.model && a.padding == b.padding && same_names(a, b) &&
         std::equal(a.sequences.begin(), a.sequences.end(), b.sequences.begin(), b.sequences.end(),
                    [](const Sequence& x, const Sequence& y) { return same_input(x.input, y.input); }) &&
         std::equal(a.edits.begin(), a.edits.end(), b.edits.begin(), b.edits.end(), same);
}

Result<std::vector<std::shared_ptr<const Trace>>> run_all(
    const Document& document, RunOptions options, const std::vector<std::shared_ptr<const Trace>>& before,
    RunSoFar* so_far) {
  std::vector<std::shared_ptr<const Trace>> traces;
  if (!document.opened->recorded.empty()) return document.opened->recorded;
  const std::vector<Input> inputs = inputs_of(document);
  for (std::size_t sequence = 0; sequence < inputs.size(); ++sequence) {
    options.edits = edits_for(document.edits, static_cast<int>(sequence));
    options.base = sequence < before.size() ? before[sequence] : nullptr;
    if (so_far)
      options.on_block = [so_far, sequence](const Trace& trace, Stack stack, int layer) {
        so_far->took(static_cast<int>(sequence), trace, stack, layer);
      };
    auto trace = document.model->run(inputs[sequence], options);
    if (!trace) {
      const bool several = document.sequences.size() > 1;
      return several ? within(Text::of("error.sequence", {sequence + 1}), trace.error()) : trace.error();
    }
    traces.push_back(*std::move(trace));
  }
  return traces;
}

bool Cursor::operator==(const Cursor& other) const {
  const auto pin = [](const Cursor& c) { return c.pinned ? to_text(*c.pinned) : std::string(); };
  return sequence == other.sequence && layer == other.layer && head == other.head && stack == other.stack &&
         part == other.part && query == other.query && key == other.key && step == other.step &&
         pin(*this) == pin(other);
}

int RunResult::nearest(int sequence) const {
  return std::clamp(sequence, 0, std::max(0, static_cast<int>(traces.size()) - 1));
}

const std::shared_ptr<const Trace>& RunResult::shared(int sequence) const {
  return traces[static_cast<std::size_t>(nearest(sequence))];
}

std::string RunResult::label(int sequence, std::int64_t pos) const {
  return label(sequence, trace(sequence).config().stack, pos);
}

std::string RunResult::label(int sequence, Stack stack, std::int64_t row) const {
  return row_label(*document.opened, trace(sequence), stack, row);
}

Session::Session(std::function<void()> wake) : wake_(std::move(wake)), training_(wake_), workers_(wake_) {}
Session::~Session() = default;

bool Session::poll() {
  bool news = false;
  const auto take = [&](auto& computed, const auto& how) {
    auto taken = computed.take();
    if (!taken) return;
    news = true;
    const Status done = guarded(Text::of("error.work.result"), [&] { (this->*how)(*std::move(taken)); });
    if (!done) error_ = done.error();
  };
  take(pinning_, &Session::take_pinned);
  take(adapting_, &Session::take_adapted);
  take(data_, &Session::take_data);
  take(run_, &Session::take_run);
  take(generated_, &Session::take_generated);
  take(opening_, &Session::finish_opening);
  follow_files();
  follow_training();
  return news;
}

void Session::open_data(DataChoice choice) {
  data_.begin(workers_, [choice = std::move(choice)](const std::atomic<bool>& cancel) {
    return held_prompts(choice, cancel);
  });
}

void Session::take_data(const Result<std::shared_ptr<const DataPrompts>>& made) {
  if (!made) {
    error_ = made.error();
    error_outlives_run_ = run_.waits();
    return;
  }
  (void)edit(Text::of("data.edit.opened", {data_name((*made)->choice)}), {}, [&](Document& document) {
    put_prompts(document, *made);
    return Status(Done{});
  });
}

Status Session::edit(const Text& sentence, const std::string& gesture,
                     const std::function<Status(Document&)>& change) {
  if (!document().opened) return fail(Code::not_found, "error.session.nothing_open");
  Document changed = document();
  if (Status status = change(changed); !status) {
    error_ = status.error();
    return status;
  }
  if (!document().opened->recorded.empty() && !same_computation(document(), changed)) {
    error_ = fail(Code::unsupported, "error.session.recording");
    return *error_;
  }
  const std::uint64_t point = history_.point();
  history_.push(std::move(changed), sentence, gesture);
  // Another position of the same drag: what runs is a picture on the way, and is shown.
  start(history_.point() == point ? Older::finishes : Older::stops);
  return Done{};
}

Status Session::begin(const std::function<Status(Document&)>& change) {
  Document changed = document();
  if (Status status = change(changed); !status) {
    error_ = status.error();
    return status;
  }
  history_ = History(std::move(changed));
  take_as_kept();
  start(Older::stops);
  return Done{};
}

void Session::take_as_kept() {
  history_.close_gesture();
  kept_point_ = history_.point();
}

void Session::undo() {
  if (!history_.can_undo()) return can_undo() ? go_back() : void();
  history_.close_gesture();
  history_.undo();
  run();
}

void Session::take_back() {
  undo();
  history_.drop_later();
}

std::shared_ptr<RunResult> Session::result_of(const Document& document,
                                              std::vector<std::shared_ptr<const Trace>> traces,
                                              std::uint64_t opened) {
  auto result = std::make_shared<RunResult>();
  result->version = next_version_++;
  result->opened_version = opened;
  result->document = document;
  result->traces = std::move(traces);
  result->steps =
      timeline(*result->traces.front(), document.opened->scene ? document.opened->scene->walk : "");
  return result;
}

void Session::pin(
    std::function<Result<std::shared_ptr<const Document>>(const std::atomic<bool>& cancel)> make) {
  pinning_.begin(
      workers_,
      [make = std::move(make), own = document().opened,
       opened = opened_version_](const std::atomic<bool>& cancel) -> Result<Pinned> {
        TRY(const auto document, make(cancel));
        if (!document) return Pinned{};
        RunOptions options;
        options.cancel = &cancel;
        TRY(auto traces, run_all(*document, options, {}));
        // Of another model: no undo point can hold it.
        return Pinned{result_of(*document, std::move(traces), document->opened == own ? opened : 0), opened};
      });
}

void Session::take_pinned(const Result<Pinned>& made) {
  if (!made)
    error_ = made.error();
  else if (made->result && made->opened == opened_version_)
    pinned_ = made->result;
}

void Session::swap_pinned(const Text& sentence) {
  if (!pinned_ || !result_ || opening()) return;
  const auto other = pinned_;
  pin();
  if (other->opened_version != opened_version_)
    return open_document(
        [document = other->document](const std::atomic<bool>&) -> Result<Document> { return document; });
  if (const int step = other->document.opened->training_step; shows_training_ && step >= 0)
    wanted_step_ = shown_step_ = step;
  (void)edit(sentence, {}, [&](Document& changed) -> Status {
    changed = other->document;
    return Done{};
  });
}

void Session::redo() {
  if (!history_.can_redo()) return can_redo() ? go_forward() : void();
  history_.redo();
  run();
}

bool Session::training_held() const {
  return shows_training_ &&
         std::any_of(document().edits.begin(), document().edits.end(), [](const auto& edit) {
           return edit->number() && edit->number()->where.kind == Target::Kind::weight;
         });
}

void Session::run() { start(Older::stops); }

void Session::start(Older older) {
  if (!document().model || mixed_) return;
  // A run that was computed and not taken yet would take the place of this one.
  if (result_ && !run_.waits() && same_computation(result_->document, document())) {
    auto same = std::make_shared<RunResult>(*result_);  // for example sampling changed: the numbers stay
    same->document = document();
    same->undo_point = history_.point();
    result_ = std::move(same);
    error_.reset();
    return;
  }
  RunRequest asked;
  asked.document = document();
  asked.point = history_.point();
  asked.opened = opened_version_;
  so_far_ = asked.so_far = std::make_shared<RunSoFar>(document(), wake_);
  if (result_) asked.before = result_->traces;
  if (const Document* const found =
          history_.last_before([&](const Document& one) { return !same_computation(one, document()); })) {
    asked.unchanged = *found;
    asked.known = result_without_change(*found);
  }
  asked.trained = result_ && result_->document.opened != document().opened;
  auto work = [asked = std::move(asked)](const Computed<Result<Ran>>::Progress& progress) {
    return ran(asked, progress);
  };
  if (small_ && small_(document())) return run_.compute(work);
  run_.begin(workers_, std::move(work), older);
}

std::string Session::last_change() const {
  const Text* change =
      history_.change_of([&](const Document& one) { return !same_computation(one, document()); });
  return change ? change->str() : std::string();
}

bool Session::runs_anew() const {
  if (!running() || !result_ || result_->opened_version != opened_version_) return running();
  const auto same = [](const Input& input, const std::shared_ptr<const Trace>& trace) {
    return input.ids == trace->input.ids;
  };
  const std::vector<Input> inputs = inputs_of(document());
  return !std::equal(inputs.begin(), inputs.end(), result_->traces.begin(), result_->traces.end(), same);
}

Result<Session::Ran> Session::ran(const RunRequest& asked, const Computed<Result<Ran>>::Progress& progress) {
  RunOptions options;
  options.cancel = &progress.cancel();
  const auto begin = std::chrono::steady_clock::now();
  TRY(auto traces, run_all(asked.document, options, asked.before, asked.so_far.get()));
  auto result = result_of(asked.document, std::move(traces), asked.opened);
  result->undo_point = asked.point;
  result->milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (!asked.unchanged || asked.known) return Ran{result, asked.known};
  // A model that trains: both at once, so that old and new are always of one step.
  if (!asked.trained) progress.show(Ran{result, nullptr});
  auto without = run_all(*asked.unchanged, options, result->traces);
  return Ran{result, without ? result_of(*asked.unchanged, *std::move(without), asked.opened) : nullptr};
}

// A run of these numbers that is there already.
std::shared_ptr<const RunResult> Session::result_without_change(const Document& unchanged) const {
  for (const auto& one : {result_, previous_})
    if (one && one->opened_version == opened_version_ && same_computation(one->document, unchanged))
      return one;
  return nullptr;
}

void Session::take_run(const Result<Ran>& ran) {
  if (!ran) {
    error_ = ran.error();
    return;
  }
  if (result_ && result_->version == ran->result->version) {  // what was missing of it
    previous_ = ran->without;
    return;
  }
  if (ran->result->document.opened != document().opened && ran->result->undo_point != history_.point())
    return;
  result_ = ran->result;
  previous_ = ran->without;
  if (!std::exchange(error_outlives_run_, false)) error_.reset();
}

void Session::generate(int sequence, int count, const Text& sentence, const Sampling& sampling, bool kept) {
  if (!document().model || mixed_ || sequence < 0 ||
      sequence >= static_cast<int>(document().sequences.size()))
    return;
  const OpenedModel* opened_model = document().opened.get();
  if (opened_model && opened_model->tokenizer) {
    const Input& input = document().sequences[static_cast<std::size_t>(sequence)].input;
    count = std::min(count, arm_actions_left(*opened_model->tokenizer, input.ids).value_or(count));
    if (count <= 0) return;  // its answer is complete: what follows was never trained
  }
  Extended asked{sequence, {}, {}, sentence, kept, history_.point(), opened_version_};
  generated_.begin(
      workers_,
      [asked = std::move(asked), count, sampling,
       document = document()](const std::atomic<bool>& cancel) -> Result<Extended> {
        Extended out = asked;
        const Input prompt =
            document.model->completed(document.sequences[static_cast<std::size_t>(out.sequence)].input);
        RunOptions options;
        options.edits = edits_for(document.edits, out.sequence);
        options.cancel = &cancel;
        TRY(const Generated made, attnscope::generate(*document.model, prompt, count, sampling, options));
        out.ids = prompt.ids;
        out.ids.insert(out.ids.end(), made.ids.begin(), made.ids.end());
        out.spans = prompt.spans;
        return out;
      });
}

void Session::take_generated(const Result<Extended>& made) {
  if (!made) {
    error_ = made.error();
    return;
  }
  if (made->opened != opened_version_ || history_.point() != made->point) return;  // it changed meanwhile
  (void)edit(made->sentence, {}, [&](Document& changed) {
    return set_ids(changed, static_cast<std::size_t>(made->sequence), made->ids, made->spans);
  });
  if (made->kept) take_as_kept();
}

void Session::wait() {
  const auto busy = [&] {
    return opening() || running() || generating() || pinning_.under_way() || opening_data() || adapting();
  };
  for (;;) {
    const bool was_busy = busy();
    const bool news = poll();
    if (!was_busy && !news && !busy()) return;
    if (!news) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace attnscope
