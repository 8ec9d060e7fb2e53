"""A network trains with our operators as it does with PyTorch's own (training.py)."""

import support
import training

#: How far apart the losses may be, as a share of the loss. Rounding grows with every step, here to 3e-4.
BOUND = 1e-2


class TrainingTest(support.BindingTest):
    chapter, *also = training.CHAPTERS

    def farthest(self, mine, peer):
        return max(abs(a - b) / b for a, b in zip(mine, peer))

    def test_the_losses_stay_together_and_fall(self):
        for device in self.devices:
            mine, peer = training.both(support.torch, self.ops, device)
            self.assertLess(self.farthest(mine, peer), BOUND)
            self.assertLess(mine[-1], mine[0] / 100)

    def test_a_gradient_that_is_slightly_wrong_is_seen(self):
        """Swish's gradient 2 % too large below zero: the losses part by more than the bound."""
        torch = support.torch

        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return torch.ops.elementwise_tutorial.swish(x)

            @staticmethod
            def backward(ctx, dy):
                x, = ctx.saved_tensors
                dx = torch.ops.elementwise_tutorial.swish_backward(x, dy)
                return torch.where(x < 0, 1.02 * dx, dx)

        device = self.devices[0]
        act = {**training.ours(self.ops), "swish": Wrong.apply}
        self.assertGreater(self.farthest(training.losses(torch, act, device),
                                         training.losses(torch, training.theirs(torch), device)), BOUND)


if __name__ == "__main__":
    support.run()
