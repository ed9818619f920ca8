"""Every number of a Transformer, from Python.

    import attnscope

    m = attnscope.open("model:storyteller")
    run = m.trace("The cat sat on the mat because it was tired. So the")
    run["blocks.1.attn.pattern"]                       # NumPy, [head, query, key]
    m.trace(run.text, edits=["blocks.1.attn.z[head=3]=0"])["logits"]
    m.ablate(run.text, measure='logit_diff:" cat"," dog"', steps="blocks.*.attn.z", over="head").frame()
    m.figure(run.text, view="attention", layer=1, head=3)   # shows itself in a notebook

    study = attnscope.on(client)                       # the workers of a dask.distributed.Client
    study.open("model:storyteller").ablate(run.text, measure='logit_diff:" cat"," dog"', over="head")

It computes nothing itself: attnscope-cli serve does, which keeps the model open. What is wrong comes as an exception
with the sentence that the program says.
"""
from ._model import Answer, Figure, Model, Run, open, steps  # noqa: A004
from ._on import Cluster, on
from ._serve import Error, Server

__all__ = ["Answer", "Cluster", "Error", "Figure", "Model", "Run", "Server", "on", "open", "steps"]
