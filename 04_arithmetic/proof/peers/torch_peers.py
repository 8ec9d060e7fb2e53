"""Addition beside PyTorch's: of equal shapes, and in the forms of ladder B."""

import torch
from cases import GRID, Case, on_grid

ops = torch.ops.elementwise_tutorial


def forms(n, c, h, w):
    """The forms' names, and the shapes of both operands."""
    image = (n, c, h, w)
    return {
        "scalar": (image, ()),
        "W": (image, (w,)),
        "1C11": (image, (1, c, 1, 1)),
        "N1HW": (image, (n, 1, h, w)),
        "NC11": (image, (n, c, 1, 1)),
        "N1H1_1C1W": ((n, 1, h, 1), (1, c, 1, w)),
    }


def images(form):
    def shapes(grid):
        image = (64, 256, 56, 56) if grid is GRID else (2, 16, 7, 8)
        return [("x".join(map(str, image)), list(forms(*image)[form]), image)]
    return shapes


def case(name, dtype, shapes, **more):
    return Case(name, dtype, shapes,
                torch=lambda x, y: torch.ops.aten.add.out(x[0], x[1], out=y),
                plain=lambda x: x[0] + x[1],
                bound=lambda x, y: ops.add.out(x[0], x[1], out=y), **more)


def same_shape(dtype):
    return case(f"arithmetic/add_{{}}_{dtype}", dtype, on_grid(inputs=2), rung_prefix="add_",
                rungs=lambda one: (one.ladder, one.dtype, one.kind) == ("arithmetic", dtype, "rung"),
                rung=lambda operator: lambda x, y: operator("add", x[0], x[1], out=y))


def python_number(dtype):
    """x + 0.5, the number handed over as Python has it."""
    return Case(f"arithmetic_broadcast/{{}}_{dtype}_number", dtype,
                lambda grid: [(name, inputs[:1], out) for name, inputs, out in images("scalar")(grid)],
                torch=lambda x, y: torch.add(x[0], 0.5, out=y),  # Scalar_out computes beside out and copies
                plain=lambda x: x[0] + 0.5,
                bound=lambda x, y: ops.add.Scalar_out(x[0], 0.5, out=y), form="number")


CASES = [same_shape(dtype) for dtype in ("f32", "f16", "bf16")]
CASES += [case(f"arithmetic_broadcast/{{}}_{dtype}_{form}", dtype, images(form), form=form)
          for dtype in ("f32", "f16") for form in forms(1, 1, 1, 1)]
CASES += [python_number(dtype) for dtype in ("f32", "f16")]
