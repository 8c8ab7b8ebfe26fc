"""What a Python program changes, told from its syntax tree."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.languages.python_code import analyse


def changes(text: str, *argv: str) -> list[str]:
    effects = analyse(text, argv)
    assert effects.unknown == ""
    return [f"{write.op}{'*' if write.recursive else ''} {write.path}" for write in effects.writes]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("open('q', 'w')", ["write q"]),
        ("open('q', mode='a')", ["append q"]),
        ("open(mode='r+', file='q')", ["write q"]),
        ("open('q', 'xb')", ["write q"]),
        ("import io\nio.open('q', 'w')", ["write q"]),
        ("with open('q', 'w') as f:\n    f.write('x')", ["write q"]),
        ("print('x', file=open('q', 'w'))", ["write q"]),
        ("import json\njson.dump({}, open('q', 'w'))", ["write q"]),
        ("from pathlib import Path\nPath('q').write_text('x')", ["write q"]),
        ("from pathlib import Path as P\n(P('d') / 'q').write_bytes(b'')", ["write d/q"]),
        ("import pathlib\np = pathlib.Path('d', 'q')\np.unlink()", ["delete d/q"]),
        ("from pathlib import Path\nPath('q').open('w')", ["write q"]),
        ("from pathlib import Path\nPath('a').rename('b')", ["move_from a", "move_to b"]),
        ("from pathlib import Path\nPath('a').replace('b')", ["move_from a", "move_to b"]),
        ("from pathlib import Path\nPath('d/a.md').with_suffix('.txt').touch()", ["write d/a.txt"]),
        ("from pathlib import Path\n(Path('d/a').parent / 'q').touch()", ["write d/q"]),
        ("import os\nos.remove('q')", ["delete q"]),
        ("import os as o\no.unlink('q')", ["delete q"]),
        ("from os import remove as r\nr('q')", ["delete q"]),
        ("import os\nos.rename('a', 'b')", ["move_from a", "move_to b"]),
        ("import os\nos.open('q', os.O_WRONLY | os.O_CREAT)", ["write q"]),
        ("import os.path\nopen(os.path.join('d', 'q'), 'w')", ["write d/q"]),
        ("import shutil\nshutil.rmtree('d')", ["delete* d"]),
        ("import shutil\nshutil.move('a', 'b')", ["move_from* a", "move_to* b"]),
        ("import shutil\nshutil.copyfile(src='a', dst='b')", ["write b"]),
        ("p = 'd'\nopen(p + '/q', 'w')", ["write d/q"]),
        ("p = 'd'\nopen(f'{p}/q', 'w')", ["write d/q"]),
        ("open('%s/q' % 'd', 'w')", ["write d/q"]),
        ("for n in ['a', 'b']:\n    open(n, 'w')", ["write a", "write b"]),
        ("[open(n, 'w') for n in ('a', 'b')]", ["write a", "write b"]),
        ("for n in 'a b'.split():\n    open(n, 'w')", ["write a", "write b"]),
        ("def save(p):\n    open(p, 'w')\nsave('a')\nsave('b')", ["write a", "write b"]),
        ("a, b = 'x', 'y'\nopen(b, 'w')", ["write y"]),
        ("n = 'a' if 1 else 'b'\nopen(n, 'w')", ["write a", "write b"]),
        ("if (n := 'a'):\n    open(n, 'w')", ["write a"]),
        ("import sys\nopen(sys.argv[1], 'w')", ["write given"]),
        ("exec(\"open('q', 'w')\")", ["write q"]),
        ("import os\nexec(\"os.remove('q')\")", ["delete q"]),
        ("import zipfile\nzipfile.ZipFile('q', 'w')", ["write q"]),
        ("import zipfile\nzipfile.ZipFile('a').extractall('d')", ["write* d"]),
        ("import gzip\ngzip.open('q', 'wt')", ["write q"]),
        ("import pandas as pd\npd.read_csv('a').to_csv('q')", ["write q"]),
        ("import logging\nlogging.basicConfig(filename='q')", ["append q"]),
        ("import urllib.request as u\nu.urlretrieve('http://h', 'q')", ["write q"]),
        ("import xml.etree.ElementTree as E\nt = E.parse('a')\nt.write('q')", ["write q"]),
        ("import sqlite3\nsqlite3.connect('q').execute('create table t(a)')", ["write q"]),
    ],
)
def test_known_calls(text, expected):
    assert changes(text, "-c", "given") == expected


@pytest.mark.parametrize(
    "text",
    [
        "print(1 > 0)",
        "print(open('q').read())",
        "open('q', 'rb')",
        "s = 'open(x, w)'\nprint(s)",
        "import json\nprint(json.load(open('q'))['a'])",
        "from pathlib import Path\nprint(Path('q').read_text().replace('a', 'b'))",
        "from pathlib import Path\nfor p in Path('.').rglob('*.py'):\n    print(p, p.stat().st_size)",
        "import os\nprint(os.listdir('.'), os.path.exists('q'), os.environ.get('X'))",
        "import os\nos.makedirs('d', exist_ok=True)",
        "import re, sys\nprint(re.findall('>', sys.stdin.read()))",
        "import csv\nprint(sum(int(r['v']) > 5 for r in csv.DictReader(open('q'))))",
        "import datetime as d\nprint(d.datetime.now().isoformat())",
        "import sys\nsys.stdout.write('x')",
        "def f(x):\n    return x + 1\nprint(f(1))",
        "class A:\n    def m(self):\n        return 1\nprint(A().m())",
        "f = lambda x: x + 1\nprint(f(1))",
        "import subprocess",
        "import requests\nprint(requests.get('http://h').json())",
        "import sqlite3\nprint(sqlite3.connect('q').execute('select 1').fetchall())",
        "import io\nb = io.StringIO()\nb.write('x')\nprint(b.getvalue())",
        "import tempfile\nf = tempfile.NamedTemporaryFile()\nf.write(b'x')",
        "from collections import Counter\nprint(Counter(open('q').read()).most_common(3))",
        "try:\n    print(1)\nexcept Exception as e:\n    print(e)",
    ],
)
def test_programs_that_only_read(text):
    assert changes(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "open(x, 'w')",
        "open('q', m)",
        "import mine",
        "from . import x",
        "from os import *",
        "import os\nf = os.remove\nf('q')",
        "import os\nlist(map(os.remove, ['q']))",
        "getattr(os, 'remove')('q')",
        "__import__('os').remove('q')",
        "exec(x)",
        "eval(input())",
        "globals()['open']('q', 'w')",
        "import base64\nexec(base64.b64decode('eA=='))",
        "import os\nos.chdir('d')",
        "import glob\nfor f in glob.glob('*.md'):\n    open(f, 'w')",
        "from pathlib import Path\n[p.unlink() for p in Path('d').glob('*')]",
        "import ctypes\nctypes.CDLL('x').f()",
        "import subprocess\nsubprocess.run(x)",
        "import subprocess\nsubprocess.run(['ls'], cwd='d')",
        "from pathlib import Path\nlist(map(Path.unlink, [Path('q')]))",
        "from pathlib import Path\nPath.unlink(Path('q'))",
        "import pathlib\npathlib.Path.write_text(pathlib.Path('q'), 'x')",
        "exec('import os')\nos.remove('q')",
        "import timeit\ntimeit.timeit(\"open('q', 'w')\")",
        "import cProfile\ncProfile.run(\"open('q', 'w')\")",
        "import asyncio\nasyncio.run(asyncio.create_subprocess_exec('rm', 'q'))",
        "x.frobnicate('q')",
        "n = 'a'\nn += 'b'\nopen(n, 'w')",
        "w = open\nw('q', 'w')",
        "import fileinput\nfor l in fileinput.input('q', inplace=True):\n    print(l)",
        "if",
        "x = " + "(" * 100 + "1" + ")" * 100,
        "x = " + "-" * 5000 + "1",
        "\0",
        "x=1\n" * 30_000,
    ],
    ids=range(35),
)
def test_what_is_not_understood(text):
    assert analyse(text).unknown


@pytest.mark.parametrize(
    ("text", "shells", "programs"),
    [
        ("import os\nos.system('rm q')", ["rm q"], []),
        ("import subprocess as s\ns.run('rm q', shell=True)", ["rm q"], []),
        ("import subprocess\nsubprocess.run(['rm', '-f', 'q'])", [], [["rm", "-f", "q"]]),
        ("import subprocess\nsubprocess.check_output('rm q'.split())", [], [["rm", "q"]]),
        ("import subprocess, shlex\nsubprocess.Popen(shlex.split('rm q'))", [], [["rm", "q"]]),
        ("import subprocess\nsubprocess.getoutput('ls')", ["ls"], []),
    ],
)
def test_programs_that_are_started(text, shells, programs):
    effects = analyse(text)

    assert effects.unknown == ""
    assert effects.shells == shells
    assert effects.programs == programs


def test_strings_are_kept_for_what_is_not_understood():
    assert "d/q" in analyse("import mine\nmine.save('d/q')").strings
    assert "d/q" in analyse("mine.save('d/q'").strings
