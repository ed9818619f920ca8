#include "core/session/session.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/session/read_again.h"
#include "core/session/training_arm.h"

namespace attnscope {
namespace {

// What is compared with a pinned run reads what that read, where its ids mean the same and the model takes
// them.
void take_input(const Document& pinned, Document& fresh) {
  const TokenTexts *own = fresh.model->config().texts.get(), *theirs = pinned.model->config().texts.get();
  if (!own || !theirs || !same_texts(own, theirs) || !fresh.opened->recorded.empty()) return;
  Document asked = fresh;
  asked.sequences = pinned.sequences;
  asked.padding = pinned.padding;
  for (const Input& input : inputs_of(asked))
    if (!asked.model->accepts(asked.model->completed(input))) return;
  fresh = std::move(asked);
}

Result<Document> document_at(Result<OpenedModel> opened, const std::atomic<bool>* cancel = nullptr,
                             const RunResult* pinned = nullptr) {
  if (!opened) return opened.error();
  Document out = new_document(std::make_shared<const OpenedModel>(*std::move(opened)), cancel);
  if (pinned && pinned->document.model) take_input(pinned->document, out);
  return out;
}

// Nothing to take back yet.
Result<History> history_of(Result<Document> opened) {
  if (!opened) return opened.error();
  return History(*std::move(opened));
}

constexpr int kRecordsPerBlock = 26;  // for the progress bar: about as many steps as a block has

bool session_same_input(const Sequence& first, const Sequence& second) {
  const Input &a = first.input, &b = second.input;
  return a.ids == b.ids && a.source == b.source && a.vectors.data() == b.vectors.data() &&
         a.pixels.data() == b.pixels.data() && a.types == b.types && a.spans == b.spans &&
         a.attention_mask == b.attention_mask && a.source_attention_mask == b.source_attention_mask;
}

}  // namespace

bool same_computation(const Document& a, const Document& b) {
  const auto same = [](const auto& x, const auto& y) { return x == y || same_edit(*x, *y); };
  return a.model == b.model && a.padding == b.padding &&
         std::equal(a.sequences.begin(), a.sequences.end(), b.sequences.begin(), b.sequences.end(),
                    session_same_input) &&
         std::equal(a.edits.begin(), a.edits.end(), b.edits.begin(), b.edits.end(), same);
}

Result<std::vector<std::shared_ptr<const Trace>>> run_all(
    const Document& document, RunOptions options, const std::vector<std::shared_ptr<const Trace>>& before) {
  std::vector<std::shared_ptr<const Trace>> traces;
  if (!document.opened->recorded.empty()) return document.opened->recorded;
  const std::vector<Input> inputs = inputs_of(document);
  for (std::size_t sequence = 0; sequence < inputs.size(); ++sequence) {
    options.edits = edits_for(document.edits, static_cast<int>(sequence));
    options.base = sequence < before.size() ? before[sequence] : nullptr;
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

const Trace& RunResult::trace(int sequence) const {
  const auto last = static_cast<int>(traces.size()) - 1;
  return *traces[static_cast<std::size_t>(std::clamp(sequence, 0, last))];
}

std::string RunResult::label(int sequence, std::int64_t pos) const {
  return label(sequence, trace(sequence).config().stack, pos);
}

std::string RunResult::label(int sequence, Stack stack, std::int64_t row) const {
  return row_label(*document.opened, trace(sequence), stack, row);
}

Session::Session(std::function<void()> wake)
    : wake_(std::move(wake)),
      training_(wake_),
      jobs_(wake_, [this](Error error) { post([this, error = std::move(error)] { error_ = error; }); }) {}
Session::~Session() = default;

void Session::post(std::function<void()> event) {
  {
    std::lock_guard lock(inbox_mutex_);
    inbox_.push_back(std::move(event));
  }
  if (wake_) wake_();
}

bool Session::has_news() const {
  std::lock_guard lock(inbox_mutex_);
  return !inbox_.empty();
}

bool Session::poll() {
  std::vector<std::function<void()>> events;
  {
    std::lock_guard lock(inbox_mutex_);
    events.swap(inbox_);
  }
  for (const auto& event : events)
    if (const Status taken = guarded(Text::of("error.work.result"), event); !taken) error_ = taken.error();
  follow_files();
  follow_training();
  return !events.empty();
}

void Session::open_history(std::function<Result<History>(const std::atomic<bool>& cancel)> make,
                           std::optional<OpenedAs> as) {
  jobs_.submit("open", [this, as, make = std::move(make)](const std::atomic<bool>& cancel) {
    auto fresh = std::make_shared<Result<History>>(make(cancel));
    if (!cancel) post([this, as, fresh] { finish_open(std::move(*fresh), as); });
  });
}

void Session::open_document(std::function<Result<Document>(const std::atomic<bool>& cancel)> make,
                            OpenedAs as) {
  open_history([make = std::move(make)](const std::atomic<bool>& cancel) { return history_of(make(cancel)); },
               as);
}

void Session::open(const std::string& path) {
  open_document([path, pinned = pinned_](const std::atomic<bool>& cancel) {
    return document_at(open_model(path), &cancel, pinned.get());
  });
}

void Session::open_files(ModelFiles files, std::string name) {
  open_document(
      [files = std::move(files), name = std::move(name), pinned = pinned_](const std::atomic<bool>& cancel) {
        return document_at(open_model_files(files, name), &cancel, pinned.get());
      });
}

void Session::read_again() {
  if (!document().opened) return;
  open_history(
      [before = history_](const std::atomic<bool>& cancel) { return attnscope::read_again(before, &cancel); },
      std::nullopt);
}

void Session::open_scene(std::string text, std::string name) {
  finish_open(history_of(document_at(open_scene_text(text, name))), OpenedAs::work);
}

// Whatever was open is no more.
void Session::begin_opened() {
  jobs_.cancel("run");
  jobs_.cancel("generate");
  if (shows_training_ || awaits_training_) training_.pause();
  shows_training_ = awaits_training_ = false;
  error_.reset();
  mixed_.reset();
  result_.reset();
  previous_.reset();
}

// Without `as` it is the same work, read again.
void Session::finish_open(Result<History> opened, std::optional<OpenedAs> as) {
  if (!opened) {
    error_ = opened.error();
    return;
  }
  if (as) put_aside(*as);
  begin_opened();
  history_ = *std::move(opened);
  kept_point_ = history_.can_undo() ? 0 : history_.point();  // read again, changes and all
  stamps_ = document().opened->files;
  newer_file_.clear();
  ++opened_version_;
  run();
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
  start(history_.point() == point ? Jobs::Running::finishes : Jobs::Running::stops);
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
  jobs_.submit("pin", [this, make = std::move(make), own = document().opened,
                       opened = opened_version_](const std::atomic<bool>& cancel) {
    const auto failed = [&](const Error& error) { post([this, error] { error_ = error; }); };
    const auto document = make(cancel);
    if (cancel || (document && !*document)) return;
    if (!document) return failed(document.error());
    RunOptions options;
    options.cancel = &cancel;
    auto traces = run_all(**document, options, {});
    if (cancel) return;
    if (!traces) return failed(traces.error());
    // Of another model: no undo point can hold it.
    const auto result = result_of(**document, *std::move(traces), (*document)->opened == own ? opened : 0);
    post([this, opened, result] {
      if (opened == opened_version_) pinned_ = result;
    });
  });
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

double Session::progress() const {
  return records_expected_ > 0 ? std::min(1.0, static_cast<double>(*records_done_) / records_expected_) : 0.0;
}

void Session::run() { start(Jobs::Running::stops); }

void Session::start(Jobs::Running older) {
  if (!document().model || mixed_) return;
  if (result_ && !running() && same_computation(result_->document, document())) {
    auto same = std::make_shared<RunResult>(*result_);  // sampling changed, say: the numbers stand
    same->document = document();
    same->undo_point = history_.point();
    result_ = std::move(same);
    error_.reset();
    return;
  }
  records_expected_ = kRecordsPerBlock * document().model->config().n_layers() *
                      static_cast<int>(document().sequences.size());
  auto done = records_done_;
  const auto before = result_ ? result_->traces : std::vector<std::shared_ptr<const Trace>>();
  const Document* const found =
      history_.last_before([&](const Document& one) { return !same_computation(one, document()); });
  const auto unchanged = found ? std::optional(*found) : std::nullopt;
  const auto known = found ? result_without_change(*found) : nullptr;
  const bool trained = result_ && result_->document.opened != document().opened;
  jobs_.submit(
      "run",
      [this, done, before, unchanged, known, trained, document = document(), point = history_.point(),
       opened = opened_version_](const std::atomic<bool>& cancel) {
        *done = 0;
        RunOptions options;
        options.cancel = &cancel;
        options.on_record = [&](const Record&) { ++*done; };
        const auto begin = std::chrono::steady_clock::now();
        auto traces = run_all(document, options, before);
        if (cancel) return;
        if (!traces) {
          post([this, opened, error = traces.error()] {
            if (opened == opened_version_) error_ = error;
          });
          return;
        }
        auto result = result_of(document, *std::move(traces), opened);
        result->undo_point = point;
        result->milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        const auto show = [&](const std::shared_ptr<const RunResult>& without) {
          post([this, opened, result, without] { take_result(opened, result, without); });
        };
        // A model that trains: both at once, so that old and new are always of one step.
        const bool missing = unchanged && !known;
        if (!missing || !trained) show(known);
        if (!missing) return;
        options.on_record = {};
        auto without = run_all(*unchanged, options, result->traces);
        if (cancel && !trained) return;
        const auto earlier = without ? result_of(*unchanged, *std::move(without), opened) : nullptr;
        if (trained) return show(earlier);
        post([this, version = result->version, earlier] {
          if (result_ && result_->version == version) previous_ = earlier;
        });
      },
      older);
}

// A run of these numbers that is there already.
std::shared_ptr<const RunResult> Session::result_without_change(const Document& unchanged) const {
  for (const auto& one : {result_, previous_})
    if (one && one->opened_version == opened_version_ && same_computation(one->document, unchanged))
      return one;
  return nullptr;
}

void Session::take_result(std::uint64_t opened, const std::shared_ptr<const RunResult>& result,
                          const std::shared_ptr<const RunResult>& without) {
  if (mixed_ || opened != opened_version_) return;
  if (result->document.opened != document().opened && result->undo_point != history_.point()) return;
  result_ = result;
  previous_ = without;
  error_.reset();
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
  jobs_.submit("generate",
               [this, sequence, count, sentence, sampling, kept, document = document(),
                point = history_.point(), opened = opened_version_](const std::atomic<bool>& cancel) {
                 const Input prompt =
                     document.model->completed(document.sequences[static_cast<std::size_t>(sequence)].input);
                 RunOptions options;
                 options.edits = edits_for(document.edits, sequence);
                 options.cancel = &cancel;
                 auto made = std::make_shared<Result<Generated>>(
                     attnscope::generate(*document.model, prompt, count, sampling, options));
                 if (cancel) return;
                 post([this, made, prompt, sequence, sentence, kept, point, opened] {
                   if (opened != opened_version_) return;
                   if (!*made) {
                     error_ = made->error();
                     return;
                   }
                   if (history_.point() != point) return;  // the input changed meanwhile
                   std::vector<int> ids = prompt.ids;
                   ids.insert(ids.end(), (*made)->ids.begin(), (*made)->ids.end());
                   (void)edit(sentence, {}, [&](Document& changed) {
                     return set_ids(changed, static_cast<std::size_t>(sequence), ids, prompt.spans);
                   });
                   if (kept) take_as_kept();
                 });
               });
}

void Session::wait() {
  const auto busy = [&] {
    return jobs_.busy("open") || jobs_.busy("run") || jobs_.busy("generate") || jobs_.busy("pin");
  };
  for (;;) {
    const bool was_busy = busy();
    const bool news = poll();
    if (!was_busy && !news && !busy()) return;
    if (!news) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace attnscope
