"""Package managers and build tools: reading verbs pass, the rest is opaque."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize(
    "text",
    [
        "npm ls", "npm view x", "npm pkg get name", "npm config get registry", "npm outdated", "npm audit", "npm --version", "yarn why x", "pnpm list",
        "pip list", "pip freeze", "pip show x", "python -m pip list", "uv pip list", "poetry show", "cargo tree", "cargo --version", "go version",
        "go list ./...", "go env", "go vet ./...", "terraform plan", "terraform fmt -check", "helm list", "make -n plan", "make -sn", "make --dry-run",
        "just --list", "apt list", "apt-get install -s x", "brew list", "dpkg -l", "conda env list", "systemctl status x", "crontab -l", "tmux ls",
        "black --check src", "prettier --check docs", "ruff check src", "npx tsc --noEmit", "npx eslint src", "pytest --collect-only", "mvn --version",
        "gradle tasks", "docker-compose ps", "cargo publish --dry-run", "nvm ls", "pyenv versions", "git --version", "hatch env show",
    ],
)  # fmt: skip
def test_reading(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "npm test", "npm run build", "npm install", "npm ci", "npm audit fix", "npx x", "yarn", "yarn build", "pnpm i", "pip install x", "pytest",
        "pytest -q tests", "python -m pytest", "uv run pytest", "cargo build", "cargo test", "cargo fmt", "go build ./...", "go run ./x", "go env -w A=b",
        "terraform apply", "make", "make plan", "just seal", "gradle build", "mvn package", "helm pull x", "docker-compose up", "black src",
        "ruff check --fix .", "npx prettier --write .", "crontab x", "tox", "tsc", "./gradlew build", "frobnicate a.txt", "java -jar x.jar",
    ],
)  # fmt: skip
def test_everything_else(text):
    assert is_opaque(text)
    assert touched(text) == []


def test_the_words_of_an_opaque_command_are_told():
    found = extracted("frobnicate -v --out=docs/q .recursive/run/r1/02-to-be-plan.md -oout/z")

    words = found.opaque[0].words
    assert {"/repo/.recursive/run/r1/02-to-be-plan.md", "/repo/docs/q", "/repo/out/z"} <= set(words)
    assert found.opaque[0].cwds == ("/repo",)
    assert found.opaque[0].destroys == ()


def test_links_in_the_words_are_followed():
    assert "/repo/docs/x.md" in extracted("frobnicate link.md").opaque[0].words


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("npx prettier --write a.txt", ["write a.txt"]),
        ("npx -y -p x prettier -w a.txt", ["write a.txt"]),
        ("uv run black a.py", ["write a.py"]),
        ("poetry run black a.py", ["write a.py"]),
        ("bundle exec rimraf docs", ["delete* docs"]),
        ("npm pkg set a=b", ["write package.json"]),
        ("go build -o q ./x", ["write q"]),
        ("terraform plan -out=q", ["write q"]),
        ("helm template x --output-dir out", ["write* out"]),
    ],
)
def test_programs_behind_runners_and_known_files(text, targets):
    assert touched(text) == targets


def test_a_long_part_is_cut():
    found = extracted("frobnicate " + "x" * 5000)

    assert len(found.opaque[0].part) == 200
