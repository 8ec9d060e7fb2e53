"""GELU's operators in PyTorch: against torch.nn.functional.gelu in both variants."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common" / "torch"))
import gradients
import support


class NoneTest(gradients.GradientPromises, support.UnaryPromises, support.RungPromises, support.BindingTest):
    chapter = "02_gelu"
    operator = rung_ladder = "gelu"
    vanishes = True

    @staticmethod
    def reference(x):
        return support.torch.nn.functional.gelu(x)

    def gradients(self):
        gelu = support.torch.nn.functional.gelu
        return [("gelu", self.ops.gelu, gelu, 1),
                ("gelu", lambda x: self.ops.gelu(x, approximate="tanh"),
                 lambda x: gelu(x, approximate="tanh"), 1)]

    def rung_reference(self, one, x):
        variant = "none" if one.rung.startswith("none") else "tanh"
        return support.torch.nn.functional.gelu(x, approximate=variant)

    def test_an_unknown_variant(self):
        for device in self.devices:
            self.refuses("gelu: 'erf' is none of its choices, which are none or tanh", self.ops.gelu,
                         support.sample((8,), support.torch.float32, device), approximate="erf",
                         error=ValueError)


class TanhTest(support.UnaryPromises, support.BindingTest):
    chapter = "02_gelu"
    operator = "gelu"
    vanishes = True

    class Tanh:
        """The operator with its variant fixed."""

        def __init__(self, operator):
            self.operator, self.default = operator, operator.default

        def __call__(self, x):
            return self.operator(x, approximate="tanh")

        def out(self, x, out):
            return self.operator.out(x, approximate="tanh", out=out)

    def op(self):
        return self.Tanh(self.ops.gelu)

    @staticmethod
    def reference(x):
        return support.torch.nn.functional.gelu(x, approximate="tanh")


if __name__ == "__main__":
    support.run()
