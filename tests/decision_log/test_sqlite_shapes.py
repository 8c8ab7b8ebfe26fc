"""A brief row is the whole row, written shorter."""

from __future__ import annotations

import sqlite3
import string

from hypothesis import example, given
from hypothesis import strategies as st

from phasegate.decision_log.record import Entry
from phasegate.decision_log.sqlite_rows import COLUMNS, decode, digest_cell, encode, id_cell, time_cell
from phasegate.decision_log.sqlite_schema import MIGRATIONS, migrate
from phasegate.decision_log.sqlite_shapes import (
    BRIEF_COLUMNS,
    RECENT,
    SHAPE_COLUMNS,
    brief_row,
    shape_of,
    whole_row,
)
from support.records import identifier, moment, product_write, stem_for

DIGEST = "sha256:" + "0f" * 32
ENTRY = Entry(7, "ab" * 32, "cd" * 32)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NEAR = st.text(string.hexdigits + "-: TZ.", max_size=72)


class Terms:
    """Numbers for texts, as a file gives them."""

    def __init__(self):
        self.texts = []

    def number(self, field, text):
        if (field, text) not in self.texts:
            self.texts.append((field, text))
        return self.texts.index((field, text)) + 1

    def text(self, field, number):
        return next((text for kind, text in self.texts[number - 1 : number] if kind == field), None)


def recent(statement, columns, shape, row):
    """The one row of `fresh` as a query sees it."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection, "x", MIGRATIONS)
    marks = ", ".join("?" * len(SHAPE_COLUMNS))
    connection.execute(f"INSERT INTO shapes ({', '.join(SHAPE_COLUMNS)}) VALUES ({marks})", shape.row())  # noqa: S608 (constants)
    connection.execute(f"{statement} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", row)
    (found,) = connection.execute(f"SELECT * FROM {RECENT}").fetchall()  # noqa: S608 (constants)
    connection.close()
    return found


@given(
    st.integers(0, 2**53),
    st.fixed_dictionaries({}, optional={"call_id": TEXTS, "args_digest": st.just(DIGEST)}),
)
def test_a_brief_row_is_read_as_the_whole_one(latency, own):
    stem = stem_for(product_write(0))
    terms = Terms()
    fields = {**stem.fields, "decision_id": identifier(1), "at": moment(1), "latency_us": latency, **own}
    shape = shape_of(stem.fields, terms.number)
    shape.id = 1

    brief = recent("INSERT INTO fresh", BRIEF_COLUMNS, shape, brief_row(fields, ENTRY, shape))
    whole = recent("INSERT INTO fresh", (*COLUMNS, "paths"), shape, whole_row(fields, ENTRY, shape))

    assert brief == whole
    logged = {"seq": 7, "prev_hash": ENTRY.prev_hash, "hash": ENTRY.hash, **fields}
    assert decode(brief[:-1], terms.text) == logged
    assert decode(encode(fields, ENTRY, terms.number), terms.text) == logged


@given(NEAR)
@example(identifier(1))
@example(identifier(1).upper())
@example(identifier(1)[1:] + "0")
@example(identifier(1).replace("-", ""))
@example(identifier(1).replace("-", "", 1) + "-")
@example(identifier(1).replace("-", " "))
@example(DIGEST)
@example(DIGEST.upper())
@example("sha512:" + DIGEST[7:])
@example("sha256:" + " 0" * 32)
@example(moment(1))
@example(moment(1).replace("T", " "))
@example(moment(1).replace("Z", "z"))
def test_a_text_that_is_shortened_for_its_column_comes_back_as_it_was(text):
    fields = {"decision_id": text, "at": text, "args_digest": text}
    terms = Terms()

    found = decode(encode(fields, ENTRY, terms.number), terms.text)

    assert {name: found[name] for name in fields} == fields


def test_the_usual_texts_are_shortened():
    assert isinstance(id_cell(identifier(1)), bytes)
    assert isinstance(digest_cell(DIGEST), bytes)
    assert isinstance(time_cell(moment(1)), int)
