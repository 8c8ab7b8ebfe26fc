"""What is known about the shell: copies are independent, joined states keep only what agrees."""

from __future__ import annotations

from dataclasses import fields

from phasegate.targets.shell.limits import MAX_STATES, MAX_TEXT
from phasegate.targets.shell.state import State, Var, merge, positional
from phasegate.targets.shell.text import EMPTY, UNKNOWN, Field, field


def state(cwd: str = "/repo", **values: str) -> State:
    return State(cwd=cwd, vars={name: Var((value,)) for name, value in values.items()})


def test_a_copy_changes_alone():
    one = state(F="x")
    other = one.copy()
    other.assign("F", ("y",))
    other.disk["/repo/a"] = "gone"

    assert one.vars["F"].text == ("x",)
    assert one.disk == {}


def test_a_copy_has_every_field():
    values = {each.name: object() for each in fields(State)}
    values |= {name: {"x": object()} for name in ("vars", "functions", "disk", "twins", "files")}
    one = State(**values)

    assert one.copy() == one == one.mark()


def test_a_mark_shares_tables_and_keeps_the_directory():
    one = state()
    mark = one.mark()
    one.move("/elsewhere")
    one.disk["/repo/a"] = "gone"

    assert mark.cwd == "/repo"
    assert mark.disk == {"/repo/a": "gone"}


def test_output_is_kept_until_a_part_is_unknown():
    one = State(cwd="/", out="")
    one.emit("a")
    one.emit("b")
    assert one.out == "ab"

    one.emit(None)
    one.emit("c")

    assert one.out is None


def test_output_is_kept_within_bounds():
    one = State(cwd="/", out="a" * MAX_TEXT)
    one.emit("b")

    assert one.out is None


def test_output_that_goes_nowhere_is_not_kept():
    one = State(cwd="/")
    one.emit("a")

    assert one.out is None


def test_moving_remembers_the_directory_before():
    one = state()
    one.move("/repo/docs")

    assert (one.cwd, one.previous) == ("/repo/docs", "/repo")


def test_an_assignment_keeps_attributes_and_follows_a_name():
    one = State(
        cwd="/",
        vars={
            "F": Var(("x",), exported=True),
            "R": Var(ref="F"),
            "L": Var(items={"0": ("p",), "1": ("q",)}, is_list=True),
        },
    )
    one.assign("R", ("y",))
    one.assign("L", ("z",))

    assert one.vars["F"] == Var(("y",), exported=True)
    assert one.vars["L"].items == {"0": ("z",), "1": ("q",)}


def test_names_that_stand_for_each_other_end():
    one = State(cwd="/", vars={"A": Var(ref="B"), "B": Var(ref="A")})

    assert one.target_of("A") in ("A", "B")


def test_a_forgotten_variable_is_unknown_and_still_exported():
    one = State(cwd="/", vars={"F": Var(("x",), exported=True)})
    one.forget(["F", "G"])

    assert one.vars["F"] == Var(UNKNOWN, exported=True)
    assert one.vars["G"].text == UNKNOWN


def test_equal_states_are_merged_and_their_outputs_compared():
    one, same, other = state(F="x"), state(F="x"), state(F="y")
    one.out, same.out = "a", "b"
    one.status, same.status = True, False

    merged = merge([one, same, other])

    assert [item.vars["F"].text for item in merged] == [("x",), ("y",)]
    assert merged[0].out is None
    assert merged[0].status is None


def test_too_many_states_are_joined_into_one_that_knows_less():
    (joined,) = merge(state(f"/repo/{number}", F=str(number), G="same") for number in range(MAX_STATES + 1))

    assert joined.vars["F"].text == UNKNOWN
    assert joined.vars["G"].text == ("same",)
    assert joined.lost
    assert "/repo/1" in joined.others


def test_states_on_their_way_out_are_joined_apart():
    states = [state(F=str(number)) for number in range(MAX_STATES + 1)]
    states[0].jump = "exit"

    assert sorted(item.jump for item in merge(states)) == ["", "exit"]


def test_positional_parameters():
    one = State(
        cwd="/", params=(field("a"), Field(UNKNOWN, "$x"), Field(UNKNOWN, "$@", many=True), field("d"))
    )

    assert positional(one, 1) == ("a",)
    assert positional(one, 2) == UNKNOWN
    assert positional(one, 4) == UNKNOWN
    assert positional(State(cwd="/"), 1) == EMPTY
    assert positional(State(cwd="/", params=None), 1) == UNKNOWN
