#!/usr/bin/env python3
"""attnscope-cli serve, and python/attnscope over it. Needs numpy (Debian: python3-numpy).

    tests/python/attnscope_test.py [CLI]      CLI: attnscope-cli, build/release/attnscope-cli where it is not named
"""
import base64
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
CLI = str(ROOT / "build/release/attnscope-cli")
if len(sys.argv) > 1 and "/" in sys.argv[1]:
    CLI = os.path.abspath(sys.argv.pop(1))
os.environ["ATTNSCOPE_CLI"] = CLI

import attnscope  # noqa: E402
import numpy  # noqa: E402

TEXT = "The cat sat on the mat because it was tired. So the"
MEASURE = "logit_diff:cat,dog"


def command(*words):
    done = subprocess.run([CLI, *map(str, words), "--lang=en"], capture_output=True, timeout=300)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Serve(unittest.TestCase):
    """The lines themselves."""

    def ask(self, *lines):
        given = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        done = subprocess.run([CLI, "--lang", "en", "serve"], input=given, capture_output=True, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_text_with_the_character_zero_is_said_to_have_it(self):
        answer, = self.ask({"id": 1, "command": ["trace", "model:storyteller", "--text", "a\0b"]})
        self.assertIn("character 0", answer["err"])

    def test_every_command_says_what_it_says_alone(self):
        asked = [["info", "model:storyteller", "--json"], ["steps"],
                 ["trace", "scene:nine_steps", "--steps", "*.attn.*"],
                 ["ablate", "model:storyteller", "--text", TEXT, "--measure", MEASURE, "--over", "head", "--json"],
                 ["figure", "model:storyteller", "--text", TEXT, "--view", "attention"], ["--version"], ["guide"],
                 ["trace", "nowhere"], ["trace"], ["nonsense"], ["trace", "model:storyteller", "--edit", "z=0"]]
        answers = self.ask(*({"id": i, "command": words} for i, words in enumerate(asked)))
        self.assertEqual([answer["id"] for answer in answers], list(range(len(asked))))
        for words, answer in zip(asked, answers):
            status, out, err = command(*words)
            self.assertEqual((answer["status"], answer["err"]), (status, err), words)
            if "--steps" in words:  # with the time that each step took
                out, answer["out"] = ("\n".join(" ".join(line.split()[:-1]) for line in text.splitlines())
                                      for text in (out, answer["out"]))
            self.assertEqual(answer["out"], json.loads(out) if out.startswith(("{", "[")) else out, words)

    def test_nonsense_is_answered_with_a_sentence_and_nothing_ends(self):
        lines = [b"\n", b"   \n", b"nonsense\n", b"{\"id\": 1\n", b"[1]\n", b"\xff\xfe\n", {"id": 2},
                 {"id": 3, "command": []},
                 {"id": 4, "command": "info"}, {"id": 5, "command": ["info", 6]}, {"id": 6, "command": ["serve"]},
                 {"id": 7, "comand": ["info"]}, {"id": 8, "command": ["--allow-outside", "info", "model:storyteller"]},
                 {"id": {"any": 9}, "command": ["info", "\0"]}, b"x" * (70 << 20) + b"\n",
                 {"id": 10, "command": ["info", "model:storyteller"]}]
        answers = self.ask(*lines)
        self.assertEqual([answer["id"] for answer in answers],
                         [None] * 4 + [2, 3, 4, 5, 6, 7, 8, {"any": 9}, None, 10])
        self.assertEqual({answer["status"] for answer in answers[:-1]}, {2})
        for answer in answers[:-1]:
            self.assertTrue(answer["err"].strip(), answer)
        self.assertIn("longer than", answers[-2]["err"])
        self.assertEqual(answers[-1]["status"], 0)

    def test_the_last_line_needs_no_end(self):
        self.assertEqual(self.ask(b'{"command": ["info", "model:storyteller"]}')[0]["status"], 0)

    def test_bytes_that_are_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "head.png")
            words = ["figure", "model:storyteller", "--text", TEXT, "--view", "attention", "--format", "png", "-o"]
            self.assertEqual(command(*words, path)[0], 0)
            answer = self.ask({"command": [*words, "/dev/stdout"]})[0]
            self.assertEqual(answer["status"], 0, answer["err"])
            self.assertEqual(base64.b64decode(answer["out"]["base64"])[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_reader_that_goes_ends_it(self):
        pipe = subprocess.PIPE
        process = subprocess.Popen([CLI, "serve"], stdin=pipe, stdout=pipe, stderr=pipe)
        process.stdout.close()
        try:
            for _ in range(3):
                process.stdin.write(b'{"command": ["steps"]}\n')
            process.stdin.close()
        except BrokenPipeError:
            pass
        self.assertEqual(process.wait(60), 1)
        self.assertTrue(process.stderr.read().strip())
        process.stderr.close()


class Python(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = attnscope.Server()
        cls.model = attnscope.open("model:storyteller", cls.server)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def test_arrays_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.npz")
            self.assertEqual(command("trace", "model:storyteller", "--text", TEXT, "--out", path)[0], 0)
            with numpy.load(path) as file:
                expected = {name: file[name] for name in file.files}
        run = self.model.trace(TEXT, steps="*.pattern")
        for name in ["blocks.1.attn.pattern", "logits", "tokens", "blocks.0.mlp.post"]:  # some are fetched now
            self.assertTrue(numpy.array_equal(run[name], expected[name]), name)
        everything = run.all()
        self.assertEqual(everything.keys(), expected.keys())
        asked = [json.loads(bytes(arrays.pop("run").astype(numpy.uint8))) for arrays in (everything, expected)]
        words = [[word for word in run.pop("command") if not word.startswith("--lang")] for run in asked]
        self.assertEqual(words[0], words[1] + ["--steps", "*"])
        self.assertEqual(asked[0], asked[1])
        for name, value in expected.items():
            self.assertTrue(numpy.array_equal(everything[name], value), name)
        self.assertEqual(list(run.tokens), list(expected["tokens"]))

    def test_edits_and_ids(self):
        run = self.model.trace(TEXT)
        edited = self.model.trace(TEXT, edits=["blocks.1.attn.z[head=3]=0"])
        self.assertFalse(edited["blocks.1.attn.z"][3].any())
        self.assertGreater(numpy.abs(edited["logits"] - run["logits"]).max(), 1)
        by_ids = self.model.trace(ids=[int(one) for one in run.tokens])
        self.assertTrue(numpy.array_equal(by_ids["logits"], run["logits"]))
        two = self.model.trace(ids=[run.tokens[:5], run.tokens], steps="logits")
        self.assertTrue(numpy.array_equal(two["seq1.logits"], run["logits"]))

    def test_answers(self):
        answer = self.model.ablate(TEXT, measure=MEASURE, steps="blocks.*.attn.z", over="head")
        expected = json.loads(command("ablate", "model:storyteller", "--text", TEXT, "--measure", MEASURE, "--steps",
                                      "blocks.*.attn.z", "--over", "head", "--json")[1])
        for one in (answer.data, expected):
            self.assertIn("ablate", one["run"].pop("command"))  # its words may stand in another order
        self.assertEqual(answer.data, expected)
        self.assertEqual(answer.rows[0], {"step": "blocks.0.attn.z", "head": 0, "value": expected["rows"][0]["value"]})
        frame = answer.frame()
        self.assertEqual(len(frame), len(expected["rows"]))
        self.assertEqual(list(frame["value"]), [row["value"] for row in expected["rows"]])
        self.assertEqual(list(frame["head"]), [row["at"]["head"] for row in expected["rows"]])
        parts = self.model.attribute(TEXT, measure=MEASURE, by="head")
        self.assertAlmostEqual(sum(row["value"] for row in parts) + parts.base["rest"], parts.base["total"], 3)
        self.assertIn("induction", self.model.heads(TEXT).rows[0])
        patch = self.model.patch(TEXT, TEXT.replace("tired", "soft"), measure="logit_diff:cat,mat", over="pos",
                                 steps="blocks.0.resid_pre")
        self.assertEqual({row["step"] for row in patch}, {"blocks.0.resid_pre"})
        self.assertTrue(self.model.tokenize(TEXT)["ids"])

    def test_as_a_script_would(self):
        run = self.model.trace(TEXT, edits="blocks.1.attn.z[head=3]=0")  # one edit is a text
        self.assertFalse(run["blocks.1.attn.z"][3].any())
        self.assertIn("logits", run)
        self.assertNotIn("blocks.9.mlp.out", run)
        self.assertIn("blocks.0.attn.pattern", list(run))
        self.assertEqual(len(run.labels), len(run.tokens))
        self.assertEqual(run.labels[2], "cat")
        patch = self.model.patch(TEXT, TEXT.replace("tired", "soft"), measure="logit_diff:cat,mat", over="pos",
                                 steps="blocks.0.resid_pre")
        self.assertEqual(patch.rows[2]["into_token"], "cat")
        self.assertEqual(patch.rows[2]["from_pos"], 2)
        why = self.model.ask("why", TEXT, cell="blocks.1.attn.pattern[head=3,query=-1,key=2]", by="head")
        self.assertGreater(len(why), 3)
        self.assertIn("held_out", self.model.ask("probe", what="antecedent").rows[0])

    def test_no_prompts_are_said_to_be_none(self):
        with self.assertRaisesRegex(attnscope.Error, "data= has no prompts"):
            self.model.ablate(data=[], measure="logit_diff", steps="blocks.*.attn.z", over="head")

    def test_rows_are_a_data_set(self):
        rows = [{"ids": numpy.array([0, 4, 13, 63]), "answer": "on", "wrong": "mat"},
                {"text": "The mat sat", "answer": "on", "wrong": "cat"}]
        over = self.model.ablate(data=rows, measure="logit_diff", steps="blocks.*.attn.z", over="head")
        each = [self.model.ablate(text, measure=measure, steps="blocks.*.attn.z", over="head")
                for text, measure in (("The cat sat", "logit_diff:on,mat"), ("The mat sat", "logit_diff:on,cat"))]
        for row, one, two in zip(over, *each):
            self.assertAlmostEqual(row["value"], (one["value"] + two["value"]) / 2, 9)
        with self.assertRaises(attnscope.Error):
            self.model.ablate(data=[{"answer": "on"}], measure="logit_diff", steps="blocks.*.attn.z", over="head")

    def test_a_list_of_texts_is_one_question(self):
        """Each pair's rows are those of a question of its own."""
        texts = [TEXT, TEXT.replace("cat", "dog"), "The mat sat"]
        over = self.model.ablate(texts, measure="logit_diff:cat,dog", steps="blocks.*.attn.z", over="head", each=True)
        alone = [self.model.ablate(text, measure="logit_diff:cat,dog", steps="blocks.*.attn.z", over="head")
                 for text in texts]
        self.assertEqual([row["value"] for row in over.each], [row["value"] for one in alone for row in one])
        self.assertEqual([row["prompt"] for row in over.each], [1] * 8 + [2] * 8 + [3] * 8)
        self.assertEqual(len(over.frame(each=True)), 24)
        pairs = self.model.patch([TEXT, TEXT], [TEXT.replace("tired", "soft"), TEXT.replace("cat", "dog")],
                                 measure="logit_diff:cat,mat", over="pos", steps="blocks.0.resid_pre")
        self.assertEqual({row["n"] for row in pairs}, {2})
        with self.assertRaisesRegex(attnscope.Error, "differ in length"):
            self.model.patch([TEXT], [TEXT, TEXT], measure="kl")
        with self.assertRaisesRegex(attnscope.Error, "give one of them"):
            self.model.ablate([TEXT], data=[{"text": TEXT}], measure="kl")

    def test_many_pairs_in_one_question_take_no_longer_than_one_command(self):
        """Processor time, so that other programs do not count; the best of three of each, one after the other."""
        def seconds(pid):
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        rows = [{"text": TEXT.replace("cat", one), "answer": one, "wrong": two}
                for one in ("cat", "dog", "horse", "rabbit") for two in ("mat", "table", "bear")] * 8
        asked = {"measure": "logit_diff", "steps": "blocks.*.attn.z", "over": "head,pos"}
        pid, within, alone = self.model.server._process.pid, [], []
        path = self.model.server.data_file(rows)
        for _ in range(3):
            before = seconds(pid)
            self.model.ablate(data=rows, **asked)
            within.append(seconds(pid) - before)
            before = os.times().children_user + os.times().children_system
            command("ablate", "model:storyteller", "--data", path, "--json", *(word for key, value in asked.items()
                                                                       for word in ("--" + key, value)))
            alone.append(os.times().children_user + os.times().children_system - before)
        self.assertLess(min(within), 1.15 * min(alone) + 0.02, f"{within} {alone}")

    def test_studies(self):
        strongest = self.model.strongest("blocks.1.attn.z[head=3]", by="weight", top=3, limit=12)
        self.assertEqual([row["rank"] for row in strongest if row["kind"] == "top"], [1, 2, 3])
        self.assertEqual(len(strongest.frame()), len(strongest))
        curve = self.model.circuit(measure="logit_diff", data="task:storyteller", limit=6, best=2)
        self.assertEqual([row["kept"] for row in curve], [0, 1, 2])
        kept = self.model.circuit(measure="logit_diff", data="task:storyteller", limit=6,
                                  keep=",".join(row["part"] for row in curve.rows[1:]))
        self.assertEqual(kept.rows[0]["value"], curve.rows[2]["value"])
        paths = self.model.paths(measure="logit_diff", data="task:storyteller", limit=6, from_="blocks.0.attn.z",
                                 to="blocks.1.attn.q")
        self.assertEqual({row["n"] for row in paths}, {6})

    def test_comparisons(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.safetensors")
            self.model.run("trace", text=TEXT, out=path)
            same = self.model.compare(path, TEXT)
            self.assertIsNone(same["first"])
            edited = self.model.compare(path, TEXT, edits=["blocks.1.attn.z[head=3]=0"])
            self.assertEqual(edited["first"], "blocks.1.attn.z")
            with self.assertRaises(attnscope.Error):
                self.model.compare(os.path.join(folder, "nothing.npz"), TEXT)

    def test_figures(self):
        figure = self.model.figure(TEXT, view="attention", layer=1, head=3)
        self.assertIn("<svg", figure._repr_svg_()[:200])
        with tempfile.TemporaryDirectory() as folder:
            figure.save(os.path.join(folder, "head.pdf"))
            self.assertEqual(pathlib.Path(folder, "head.pdf").read_bytes()[:5], b"%PDF-")
            with self.assertRaises(attnscope.Error):
                figure.save(os.path.join(folder, "head.nonsense"))

    def test_what_is_wrong_is_the_programs_own_sentence(self):
        for words, ask in [
                (["trace", "model:storyteller", "--text", TEXT, "--steps", "nothing.there", "--out", "/tmp/x.npz"],
                 lambda: self.model.trace(TEXT, steps="nothing.there")),
                (["ablate", "model:storyteller", "--text", TEXT, "--measure", "prob:qqqqq", "--json"],
                 lambda: self.model.ablate(TEXT, measure="prob:qqqqq")),
                (["info", os.path.abspath("nowhere"), "--json"], lambda: attnscope.open("nowhere", self.server)),
                (["ablate", "model:storyteller", "--json", "--nonsense", "1"], lambda: self.model.ablate(nonsense=1))]:
            status, _, err = command(*words)
            with self.assertRaises(attnscope.Error) as caught:
                ask()
            self.assertEqual(str(caught.exception), err.strip().replace("attnscope-cli: ", "", 1), words)
            self.assertEqual(caught.exception.status, status)
        self.assertTrue(len(self.model.trace(TEXT).tokens))  # and it goes on

    def test_what_is_told_beside_an_answer_is_a_warning(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.model.trace("The zyzzyva sat")
        self.assertIn("zyzzyva", str(told[0].message))

    def test_a_text_that_begins_with_an_at_is_no_file(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertTrue(len(self.model.trace("@cat sat").tokens))

    def test_files_that_change_are_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gpt2")
            shutil.copytree(ROOT / "tests/golden/models/gpt2", path)
            model = attnscope.open(path, self.server)
            before = model.trace(ids=[1, 2, 3])["logits"]
            weights = pathlib.Path(path, "model.safetensors")
            data = bytearray(weights.read_bytes())
            data[-4096:] = bytes(4096)
            other = weights.with_suffix(".new")
            other.write_bytes(data)
            os.replace(other, weights)
            self.assertFalse(numpy.array_equal(model.trace(ids=[1, 2, 3])["logits"], before))

    def test_a_server_that_ended_says_so(self):
        server = attnscope.Server()
        server._process.kill()
        with self.assertRaisesRegex(attnscope.Error, "has ended"):
            attnscope.open("model:storyteller", server)
        server.close()

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(attnscope.Error, "cannot be started"):
            attnscope.Server(cli="/nowhere/attnscope-cli")


class Installed(unittest.TestCase):
    def test_pip_installs_it_from_the_folder_without_compiling(self):
        if not importlib.util.find_spec("pip") or not importlib.util.find_spec("setuptools"):
            self.skipTest("pip or setuptools are not here (Debian: python3-pip, python3-setuptools)")
        with tempfile.TemporaryDirectory() as folder:
            source = shutil.copytree(ROOT / "python", os.path.join(folder, "python"))
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                                   "--no-build-isolation", "--target", os.path.join(folder, "there"), source],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run([sys.executable, "-c", "import attnscope; m = attnscope.open('model:storyteller')\n"
                                   "print(len(m.trace('The cat').tokens))"], capture_output=True, text=True, cwd=folder,
                                  env={**os.environ, "PYTHONPATH": os.path.join(folder, "there")})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(int(done.stdout), 1)


if __name__ == "__main__":
    unittest.main()
