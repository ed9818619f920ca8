#!/usr/bin/env python3
"""Reference values of circuits (tests/golden/circuits/gpt2.json): the measure of a small model where some parts are
kept and all others replaced, over a few prompts.

    make_circuit.py write    the file anew
    make_circuit.py check    every number of the file against what is computed here

Written in float64 from the definition and without looking at the C++ code. A part is the weighted values of a head,
the result of an MLP, or an edge: what one part (or the embedding) adds to the stream as one head's query, key or
value, one MLP or the unembedding reads it; everything else reads the stream as it is. A part that is replaced has its
mean over all prompts and positions ("mean"), over all prompts at its own position ("mean:pos"), what the other of two
prompts has there ("resample"), or zero. Needs numpy.
"""
import itertools
import json
import os
import sys

import numpy as np

from make_reference import MODELS, read_safetensors

OUT = os.path.join(os.path.dirname(MODELS), "circuits", "gpt2.json")
BLOCKS, HEADS, WIDTH, EPS = 3, 4, 48, 1e-5
SIZE = WIDTH // HEADS
PROMPTS = [
    {"ids": [5, 17, 9, 33, 5, 17, 9], "answer": 33, "wrong": 12},
    {"ids": [8, 41, 77, 2, 8, 41, 60], "answer": 77, "wrong": 5},
    {"ids": [101, 14, 3, 150, 22, 101, 14], "answer": 3, "wrong": 150},
    {"ids": [60, 61, 62, 63, 64, 65, 66], "answer": 67, "wrong": 60},
]


class Model:
    def __init__(self, folder):
        tensors = read_safetensors(os.path.join(folder, "model.safetensors"))
        self.w = {name.removeprefix("transformer."): values.astype(np.float64) for name, values in tensors.items()}

    def norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + EPS) * self.w[name + ".weight"] + self.w[name + ".bias"]

    def run(self, ids, instead=None, cut=frozenset(), written=None):
        """Parts by name; `instead`: parts that are set to other numbers; `cut`: edges (sender, receiver), whose
        receiver reads the sender's numbers of `written` in the place of its own."""
        instead, written = instead or {}, written or {}
        n = len(ids)
        parts, writes = {}, {}

        def put(name, values, matrix=None):
            values = instead.get(name, values)
            parts[name] = values
            writes[name] = values if matrix is None else values @ matrix
            if name in written:
                other = written[name]
                self_written[name] = other if matrix is None else other @ matrix

        self_written = {}
        put("embed", self.w["wte.weight"][ids] + self.w["wpe.weight"][:n])
        bias = np.zeros((n, WIDTH))

        def stream(receiver):
            x = sum(writes.values()) + bias
            for name in writes:
                if (name, receiver) in cut:
                    x = x - writes[name] + self_written[name]
            return x

        for block in range(BLOCKS):
            at = f"h.{block}."
            c, cb = self.w[at + "attn.c_attn.weight"], self.w[at + "attn.c_attn.bias"]
            heads = []
            for head in range(HEADS):
                qkv = []
                for side, letter in enumerate("qkv"):
                    y = self.norm(stream(f"blocks.{block}.attn.{letter}[head={head}]"), at + "ln_1")
                    columns = slice(side * WIDTH + head * SIZE, side * WIDTH + (head + 1) * SIZE)
                    qkv.append(y @ c[:, columns] + cb[columns])
                q, k, v = qkv
                scores = q @ k.T / np.sqrt(SIZE)
                scores[np.triu_indices(n, 1)] = -np.inf
                pattern = np.exp(scores - scores.max(-1, keepdims=True))
                heads.append(pattern / pattern.sum(-1, keepdims=True) @ v)
            out = self.w[at + "attn.c_proj.weight"]
            for head, z in enumerate(heads):
                put(f"blocks.{block}.attn.z[head={head}]", z, out[head * SIZE : (head + 1) * SIZE])
            bias = bias + self.w[at + "attn.c_proj.bias"]
            y = self.norm(stream(f"blocks.{block}.mlp.out"), at + "ln_2")
            h = y @ self.w[at + "mlp.c_fc.weight"] + self.w[at + "mlp.c_fc.bias"]
            h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
            put(f"blocks.{block}.mlp.out", h @ self.w[at + "mlp.c_proj.weight"] + self.w[at + "mlp.c_proj.bias"])
        logits = self.norm(stream("logits"), "ln_f")[-1] @ self.w["wte.weight"].T
        return logits, parts


NODES = [
    name
    for block in range(BLOCKS)
    for name in [f"blocks.{block}.attn.z[head={head}]" for head in range(HEADS)] + [f"blocks.{block}.mlp.out"]
]


def edges():
    out, senders = [], ["embed"]
    for block in range(BLOCKS):
        reads = [f"blocks.{block}.attn.{letter}[head={head}]" for letter in "qkv" for head in range(HEADS)]
        out += itertools.product(senders, reads)
        senders = senders + [f"blocks.{block}.attn.z[head={head}]" for head in range(HEADS)]
        out += [(sender, f"blocks.{block}.mlp.out") for sender in senders]
        senders = senders + [f"blocks.{block}.mlp.out"]
    return out + [(sender, "logits") for sender in senders]


EDGES = edges()


def replacements(model, prompts, how):
    """Of each prompt, by part, what it is set to where it is replaced."""
    runs = [model.run(prompt["ids"])[1] for prompt in prompts]
    out = []
    for i, parts in enumerate(runs):
        one = {}
        for name, values in parts.items():
            every = [run[name] for run in runs]
            if how == "zero":
                one[name] = np.zeros_like(values)
            elif how == "mean":
                one[name] = np.broadcast_to(np.concatenate(every).mean(0), values.shape)
            elif how == "mean:pos":
                one[name] = np.mean(every, 0)
            else:
                one[name] = runs[1 - i][name]
        out.append(one)
    return out


def measured(model, prompts, others, kept, paths):
    values = []
    for prompt, other in zip(prompts, others):
        if paths:
            cut = frozenset(edge for edge in EDGES if "->".join(edge) not in kept)
            logits, _ = model.run(prompt["ids"], cut=cut, written=other)
        else:
            logits, _ = model.run(prompt["ids"], instead={name: other[name] for name in NODES if name not in kept})
        values.append(logits[prompt["answer"]] - logits[prompt["wrong"]])
    return float(np.mean(values))


def case(model, how, prompts, keep, paths):
    every = ["->".join(edge) for edge in EDGES] if paths else NODES
    others = replacements(model, prompts, how)
    full, none, value = (measured(model, prompts, others, kept, paths) for kept in (every, [], keep))
    return {
        "how": how, "prompts": len(prompts), "parts": "edges" if paths else "nodes", "keep": keep, "full": full,
        "none": none, "value": value, "recovered": (value - none) / (full - none),
    }  # fmt: skip


def curve(model, how, prompts, most):
    others = replacements(model, prompts, how)
    full = measured(model, prompts, others, NODES, False)
    effects = [
        measured(model, prompts, others, [name for name in NODES if name != part], False) - full for part in NODES
    ]
    order = sorted(range(len(NODES)), key=lambda i: -abs(effects[i]))
    kept = [[NODES[i] for i in order[:count]] for count in range(most + 1)]
    return {
        "how": how, "prompts": len(prompts), "order": [NODES[i] for i in order[:most]],
        "effects": [effects[i] for i in order[:most]],
        "values": [measured(model, prompts, others, one, False) for one in kept],
    }  # fmt: skip


def made():
    model = Model(os.path.join(MODELS, "gpt2"))
    some = [NODES[i] for i in (0, 4, 6, 9, 13)]
    random = np.random.default_rng(3)
    paths = sorted("->".join(EDGES[i]) for i in random.choice(len(EDGES), len(EDGES) * 2 // 3, replace=False))
    cases = [case(model, how, PROMPTS, some, False) for how in ("mean", "mean:pos", "zero")]
    cases.append(case(model, "resample", PROMPTS[:2], some, False))
    cases += [case(model, how, PROMPTS, paths, True) for how in ("mean", "zero")]
    cases.append(case(model, "resample", PROMPTS[:2], paths, True))
    return {"prompts": PROMPTS, "cases": cases, "curves": [curve(model, "mean", PROMPTS, len(NODES))]}


def numbers(value):
    if isinstance(value, dict):
        return [one for key in sorted(value) for one in numbers(value[key])]
    if isinstance(value, list):
        return [one for part in value for one in numbers(part)]
    return [value] if isinstance(value, float) else []


def main():
    if sys.argv[1:] == ["write"]:
        os.makedirs(os.path.dirname(OUT), exist_ok=True)
        with open(OUT, "w") as file:
            json.dump(made(), file, indent=1)
            file.write("\n")
    elif sys.argv[1:] == ["check"]:
        with open(OUT) as file:
            there = numbers(json.load(file))
        off = max(abs(a - b) for a, b in zip(there, numbers(made()), strict=True))
        print(f"{len(there)} numbers, largest difference {off:.3g}")
        sys.exit(off > 1e-9)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
