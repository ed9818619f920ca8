#!/usr/bin/env python3
"""Whether transformers opens what `attnscope-cli save` wrote, and peft's adapters mean the same here. Needs torch and
transformers; peft where it is there.

    tests/python/saved_test.py [CLI]      CLI: attnscope-cli, build/release/attnscope-cli where it is not named

The small random models of tests/golden/models are edited, saved and opened by transformers: its logits are those of the
edited run, within 1e-5 (of numbers above 1 relative to the largest), and it finds every weight and no other one.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", HF_HUB_DISABLE_PROGRESS_BARS="1",
                  TRANSFORMERS_NO_ADVISORY_WARNINGS="1")

import torch  # noqa: E402
import transformers  # noqa: E402

try:
    import peft
    from safetensors.torch import load_file
except ImportError:
    peft = None

transformers.utils.logging.disable_progress_bar()
ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import record  # noqa: E402

CLI = str(ROOT / "build/release/attnscope-cli")
if len(sys.argv) > 1 and "/" in sys.argv[1]:
    CLI = os.path.abspath(sys.argv.pop(1))
MODELS = ROOT / "tests/golden/models"
IDS = [12, 2, 3, 40, 5, 60, 7, 8, 90, 10, 11]  # 1 is RoBERTa's padding, which has no place of its own
WORDS = ",".join(map(str, IDS))
DECODERS = ["gpt2", "llama", "llama3", "llama_yarn", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gpt_neox",
            "gpt_neox_serial", "bloom"]
ENCODERS = ["bert", "roberta"]
# What a config can say, of the families that have a word for it.
EXCHANGES = {"gpt2": ["blocks.*.mlp.activation=relu", "blocks.*.attn.scaling=off"],
             "llama": ["blocks.*.mlp.activation=gelu", "blocks.*.attn.kv_heads=1"],
             "gemma2": ["blocks.*.attn.scaling=off"], "gpt_neox": ["blocks.*.mlp.activation=relu", "blocks.*.order=pre"]}


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def attnscope(self, *words):
        done = subprocess.run([CLI, *map(str, words)], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return done.stdout

    def own_logits(self, model, *words):
        out = self.folder / "own.safetensors"
        self.attnscope("trace", model, "--ids", WORDS, "--steps", "logits", "--out", out, *words)
        with open(out, "rb") as file:
            header, _, _ = record.read_header(file)
        self.assertIn("logits", header)
        _, shape, data = record.read_bytes(out, "logits")
        out.unlink()
        return torch.frombuffer(bytearray(data), dtype=torch.float32).reshape(shape).double()

    def hold(self, mine, theirs, within=1e-5):
        theirs = theirs.double().reshape(mine.shape)
        error = (mine - theirs).abs().max().item()
        self.assertLessEqual(error, within * max(1, mine.abs().max().item()))

    def of_transformers(self, folder, kind=transformers.AutoModelForCausalLM):
        model, told = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager",
                                           output_loading_info=True)
        self.assertEqual((list(told["missing_keys"]), list(told["unexpected_keys"])), ([], []))
        with torch.no_grad():
            return model.eval()(torch.tensor([IDS])).logits

    def saved(self, model, edits):
        words = [word for edit in edits for word in ("--edit", edit)]
        out = self.folder / "saved"
        shutil.rmtree(out, ignore_errors=True)
        self.attnscope("save", model, *words, "-o", out)
        return out, self.own_logits(model, *words)


class Saved(Models):
    def test_edited_weights_of_every_family(self):
        edits = ["blocks.1.attn.z[head=1]=0", "blocks.*.mlp.out.weight[in=5]*=2"]
        for names, kind in (DECODERS, transformers.AutoModelForCausalLM), (ENCODERS, transformers.AutoModelForMaskedLM):
            for name in names:
                with self.subTest(name):
                    out, own = self.saved(MODELS / name, edits)
                    self.hold(own, self.of_transformers(out, kind))
                    self.assertGreater((own - self.own_logits(MODELS / name)).abs().max().item(), 1e-3)

    def test_exchanges_that_a_config_can_say(self):
        for name, exchanges in EXCHANGES.items():
            for exchange in exchanges:
                with self.subTest(name + " " + exchange):
                    out, own = self.saved(MODELS / name, [exchange])
                    self.hold(own, self.of_transformers(out))
                    self.assertGreater((own - self.own_logits(MODELS / name)).abs().max().item(), 1e-3)

    def test_a_random_model_is_written_in_the_layout_of_its_family(self):
        for name in ["gpt2", "llama"]:
            with self.subTest(name):
                out, own = self.saved(f"random:{MODELS / name}/config.json", ["blocks.0.attn.z[head=0]=0"])
                self.hold(own, self.of_transformers(out))


@unittest.skipUnless(peft, "peft is not here")
class Adapters(Models):
    def adapter(self, name, targets, **how):
        base = transformers.AutoModelForCausalLM.from_pretrained(MODELS / name, dtype=torch.float32,
                                                                 attn_implementation="eager")
        torch.manual_seed(1)
        config = peft.LoraConfig(r=4, lora_alpha=6, target_modules=targets, task_type="CAUSAL_LM",
                                 init_lora_weights=False, fan_in_fan_out=name == "gpt2", **how)
        model = peft.get_peft_model(base, config).eval()
        model.save_pretrained(self.folder / name)
        self.assertGreater(len(load_file(self.folder / name / "adapter_model.safetensors")), 0)
        with torch.no_grad():
            return model, model(torch.tensor([IDS])).logits

    def test_an_adapter_of_peft_gives_pefts_logits(self):
        for name, targets, how in [("gpt2", ["c_attn", "c_proj"], {}),
                                   ("llama", ["q_proj", "v_proj", "down_proj"], {"use_rslora": True})]:
            with self.subTest(name):
                model, theirs = self.adapter(name, targets, **how)
                self.hold(self.own_logits(MODELS / name, "--lora", self.folder / name), theirs)
                out = self.folder / (name + "-merged")
                self.attnscope("save", MODELS / name, "--lora", self.folder / name, "-o", out)
                self.hold(self.of_transformers(out).double(), theirs)
                half = self.own_logits(MODELS / name, "--lora", f"{self.folder / name}:0.5")
                for module in model.modules():
                    if hasattr(module, "scaling") and isinstance(module.scaling, dict):
                        module.scaling = {key: value / 2 for key, value in module.scaling.items()}
                with torch.no_grad():
                    self.hold(half, model(torch.tensor([IDS])).logits)


if __name__ == "__main__":
    unittest.main()
