"""Addition as PyTorch computes it: of equal shapes, and in the forms of ladder B."""

import torch
from peers import Case, on_grid

ALL = (64, 256, 56, 56)
FORMS = {
    "scalar": (ALL, ()),
    "W": (ALL, (56,)),
    "1C11": (ALL, (1, 256, 1, 1)),
    "N1HW": (ALL, (64, 1, 56, 56)),
    "NC11": (ALL, (64, 256, 1, 1)),
    "N1H1_1C1W": ((64, 1, 56, 1), (1, 256, 1, 56)),
}


def add(x, y):
    torch.ops.aten.add.out(x[0], x[1], out=y)


CASES = [Case("arithmetic", f"add_torch_{dtype}", dtype, on_grid(inputs=2), add)
         for dtype in ("f32", "f16", "bf16")]
CASES += [Case("arithmetic_broadcast", f"torch_{dtype}_{form}", dtype,
               [("64x256x56x56", list(shapes), ALL)], add)
          for dtype in ("f32", "f16") for form, shapes in FORMS.items()]
