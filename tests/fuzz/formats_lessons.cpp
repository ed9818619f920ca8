// What learners and teachers bring along: lessons, expressions and answers over a run, progress, settings of
// labs, configs and sizes to calculate with. What opens is played, computed and written again.
#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/arch/presets.h"
#include "core/base/text.h"
#include "core/calc/calculation.h"
#include "core/calc/machine.h"
#include "core/calc/sizes.h"
#include "core/calc/training.h"
#include "core/io/json_file.h"
#include "core/lab/lab.h"
#include "core/lesson/audit.h"
#include "core/lesson/check.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"
#include "core/lesson/progress.h"
#include "tests/fuzz/format.h"
#include "tests/fuzz/sources.h"

namespace attnscope::fuzz {
namespace {

using nlohmann::json;

std::string part(const Files& files, const char* name) {
  const auto at = files.find(name);
  return at == files.end() ? std::string() : at->second;
}

// ---- lessons --------------------------------------------------------------------------------------

// A page of every kind over the smallest scene.
const char* const kLesson = R"json({"format": "attnscope-lesson", "version": 1, "id": "fuzz", "number": 3,
  "strings": {"en": {"title": "t", "a.title": "t", "a.text": "x {0}", "a.ask": "?", "a.hint1": "h", "a.hint2": "h",
                     "a.slip.twice": "no"}, "ko": {"title": "t"}},
  "pages": [
  {"id": "a", "open": {"model": "scene:nine_steps", "edits": ["blocks.0.attn.z[head=0]*=0.5"]},
   "look": {"view": "steps", "second_view": "mask", "difference": true, "ask": {"measure": "logit"},
            "cursor": {"sequence": 0, "layer": 0, "head": 1, "query": 2, "key": 0, "cross": false,
                       "step": "blocks.0.attn.scores", "pinned": "blocks.0.attn.pattern[head=0,query=1,key=0]"}},
   "point": ["blocks.0.attn.q[head=0,pos={1+1}]"], "hide": ["blocks.0.attn.z[head=1,pos=0]"],
   "ask": {"kind": "number", "answer": "sum(blocks.0.attn.pattern[head=0,query=2])", "tolerance": 0.01,
           "slips": [{"id": "twice", "value": "2*sum(blocks.0.attn.pattern[head=0,query=2])"}]}},
  {"id": "b", "ask": {"kind": "shape", "step": "blocks.0.attn.q"}},
  {"id": "c", "ask": {"kind": "cell", "in": "blocks.0.attn.pattern[head=0,query={2}]", "pick": "value + 0*key"}},
  {"id": "d", "ask": {"kind": "head", "pick": "role('previous', layer, head)"}},
  {"id": "e", "ask": {"kind": "mask", "text": "window(1)"}},
  {"id": "f", "open": {"padding": {"side": "left", "to": 6}},
   "ask": {"kind": "choice", "choices": [{"id": "x", "when": "tokens() > 2", "words": "yes"},
                                         {"id": "y", "when": "tokens() <= 2"}]}},
  {"id": "g", "ask": {"kind": "change", "goal": "blocks.0.attn.pattern[head=0,query=2,key=0] > 0.99",
           "live": "before(blocks.0.attn.pattern[head=0,query=2,key=0])",
           "show": ["blocks.0.attn.scores[head=0,query=2,key=0]=10"]}},
  {"id": "h"}]})json";

std::vector<Files> lesson_seeds() {
  std::vector<Files> out{{{"lesson.json", kLesson}}};
  for (const char* name : {"01_nine_steps", "04_softmax", "08_rope_alibi", "12_scores_to_words", "13_loss"})
    out.push_back({{"lesson.json", repository_file("assets/lessons/" + std::string(name) + ".json")}});
  return out;
}

// Answers to a page that is open: what is right is right, everything else is told so or refused.
void answer(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  const std::vector<Answer> tried{std::monostate(),
                                  std::string("1/3"),
                                  std::string("(1, 2, 3)"),
                                  std::string("x"),
                                  HeadPlace{0, 1},
                                  HeadPlace{99, -1},
                                  *parse_cell("blocks.0.attn.pattern[head=0,query=1,key=0]")};
  for (const Answer& one : tried) {
    const auto verdict = check_answer(lesson, page, one, scope);
    if (!verdict) told(verdict.error());
    use(static_cast<double>(answer_text(lesson, page, one, scope).str().size()));
  }
  for (const std::vector<std::string>* places : {&page.points, &page.hides})
    for (const std::string& place : *places)
      if (const auto target = lesson_place(place, scope); !target) told(target.error());
  if (const auto live = live_text(lesson, page, scope); !live) told(live.error());
}

bool is_small(const Lesson& lesson) {
  for (const Page& page : lesson.pages)
    if (!starts_with(page.state.model, "scene:")) return false;
  return lesson.pages.size() <= 12;
}

bool read_one_lesson(const Files& files) {
  const std::string& text = only_file(files);
  const auto lesson = lesson_from_text(text, "a.json");
  if (const auto shipped = shipped_lesson(text.substr(0, 20)); !shipped) told(shipped.error());
  const auto on_the_disk = read_lesson(on_disk({{"a.json", text}}) + "/a.json");
  must(lesson.ok() <= on_the_disk.ok(), "a lesson of the disk is refused, and its text opens");
  if (!lesson) return refused(lesson.error(), "a.json");
  if (!is_small(*lesson)) return true;
  if (const auto audit = audit_lesson(*lesson); !audit) refused(audit.error(), "a.json");
  PageRun run;
  if (const Status opened = run.open(lesson->pages.front().state); !opened)
    refused(opened.error());
  else
    for (const Page& page : lesson->pages) {
      if (page.state.model == lesson->pages.front().state.model)
        answer(*lesson, page, {run.run(), &run.first(), 0, {}});
    }
  return true;
}

// ---- expressions, answers -------------------------------------------------------------------------

std::vector<Files> expression_seeds() {
  std::vector<Files> out;
  for (const char* text :
       {"at(softmax(blocks.0.attn.scores[head=0,query=2,key=0-2]), 0)",
        "rank(logits[pos=1], 2) + top_p(probs[pos=1], 0.9) + entropy(probs[pos=2]) + argmin(logits[pos=2])",
        "var(logits[pos=1]) - std(logits[pos=1])^2 + norm(embed[pos=0]) * product(embed[pos=1]) / "
        "count(embed)",
        "max(lens(1, 2)) + min(lens(0, 0)) - measure('logit:#1')",
        "sampling('min_p') + sampling('repetition_penalty') + sampling('temperature')",
        "max(abs(logits[pos=1] + 100)) < 0.5 or not size(logits) == 3 and 2^(0-1) >= round(1/3, 2)",
        "role('previous', 0, 1) + config('d_head') - config('scale') * params('blocks.*.attn.q.*')",
        "grad('blocks.0.attn.q.weight[in=0,out=1]') / loss('all') + "
        "grad('blocks.0.attn.z[head=0,pos=1,d_head=0]')",
        "pos('cat') + pos('the', 1) + id('cat') + tokens() + edits() + sampling('top_p')",
        "dim(blocks.0.attn.q, 1) + dot(input[pos={argmax(input[pos=0])}], input[pos=1]) + "
        "rank(logits[pos=1], 2)",
        "measure('logit cat') + top_p(probs[pos=1], 0.9) + entropy(probs[pos=0]) + std(input) + var(input)",
        "before(sum(logits[pos=1])) + sum(logits[pos=0,seq=0]) - mean(tok_embed.weight) * log(exp(1)) + "
        "sin(cos(sqrt(4)))",
        "−1,000", "50 %", "1/3", "(2, 4, 3)", "2 × 4"})
    out.push_back({{"expression", text}});
  return out;
}

const RunResult& shipped_run(const char* model) {
  static std::map<std::string, PageRun> all;
  auto [run, fresh] = all.try_emplace(model);
  PageState state;
  state.model = model;
  if (fresh) must(run->second.open(state).ok(), "a shipped scene of the fuzzer");
  return run->second.run();
}

bool read_expression(const Files& files) {
  const std::string& text = only_file(files);
  const auto parsed = Expression::parse(text);
  if (!parsed) told(parsed.error());
  bool any = parsed.ok();
  for (const char* model : {"scene:nine_steps", "scene:tiny_gpt"}) {
    const ExpressionScope scope{shipped_run(model), nullptr, 0, {{"key", 1}, {"head", 0}, {"layer", 0}}};
    if (parsed) {
      if (const auto value = parsed->value(scope); !value) told(value.error());
      if (const auto number = parsed->number(scope); number)
        use(static_cast<double>(lesson_number(*number).size()));
      else
        told(number.error());
    }
    if (const auto filled = filled_in(text, scope); !filled) told(filled.error());
    const Site step = site_of(Slot::q, 0);
    for (const AskKind& ask :
         {AskKind(NumberAsk{*Expression::parse("1/3"), 0.01, {}}), AskKind(ShapeAsk{step}),
          AskKind(CellAsk{text, *Expression::parse("value")})}) {
      Page page;
      page.id = "p", page.ask = ask;
      Lesson lesson;
      lesson.id = "fuzz", lesson.file = "fuzz.json", lesson.pages = {page};
      const auto verdict = check_answer(lesson, page, Answer(text), scope);
      if (!verdict) told(verdict.error());
      any = any || verdict.ok();
      if (const auto right = right_answer(page, scope); !right) told(right.error());
    }
  }
  return any;
}

std::vector<Files> progress_seeds() {
  Progress progress;
  progress.at("", "softmax", "row") = {true, false, 2, 1, 1, "=0.5", "2026-01-31 17:05"};
  progress.at("b", "softmax", "shift") = {false, true, 1, 0, 0.5, "a\"b,c", ""};
  const std::string path = on_disk({}) + "/seed.json";
  must(progress.save(path).ok(), "progress of the fuzzer");
  return {{{"progress.json", file_text(path)}}};
}

bool read_progress(const Files& files) {
  const std::string path = on_disk(files) + "/progress.json";
  if (files.empty()) return false;
  const auto progress = Progress::load(path);
  if (!progress) return refused(progress.error(), "progress.json");
  use(static_cast<double>(progress->csv().size()));
  for (const std::string& learner : progress->learners())
    must(progress->right_in(learner, "softmax") >= 0 && !progress->find(learner, "no", "page"), "progress");
  must(progress->save(path + ".again").ok() && Progress::load(path + ".again").ok(),
       "progress that cannot be read again");
  return true;
}

// ---- labs -----------------------------------------------------------------------------------------

std::vector<Files> lab_seeds() {
  std::vector<Files> out;
  for (const Lab& lab : labs()) {
    std::string text = lab.id();
    for (const LabControl& control : lab.controls)
      text += "," + control.id() + "=" + value_text(control, control.initial());
    out.push_back({{"lab", text}});
  }
  return out;
}

bool read_lab(const Files& files) {
  const auto request = parse_lab_request(only_file(files));
  if (!request) return refused(request.error());
  for (const LabControl& control : request->lab->controls) {
    const double value = request->values.number(control.id());
    const auto again = parse_value(control, value_text(control, value));
    must(again.ok(), "a value that cannot be read again: " + control.id());
  }
  // Labs that train take seconds here: they are called off, and have to heed it.
  std::atomic<bool> cancel{false}, done{false};
  std::thread patience([&] {
    for (int i = 0; i < 30 && !done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    cancel = true;
  });
  const auto picture = compute(*request->lab, request->values, cancel);
  done = true;
  patience.join();
  if (!picture) {
    if (picture.error().code() != Code::cancelled) refused(picture.error());
    return true;
  }
  must(!picture->notice.str().empty() && !picture->pieces.empty(), "a lab that shows nothing");
  return true;
}

// ---- configs to calculate with --------------------------------------------------------------------

std::vector<Files> calc_seeds() {
  std::vector<Files> out;
  for (const char* name : {"gpt2", "llama-3-8b", "bert-base", "t5-base", "mixtral-8x7b", "openvla-7b",
                           "vit-b-16", "gemma-7b", "bart-base"}) {
    out.push_back({{"config.json", preset_config(name)->dump()}, {"asked", "heads=8 seq=100 batch=2 f16"}});
  }
  json latent{{"model_type", "deepseek_v2"}, {"hidden_size", 64},
              {"num_hidden_layers", 3},      {"num_attention_heads", 4},
              {"num_key_value_heads", 4},    {"intermediate_size", 96},
              {"moe_intermediate_size", 24}, {"n_routed_experts", 6},
              {"n_shared_experts", 2},       {"num_experts_per_tok", 2},
              {"first_k_dense_replace", 1},  {"kv_lora_rank", 16},
              {"q_lora_rank", nullptr},      {"qk_nope_head_dim", 16},
              {"qk_rope_head_dim", 8},       {"v_head_dim", 16},
              {"vocab_size", 100},           {"tie_word_embeddings", false}};
  for (const json& rank : {json(nullptr), json(24)}) {
    latent["q_lora_rank"] = rank;
    out.push_back({{"config.json", latent.dump()}, {"asked", "seq=100"}});
  }
  const json slides = "sliding_attention", sees_all = "full_attention";
  out.push_back({{"config.json", json{{"model_type", "gpt_oss"},
                                      {"hidden_size", 48},
                                      {"num_hidden_layers", 2},
                                      {"num_attention_heads", 4},
                                      {"num_key_value_heads", 2},
                                      {"head_dim", 12},
                                      {"intermediate_size", 80},
                                      {"num_local_experts", 4},
                                      {"num_experts_per_tok", 2},
                                      {"layer_types", {slides, sees_all}},
                                      {"sliding_window", 4},
                                      {"rms_norm_eps", 1e-5},
                                      {"vocab_size", 199},
                                      {"tie_word_embeddings", false}}
                                     .dump()},
                 {"asked", "seq=100"}});
  for (const char* name : {"llama", "gpt2", "bert", "marian", "vit", "t5"})
    out.push_back(
        {{"config.json", repository_file("tests/golden/models/" + std::string(name) + "/config.json")},
         {"asked", "layers=1 312e12,2e12"}});
  out.push_back({{"config.json", preset_config("gpt2")->dump()}, {"model.safetensors", "x"}, {"asked", ""}});
  return out;
}

// What stands in `asked` one behind the other: sizes, a workload, formats, machines.
Result<Described> asked_sizes(const Described& described, const std::string& text, Workload& work) {
  Sizes sizes = sizes_of(described);
  for (const std::string& word : split(text, ' ')) {
    if (const Status set = set_size(sizes, word); !set) told(set.error());
    if (const auto machine = machine_named(word); machine)
      use(under_roof(*machine, 1e9, 1e6).seconds());
    else
      told(machine.error());
    if (const auto format = format_named(word); format)
      work.dtype = *format;
    else
      told(format.error());
    const auto number = [&](const char* key, std::int64_t& to) {
      if (starts_with(word, key)) to = std::strtoll(word.c_str() + std::string_view(key).size(), nullptr, 10);
    };
    number("seq=", work.seq);
    number("batch=", work.batch);
    number("source=", work.source);
  }
  return resized(described, sizes);
}

bool read_calc(const Files& files) {
  const std::string folder = on_disk(files);
  for (const char* name : {"", "/config.json", "/asked", "/none/config.json"}) {
    use(lonely_config(folder + name).has_value());
    use(is_config_file(folder + name));
  }
  const auto described = describe_config_file(folder + "/config.json");
  if (!described) return refused(described.error(), "config.json");
  Workload work;
  const auto other = asked_sizes(*described, part(files, "asked"), work);
  if (!other) told(other.error());
  for (const Described* it : {&*described, other ? &*other : nullptr}) {
    if (!it) continue;
    if (it->config.n_layers() > 1024) continue;  // half a second as it is, ten under the sanitizers
    if (it->config.n_layers() <= 64) use(static_cast<double>(weights_of(*it).size()));
    const auto calculated = calculate(*it, work);
    if (!calculated) {
      told(calculated.error());
      continue;
    }
    const double parameters = calculated->parameters.total.real();
    must(parameters >= 0 && std::isfinite(training_cost(parameters, 0, 1e9).loss), "a model of no size");
    for (const std::vector<Text>* texts : {&calculated->slips, &calculated->notes})
      for (const Text& text : *texts) must(!text.str().empty(), "an empty sentence");
  }
  return true;
}

const std::vector<std::string> kLessonWords = split(
    "scene:nine_steps|scene:tiny_gpt|scene:tiny_translator|pages|open|model|texts|spans|padding|edits|"
    "look|cursor|sequence|step|pinned|point|hide|ask|kind|number|choice|change|cell|shape|head|mask|"
    "answer|tolerance|slips|goal|live|show|pick|value|1/0|blocks.0.attn.pattern[head=0,query=2]|"
    "logits[pos=99]|strings",
    '|');
const std::vector<std::string> kExpressionWords{"abs(",
                                                "argmax(",
                                                "at(",
                                                "before(",
                                                "config('",
                                                "count(",
                                                "dim(",
                                                "dot(",
                                                "entropy(",
                                                "grad('",
                                                "lens(1, ",
                                                "id('",
                                                "loss('all')",
                                                "max(",
                                                "measure('",
                                                "params('*",
                                                "pos('",
                                                "product(",
                                                "rank(",
                                                "role('induction', ",
                                                "round(",
                                                "softmax(",
                                                "top_p(",
                                                "logits",
                                                "input",
                                                "[pos=1]",
                                                "[head=0",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                "(",
                                                ")",
                                                ",",
                                                "seq=1",
                                                "1e300",
                                                "0/0",
                                                "-",
                                                "^",
                                                " and ",
                                                " not ",
                                                " or ",
                                                "*",
                                                "'",
                                                "key",
                                                "\xE2\x88\x92",
                                                "%",
                                                "blocks.0.attn.",
                                                "*a*a*a*a*a*a*a*a*a*a*a*b",
                                                std::string(3000, '('),
                                                std::string(3000, '-'),
                                                "pattern[head=0,query=1]"};
const std::vector<std::string> kLabWords = split(",|=|on|off|1e308|-1|nan|0.5|99999999999999999999", '|');
const std::vector<std::string> kCalcWords = split(
    "kv_heads=|d_model=|vocab=|layers=|d_ff=|seq=1099511627776|batch=1099511627776|q8_0|int4|h100|"
    "16777216|num_hidden_layers|num_local_experts|n_routed_experts|kv_lora_rank|num_key_value_heads|"
    "architectures|model_type|vision_config|text_config|sliding_window|hidden_size",
    '|');

}  // namespace

std::vector<Format> formats_of_lessons() {
  return {{"lesson", lesson_seeds, read_one_lesson, kLessonWords},
          {"expression", expression_seeds, read_expression, kExpressionWords},
          {"progress", progress_seeds, read_progress, {"learners", "right", "tries", "score", "answer"}},
          {"lab", lab_seeds, read_lab, kLabWords},
          {"calc", calc_seeds, read_calc, kCalcWords}};
}

}  // namespace attnscope::fuzz
