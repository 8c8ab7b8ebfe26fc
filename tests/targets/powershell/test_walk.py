"""PowerShell text: what its file commands change, and that a doubt is never silence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasegate.core.call import Effect
from phasegate.targets.powershell import powershell_targets
from phasegate.targets.shell.report import ShellTargets
from support.target_calls import PLAN, RUN, extraction, site, touched, windows_view


def run(command: str) -> list[str]:
    found = extraction("PowerShell", {"command": command})

    assert found.effect is Effect.EXECUTE
    return touched(found) + [f"? {reason.why}" for reason in found.opaque]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"Set-Content {PLAN} x", [f"write {PLAN}"]),
        (f"Set-Content -Value x -Path {PLAN}", [f"write {PLAN}"]),
        (f"Set-Content -Val x -Pat:{PLAN}", [f"write {PLAN}"]),
        (f"set-content -LiteralPath '{PLAN}' x", [f"write {PLAN}"]),
        (f"Microsoft.PowerShell.Management\\Set-Content {PLAN} x", [f"write {PLAN}"]),
        (f"Set-Content `\n  -Path {PLAN} `\n  -Value x", [f"write {PLAN}"]),
        (f"Set-Content FileSystem::{PLAN} x", [f"write {PLAN}"]),
        (f"'x' | Set-Content {PLAN}", [f"write {PLAN}"]),
        (f"@'\nhello\n'@ | Set-Content {PLAN}", [f"write {PLAN}"]),
        (f"sc {PLAN} x", [f"write {PLAN}"]),
        (f"Add-Content {PLAN} x", [f"append {PLAN}"]),
        (f"Clear-Content {PLAN}", [f"truncate {PLAN}"]),
        (f"'x' | Out-File {PLAN} -Append", [f"append {PLAN}"]),
        (f"'x' | Tee-Object {PLAN}", [f"write {PLAN}"]),
        (f"Get-Process | Export-Csv -NoTypeInformation -Path {PLAN}", [f"write {PLAN}"]),
        (f"Start-Transcript {PLAN}", [f"write {PLAN}"]),
        (f"iwr http://x -OutFile {PLAN}", [f"write {PLAN}"]),
        (f"Expand-Archive a.zip -DestinationPath {RUN}", [f"write* {RUN}"]),
        (f"Remove-Item -Path a.md,{PLAN}", ["delete a.md", f"delete {PLAN}"]),
        (f"Remove-Item @('a.md', '{PLAN}')", ["delete a.md", f"delete {PLAN}"]),
        ("ri -Recurse -Force .recursive", ["delete* .recursive"]),
        (f"ri {RUN}/*.md", [f"delete {RUN}/00-requirements.md", f"delete {PLAN}"]),
        (f"ri -LiteralPath {RUN}/*.md", [f"delete {RUN}/*.md"]),
        (f"del /q {PLAN}", [f"delete {PLAN}"]),
        (f"Move-Item {PLAN} x.md", [f"move_from {PLAN}", "move_to x.md"]),
        ("mv src/app.py docs", ["move_from src/app.py", "move_to docs", "move_to docs/app.py"]),
        (f"Copy-Item -Path src/app.py -Dest {PLAN}", [f"write {PLAN}"]),
        ("Copy-Item src/app.py alias", [f"write {RUN}", f"write {RUN}/app.py"]),
        (f"Rename-Item {PLAN} x.md", [f"move_from {PLAN}", f"move_to {RUN}/x.md"]),
        (f"New-Item {PLAN} -Force", [f"write {PLAN}"]),
        (f"New-Item -Path {RUN} -Name x.md -ItemType File", [f"write {RUN}/x.md"]),
        (f"Set-Acl {PLAN} $acl", [f"chmod {PLAN}"]),
        (f"'x' > {PLAN}", [f"write {PLAN}"]),
        (f"'x' >> {PLAN}", [f"append {PLAN}"]),
        (f"git log *> {PLAN} 2>&1", [f"write {PLAN}"]),
        (f"[IO.File]::WriteAllText('{PLAN}', 'x')", [f"write {PLAN}"]),
        (f"[System.IO.File]::AppendAllText('{PLAN}', 'x')", [f"append {PLAN}"]),
        (f"[IO.File]::Move('{PLAN}', 'x')", [f"move_from {PLAN}", "move_to x"]),
        (f"[IO.Directory]::Delete('{RUN}', $true)", [f"delete* {RUN}"]),
        (f"$w = [IO.StreamWriter]::new('{PLAN}')", [f"write {PLAN}"]),
        (f"$w = New-Object IO.StreamWriter('{PLAN}')", [f"write {PLAN}"]),
        (f"(New-Object Net.WebClient).DownloadFile('http://x', '{PLAN}')", [f"write {PLAN}"]),
    ],
)
def test_file_commands_name_their_files(command, expected):
    assert run(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        f"$p = '{PLAN}'; Set-Content $p x",
        f'[string]$p = "{PLAN}"\nSet-Content -Path $p x',
        f"$d = '{RUN}'; Set-Content \"$d/02-to-be-plan.md\" x",
        f"Set-Content (Join-Path {RUN} 02-to-be-plan.md) x",
        f"Set-Content $PWD/{PLAN} x",
        f"cd {RUN}; Set-Content 02-to-be-plan.md x",
        "sl alias; Set-Content 02-to-be-plan.md x",
        f"if (Test-Path {PLAN}) {{ Set-Content {PLAN} x }} else {{ 'no' }}",
        f"foreach ($n in 1..3) {{ Set-Content {PLAN} $n }}",
        f"try {{ Set-Content {PLAN} x }} catch {{ }}",
        f"function f {{ Set-Content {PLAN} x }}; f2 = 1",
        f"1..2 | ForEach-Object {{ Set-Content {PLAN} $_ }}",
        f"& {{ Set-Content {PLAN} x }}",
        f"return Set-Content {PLAN} x",
        f'"a$(Set-Content {PLAN} x)b"',
        f"Invoke-Expression 'Set-Content {PLAN} x'",
        f'pwsh -NoProfile -Command "Set-Content {PLAN} x"',
        f"powershell.exe -c {{ Set-Content {PLAN} x }}",
        f'cmd /c "echo x > {PLAN}"',
        f"Get-Item a & Set-Content {PLAN} x",
        f"<# why #> Set-Content {PLAN} x # done",
    ],
)
def test_follows_directories_variables_and_nested_code(command):
    assert f"write {PLAN}" in run(command)


def test_pushd_is_undone_by_popd():
    assert run("pushd src; Set-Content a x; popd; Set-Content b x") == ["write src/a", "write b"]


def test_a_directory_that_may_not_exist_leaves_both_possible():
    assert run("cd nowhere; Set-Content a x") == ["write nowhere/a", "write a"]


def test_dotnet_starts_from_where_the_process_began():
    assert run("cd src; [IO.File]::Delete('a')") == ["delete a", "delete src/a"]


@pytest.mark.parametrize(
    "command",
    [
        f"git checkout -- {PLAN}",
        f"sed -i s/a/b/ {PLAN}",
        f"rm -rf {RUN}",
        f"Start-Process rm -ArgumentList '-f', '{PLAN}'",
        f"C:\\tools\\git.exe checkout -- {PLAN}",
    ],
)
def test_programs_are_judged_like_in_any_shell(command):
    assert any(".recursive" in line for line in run(command))


@pytest.mark.parametrize(
    "command",
    [
        f"Get-ChildItem {RUN} | Remove-Item",
        f"gci {RUN} | % {{ Remove-Item $_ }}",
        f"& ./seal.ps1 {PLAN}",
        f". ./seal.ps1 {PLAN}",
        f"$p = Get-Item {PLAN}; $p.Delete()",
        f"(Get-Item {PLAN}).MoveTo('x')",
        f"$f = '{PLAN}'; $f += 'x'; Set-Content $f y",
        f"$f = '{PLAN}'; $f = 'b'; Remove-Item $f",
        f"python x.py {PLAN}",
        f"Invoke-Foo {PLAN}",
        f"& $command {PLAN}",
        f"Set-Content 'unterminated {PLAN}",
        f"pwsh -File x.ps1 {PLAN}",
        f"[Foo.Bar]::Baz('{PLAN}')",
    ],
)
def test_what_cannot_be_known_is_opaque_and_keeps_its_words(command):
    """The words are what a later rule looks for, so the protected one has to be among them."""
    found = extraction("PowerShell", {"command": command})

    assert any(f"/repo/{RUN}" in word for reason in found.opaque for word in reason.words)


@pytest.mark.parametrize(
    "command",
    [
        "powershell -EncodedCommand ZQBjAGgAbwA=",
        "Invoke-Expression $command",
        "[Reflection.Assembly]::Load($bytes)",
        "icm { param($p) ri $p } -ArgumentList x",
        "Set-Content $name x",
        "{" * 100,
        "(" * 60 + ")" * 60,
        "'" + "x" * 300_000 + "'",
        "Invoke-Expression 'Invoke-Expression $x'",
    ],
)
def test_computed_and_unreadable_text_is_opaque(command):
    assert any(line.startswith("?") for line in run(command))


def test_a_pipeline_into_a_delete_says_where_it_could_delete():
    found = extraction("PowerShell", {"command": "Get-ChildItem -Recurse | Remove-Item"})

    assert found.opaque[0].destroys == ("/repo",)


@pytest.mark.parametrize(
    "command",
    [
        "Get-Content a.md",
        f"Get-Content {PLAN} | Select-String '> '",
        f"Get-FileHash {PLAN}",
        f"Test-Path {PLAN}",
        "Get-ChildItem -Recurse | Where-Object { $_.Length -gt 1kb } | Select-Object Name",
        "Get-Process > $null",
        "Get-Item nope 2>$null",
        "Write-Output 'a > b'",
        'Write-Host "a > b"',
        f"Remove-Item {PLAN} -WhatIf",
        f"# Set-Content {PLAN} x",
        "Get-Help Out-File",
        "Write-Output 'Set-Content x y'",
        "if (3 -gt 2) { 'y' }",
        "$x = 5; $x + 1",
        "for ($i = 0; $i -lt 3; $i++) { $i }",
        "'a', 'b' | ForEach-Object { $_.ToUpper() }",
        "(Get-Content a | Measure-Object -Line).Lines",
        "[math]::Round(1.5)",
        "[IO.File]::ReadAllText('a')",
        "[string]::Join(',', @(1, 2))",
        "$env:PATH -split ';'",
        "@{ a = 1; b = 2 }.Count",
        "$h = @{ Path = 'a' }; Get-Content @h",
        "mkdir out",
        "New-Item -ItemType Directory -Path out",
        "cd docs; ls",
        "git status",
        "exit 0",
        "Set-ItemProperty HKCU:\\Software\\x -Name a -Value 1",
        "",
    ],
)
def test_readers_change_nothing(command):
    assert touched(extraction("PowerShell", {"command": command})) == []
    assert extraction("PowerShell", {"command": command}).opaque == ()


def test_a_windows_workspace_is_judged_with_its_own_paths():
    found = extraction(
        "run_in_terminal",
        {"command": "del /q docs\\a.txt; Set-Content C:\\W\\x y"},
        view=windows_view(),
        cwd="C:\\w",
        root="C:\\w",
    )

    assert [(target.op, target.path) for target in found.targets] == [
        ("delete", "C:/w/docs/a.txt"),
        ("write", "C:/W/x"),
    ]


def native(_argv: list[str], _cwd: str) -> ShellTargets:
    return ShellTargets()


ALPHABET = st.sampled_from(
    [*list("$@(){}[]'\"`;|&<>#=,.:-*?% \nax1"), "::", "Set-Content ", "$x", "@'\n", "\n'@", "if ", "cd "]
)


@settings(max_examples=300)
@given(st.lists(ALPHABET, max_size=40).map("".join))
def test_never_raises_on_any_text(text):
    found = powershell_targets(text, site(), native)

    assert all(target.path.startswith("/") for target in found.targets)
