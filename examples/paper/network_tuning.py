"""The paper's network tuning task: seven hyperparameters of a small convolutional network.

The network has three blocks, each of which repeats convolution, batch normalisation and ReLU
`depth` times. The hyperparameters are the depth, the learning rate, momentum and L2 weight of SGD,
and the filter size of each block. The images are scikit-learn's digits, which need no download, or
CIFAR-100 if `--data` names the folder of its binary version (train.bin, test.bin). The value is
the validation error in percent minus the smallest that any run found. Five lattice points, 50 more
evaluations, batch sizes 5 and 10.

    pip install -e ".[network]" && python -m examples.paper.network_tuning

Output of `python -m examples.paper.network_tuning`: BKOP with this package's defaults, baselines
with the paper's model but an estimated noise variance (mean error above the smallest, in percent,
of ten runs, standard error). With batches of ten, which are five rounds in all, GP-BUCB is ahead.

                     BKOP         GP-BUCB       GP-UCB-PE
    q=5     0.335 ± 0.09*   0.737 ± 0.091     1.27 ± 0.18
    q=10     0.972 ± 0.15   0.72 ± 0.094*      1.19 ± 0.2
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from optuna.distributions import FloatDistribution, IntDistribution
from sklearn.datasets import load_digits
from torch import nn

from examples.paper._experiment import Cell, compare, optimise
from examples.paper._options import Options, options, settings_options
from examples.paper._settings import SETTINGS

SPACE = {
    "depth": IntDistribution(1, 3),
    "learning_rate": FloatDistribution(1e-4, 1e-1, log=True),
    "momentum": FloatDistribution(0.1, 0.95),
    "l2": FloatDistribution(1e-10, 1e-2, log=True),
    **{f"filter_{block}": IntDistribution(2, 4) for block in range(3)},
}
#: Channels of the three blocks: few, so that a run takes seconds on one core.
CHANNELS = (8, 16, 32)
#: Images per step of SGD.
BATCH = 64


@cache
def images(data: str | None) -> tuple[torch.Tensor, ...]:
    """Return training images and labels, then validation images and labels."""
    if data is None:
        digits = load_digits()
        order = np.random.default_rng(0).permutation(len(digits.target))
        x = torch.tensor(digits.images[order, None] / 8.0 - 1.0, dtype=torch.float32)
        y = torch.tensor(digits.target[order])
        return x[:1200], y[:1200], x[1200:], y[1200:]
    parts: list[torch.Tensor] = []
    for name in ("train.bin", "test.bin"):
        # A record is a coarse label, a fine label and 3 x 32 x 32 bytes.
        rows = np.fromfile(Path(data) / name, dtype=np.uint8).reshape(-1, 2 + 3072)
        pixels = rows[:, 2:].reshape(-1, 3, 32, 32).astype(np.float32)
        parts += [torch.from_numpy(pixels / 127.5 - 1.0), torch.from_numpy(rows[:, 1].astype(int))]
    return tuple(parts)


def network(params: dict[str, Any], n_inputs: int, n_classes: int) -> nn.Sequential:
    """Return the network that the hyperparameters describe; padding keeps the image size."""
    layers: list[nn.Module] = []
    for block, n_channels in enumerate(CHANNELS):
        k = params[f"filter_{block}"]
        for _ in range(params["depth"]):
            layers.append(nn.ZeroPad2d(((k - 1) // 2, k // 2, (k - 1) // 2, k // 2)))
            layers.append(nn.Conv2d(n_inputs, n_channels, k, bias=False))
            layers += [nn.BatchNorm2d(n_channels), nn.ReLU()]
            n_inputs = n_channels
        layers.append(nn.MaxPool2d(2) if block < 2 else nn.AdaptiveAvgPool2d(1))
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(n_inputs, n_classes))


def validation_error(params: dict[str, Any], data: str | None, epochs: int) -> float:
    """Return the percentage of validation images that a trained network misclassifies."""
    x, y, x_valid, y_valid = images(data)
    generator = torch.Generator().manual_seed(0)
    with torch.random.fork_rng():
        torch.manual_seed(0)  # initial weights depend on the hyperparameters only
        model = network(params, x.shape[1], int(y.max()) + 1)
    optimiser = torch.optim.SGD(
        model.parameters(),
        lr=params["learning_rate"],
        momentum=params["momentum"],
        weight_decay=params["l2"],
    )
    for _ in range(epochs):
        for rows in torch.randperm(len(x), generator=generator).split(BATCH):
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
            optimiser.step()
    model.eval()
    with torch.no_grad():
        wrong = [
            (model(a).argmax(dim=1) != b).sum()
            for a, b in zip(x_valid.split(1000), y_valid.split(1000), strict=True)
        ]
    return 100.0 * float(sum(wrong)) / len(y_valid)


def measure(cell: Cell) -> list[float]:
    """Return the smallest validation error after each evaluation."""
    torch.set_num_threads(1)
    data, epochs = cell["data"], cell["epochs"]
    return optimise(lambda p: validation_error(p, data, epochs), SPACE, cell)


@click.command()
@options(runs=10)
@settings_options
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False),
    help="Folder of CIFAR-100's binary version, instead of digits.",
)
@click.option(
    "--epochs", type=click.IntRange(1), default=4, show_default=True, help="Epochs of training."
)
def main(given: Options, data: str | None, epochs: int) -> None:
    """Run the network tuning experiment."""
    problem = "digits" if data is None else "CIFAR-100"
    compare(
        measure,
        {problem: {"data": data, "epochs": 1 if given.quick else epochs}},
        SETTINGS[given.settings],
        given,
        shared={"startup": 5, "evaluations": 5 if given.quick else 50},
        experiment="network-tuning",
        name=f"network-tuning-{given.settings}",
        columns=1,
        above_best=True,
        ylabel="validation error (%) above the best",
    )


if __name__ == "__main__":
    main()
