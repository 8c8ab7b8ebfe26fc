"""Words of a text, in any script, for matching a query with what was written."""

from __future__ import annotations

import re
import sys
import unicodedata

MIN_LENGTH = 3
_RUN = re.compile(r"[^\W_]+")
_PLAIN_WORD = re.compile(r"[a-z0-9]{3,}")
# Scripts that are written without blanks between words. A run of such characters is cut
# into overlapping pairs, which find a word wherever it stands.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002ffff]+"
)
STOP_WORDS = frozenset(
    [
        "about",
        "after",
        "all",
        "also",
        "and",
        "any",
        "are",
        "because",
        "been",
        "before",
        "being",
        "but",
        "can",
        "could",
        "did",
        "does",
        "doing",
        "done",
        "for",
        "from",
        "had",
        "has",
        "have",
        "her",
        "here",
        "him",
        "his",
        "how",
        "into",
        "its",
        "just",
        "may",
        "might",
        "more",
        "most",
        "must",
        "not",
        "now",
        "off",
        "one",
        "only",
        "other",
        "our",
        "out",
        "over",
        "own",
        "same",
        "shall",
        "she",
        "should",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "too",
        "under",
        "until",
        "use",
        "used",
        "uses",
        "using",
        "very",
        "was",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


def words_of(text: str) -> frozenset[str]:
    """Distinct words in lower case, normalised; those under three letters and the commonest ones left out."""
    if text.isascii():
        # One object for a word wherever it stands: a plane repeats its words many times over.
        return frozenset(map(sys.intern, _PLAIN_WORD.findall(text.lower()))) - STOP_WORDS
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: set[str] = set()
    for run in _RUN.findall(folded):
        if run.isascii():
            if len(run) >= MIN_LENGTH and run not in STOP_WORDS:
                found.add(run)
        else:
            found.update(_other_words(run))
    return frozenset(found)


def _other_words(run: str) -> set[str]:
    found = {word for word in _UNSPACED.split(run) if len(word) >= MIN_LENGTH and word not in STOP_WORDS}
    for piece in _UNSPACED.findall(run):
        found.update(piece[at : at + 2] for at in range(max(1, len(piece) - 1)))
    return found
