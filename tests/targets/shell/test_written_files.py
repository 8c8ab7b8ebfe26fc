"""Files that the command itself wrote: their text is known to whatever runs or reads them."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_opaque, touched

DIFFERENCE = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    "text",
    [
        "echo 'rm a.txt' > f; sh f",
        "cat > f <<'E'\nrm a.txt\nE\nbash f",
        "cat > f <<'E'\nrm \"$1\"\nE\nbash f a.txt",
        "echo 'rm a.txt' > f; . ./f",
        "echo 'rm a.txt' > f; source f",
        "echo 'rm a.txt' > f; bash < f",
        "echo 'rm a.txt' > f; cat f | bash",
        "echo 'rm a.txt' > f; bash -c \"$(cat f)\"",
        "echo 'rm a.txt' > f; at now -f f",
        "echo 'rm a.txt' | tee f; sh f",
        "echo 'rm a.txt' | tee -a g > f; sh f",
        "echo 'rm \\' > f; echo a.txt >> f; sh f",
        "echo 'rm \\' > f; echo a.txt | tee -a f; sh f",
        "(echo 'rm a.txt' > f); sh f",
        "echo 'rm a.txt' > f; cp f g; sh g",
        "echo 'rm a.txt' > f; mv f g; sh g",
        "echo 'rm a.txt' > f; ln f g; sh g",
        "echo 'rm a.txt' > f; ln -s f g; sh g",
        "echo 'rm a.txt' > f; chmod +x f; ./f",
        "echo 'rm a.txt' > f; chmod +x f; /repo/f",
        "printf '#!/bin/bash -e\\nrm $1' > f; ./f a.txt",
        "printf '#!/usr/bin/env python3\\nimport os, sys\\nos.remove(sys.argv[1])' > f; ./f a.txt",
        "echo 'import os; os.remove(\"a.txt\")' > f.py; python3 f.py",
        "echo 'import os, sys; os.remove(sys.argv[1])' > f.py; python3 f.py a.txt",
        "echo 'require(\"fs\").unlinkSync(process.argv[2])' > f.js; node f.js a.txt",
        "echo 'unlink $ARGV[0]' > f.pl; perl f.pl a.txt",
        "echo 'File.delete(ARGV[0])' > f.rb; ruby f.rb a.txt",
        "echo '<?php unlink($argv[1]);' > f.php; php f.php a.txt",
        "mkdir d; echo 'rm ../a.txt' > d/f; cd d; sh f",
        "echo a.txt > list; xargs rm < list",
        "echo a.txt > list; xargs -a list rm",
        "echo a.txt > list; cat list list | sort -u | xargs rm",
        'echo a.txt > list; while read -r x; do rm "$x"; done < list',
        "echo a.txt > list; rm $(cat list)",
        "echo a.txt > list; rm $(< list)",
    ],
)
def test_what_is_written_is_known_to_what_runs_it(text):
    assert "delete a.txt" in touched(text)
    assert not is_opaque(text)


@pytest.mark.parametrize("apply", ["git apply f", "patch -p1 < f", "patch -p1 -i f", "git apply f f"])
def test_a_patch_that_was_written_just_now(apply):
    text = f"cat > f <<'E'\n{DIFFERENCE}E\n{apply}"

    assert touched(text) == ["write f", "write a.txt"]
    assert not is_opaque(text)


def test_programs_of_filters():
    assert touched("echo 'w q' > f; sed -n -f f a.txt") == ["write f", "write q"]
    assert touched("echo '{print > \"q\"}' > f; awk -f f a.txt") == ["write f", "write q"]


@pytest.mark.parametrize(
    "text",
    [
        "echo 'rm a.txt' >> f; sh f",
        "sh f; echo 'rm a.txt' > f",
        'echo "rm $(date)" > f; sh f',
        "echo 'rm a.txt' > f; sed -i s/a/b/ f; sh f",
        "echo 'rm a.txt' > f; date > f; sh f",
        "echo 'rm a.txt' > f; date >> f; sh f",
        "echo 'rm a.txt' > f; date | tee -a f; sh f",
        "echo 'rm a.txt' > f; (date > f); sh f",
        "echo 'rm a.txt' > f; ln f g; date > g; sh f",
        "echo 'rm a.txt' > f; cp b.md f; sh f",
        "mkdir d; echo 'rm a.txt' > d/f; cp -r docs/. d; sh d/f",
        "if [ -n \"$X\" ]; then echo 'rm a.txt' > f; fi; sh f",
        "echo ./f > f; ./f",
        "echo 'sh f; sh f' > f; sh f",
        "echo '#!./f' > f; ./f",
    ],
)
def test_a_text_that_is_not_known_for_sure(text):
    assert is_opaque(text)


def test_each_branch_has_its_own_text():
    text = 'if [ -n "$X" ]; then echo "rm a.txt" > f; else echo "rm b.md" > f; fi; sh f'

    assert set(touched(text)) == {"write f", "delete a.txt", "delete b.md"}
    assert not is_opaque(text)


def test_each_branch_has_its_own_function_and_hard_link():
    either = 'if [ -n "$X" ]; then {}; else {}; fi; '
    functions = either.format("g() { rm a.txt; }", "g() { rm b.md; }") + "g"
    links = either.format("ln docs/x.md f", "ln docs/y.md f") + "echo > f"

    assert touched(functions) == ["delete a.txt", "delete b.md"]
    assert {"write docs/x.md", "write docs/y.md"} <= set(touched(links))


def test_branches_beyond_what_is_followed_are_joined():
    ways = "; ".join(f"cd d{at}" for at in range(5))
    text = f'if [ -n "$X" ]; then g() {{ rm /repo/a.txt; }}; else g() {{ rm /repo/b.md; }}; fi; {ways}; g'

    assert {"delete a.txt", "delete b.md"} <= set(touched(text))


def test_a_directory_stack_that_is_not_known_is_said():
    found = extracted("pushd docs; cd n1; pushd n2; cd n3; cd n4; cd n5; popd; echo > q")

    assert found.opaque
