#!/usr/bin/env python3
"""Questions on the workers of Dask: a scheduler and three workers as processes of their own. Needs python3-numpy and
python3-distributed (Debian 12: 2022.12; sid: 2024.12); without the latter every test is skipped.

    tests/python/dask_test.py [CLI]      CLI: attnscope-cli, build/release/attnscope-cli where it is not named
"""
import contextlib
import importlib.util
import json
import logging
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).parent.parent.parent
CLI = str(ROOT / "build/release/attnscope-cli")
if len(sys.argv) > 1 and "/" in sys.argv[1]:
    CLI = os.path.abspath(sys.argv.pop(1))
os.environ["ATTNSCOPE_CLI"] = CLI
os.environ["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = "3s"
sys.path.insert(0, str(ROOT / "python"))

import attnscope  # noqa: E402
import numpy  # noqa: E402

HERE = importlib.util.find_spec("distributed") is not None
if HERE:
    import distributed
    logging.disable()  # processes are ended here

TEXT = "The cat sat on the mat because it was tired. So the"
MEASURE = "logit_diff:cat,mat"
SWEEP = {"measure": MEASURE, "over": "head,pos", "steps": "blocks.*.attn.z"}


class Processes:
    """A scheduler and workers."""

    def __init__(self, folder):
        self.file = os.path.join(folder, "scheduler.json")
        self.folder, self.all = folder, []
        self.scheduler = self.start("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", self.file)
        end = time.monotonic() + 60
        while not os.path.exists(self.file):
            if time.monotonic() > end or self.scheduler.poll() is not None:
                raise RuntimeError("the scheduler did not start")
            time.sleep(0.05)
        self.workers = [self.worker() for _ in range(3)]
        self.client = distributed.Client(scheduler_file=self.file, timeout="60s")
        self.client.wait_for_workers(3)

    def whole(self):
        """The scheduler and three workers are there."""
        if self.scheduler.poll() is not None:
            return False
        self.workers = [one for one in self.workers if one.poll() is None]
        self.workers += [self.worker() for _ in range(len(self.workers), 3)]
        end = time.monotonic() + 60
        while len(self.client.scheduler_info()["workers"]) != 3 and time.monotonic() < end:
            time.sleep(0.05)
        return True

    def start(self, program, *words, **environment):
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{os.environ.get('PYTHONPATH', '')}",
                       **environment}
        self.all.append(subprocess.Popen([sys.executable, "-m", f"distributed.cli.{program}", *words],
                                         env=environment, cwd=self.folder, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL))
        return self.all[-1]

    def worker(self, **environment):
        return self.start("dask_worker", "--scheduler-file", self.file, "--nthreads", "1",
                          "--no-nanny", "--no-dashboard", "--local-directory", self.folder, **environment)

    def end_workers(self):
        for process in self.all[1:]:
            process.kill()
            process.wait()
        self.all[1:], self.workers = [], []

    def close(self):
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self.client.close(timeout=1)
        for process in reversed(self.all):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@unittest.skipUnless(HERE, "Dask is not here (Debian: python3-distributed)")
class Dask(unittest.TestCase):
    processes = None

    @classmethod
    def setUpClass(cls):
        cls.alone = attnscope.open("model:storyteller")

    @classmethod
    def tearDownClass(cls):
        cls.alone.server.close()
        if Dask.processes:
            Dask.processes.close()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="attnscope-dask-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        if Dask.processes and not Dask.processes.whole():
            Dask.processes.close()
            Dask.processes = None
        Dask.processes = Dask.processes or Processes(tempfile.mkdtemp(prefix="attnscope-dask-"))

    def on(self, **named):
        study = attnscope.on(self.processes.client, **named)
        self.addCleanup(study.close)
        return study

    def test_answers_are_those_of_one_machine_to_the_last_bit(self):
        told = []
        study = self.on(told=lambda done, count, part: told.append((done, count, len(part))))
        model = study.open("model:storyteller")
        whole = model.ablate(TEXT, **SWEEP)
        self.assertEqual(whole.data, self.alone.ablate(TEXT, **SWEEP).data)
        self.assertEqual([one[:2] for one in told], [(i, 12) for i in range(1, 13)])
        self.assertEqual(sum(one[2] for one in told), len(whole))
        data = {"data": "task:storyteller", "limit": 5, "measure": "logit_diff", "over": "head", "each": True,
                "quantiles": True}
        for one in ({**data}, {**data, "how": "mean"}, {**data, "how": "resample", "seed": 3}):
            self.assertEqual(model.ablate(**one).data, self.alone.ablate(**one).data, one)
        soft = TEXT.replace("tired", "soft")
        self.assertEqual(model.patch(TEXT, soft, measure=MEASURE, over="pos").data,
                         self.alone.patch(TEXT, soft, measure=MEASURE, over="pos").data)
        paths = {"measure": MEASURE, "from_": "blocks.0.attn.z", "to": "blocks.1.attn.q", "kind": "total"}
        self.assertEqual(model.paths(TEXT, **paths).data, self.alone.paths(TEXT, **paths).data)
        self.assertTrue(numpy.array_equal(model.trace(TEXT)["logits"], self.alone.trace(TEXT)["logits"]))
        self.assertIn("<svg", model.figure(TEXT, view="attention").svg)
        sentences = set()
        for one in (self.alone, model):
            with self.assertRaises(attnscope.Error) as caught:
                one.ablate(TEXT, measure="prob:qqqqq")
            sentences.add(str(caught.exception))
        self.assertEqual(len(sentences), 1, sentences)

    def test_lists_of_texts_are_one_question_with_the_rows_of_one_machine(self):
        cat, dog = TEXT, TEXT.replace("cat", "dog")
        soft = [one.replace("tired", "soft") for one in (cat, dog)]
        rows = [{"text": cat, "group": "a"}, {"text": dog, "group": "b"}]

        def told(answer):
            """The answer without the name of the file of rows, which each side has for itself."""
            data = json.loads(json.dumps(answer.data))
            path = data["run"]["data"].pop("path")
            data["run"]["command"] = [word for word in data["run"]["command"] if word != path]
            return path, data

        for keep in (None, os.path.join(self.folder, "study")):
            study = self.on(keep=keep, parts=5)
            model = study.open("model:storyteller")
            for ask in (lambda m: m.ablate([cat, dog], **SWEEP, each=True),
                        lambda m: m.ablate(data=rows, where="group=b", **SWEEP),
                        lambda m: m.patch([cat, dog], soft, measure=MEASURE, over="head", steps="blocks.*.attn.z"),
                        lambda m: m.paths([cat, dog], measure=MEASURE, from_="blocks.0.attn.z", to="blocks.1.attn.q"),
                        lambda m: m.attribute([cat, dog], measure=MEASURE, by="head"),
                        lambda m: m.heads([cat, dog], measure=MEASURE)):
                (path, there), (_, here) = told(ask(model)), told(ask(self.alone))
                self.assertEqual(there, here)
                self.assertTrue(os.path.exists(path), "the answer names a file of this side, for rerun")
            both = dict(study.each([(model, "ablate", {"text": [cat, dog], **SWEEP}), (model, "heads", {"text": cat})]))
            self.assertEqual(both[0].rows, self.alone.ablate([cat, dog], **SWEEP).rows)
            with self.assertRaisesRegex(attnscope.Error, "differ in length"):
                model.patch([cat, dog], soft[:1], measure=MEASURE)
            with self.assertRaises(attnscope.Error) as caught:
                model.ablate([cat, "zzz " + dog], measure="logit:qqqqq")
            self.assertNotIn(self.processes.folder, str(caught.exception))

    def test_many_questions_as_they_are_done(self):
        study = self.on(keep=os.path.join(self.folder, "study"))
        models = [study.open("model:storyteller"), study.open("model:storyteller-deep")]
        asked = [(model, "attribute", {"text": TEXT, "measure": "logit:" + word, "by": "head"})
                 for model in models for word in ("cat", "dog", "mat")]
        first = {number: answer.data for number, answer in study.each(asked)}
        self.assertEqual(sorted(first), list(range(6)))
        self.assertEqual(first[1], self.alone.attribute(TEXT, measure="logit:dog", by="head").data)
        asked[0:0] = [(models[0], "attribute", {"text": TEXT, "measure": "logit:qqqqq"})]  # a new one, and wrong
        with self.assertRaisesRegex(attnscope.Error, "qqqqq"):
            list(study.each(asked))
        del asked[0]
        submit, study._submit = study._submit, None  # nothing is asked again
        self.assertEqual({number: answer.data for number, answer in study.each(asked)}, first)
        study._submit = submit

    def test_a_worker_that_dies_gives_its_questions_to_others(self):
        killed = []

        def kill(done, count, part):
            if done == 2:
                killed.append(self.processes.workers[1])
                killed[0].send_signal(signal.SIGKILL)

        study = self.on(parts=40, told=kill)
        model = study.open("model:storyteller")
        self.assertEqual(model.ablate(TEXT, **SWEEP).data, self.alone.ablate(TEXT, **SWEEP).data)
        self.assertEqual(killed[0].wait(10), -signal.SIGKILL)
        self.assertEqual(len(self.processes.client.scheduler_info()["workers"]), 2)

    def test_a_program_that_is_ended_is_started_again(self):
        study = self.on()
        model = study.open("model:storyteller")

        def end_programs():
            from attnscope import _on
            for one in _on._servers.values():
                one.server._process.kill()
                one.server._process.wait()

        self.processes.client.run(end_programs)
        self.assertEqual(model.ablate(TEXT, **SWEEP).data, self.alone.ablate(TEXT, **SWEEP).data)

    def test_a_scheduler_that_dies_leaves_what_was_done_and_the_study_goes_on(self):
        keep = os.path.join(self.folder, "study")

        def kill(done, count, part):
            if done == 3:
                self.processes.scheduler.kill()

        model = self.on(parts=30, keep=keep, told=kill).open("model:storyteller")
        with self.assertRaises(attnscope.Error) as caught:
            model.ablate(TEXT, **SWEEP)
        (name,) = os.listdir(keep)
        path = os.path.join(keep, name)
        self.assertRegex(str(caught.exception), "does not answer any more.*rows are in .*" + name)
        held = sum(len(json.loads(line)["rows"]) for line in open(path))
        expected = self.alone.ablate(TEXT, **SWEEP)
        self.assertTrue(0 < held < len(expected), held)
        with open(path, "a") as file:
            file.write('{"base": {"cle')  # a line that broke off
        done = subprocess.run([CLI, "--lang=en", "rerun", "--missing", path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{len(expected) - held} of {len(expected)} rows are missing", done.stderr)
        here = json.loads(done.stdout)
        self.assertEqual((here["rows"], here["base"]), (expected.data["rows"], expected.data["base"]))
        self.processes.close()
        Dask.processes = Processes(tempfile.mkdtemp(prefix="attnscope-dask-"))
        rows = []
        study = self.on(parts=4, keep=keep, told=lambda done, count, part: rows.append(len(part)))
        self.assertEqual(study.open("model:storyteller").ablate(TEXT, **SWEEP).data, expected.data)
        self.assertEqual((len(rows), sum(rows)), (4, len(expected) - held))

    def test_a_worker_with_another_file_or_without_the_package_says_so(self):
        one, other = os.path.join(self.folder, "one"), os.path.join(self.folder, "two")
        for path in (one, other):
            shutil.copytree(ROOT / "tests/golden/models/gpt2", path)
        weights = pathlib.Path(other, "model.safetensors")
        data = bytearray(weights.read_bytes())
        data[-4096:] = bytes(4096)
        weights.write_bytes(data)
        question = {"ids": [1, 2, 7], "measure": "logit:#3", "over": "head"}
        study = self.on(parts=12)
        model = study.open(one)
        expected = model.ablate(**question).data
        self.assertEqual(attnscope.open(one, self.alone.server).ablate(**question).data, expected)
        elsewhere = os.path.join(self.folder, "elsewhere")
        with open(elsewhere, "w") as file:  # a machine on which that path is another file
            file.write(f"#!/bin/sh\nsed -u 's#{one}#{other}#g' | {CLI} \"$@\"\n")
        os.chmod(elsewhere, 0o755)
        self.processes.end_workers()
        self.processes.worker(ATTNSCOPE_CLI=elsewhere)
        with self.assertRaisesRegex(attnscope.Error, "Worker tcp.*is another one there: its fingerprint is"):
            model.ablate(**question)
        self.processes.worker()
        self.processes.client.wait_for_workers(2)
        time.sleep(0.2)
        with self.assertRaisesRegex(attnscope.Error, "is not the same on all workers"):
            self.on().open(one)
        self.processes.worker(PYTHONPATH=os.environ.get("PYTHONPATH", "").replace(str(ROOT / "python"), ""))
        self.processes.client.wait_for_workers(3)
        with self.assertRaisesRegex(attnscope.Error, "has no attnscope"):
            self.on().open("model:storyteller")
        self.processes.end_workers()


if __name__ == "__main__":
    unittest.main()
