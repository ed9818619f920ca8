#include "core/view/ask_again.h"

#include "core/base/words.h"
#include "core/base/work_awaited.h"
#include "core/lens/attribution.h"
#include "core/session/ask_look.h"

namespace attnscope {
namespace {

Result<AskedParts> parts_again(const std::shared_ptr<const Trace>& run, const LogitMeasure& measure,
                               AskSum by) {
  AskedParts out;
  out.run = run, out.measure = measure;
  if (by != AskSum::direct) {
    TRY(LinearTwin twin, linear_twin(*run, measure, twin_by(by)));
    out.twin = std::make_shared<const LinearTwin>(std::move(twin));
    return out;
  }
  TRY(Attribution sum, attribute(*run, measure, AttributeBy::head));
  out.sum = std::make_shared<const Attribution>(std::move(sum));
  return out;
}

// The command that computes what a page of the window alone shows.
const char* command_of(AskPage page) {
  switch (page) {
    case AskPage::heads: return "heads";
    case AskPage::paths: return "rollout";
    case AskPage::graph: return "attribute --graph";
    case AskPage::probes: return "probe";
    case AskPage::texts: return "strongest";
    case AskPage::circuit: return "circuit";
    case AskPage::steer: return "steer";
    case AskPage::patch: return "patch";
    case AskPage::links: return "path";
    default: return "ablate";
  }
}

}  // namespace

Result<std::shared_ptr<const AskShown>> asked_again(const nlohmann::json& look, const Document& document,
                                                    std::size_t sequence) {
  if (!look.contains("ask") || !document.opened->recorded.empty()) return std::shared_ptr<const AskShown>();
  auto run = std::make_shared<RunResult>();
  run->version = run->opened_version = 1, run->document = document;
  TRY(run->traces, run_all(document, {}, {}));
  Asking asking;
  take_ask_look(look, asking);
  AskShown out;
  out.page = asking.settings.page, out.other = asking.settings.other;
  out.change = asking.settings.change, out.normalised = asking.settings.normalised;
  const std::string key = "ask.page." + std::string(name_of_value(out.page, kAskPages));
  if (out.page != AskPage::parts && !asks_cells(out.page))
    return fail(Code::unsupported, "error.view.ask_window", {in_quotes(tr(key)), command_of(out.page)});
  WorkAwaited work;
  const auto of = static_cast<int>(sequence);
  work.wait([&] {
    asking.follow(work.workers(), run, of);
    return asking.measure.of(*run) != nullptr;
  });
  asking.follow(work.workers(), run, of);
  const auto measure = asking.measure.of(*run);
  if (!measure->measure)
    return measure->error ? *measure->error : fail(Code::not_found, "error.cli.no_input", {"--"});
  if (out.page == AskPage::parts) {
    TRY(out.parts, parts_again(run->traces[sequence], *measure->measure, asking.settings.sum));
    return std::make_shared<const AskShown>(std::move(out));
  }
  if (!asking.request())
    return asking.request().error().what.empty()
               ? fail(Code::unsupported, "error.view.ask_window", {in_quotes(tr(key)), command_of(out.page)})
               : asking.request().error();
  asking.start(work.workers());
  work.wait([&] { return !asking.running(); });
  out.sweep = asking.answer();
  if (out.sweep && out.sweep->error) return *out.sweep->error;
  return std::make_shared<const AskShown>(std::move(out));
}

}  // namespace attnscope
