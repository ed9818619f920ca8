#!/usr/bin/env python3
"""Whether scripts/record.py and scripts/record_llama.cpp record what a model computes. Needs torch and transformers.

    tests/python/record_test.py [CLI]      CLI: attnscope-cli, build/release/attnscope-cli where it is not named

The small random models of tests/golden/models run in transformers, are recorded, and held against attnscope's own run
of the same weights: every step of every block within 1e-5, of numbers above 1 relative to the largest of their step.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", HF_HUB_DISABLE_PROGRESS_BARS="1",
                  TRANSFORMERS_NO_ADVISORY_WARNINGS="1")

import record  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

transformers.utils.logging.disable_progress_bar()
CLI = str(ROOT / "build/release/attnscope-cli")
if len(sys.argv) > 1 and "/" in sys.argv[1]:
    CLI = os.path.abspath(sys.argv.pop(1))
MODELS = ROOT / "tests/golden/models"
IDS = [1, 2, 3, 40, 5, 60, 7, 8, 90, 10, 11]
KINDS = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64}
# What no module of transformers gives: what a norm divides by, what stands between queries and pattern, and sums of
# embeddings, which are the stream that enters the first block.
NOT_THERE = {"embed", "ln1.scale", "ln2.scale", "ln_final.scale", "ln1_post.scale", "ln2_post.scale",
             "ln_embed.scale", "attn.scores", "attn.scaled", "attn.capped", "attn.biased", "attn.mask", "attn.masked",
             "probs"}


def arrays(folder):
    """All arrays of a record, or of one file."""
    out = {}
    for path in sorted(folder.glob("record-*.safetensors")) if folder.is_dir() else [folder]:
        with open(path, "rb") as file:
            header, _, _ = record.read_header(file)
        for name in header:
            dtype, shape, data = record.read_bytes(path, name)
            out[name] = torch.frombuffer(bytearray(data), dtype=KINDS[dtype]).reshape(shape)
    return out


def attnscope(*words):
    done = subprocess.run([CLI, *map(str, words)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def commas(ids):
    return ",".join(map(str, ids))


class Records(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def recorded(self, name, out="run", ids=IDS, **how):
        model, _ = record.load(str(MODELS / name), dtype="f32")
        self.missing = record.run(model, [ids], str(self.folder / out), **{"steps": "*", **how})
        return self.folder / out

    def own(self, model, *words):
        """attnscope's own run"""
        status, _, told = attnscope("trace", model, "--out", self.folder / "own.safetensors", *words)
        self.assertEqual(status, 0, told)
        return arrays(self.folder / "own.safetensors")

    def hold(self, run, own, within=1e-5):
        compared = 0
        for name, value in arrays(run).items():
            if name not in own:
                continue
            self.assertEqual(list(value.shape), list(own[name].shape), name)
            value, other = value.double(), own[name].double()
            hidden = torch.isinf(value) & torch.isinf(other)
            error = (value - other).masked_fill(hidden, 0).abs().max().item()
            self.assertLessEqual(error, within * max(1, other.masked_fill(hidden, 0).abs().max().item()), name)
            compared += 1
        return compared


class Transformers(Records):
    def test_every_step_of_every_family_is_attnscopes_own(self):
        for name in ["gpt2", "llama", "llama3", "llama_yarn", "mistral", "qwen2", "qwen3", "gemma", "gemma2",
                     "gpt_neox", "gpt_neox_serial", "bloom"]:
            with self.subTest(name):
                run = self.recorded(name, name)
                self.assertEqual(self.missing, [])
                own = self.own(MODELS / name, "--ids", commas(IDS))
                lacking = {step.split(".", 2)[2] if step.startswith("blocks.") else step
                           for step in own.keys() - arrays(run).keys()}
                self.assertLessEqual(lacking, NOT_THERE | ({"tok_embed"} if name.startswith("gemma") else set()))
                self.assertGreater(self.hold(run, own), 30)
                self.assertEqual(arrays(run).keys() - own.keys(), set())

    def test_the_index_is_written_last_and_names_every_array(self):
        run = self.recorded("llama")
        index = json.loads((run / record.INDEX).read_text())
        self.assertEqual(index["weight_map"].keys(), arrays(run).keys())
        times = [path.stat().st_mtime_ns for path in sorted(run.glob("record-*"))]
        self.assertEqual(times, sorted(times))
        self.assertGreaterEqual((run / record.INDEX).stat().st_mtime_ns, times[-1])

    def test_a_model_over_cpu_and_disk_gives_the_same_bits(self):
        for name, places in [("gpt2", {"transformer.wte": "cpu", "transformer.wpe": "cpu", "transformer.h.0": "cpu",
                                       "transformer.h.1": "disk", "transformer.h.2": "disk", "transformer.ln_f": "disk",
                                       "lm_head": "cpu"}),
                             ("llama", {"model.embed_tokens": "cpu", "model.rotary_emb": "cpu", "model.layers.0": "disk",
                                        "model.layers.1": "cpu", "model.layers.2": "disk", "model.norm": "disk",
                                        "lm_head": "disk"})]:
            with self.subTest(name):
                whole = self.recorded(name, name)
                model, _ = record.load(str(MODELS / name), "f32", places, str(self.folder / ("disk-" + name)))
                self.assertIn("disk", {str(place) for place in model.hf_device_map.values()})
                record.run(model, [IDS], str(self.folder / (name + "-split")), "*")
                for path in whole.iterdir():
                    self.assertEqual(path.read_bytes(), (self.folder / (name + "-split") / path.name).read_bytes(), path)

    def test_a_run_that_ends_in_the_middle_opens_with_what_is_complete(self):
        model, _ = record.load(str(MODELS / "llama"), dtype="f32")
        model.model.layers[2].mlp.register_forward_hook(lambda *_: (_ for _ in ()).throw(OSError("no more")))
        with self.assertRaises(OSError):
            record.run(model, [IDS], str(self.folder / "run"), "*")
        self.assertFalse((self.folder / "run" / record.INDEX).exists())
        found = arrays(self.folder / "run")
        self.assertIn("blocks.1.resid_post", found)
        status, out, told = attnscope("trace", self.folder / "run", "--steps", "*.resid_post")
        self.assertEqual(status, 0, told)
        self.assertIn("4 of 6 parts are there. Missing: blocks.2, head.", told)
        self.assertIn("blocks.1.resid_post", out)
        self.assertGreater(self.hold(self.folder / "run", self.own(MODELS / "llama", "--ids", commas(IDS))), 30)

    def test_a_disk_without_room_ends_it_with_a_sentence(self):
        done = subprocess.run(
            ["bash", "-c", 'ulimit -f 12; exec "$@"', "", sys.executable, "-B", ROOT / "scripts/record.py", "run",
             MODELS / "gpt2", "--ids", "1,2,3", "--steps", "embed,*_embed,blocks.*", "--out", self.folder / "run"],
            capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"record: .*record-00003-of-\d+.safetensors cannot be written: File too large\.")
        self.assertEqual(sorted(path.name[:12] for path in (self.folder / "run").iterdir()),
                         ["record-00001", "record-00002"])

    def test_several_sequences_are_each_as_alone(self):
        model, _ = record.load(str(MODELS / "gpt2"), dtype="f32")
        record.run(model, [IDS, IDS[:4]], str(self.folder / "both"), "*.resid_post,*.pattern,logits")
        second = arrays(self.recorded("gpt2", "alone", IDS[:4], steps="*.resid_post,*.pattern,logits"))
        both = arrays(self.folder / "both")
        self.assertEqual(len(both), 2 * len(second))
        for name, value in second.items():
            self.assertTrue(torch.equal(both["seq1." + name], value), name)
        status, _, told = attnscope("compare", MODELS / "gpt2", self.folder / "both", "--ids", commas(IDS), "--ids",
                                    commas(IDS[:4]))
        self.assertEqual(status, 0, told)

    def test_steps_choose_and_half_precision_halves(self):
        whole = self.recorded("llama", "whole", steps="blocks.1.*,!*.view_*,*.resid_pre")
        half = self.recorded("llama", "half", steps="blocks.1.*,!*.view_*,*.resid_pre", store="f16")
        one, other = arrays(whole), arrays(half)
        self.assertEqual(one.keys(), other.keys())
        self.assertIn("blocks.0.resid_pre", one)
        self.assertFalse({name for name in one if ".view_" in name or name == "logits"})
        for name, value in one.items():
            if name != "tokens":
                self.assertEqual(other[name].dtype, torch.float16)
                self.assertLessEqual((value - other[name].float()).abs().max(), 1e-3 * max(1, value.abs().max()))
        status, _, told = attnscope("compare", MODELS / "llama", half, "--ids", commas(IDS), "--tolerance", "0.01")
        self.assertEqual(status, 0, told)

    def test_the_command(self):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts/record.py", "run", MODELS / "gpt2", "--ids", commas(IDS), "--steps",
             "*.resid_post", "--out", self.folder / "run"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(arrays(self.folder / "run")), 4)
        again = subprocess.run(
            [sys.executable, ROOT / "scripts/record.py", "run", MODELS / "gpt2", "--ids", commas(IDS), "--out",
             self.folder / "run"], capture_output=True, text=True, timeout=300)
        self.assertEqual(again.returncode, 1)
        self.assertIn("holds a record", again.stderr)
        self.assertNotIn("Traceback", again.stderr)

    def test_refusals(self):
        model = transformers.BertForMaskedLM.from_pretrained(MODELS / "bert")
        with self.assertRaisesRegex(record.Refused, "bert"):
            record.run(model, [IDS], str(self.folder / "run"))
        with self.assertRaisesRegex(record.Refused, "none of what"):
            self.recorded("gpt2", steps="*.nonsense")
        for ids in [[], [1, 199], [-1]]:
            with self.assertRaisesRegex(record.Refused, "from 0 to 198"):
                self.recorded("gpt2", ids=ids)
        steps = record.Steps("blocks.0-2.attn.*,!*.z")
        self.assertTrue("blocks.2.attn.q" in steps and "blocks.3.attn.q" not in steps and "blocks.1.attn.z" not in steps)
        with self.assertRaisesRegex(record.Refused, "whole steps"):
            self.recorded("gpt2", steps="blocks.0.attn.z[head=1]")


    def test_what_is_no_model_no_cache_and_no_file_is_told_by_a_sentence(self):
        config = types.SimpleNamespace(model_type="llama", num_hidden_layers=1, num_attention_heads=2, hidden_size=8)
        model = types.SimpleNamespace(config=config, get_input_embeddings=None)
        kept, out = types.SimpleNamespace(output=torch.zeros(1, 2, 8)), str(self.folder / "run")
        (self.folder / "list.json").write_text("[1]")
        (self.folder / "text.safetensors").write_bytes(struct.pack("<Q", 10) + b'{"a": [1]}')
        (self.folder / "file").touch()
        floats = str(self.folder / "floats.safetensors")
        record.write_safetensors(floats, {"hidden_states": ("F32", [1, 1, 1], bytes(4)),
                                          "token_ids": ("F32", [1], bytes(4))}, {})
        for said, does in [
                ("cache of nnsight is None", lambda: record.from_nnsight(None, config, out)),
                ("cache of nnsight is a list", lambda: record.from_nnsight([1], config, out)),
                ("cache of nnsight is empty", lambda: record.from_nnsight({}, config, out)),
                ("no name that is known here, such as model.model.layers.0; it has layers.0",
                 lambda: record.from_nnsight({"layers.0": kept}, config, out)),
                ("model.model.layers.0 in the cache is an int",
                 lambda: record.from_nnsight({"model.model.layers.0": 1}, config, out)),
                ("config is None without model_type", lambda: record.from_nnsight({"a": kept}, None, out)),
                ("cache of TransformerLens is a str", lambda: record.from_lens("blocks.0.hook_resid_pre", out)),
                ("cache of TransformerLens is empty", lambda: record.from_lens({}, out)),
                ("such as blocks.0.hook_resid_pre; it has 3, blocks", lambda: record.from_lens({3: 1, "blocks": 2}, out)),
                ("hook_embed in the cache is None", lambda: record.from_lens({"hook_embed": None}, out)),
                ("run.. records a model of transformers that is loaded, not a str", lambda: record.run("gpt2", [IDS], out)),
                ("config is None", lambda: record.run(types.SimpleNamespace(
                    config=None, get_input_embeddings=None), [IDS], out)),
                (r"lists of token ids, as \[\[1, 2, 3\]\], not a list of int", lambda: record.run(model, IDS, out)),
                ("not None", lambda: record.run(model, None, out)),
                ("not a list of list", lambda: record.run(model, [[1.5]], out)),
                ("store 'fp16': as-is, f32, f16, bf16", lambda: record.Record(out, ["embed"], "*", "fp16")),
                ("file cannot be made: File exists", lambda: record.Record(str(self.folder / "file"), ["embed"], "*")),
                ("nothing.safetensors cannot be read: No such", lambda: record.from_vllm(
                    str(self.folder / "nothing.safetensors"), [0], 1, out)),
                ("is no whole safetensors file", lambda: record.from_vllm(str(self.folder / "text.safetensors"), [0], 1, out)),
                ("token_ids of .* is F32", lambda: record.from_vllm(floats, [0], 1, out)),
                ("whole numbers", lambda: record.from_vllm(floats, ["0"], 1, out)),
                ("config.json cannot be read: No such", lambda: record.one_layer(out, str(self.folder), 0, out)),
                ("list.json holds a list, not an object", lambda: record.device_map(str(self.folder / "list.json")))]:
            with self.subTest(said), self.assertRaisesRegex(record.Refused, said):
                does()
        self.assertFalse((self.folder / "run").exists())


class OtherFamilies(Records):
    def test_decoders_that_are_built_as_most_are(self):
        sizes = {"vocab_size": 100, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
                 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "pad_token_id": 0,
                 "bos_token_id": 1, "eos_token_id": 2, "max_position_embeddings": 64}
        for name, causal in [("olmo2", "Olmo2ForCausalLM"), ("phi3", "Phi3ForCausalLM"), ("cohere", "CohereForCausalLM"),
                             ("gemma3_text", "Gemma3ForCausalLM"), ("stablelm", "StableLmForCausalLM"), ("granite", "GraniteForCausalLM")]:
            with self.subTest(name):
                torch.manual_seed(0)
                config = transformers.AutoConfig.for_model(name, **sizes)
                config._attn_implementation = "eager"
                if name == "granite":
                    config.residual_multiplier = 0.3
                model = getattr(transformers, causal)(config)
                record.run(model, [IDS], str(self.folder / name), "*")
                found = arrays(self.folder / name)
                with torch.no_grad():
                    expected = model(torch.tensor([IDS]), output_hidden_states=True, output_attentions=True)
                for layer in range(2):
                    self.assertTrue(torch.equal(found[f"blocks.{layer}.resid_pre"], expected.hidden_states[layer][0]))
                    self.assertTrue(torch.equal(found[f"blocks.{layer}.attn.pattern"], expected.attentions[layer][0]))
                self.assertTrue(torch.equal(found["blocks.0.resid_post"], found["blocks.1.resid_pre"]))
                for layer in range(2):
                    of = {step.split(".", 2)[2]: value for step, value in found.items() if f"blocks.{layer}." in step}
                    self.assertEqual("attn.out" in of, name != "granite")  # which scales what it adds
                    self.assertEqual("resid_mid" in of, name not in ("granite", "cohere"))  # which adds both at once
                    if name != "granite":
                        middle = of["resid_pre"] + of.get("ln1_post.out", of["attn.out"])
                        torch.testing.assert_close(of.get("resid_mid", middle), middle)
                        torch.testing.assert_close(of["resid_post"], middle + of.get("ln2_post.out", of["mlp.out"]))
                status, out, told = attnscope("trace", self.folder / name)
                self.assertEqual((status, "not whole" in told), (0, False), told)
                self.assertIn("blocks.1.resid_post", out)


class OneLayer(Records):
    def test_every_number_of_a_layer_from_its_shard_alone(self):
        for name, layer in [("llama", 1), ("qwen3", 1)]:
            with self.subTest(name):
                run = self.recorded(name, name)
                # Of the weights, one layer's shard is there, and an index that names others.
                shard, rest = self.folder / (name + "-shards"), {}
                shard.mkdir()
                shutil.copy(MODELS / name / "config.json", shard)
                with open(MODELS / name / "model.safetensors", "rb") as file:
                    for tensor in record.read_header(file)[0]:
                        here = tensor.startswith(f"model.layers.{layer}.")
                        rest[tensor] = "here.safetensors" if here else "elsewhere.safetensors"
                record.write_safetensors(str(shard / "here.safetensors"), {
                    tensor: record.read_bytes(MODELS / name / "model.safetensors", tensor)
                    for tensor, file in rest.items() if file.startswith("here")}, {})
                (shard / record.INDEX).write_text(json.dumps({"weight_map": rest}))
                out = self.folder / (name + "-layer")
                record.one_layer(str(run), str(shard), layer, str(out))
                own = self.own(out, "--ids", commas(range(len(IDS))))
                there = {step.replace("blocks.0.", f"blocks.{layer}."): value for step, value in own.items()
                         if step.startswith("blocks.0.")}
                self.assertGreater(self.hold(run, there), 20)
                status, _, told = attnscope("compare", out, out / "recorded.safetensors", "--ids",
                                            commas(range(len(IDS))))
                self.assertEqual(status, 0, told)
                with self.assertRaisesRegex(record.Refused, "elsewhere.safetensors"):
                    record.one_layer(str(run), str(shard), 0, str(self.folder / "none"))


class OtherEngines(Records):
    """Their documented layouts, made by hand: none of the three is here."""

    def test_names_of_transformer_lens_are_those_that_attnscope_reads(self):
        steps = json.loads(attnscope("steps", "--json")[1])["rows"]
        known = {step["name"].replace("blocks.L.", "") for step in steps}
        self.assertLessEqual({step.rstrip("*") for step in record.LENS.values()}, known)

    def test_a_cache_of_transformer_lens(self):
        own = self.own(MODELS / "gpt2", "--ids", commas(IDS))
        cache = {}
        for hook, step in record.LENS.items():
            for front in ["", "blocks.0.", "blocks.1.", "blocks.2."]:
                if (value := own.get(front + step.rstrip("*"))) is not None and (front or "ln_final" in step or "emb" in step):
                    cache[front + hook] = (value.transpose(0, 1) if step.endswith("*") else value)[None]
        self.assertGreater(len(cache), 40)
        record.from_lens(types.SimpleNamespace(cache_dict=cache), str(self.folder / "run"), IDS, "*")
        self.assertEqual(self.hold(self.folder / "run", own), len(cache) + 1)
        status, _, told = attnscope("compare", MODELS / "gpt2", self.folder / "run", "--ids", commas(IDS))
        self.assertEqual(status, 0, told)

    def test_a_cache_of_nnsight(self):
        model, _ = record.load(str(MODELS / "llama"), dtype="f32")
        cache = {}

        def keep(path):
            def hook(_, args, kwargs, out):
                cache["model." + path] = types.SimpleNamespace(output=out, inputs=(args, kwargs))
            return hook

        for path, module in model.named_modules():
            module.register_forward_hook(keep(path), with_kwargs=True)
        with torch.no_grad():
            model(torch.tensor([IDS]), use_cache=False)
        record.from_nnsight(cache, model.config, str(self.folder / "run"), IDS, "*")
        self.assertGreater(self.hold(self.folder / "run", self.own(MODELS / "llama", "--ids", commas(IDS))), 50)

    def test_hidden_states_of_vllm(self):
        own = self.own(MODELS / "llama", "--ids", commas(IDS))
        layers = {3: "blocks.2.resid_post", 0: "blocks.0.resid_pre", 1: "blocks.1.resid_pre"}
        states = torch.stack([own[name] for name in layers.values()], 1).to(torch.bfloat16).contiguous()
        path = str(self.folder / "request.safetensors")
        record.write_safetensors(path, {
            "hidden_states": ("BF16", states.shape, states.view(torch.uint8).numpy().tobytes()),
            "token_ids": ("I64", [len(IDS)], struct.pack(f"<{len(IDS)}q", *IDS))}, {})
        (self.folder / "request.safetensors.lock").touch()
        record.from_vllm(path, list(layers), 3, str(self.folder / "run"))
        self.assertEqual(self.hold(self.folder / "run", own, 1e-2), 4)
        short = str(self.folder / "short.safetensors")
        record.write_safetensors(short, {"hidden_states": record.read_bytes(path, "hidden_states"),
                                         "token_ids": ("I32", [len(IDS)], struct.pack(f"<{len(IDS)}i", *IDS))}, {})
        record.from_vllm(short, list(layers), 3, str(self.folder / "short"))
        self.assertEqual(arrays(self.folder / "short")["tokens"].tolist(), IDS)
        with self.assertRaisesRegex(record.Refused, "--layers names 2"):
            record.from_vllm(path, [0, 1], 3, str(self.folder / "other"))
        with self.assertRaisesRegex(record.Refused, "0 to 3"):
            record.from_vllm(path, [0, 1, 4], 3, str(self.folder / "other"))


GGUF = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
        "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
        "transformer.wte": "token_embd", "transformer.wpe": "position_embd", "transformer.ln_f": "output_norm",
        "ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm",
        "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}


def gguf(config, weights, path):
    """A llama or gpt2 as float32 in GGUF, without a vocabulary; queries and keys of a llama with the pairs of their
    rotation beside each other, as llama.cpp has them."""
    text = lambda one: struct.pack("<Q", len(one)) + one.encode()
    kind, kv_heads = config.model_type, getattr(config, "num_key_value_heads", config.num_attention_heads)
    head = [("general.architecture", 8, text(kind)), ("tokenizer.ggml.model", 8, text("no_vocab"))]
    whole = {"vocab_size": config.vocab_size, "context_length": config.max_position_embeddings,
             "embedding_length": config.hidden_size, "block_count": config.num_hidden_layers,
             "feed_forward_length": getattr(config, "intermediate_size", 4 * config.hidden_size),
             "attention.head_count": config.num_attention_heads, "attention.head_count_kv": kv_heads}
    real = {"attention.layer_norm_epsilon": 1e-5}
    if kind == "llama":
        whole["rope.dimension_count"] = config.hidden_size // config.num_attention_heads
        real = {"attention.layer_norm_rms_epsilon": config.rms_norm_eps,
                "rope.freq_base": config.rope_parameters["rope_theta"]}
    head += [(f"{kind}.{key}", 4, struct.pack("<I", value)) for key, value in whole.items()]
    head += [(f"{kind}.{key}", 6, struct.pack("<f", value)) for key, value in real.items()]
    infos, data = b"", b""
    for name, value in weights.items():
        module, _, part = name.rpartition(".")
        block = re.match(r"(?:model\.layers|transformer\.h)\.(\d+)\.", module)
        short = GGUF[module[block.end():] if block else module]
        if short in ("attn_q", "attn_k"):
            heads = config.num_attention_heads if short == "attn_q" else kv_heads
            value = value.view(heads, 2, -1, value.shape[1]).transpose(1, 2).reshape(value.shape)
        if ".c_" in module and part == "weight":
            value = value.t()
        full = (f"blk.{block[1]}." if block else "") + short + "." + part
        infos += text(full) + struct.pack("<I", value.dim()) + b"".join(
            struct.pack("<Q", size) for size in reversed(value.shape)) + struct.pack("<IQ", 0, len(data))
        raw = value.contiguous().view(-1).view(torch.uint8).numpy().tobytes()
        data += raw + bytes(-len(raw) % 32)
    out = b"GGUF" + struct.pack("<IQQ", 3, len(weights), len(head))
    out += b"".join(text(key) + struct.pack("<I", kind) + value for key, kind, value in head) + infos
    pathlib.Path(path).write_bytes(out + bytes(-len(out) % 32) + data)


EVERYWHERE = ["resid_pre", "ln1.out", "attn.v", "attn.pattern", "attn.concat", "attn.out", "resid_mid", "ln2.out",
              "mlp.post", "mlp.out", "resid_post"]


class LlamaCpp(Records):
    def test_a_run_of_llama_cpp_is_attnscopes_own(self):
        built = self.folder / "record_llama"
        done = subprocess.run(["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror",
                               ROOT / "scripts/record_llama.cpp", "-o", built, "-lggml", "-lggml-base", "-lllama"],
                              capture_output=True, text=True) if shutil.which("g++") else None
        if not done or "llama.h" in done.stderr or "ggml" in done.stderr.split("\n")[0]:
            self.skipTest("llama.cpp's headers are not here (Debian sid: libllama-dev, libggml-dev)")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, sizes, steps in [
                ("llama", {"intermediate_size": 96, "num_key_value_heads": 2},
                 ["attn.rot_q", "attn.rot_k", "mlp.gate", "mlp.up"]),
                ("gpt2", {}, ["attn.q", "attn.k", "mlp.pre"])]:
            with self.subTest(name):
                config = transformers.AutoConfig.for_model(
                    name, vocab_size=199, hidden_size=64, num_hidden_layers=3, num_attention_heads=4,
                    max_position_embeddings=64, **sizes)
                torch.manual_seed(0)
                model = transformers.AutoModelForCausalLM.from_config(config)
                model.save_pretrained(self.folder / name)
                gguf(config, model.state_dict(), self.folder / f"{name}.gguf")
                run = self.folder / (name + "-run")
                done = subprocess.run([built, self.folder / f"{name}.gguf", "--ids", commas(IDS), "--out", run],
                                      capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
                found = arrays(run)
                expected = {f"blocks.{layer}.{step}" for layer in range(3) for step in EVERYWHERE + steps}
                expected |= {"tok_embed", "ln_final.out", "logits", "tokens"}
                if name == "gpt2":  # its graph has no name for what attention adds
                    expected = {step for step in expected if not step.endswith("attn.out")} | {"embed"}
                self.assertEqual(set(found) ^ expected, set())
                own = self.own(self.folder / name, "--ids", commas(IDS))
                # llama.cpp looks GELU up in a table of half precision.
                self.assertEqual(self.hold(run, own, 1e-5 if name == "llama" else 1e-3), len(found))
                if name == "llama":
                    own = self.own(self.folder / "llama.gguf", "--ids", commas(IDS))
                    self.assertEqual(self.hold(run, own), len(found))


if __name__ == "__main__":
    if attnscope("--version")[0] != 0:
        sys.exit(f"record_test: {CLI} does not run: build it, or name another.")
    unittest.main()
