#!/usr/bin/env python3
"""Reference values of the golden models that no library wrote for us.

    make_reference.py write NAME...   tests/golden/models/NAME anew: config.json, model.safetensors and
                                      expected.safetensors, from a fixed seed
    make_reference.py check FOLDER... every tensor of FOLDER/expected.safetensors that is computed here, with the
                                      largest difference

Written from the papers and the published descriptions of the models, in float64 and without looking at the C++ code:
the two know nothing of each other. `check` also runs on the folders that the transformers library wrote (llama, llama3,
mistral, qwen2, gemma), which share most of the arithmetic. Names are those of the library's modules: `out:PATH` is what
a module returns, `in:PATH` what it is given, hidden_states.N what enters block N (the last one: what leaves the final
norm). Heads stand in front in the q_norm and k_norm of Qwen3; queries, keys and values of GPT-NeoX and BLOOM are
written one by one, because their fused projection lays them side by side head by head. Needs numpy.
"""
import json
import math
import os
import struct
import sys

import numpy as np

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
VOCABULARY, TOKENS, PADDED, CONTINUED = 199, 11, 3, 8


# ---- safetensors: eight bytes of length, a JSON header, the values one after the other -------------------------------


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, entry in json.loads(data[8:end]).items():
        if name == "__metadata__":
            continue
        begin, stop = entry["data_offsets"]
        raw = data[end + begin : end + stop]
        if entry["dtype"] == "BF16":
            values = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(raw, {"F32": "<f4", "F16": "<f2", "F64": "<f8", "I64": "<i8"}[entry["dtype"]])
        out[name] = values.reshape(entry["shape"])
    return out


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name in sorted(tensors):
        values = np.ascontiguousarray(tensors[name])
        whole = np.issubdtype(values.dtype, np.integer)
        raw = values.astype("<i8" if whole else "<f4").tobytes()
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": "I64" if whole else "F32", "shape": list(values.shape), "data_offsets": offsets}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


# ---- the arithmetic, each from its paper -----------------------------------------------------------------------------


def softmax(x):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def rms_norm(x, gamma, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gamma


def layer_norm(x, gamma, beta, eps):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + eps) * gamma + beta


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1 + np.exp(-x))


ACTIVATIONS = {"silu": silu, "gelu": gelu, "gelu_pytorch_tanh": gelu_tanh, "gelu_new": gelu_tanh}


def soft_cap(x, cap):
    return cap * np.tanh(x / cap) if cap else x


def rotary_table(config, dims, length):
    """cos and sin [pos, dims], both halves alike; the scalings of the papers."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    theta = rope.get("rope_theta", config.get("rope_theta", 10000.0))
    kind, factor = rope.get("rope_type", "default"), rope.get("factor", 1.0)
    most = config["max_position_embeddings"]
    pair = np.arange(0, dims, 2) / dims
    size = 1.0
    if kind == "dynamic":  # theta grows with the length, so that the slowest pair turns as if stretched
        seen = max(length, most)
        theta *= (factor * seen / most - (factor - 1)) ** (dims / (dims - 2))
    frequency = theta**-pair
    if kind == "linear":
        frequency = frequency / factor
    if kind == "llama3":
        original = rope["original_max_position_embeddings"]
        turns = original * frequency / (2 * math.pi)
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        kept = np.clip((turns - low) / (high - low), 0, 1)
        frequency = frequency / factor * (1 - kept) + frequency * kept
    if kind == "yarn":  # Peng et al. 2023, section 3.2: fast pairs stay, slow ones stretch, a ramp between
        original = rope.get("original_max_position_embeddings") or most

        def border(turns):
            return dims * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(theta))

        first, last = border(rope.get("beta_fast") or 32), border(rope.get("beta_slow") or 1)
        if rope.get("truncate", True):
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, dims - 1)
        stretched = np.clip((np.arange(dims // 2) - first) / max(last - first, 0.001), 0, 1)
        frequency = frequency / factor * stretched + frequency * (1 - stretched)
        size = rope.get("attention_factor") or 0.1 * math.log(factor) + 1
    angle = np.arange(length)[:, None] * frequency[None, :]
    angle = np.concatenate([angle, angle], -1)
    return np.cos(angle) * size, np.sin(angle) * size


def turned(x, cos, sin):
    """Pairs (i, i + half) of the first features of x [.., pos, d_head] turn; the rest stays."""
    dims = cos.shape[-1]
    head, rest = x[..., :dims], x[..., dims:]
    partner = np.concatenate([-head[..., dims // 2 :], head[..., : dims // 2]], -1)
    return np.concatenate([head * cos + partner * sin, rest], -1)


def allowed(real, window):
    """[batch, 1, query, key]"""
    length = real.shape[1]
    query, key = np.arange(length)[:, None], np.arange(length)[None, :]
    mask = key <= query
    if window:
        mask = mask & (query - key < window)
    return mask[None, None] & (real[:, None, None, :] > 0)


def heads_of(x, heads):
    batch, length, width = x.shape
    return x.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)


def side_by_side(x):
    batch, heads, length, width = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * width)


def alibi_slopes(heads):
    """Press, Smith, Lewis 2022: powers of 2^(-8/n); between powers of two, every other one of the next."""
    power = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    slopes += [2 ** (-4 * (2 * i + 1) / power) for i in range(heads - power)]
    return np.array(slopes)


def attend(q, k, v, scale, mask, cap=None, bias=0.0):
    """-> pattern [batch, head, query, key] and heads side by side [batch, query, width]"""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = soft_cap(q @ k.transpose(0, 1, 3, 2) * scale, cap) + bias
    pattern = softmax(np.where(mask, scores, -np.inf))
    return pattern, side_by_side(pattern @ v)


class Run:
    """The weights of one model, and everything a run exposes."""

    def __init__(self, config, weights):
        self.config = config
        self.weights = {name: values.astype(np.float64) for name, values in weights.items()}
        self.out = {}

    def linear(self, name, x, log=True):
        y = x @ self.weights[name + ".weight"].T
        if name + ".bias" in self.weights:
            y = y + self.weights[name + ".bias"]
        return self.keep("out:" + name, y) if log else y

    def layer_norm(self, name, x, eps):
        return self.keep("out:" + name, layer_norm(x, self.weights[name + ".weight"], self.weights[name + ".bias"], eps))

    def keep(self, name, value):
        self.out[name] = value
        return value


# ---- Llama and its relatives -----------------------------------------------------------------------------------------


def window_of(config, layer):
    kind, width = config["model_type"], config.get("sliding_window")
    if kind == "mistral":
        return width
    if kind == "gemma2":
        return width if layer % 2 == 0 else None
    return None


def rotary_decoder(run, ids, real):
    """Touvron et al. 2023; Gemma Team 2024 (1 and 2); Yang et al. 2025 (Qwen3)."""
    config = run.config
    kind, eps = config["model_type"], config["rms_norm_eps"]
    gemma = kind.startswith("gemma")
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    d_head = config.get("head_dim") or config["hidden_size"] // heads
    gate = ACTIVATIONS[config.get("hidden_activation") or config["hidden_act"]]
    scale = config.get("query_pre_attn_scalar", d_head) ** -0.5

    def norm(name, x):
        gamma = run.weights[name + ".weight"] + (1 if gemma else 0)
        return run.keep("out:" + name, rms_norm(x, gamma, eps))

    x = run.weights["model.embed_tokens.weight"][ids] * (math.sqrt(config["hidden_size"]) if gemma else 1)
    run.keep("out:model.embed_tokens", x)
    cos, sin = rotary_table(config, d_head, ids.shape[1])
    run.keep("out:model.rotary_emb", cos[None])
    for layer in range(config["num_hidden_layers"]):
        run.keep(f"hidden_states.{layer}", x)
        base = f"model.layers.{layer}."
        y = norm(base + "input_layernorm", x)
        q = heads_of(run.linear(base + "self_attn.q_proj", y), heads)
        k = heads_of(run.linear(base + "self_attn.k_proj", y), shared)
        v = heads_of(run.linear(base + "self_attn.v_proj", y), shared)
        if kind == "qwen3":
            q, k = norm(base + "self_attn.q_norm", q), norm(base + "self_attn.k_norm", k)
        q, k = turned(q, cos, sin), turned(k, cos, sin)
        mask = allowed(real, window_of(config, layer))
        pattern, z = attend(q, k, v, scale, mask, config.get("attn_logit_softcapping"))
        run.keep(f"attentions.{layer}", pattern)
        run.keep("in:" + base + "self_attn.o_proj", z)
        found = run.linear(base + "self_attn.o_proj", z)
        if kind == "gemma2":
            x = x + norm(base + "post_attention_layernorm", found)
            y = norm(base + "pre_feedforward_layernorm", x)
        else:
            x = x + found
            y = norm(base + "post_attention_layernorm", x)
        opened = run.keep("out:" + base + "mlp.act_fn", gate(run.linear(base + "mlp.gate_proj", y)))
        made = run.linear(base + "mlp.down_proj", opened * run.linear(base + "mlp.up_proj", y))
        x = x + (norm(base + "post_feedforward_layernorm", made) if kind == "gemma2" else made)
    x = norm("model.norm", x)
    run.keep(f"hidden_states.{config['num_hidden_layers']}", x)
    table = run.weights.get("lm_head.weight", run.weights["model.embed_tokens.weight"])
    raw = run.keep("out:lm_head", x @ table.T)
    return run.keep("logits", soft_cap(raw, config.get("final_logit_softcapping")))


# ---- GPT-NeoX and BLOOM: queries, keys and values of each head in one matrix ------------------------------------------


def fused_heads(run, name, layer, y, heads):
    """[batch, pos, head * 3 * d_head] -> three times [batch, head, pos, d_head]"""
    batch, length, _ = y.shape
    fused = run.linear(name, y, log=False).reshape(batch, length, heads, 3, -1)
    parts = []
    for part, called in enumerate(["query", "key", "value"]):
        one = fused[:, :, :, part]
        run.keep(f"{called}.{layer}", one.reshape(batch, length, -1))
        parts.append(one.transpose(0, 2, 1, 3))
    return parts


def gpt_neox(run, ids, real):
    """Black et al. 2022, section 2.1: x + attention(ln1(x)) + mlp(ln2(x)), a part of each head turns."""
    config, eps = run.config, run.config["layer_norm_eps"]
    heads, d_head = config["num_attention_heads"], config["hidden_size"] // config["num_attention_heads"]
    x = run.keep("out:gpt_neox.embed_in", run.weights["gpt_neox.embed_in.weight"][ids])
    cos, sin = rotary_table(config, int(d_head * config["rotary_pct"]), ids.shape[1])
    run.keep("out:gpt_neox.rotary_emb", cos[None])
    for layer in range(config["num_hidden_layers"]):
        run.keep(f"hidden_states.{layer}", x)
        base = f"gpt_neox.layers.{layer}."
        y = run.layer_norm(base + "input_layernorm", x, eps)
        q, k, v = fused_heads(run, base + "attention.query_key_value", layer, y, heads)
        pattern, z = attend(turned(q, cos, sin), turned(k, cos, sin), v, d_head**-0.5, allowed(real, None))
        run.keep(f"attentions.{layer}", pattern)
        run.keep("in:" + base + "attention.dense", z)
        found = run.linear(base + "attention.dense", z)
        if config["use_parallel_residual"]:
            y = run.layer_norm(base + "post_attention_layernorm", x, eps)
        else:
            y = run.layer_norm(base + "post_attention_layernorm", x + found, eps)
        wide = ACTIVATIONS[config["hidden_act"]](run.linear(base + "mlp.dense_h_to_4h", y))
        run.keep("out:" + base + "mlp.act", wide)
        x = x + found + run.linear(base + "mlp.dense_4h_to_h", wide)
    x = run.layer_norm("gpt_neox.final_layer_norm", x, eps)
    run.keep(f"hidden_states.{config['num_hidden_layers']}", x)
    return run.keep("logits", run.linear("embed_out", x))


def bloom(run, ids, real):
    """Le Scao et al. 2022, section 3.2: a norm behind the embedding, distances added to the scores (ALiBi)."""
    config, eps = run.config, run.config["layer_norm_epsilon"]
    heads, d_head = config["n_head"], config["hidden_size"] // config["n_head"]
    table = run.weights["transformer.word_embeddings.weight"]
    x = run.keep("out:transformer.word_embeddings", table[ids])
    x = run.layer_norm("transformer.word_embeddings_layernorm", x, eps)
    place = np.arange(ids.shape[1])
    bias = alibi_slopes(heads)[:, None, None] * (place[None, :] - place[:, None])[None]  # [head, query, key]
    for layer in range(config["n_layer"]):
        run.keep(f"hidden_states.{layer}", x)
        base = f"transformer.h.{layer}."
        y = run.layer_norm(base + "input_layernorm", x, eps)
        q, k, v = fused_heads(run, base + "self_attention.query_key_value", layer, y, heads)
        pattern, z = attend(q, k, v, d_head**-0.5, allowed(real, None), bias=bias[None])
        run.keep(f"attentions.{layer}", pattern)
        run.keep("in:" + base + "self_attention.dense", z)
        x = x + run.linear(base + "self_attention.dense", z)
        y = run.layer_norm(base + "post_attention_layernorm", x, eps)
        wide = run.keep("out:" + base + "mlp.gelu_impl", gelu_tanh(run.linear(base + "mlp.dense_h_to_4h", y)))
        x = x + run.linear(base + "mlp.dense_4h_to_h", wide)
    x = run.layer_norm("transformer.ln_f", x, eps)
    run.keep(f"hidden_states.{config['n_layer']}", x)
    return run.keep("out:lm_head", run.keep("logits", x @ table.T))


FORWARD = {"gpt_neox": gpt_neox, "bloom": bloom}


def forward(config, weights, ids, real):
    run = Run(config, weights)
    FORWARD.get(config["model_type"], rotary_decoder)(run, ids, real)
    return run.out


def greedy(config, weights, ids, count):
    """The whole sequence is run anew for every token: no cache to be wrong."""
    for _ in range(count):
        logits = forward(config, weights, ids, np.ones_like(ids))["logits"]
        ids = np.concatenate([ids, logits[:, -1:].argmax(-1)], 1)
    return ids


# ---- the models ------------------------------------------------------------------------------------------------------

ROTARY = {
    "vocab_size": VOCABULARY,
    "hidden_size": 48,
    "intermediate_size": 72,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "rms_norm_eps": 1e-6,
    "hidden_act": "silu",
    "attention_bias": False,
    "tie_word_embeddings": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
NEOX = {
    "model_type": "gpt_neox",
    "architectures": ["GPTNeoXForCausalLM"],
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "layer_norm_eps": 1e-5,
    "hidden_act": "gelu",
    "rotary_pct": 0.25,
    "rotary_emb_base": 10000,
    "use_parallel_residual": True,
    "tie_word_embeddings": False,
}
CONFIGS = {
    "gemma2": {
        **ROTARY,
        "model_type": "gemma2",
        "architectures": ["Gemma2ForCausalLM"],
        "head_dim": 16,
        "num_hidden_layers": 4,
        "hidden_act": "gelu_pytorch_tanh",
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": 20,
        "attn_logit_softcapping": 4.0,
        "final_logit_softcapping": 6.0,
        "sliding_window": 4,
        "tie_word_embeddings": True,
    },
    "qwen3": {
        **ROTARY,
        "model_type": "qwen3",
        "architectures": ["Qwen3ForCausalLM"],
        "head_dim": 16,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
        "sliding_window": None,
        "use_sliding_window": False,
    },
    "gpt_neox": NEOX,
    "gpt_neox_serial": {
        **NEOX,
        "rotary_pct": 0.5,
        "use_parallel_residual": False,
        "attention_bias": False,
    },
    "llama_yarn": {
        **ROTARY,
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "head_dim": 24,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 10000.0,
            "factor": 8.0,
            "original_max_position_embeddings": 16,
            "beta_fast": 2.0,
            "beta_slow": 0.125,
        },
    },
    "bloom": {
        "model_type": "bloom",
        "architectures": ["BloomForCausalLM"],
        "vocab_size": VOCABULARY,
        "hidden_size": 48,
        "n_layer": 2,
        "n_head": 6,
        "layer_norm_epsilon": 1e-5,
        "apply_residual_connection_post_layernorm": False,
        "tie_word_embeddings": True,
    },
}


def fused_shapes(config, embedding, block, attention, layers, width, wide, with_bias):
    shapes = {embedding + ".weight": (VOCABULARY, width)}
    for layer in range(layers):
        base = f"{block}.{layer}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            shapes[base + norm + ".weight"] = shapes[base + norm + ".bias"] = (width,)
        for name, rows, cols in (
            (attention + ".query_key_value", 3 * width, width),
            (attention + ".dense", width, width),
            ("mlp.dense_h_to_4h", wide, width),
            ("mlp.dense_4h_to_h", width, wide),
        ):
            shapes[base + name + ".weight"] = (rows, cols)
            if with_bias or name.startswith("mlp"):
                shapes[base + name + ".bias"] = (rows,)
    return shapes


def shapes_of(config):
    width, wide = config["hidden_size"], config.get("intermediate_size", 4 * config["hidden_size"])
    if config["model_type"] == "gpt_neox":
        bias, layers = config.get("attention_bias", True), config["num_hidden_layers"]
        shapes = fused_shapes(config, "gpt_neox.embed_in", "gpt_neox.layers", "attention", layers, width, wide, bias)
        shapes["gpt_neox.final_layer_norm.weight"] = shapes["gpt_neox.final_layer_norm.bias"] = (width,)
        return {**shapes, "embed_out.weight": (VOCABULARY, width)}
    if config["model_type"] == "bloom":
        table = "transformer.word_embeddings"
        shapes = fused_shapes(config, table, "transformer.h", "self_attention", config["n_layer"], width, wide, True)
        for norm in (table + "_layernorm", "transformer.ln_f"):
            shapes[norm + ".weight"] = shapes[norm + ".bias"] = (width,)
        return shapes
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    d_head = config.get("head_dim") or width // heads
    shapes = {"model.embed_tokens.weight": (VOCABULARY, width), "model.norm.weight": (width,)}
    norms = ["input_layernorm", "post_attention_layernorm"]
    if config["model_type"] == "gemma2":
        norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
    for layer in range(config["num_hidden_layers"]):
        base = f"model.layers.{layer}."
        shapes.update({base + norm + ".weight": (width,) for norm in norms})
        if config["model_type"] == "qwen3":
            shapes.update({base + f"self_attn.{one}_norm.weight": (d_head,) for one in "qk"})
        for name, rows, cols in (
            ("self_attn.q_proj", heads * d_head, width),
            ("self_attn.k_proj", shared * d_head, width),
            ("self_attn.v_proj", shared * d_head, width),
            ("self_attn.o_proj", width, heads * d_head),
            ("mlp.gate_proj", wide, width),
            ("mlp.up_proj", wide, width),
            ("mlp.down_proj", width, wide),
        ):
            shapes[base + name + ".weight"] = (rows, cols)
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (VOCABULARY, width)
    return shapes


def random_weights(config, seed):
    """Large enough that norms, caps, windows and rotations all matter."""
    random, out = np.random.RandomState(seed), {}
    for name, shape in shapes_of(config).items():
        if len(shape) == 1:
            centre = 0 if name.endswith("bias") or config["model_type"].startswith("gemma") else 1
            values = centre + 0.3 * random.standard_normal(shape)
        elif "embed" in name:
            values = (0.15 if config["tie_word_embeddings"] else 0.5) * random.standard_normal(shape)
        else:
            values = 1.5 / math.sqrt(shape[1]) * random.standard_normal(shape)
        out[name] = values.astype(np.float32)
    return out


def write(name):
    config, seed = CONFIGS[name], 100 + sorted(CONFIGS).index(name)
    weights, random = random_weights(config, seed), np.random.RandomState(7)
    ids = random.randint(0, VOCABULARY, (2, TOKENS))
    real = np.ones_like(ids)
    real[1, TOKENS - PADDED :] = 0
    expected = forward(config, weights, ids, real)
    expected.update({"input_ids": ids, "attention_mask": real})
    expected["greedy"] = greedy(config, weights, ids[:1], CONTINUED)
    folder = os.path.join(MODELS, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w") as file:
        file.write(json.dumps(config, indent=2, sort_keys=True) + "\n")
    write_safetensors(os.path.join(folder, "model.safetensors"), weights)
    write_safetensors(os.path.join(folder, "expected.safetensors"), expected)
    print(f"{name}: {len(expected)} tensors")


def check(folder):
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    weights = read_safetensors(os.path.join(folder, "model.safetensors"))
    expected = read_safetensors(os.path.join(folder, "expected.safetensors"))
    ids, real = expected["input_ids"], expected["attention_mask"]
    found = forward(config, weights, ids, real)
    worst, compared = (0.0, ""), 0
    for name in sorted(set(found) & set(expected)):
        for row in range(ids.shape[0] if found[name].shape[0] > 1 else 1):
            keep = int(real[row].sum()) if found[name].shape[0] > 1 else ids.shape[1]
            axis = 1 if found[name].ndim == 4 else 0
            gap = np.abs(found[name][row] - expected[name][row]).take(np.arange(keep), axis).max()
            worst = max(worst, (float(gap), name))
        compared += 1
    if "greedy" in expected:
        again = greedy(config, weights, ids[:1], expected["greedy"].shape[1] - ids.shape[1])
        assert (again == expected["greedy"]).all(), "the greedy continuations differ"
    print(f"{folder}: {compared} of {len(expected)} tensors, largest difference {worst[0]:.2g} in {worst[1]}")


def main():
    verbs = {"write": write, "check": check}
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    for name in sys.argv[2:]:
        verbs[sys.argv[1]](name)


if __name__ == "__main__":
    main()
