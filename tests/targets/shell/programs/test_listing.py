"""A command that rewrites files whose names are listed by another one: where they were looked for counts."""

from __future__ import annotations

import pytest

from support.target_calls import extraction

RUNS = "/repo/.recursive/run"


def mentions(command):
    return {word for part in extraction("Bash", {"command": command}).opaque for word in part.words}


@pytest.mark.parametrize(
    "command",
    [
        "grep -rl a .recursive | xargs sed -i s/a/b/",
        "grep -rlZ a .recursive | sort | xargs -0 rm",
        "rg --files .recursive/ | xargs -I{} sed -i s/a/b/ {}",
        "git ls-files .recursive | xargs rm -f",
        "git grep -l a -- .recursive | xargs perl -pi -e s/a/b/",
        "sed -i s/a/b/ $(grep -rl a .recursive)",
        'for f in $(rg -l a .recursive); do sed -i s/a/b/ "$f"; done',
        'grep -rl a .recursive | while read -r f; do sed -i s/a/b/ "$f"; done',
        'while read -r f; do echo x > "$f"; done < <(rg -l a .recursive)',
        "prettier --write '.recursive/**/*.md'",
        "markdownlint --fix .recursive",
    ],
)
def test_a_search_of_the_control_directory_reaches_the_runs(command):
    assert any(word.startswith(RUNS) for word in mentions(command))


@pytest.mark.parametrize(
    "command",
    [
        "grep -rl .recursive/run src | xargs sed -i s/a/b/",
        "grep -rn a .recursive | xargs sed -i s/a/b/",
        "ls .recursive; grep -rl a src | xargs sed -i s/a/b/",
        "ls .recursive && rg -l a src | head -3; sed -i s/a/b/ $X",
        "ls .recursive/run && npm test > $LOG",
        "grep -rl a .recursive | xargs wc -l",
        "prettier --write src",
    ],
)
def test_patterns_other_statements_and_readers_do_not(command):
    assert not any(word.startswith(RUNS) for word in mentions(command))
