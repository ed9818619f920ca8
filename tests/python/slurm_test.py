#!/usr/bin/env python3
"""python/examples/slurm_sweep.sh on one node, both daemons of Slurm started here (Debian: slurm-wlm); skipped where they
are not installed.

    tests/python/slurm_test.py [CLI]      CLI: attnscope-cli, build/release/attnscope-cli where it is not named
"""
import json
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).parent.parent.parent
CLI = str(ROOT / "build/release/attnscope-cli")
if len(sys.argv) > 1 and "/" in sys.argv[1]:
    CLI = os.path.abspath(sys.argv.pop(1))

NAMES = ("slurmctld", "slurmd", "sbatch", "squeue", "sinfo")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
PROGRAMS = {name: shutil.which(name, path=PATH) for name in NAMES}
SWEEP = ["ablate", "model:storyteller", "--text", "The cat sat on the mat because it was tired. So the", "--measure",
         "logit_diff:cat,mat", "--over", "head"]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def settings(folder):
    host = socket.gethostname().split(".")[0]
    user = pwd.getpwuid(os.getuid()).pw_name
    for name in ("state", "spool"):
        os.mkdir(os.path.join(folder, name))
    return host, f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
DependencyParameters=kill_invalid_depend
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@unittest.skipUnless(all(PROGRAMS.values()), "Slurm is not here (Debian: slurm-wlm)")
class Slurm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="attnscope-slurm-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        host, text = settings(self.folder)
        pathlib.Path(self.folder, "slurm.conf").write_text(text)
        self.environment = {**os.environ, "SLURM_CONF": os.path.join(self.folder, "slurm.conf"), "ATTNSCOPE_CLI": CLI}
        self.log = open(os.path.join(self.folder, "daemons.log"), "wb")
        self.addCleanup(self.log.close)
        for words in (["slurmctld", "-D", "-c"], ["slurmd", "-D", "-N", host]):
            process = subprocess.Popen([PROGRAMS[words[0]], *words[1:]], env=self.environment, stdout=self.log,
                                       stderr=self.log)
            self.addCleanup(process.wait)
            self.addCleanup(process.terminate)
        if not self.until(lambda: self.said("sinfo", "-h", "-o", "%T") == "idle"):
            self.skipTest("Slurm's daemons do not start here: "
                          + pathlib.Path(self.folder, "daemons.log").read_text(errors="replace")[-400:])

    def until(self, holds, seconds=40):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if holds():
                return True
            time.sleep(0.1)
        return False

    def said(self, name, *words):
        return subprocess.run([PROGRAMS[name], *words], env=self.environment, capture_output=True,
                              text=True).stdout.strip()

    def swept(self, answer, cli=CLI):
        done = subprocess.run([ROOT / "python/examples/slurm_sweep.sh", "3", answer, *SWEEP], capture_output=True,
                              text=True, cwd=self.folder, env={**self.environment, "ATTNSCOPE_CLI": cli})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.strip().isdigit(), done.stdout)
        self.assertTrue(self.until(lambda: self.said("squeue", "-h") == "", 90), self.said("squeue"))
        parts = pathlib.Path(self.folder, answer + ".parts")
        told = {one.name: one.read_text() for one in parts.glob("*.out")}
        self.assertTrue(os.path.exists(os.path.join(self.folder, answer)), told)
        return json.loads(pathlib.Path(self.folder, answer).read_text()), told

    def test_a_sweep_as_an_array_of_jobs(self):
        alone = json.loads(subprocess.run([CLI, *SWEEP, "--json"], capture_output=True, check=True).stdout)
        whole, told = self.swept("whole.json")
        self.assertIn("8 rows are there", told["join.out"])
        for one in (whole, alone):
            one["run"].pop("command")
        self.assertEqual(whole, alone)
        # A job that dies: what it did not compute is computed by the one that joins.
        broken = os.path.join(self.folder, "broken")
        pathlib.Path(broken).write_text('#!/bin/sh\ncase "$*" in *"--shard 2/3"*) kill -9 $$;; esac\n'
                                        f'exec "{CLI}" "$@"\n')
        os.chmod(broken, 0o755)
        again, told = self.swept("again.json", broken)
        self.assertIn("3 of 8 rows are missing", told["join.out"])
        again["run"].pop("command")
        self.assertEqual(again, alone)

    def test_what_is_wrong_is_said_before_anything_is_handed_in(self):
        for words in ([], ["x", "a.json", *SWEEP], ["1", "a.json", *SWEEP], ["3", "a.csv", *SWEEP], ["3", "a.json"]):
            done = subprocess.run([ROOT / "python/examples/slurm_sweep.sh", *words], capture_output=True, text=True,
                                  env=self.environment, cwd=self.folder)
            self.assertEqual(done.returncode, 2, words)
            self.assertTrue(done.stderr)


if __name__ == "__main__":
    unittest.main()
