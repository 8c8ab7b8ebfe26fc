"""Redirections name files; sinks, descriptors and comparisons do not."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize("operator", [">", ">|", "&>", "1>", "2>", "<>", "5>", ">&"])
def test_operators_that_write(operator):
    assert touched(f"echo x {operator} out/f") == ["write out/f"]


@pytest.mark.parametrize("operator", [">>", "&>>", "2>>"])
def test_operators_that_append(operator):
    assert touched(f"echo x {operator} out/f") == ["append out/f"]


@pytest.mark.parametrize(
    "text",
    [
        "> out/f",
        "> out/f echo x",
        "echo > out/f x y",
        "echo x>out/f",
        "{ echo a; echo b; } > out/f",
        "( cd docs; ls ) > out/f",
        "if true; then echo x; fi > out/f",
        "for i in a; do echo $i; done > out/f",
        "while read l; do echo $l; done < a.txt > out/f",
        "case x in x) echo y;; esac > out/f",
        "f() { echo x; } > out/f; f",
        "[[ -f a ]] > out/f",
        "! ls > out/f",
        "time ls > out/f",
        "exec > out/f",
        "exec {fd}> out/f",
        "coproc ls > out/f",
        "ls 2>&1 >out/f",
        "ls >out/f 2>&1",
        "[ 5 > out/f ]",
        "echo x >\\\nout/f",
    ],
)
def test_redirections_on_any_command(text):
    assert touched(text) == ["write out/f"]


@pytest.mark.parametrize(
    "text",
    [
        "ls 2>/dev/null",
        "ls &>/dev/null",
        "ls 2>&1",
        "echo x >&2",
        "echo x 1>&2",
        "ls >&-",
        "exec 3<&-",
        "exec 3<a.txt",
        "ls 3>&1 1>&2 2>&3",
        "echo x > /dev/stderr",
        "echo x > /dev/tty",
        "echo x > /dev/fd/2",
        "echo x > /dev/tcp/127.0.0.1/80",
        'ls > "/dev/null"',
        "echo 'a > b'",
        'echo "a > b"',
        "echo a \\> b",
        "echo x # > b",
        "[[ a > b ]]",
        "(( 2 > 1 ))",
        "echo $((2 > 1))",
        "awk 'NR > 1' a.txt",
        "cat <<EOF\na > b\nEOF",
        "cat <<< 'a > b'",
    ],
)
def test_what_only_looks_like_one(text):
    assert is_clean(text)


def test_a_file_that_is_not_known_is_opaque():
    assert is_opaque("echo x > $F")
    assert is_opaque("echo x >& $F")


def test_the_cause_and_its_place_are_told():
    (target,) = extracted("echo héllo >> out/f").targets

    assert target.via == ">>"
    assert target.typed == "out/f"
    assert target.span == (11, 19)


def test_positions_count_characters_not_bytes():
    (target,) = extracted("echo 'ü→𝄞' > out/f").targets

    assert target.span == (11, 18)


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        ("echo hi > out/f", "replace", "hi\n"),
        ("echo -n hi > out/f", "replace", "hi"),
        ("printf '%s\\n' a b > out/f", "replace", "a\nb\n"),
        ("cat <<'EOF' > out/f\nStatus: LOCKED\nEOF", "replace", "Status: LOCKED\n"),
        ("cat > out/f <<-EOF\n\ttabs\n\tEOF", "replace", "tabs\n"),
        ("cat > out/f <<< text", "replace", "text\n"),
        ("V=x; cat <<EOF >> out/f\n$V\nEOF", "append", "x\n"),
        ("{ echo a; echo b; } > out/f", "replace", "a\nb\n"),
        ("echo x | tee out/f > /dev/null", "replace", "x\n"),
        ("echo x | tee -a out/f > /dev/null", "append", "x\n"),
        ("echo x | cat | cat > out/f", "replace", "x\n"),
        (": > out/f", "replace", ""),
        ("bash -c 'echo x > out/f'", "replace", "x\n"),
        ("for i in 1 2; do echo $i; done > out/f", "replace", "1\n2\n"),
    ],
)
def test_a_literal_text_is_told(text, kind, content):
    (target,) = extracted(text).targets

    assert target.change is not None
    assert (target.change.kind, target.change.text) == (kind, content)


@pytest.mark.parametrize(
    "text",
    [
        "sed 's/DRAFT/LOCKED/' a.txt > out/f",
        "cat - b.md <<EOF > out/f\nStatus: LOCKED\nEOF",
        "sed -i s/DRAFT/LOCKED/ out/f",
        "ls nope 2> out/f # LOCKED",
        "perl -pi -e 's/DRAFT/LOCKED/' out/f",
    ],
)
def test_the_source_is_told_where_the_text_is_not(text):
    """A rule can still look for a word in it."""
    (target,) = extracted(text).targets

    assert target.change is not None
    assert target.change.kind == "unknown"
    assert "LOCKED" in target.change.text or "LOCKED" not in text.partition("#")[0]


def test_a_here_document_without_its_body_is_opaque():
    """The parser loses the body behind a `[[ ... ]]` at the end of the line."""
    assert is_opaque("cat <<EOF && [[ a = b ]]\nrm x\nEOF")


def test_an_empty_here_document_is_fine():
    assert touched("cat <<EOF > out/f\nEOF") == ["write out/f"]
    assert not is_opaque("cat <<EOF > out/f\nEOF")


def test_a_carriage_return_is_part_of_the_name():
    assert touched("echo x > out/f\r\necho y\r\n") == ["write out/f\r"]
