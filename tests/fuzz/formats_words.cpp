// What people type: masks, names of steps, cells, selectors of steps, parts of a sequence, texts, ids, sizes.
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/arch/edit_json.h"
#include "core/arch/memory_limit.h"
#include "core/arch/open.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/writers.h"
#include "core/session/edit_values.h"
#include "core/trace/edit.h"
#include "core/trace/mask_spec.h"
#include "tests/fuzz/format.h"
#include "tests/fuzz/sources.h"

namespace attnscope::fuzz {
namespace {

std::vector<Files> each(const char* name, const std::vector<std::string>& texts) {
  std::vector<Files> out;
  for (const std::string& text : texts) out.push_back({{name, text}});
  return out;
}

std::vector<Files> mask_seeds() {
  return each("mask",
              {"causal & window(2) | prefix(3)", "enc: !(text>image) & *>\"odd name\"", "model",
               "none | full", " cross:matrix([[1,0,1,0,1],[0,1,0,1,0],[1,1,1,1,1],[0,0,0,0,0],[1,0,0,0,1]])",
               "vision:causal&(window(1)|text>text)"});
}

bool read_mask(const Files& files) {
  std::string_view text = only_file(files);
  const AttentionKind of = take_mask_prefix(text);
  must(!mask_prefix(of).empty() || text.size() == only_file(files).size(), "a mask of another attention");
  const auto spec = MaskSpec::parse(text);
  if (!spec) return refused(spec.error());
  const auto again = MaskSpec::parse(spec->text());
  must(again.ok() && *again == *spec, "a mask that reads in two ways");
  Buffer cells({{Axis::query, 2}, {Axis::key, 3}});
  for (int i = 0; i < 6; ++i)
    cells.data()[i] = static_cast<float>(spec->text()[static_cast<std::size_t>(i) % spec->text().size()] % 3);
  if (const auto drawn = MaskSpec::from_matrix(std::move(cells).freeze()); drawn)
    must(*MaskSpec::parse(drawn->text()) == *drawn, "a drawn mask that reads in two ways");
  else
    refused(drawn.error());
  Edits masks;
  for (const AttentionKind side : {AttentionKind::cross, AttentionKind::encoder, of})
    masks.push_back(make_edit(MaskEdit{side, *spec, {{0, 1, true}}}));
  must(asked_mask(masks, AttentionKind::encoder).spec == *spec && !same_edit(*masks[0], *masks[1]),
       "masks of several attentions are mixed up");
  const std::vector<Span> spans{{"image", 0, 2}, {"text", 2, 5}, {"odd name", 4, 5}};
  for (const std::int64_t keys : {5, 3}) {
    Mask own;
    own.causal = true;
    const auto mask = spec->resolve(own, 5, keys, spans), same = again->resolve(own, 5, keys, spans);
    if (!mask) {
      refused(mask.error());
      continue;
    }
    for (std::int64_t query = 0; query < 5; ++query)
      for (std::int64_t key = 0; key < keys; ++key)
        must(mask->allowed(query, key) == same->allowed(query, key), "a mask that means two things");
  }
  return true;
}

std::vector<Files> name_seeds() {
  return each("name", {"blocks.0.attn.pattern[head=1,query=3,key=2]", "dec.blocks.11.cross.q",
                       "blocks.1.attn.hook_pattern", "vision.blocks.0-2.attn.*,!*.mask,logits", "*",
                       "blocks.*.attn.hook_q", "hook_embed", "logits[pos=1]"});
}

bool read_name(const Files& files) {
  const std::string& text = only_file(files);
  bool any = false;
  if (const auto site = parse_site(text)) {
    any = true;
    must(parse_site(to_text(*site)).ok() && *parse_site(to_text(*site)) == *site,
         "a name that reads in two ways");
  } else {
    refused(site.error());
  }
  if (const auto cell = parse_cell(text)) {
    any = true;
    const auto again = parse_cell(to_text(*cell));
    must(again.ok() && to_text(*again) == to_text(*cell), "a cell that reads in two ways");
  } else {
    refused(cell.error());
  }
  if (const auto selector = Selector::parse(text)) {
    any = true;
    for (const int layer : {0, 1, 1'000'000})
      use(selector->matches(site_of(Slot::q, layer, Stack::enc)) +
          selector->matches(cross_site(Slot::pattern, layer, Stack::dec)));
    use(selector->matches(site_of(Slot::logits)));
  } else {
    refused(selector.error());
  }
  return any;
}

std::vector<Files> edit_seeds() {
  return each("edit", {"blocks.0.attn.z[head=1,pos=2]=0",
                       "logits[vocab=3]+=-1e3",
                       "blocks.*.order=post",
                       "blocks.1.mlp.activation=gelu",
                       "blocks.0.attn.skip=off",
                       "embed[pos=1]=@pos:0",
                       "blocks.0.attn.k[head=0]=mean",
                       "tok_embed.weight[vocab=1,d_model=0]*=2",
                       "blocks.0.attn.kv_heads=1",
                       "blocks.0.attn.pattern[head=0,query=3,key=1]=0.5",
                       "blocks.0.resid_pre=@a.npz:row",
                       "blocks.0.resid_pre[pos=1]+=@a.npz",
                       "blocks.0.resid_pre[pos=0-1]=@run:A",
                       "blocks.0.resid_pre+=@dir:run:A-B*0.5",
                       "blocks.0.attn.q.weight[head=0]+=@run:A",
                       "blocks.0.resid_pre+=@dir:#2-#1*0.5",
                       "blocks.0.attn.z[head=0]+=@dir:pos:1-0",
                       "blocks.0.resid_pre+=@dir:a.npz:row*2",
                       "dec.blocks.0.cross.scaling=off",
                       "enc.blocks.*.mlp.skip=off"});
}

// Places outside of the run, numbers of another shape, runs that there are not.
std::vector<Files> edit_misses() {
  return each("edit",
              {"input[pos=1]=@run:A", "blocks.0.resid_pre[pos=99]=@run:A", "blocks.0.resid_pre=@run:C",
               "blocks.0.attn.scores+=@dir:run:A-B", "blocks.0.resid_pre+=@dir:#2*2", "input=@run:A"});
}

// "@a.npz" is a file that is there: a row for each step of the scene.
std::string with_arrays(std::string text) {
  static const std::string file = [] {
    const std::string path = on_disk({}) + "/edit-seed.npz";
    const Tensor row = Tensor::filled({{Axis::d_model, 12}}, 0.5f);
    must(write_npz(path, {{"row", row}, {"blocks.0.resid_pre", row}}, {}).ok(), "arrays of the fuzzer");
    return file_text(path);
  }();
  const std::string folder = on_disk({{"a.npz", file}}) + "/";
  for (std::size_t at = 0; (at = text.find("a.npz", at)) != std::string::npos; at += folder.size() + 5)
    text.insert(at, folder);
  return text;
}

// A shipped scene or model.
const OpenedModel& shipped(const char* name) {
  static std::map<std::string, OpenedModel> all;
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/" + name);
  must(opened.ok(), "what is shipped does not open");
  return all[name] = *opened;
}

// Runs what the model accepts, once from the start and once from the run without edits, and goes backwards.
void run_edited(const OpenedModel& opened, const Edits& edits) {
  RunOptions options;
  const Input& input = opened.scene->inputs.front();
  const auto base = opened.model->run(input, options);
  must(base.ok(), "a shipped scene does not run");
  options.edits = edits_for(edits, 0);
  for (const auto& edit : edits) use(static_cast<double>(to_text(*edit).size()));
  const Status accepted = opened.model->accepts(input, options);
  const auto run = opened.model->run(input, options);
  must(accepted.ok() || !run, "a run with edits that the model does not take");
  if (!accepted) refused(accepted.error());
  if (!run) {
    refused(run.error());
    return;
  }
  options.base = *base;
  const auto part = opened.model->run(input, options);
  must(part.ok(), "a run that starts from another one fails");
  for (const Record& record : (*run)->records()) {
    const auto whole = (*run)->tensor(record.site), same = (*part)->tensor(record.site);
    must(whole && same, "a step that is not there");
    const std::vector<float> a = whole->values(), b = same->values();
    must(a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0,
         "a partial run with other numbers at " + to_text(record.site));
  }
}

bool read_edit(const Files& files) {
  const OpenedModel& scene = shipped("scenes/tiny_gpt.json");
  // B has fewer rows; C is not there.
  const auto runs = [&](const std::string& name) -> Result<std::shared_ptr<const Trace>> {
    if (name == "C") return runs_on_screen(nullptr, nullptr, 0)(name);
    Input input = scene.scene->inputs.front();
    if (name == "B") input.ids.resize(2);
    return scene.model->run(input);
  };
  const auto edit = parse_edit(with_arrays(only_file(files)), named_numbers(scene, runs));
  if (!edit) return refused(edit.error());
  const NumberEdit* number = (*edit)->number();
  if (!number || !std::holds_alternative<Frozen>(number->value)) {
    const auto again = parse_edit(to_text(**edit));
    must(again.ok() && same_edit(**edit, **again), "an edit that reads in two ways");
  }
  for (const char* name : {"scenes/nine_steps.json", "scenes/tiny_gpt.json", "scenes/tiny_translator.json"})
    run_edited(shipped(name), {*edit});
  return true;
}

// A list of edits as a file has it, carried out where the model takes it.
std::vector<Files> edits_seeds() {
  return {{{"edits.json",
            R"json({"edits": ["blocks.0.attn.z[head=1,pos=2]=0", {"mask": "main", "spec": "window(1)",
    "cells": [[2, 0, 1], [1, 1, 0]]}, {"edit": "blocks.0.resid_pre*=0.5", "enabled": false, "note": "n"},
    {"place": "blocks.0.resid_pre[pos=1]", "op": "add", "shape": [1, 4], "values": [1, 2, 3, 4], "origin": "o"},
    {"edit": "blocks.*.order=post", "sequence": 0}, "blocks.0.attn.q[head=0]=mean", "embed[pos=1]=@pos:0"]})json"}},
          {{"edits.json", R"json({"edits": {"masks": [{"of": "main", "spec": "causal", "cells": [[2, 0, 0]]}],
    "steps": [{"where": "blocks.0.attn.z[head=1]", "how": "scale", "value": 2.0, "enabled": true, "note": "twice"},
    {"where": "blocks.0.attn.q[head=0]", "how": "zero"}, {"where": "blocks.0.attn.k", "how": "mean"}]}})json"}},
          {{"edits.json", R"json({"edits": ["enc.blocks.0.attn.pattern[head=0,query=0,key=1]=0.5",
    {"mask": "cross", "spec": "none"}, "dec.blocks.0.cross.skip=off", "logits[vocab=0]+=3"]})json"}}};
}

bool read_edits(const Files& files) {
  const auto object = parse_json(only_file(files), "edits.json");
  if (!object) return refused(object.error(), "edits.json");
  if (!object->is_object()) return false;
  const auto edits = edits_from_json(*object, "edits.json");
  if (!edits) return refused(edits.error());
  const nlohmann::json written{{"edits", edits_to_json(*edits)}};
  const auto again = edits_from_json(*parse_json(written.dump(), "again.json"), "again.json");
  must(again && edits_to_json(*again) == written["edits"], "edits that are written in two ways");
  for (const char* name : {"scenes/nine_steps.json", "scenes/tiny_gpt.json", "scenes/tiny_translator.json"})
    run_edited(shipped(name), *edits);
  return true;
}

std::vector<Files> typed_seeds() {
  return each("typed", {"image=4,text=3,action=2", "1, 2 3\t0", "800M", "1.5 GB", "the cat", "2 1 0"});
}

// What the command lines ask of their arguments: what is taken is written so that it is taken again.
void check_arguments(const std::string& text) {
  for (const NumberCheck& check :
       {NumberCheck(memory_size), whole_number(1, 100), real_number(-1e300, 1e300)}) {
    std::string once = text;
    if (check(once).empty()) must(check(once).empty(), "an argument that is written in two ways");
  }
}

bool read_typed(const Files& files) {
  const std::string& text = only_file(files);
  bool any = false;
  check_arguments(text);
  if (const Status chosen = choose_memory_limit(text); !chosen) refused(chosen.error());
  set_memory_limit(-1);  // none was chosen
  if (const auto spans = parse_spans(text, 9)) {
    any = true;
    must(parse_spans(spans_text(*spans), 9).ok(), "parts that cannot be read again");
  } else {
    refused(spans.error());
  }
  if (const auto size = parse_size(text)) {
    any = true;
    must(*size >= 0, "a size below nothing");
  } else {
    refused(size.error());
  }
  if (!text.empty() && text.find('\0') == std::string::npos)
    ::setenv("ATTNSCOPE_MEMORY_LIMIT", text.c_str(), 1);
  must(memory_limit() >= 0, "a limit below nothing");
  if (const Status chosen = choose_memory_limit(""); !chosen) refused(chosen.error());
  ::unsetenv("ATTNSCOPE_MEMORY_LIMIT");
  for (const char* name : {"scenes/tiny_gpt.json", "scenes/tiny_translator.json", "scenes/nine_steps.json",
                           "models/translator", "models/gap-filler", "models/pilot"})
    for (const Stack of : {Stack::single, Stack::enc}) {
      const OpenedModel& opened = shipped(name);
      use(mask_token(opened).value_or(0));
      const auto sequence = spelled(opened, text, of);
      if (!sequence) {
        refused(sequence.error());
        continue;
      }
      any = any || !opened.tokenizer;  // a tokenizer takes everything
      const Sequence back = sequence_from_ids(opened, sequence->input.ids, of);
      must(back.tokens.size() == sequence->input.ids.size(), "ids without a spelling");
    }
  return any;
}

const std::vector<std::string> kMaskWords{"causal",
                                          "full",
                                          "none",
                                          "model",
                                          "window(",
                                          "prefix(",
                                          "matrix([[",
                                          "]])",
                                          ">",
                                          "*",
                                          "&",
                                          "|",
                                          "!",
                                          "(",
                                          ")",
                                          "\"",
                                          "image",
                                          "text",
                                          "enc:",
                                          "cross:",
                                          "vision:",
                                          "99999999999999999999",
                                          std::string(300, '('),
                                          std::string(300, '!')};
const std::vector<std::string> kNameWords = split(
    "blocks.|attn.|cross.|enc.|dec.|vision.|hook_|.q|.pattern|[|]|head=|query=|key=|pos=|*|,|!|-|0-2|"
    "99999999999999999999|-1|resid_pre|logits|\x1b[0m|\xFF",
    '|');
const std::vector<std::string> kEditWords = split(
    "blocks.|attn.|.q|.z|[|]|head=|query=|pos=|=|+=|*=|mean|@pos:|@|0-2|inf|-nan|1e39|order=post|skip|"
    ".weight|logits|\xFF",
    '|');
const std::vector<std::string> kTypedWords =
    split("=|,| |image|G|MB|1e9|-|99999999999999999999|0x10|nan|inf|\xED\x95\x9C|\xFF|<s>|<0>", '|');

}  // namespace

std::vector<Format> formats_of_words() {
  return {{"mask", mask_seeds, read_mask, kMaskWords},
          {"name", name_seeds, read_name, kNameWords},
          {"edit", edit_seeds, read_edit, kEditWords, edit_misses},
          {"edits", edits_seeds, read_edits, kEditWords},
          {"typed", typed_seeds, read_typed, kTypedWords}};
}

}  // namespace attnscope::fuzz
