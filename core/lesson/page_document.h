// From a page to its document: the document of its state, and the run of it.
#pragma once

#include <memory>

#include "core/lesson/lesson.h"
#include "core/session/session.h"

namespace attnscope {

/// Opens the model of a page and gives it the page's inputs and edits. Errors: unknown models, texts and
/// edits that do not fit it.
Result<Document> page_document(const PageState& state, const std::atomic<bool>* cancel = nullptr);
/// Gives texts to a document, one sequence each: to the encoder where there is one.
Status give_page_texts(Document& document, const std::vector<std::string>& texts,
                       const std::vector<std::string>& decoder_texts = {});
/// Gives a freshly opened document what a page's model reads. Errors: what does not fit it.
Status give_page_inputs(Document& document, const PageState& state);
/// Makes the change of a page: its texts and edits.
Status show_change(Document& document, const ChangeAsk& change);

/// The same for any page that is answered by a change: a mask, or what it shows. Others: nothing.
Status show_answer(Document& document, const Page& page);

/// The run of a probe's page with its fault. Errors: the run's.
Result<std::shared_ptr<const RunResult>> run_with_fault(const RunResult& first, const ChoiceAsk& ask);

/// A document with its run, without a window: opened, run and waited for.
class PageRun {
 public:
  PageRun() = default;
  /// Errors: as page_document, and the run's.
  Status open(const PageState& state);
  /// The same; of a probe, the run with its fault, and what is first is the page's own.
  Status open(const Page& page);
  /// Changes it and runs it again. Errors: of the change and the run.
  Status edit(const std::function<Status(Document&)>& change);
  const RunResult& run() const { return *run_; }
  /// The run of the page as it was opened.
  const RunResult& first() const { return *first_; }

 private:
  Status take();
  std::unique_ptr<Session> session_;
  std::shared_ptr<const RunResult> run_, first_;
};
/// What the expressions of a page are computed from, at the sequence where it looks.
ExpressionScope scope_of(const Page& page, const PageRun& run);

}  // namespace attnscope
