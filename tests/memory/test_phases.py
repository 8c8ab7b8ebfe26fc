import pytest

from phasegate.memory.phases import applies

IMPLEMENTATION, REVIEW = "03-implementation-summary.md", "03.5-code-review.md"


@pytest.mark.parametrize(
    "value", ["03", "3", "phase 3", "Phase 03", IMPLEMENTATION, "03-implementation-summary"]
)
def test_names_the_phase(value):
    assert applies([value], IMPLEMENTATION)
    assert not applies([value], REVIEW)


def test_half_phases_are_their_own():
    assert applies([["03", "03.5"][1]], REVIEW)
    assert not applies(["03.5"], IMPLEMENTATION)


@pytest.mark.parametrize("value", ["01-03", "", "x", "3.", "9" * 50, "³"])
def test_other_values_name_no_phase(value):
    assert not applies([value], REVIEW)
