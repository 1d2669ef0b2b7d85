"""Which reading of the data chooses which point."""

import pytest

from optuna_bkop._readings import reading_of
from optuna_bkop._settings import Settings


@pytest.mark.parametrize(
    ("numbers", "expected"), [([20], True), ([21], False), ([21, 22], None), ([20, 22], True)]
)
def test_points_with_even_numbers_are_chosen_in_detail(
    numbers: list[int], expected: bool | None
) -> None:
    assert reading_of(numbers, Settings()) is expected
    assert reading_of(numbers, Settings(detail=False)) is False
    assert reading_of(numbers, Settings(strategy="gp_bucb")) is False
