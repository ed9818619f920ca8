#include "core/view/ask_again.h"

#include "core/base/words.h"
#include "core/base/work_awaited.h"
#include "core/lens/attribution_graph.h"
#include "core/session/ask_look.h"
#include "core/session/look_read.h"
#include "core/view/ask_tables.h"
#include "core/view/measure_name.h"

namespace attnscope {
namespace {

// Where the window looked.
struct LookedAt {
  AttentionPlace place;
  int layer = 0, head = 0;
  std::int64_t query = 0;
};

// What is asked, of one run.
struct PageQuestion {
  Asking asking;
  std::shared_ptr<RunResult> run, pinned;  // pinned: null where there is none
  int sequence = 0;
  LookedAt at;
  WorkAwaited work;
  std::optional<LogitMeasure> measure;
  const std::shared_ptr<const Trace>& trace() const { return run->shared(sequence); }
  const AskSettings& settings() const { return asking.settings; }
  const OpenedModel& opened() const { return *run->document.opened; }
};

Result<std::shared_ptr<RunResult>> run_of(const Document& document, std::uint64_t version) {
  auto out = std::make_shared<RunResult>();
  out->version = out->opened_version = version, out->document = document;
  TRY(out->traces, run_all(document, {}, {}));
  return out;
}

LookedAt looked_at(const nlohmann::json& look, const Trace& trace) {
  LookedAt out;
  out.place = attention_named(trace, "");
  const auto cursor = look.find("cursor");
  if (cursor == look.end() || !cursor->is_object()) return out;
  session_look_read(*cursor, "layer", out.layer);
  session_look_read(*cursor, "head", out.head);
  session_look_read(*cursor, "query", out.query);
  std::string step;
  bool cross = false;
  session_look_read(*cursor, "step", step);
  session_look_read(*cursor, "cross", cross);
  AttentionPlace wanted = out.place;
  if (const auto site = parse_site(step)) wanted.stack = site->stack;
  wanted.part = cross ? Part::cross : Part::attn;
  out.place = attention_named(trace, to_text(wanted.pattern(0)));
  return out;
}

// The measure of the run on screen. Errors: why there is none.
Status ask_measure(PageQuestion& asked) {
  const bool other = asked.settings().page == AskPage::heads && asked.settings().heads_before;
  const auto follow = [&] {
    asked.asking.follow(asked.work.workers(), asked.run, asked.sequence, other ? nullptr : asked.pinned);
  };
  asked.work.wait([&] {
    follow();
    return asked.asking.measure.of(*asked.run) != nullptr;
  });
  follow();
  const auto answer = asked.asking.measure.of(*asked.run);
  if (!answer->measure)
    return answer->error ? *answer->error : fail(Code::not_found, "error.cli.no_input", {"--"});
  asked.measure = *answer->measure;
  return Done{};
}

Result<std::shared_ptr<const SweepAnswer>> sweep_of(PageQuestion& asked) {
  if (!asked.asking.request()) {
    const Error& why = asked.asking.request().error();
    return why.what().empty() ? fail(Code::not_found, "error.view.ask_unasked") : why;
  }
  asked.asking.start(asked.work.workers());
  asked.work.wait([&] { return !asked.asking.running(); });
  const auto answer = asked.asking.answer();
  if (answer && answer->error) return *answer->error;
  return answer;
}

Result<AskedParts> parts_of(const PageQuestion& asked) {
  AskedParts out;
  out.run = asked.trace(), out.measure = *asked.measure;
  if (const AskSum by = asked.settings().sum; by != AskSum::direct) {
    TRY(LinearTwin twin, linear_twin(*asked.trace(), *asked.measure, twin_by(by)));
    out.twin = std::make_shared<const LinearTwin>(std::move(twin));
    out.twin_row = asked.settings().twin_row;
    return out;
  }
  TRY(Attribution sum, attribute(*asked.trace(), *asked.measure, AttributeBy::head));
  out.sum = std::make_shared<const Attribution>(std::move(sum));
  return out;
}

Result<ShownTable> heads_again(PageQuestion& asked) {
  HeadQuestion question = antecedent_of(*asked.trace(), *asked.measure);
  if (asked.pinned && !asked.pinned->traces.empty()) question.before = asked.pinned->shared(asked.sequence);
  std::shared_ptr<const SweepAnswer> effects;
  if (asked.asking.request()) {
    TRY(effects, sweep_of(asked));
  }
  const HeadsShown shown =
      heads_shown(head_scores(*asked.trace(), question), asked.settings(), effects ? &*effects : nullptr);
  return heads_table(shown, asked.settings().heads_before);
}

Result<ShownTable> attention_again(const PageQuestion& asked) {
  const Trace& trace = *asked.trace();
  const AttentionPlace place = attention_named(trace, asked.settings().attention_of);
  const std::int64_t query = place.stack == trace.config().stack
                                 ? row_of(*asked.measure, trace)
                                 : std::clamp<std::int64_t>(asked.at.query, 0, trace.rows(place.stack) - 1);
  TRY(const PathRows rows, attention_path(trace, place, asked.settings().attention, query));
  return attention_table(asked.opened(), trace, place, rows);
}

Result<ShownTable> graph_again(const PageQuestion& asked) {
  const AskSettings& settings = asked.settings();
  if (!settings.graph_file.empty())
    return fail(Code::unsupported, "error.view.ask_graph_file", {quoted_path(settings.graph_file)});
  TRY(const AttributionGraph graph,
      attribution_graph(*asked.trace(), *asked.measure, kLeastGraphShare, kMostGraphNodes, {},
                        settings.graph_qk ? GraphPatterns::followed : GraphPatterns::held));
  const Circuit whole =
      circuit_of(asked.opened(), *asked.trace(), graph, measure_name(asked.opened(), *asked.measure));
  return graph_table(pruned(whole, static_cast<double>(settings.graph_share)));
}

Result<ShownTable> probes_again(PageQuestion& asked) {
  TRY_OK(check_probes(asked.opened()));
  AskedProbes probes;
  probes.start(asked.work.workers(), asked.run->document.opened, asked.run->document.model);
  asked.work.wait([&] { return !probes.running(); });
  const auto answer = probes.newest();
  if (answer->error) return *answer->error;
  return probes_table(*answer);
}

// The prompts that the page is asked over. Errors: the session carries none.
Result<std::shared_ptr<const DataPrompts>> prompts_of(const PageQuestion& asked) {
  const auto& prompts = asked.run->document.data.prompts;
  if (!prompts) return fail(Code::not_found, "error.view.ask_no_data");
  return prompts;
}

Result<ShownTable> texts_again(const PageQuestion& asked) {
  TRY(const auto prompts, prompts_of(asked));
  const LookedAt& at = asked.at;
  const StrengthPlace place = strength_asked(*asked.trace(), asked.settings(), at.place, at.layer, at.head);
  DataRuns runs(*prompts, start_of_prompts(asked.run->document));
  TRY(const std::vector<Strongest> found, strongest_texts(runs, {place}, kTextsOfAKind));
  return texts_table(asked.opened(),
                     asked.settings().whole_range ? found.front().spread() : found.front().top());
}

Result<ShownTable> circuit_again(const PageQuestion& asked) {
  TRY(const auto prompts, prompts_of(asked));
  TRY(CircuitQuestion question, circuit_asked(asked.asking, *prompts));
  DataRuns runs(*prompts, start_of_prompts(asked.run->document));
  TRY(CircuitRuns circuit, CircuitRuns::prepare(runs, std::move(question)));
  TRY(const CircuitAnswer found, circuit.curve(kMostKeptParts));
  return kept_table(found);
}

Result<ShownTable> steer_again(const PageQuestion& asked) {
  TRY(const SteerCurves found, steer_curves(asked.run->document, asked.sequence, *asked.measure));
  return steer_table(found);
}

Result<ShownTable> table_again(PageQuestion& asked) {
  switch (asked.settings().page) {
    case AskPage::heads: return heads_again(asked);
    case AskPage::paths: return attention_again(asked);
    case AskPage::graph: return graph_again(asked);
    case AskPage::probes: return probes_again(asked);
    case AskPage::texts: return texts_again(asked);
    case AskPage::circuit: return circuit_again(asked);
    default: return steer_again(asked);
  }
}

}  // namespace

Result<std::shared_ptr<const AskShown>> asked_again(const nlohmann::json& look, const Document& document,
                                                    std::size_t sequence, const Document* pinned) {
  if (!look.contains("ask") || !document.opened->recorded.empty()) return std::shared_ptr<const AskShown>();
  PageQuestion asked;
  TRY(asked.run, run_of(document, 1));
  if (pinned) {
    TRY(asked.pinned, run_of(*pinned, 2));
  }
  asked.sequence = static_cast<int>(sequence);
  take_ask_look(look, asked.asking);
  asked.at = looked_at(look, *asked.trace());
  TRY_OK(ask_measure(asked));
  const AskSettings& settings = asked.settings();
  AskShown out;
  out.page = settings.page, out.other = settings.other;
  out.change = settings.change, out.normalised = settings.normalised;
  if (settings.page == AskPage::parts) {
    TRY(out.parts, parts_of(asked));
  } else if (asks_cells(settings.page)) {
    TRY(out.sweep, sweep_of(asked));
  } else {
    TRY(out.table, table_again(asked));
  }
  return std::make_shared<const AskShown>(std::move(out));
}

}  // namespace attnscope
