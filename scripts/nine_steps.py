#!/usr/bin/env python3
"""The nine steps of the scene "Nine steps" in PyTorch, a line each, as the program shows them.

    scripts/nine_steps.py                       # every step with its shape and head 0 of the first sequence
    scripts/nine_steps.py --out run.npz         # the same, for Check in the window or
    attnscope-cli compare scene:nine_steps run.npz

Change a number here, and Check says which step is the first that differs. Needs torch and numpy.
"""
import argparse
import json
import pathlib
import sys

if "--help" not in sys.argv and "-h" not in sys.argv:
    import torch

SCENE = pathlib.Path(__file__).parent.parent / "assets/scenes/nine_steps.json"


def nine_steps(scene):
    """Name -> tensor of every step, the batch in front."""
    heads = scene["config"]["attention"]["n_heads"]
    d_head = scene["config"]["attention"]["d_head"]
    x = torch.tensor([entry["vectors"] for entry in scene["inputs"]])
    weight = {name: torch.tensor(rows) for name, rows in scene["weights"].items()}
    b, t, _ = x.shape
    steps = {}
    split = {}
    for name in ("q", "k", "v"):
        rows = x @ weight[f"blocks.0.attn.{name}.weight"]  # 1 projection
        steps[name] = rows
        steps["view_" + name] = rows.view(b, t, heads, d_head)  # 2 split into heads
        split[name] = steps["view_" + name].transpose(1, 2)  # 3 heads to the front
        steps["split_" + name] = split[name]
    scores = split["q"] @ split["k"].transpose(-2, -1)  # 4 scores
    mask = torch.ones(t, t).tril().bool()
    masked = scores.masked_fill(~mask, -torch.inf)  # 5 mask
    scaled = masked / d_head**0.5  # 6 scale, softmax
    pattern = torch.softmax(scaled, dim=-1)
    z = pattern @ split["v"]  # 7 weighted values
    concat = z.transpose(1, 2).contiguous().view(b, t, heads * d_head)  # 8 heads side by side
    out = concat @ weight["blocks.0.attn.out.weight"] + weight["blocks.0.attn.out.bias"]  # 9 output
    steps |= {"scores": scores, "masked": masked, "scaled": scaled, "pattern": pattern}
    return steps | {"z": z, "concat": concat, "out": out}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", nargs="?", default=SCENE, help="a scene of vectors, as the program saves it")
    parser.add_argument("--out", help="file for the arrays: *.npz")
    options = parser.parse_args()
    steps = nine_steps(json.loads(pathlib.Path(options.scene).read_text()))
    torch.set_printoptions(precision=4, sci_mode=False)
    for name, value in steps.items():
        first = value[0, 0] if value.dim() == 4 and not name.startswith("view") else value[0]
        print(f"blocks.0.attn.{name}  {tuple(value.shape)}\n{first}")
    if options.out:
        import numpy

        numpy.savez(options.out, **{f"blocks.0.attn.{name}": value.numpy() for name, value in steps.items()})


if __name__ == "__main__":
    main()
