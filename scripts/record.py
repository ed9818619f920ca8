#!/usr/bin/env python3
"""Records what a model computes elsewhere, for attnscope to open: one file, a command and a module.

    record.py run MODEL --text "The cat sat" --out RUN     a model folder (or name) with transformers
    record.py lens NAME --text "The cat sat" --out RUN     a model of TransformerLens
    record.py vllm FILE --layers 0,16,32 --config C --out RUN    hidden states that vLLM extracted
    record.py layer RUN MODEL --layer 12 --out FOLDER      one layer's weights and what entered it, as a model to open

As a module: run(), from_lens(), from_nnsight(), from_vllm(), one_layer(); each says what it takes.

RUN is a folder of parts, record-00003-of-00034.safetensors, one for each layer, each written as soon as the layer is
done and appearing whole; model.safetensors.index.json comes last. `attnscope RUN` opens it while it grows, and
`attnscope-cli compare MODEL RUN` holds it against a run of one's own. Arrays have the names of `attnscope-cli steps`;
--steps chooses as there ('blocks.*.resid_pre,*.pattern'). A model that is spread over devices (--device-map, as
accelerate reads it) gives each number to the record as its layer runs. Needs torch and transformers for `run`, no
package at all for `vllm`.
"""
import argparse
import contextlib
import fcntl
import fnmatch
import json
import os
import re
import struct
import sys

USUAL = ("tok_embed,pos_embed,embed,*.resid_pre,*.resid_mid,*.resid_post,*.attn.out,*.mlp.out,*.pattern,ln_final.out,"
         "logits")
INDEX = "model.safetensors.index.json"
STORES = ["as-is", "f32", "f16", "bf16"]


class Refused(Exception):
    """One sentence for the person."""


def kind_of(value):
    """What somebody gave, in a sentence: "None", "an int", "a Tensor"."""
    kind = type(value).__name__
    return "None" if value is None else f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def read_json(path):
    """The object that a JSON file holds."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise Refused(f"{path} is no JSON: {error}.") from None
    if not isinstance(value, dict):
        raise Refused(f"{path} holds {kind_of(value)}, not an object.")
    return value


# ---- safetensors: eight bytes of length, a JSON header, the values one after the other -------------------------------


def read_header(file):
    """-> {name: entry}, metadata, where the values begin"""
    head = file.read(8)
    if len(head) < 8:
        raise Refused(f"{file.name} is no safetensors file.")
    length = struct.unpack("<Q", head)[0]
    text = file.read(length) if length < 100_000_000 else b""
    if len(text) < length or not text.startswith(b"{"):
        raise Refused(f"{file.name} is no whole safetensors file.")
    try:
        header = json.loads(text)
        metadata = header.pop("__metadata__", {})
        if all(len(one["data_offsets"]) == 2 and one["dtype"] and one["shape"] is not None for one in header.values()):
            return header, metadata, 8 + length
    except (ValueError, KeyError, TypeError):
        pass
    raise Refused(f"{file.name} is no whole safetensors file.")


def opened(path):
    """A file's bytes; a sentence where it cannot be read."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from None


def read_ids(path, name):
    """An array of token ids -> a list"""
    dtype, _, data = read_bytes(path, name)
    letter = {"I64": "q", "U64": "Q", "I32": "i", "U32": "I"}.get(dtype)
    if not letter:
        raise Refused(f"{name} of {path} is {dtype}: token ids are whole numbers, I64 or I32.")
    return [one for one, in struct.iter_unpack("<" + letter, data)]


def read_bytes(path, name):
    """One array of a file -> dtype, shape, bytes"""
    with opened(path) as file:
        header, _, begin = read_header(file)
        if name not in header:
            raise Refused(f"{path} has no array {name}.")
        first, end = header[name]["data_offsets"]
        file.seek(begin + first)
        data = file.read(end - first)
        if len(data) < end - first:
            raise Refused(f"{path} is cut off.")
        return header[name]["dtype"], header[name]["shape"], data


def write_safetensors(path, arrays, metadata):
    """arrays: {name: (dtype, shape, bytes)}. The file appears whole, or not at all."""
    header, at = {"__metadata__": metadata}, 0
    for name, (dtype, shape, data) in arrays.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    appears_whole(path, [struct.pack("<Q", len(text)), text] + [data for _, _, data in arrays.values()])


def appears_whole(path, pieces):
    folder, name = os.path.split(path)
    part = os.path.join(folder, f".{name}.part")
    try:
        with open(part, "wb") as file:
            for piece in pieces:
                file.write(piece)
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise Refused(f"{path} cannot be written: {error.strerror}. What was recorded before it is there.") from None


# ---- which steps ----------------------------------------------------------------------------------------------------


class Steps:
    """'blocks.0-2.attn.*,!*.pattern': names with *, layers as 0-3, taken away again with !."""

    def __init__(self, text):
        text = text if isinstance(text, str) else ",".join(text)
        self.words = [one for word in text.split(",") if word.strip() for one in self.layers(word.strip())]
        if not self.words or any("[" in word for word in self.words):
            raise Refused(f"--steps {text!r}: names of whole steps, as attnscope-cli steps prints them, * for any.")

    @staticmethod
    def layers(word):
        """blocks.0-2.attn.z -> blocks.0.attn.z, blocks.1.attn.z, blocks.2.attn.z"""
        found = re.search(r"(?<=blocks\.)(\d{1,4})-(\d{1,4})(?=\.|$)", word)
        if not found:
            return [word]
        return [word[: found.start()] + str(i) + word[found.end():] for i in range(int(found[1]), int(found[2]) + 1)]

    def __contains__(self, name):
        found = all(word.startswith("!") for word in self.words)
        for word in self.words:
            if fnmatch.fnmatchcase(name, word.lstrip("!")):
                found = not word.startswith("!")
        return found


def part_of(name):
    """The part of a record that an array belongs to: "blocks.3" with its stack and sequence, "embed", "head"."""
    words = name.split(".")
    if "blocks" in words[:-1]:
        at = words.index("blocks")
        return ".".join(words[: at + 2])
    front = [word for word in words if word in ("enc", "dec", "vision") or word.startswith("seq")]
    head = words[-1] in ("logits", "probs") or any(word.startswith(("ln_final", "head", "ln_head")) for word in words)
    return ".".join(front + ["head" if head else "embed"])


# ---- the record ------------------------------------------------------------------------------------------------------


class Record:
    """A folder that is filled part by part. `names`: all arrays that may come, in the order of the run."""

    def __init__(self, folder, names, steps=USUAL, store="as-is", told=None):
        if store not in STORES:
            raise Refused(f"store {store!r}: {', '.join(STORES)}.")
        self.folder, self.steps, self.store = folder, Steps(steps), store
        self.names = {name: part_of(name) for name in names if bare(name) in self.steps}
        if not self.names:
            raise Refused(f"--steps {steps!r} is none of what can be recorded here: {', '.join(names[:6])}, ...")
        self.parts = ["input", *dict.fromkeys(self.names.values())]
        self.told = {"format": "attnscope-trace", "version": "1", **(told or {}), "parts": json.dumps(self.parts)}
        self.waiting, self.map, self.bytes, self.overflow, self.done = {}, {}, 0, 0, set()
        try:
            os.makedirs(folder, exist_ok=True)
            there = os.listdir(folder)
        except OSError as error:
            raise Refused(f"{folder} cannot be made: {error.strerror}.") from None
        if any(name.startswith("record-") or name in (INDEX, "config.json") for name in there):
            raise Refused(f"{folder} holds a record or a model already: name another folder, or remove it.")

    def __contains__(self, name):
        return name in self.names

    def add(self, name, tensor):
        """A tensor of torch, as the step lies; taken to this machine's memory at once."""
        if name in self:
            self.add_bytes(name, *self.stored(tensor))

    def add_bytes(self, name, dtype, shape, data):
        self.waiting.setdefault(part_of(name), {})[name] = (dtype, shape, data)

    def drop(self, part, steps):
        """Takes back what was added to a part under these names."""
        for step in steps:
            self.waiting.get(part, {}).pop(f"{part}.{step}", None)

    def add_input(self, ids, sequence=0):
        """The ids of one sequence."""
        self.waiting.setdefault("input", {})[seq(sequence) + "tokens"] = (
            "I64", [len(ids)], struct.pack(f"<{len(ids)}q", *ids))

    def stored(self, tensor):
        import torch

        kinds = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
        names = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}
        kind = kinds.get(self.store) or (tensor.dtype if tensor.dtype in names else torch.float32)
        value = tensor.detach().to("cpu", kind).contiguous()
        if kind is torch.float16:
            self.overflow += int((value.isinf() & ~tensor.detach().to("cpu").isinf()).sum())
        return names[kind], list(value.shape), value.view(-1).view(torch.uint8).numpy().tobytes()

    def finish(self, part):
        """Writes a part. Nothing more comes for it."""
        if part not in self.parts or part in self.done:
            return
        arrays = self.waiting.pop(part, {})
        file = f"record-{self.parts.index(part) + 1:05}-of-{len(self.parts):05}.safetensors"
        write_safetensors(os.path.join(self.folder, file), arrays, self.told)
        self.done.add(part)
        for name, (_, _, data) in arrays.items():
            self.map[name] = file
            self.bytes += len(data)

    def close(self):
        """What is left, then the index: the record is whole. -> names that were asked for and never came"""
        for part in self.parts:
            self.finish(part)
        index = {"metadata": {"total_size": self.bytes, **self.told}, "weight_map": self.map}
        appears_whole(os.path.join(self.folder, INDEX), [json.dumps(index, ensure_ascii=False, indent=1).encode()])
        if self.overflow:
            print(f"record: {self.overflow} numbers are beyond what f16 can hold and are stored as infinity: "
                  "--store bf16 or f32 keeps them.", file=sys.stderr)
        return [name for name in self.names if name not in self.map]


def seq(number):
    return f"seq{number}." if number else ""


def bare(name):
    """Without the number of its sequence."""
    return name.split(".", 1)[1] if name.startswith("seq") else name


# ---- where transformers' families have their steps ---------------------------------------------------------------
# A row: the module below the model (or below its block), whether what it is given ("in") or returns ("out") is meant,
# the step, and how it lies: rows [pos, d]; heads [pos, head, d] that come to the front; "thirds" and "fused": queries,
# keys and values in one, side by side or head by head.

GATED = [("mlp.gate_proj", "out", "mlp.gate"), ("mlp.act_fn", "out", "mlp.act"), ("mlp.up_proj", "out", "mlp.up"),
         ("mlp.down_proj", "in", "mlp.post"), ("mlp", "out", "mlp.out")]
SEPARATE = [("self_attn.q_proj", "out", "attn.q"), ("self_attn.k_proj", "out", "attn.k"),
            ("self_attn.v_proj", "out", "attn.v"), ("self_attn.q_norm", "out", "attn.q_norm", "heads"),
            ("self_attn.k_norm", "out", "attn.k_norm", "heads"), ("self_attn.o_proj", "in", "attn.concat"),
            ("self_attn.o_proj", "out", "attn.out")]
FOUR_H = [("mlp.dense_h_to_4h", "out", "mlp.pre"), ("mlp.dense_4h_to_h", "in", "mlp.post"), ("mlp", "out", "mlp.out")]


def rotary(norms, scaled=False):
    first = "tok_scaled" if scaled else "tok_embed"
    return {"blocks": "model.layers", "attention": "self_attn", "queries": "rot",
            "model": [("model.embed_tokens", "out", first), ("model.norm", "out", "ln_final.out"),
                      ("lm_head", "out", "logits")],
            "block": [("", "in", "resid_pre"), ("input_layernorm", "out", "ln1.out"), *SEPARATE, *norms, *GATED,
                      ("", "out", "resid_post")]}


TWO_NORMS = [("post_attention_layernorm", "in", "resid_mid"), ("post_attention_layernorm", "out", "ln2.out")]
FOUR_NORMS = [("post_attention_layernorm", "out", "ln1_post.out"), ("pre_feedforward_layernorm", "in", "resid_mid"),
              ("pre_feedforward_layernorm", "out", "ln2.out"), ("post_feedforward_layernorm", "out", "ln2_post.out")]
FAMILIES = {
    "gpt2": {
        "blocks": "transformer.h", "attention": "attn", "queries": "split",
        "model": [("transformer.wte", "out", "tok_embed"), ("transformer.wpe", "out", "pos_embed"),
                  ("transformer.ln_f", "out", "ln_final.out"), ("lm_head", "out", "logits")],
        "block": [("", "in", "resid_pre"), ("ln_1", "out", "ln1.out"), ("attn.c_attn", "out", "attn", "thirds"),
                  ("attn.c_proj", "in", "attn.concat"), ("attn.c_proj", "out", "attn.out"),
                  ("ln_2", "in", "resid_mid"), ("ln_2", "out", "ln2.out"), ("mlp.c_fc", "out", "mlp.pre"),
                  ("mlp.act", "out", "mlp.post"), ("mlp", "out", "mlp.out"), ("", "out", "resid_post")]},
    "gpt_neox": {
        "blocks": "gpt_neox.layers", "attention": "attention", "queries": "rot",
        "model": [("gpt_neox.embed_in", "out", "tok_embed"), ("gpt_neox.final_layer_norm", "out", "ln_final.out"),
                  ("embed_out", "out", "logits"), ("lm_head", "out", "logits")],  # before and from transformers 5.17
        "block": [("", "in", "resid_pre"), ("input_layernorm", "out", "ln1.out"),
                  ("attention.query_key_value", "out", "attn", "fused"), ("attention.dense", "in", "attn.concat"),
                  ("attention.dense", "out", "attn.out"), ("post_attention_layernorm", "in", "resid_mid"),
                  ("post_attention_layernorm", "out", "ln2.out"), *FOUR_H, ("", "out", "resid_post")]},
    "bloom": {
        "blocks": "transformer.h", "attention": None, "queries": "split",
        "model": [("transformer.word_embeddings", "out", "tok_embed"),
                  ("transformer.word_embeddings_layernorm", "out", "ln_embed.out"),
                  ("transformer.ln_f", "out", "ln_final.out"), ("lm_head", "out", "logits")],
        "block": [("", "in", "resid_pre"), ("input_layernorm", "out", "ln1.out"),
                  ("self_attention.query_key_value", "out", "attn", "fused"),
                  ("self_attention.attention_dropout", "in", "attn.pattern", "planes"),
                  ("self_attention.dense", "in", "attn.concat"), ("self_attention.dense", "out", "attn.out"),
                  ("post_attention_layernorm", "in", "resid_mid"), ("post_attention_layernorm", "out", "ln2.out"),
                  ("mlp.dense_h_to_4h", "out", "mlp.pre"), ("mlp.dense_4h_to_h", "in", "mlp.post"),
                  ("mlp.dense_4h_to_h", "out", "mlp.out"), ("", "out", "resid_post")]},
    "llama": rotary(TWO_NORMS), "mistral": rotary(TWO_NORMS), "qwen2": rotary(TWO_NORMS), "qwen3": rotary(TWO_NORMS),
    "gpt_oss": rotary(TWO_NORMS), "mixtral": rotary(TWO_NORMS), "qwen3_moe": rotary(TWO_NORMS),
    "gemma": rotary(TWO_NORMS, True), "gemma2": rotary(FOUR_NORMS, True),
}
# Of any other decoder, what modules of these names give; what its norms are follows from which of them it has, and is
# proved while it runs: what is added up in a block must be what leaves it.
USUAL_ROWS = [("", "in", "resid_pre"), ("input_layernorm", "out", "ln1.out"), *SEPARATE[:3], *SEPARATE[5:]]
BRANCH_NORMS = [("post_attention_layernorm", "out", "ln1_post.out"), ("mlp", "in", "resid_mid"),
                ("post_feedforward_layernorm", "out", "ln2_post.out")]
BRANCHES = {"attn.out", "ln1_post.out", "resid_mid", "ln2.out", "mlp.out", "ln2_post.out"}
# What follows from the rows above without a further number, in the order of the run: views of queries, keys, values
# and of the heads side by side; what attention is given and what it weighs.
VIEWS = ["attn.view_q", "attn.view_k", "attn.view_v", "attn.split_q", "attn.split_k", "attn.split_v"]
IN_ORDER = ["attn.q", "attn.k", "attn.v", *VIEWS, "attn.q_norm", "attn.k_norm", "attn.rot_q", "attn.rot_k",
            "attn.pattern", "attn.z"]


class Family:
    """The rows of a model, and the sizes that its heads need."""

    def __init__(self, config, model=None):
        config = config.get_text_config() if hasattr(config, "get_text_config") else config
        lacking = [name for name in ("model_type", "num_hidden_layers", "num_attention_heads", "hidden_size")
                   if not hasattr(config, name)]
        if lacking:
            raise Refused(f"config is {kind_of(config)} without {lacking[0]}: give that of the model, model.config.")
        kind = config.model_type
        self.rows, self.config = FAMILIES.get(kind) or self.usual(kind, model), config
        self.layers, self.heads = config.num_hidden_layers, config.num_attention_heads
        self.kv_heads = getattr(config, "num_key_value_heads", None) or self.heads
        self.d_head = getattr(config, "head_dim", None) or config.hidden_size // self.heads
        self.parallel = kind == "gpt_neox" and config.use_parallel_residual

    @staticmethod
    def usual(kind, model):
        """The rows of a decoder that is built as most are: blocks in one list, with self_attn and mlp."""
        lists = [name for name, module in (model.named_modules() if model is not None else ())
                 if type(module).__name__ == "ModuleList" and len(module) and hasattr(module[0], "self_attn")]
        if len(lists) != 1:
            raise Refused(f"{kind!r} is not among the families whose modules are known here ({', '.join(FAMILIES)}), and "
                          "is not built as most decoders are.")
        base = lists[0].rpartition(".")[0]
        ends = [(f"{base}.embed_tokens", "out", "tok_embed"), (f"{base}.norm", "out", "ln_final.out"),
                ("lm_head", "out", "logits")]
        print(f"record: {kind} is read by the usual names of modules.", file=sys.stderr)
        norms = {name for name, _ in model.get_submodule(lists[0])[0].named_children()}
        between = (FOUR_NORMS if "pre_feedforward_layernorm" in norms else
                   BRANCH_NORMS if "post_feedforward_layernorm" in norms else
                   TWO_NORMS if "post_attention_layernorm" in norms else [])
        rotates = any(name.endswith("rotary_emb") for name, _ in model.named_modules())
        return {"blocks": lists[0], "model": ends, "attention": "self_attn", "queries": "rot" if rotates else None,
                "block": [*USUAL_ROWS, *between, *GATED, ("", "out", "resid_post")], "prove": True}

    def proved(self, seen):
        """Whether what is added up in a block is what leaves it. seen: the block's steps."""
        attention, mlp = (seen.get(f"{norm}_post.out", seen.get(branch)) for norm, branch in
                          [("ln1", "attn.out"), ("ln2", "mlp.out")])
        if attention is None or mlp is None:
            return False
        middle = seen["resid_pre"] + attention
        close = lambda one, other: (one - other).abs().max() <= 0.02 * other.abs().max()
        return close(middle + mlp, seen["resid_post"]) and close(middle, seen.get("resid_mid", middle))

    def steps(self, modules):
        """Names of all arrays that these modules give, in the order of the run."""
        ends = [row[2] for row in self.rows["model"] if row[0] in modules]
        out = [name for name in ends if part_of(name) == "embed"]
        for layer in range(self.layers):
            front, names = f"{self.rows['blocks']}.{layer}", []
            for path, _, step, *kind in self.rows["block"]:
                if not path or f"{front}.{path}" in modules:
                    names += [step] if kind not in (["thirds"], ["fused"]) else ["attn.q", "attn.k", "attn.v"]
            names += [view for view in VIEWS if f"attn.{view[-1]}" in names]
            names += ["attn.z"] if "attn.concat" in names else []
            names += ["attn.pattern"] if self.rows["attention"] else []
            names += ["attn.rot_q", "attn.rot_k"] if self.rows["queries"] == "rot" else []
            if self.parallel:
                names.remove("resid_mid")
            order = lambda name: 1 if name in ("resid_pre", "ln1.out") else 2 if name in IN_ORDER else 3
            names = list(dict.fromkeys(names))
            attention = sorted((n for n in names if order(n) == 2), key=IN_ORDER.index)
            names = [n for n in names if order(n) == 1] + attention + [n for n in names if order(n) == 3]
            out += [f"blocks.{layer}.{name}" for name in names]
        return out + [name for name in ends if part_of(name) == "head"]

    def arrays(self, step, value, kind):
        """What a module's tensor is: step -> array, views and all."""
        value = value[0] if value.dim() > 2 and value.shape[0] == 1 else value
        if kind == "planes":
            return {step: value}
        if step == "logits" and (cap := getattr(self.config, "final_logit_softcapping", None)):
            return {step: (value / cap).tanh() * cap}
        if kind == "heads":
            return {step: value.transpose(0, 1)}
        rows = value.shape[0]
        if kind == "thirds":
            return self.views(dict(zip("qkv", value.chunk(3, -1))))
        if kind == "fused":
            fused = value.view(rows, self.heads, 3, self.d_head)
            return self.views({one: fused[:, :, i].reshape(rows, -1) for i, one in enumerate("qkv")})
        if step in ("attn.q", "attn.k", "attn.v"):
            return self.views({step[-1]: value})
        if step == "attn.concat":
            return {step: value, "attn.z": value.view(rows, self.heads, self.d_head).transpose(0, 1)}
        return {step: value}

    def views(self, made):
        out = {}
        for one, value in made.items():
            if value.shape[-1] != (self.heads if one == "q" else self.kv_heads) * self.d_head:
                continue  # something stands beside them
            heads = value.view(value.shape[0], self.heads if one == "q" else self.kv_heads, self.d_head)
            out |= {f"attn.{one}": value, f"attn.view_{one}": heads, f"attn.split_{one}": heads.transpose(0, 1)}
        return out


def tensor_in(value):
    """The first tensor of what a module is given or returns; None where there is none."""
    if hasattr(value, "detach"):
        return value
    if not isinstance(value, (tuple, list, dict)):
        return None
    parts = value.values() if isinstance(value, dict) else value
    return next((found for found in map(tensor_in, parts) if found is not None), None)


# ---- transformers ---------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def watching(model, family, record, prefix):
    """Hooks on every module that has a step; a block's part is written when it returns."""
    modules, handles, attentions, seen = dict(model.named_modules()), [], {}, {}

    def finish(part):
        if seen and not family.proved(seen):
            record.drop(part, BRANCHES)
        seen.clear()
        record.finish(part)

    def watch(module, side, then):
        if side == "in":
            hook = lambda _, args, kwargs: then(tensor_in(args) if args else tensor_in(kwargs))
            handles.append(module.register_forward_pre_hook(hook, with_kwargs=True))
        else:
            handles.append(module.register_forward_hook(lambda _, args, out: then(tensor_in(out))))

    def rows(front, names, prefix):
        for path, side, step, *kind in names:
            path = ".".join(filter(None, [front, path]))
            if path not in modules:
                continue

            def take(value, step=step, kind=kind[0] if kind else "rows"):
                for name, array in family.arrays(step, value, kind).items() if value is not None else ():
                    if "prove" in family.rows and name in BRANCHES | {"resid_pre", "resid_post"}:
                        seen[name] = array.detach().to("cpu", copy=True).float()
                    record.add(prefix + name, array)

            watch(modules[path], side, take)

    rows("", family.rows["model"], prefix)
    for layer in range(family.layers):
        front = f"{family.rows['blocks']}.{layer}"
        rows(front, family.rows["block"], f"{prefix}blocks.{layer}.")
        handles.append(modules[front].register_forward_hook(
            lambda *_, part=f"{prefix}blocks.{layer}": finish(part)))
        if family.rows["attention"]:
            attentions[modules[f"{front}.{family.rows['attention']}"]] = f"{prefix}blocks.{layer}.attn."
    handles.append(modules[f"{family.rows['blocks']}.0"].register_forward_pre_hook(
        lambda *_: record.finish(prefix + "embed")))
    with contextlib.ExitStack() as stack:
        for source in {sys.modules[type(one).__module__] for one in attentions}:
            if hasattr(source, "eager_attention_forward"):
                stack.enter_context(eager_watched(source, attentions, family, record))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


@contextlib.contextmanager
def eager_watched(source, attentions, family, record):
    """What a family's own attention is given (queries and keys after any rotation) and what it weighs."""
    original = source.eager_attention_forward

    def eager(module, query, key, value, *args, **kwargs):
        out = original(module, query, key, value, *args, **kwargs)
        if (front := attentions.get(module)) is not None:
            if family.rows["queries"] == "rot":
                record.add(front + "rot_q", query[0])
                record.add(front + "rot_k", key[0])
            if out[1] is not None:
                record.add(front + "pattern", out[1][0])
        return out

    source.eager_attention_forward = eager
    try:
        yield
    finally:
        source.eager_attention_forward = original


def lists_of_ids(sequences):
    """What run() is given as a list of lists of whole numbers; arrays and tensors are taken too."""
    plain = lambda one: one.tolist() if hasattr(one, "tolist") else one
    sequences = plain(sequences)
    lists = [plain(ids) for ids in sequences] if isinstance(sequences, (list, tuple)) else []
    if not lists or any(not isinstance(ids, (list, tuple)) or any(type(plain(one)) is not int for one in ids) for ids in lists):
        raise Refused(f"sequences: a list of lists of token ids, as [[1, 2, 3]], not {kind_of(sequences)}"
                      f"{' of ' + type(lists[0]).__name__ if lists else ''}.")
    return [[plain(one) for one in ids] for ids in lists]


def run(model, sequences, out, steps=USUAL, store="as-is", words=None, told=None):
    """Records a model of transformers that is already loaded, with attn_implementation="eager", wherever its layers
    lie. sequences: lists of ids; words: the spelling of the first one's."""
    import torch
    import transformers

    if not hasattr(model, "config") or not hasattr(model, "get_input_embeddings"):
        raise Refused(f"run() records a model of transformers that is loaded, not {kind_of(model)}: "
                      "model, tokenizer = record.load(NAME).")
    family = Family(model.config, model)
    sequences = lists_of_ids(sequences)
    for ids in sequences:
        if not ids or not all(0 <= one < model.get_input_embeddings().num_embeddings for one in ids):
            raise Refused(f"{ids[:8]}: token ids from 0 to {model.get_input_embeddings().num_embeddings - 1}, one at least.")
    if getattr(model.config, "_attn_implementation", "eager") != "eager":
        model.set_attn_implementation("eager")
    model.eval()
    modules = dict(model.named_modules())
    names = [seq(i) + name for i in range(len(sequences)) for name in family.steps(modules)]
    told = {"engine": f"transformers {transformers.__version__}, torch {torch.__version__}", "causal": "true",
            **({"words": json.dumps(words, ensure_ascii=False)} if words else {}), **(told or {})}
    record = Record(out, names, steps, store, told)
    for i, ids in enumerate(sequences):
        record.add_input(ids, i)
    record.finish("input")
    first = model.get_input_embeddings().weight.device
    device = "cpu" if first.type == "meta" else first
    for i, ids in enumerate(sequences):
        less = {} if seq(i) + "logits" in record else {"logits_to_keep": 1}
        with torch.no_grad(), watching(model, family, record, seq(i)):
            model(torch.tensor([ids], device=device), use_cache=False, **less)
        for part in [seq(i) + "embed", seq(i) + "head"]:
            record.finish(part)
    return record.close()


def load(name, dtype="auto", device_map=None, offload=None, max_memory=None, trust=False):
    """A model of transformers and its tokenizer (None where there is none), as run() wants it."""
    import torch
    import transformers

    kind = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}.get(dtype, "auto")
    how = {"attn_implementation": "eager", "trust_remote_code": trust}
    how |= {key: value for key, value in
            {"device_map": device_map, "offload_folder": offload, "max_memory": max_memory}.items() if value}
    new = int(transformers.__version__.split(".")[0]) >= 5
    how["dtype" if new else "torch_dtype"] = kind
    model = transformers.AutoModelForCausalLM.from_pretrained(name, **how)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=trust)
    except Exception:  # whatever a folder without a tokenizer raises
        tokenizer = None
    return model, tokenizer


# ---- TransformerLens ------------------------------------------------------------------------------------------------

# Its names of our steps; those with * have heads behind positions there.
LENS = {"hook_embed": "tok_embed", "hook_pos_embed": "pos_embed", "hook_resid_pre": "resid_pre",
        "hook_resid_mid": "resid_mid", "hook_resid_post": "resid_post", "hook_attn_out": "attn.out",
        "hook_mlp_out": "mlp.out", "ln1.hook_scale": "ln1.scale", "ln1.hook_normalized": "ln1.out",
        "ln2.hook_scale": "ln2.scale", "ln2.hook_normalized": "ln2.out", "attn.hook_q": "attn.split_q*",
        "attn.hook_k": "attn.split_k*", "attn.hook_v": "attn.split_v*", "attn.hook_rot_q": "attn.rot_q*",
        "attn.hook_rot_k": "attn.rot_k*", "attn.hook_attn_scores": "attn.masked", "attn.hook_pattern": "attn.pattern",
        "attn.hook_z": "attn.z*", "mlp.hook_pre": "mlp.pre", "mlp.hook_pre_linear": "mlp.up",
        "mlp.hook_post": "mlp.post", "ln_final.hook_scale": "ln_final.scale",
        "ln_final.hook_normalized": "ln_final.out"}


def lens_step(name):
    """A hook of TransformerLens -> our name, and whether heads come to the front; or None."""
    front, rest = "", name
    words = name.split(".", 2)
    if words[0] == "blocks" and len(words) == 3:
        front, rest = f"blocks.{words[1]}.", words[2]
    step = LENS.get(rest)
    return step and (front + step.rstrip("*"), step.endswith("*"))


def named(cache, engine):
    """A cache that maps names to something, and is not empty."""
    if not hasattr(cache, "keys") or not hasattr(cache, "__getitem__"):
        raise Refused(f"The cache of {engine} is {kind_of(cache)}: something that maps names to what was kept is needed.")
    if not len(cache.keys()):
        raise Refused(f"The cache of {engine} is empty: nothing was kept of the run.")
    return cache


def nothing_known(cache, engine, as_in):
    some = ", ".join(map(str, list(cache.keys())[:3]))
    return Refused(f"The cache of {engine} has no name that is known here, such as {as_in}; it has {some}.")


def from_lens(cache, out, ids=None, steps=USUAL, store="as-is", words=None, told=None):
    """Records a cache of TransformerLens (model.run_with_cache): anything that maps its names to tensors, one sequence
    of a batch of one."""
    cache = named(getattr(cache, "cache_dict", cache), "TransformerLens")
    found = {step[0]: (name, step[1]) for name in cache.keys() if (step := lens_step(str(name)))}
    if not found:
        raise nothing_known(cache, "TransformerLens", "blocks.0.hook_resid_pre")
    for name, _ in found.values():
        if not hasattr(cache[name], "detach"):
            raise Refused(f"{name} in the cache is {kind_of(cache[name])}, not a tensor.")
    told = {"engine": "TransformerLens", **({"words": json.dumps(words)} if words else {}), **(told or {})}
    record = Record(out, list(found), steps, store, told)
    if ids is not None:
        record.add_input([int(one) for one in ids])
    record.finish("input")
    for part in record.parts:
        for step, (name, behind) in found.items():
            if part_of(step) != part:
                continue
            value = cache[name]
            value = value[0] if value.dim() == (4 if behind or step.endswith(("pattern", "masked")) else 3) else value
            record.add(step, value.transpose(0, 1) if behind else value)
        record.finish(part)
    return record.close()


def lens(name, sequence, out, steps=USUAL, store="as-is"):
    """The same with the model itself, block by block: nothing is kept that was written."""
    import torch
    from transformer_lens import HookedTransformer

    model = HookedTransformer.from_pretrained(name)
    ids = model.to_tokens(sequence)[0].tolist() if isinstance(sequence, str) else sequence
    hooks = {hook: lens_step(hook) for hook in model.hook_dict if lens_step(hook)}
    names = [step for step, _ in hooks.values()] + ["logits"]
    record = Record(out, names, steps, store, {
        "engine": "TransformerLens", "model": name, "words": json.dumps(model.to_str_tokens(torch.tensor(ids)))})
    record.add_input(ids)
    record.finish("input")
    last = [None]

    def take(value, hook):
        step, behind = hooks[hook.name]
        if last[0] not in (None, part_of(step)):
            record.finish(last[0])
        last[0] = part_of(step)
        record.add(step, value[0].transpose(0, 1) if behind else value[0])

    wanted = [(hook, take) for hook, (step, _) in hooks.items() if step in record]
    with torch.no_grad():
        record.add("logits", model.run_with_hooks(torch.tensor([ids]), fwd_hooks=wanted)[0])
    return record.close()


# ---- nnsight --------------------------------------------------------------------------------------------------------


def from_nnsight(cache, config, out, ids=None, steps=USUAL, store="as-is", words=None, told=None):
    """Records what nnsight's tracer.cache(include_inputs=True) kept of a model of transformers: keys are module paths
    behind "model.", entries have .output and .inputs. config: the model's."""
    cache, family = named(cache, "nnsight"), Family(config)
    rows = [("", row) for row in family.rows["model"]]
    rows += [(str(i), row) for i in range(family.layers) for row in family.rows["block"]]
    found = {}
    for layer, (path, side, step, *kind) in rows:
        front = f"{family.rows['blocks']}.{layer}" if layer else ""
        path = "model." + ".".join(filter(None, [front, path]))
        entry = cache[path] if path in cache.keys() else None
        entry = next(iter(entry), None) if isinstance(entry, list) else entry  # of several passes, the first
        if entry is not None and not hasattr(entry, "output"):
            raise Refused(f"{path} in the cache is {kind_of(entry)}, which has no .output.")
        value = None if entry is None else tensor_in(getattr(entry, "inputs", None) if side == "in" else entry.output)
        if value is None:
            continue
        prefix = f"blocks.{layer}." if layer else ""
        for name, array in family.arrays(step, value, kind[0] if kind else "rows").items():
            found.setdefault(prefix + name, array)
    if not found:
        raise nothing_known(cache, "nnsight", f"model.{family.rows['blocks']}.0")
    told = {"engine": "nnsight", **({"words": json.dumps(words)} if words else {}), **(told or {})}
    order = [name for name in family.steps(set(all_paths(family))) if name in found]
    record = Record(out, order, steps, store, told)
    if ids is not None:
        record.add_input([int(one) for one in ids])
    record.finish("input")
    for name in order:
        record.add(name, found[name])
    return record.close()


def all_paths(family):
    for path, *_ in family.rows["model"]:
        yield path
    for layer in range(family.layers):
        for path, *_ in family.rows["block"]:
            yield f"{family.rows['blocks']}.{layer}.{path}"


# ---- vLLM -----------------------------------------------------------------------------------------------------------


def from_vllm(file, layers, n_layers, out, steps="*", told=None):
    """Records a file of vLLM's extracted hidden states: hidden_states [tokens, captured layers, hidden], token_ids.
    layers: the ids that were captured, in order (the file does not say them): id j is what enters block j; n_layers is
    what leaves the last block, before the final norm."""
    if not isinstance(n_layers, int) or not all(isinstance(layer, int) for layer in layers):
        raise Refused(f"layers {layers!r} of {n_layers!r}: whole numbers.")
    with contextlib.ExitStack() as stack:
        if os.path.exists(file + ".lock"):  # written under an exclusive lock
            lock = stack.enter_context(open(file + ".lock", "rb"))
            fcntl.flock(lock, fcntl.LOCK_SH)
        dtype, shape, data = read_bytes(file, "hidden_states")
        ids = read_ids(file, "token_ids")
    if len(shape) != 3 or shape[1] != len(layers):
        raise Refused(f"hidden_states of {file} has the shape {shape}, [tokens, layers, hidden]; --layers names "
                      f"{len(layers)}.")
    if any(not 0 <= layer <= n_layers for layer in layers):
        raise Refused(f"--layers: of a model of {n_layers} layers, 0 to {n_layers} can be captured.")
    tokens, count, width = shape
    row, view = len(data) // max(1, tokens * count), memoryview(data)
    name = lambda layer: f"blocks.{layer}.resid_pre" if layer < n_layers else f"blocks.{n_layers - 1}.resid_post"
    record = Record(out, [name(layer) for layer in sorted(layers)], steps, "as-is",
                    {"engine": "vLLM, extracted hidden states", **(told or {})})
    record.add_input(ids[:tokens])
    record.finish("input")
    for i, layer in sorted(enumerate(layers), key=lambda one: one[1]):
        record.add_bytes(name(layer), dtype, [tokens, width],
                         b"".join(view[(t * count + i) * row : (t * count + i + 1) * row] for t in range(tokens)))
    return record.close()


# ---- one layer of a model that is too large -------------------------------------------------------------------------


def weight_files(folder):
    """{tensor: file} of a model folder; the files themselves need not be there."""
    index = os.path.join(folder, INDEX)
    if os.path.exists(index):
        files = read_json(index).get("weight_map")
        if not isinstance(files, dict):
            raise Refused(f"{index} has no weight_map.")
        return files
    with opened(os.path.join(folder, "model.safetensors")) as file:
        return dict.fromkeys(read_header(file)[0], "model.safetensors")


def record_files(folder):
    """{array: file} and metadata of a record, whole or not."""
    files, told = {}, {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.startswith("record-") and name.endswith(".safetensors"):
            with opened(os.path.join(folder, name)) as file:
                header, metadata, _ = read_header(file)
            files.update(dict.fromkeys(header, name))
            told.update(metadata)
    if not files:
        raise Refused(f"{folder} holds no record.")
    return files, told


def one_layer(record, model, layer, out):
    """A model of one block that attnscope runs, steps through and edits: its table of tokens holds the rows that
    entered this layer in the record, one for each position, and its ids are 0, 1, 2, ...; the final norm and the
    tokens' own rows of the head stand behind it where their weights are there. For families whose positions come in by
    rotation."""
    config = read_json(os.path.join(model, "config.json"))
    kind = config.get("model_type")
    if kind not in ("llama", "mistral", "qwen2", "qwen3"):
        raise Refused(f"One layer of a {kind!r} alone is not known here: llama, mistral, qwen2, qwen3.")
    layers = config.get("num_hidden_layers")
    if not isinstance(layers, int):
        raise Refused(f"config.json of {model} has no num_hidden_layers.")
    if not 0 <= layer < layers:
        raise Refused(f"--layer {layer}: the model has {layers}.")
    arrays, told = record_files(record)
    stream = f"blocks.{layer}.resid_pre"
    if stream not in arrays:
        raise Refused(f"{record} has no {stream}.")
    dtype, shape, data = read_bytes(os.path.join(record, arrays[stream]), stream)
    if len(shape) != 2:
        raise Refused(f"{stream} of {record} has the shape {shape}, not [tokens, hidden].")
    rows, width = shape
    files, front = weight_files(model), f"model.layers.{layer}."
    there = lambda name: name in files and os.path.exists(os.path.join(model, files[name]))
    lacking = sorted({files[name] for name in files if name.startswith(front) and not there(name)})
    if lacking:
        raise Refused(f"{lacking[0]} is not in {model}, and holds weights of layer {layer}.")
    weights = {"model.layers.0." + name[len(front):]: read_bytes(os.path.join(model, files[name]), name)
               for name in files if name.startswith(front)}
    weights["model.embed_tokens.weight"] = (dtype, [rows, width], data)
    read = lambda name: read_bytes(os.path.join(model, files[name]), name)
    norm, words = "model.norm.weight", json.loads(told.get("words", "[]"))
    weights[norm] = read(norm) if there(norm) else ("F32", [width], struct.pack(f"<{width}f", *[1.0] * width))
    head = "model.embed_tokens.weight" if config.get("tie_word_embeddings") else "lm_head.weight"
    ids = []
    if "tokens" in arrays:
        ids = read_ids(os.path.join(record, arrays["tokens"]), "tokens")[:rows]
    spoken = there(head) and ids
    if spoken:  # of all words, those of the text
        kind, (count, columns), table = read(head)
        size = len(table) // count
        weights["lm_head.weight"] = (kind, [rows, columns], b"".join(table[i * size : (i + 1) * size] for i in ids))
    else:
        weights["lm_head.weight"] = ("F32", [rows, width], bytes(4 * rows * width))
    if config.get("layer_types"):
        config["layer_types"] = [config["layer_types"][layer]]
    config |= {"num_hidden_layers": 1, "vocab_size": rows, "tie_word_embeddings": False}
    os.makedirs(out, exist_ok=True)
    if os.listdir(out):
        raise Refused(f"{out} is not empty.")
    write_safetensors(os.path.join(out, "model.safetensors"), weights, {"format": "pt"})
    found = {name.replace(f"blocks.{layer}.", "blocks.0."): read_bytes(os.path.join(record, file), name)
             for name, file in arrays.items() if name.startswith(f"blocks.{layer}.")}
    found["tokens"] = ("I64", [rows], struct.pack(f"<{rows}q", *range(rows)))
    write_safetensors(os.path.join(out, "recorded.safetensors"), found,
                      {"format": "attnscope-trace", **({"words": told["words"]} if words else {})})
    said = "its answer is over the tokens of the text alone" if spoken else "the words stand in a file that is not here"
    card = {"title": f"{os.path.basename(os.path.abspath(model))}, block {layer}", "inputs": [{"ids": list(range(rows))}],
            "sentence": f"Block {layer} of {layers} alone, from what entered it in the record; {said}."}
    for name, value in [("card.json", card), ("tokenizer.json", labels(words or [f"<{i}>" for i in ids], rows)), ("config.json", config)]:
        appears_whole(os.path.join(out, name), [json.dumps(value, indent=1, ensure_ascii=False).encode()])
    ids = ",".join(map(str, range(rows)))
    print(f"attnscope {out} --ids {ids}\nattnscope-cli compare {out} {out}/recorded.safetensors --ids {ids}")
    return []


def labels(words, rows):
    """A tokenizer whose id i is the token at position i: words that come again have their position behind them."""
    vocabulary = {}
    for i in range(rows):
        word = words[i] if i < len(words) else f"<{i}>"
        vocabulary[word if word not in vocabulary else f"{word} ({i})"] = i
    return {"version": "1.0", "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": next(iter(vocabulary))},
            "pre_tokenizer": {"type": "WhitespaceSplit"}, "added_tokens": []}


def layer_command(args):
    return one_layer(args.record, args.model, args.layer, args.out)


# ---- the command ----------------------------------------------------------------------------------------------------


def whole_numbers(text):
    try:
        return [int(one) for one in text.replace(",", " ").split()]
    except ValueError:
        raise Refused(f"{text!r}: whole numbers with commas between them.") from None


def device_map(text):
    """auto, balanced, a device, or a JSON file {module: device}"""
    if text and text.endswith(".json"):
        return read_json(text)
    return text


def memory(text):
    """ "0=20GiB,cpu=60GiB" """
    pairs = [one.split("=", 1) for one in text.split(",")] if text else []
    if any(len(pair) != 2 for pair in pairs):
        raise Refused(f"--max-memory {text!r}: as in 0=20GiB,cpu=60GiB.")
    return {int(where) if where.isdigit() else where: size for where, size in pairs} or None


def run_command(args):
    model, tokenizer = load(args.model, args.dtype, device_map(args.device_map), args.offload, memory(args.max_memory),
                            args.trust_remote_code)
    if args.text and tokenizer is None:
        raise Refused(f"{args.model} has no tokenizer that transformers reads: give --ids.")
    texts = [open(text[1:], encoding="utf-8").read() if text.startswith("@") else text for text in args.text]
    sequences = [tokenizer(text).input_ids for text in texts] + [whole_numbers(ids) for ids in args.ids]
    words = tokenizer.convert_ids_to_tokens(sequences[0]) if tokenizer else None
    return run(model, sequences, args.out, args.steps, args.store, words, {"model": args.model})


def lens_command(args):
    return lens(args.model, args.text[0] if args.text else whole_numbers(args.ids[0]), args.out, args.steps, args.store)


def vllm_command(args):
    count = args.n_layers
    if args.config:
        count = read_json(args.config).get("num_hidden_layers")
    if not count:
        raise Refused("How many layers has the model? --config config.json, or --n-layers.")
    return from_vllm(args.file, whole_numbers(args.layers), count, args.out, args.steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__.split("\n\n", 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, does, about, first, steps=USUAL):
        one = commands.add_parser(name, help=about, description=about)
        one.add_argument(first)
        one.add_argument("--out", required=True, metavar="RUN", help="a folder that holds no record yet")
        if steps:
            one.add_argument("--steps", default=steps, help="as attnscope-cli trace takes them (%(default)s)")
        one.set_defaults(does=does)
        return one

    for name, does, about in [("run", run_command, "record a model of transformers"),
                              ("lens", lens_command, "record a model of TransformerLens")]:
        one = command(name, does, about, "model")
        given = one.add_argument_group("what it reads (one sequence, or several of run)")
        given.add_argument("--text", action="append", default=[], help="a text, or @FILE")
        given.add_argument("--ids", action="append", default=[], help="token ids: 1,2,3")
        one.add_argument("--store", choices=STORES, default="as-is",
                         help="number format of the record")
        if name == "run":
            one.add_argument("--dtype", choices=["auto", "f32", "f16", "bf16"], default="auto",
                             help="number format in which the model runs")
            one.add_argument("--device-map", help="accelerate: auto, balanced, a device, or a JSON file")
            one.add_argument("--max-memory", help="accelerate: 0=20GiB,1=20GiB,cpu=60GiB")
            one.add_argument("--offload", metavar="FOLDER", help="accelerate: where weights lie that fit nowhere else")
            one.add_argument("--trust-remote-code", action="store_true", help="run Python that came with the model")
    one = command("vllm", vllm_command, "record hidden states that vLLM extracted", "file", "*")
    one.add_argument("--layers", required=True, help="the ids of the captured layers, in order: 0,16,32")
    one.add_argument("--config", help="the model's config.json")
    one.add_argument("--n-layers", type=int, help="how many layers the model has")
    one = command("layer", layer_command, "one layer's weights and what entered it, as a model to open", "record", None)
    one.add_argument("model", help="its folder; of the weights only this layer's need be there")
    one.add_argument("--layer", type=int, required=True)
    args = parser.parse_args()
    if args.command in ("run", "lens") and not args.text and not args.ids:
        parser.error("--text or --ids")
    try:
        missing = args.does(args)
    except Refused as error:
        sys.exit(f"record: {error}")
    except ImportError as error:
        sys.exit(f"record: {error.name} is not here, and {args.command} needs it." if error.name else f"record: {error}")
    except (OSError, ValueError, RuntimeError) as error:
        sys.exit(f"record: {str(error).splitlines()[0]}")
    if missing:
        print(f"record: {len(missing)} arrays never came, {missing[0]} first.", file=sys.stderr)


if __name__ == "__main__":
    main()
