"""What programs in JavaScript, Ruby, Perl and PHP change, told from their tokens."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.languages import script_code
from phasegate.targets.shell.languages.script_tokens import JAVASCRIPT, PERL, RUBY, tokens_of

ANALYSE = {
    "js": script_code.analyse_javascript,
    "rb": script_code.analyse_ruby,
    "pl": script_code.analyse_perl,
    "php": script_code.analyse_php,
}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("js", "require('fs').writeFileSync('q', 'x')", ["write q"]),
        (
            "js",
            "const fs = require('fs'); const p = 'q'; fs.writeFileSync(p, fs.readFileSync(p, 'utf8').replace('a', 'b'))",
            ["write q"],
        ),
        ("js", "import fs from 'fs'; fs.appendFileSync(`q`, 'x')", ["append q"]),
        ("js", "const {unlinkSync} = require('fs'); unlinkSync('q')", ["delete q"]),
        ("js", "require('fs').promises.writeFile('q', 'x').then(() => console.log('ok'))", ["write q"]),
        (
            "js",
            "const fs = require('fs'), path = require('path'); fs.rmSync(path.join('d', 'q'), {recursive: true})",
            ["delete* d/q"],
        ),
        ("js", "require('fs').renameSync('a', 'b')", ["move_from a", "move_to b"]),
        ("js", "require('fs').copyFileSync('a', 'b')", ["write b"]),
        ("js", "require('fs').createWriteStream('d/' + 'q')", ["write d/q"]),
        ("js", "require('fs').openSync('q', 'w')", ["write q"]),
        ("js", "await Bun.write('q', 'x')", ["write q"]),
        ("js", "Deno.writeTextFileSync('q', 'x')", ["write q"]),
        ("rb", "File.write('q', 'x')", ["write q"]),
        ("rb", "File.open('q', 'w') { |f| f.puts 'x' }", ["write q"]),
        ("rb", 'File.open("q", "a") do |f| f << \'x\' end', ["append q"]),
        ("rb", "File.delete 'a', 'b'", ["delete a", "delete b"]),
        ("rb", "require 'fileutils'; FileUtils.rm_rf('d')", ["delete* d"]),
        ("rb", "FileUtils.mv('a', 'b')", ["move_from a", "move_to b"]),
        ("rb", "p = 'q'; IO.write(p, 1)", ["write q"]),
        ("rb", "open('q', 'w') { }", ["write q"]),
        ("pl", "open(F, '>', 'q'); print F 1", ["write q"]),
        ("pl", "open(my $fh, '>>', \"q\") or die", ["append q"]),
        ("pl", "open F, '>q'", ["write q"]),
        ("pl", "unlink 'a', 'b'", ["delete a", "delete b"]),
        ("pl", "rename 'a', 'b' or die", ["move_from a", "move_to b"]),
        ("pl", "my $f = 'q'; truncate($f, 0)", ["truncate q"]),
        ("pl", "use File::Path; rmtree('d')", ["delete* d"]),
        ("pl", "copy('a', 'b')", ["write b"]),
        ("php", "file_put_contents('q', 'x');", ["write q"]),
        ("php", "file_put_contents('q', 'x', FILE_APPEND);", ["append q"]),
        ("php", "$f = fopen('q', 'w'); fwrite($f, 1);", ["write q"]),
        ("php", "fopen('q', 'c');", ["write q"]),
        ("php", "unlink('q');", ["delete q"]),
    ],
)
def test_known_calls(language, text, expected):
    effects = ANALYSE[language](text)

    assert effects.unknown == ""
    assert [f"{w.op}{'*' if w.recursive else ''} {w.path}" for w in effects.writes] == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("js", "console.log(1 > 0)"),
        ("js", "const f = (a) => a > 1; console.log(f(2))"),
        ("js", "console.log(require('fs').readFileSync('q', 'utf8').length)"),
        (
            "js",
            "const j = require('./data.json'); console.log((j.items || []).map(s => s.a || s.b).join(' → '))",
        ),
        ("js", "fetch('http://h').then(r => r.json()).then(console.log)"),
        ("js", "process.stdout.write('x'); // fs.writeFileSync('q')"),
        ("js", "console.log('fs.writeFileSync(1)', /exec\\(/.test('x'), 4 / 2 / 1)"),
        ("js", "(async () => { console.log(await Promise.all([1])) })()"),
        ("js", "function f(cb) { return cb(1) } console.log(f(x => x))"),
        ("js", "console.log(`a ${1 + 1} b`)"),
        ("rb", "puts File.read('q').lines.count"),
        ("rb", "puts [1, 2].map { |x| x * 2 }.sum"),
        ("rb", "require 'json'; puts JSON.parse(File.read('q'))['a']"),
        ("rb", "h = {a: 1}; h.delete(:a); puts h"),
        ("rb", "puts 'system(1)'; $stdout.write('x')"),
        ("rb", "File.open('q') { |f| puts f.read }"),
        ("rb", "def f(x) x + 1 end; puts f(1)"),
        ("rb", "print if /a > b/"),
        ("pl", "print if $. > 2"),
        ("pl", "open(F, '<', 'q'); print scalar <F>"),
        ("pl", "s/a/b/g; print"),
        ("pl", "print join(',', map { $_ * 2 } (1..3)), \"\\n\""),
        ("pl", "$h{open} = 1; print q(unlink), qw(rm x)"),
        ("pl", "local $/; open F, 'q'; $_ = <F>; tr/a-z/A-Z/; print"),
        ("pl", "use List::Util qw(sum); print sum(1, 2)"),
        ("php", "echo strlen(file_get_contents('q'));"),
        ("php", "print_r(json_decode(file_get_contents('q'), true)['a']);"),
        ("php", "foreach ([1, 2] as $x) { echo $x > 1; } // unlink('q')"),
    ],
)
def test_programs_that_only_read(language, text):
    effects = ANALYSE[language](text)

    assert effects.unknown == ""
    assert not effects.writes
    assert not effects.shells


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("js", "require('fs').writeFileSync(p, 'x')"),
        ("js", "require('fs')['unlinkSync']('q')"),
        ("js", "const {unlinkSync: u} = require('fs'); u('q')"),
        ("js", "const w = require('fs').writeFileSync; w('q')"),
        ("js", "require('./mine.js')"),
        ("js", "eval('1')"),
        ("js", "import('./x.js')"),
        ("js", "new Function('x')()"),
        ("js", "frobnicate('q')"),
        ("js", "require('fs').writeFileSync(`${x}/q`, 'x')"),
        ("js", "'unterminated"),
        ("js", "a.b(c);" * 9000),
        ("rb", "eval('x')"),
        ("rb", "File.send(:delete, 'q')"),
        ("rb", "Dir.glob('*').each { |f| File.delete(f) }"),
        ("rb", "require 'pathname'; Pathname.new('q').delete"),
        ("rb", "F = File; F.write('q', 1)"),
        ("rb", "load 'x.rb'"),
        ("rb", "frobnicate 'q'"),
        ("rb", "x = <<~E\nq\nE\n"),
        ("pl", "eval $x"),
        ("pl", "do 'x.pl'"),
        ("pl", "unlink glob('*')"),
        ("pl", "open(F, $mode, 'q')"),
        ("pl", "@ARGV = ('q'); $^I = ''; print while <>"),
        ("pl", "&$f('q')"),
        ("pl", "s/a/unlink 'q'/ee"),
        ("php", "$f('q');"),
        ("php", "array_map('unlink', ['q']);"),
        ("php", "include 'x.php';"),
        ("php", "eval('x');"),
    ],
    ids=range(31),
)
def test_what_is_not_understood(language, text):
    assert ANALYSE[language](text).unknown


@pytest.mark.parametrize(
    ("language", "text", "shells", "programs"),
    [
        ("js", "require('child_process').execSync('rm q')", ["rm q"], []),
        ("js", "require('child_process').spawnSync('rm', ['-f', 'q'])", [], [["rm", "-f", "q"]]),
        ("rb", "system('rm q')", ["rm q"], []),
        ("rb", "`rm q`", ["rm q"], []),
        ("rb", "system('rm', 'q')", [], [["rm", "q"]]),
        ("rb", "%x(rm q)", ["rm q"], []),
        ("pl", "system('rm q')", ["rm q"], []),
        ("pl", "print `rm q`, qx(ls)", ["rm q", "ls"], []),
        ("pl", "open(P, 'rm q |')", ["rm q "], []),
        ("pl", "s/a/system('rm q')/e", ["rm q"], []),
        ("php", "exec('rm q');", ["rm q"], []),
        ("php", "echo `rm q`;", ["rm q"], []),
    ],
)
def test_programs_that_are_started(language, text, shells, programs):
    effects = ANALYSE[language](text)

    assert effects.shells == shells
    assert effects.programs == programs


@pytest.mark.parametrize(
    ("language", "text", "strings"),
    [
        (JAVASCRIPT, "'a' + \"b\" + `c`", ["a", "b", "c"]),
        (JAVASCRIPT, "x = a / 2; '/'", ["/"]),
        (JAVASCRIPT, "x.replace(/'/g, 'q')", ["q"]),
        (RUBY, "%q(a (b) c) + 'd'", ["a (b) c", "d"]),
        (RUBY, "x = 5 % 3; 'q'", ["q"]),
        (PERL, "q{a {b} c} . qq/d/", ["a {b} c", "d"]),
        (PERL, "$h{y} = 'q'", ["q"]),
        (PERL, "'it''s'", ["it", "s"]),
    ],
)
def test_strings_are_told_from_code(language, text, strings):
    assert [token.value for token in tokens_of(text, language) if token.kind == "string"] == strings
