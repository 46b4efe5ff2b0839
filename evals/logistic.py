"""Logistic regression, as the weights of this product are fitted."""

import numpy as np
from numpy.typing import NDArray

STEPS = 100

Floats = NDArray[np.float64]


def logistic(x: Floats, y: Floats, ridge: float, share: Floats | float = 1.0) -> Floats:
    """Return the weights of a logistic regression by Newton's method, the bias, not penalised, first.

    Args:
        x: a row a case, standardised.
        y: 1 or 0 a case.
        ridge: weight of the squared weights.
        share: what each case counts.
    """
    inputs = np.column_stack([np.ones(len(x)), x])
    penalty = ridge * np.diag([0.0, *[1.0] * x.shape[1]])
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (share * (expected - y)) + penalty @ weights
        curve = (inputs.T * (share * expected * (1 - expected))) @ inputs + penalty
        weights = weights - np.linalg.solve(curve, slope)
    return weights
