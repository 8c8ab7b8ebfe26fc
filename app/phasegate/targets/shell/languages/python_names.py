"""Functions and methods of Python, by what they do to files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.core.call import TargetOp


@dataclass(frozen=True, slots=True)
class Changes:
    """An argument that names a file to be changed.

    `into`: the position of the source whose base name is added when the argument names
    a directory. `op`, `recursive` and `follow` as in a target.
    """

    position: int
    keyword: str
    op: TargetOp
    recursive: bool = False
    follow: bool = True
    into: int | None = None


def _one(
    keyword: str, op: TargetOp, *, tree: bool = False, follow: bool = True, at: int = 0
) -> tuple[Changes, ...]:
    return (Changes(at, keyword, op, tree, follow),)


_MOVES = (Changes(0, "src", "move_from", follow=False), Changes(1, "dst", "move_to", follow=False))

WRITES: Mapping[str, tuple[Changes, ...]] = {
    "os.remove": _one("path", "delete", follow=False),
    "os.unlink": _one("path", "delete", follow=False),
    "os.rmdir": _one("path", "delete", follow=False),
    "os.removedirs": _one("name", "delete", follow=False),
    "os.rename": _MOVES,
    "os.renames": (Changes(0, "old", "move_from", follow=False), Changes(1, "new", "move_to", follow=False)),
    "os.replace": _MOVES,
    "os.truncate": _one("path", "truncate"),
    "os.chmod": _one("path", "chmod"),
    "os.lchmod": _one("path", "chmod", follow=False),
    "os.chown": _one("path", "chmod"),
    "os.lchown": _one("path", "chmod", follow=False),
    "os.chflags": _one("path", "chmod"),
    "os.utime": _one("path", "write"),
    "os.setxattr": _one("path", "chmod"),
    "os.mkfifo": _one("path", "write"),
    "os.mknod": _one("path", "write"),
    "os.symlink": _one("dst", "write", follow=False, at=1),
    "os.link": _one("dst", "write", follow=False, at=1),
    "shutil.rmtree": _one("path", "delete", tree=True, follow=False),
    "shutil.copy": (Changes(1, "dst", "write", into=0),),
    "shutil.copy2": (Changes(1, "dst", "write", into=0),),
    "shutil.copyfile": _one("dst", "write", at=1),
    "shutil.copymode": _one("dst", "chmod", at=1),
    "shutil.copystat": _one("dst", "chmod", at=1),
    "shutil.copytree": _one("dst", "write", tree=True, at=1),
    "shutil.move": (
        Changes(0, "src", "move_from", True, False),
        Changes(1, "dst", "move_to", True, False, 0),
    ),
    "shutil.chown": _one("path", "chmod"),
    "shutil.unpack_archive": _one("extract_dir", "write", tree=True, at=1),
    "urllib.request.urlretrieve": _one("filename", "write", at=1),
    "sqlite3.connect": _one("database", "write"),
    "numpy.save": _one("file", "write"),
    "numpy.savez": _one("file", "write"),
    "numpy.savetxt": _one("fname", "write"),
    "matplotlib.pyplot.savefig": _one("fname", "write"),
    "torch.save": _one("f", "write", at=1),
    "joblib.dump": _one("filename", "write", at=1),
    "imageio.imwrite": _one("uri", "write"),
    "cv2.imwrite": _one("filename", "write"),
    "distutils.file_util.copy_file": (Changes(1, "dst", "write", into=0),),
}

OPENERS: Mapping[str, int] = {
    "open": 1, "io.open": 1, "codecs.open": 1, "gzip.open": 1, "bz2.open": 1, "lzma.open": 1, "zipfile.ZipFile": 1,
    "tarfile.open": 1, "gzip.GzipFile": 1, "bz2.BZ2File": 1, "lzma.LZMAFile": 1, "os.fdopen": 1, "wave.open": 1,
    "builtins.open": 1, "io.FileIO": 1, "h5py.File": 1, "aiofiles.open": 1, "tarfile.TarFile": 1,
    "logging.FileHandler": 1, "logging.handlers.RotatingFileHandler": 1,
}  # fmt: skip
"""Functions that open a file, and the position of their mode."""

DEFAULT_MODES: Mapping[str, str] = {"logging.FileHandler": "a", "logging.handlers.RotatingFileHandler": "a"}

SHELLS = frozenset(
    {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput"}
)
PROGRAMS = frozenset(
    {
        "subprocess.run",
        "subprocess.call",
        "subprocess.check_call",
        "subprocess.check_output",
        "subprocess.Popen",
    }
)
EXECS = frozenset({"os.execv", "os.execvp", "os.execve", "os.execvpe"})

METHODS: Mapping[str, tuple[TargetOp, bool]] = {
    "write_text": ("write", True),
    "write_bytes": ("write", True),
    "unlink": ("delete", False),
    "rmdir": ("delete", False),
    "touch": ("write", True),
    "chmod": ("chmod", True),
    "lchmod": ("chmod", False),
    "symlink_to": ("write", False),
    "hardlink_to": ("write", False),
    "link_to": ("write", False),
}
"""Methods of a path that change it, and whether links are followed."""

SAVERS = words(
    "to_csv to_json to_excel to_parquet to_pickle to_html to_markdown to_feather to_hdf to_xml to_sql savefig save savetxt"
    " tofile dump_to_file export extract extractall write_png write_image write_html to_file"
)
"""Methods of other objects that write the file named by their first argument."""

_PURE = (
    "json re math cmath collections itertools functools datetime time random string textwrap hashlib hmac base64 struct"
    " statistics operator typing dataclasses decimal fractions csv ast difflib glob fnmatch platform locale getpass html"
    " urllib.parse urllib.request urllib.error unicodedata copy pprint enum bisect heapq calendar uuid secrets zlib binascii"
    " traceback inspect dis tokenize keyword types numbers array argparse configparser tomllib xml colorsys"
    " contextlib abc warnings errno stat linecache reprlib ipaddress socket ssl http email mimetypes queue threading"
    " asyncio concurrent select signal gc weakref timeit cProfile pstats resource importlib.metadata importlib.util sysconfig"
    " site token symtable codecs io string locale zoneinfo graphlib shlex cgi netrc pickle marshal pydoc doctest"
    " yaml toml tomli requests httpx numpy pandas bs4 lxml dateutil pytz packaging jinja2 markdown chardet certifi"
    " pydantic attr attrs click rich tabulate tqdm jsonschema orjson ujson simplejson scipy sklearn networkx sympy PIL"
    " matplotlib charset_normalizer idna semver regex dotenv psutil distro six more_itertools toolz"
)
PURE_MODULES = frozenset(_PURE.split())
"""Modules of which a function that is in no other table changes no file."""

PATH_CHANGES = frozenset(METHODS) | words("rename replace open")
"""Methods of a path that may change a file when they are called through its class."""

RUNNING = words(
    "timeit.timeit timeit.repeat timeit.Timer timeit.main cProfile.run cProfile.runctx doctest.testfile doctest.testmod"
    " doctest.run_docstring_examples asyncio.create_subprocess_shell asyncio.create_subprocess_exec site.addsitedir"
    " site.main types.FunctionType types.CodeType pydoc.locate pydoc.safeimport"
)
"""Functions of modules that else change nothing, which run code that is given or found."""

IMPORTABLE = PURE_MODULES | words(
    "os sys subprocess shutil pathlib builtins __future__ posixpath ntpath posix gzip bz2 lzma zipfile tarfile sqlite3 shelve"
    " dbm logging tempfile wave h5py aiofiles torch joblib imageio cv2 distutils commands fileinput runpy importlib ctypes"
    " multiprocessing pty pwd grp pkgutil unittest textwrap cgitb filecmp"
)
"""Modules whose import runs no code of the project."""

OTHER_READS = words(
    "os.path os.getcwd os.getenv os.environ os.listdir os.scandir os.walk os.stat os.lstat os.access os.getpid os.getppid"
    " os.getuid os.getgid os.cpu_count os.uname os.sep os.linesep os.name os.fspath os.readlink os.get_terminal_size os.times"
    " os.urandom os.getlogin os.getloadavg os.makedirs os.mkdir os.fsencode os.fsdecode os.isatty os.strerror os.kill"
    " os.close os.fstat os.read os._exit os.umask os.nice os.waitpid os.sched_getaffinity os.getcwdb os.pathsep os.curdir"
    " os.environb os.write os.fsync os.dup os.dup2 os.pipe os.R_OK os.W_OK os.X_OK os.F_OK os.putenv os.unsetenv"
    " sys.argv sys.version sys.version_info sys.path sys.exit sys.stdin sys.stdout sys.stderr sys.platform sys.executable"
    " sys.getsizeof sys.modules sys.maxsize sys.byteorder sys.getrecursionlimit sys.setrecursionlimit sys.getdefaultencoding"
    " sys.prefix sys.base_prefix sys.implementation sys.flags sys.exc_info sys.hexversion sys.builtin_module_names"
    " sys.stdlib_module_names sys.intern sys.getfilesystemencoding sys.float_info sys.int_info sys.displayhook"
    " shutil.which shutil.disk_usage shutil.get_terminal_size shutil.ignore_patterns shutil.copyfileobj"
    " pathlib.Path pathlib.PurePath pathlib.PosixPath pathlib.PurePosixPath"
    " subprocess.PIPE subprocess.DEVNULL subprocess.STDOUT subprocess.CalledProcessError subprocess.TimeoutExpired"
    " subprocess.list2cmdline subprocess.SubprocessError subprocess.CompletedProcess"
    " logging.getLogger logging.debug logging.info logging.warning logging.error logging.critical logging.DEBUG logging.INFO"
    " logging.WARNING logging.ERROR logging.Formatter logging.StreamHandler logging.disable logging.exception"
    " tempfile.gettempdir tempfile.mkdtemp tempfile.mkstemp tempfile.NamedTemporaryFile tempfile.TemporaryDirectory"
    " tempfile.TemporaryFile tempfile.mktemp zipfile.is_zipfile tarfile.is_tarfile gzip.decompress gzip.compress"
    " bz2.decompress bz2.compress lzma.decompress lzma.compress zipfile.ZIP_DEFLATED zipfile.BadZipFile filecmp.cmp"
    " importlib.metadata importlib.util pwd.getpwuid pwd.getpwnam grp.getgrgid builtins.print pkgutil.iter_modules"
    " multiprocessing.cpu_count sqlite3.version sqlite3.sqlite_version torch.__version__ torch.cuda posixpath ntpath"
    " os.path.join"
)

BUILTINS = words(
    "abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict dir divmod enumerate filter float"
    " format frozenset hasattr hash hex id input int isinstance issubclass iter len list map max memoryview min next object"
    " oct ord pow print property range repr reversed round set slice sorted staticmethod str sum super tuple type vars zip"
    " Exception ValueError TypeError KeyError IndexError OSError IOError RuntimeError FileNotFoundError SystemExit StopIteration"
    " AssertionError NotImplementedError AttributeError ImportError PermissionError UnicodeDecodeError ZeroDivisionError"
    " exit quit aiter anext BaseException ArithmeticError LookupError Warning"
)

SAFE_METHODS = words(
    # text and bytes
    "capitalize casefold center count decode encode endswith expandtabs find format format_map index isalnum isalpha isascii"
    " isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans"
    " partition removeprefix removesuffix rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip"
    " swapcase title translate upper zfill hex fromhex tobytes"
    # containers
    " append clear copy extend insert pop remove reverse sort get items keys popitem setdefault update values fromkeys add"
    " difference discard intersection isdisjoint issubset issuperset symmetric_difference union appendleft popleft rotate"
    " most_common elements subtract total move_to_end"
    # files already open
    " read readline readlines readable seek tell close flush fileno isatty write writelines detach getvalue"
    " getbuffer readinto writerow writerows writeheader fieldnames line_num"
    # paths that only look
    " exists is_file is_dir is_symlink is_absolute is_mount iterdir glob rglob stat lstat resolve absolute relative_to"
    " is_relative_to with_name with_suffix with_stem joinpath expanduser as_posix as_uri read_text read_bytes samefile owner"
    " group match cwd home walk readlink mkdir parents"
    # regular expressions, dates, numbers
    " fullmatch search sub subn findall finditer groups groupdict span start end expand strftime isoformat timestamp"
    " date time now utcnow today fromisoformat fromtimestamp strptime total_seconds astimezone weekday isoweekday"
    " bit_length to_bytes from_bytes is_integer as_integer_ratio quantize conjugate"
    # parsing and data
    " hexdigest digest loads load dumps parse parse_args add_argument add_subparsers add_parser set_defaults getroot iter"
    " findtext itertext tostring fromstring feed has_option has_section sections options getint getfloat getboolean"
    " get_text select select_one find_all prettify xpath cssselect head tail describe info groupby agg merge mean median std"
    " sum min max apply map filter sort_values reset_index set_index drop dropna fillna astype unique nunique value_counts"
    " to_dict to_numpy tolist to_list to_string iterrows itertuples query rename_axis loc iloc isin notna isna isnull notnull"
    " shape reshape flatten transpose dot argmax argmin cumsum round abs any all item"
    # other
    " json raise_for_status getheader getheaders communicate wait poll result acquire release is_set join_thread namelist"
    " getnames getmembers getinfo infolist testzip fetchall fetchone fetchmany cursor debug warning"
    " error critical exception print isEnabledFor addHandler setLevel setFormatter elapsed model_dump model_validate"
    " model_dump_json sleep gather run_until_complete as_completed submit is_alive monotonic perf_counter"
    " create_connection gethostname gethostbyname iter_content iter_lines ok status_code metadata version distribution"
    " generic_visit visit unparse literal_eval with_traceback add_note"
    " tzinfo utcoffset ctime"
)
"""Methods that change no file, whatever object they belong to."""
