"""What is chosen, in which order, and why everything else is not."""

import pytest

from phasegate.memory.selection import Caps, Query, select
from support.plane import canonical, document


def choose(*documents, query="", phase=None, paths=(), feedback=None, caps=None):
    return select(documents, Query(query, phase, paths), feedback or {}, caps or Caps())


def scores(selection):
    return {ranked.entry.title: ranked.score.total for ranked in selection.shown}


def causes(selection):
    return {ranked.entry.title: ranked.excluded for ranked in selection.excluded}


def test_a_word_counts_two_in_the_title_and_one_in_the_body_once():
    found = choose(document("# Lock ordering\nlock upstream first\n"), query="lock upstream lock")

    assert scores(found) == {"Lock ordering": 3}


@pytest.mark.parametrize("query", ["", "a of R1"])
def test_a_query_without_words_matches_nothing(query):
    assert choose(document("# Lock\nof R1 a"), query=query).candidates == 0


def test_common_words_match_nothing():
    found = choose(document("# Tea\nthe kettle and the cup"), query="fix the parser and the lexer")

    assert found.shown == ()


def test_each_changed_path_counts_three():
    one, two = document("# One\nlock src/a.ts src/b.ts"), document("# Two\nlock", "domains/b.md")

    found = choose(two, one, query="lock", paths=("src/a.ts", "src/b.ts", "src/c.ts"))

    assert scores(found) == {"One": 7, "Two": 1}
    assert [ranked.entry.title for ranked in found.shown] == ["One", "Two"]


def test_a_longer_name_is_another_path():
    assert choose(document("# A\nsee src/a.tsx"), paths=("src/a.ts", "")).candidates == 0


def test_paths_are_matched_by_the_documents_patterns():
    found = choose(
        document(canonical("# Parser\ntext", owns="src/parser/**")), paths=("src/parser/x/lex.py",)
    )

    assert found.shown[0].score.path == 3


def test_a_document_that_lists_many_files_does_not_win_by_number():
    paths = tuple(f"src/{number}.py" for number in range(50))
    found = choose(document("# Index\n" + " ".join(paths)), paths=paths)

    assert found.shown[0].score.path == 9


def test_many_patterns_and_paths_stay_within_a_budget():
    owns = "\n- ".join(["**/x*y*z"] * 400)
    documents = [document(canonical("# A\nlock", owns=owns), f"domains/{n}.md") for n in range(20)]

    found = choose(*documents, query="lock", paths=tuple(f"a/b/c{n}" for n in range(5_000)))

    assert found.notes == ("path patterns were tried in part only",)


def test_an_entry_for_this_phase_counts_two_more():
    shape = document("# Shape\nreview round\nApplies to: 03.5")
    guide = document("# Guide\nreview round", "domains/b.md")

    found = choose(shape, guide, query="review round", phase="03.5-code-review.md")

    assert scores(found) == {"Shape": 4, "Guide": 2}
    assert choose(document("# A\nlock\nApplies to: 03"), query="lock", phase="03.5-code-review.md").shown[
        0
    ].score.phase == (0)


def test_nothing_is_made_up_when_nothing_matches():
    found = choose(document("# Lock\ntext"), query="elsewhere")

    assert (found.shown, found.candidates, found.loaded) == ((), 0, 1)
    assert causes(found) == {"Lock": "no match"}


def six():
    return document("".join(f"# Part {number}\nlock {number}x\n" for number in range(6)))


def test_one_document_does_not_fill_the_section():
    found = choose(six(), query="lock")

    assert len(found.shown) == 3
    assert found.candidates == 6
    assert set(causes(found).values()) == {"below the cap of 3 entries of one document"}


def test_caps_are_those_given():
    assert len(choose(six(), query="lock", caps=Caps(99, 99, 10)).shown) == 6
    assert len(choose(six(), query="lock", caps=Caps(99, 99, 2)).shown) == 2


def test_no_more_than_three_documents_are_shown():
    documents = [document(f"# D{number}\nlock {number}x", f"domains/{number}.md") for number in range(5)]

    assert [r.entry.title for r in choose(*documents, query="lock").shown] == ["D0", "D1", "D2"]


def test_equal_content_is_shown_once():
    one, two = document("# A\nlock"), document("# A\nlock", "patterns/z.md")

    found = choose(two, one, query="lock")

    assert [ranked.entry.source for ranked in found.shown] == ["domains/a.md"]
    assert causes(found) == {"A": "same content as in domains/a.md"}


def test_ties_go_by_code_points_of_the_title():
    """The order must not depend on the machine's language."""
    documents = [
        document(f"# {title}\nlock {title}x", f"domains/{n}.md")
        for n, title in enumerate(("Beta", "alpha", "Alpha"))
    ]

    assert [r.entry.title for r in choose(*documents, query="lock").shown] == ["Alpha", "Beta", "alpha"]


def test_equal_titles_go_by_source():
    one, two = document("# A\nlock one", "patterns/a.md"), document("# A\nlock two", "domains/z.md")

    assert [r.entry.source for r in choose(one, two, query="lock").shown] == ["domains/z.md", "patterns/a.md"]


def test_feedback_moves_a_match_by_one():
    one, two = document("# A\nlock guard one"), document("# B\nlock guard two", "domains/b.md")

    assert scores(choose(one, two, query="lock guard", feedback={"domains/b.md": 1})) == {"B": 3, "A": 2}
    assert list(scores(choose(one, two, query="lock guard", feedback={"domains/b.md": -1}))) == ["A", "B"]


@pytest.mark.parametrize("sign", [1, -1])
def test_feedback_never_makes_an_entry_relevant(sign):
    found = choose(document("# Lock\ntext"), query="elsewhere", feedback={"domains/a.md": sign})

    assert (found.shown, found.candidates) == ((), 0)


def test_feedback_never_hides_a_weak_match():
    found = choose(document("# A\nlock"), query="lock", feedback={"domains/a.md": -1})

    assert scores(found) == {"A": 1}


@pytest.mark.parametrize("status", ["STALE", "DEPRECATED", "DRAFT", "LOCKED"])
def test_a_retired_document_is_excluded_with_all_its_entries(status):
    found = choose(document(canonical("# Retry\nlock\n## More\nlock", status=status)), query="lock")

    assert found.shown == ()
    assert causes(found) == {"Retry": f"status {status}", "More": f"status {status}"}


def test_a_superseded_document_is_excluded():
    text = canonical("# Retry\nlock").replace("Tags:", "Superseded-By: domains/b.md\nTags:")

    assert causes(choose(document(text), query="lock")) == {"Retry": "superseded by domains/b.md"}


def test_an_index_is_excluded():
    assert causes(choose(document(canonical("# A\nlock", kind="index")), query="lock")) == {"A": "an index"}


def test_prose_about_a_status_retires_nothing():
    text = "# Lock states\nStatus: STALE_LOCK means the hash differs"

    assert choose(document(text), query="lock states hash").candidates == 1


def test_an_entry_can_be_retired_alone():
    found = choose(document("# All\ntext\n## Old\nStatus: STALE\nlock\n## New\nlock"), query="lock")

    assert scores(found) == {"New": 1}
    assert causes(found)["Old"] == "status STALE"


def test_suspect_documents_are_shown():
    assert choose(document(canonical("# A\nlock", status="SUSPECT")), query="lock").candidates == 1


def test_metadata_is_never_matched():
    assert choose(document(canonical("# A\nlock")), query="parser domains abc1234").candidates == 0


def test_rare_words_weigh_more_than_common_ones():
    documents = [document(f"# D{n}\nservice detail{n}", f"domains/{n}.md") for n in range(20)]
    documents.append(document("# Z\nservice lexer", "domains/z.md"))

    found = choose(*documents, query="service lexer")

    assert scores(found) == {"Z": 2}


def test_other_scripts_are_searched_too():
    found = choose(document("# 解析器\n锁定顺序"), query="解析器 的 锁定")

    assert found.candidates == 1


def test_components_add_up():
    found = choose(
        document("# Lock\nlock src/a.ts\nApplies to: 03"),
        query="lock",
        phase="03-implementation-summary.md",
        paths=("src/a.ts",),
        feedback={"domains/a.md": 1},
    )

    named = found.shown[0].score.named()
    assert named == {"query-match": 2, "path-overlap": 3, "phase-applicable": 2, "feedback": 1}
    assert sum(named.values()) == found.shown[0].score.total
