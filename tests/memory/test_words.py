import pytest

from phasegate.memory.words import words_of


@pytest.mark.parametrize("text", ["", "a of R1", "the and for", "__ -- ..", "12"])
def test_short_and_common_words_say_nothing(text):
    assert words_of(text) == frozenset()


def test_words_are_distinct_and_without_case():
    assert words_of("Lock lock LOCK-order") == {"lock", "order"}


def test_words_of_every_script_are_found():
    assert words_of("Größe") == words_of("GRÖSSE")
    assert words_of("Ёлка") == words_of("ёлка") != frozenset()
    assert words_of("解析器的锁") & words_of("锁定解析器")


def test_composed_and_decomposed_letters_are_the_same():
    assert words_of("caf\u00e9s") == words_of("cafe\u0301s")
