#!/usr/bin/env python3
"""What PyTorch says of every shipped model: assets/references/NAME.json. scripts/references.sh starts this.

    references.py [NAME...]            # writes the references of these models; without a name, of all
    references.py --check [NAME...]    # writes nothing: compares, and exits with 1 where one differs
    references.py --show NAME [STEP]   # the whole arrays of a model's steps

Each model is written down here once more, from its papers, out of PyTorch's functions and in float64, and without
looking at the program's code: the two share the files in assets/models and the names of the steps. A model runs on what
the window shows of it first: the text of its things to try (assets/try), else the input of its card. Of every step a reference has the shape, some cells (the first four, the last four and eight between
them), the norm, the least and the greatest number, and how many cells the mask hides (-infinity, left out of all else).
Needs torch and numpy (Debian: python3-torch).
"""
import argparse
import json
import math
import pathlib
import signal
import sys

if "--help" not in sys.argv and "-h" not in sys.argv:
    import numpy
    import torch
    import torch.nn.functional as F

ROOT = pathlib.Path(__file__).parent.parent
MODELS, REFERENCES = ROOT / "assets/models", ROOT / "assets/references"
NEAR = 1e-7  # what two references of one model may differ by, on other machines and versions


# ---- reading what is shipped -----------------------------------------------------------------------------------------


def read_safetensors(path):
    """Eight bytes of length, a JSON header, then the numbers: name -> tensor in float64."""
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    weights = {}
    for name, entry in json.loads(data[8:begin]).items():
        if name == "__metadata__":
            continue
        assert entry["dtype"] == "F32", f"{path}: {name} is {entry['dtype']}, only F32 is read"
        first, end = entry["data_offsets"]
        values = numpy.frombuffer(data[begin + first : begin + end], "<f4").reshape(entry["shape"])
        weights[name] = torch.from_numpy(values.astype("float64"))
    return weights


def first_input(name):
    """What the window shows first of a model."""
    return json.loads((MODELS / name / "card.json").read_text())["inputs"][0]


class Run:
    """A model's weights, and the steps of its forward pass by their names, in order."""

    def __init__(self, weights):
        self.weights, self.steps = weights, {}

    def keep(self, name, value):
        self.steps[name] = value
        return value

    # Of a weight W [out, in] and its bias, where there is one: x Wᵀ + b.
    def linear(self, name, x):
        return F.linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))

    # The same of a weight that is stored as [in, out] (GPT-2, and the program's own layout).
    def linear_in_out(self, name, x):
        return F.linear(x, self.weights[name + ".weight"].T, self.weights.get(name + ".bias"))

    def layer_norm(self, step, name, x, eps):
        self.keep(step + ".scale", (x.var(-1, unbiased=False, keepdim=True) + eps).sqrt())
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return self.keep(step + ".out", F.layer_norm(x, weight.shape, weight, bias, eps))

    def rms_norm(self, step, name, x, eps):
        scale = self.keep(step + ".scale", (x.pow(2).mean(-1, keepdim=True) + eps).sqrt())
        return self.keep(step + ".out", x / scale * self.weights[name + ".weight"])


# ---- the parts that every model has ----------------------------------------------------------------------------------


def into_heads(run, base, name, x, heads):
    """[pos, head * d_head] -> [head, pos, d_head]"""
    run.keep(base + name, x)
    view = run.keep(base + "view_" + name, x.view(x.shape[0], heads, -1))
    return run.keep(base + "split_" + name, view.transpose(0, 1))


def attend(run, base, q, k, v, mask):
    """Heads in front -> the heads' results side by side [pos, head * d_head]. `mask`: True where one may look."""
    group = q.shape[0] // k.shape[0]  # queries that share a key
    k, v = k.repeat_interleave(group, 0), v.repeat_interleave(group, 0)
    scores = run.keep(base + "scores", q @ k.transpose(1, 2))
    scaled = run.keep(base + "scaled", scores / math.sqrt(q.shape[-1]))
    run.keep(base + "mask", mask.double())
    masked = run.keep(base + "masked", scaled.masked_fill(~mask, -torch.inf))
    pattern = run.keep(base + "pattern", torch.softmax(masked, dim=-1))
    z = run.keep(base + "z", pattern @ v)
    return run.keep(base + "concat", z.transpose(0, 1).reshape(z.shape[1], -1))


def causal(length):
    return torch.ones(length, length).tril().bool()


def everything(queries, keys):
    return torch.ones(queries, keys).bool()


def words(run, prefix, x, unembedding, bias=None):
    logits = run.keep(prefix + "logits", F.linear(x, unembedding, bias))
    run.keep(prefix + "probs", torch.softmax(logits, dim=-1))


def gelu_tanh(x):
    """GELU as GPT-2 has it; F.gelu(x, approximate="tanh") of newer versions."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x.pow(3))))


# ---- GPT-2: Radford et al. 2019 --------------------------------------------------------------------------------------


def gpt2(run, config, given):
    ids = torch.tensor(given["ids"])
    length, heads, eps = len(ids), config["n_head"], config["layer_norm_epsilon"]
    assert config["activation_function"] == "gelu_new"
    table = run.weights["transformer.wte.weight"]
    tok = run.keep("tok_embed", F.embedding(ids, table))
    pos = run.keep("pos_embed", F.embedding(torch.arange(length), run.weights["transformer.wpe.weight"]))
    x = run.keep("embed", tok + pos)
    for layer in range(config["n_layer"]):
        block, stored = f"blocks.{layer}.", f"transformer.h.{layer}."
        run.keep(block + "resid_pre", x)
        y = run.layer_norm(block + "ln1", stored + "ln_1", x, eps)
        parts = run.linear_in_out(stored + "attn.c_attn", y).chunk(3, dim=-1)
        q, k, v = (into_heads(run, block + "attn.", name, part, heads) for name, part in zip("qkv", parts))
        z = attend(run, block + "attn.", q, k, v, causal(length))
        x = run.keep(block + "resid_mid", x + run.keep(block + "attn.out", run.linear_in_out(stored + "attn.c_proj", z)))
        y = run.layer_norm(block + "ln2", stored + "ln_2", x, eps)
        h = run.keep(block + "mlp.pre", run.linear_in_out(stored + "mlp.c_fc", y))
        a = run.keep(block + "mlp.post", gelu_tanh(h))
        x = run.keep(block + "resid_post", x + run.keep(block + "mlp.out", run.linear_in_out(stored + "mlp.c_proj", a)))
    words(run, "", run.layer_norm("ln_final", "transformer.ln_f", x, eps), table)


# ---- Llama: Touvron et al. 2023; shared keys and values: Ainslie et al. 2023 --------------------------------------------


def rotated(x, theta):
    """RoPE (Su et al. 2021): the pairs (i, i + d_head / 2) of x [head, pos, d_head] turn with the position."""
    length, dims = x.shape[1], x.shape[2]
    angles = torch.outer(torch.arange(length).double(), theta ** (-torch.arange(0, dims, 2).double() / dims))
    cos, sin = torch.cos(angles), torch.sin(angles)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def llama(run, config, given):
    ids = torch.tensor(given["ids"])
    heads, shared, eps = config["num_attention_heads"], config["num_key_value_heads"], config["rms_norm_eps"]
    assert config["hidden_act"] == "silu" and config["rope_scaling"] is None
    table = run.weights["model.embed_tokens.weight"]
    x = run.keep("embed", run.keep("tok_embed", F.embedding(ids, table)))
    for layer in range(config["num_hidden_layers"]):
        block, stored = f"blocks.{layer}.", f"model.layers.{layer}."
        attn = block + "attn."
        run.keep(block + "resid_pre", x)
        y = run.rms_norm(block + "ln1", stored + "input_layernorm", x, eps)
        q = into_heads(run, attn, "q", run.linear(stored + "self_attn.q_proj", y), heads)
        k = into_heads(run, attn, "k", run.linear(stored + "self_attn.k_proj", y), shared)
        v = into_heads(run, attn, "v", run.linear(stored + "self_attn.v_proj", y), shared)
        q = run.keep(attn + "rot_q", rotated(q, config["rope_theta"]))
        k = run.keep(attn + "rot_k", rotated(k, config["rope_theta"]))
        z = attend(run, attn, q, k, v, causal(len(ids)))
        x = run.keep(block + "resid_mid", x + run.keep(attn + "out", run.linear(stored + "self_attn.o_proj", z)))
        y = run.rms_norm(block + "ln2", stored + "post_attention_layernorm", x, eps)
        gate = run.keep(block + "mlp.gate", run.linear(stored + "mlp.gate_proj", y))
        up = run.keep(block + "mlp.up", run.linear(stored + "mlp.up_proj", y))
        a = run.keep(block + "mlp.post", run.keep(block + "mlp.act", F.silu(gate)) * up)
        x = run.keep(block + "resid_post", x + run.keep(block + "mlp.out", run.linear(stored + "mlp.down_proj", a)))
    words(run, "", run.rms_norm("ln_final", "model.norm", x, eps), table)


# ---- BERT: Devlin et al. 2018 ----------------------------------------------------------------------------------------


def bert(run, config, given):
    ids = torch.tensor(given["ids"])
    length, heads, eps = len(ids), config["num_attention_heads"], config["layer_norm_eps"]
    assert config["hidden_act"] == "gelu"
    stored = "bert.embeddings."
    table = run.weights[stored + "word_embeddings.weight"]
    tok = run.keep("tok_embed", F.embedding(ids, table))
    pos = run.keep("pos_embed", F.embedding(torch.arange(length), run.weights[stored + "position_embeddings.weight"]))
    segments = torch.tensor(given.get("types", [0] * length))
    typ = run.keep("type_embed", F.embedding(segments, run.weights[stored + "token_type_embeddings.weight"]))
    x = run.layer_norm("ln_embed", stored + "LayerNorm", run.keep("embed", tok + pos + typ), eps)
    for layer in range(config["num_hidden_layers"]):
        block, stored = f"blocks.{layer}.", f"bert.encoder.layer.{layer}."
        run.keep(block + "resid_pre", x)
        q, k, v = (
            into_heads(run, block + "attn.", name[0], run.linear(stored + "attention.self." + name, x), heads)
            for name in ("query", "key", "value")
        )
        z = attend(run, block + "attn.", q, k, v, everything(length, length))
        out = run.keep(block + "attn.out", run.linear(stored + "attention.output.dense", z))
        x = run.keep(block + "resid_mid", x + out)
        x = run.layer_norm(block + "ln1", stored + "attention.output.LayerNorm", x, eps)
        a = run.keep(block + "mlp.post", F.gelu(run.keep(block + "mlp.pre", run.linear(stored + "intermediate.dense", x))))
        x = run.keep(block + "resid_post", x + run.keep(block + "mlp.out", run.linear(stored + "output.dense", a)))
        x = run.layer_norm(block + "ln2", stored + "output.LayerNorm", x, eps)
    stored = "cls.predictions."
    a = run.keep("head.act", F.gelu(run.keep("head.pre", run.linear(stored + "transform.dense", x))))
    words(run, "", run.layer_norm("ln_head", stored + "transform.LayerNorm", a, eps), table, run.weights[stored + "bias"])


# ---- MarianMT, the original Transformer: Vaswani et al. 2017; Junczys-Dowmunt et al. 2018 -------------------------------


def sinusoids(length, width):
    """Sines in the first half of the features, cosines in the second one."""
    angles = torch.outer(torch.arange(length).double(), 10000 ** (-torch.arange(0, width, 2).double() / width))
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=-1)


def marian_attention(run, base, stored, x, read, heads, mask):
    """Queries of x; keys and values of `read`: x itself, or what the encoder made."""
    q, k, v = (
        into_heads(run, base, name, run.linear(f"{stored}.{name}_proj", rows), heads)
        for name, rows in (("q", x), ("k", read), ("v", read))
    )
    return run.keep(base + "out", run.linear(stored + ".out_proj", attend(run, base, q, k, v, mask)))


def marian_stack(run, config, prefix, side, ids, encoded):
    """One side; encoded: what the encoder made, for the decoder."""
    width, length = config["d_model"], len(ids)
    heads, eps = config[side + "_attention_heads"], 1e-5
    tok = run.keep(prefix + "tok_embed", F.embedding(torch.tensor(ids), run.weights["model.shared.weight"]))
    if config["scale_embedding"]:
        tok = run.keep(prefix + "tok_scaled", tok * math.sqrt(width))
    x = run.keep(prefix + "embed", tok + run.keep(prefix + "pos_embed", sinusoids(length, width)))
    for layer in range(config[side + "_layers"]):
        block, stored = f"{prefix}blocks.{layer}.", f"model.{side}.layers.{layer}."
        run.keep(block + "resid_pre", x)
        mask = everything(length, length) if encoded is None else causal(length)
        out = marian_attention(run, block + "attn.", stored + "self_attn", x, x, heads, mask)
        x = run.keep(block + "resid_mid", x + out)
        x = run.layer_norm(block + "ln1", stored + "self_attn_layer_norm", x, eps)
        if encoded is not None:
            mask = everything(length, len(encoded))
            out = marian_attention(run, block + "cross.", stored + "encoder_attn", x, encoded, heads, mask)
            x = run.keep(block + "resid_cross", x + out)
            x = run.layer_norm(block + "ln_cross", stored + "encoder_attn_layer_norm", x, eps)
        a = run.keep(block + "mlp.post", F.relu(run.keep(block + "mlp.pre", run.linear(stored + "fc1", x))))
        x = run.keep(block + "resid_post", x + run.keep(block + "mlp.out", run.linear(stored + "fc2", a)))
        x = run.layer_norm(block + "ln2", stored + "final_layer_norm", x, eps)
    return x


def marian(run, config, given):
    assert config["activation_function"] == "relu" and config["share_encoder_decoder_embeddings"]
    encoded = marian_stack(run, config, "enc.", "encoder", given["source"], None)
    x = marian_stack(run, config, "dec.", "decoder", given["ids"], encoded)
    words(run, "dec.", x, run.weights["model.shared.weight"], run.weights["final_logits_bias"][0])


# ---- the program's own layout: pre-norm blocks whose parts the config names ---------------------------------------------


def own_mask(spec, ids, image_token):
    """The two masks that are shipped: causal, and causal but for an image whose patches see each other."""
    mask = causal(len(ids))
    if spec == "causal | image>image":
        image = torch.tensor(ids) == image_token
        return mask | (image[:, None] & image[None, :])
    assert spec in (None, "causal"), f"the mask {spec} is not written down here"
    return mask


def own_blocks(run, config, prefix, x, mask):
    attention, eps = config["attention"], config["norm"]["eps"]
    heads = attention["n_heads"]
    assert config["norm"]["kind"] == "layer" and attention["n_kv_heads"] == heads
    assert config["mlp"]["kind"] == "none" or config["mlp"]["activation"] == "gelu_new"
    for layer in range(config["n_layers"]):
        block = f"{prefix}blocks.{layer}."
        run.keep(block + "resid_pre", x)
        y = run.layer_norm(block + "ln1", block + "ln1", x, eps)
        q, k, v = (
            into_heads(run, block + "attn.", name, run.linear_in_out(block + "attn." + name, y), heads) for name in "qkv"
        )
        if config["positions"]["kind"] == "rope":
            q = run.keep(block + "attn.rot_q", rotated(q, config["positions"]["rope_theta"]))
            k = run.keep(block + "attn.rot_k", rotated(k, config["positions"]["rope_theta"]))
        z = attend(run, block + "attn.", q, k, v, mask)
        x = run.keep(block + "resid_mid", x + run.keep(block + "attn.out", run.linear_in_out(block + "attn.out", z)))
        if config["mlp"]["kind"] != "none":
            y = run.layer_norm(block + "ln2", block + "ln2", x, eps)
            a = run.keep(block + "mlp.post", gelu_tanh(run.keep(block + "mlp.pre", run.linear_in_out(block + "mlp.pre", y))))
            x = x + run.keep(block + "mlp.out", run.linear_in_out(block + "mlp.out", a))
        run.keep(block + "resid_post", x)
    return run.layer_norm(prefix + "ln_final", prefix + "ln_final", x, config["final_norm"]["eps"])


def own_positions(run, config, prefix, x):
    if config["positions"]["kind"] == "learned":
        x = x + run.keep(prefix + "pos_embed", run.weights[prefix + "pos_embed.weight"][: len(x)])
    return run.keep(prefix + "embed", x)


def own_image(run, config, pixels):
    """A picture in patches (Dosovitskiy et al. 2020) -> one row each, as wide as the words."""
    values = torch.tensor(pixels["values"]).float().double().view(pixels["shape"])
    size = config["patch"]["size"]
    patches = run.keep("vision.patches", F.unfold(values[None], size, stride=size)[0].T)
    x = run.keep("vision.patch_embed", run.linear_in_out("vision.patch_embed", patches))
    x = own_positions(run, config, "vision.", x)
    x = own_blocks(run, config, "vision.", x, everything(len(x), len(x)))
    return run.keep("vision.projected", run.linear_in_out("vision.projected", x))


def own(run, config, given):
    image = own_image(run, config["vision"], given["pixels"]) if "vision" in config else None
    ids, table = given["ids"], run.weights["tok_embed.weight"]
    x = run.keep("tok_embed", F.embedding(torch.tensor(ids), table))
    if image is not None:
        places = (torch.tensor(ids) == config["image_token"])[:, None].expand_as(x)
        x = run.keep("merged", x.masked_scatter(places, image))
    x = own_positions(run, config, "", x)
    x = own_blocks(run, config, "", x, own_mask(config["attention"].get("mask"), ids, config.get("image_token")))
    words(run, "", x, table if config["head"]["tied"] else run.weights["logits.weight"].T)


FAMILIES = {"gpt2": gpt2, "llama": llama, "bert": bert, "marian": marian, "attnscope": own}


# ---- what is written of a run ----------------------------------------------------------------------------------------


def computed(name):
    """Of a shipped model: its first input, and its steps."""
    folder = MODELS / name
    config = json.loads((folder / "config.json").read_text())
    given = first_input(name)
    if config["model_type"] not in FAMILIES:
        sys.exit(f"references: {folder}/config.json is of the kind {config['model_type']}, which is not written down here")
    run = Run(read_safetensors(folder / "model.safetensors"))
    with torch.no_grad():
        FAMILIES[config["model_type"]](run, config, given)
    return given, run.steps


def places(count):
    """Which cells of a step are written, the last axis running first: all of a small one."""
    if count <= 16:
        return list(range(count))
    chosen = set(range(4)) | {i * count // 9 for i in range(1, 9)} | set(range(count - 4, count))
    return sorted(chosen)


def short(number):
    """Nine digits; the mask's -infinity as a word, because JSON has no sign for it."""
    return "-inf" if number == -math.inf else float(f"{number:.9g}")


def reference(name):
    given, steps = computed(name)
    rows = []
    for step, value in steps.items():
        flat = value.reshape(-1)
        seen = flat[flat != -torch.inf]
        rows.append(
            {
                "step": step,
                "shape": list(value.shape),
                "cells": [short(flat[i].item()) for i in places(len(flat))],
                "norm": short(seen.norm().item()),
                "least": short(seen.min().item()),
                "greatest": short(seen.max().item()),
                "hidden": len(flat) - len(seen),
            }
        )
    read = {side: given[side] for side in ("source", "ids") if side in given}
    version = torch.__version__.split("+")[0]
    head = {"format": "attnscope-reference", "version": 1, "model": name}
    return head | {"made_by": f"scripts/references.sh (PyTorch {version}, float64)", "input": read, "steps": rows}


def written(made):
    """JSON with a line for each step."""
    head = [f" {json.dumps(key)}: {json.dumps(made[key])},\n" for key in made if key != "steps"]
    rows = ",\n".join("  " + json.dumps(row) for row in made["steps"])
    return "{\n" + "".join(head) + ' "steps": [\n' + rows + "\n ]\n}\n"


def gap(one, other):
    """The largest difference of two rows; infinite where they are of different shapes or hide other cells."""
    numbers = [row["cells"] + [row["norm"], row["least"], row["greatest"]] for row in (one, other)]
    if one["shape"] != other["shape"] or one["hidden"] != other["hidden"] or len(numbers[0]) != len(numbers[1]):
        return math.inf
    worst = 0.0
    for a, b in zip(*numbers):
        if a != b:
            worst = max(worst, math.inf if "-inf" in (a, b) else abs(a - b))
    return worst


def check(name, made):
    """Whether the file says what PyTorch says now; prints the first step that it does not."""
    path = REFERENCES / f"{name}.json"
    if not path.exists():
        print(f"{name}: {path} is missing: run scripts/references.sh")
        return False
    told = json.loads(path.read_text())
    if [row["step"] for row in told["steps"]] != [row["step"] for row in made["steps"]] or told["input"] != made["input"]:
        print(f"{name}: {path} has other steps or another input: run scripts/references.sh")
        return False
    worst = 0.0
    for old, new in zip(told["steps"], made["steps"]):
        size = max(1.0, new["norm"])
        worst = max(worst, gap(old, new) / size)
        if gap(old, new) > NEAR * size:
            print(f"{name}: {new['step']} differs by {gap(old, new):.3g}: run scripts/references.sh")
            return False
    print(f"{name}: {len(made['steps'])} steps, largest difference {worst:.2g} of a step's norm")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="shipped models; without one, all")
    parser.add_argument("--check", action="store_true", help="compare with what is there and write nothing")
    parser.add_argument("--show", action="store_true", help="print the arrays of a model: NAME [STEP]")
    options = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may end before
    known = sorted(path.parent.name for path in MODELS.glob("*/config.json"))
    names = options.names[:1] if options.show else options.names or known
    for name in names:
        if name not in known:
            sys.exit(f"references: there is no model {name} in {MODELS}: {', '.join(known)}")
    if options.show:
        torch.set_printoptions(precision=6, sci_mode=False, linewidth=120)
        for step, value in computed((names or ["storyteller"])[0])[1].items():
            if len(options.names) < 2 or step == options.names[1]:
                print(f"{step}  {tuple(value.shape)}\n{value}")
        return
    good = True
    for name in names:
        made = reference(name)
        if options.check:
            good = check(name, made) and good
            continue
        text = written(made)
        REFERENCES.mkdir(exist_ok=True)
        (REFERENCES / f"{name}.json").write_text(text)
        print(f"{name}: {len(made['steps'])} steps, {len(text)} bytes")
    # What is left of a model that is gone would be in nobody's check.
    for path in sorted(REFERENCES.glob("*.json")):
        if path.stem not in known:
            print(f"{path} is of no shipped model: remove it")
            good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
