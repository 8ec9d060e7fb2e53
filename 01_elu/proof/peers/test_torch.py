"""ELU's operators in PyTorch: against torch.nn.functional.elu, and what they refuse."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common" / "torch"))
import gradients
import support


class EluTest(gradients.GradientPromises, support.UnaryPromises, support.RungPromises, support.BindingTest):
    chapter = "01_elu"
    operator = rung_ladder = "elu"

    @staticmethod
    def reference(x):
        return support.torch.nn.functional.elu(x)

    def gradients(self):
        elu = support.torch.nn.functional.elu
        return [("elu", self.ops.elu, elu, 1),
                ("elu", lambda x: self.ops.elu(x, alpha=1.5), lambda x: elu(x, 1.5), 1)]

    def test_alpha(self):
        elu = support.torch.nn.functional.elu
        for device, dtype, alpha in self.each((0.0, 0.5, -2.0, 1.6732632423543772)):
            x = support.sample((1000,), dtype, device)
            self.close(self.ops.elu(x, alpha), elu(x.float(), alpha).to(dtype))
            self.close(self.ops.elu(x, alpha=alpha), self.ops.elu(x, alpha), rtol=0, atol=0)

    def test_an_alpha_that_is_not_finite(self):
        for device in self.devices:
            for alpha in (float("inf"), float("nan")):
                self.refuses("elu: alpha must be finite", self.ops.elu,
                             support.sample((8,), support.torch.float32, device), alpha)


if __name__ == "__main__":
    support.run()
