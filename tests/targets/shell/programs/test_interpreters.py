"""Where the program text of an interpreter is, and what its calls change."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize(
    "text",
    [
        "python3 -c \"open('q','w')\"", "python -c \"open('q','w')\"", "python3.12 -c \"open('q','w')\"", "python3 -Ic \"open('q','w')\"",
        "python3 -u -W ignore -c \"open('q','w')\"", "python3 - <<'E'\nopen('q','w')\nE", "python3 <<< \"open('q','w')\"",
        "echo \"open('q','w')\" | python3", "cat <<'E' | python3 -\nopen('q','w')\nE", "/usr/bin/env python3 -c \"open('q','w')\"",
        ".venv/bin/python -c \"open('q','w')\"", "python3 -c \"import sys; open(sys.argv[1],'w')\" q", "python3 - q <<'E'\nimport sys\nopen(sys.argv[1],'w')\nE",
        "uv run python -c \"open('q','w')\"", "node -e \"require('fs').writeFileSync('q','x')\"", "node --eval=\"require('fs').writeFileSync('q','x')\"",
        "node <<'E'\nrequire('fs').writeFileSync('q','x')\nE", "node -e \"require('fs').writeFileSync(process.argv[1],'x')\" q",
        "bun -e \"await Bun.write('q','x')\"", "deno eval \"Deno.writeTextFileSync('q','x')\"", "ruby -e 'File.write(\"q\",\"x\")'",
        "ruby -e 'File.write(ARGV[0],1)' q", "perl -e 'open(F,\">\",\"q\")'", "perl -E 'open(F,\">\",$ARGV[0])' q", "php -r 'file_put_contents(\"q\",1);'",
        "php -r 'touch($argv[1]);' q", "python3 -c \"import os; os.system('touch q')\"", "F=q; python3 -c \"open('$F','w')\"",
        "python3 -c $'import io\\nopen(\\'q\\',\\'w\\')'",
    ],
)  # fmt: skip
def test_program_text_in_every_place(text):
    assert touched(text) == ["write q"]
    assert not is_opaque(text)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("perl -pi -e 's/a/b/' a.txt b.md", ["write a.txt", "write b.md"]),
        ("perl -i.bak -pe 's/a/b/' a.txt", ["write a.txt", "write a.txt.bak"]),
        ("perl -0pi -e 's/a/b/' a.txt", ["write a.txt"]),
        ("perl -p -i -e 's/a/b/' a.txt", ["write a.txt"]),
        ("perl -ni -e 'print' a.txt", ["write a.txt"]),
        ("ruby -pi -e 'gsub(/a/, %q(b))' a.txt", ["write a.txt"]),
        ("ruby -i.o -ne 'print' a.txt", ["write a.txt", "write a.txt.o"]),
        ("python3 -m json.tool data.json q", ["write q"]),
        ("python3 -m zipfile -e q.zip out", ["write* out"]),
        ("python3 -m venv out/v", ["write* out/v"]),
        ("python3 -m black a.py", ["write a.py"]),
    ],
)
def test_editing_in_place_and_modules(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    ["python3 x.py", "python3 x.py a.txt", "python3 -m mypackage", "python3", "python3 < x.py", 'python3 -c "$X"', "node x.js", "node -r ./x.js -e 1", "ruby x.rb",
     "perl x.pl", "php x.php", "lua -e 'x()'", "Rscript x.R", "deno run x.ts", "python3 -m pytest", "node --test", "perl -Mmine -e 1", "ruby -r./x -e 1"],
)  # fmt: skip
def test_programs_out_of_sight(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    "text",
    ["python3 --version", "python3 -V", "node -v", "node --version", "ruby -v", "perl -v", "php -v", "php -l x.php", "node -c x.js", "ruby -c x.rb", "perl -c x.pl",
     "python3 -m json.tool data.json", "python3 -m json.tool < data.json", "python3 -m http.server", "python3 -m this", "python3 -m pip list",
     "python3 -c \"print(open('$X').read())\"", "perl -ne 'print if /a > b/' a.txt", "ruby -ne 'print' a.txt", "node -p '1 > 0'"],
)  # fmt: skip
def test_reading(text):
    assert is_clean(text)


def test_strings_of_a_program_that_is_not_understood_are_its_words():
    found = extracted("python3 -c \"import x; x.f('.recursive/run/r1/02-to-be-plan.md')\"")

    assert "/repo/.recursive/run/r1/02-to-be-plan.md" in found.opaque[0].words


def test_a_copy_into_a_directory_keeps_its_name():
    assert touched("python3 -c \"import shutil; shutil.copy('a.txt', 'docs')\"") == ["write docs/a.txt"]


def test_paths_are_relative_to_the_directory_of_the_command():
    assert touched("cd docs && python3 -c \"open('x.md','w')\"") == ["write docs/x.md"]


def test_links_are_followed():
    assert touched("python3 -c \"open('link.md','a')\"") == ["append docs/x.md"]


@pytest.mark.parametrize(
    "text",
    [
        "python3 -c \"import os; os.symlink('docs/x.md', 'q')\"; echo > q",
        "python3 -c \"import os; os.symlink('docs/x.md', 'q'); open('q', 'w')\"",
        "python3 -c \"import os; os.symlink('docs', 'q'); open('q/x.md', 'w')\"",
        "python3 -c \"from pathlib import Path; Path('q').symlink_to('docs/x.md'); Path('q').write_text('')\"",
        "python3 -c \"import os; os.link('docs/x.md', 'q'); open('q', 'w')\"",
        "python3 -c \"from pathlib import Path; Path('q').hardlink_to('docs/x.md'); Path('q').write_text('')\"",
        "python3 -c \"import os; os.symlink('docs/x.md', 'r'); os.rename('r', 'q')\"; echo > q",
        "python3 -c \"import os; os.link('docs/x.md', 'r'); os.replace('r', 'q'); open('q', 'w')\"",
        'ruby -e \'File.symlink("docs/x.md", "q"); File.write("q", "")\'',
        'ruby -e \'FileUtils.ln_sf("docs", "q"); File.write("q/x.md", "")\'',
        'node -e \'fs.symlinkSync("docs/x.md", "q"); fs.writeFileSync("q", "")\'',
        'node -e \'fs.linkSync("docs/x.md", "q"); fs.writeFileSync("q", "")\'',
        'perl -e \'symlink "docs/x.md", "q"; open F, ">", "q"\'',
        'perl -e \'link "docs/x.md", "r"; rename "r", "q"; open F, ">", "q"\'',
        'php -r \'symlink("docs/x.md", "q"); file_put_contents("q", "");\'',
    ],
)
def test_a_write_through_a_link_that_the_program_made(text):
    assert "write docs/x.md" in touched(text)
    assert not is_opaque(text)


def test_a_link_is_reported_with_where_it_leads():
    (target,) = extracted("python3 -c \"import os; os.symlink('docs/x.md', 'q')\"").targets

    assert target.source == "/repo/docs/x.md"


def test_a_move_is_reported_with_where_it_came_from():
    (_, target) = extracted("python3 -c \"import os; os.rename('a.txt', 'q')\"").targets

    assert (target.op, target.source) == ("move_to", "/repo/a.txt")
