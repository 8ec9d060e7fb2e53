"""The vocabulary of a chapter's torch_peers.py: which operations are compared, at which shapes.

The file defines CASES, a list of Case. It may import torch; the chapter's own operators are
torch.ops.elementwise_tutorial and are loaded before anything is called.
"""

FLOATS = ("f32", "f16", "bf16")
SIZES = (1024, 2048, 4096)
GRID = [(rows, columns) for rows in SIZES for columns in SIZES] + [(16384, 16384)]
SMALL_GRID = [(rows, columns) for rows in (64, 256) for columns in (64, 256)]  # without a GPU


class Case:
    """One operation: how PyTorch computes it, how torch.compile does, how the chapter does.

    name        ladder/rung with {} in it, which becomes torch, compile and bound: elu/{}_f16
    dtype       f32, f16, bf16, i64, i32, i8, u8, bool: of the inputs
    shapes      shapes(grid) -> [(name, [shape of each input], shape of the result)]; grid is GRID
                or SMALL_GRID
    torch       torch(inputs, out): PyTorch's fused operator, into out; None where no form of it
                does that, and `plain` is timed instead
    plain       plain(inputs): the same (or a pair, the halves of the result), as a reader would write it; torch.compile compiles it, and in
                float32 it is what results are checked against
    bound       bound(inputs, out): the chapter's operator; None if there is none
    triton      the name of a function(input, out) in triton_twins.py, timed where Triton is and a GPU
    out_dtype   of the result; as the inputs' if None
    label       what the ladder calls dtype, if it has another name for it
    form        the form of the problem that the name ends with: 1C11
    rungs       which of the chapter's bound rungs belong here: rungs(bound) -> bool
    rung        rung(operator) -> call(inputs, out): how such a rung is called
    rung_prefix what the ladder has before the rung's own name: add_
    saved       saved(inputs) -> tensors that PyTorch's forward pass has left; `torch` gets them behind the
                inputs, and what they cost is not timed
    compiled    False where torch.compile has nothing to fuse, or cannot write the same result
    """

    def __init__(self, name, dtype, shapes, torch, plain, bound=None, *, out_dtype=None, label=None, form="",
                 rungs=None, rung=None, rung_prefix="", compiled=True, triton=None, saved=None):
        self.name, self.dtype, self.shapes = name, dtype, shapes
        self.torch, self.plain, self.bound = torch, plain, bound
        self.out_dtype, self.label, self.form = out_dtype or dtype, label or dtype, form
        self.rungs, self.rung, self.rung_prefix = rungs, rung, rung_prefix
        self.compiled, self.triton, self.saved = compiled, triton, saved

    @property
    def ladder(self):
        return self.name.split("/")[0]

    def named(self, contender):
        """The row's name up to the shape: elu/torch_f16."""
        return self.name.format(contender)


def on_grid(inputs=1):
    """The shapes of the grid for an operator whose inputs all have the result's shape."""
    return lambda grid: [(f"{rows}x{columns}", [(rows, columns)] * inputs, (rows, columns))
                         for rows, columns in grid]


def unary_rung(operator):
    return lambda x, y: operator(x[0], out=y)
